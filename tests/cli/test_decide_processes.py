"""Decisions as processes of their own: killed, interrupted, piped away, out of disk; and what they import."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_processes import COMMAND, HEAVY, SECONDS, imported, process

SWEEP = ["sweep", "kow", "melee", "*", "*", "--over", "facing=*", "--event", "rout"]
SMALL = shlex.split("sweep kow melee ogre-warriors foot-guard --over at=6..9 --event rout")
INTERRUPTIBLE = [
    sys.executable,
    "-c",
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    "from mathhammer.cli import script; script()",
]


def rows_of(path: Path) -> int:
    """Finished rows in a journal, whole lines without the head."""
    return max(0, path.read_bytes().count(b"\n") - 1) if path.exists() else 0


def wait_for(part: Path, rows: int, running: subprocess.Popen[bytes]) -> None:
    """Until so many rows are on disk."""
    end = time.monotonic() + SECONDS
    while rows_of(part) < rows:
        assert running.poll() is None, "it ended before it could be stopped"
        assert time.monotonic() < end
        time.sleep(0.01)


def test_killed_in_mid_sweep_it_goes_on_and_neither_loses_nor_repeats_a_row(folder: Path) -> None:
    """Killed three times over, at other moments each; the end is what an undisturbed run writes."""
    part, kept = folder / "rows.csv.part", 0
    resume: list[str] = []
    for rows in (1, 900, 1700):
        with subprocess.Popen(
            [*COMMAND, *SWEEP, "--out", "rows.csv", *resume],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as running:
            wait_for(part, rows, running)
            running.kill()
        assert rows_of(part) >= max(rows, kept)
        kept, resume = rows_of(part), ["--resume"]
    seen = [line.split(b",")[0] for line in part.read_bytes().split(b"\n")[1:-1]]
    assert len(set(seen)) == len(seen) == kept
    done = process(*SWEEP, "--out", "rows.csv", "--resume")
    assert (done.returncode, part.exists()) == (0, False)
    assert process(*SWEEP, "--out", "whole.csv", "--workers", "1").returncode == 0
    assert (folder / "rows.csv").read_bytes() == (folder / "whole.csv").read_bytes()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_is_130_leaves_what_is_finished_and_ends_every_process(workers: str, folder: Path) -> None:
    part = folder / "rows.csv.part"
    with subprocess.Popen(
        [*INTERRUPTIBLE, *SWEEP, "--out", "rows.csv", "--workers", workers],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        wait_for(part, 300, running)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=SECONDS)
    assert running.returncode == 130
    assert b"highest rout" in out
    told = re.fullmatch(
        rb"mathhammer: interrupted: (\d+,?\d*) of 4,563 matchups are in rows\.csv\.part; "
        rb"the same command with --resume goes on",
        err.splitlines()[-1],
    )
    assert told
    assert int(told[1].replace(b",", b"")) == rows_of(part) >= 300
    assert b"Traceback" not in err
    assert not (folder / "rows.csv").exists()


def test_ctrl_c_without_a_file_still_writes_the_finished_rows(folder: Path) -> None:
    with subprocess.Popen(
        [*INTERRUPTIBLE, *SWEEP, "--csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stderr
        running.stderr.readline()  # the first line of progress: it is at work
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=SECONDS)
    assert running.returncode == 130
    lines = out.decode().splitlines()
    assert lines[0] == "attacker,defender,facing,rout"
    assert all(line.count(",") == 3 for line in lines)
    told = f"mathhammer: interrupted: {len(lines) - 1:,} of 4,563 matchups are done"
    assert err.decode().splitlines()[-1] == told


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("options", [[], ["--csv"], ["--json"]])
def test_a_full_disk_behind_standard_output_is_1_with_a_line(options: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, *SMALL, *options], stdout=full, stderr=subprocess.PIPE, timeout=SECONDS
        )
    assert done.returncode == 1
    assert re.fullmatch(rb"mathhammer: .*[Nn]o space left.*\n", done.stderr), done.stderr


def test_a_closed_pipe_is_fine() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run([*COMMAND, *SMALL], stdout=closed, stderr=subprocess.PIPE, timeout=SECONDS)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_may_not_be_written_is_told(folder: Path) -> None:
    (folder / "closed").mkdir()
    (folder / "closed").chmod(0o500)
    done = process(*SMALL, "--out", "closed/rows.csv")
    assert done.returncode == 2
    assert "closed/rows.csv" in done.stderr


def test_progress_without_a_terminal_is_a_few_lines_with_the_time_left() -> None:
    done = process(*SWEEP, "--csv")
    lines = done.stderr.splitlines()
    assert done.returncode == 0
    assert len(lines) <= 12
    assert all(re.fullmatch(r"[\d,]+ of 4,563 matchups done, .* left", line) for line in lines)


# -- imports ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("args", [["sweep", "--help"], ["army"], ["needs", "kow", "--help"]], ids=" ".join)
def test_help_loads_nothing_heavy(args: list[str]) -> None:
    assert not imported(*args) & {*HEAVY, "distributed", "dask"}


@pytest.mark.parametrize(
    "line",
    [
        "sweep kow melee ogre-warriors foot-guard --over at=6..9 --over facing=* --event rout",
        "sweep kow melee ogre-warriors foot-guard --over at=6..9 --csv",
        "compare kow melee ogre-warriors,knights foot-guard",
        "needs kow melee ogre-warriors foot-guard --over at --chance .5",
        "needs kow melee ogre-warriors foot-guard",
    ],
)
def test_an_answer_loads_only_what_it_needs(line: str) -> None:
    loaded = imported(*line.split())
    assert loaded & {*HEAVY, "distributed", "dask"} == {"numpy"}
