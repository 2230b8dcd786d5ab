"""The command line in-process: exit code, standard output and standard error as values."""

from __future__ import annotations

import io
import shlex
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

from mathhammer.cli import main

MATCH = ("kow", "melee", "ogre-warriors", "foot-guard")
QUICK = ("--engine", "simulate", "--trials", "10")


class Answer(NamedTuple):
    """What a call came to."""

    code: int
    out: str
    err: str

    @property
    def told(self) -> list[str]:
        """The lines on standard error."""
        return self.err.removesuffix("\n").split("\n") if self.err else []


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def run(*args: str, tty: bool = False, encoding: str = "utf-8") -> Answer:
    """Run `mathhammer ARGS` in this process, its streams as strict as real ones."""
    kind = Terminal if tty else io.TextIOWrapper
    out, err = io.BytesIO(), io.BytesIO()
    stdout = kind(out, encoding, newline="\n", write_through=True)
    stderr = io.TextIOWrapper(err, "utf-8", "backslashreplace", newline="\n", write_through=True)
    with redirect_stdout(stdout), redirect_stderr(stderr):
        code = main(args)
    answer = Answer(code, out.getvalue().decode(encoding), err.getvalue().decode())
    assert "Traceback" not in answer.out + answer.err
    return answer


def ask(line: str) -> str:
    """Standard output of a command line that must succeed, with nothing on standard error."""
    answer = run(*shlex.split(line))
    assert (answer.code, answer.err) == (0, ""), answer.err
    return answer.out


def refused(*args: str) -> str:
    """Standard error of a call that must be refused: code 2, marked lines, no output, no file."""
    before = files()
    answer = run(*args)
    assert answer.code == 2, answer
    check_refusal(answer)
    assert files() == before
    return answer.err


def check_refusal(answer: Answer) -> None:
    """A refusal says why, a marked line for each wrong thing, and nothing else."""
    assert answer.out == ""
    assert answer.told
    assert all(line.startswith("mathhammer: ") and len(line) > 15 for line in answer.told), answer.told


def files() -> set[Path]:
    """Everything in the working folder."""
    return set(Path().rglob("*"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder of the test's own, and no settings of colour or width from outside."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path
