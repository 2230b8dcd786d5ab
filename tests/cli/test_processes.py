"""The command as a process of its own: exit codes, streams that close, signals, terminals, imports."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mathhammer.cli import answer, main
from tests.cli.conftest import MATCH, run

SECONDS = 60
COMMAND = [sys.executable, "-m", "mathhammer"]
COLOUR = re.compile(rb"\x1b\[(\d+;)*(3|4|9|10)\d(;\d+)*m")
# Both sides heal, charge and are headstrong: states stop merging, and 10^12 trials would take days.
LONG = (
    "kow fight knights,at=60,rout=60,waver=20,rules.blast=d6"
    " knights,at=60,rout=60,waver=20,rules.blast=d6,rules.regeneration=3,rules.headstrong=true,"
    "rules.thunderous_charge=2 --turns 20 --edition 3 --engine simulate --trials 1e12"
)


def process_of(command: list[str]) -> subprocess.CompletedProcess[str]:
    """A process that ran to its end, its output captured."""
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)


def process(*args: str) -> subprocess.CompletedProcess[str]:
    """`python -m mathhammer ARGS`."""
    return process_of([*COMMAND, *args])


# -- exit codes ------------------------------------------------------------------------------------
def test_an_answer_is_0_with_nothing_on_standard_error() -> None:
    done = process(*MATCH, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["game"] == "kow"


def test_bad_input_is_2_with_one_line_and_no_output() -> None:
    done = process("kow", "melee", "ogre-wariors", "knights")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"mathhammer: .*ogre-warriors.*\n", done.stderr)


def test_bytes_that_are_no_text_are_bad_input() -> None:
    done = subprocess.run(
        [*COMMAND, "kow", "melee", b"\xe9.toml", "knights"], capture_output=True, timeout=SECONDS
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"mathhammer: ")


@pytest.mark.parametrize(
    ("raised", "code"), [(KeyboardInterrupt, 130), (MemoryError, 1), (RecursionError, 1)]
)
def test_what_breaks_a_run_off_has_its_code_and_a_line(
    raised: type[BaseException], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr(answer, "run", broken)
    stopped = run(*MATCH)
    assert (stopped.code, stopped.out) == (code, "")
    assert re.fullmatch(r"\n?mathhammer: .+\n", stopped.err)


def test_without_arguments_main_reads_those_of_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["mathhammer", "--version"])
    assert main() == 0
    assert capsys.readouterr().out.startswith("mathhammer ")


# -- streams ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "args",
    [["--help"], MATCH, [*MATCH, "--json"], [*MATCH, "--csv"], ["units", "kow"], ["units", "kow", "--json"]],
    ids=" ".join,
)
def test_a_closed_pipe_is_fine(args: list[str]) -> None:
    """The reader has left before the first byte, as `| head -0` would."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run([*COMMAND, *args], stdout=closed, stderr=subprocess.PIPE, timeout=SECONDS)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_reader_that_leaves_after_the_first_line_is_fine() -> None:
    """More than a pipe holds is written: the joint rows of a long fight."""
    args = [
        *COMMAND,
        "kow",
        "fight",
        "knights,rules.blast=9",
        "orc-ax,rules.blast=9",
        "--turns",
        "20",
        "--json",
    ]
    with subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout
        assert running.stderr
        assert running.stdout.readline() == b"{\n"
        running.stdout.close()
        told = running.stderr.read()
        assert (running.wait(SECONDS), told) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("args", [["--help"], MATCH, [*MATCH, "--json"]], ids=" ".join)
def test_a_full_disk_is_1_with_a_line(args: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*COMMAND, *args], stdout=full, stderr=subprocess.PIPE, timeout=SECONDS)
    assert done.returncode == 1
    assert re.fullmatch(rb"mathhammer: .*[Nn]o space left.*\n", done.stderr), done.stderr


# -- signals ---------------------------------------------------------------------------------------
def test_ctrl_c_in_a_long_run_is_130_with_a_line() -> None:
    """The run says how long it will take; then it is interrupted. (A shell may have it ignore the signal.)"""
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from mathhammer.cli import script; script()"
    )
    args = [sys.executable, "-c", code, *LONG.split()]
    with subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr
        assert running.stdout
        assert re.match(r"this takes about [\d.]+ (s|min|h); Ctrl-C stops it$", running.stderr.readline())
        running.send_signal(signal.SIGINT)
        assert running.wait(SECONDS) == 130
        assert running.stdout.read() == ""
        assert running.stderr.read().split("\n") == ["", "mathhammer: interrupted", ""]


# -- terminals -------------------------------------------------------------------------------------
def on_a_terminal(environment: dict[str, str]) -> bytes:
    """What a terminal shows of an answer."""
    pty = pytest.importorskip("pty")
    shown, terminal = pty.openpty()
    settings = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with os.fdopen(terminal, "wb") as stdout:
        done = subprocess.Popen([*COMMAND, *MATCH], stdout=stdout, env=settings | environment)
    content = b""
    try:
        while block := os.read(shown, 4096):
            content += block
    except OSError:
        pass  # how Linux says that the terminal's other end is closed
    os.close(shown)
    assert done.wait(SECONDS) == 0
    return content


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
    ids=["colour", "NO_COLOR", "dumb"],
)
def test_a_terminal_is_coloured_unless_it_should_not_be(environment: dict[str, str], coloured: bool) -> None:
    shown = on_a_terminal(environment)
    assert b"Ogre Warriors" in shown
    assert bool(COLOUR.search(shown)) == coloured


# -- imports ---------------------------------------------------------------------------------------
HEAVY = {"numpy", "pandas", "matplotlib", "rich", "scipy"}
LISTS_MODULES = """
import sys
from mathhammer.cli import main
main(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
"""


def imported(*args: str) -> set[str]:
    """The modules that a command line loads."""
    done = process_of([sys.executable, "-c", LISTS_MODULES, *args])
    assert done.returncode == 0
    return set(done.stderr.split())


def rules_loaded(modules: set[str]) -> set[str]:
    """The games of which more than the card is loaded."""
    return {name.split(".")[2] for name in modules if re.fullmatch(r"mathhammer\.games\.\w+\.\w+", name)}


def test_help_loads_nothing_heavy_not_even_pydantic() -> None:
    assert not imported("--help") & {*HEAVY, "pydantic"}


@pytest.mark.parametrize("args", [["--help"], [], ["kow", "--help"], ["--version"]], ids=" ".join)
def test_help_loads_nothing_heavy_and_no_rules(args: list[str]) -> None:
    loaded = imported(*args)
    assert "mathhammer.games.kings_of_war" in loaded
    assert not loaded & HEAVY
    assert not rules_loaded(loaded)


@pytest.mark.parametrize("options", [[], ["--json"], ["--csv"]], ids=" ".join)
def test_an_answer_loads_only_what_it_needs(options: list[str]) -> None:
    loaded = imported(*MATCH, *options)
    assert loaded & HEAVY == {"numpy"}
    assert rules_loaded(loaded) == {"kings_of_war"}
