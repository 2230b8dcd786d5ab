"""Journals: rows on disk at once and whole; a sweep killed at any moment goes on; strange files are told."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mathhammer.analysis.execute import execute
from mathhammer.analysis.files import kept
from mathhammer.analysis.journal import Journal
from mathhammer.analysis.sweep import Sweep
from mathhammer.core.errors import InputError
from tests.analysis.sweeps import sweep

OVER = {"at": "6..15"}


@pytest.fixture
def made() -> Sweep:
    return sweep(OVER)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "rows.csv"


def written(made: Sweep, out: Path, rows: int = 10) -> bytes:
    """The journal of so many finished rows."""
    journal = Journal(out, made)
    journal.begin()
    for index in range(rows):
        journal.add([made.answer(index)])
    journal.close()
    return journal.path.read_bytes()


def resumed(made: Sweep, out: Path) -> list[int]:
    """Which matchups are run again, and whether the table is whole all the same."""
    asked: list[int] = []
    answer = Sweep.answer

    class Watched(Sweep):
        def answer(self, index: int) -> Any:
            asked.append(index)
            return answer(self, index)

    watched = Watched(made.grid, made.wanted, made.engine, made.trials, made.seed)
    table = execute(watched, workers=1, journal=Journal(out, watched), resume=True)
    assert table.rows == execute(made, workers=1).rows
    return asked


def refused(made: Sweep, out: Path) -> str:
    with pytest.raises(InputError) as caught:
        Journal(out, made).resume()
    (line,) = caught.value.lines
    return line


# -- going on --------------------------------------------------------------------------------------
def test_finished_rows_are_on_disk_at_once(made: Sweep, out: Path) -> None:
    seen: list[int] = []

    def look(done: int, of: int, left: float) -> None:
        seen.append(len((out.parent / "rows.csv.part").read_bytes().splitlines()) - 1)

    kept(made, out, workers=1, progress=look)
    assert seen == list(range(1, 11))
    assert not (out.parent / "rows.csv.part").exists()


@pytest.mark.parametrize("rows", [0, 1, 9, 10])
def test_what_is_finished_is_not_run_again(made: Sweep, out: Path, rows: int) -> None:
    written(made, out, rows)
    assert resumed(made, out) == list(range(rows, 10))


def test_resumed_files_equal_uninterrupted_ones(made: Sweep, out: Path) -> None:
    kept(made, out, workers=1)
    whole = out.read_bytes()
    out.unlink()
    written(made, out, 4)
    kept(made, out, workers=1, resume=True)
    assert out.read_bytes() == whole


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.floats(0, 1))
def test_cut_off_anywhere_it_goes_on_and_loses_no_whole_line(made: Sweep, tmp_path: Path, cut: float) -> None:
    """As a kill may leave it: any number of first bytes."""
    out = tmp_path / "rows.jsonl"
    Journal(out, made).path.unlink(missing_ok=True)
    content = written(made, out)
    part = content[: round(cut * len(content))]
    Journal(out, made).path.write_bytes(part)
    whole = max(0, part.count(b"\n") - 1)
    assert resumed(made, out) == list(range(whole, 10))


def test_a_row_with_a_failure_goes_through_the_journal(out: Path) -> None:
    made = sweep({"waver": "14..16", "rout": "14"})
    written(made, out, 3)
    rows = Journal(out, made).resume()
    assert rows == [made.answer(index) for index in range(3)]
    assert [bool(row.failed) for row in rows] == [False, True, True]


# -- strange files ---------------------------------------------------------------------------------
def test_an_unfinished_sweep_is_not_overwritten(made: Sweep, out: Path) -> None:
    content = written(made, out, 3)
    with pytest.raises(InputError, match=r"rows\.csv\.part: holds an unfinished sweep; .*resume"):
        kept(made, out)
    assert Path(f"{out}.part").read_bytes() == content


def test_a_place_where_nothing_can_be_written_is_told_by_the_name_that_was_given(
    made: Sweep, tmp_path: Path
) -> None:
    out = tmp_path / f"{'x' * 247}.csv"  # with .part the name is too long
    with pytest.raises(InputError, match=r"x\.csv: cannot be written \(.+\)$"):
        kept(made, out)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "other",
    [
        sweep({"at": "6..16"}),
        sweep(OVER, {"attacker": "knights", "defender": "foot-guard"}),
        sweep(OVER, seed=4),
    ],
    ids=["range", "unit", "seed"],
)
def test_the_file_of_another_sweep_is_told_and_kept(other: Sweep, made: Sweep, out: Path) -> None:
    content = written(other, out, 3)
    line = refused(made, out)
    assert "rows.csv.part" in line
    assert "another sweep" in line
    assert other.grid.heading() in line
    assert Path(f"{out}.part").read_bytes() == content


def test_the_file_of_another_version_is_told(made: Sweep, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(made, out, 3)
    monkeypatch.setattr("mathhammer.core.version.VERSION", "99.9")
    monkeypatch.setattr("mathhammer.analysis.sweep.VERSION", "99.9")
    assert "version" in refused(made, out)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (2, b"garbage"),
        (3, b"[]"),
        (3, b'[99,"exact",[],[],[],""]'),
        (4, b"\xff\xfe"),
        (2, b'[0,"guess",[],[],[],""]'),
    ],
)
def test_damage_in_the_middle_is_told_with_its_line(line: int, text: bytes, made: Sweep, out: Path) -> None:
    lines = written(made, out, 5).split(b"\n")
    lines[line - 1] = text
    damaged = b"\n".join(lines)
    Path(f"{out}.part").write_bytes(damaged)
    assert f"line {line} is damaged" in refused(made, out)
    assert Path(f"{out}.part").read_bytes() == damaged


@pytest.mark.parametrize("torn", [b'[4,"exact",[0.', b"\x00\x00", b""])
def test_a_torn_last_line_is_dropped_also_where_something_ended_it(
    torn: bytes, made: Sweep, out: Path
) -> None:
    written(made, out, 5)
    part = Path(f"{out}.part")
    part.write_bytes(b"\n".join([*part.read_bytes().split(b"\n")[:5], torn, b""]))
    assert resumed(made, out) == list(range(4, 10))
    assert len(part.read_bytes().splitlines()) == 11
    whole = [json.loads(line) for line in part.read_bytes().splitlines()]
    assert [row[0] for row in whole[1:]] == list(range(10))


def test_a_whole_last_line_that_is_no_row_is_told(made: Sweep, out: Path) -> None:
    written(made, out, 5)
    part = Path(f"{out}.part")
    part.write_bytes(part.read_bytes() + b'[99,"exact",[],[],[],""]\n')
    assert "line 7 is damaged" in refused(made, out)


@pytest.mark.parametrize(
    "content", [b"some text", b"some text\n", b"[1,2]\n", b'{"kind":"x"}\n', b"\x00\x01"]
)
def test_a_file_that_is_no_journal_is_told_and_kept(content: bytes, made: Sweep, out: Path) -> None:
    Path(f"{out}.part").write_bytes(content)
    assert "no unfinished sweep" in refused(made, out)
    assert Path(f"{out}.part").read_bytes() == content


def test_nothing_to_resume_is_told(made: Sweep, out: Path) -> None:
    assert "rows.csv.part is not there" in refused(made, out)


def test_the_head_says_what_the_file_is(made: Sweep, out: Path) -> None:
    head = json.loads(written(made, out, 0))
    assert head["what"] == made.grid.heading()
    assert (head["matchups"], head["fingerprint"]) == (10, made.fingerprint())


# -- disks -----------------------------------------------------------------------------------------
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_stops_the_sweep_and_loses_no_finished_row(
    made: Sweep, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full from the sixth row on."""
    write, rows = os.write, iter(range(100))

    def full(file: int, data: bytes) -> int:
        if next(rows) > 5:
            with open("/dev/full", "wb", buffering=0) as device:
                return int(device.write(data))
        return write(file, data)

    monkeypatch.setattr("mathhammer.analysis.journal.os.write", full)
    with pytest.raises(OSError, match="No space left"):
        kept(made, out, workers=1)
    monkeypatch.undo()
    assert not out.exists()
    assert resumed(made, out) == list(range(5, 10))


def test_unwritable_places_are_told_before_anything_runs(made: Sweep, tmp_path: Path) -> None:
    for name in ("no/rows.csv", "rows.txt"):
        with pytest.raises(InputError):
            kept(made, tmp_path / name)
    (tmp_path / "folder.csv.part").mkdir()
    with pytest.raises(InputError, match=r"folder\.csv\.part"):
        kept(made, tmp_path / "folder.csv")
    with pytest.raises(InputError, match=r"folder\.csv\.part: cannot be read"):
        kept(made, tmp_path / "folder.csv", resume=True)
