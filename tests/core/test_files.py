"""Files: TOML read with the user's errors in words, and files written whole or not at all."""

from __future__ import annotations

import os
import pickle
from functools import partial
from pathlib import Path

import pytest

from mathhammer.core import files
from mathhammer.core.errors import InputError, gathered, nearest, unknown
from mathhammer.core.files import read_toml, whole_file

BAD = {
    "empty": (b"", "holds nothing"),
    "blank": (b" \n# a comment\n", "holds nothing"),
    "binary": (b"\x00\xff\xfe", "UTF-8"),
    "no toml": (b"a =", "TOML"),
    "a control character": (b'a = "\x01"', "TOML"),
    "deep": (b"a = " + b"[" * 5000, "nested too deeply"),
    "5000 digits": (b"a = " + b"9" * 5000, ""),
}


# -- reading ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("mark", ["utf-8", "utf-8-sig"])
def test_toml_is_read_with_and_without_a_byte_order_mark(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text('name = "Écorcheurs"\n[rules]\nelite = true\n', encoding=mark)
    assert read_toml(path) == {"name": "Écorcheurs", "rules": {"elite": True}}


@pytest.mark.parametrize(("content", "why"), BAD.values(), ids=list(BAD))
def test_a_bad_file_is_one_line_with_its_name_and_why(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_toml(path)
    (line,) = caught.value.lines
    assert line.startswith(f"{path}: ")
    assert why in line
    assert "\n" not in line


def test_a_missing_file_and_a_folder_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing\.toml: no such file"):
        read_toml(tmp_path / "missing.toml")
    with pytest.raises(InputError, match="is a folder"):
        read_toml(tmp_path)
    (tmp_path / "file").write_text("a = 1")
    with pytest.raises(InputError, match="cannot be read"):
        read_toml(tmp_path / "file" / "below.toml")


def test_a_name_that_no_file_can_have_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read_toml(tmp_path / "nul\0.toml")
    with pytest.raises(InputError, match="cannot be read"):
        read_toml(tmp_path / ("x" * 500))


def test_a_huge_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.toml"
    path.write_text("a = 12345")
    monkeypatch.setattr(files, "MOST_BYTES", 9)
    assert read_toml(path) == {"a": 12345}
    monkeypatch.setattr(files, "MOST_BYTES", 8)
    with pytest.raises(InputError, match="9 bytes; at most 8"):
        read_toml(path)


# -- writing ---------------------------------------------------------------------------------------
def test_a_file_appears_only_once_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with whole_file(path) as file:
        file.write("half ")
        file.flush()
        assert not path.exists()
        file.write("é whole")
    assert path.read_text(encoding="utf-8") == "half é whole"
    assert list(tmp_path.iterdir()) == [path]


def test_an_older_file_stays_until_the_new_one_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    with whole_file(path, "wb") as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


def half_write(path: Path, error: BaseException) -> None:
    """A writer that fails half-way."""
    with whole_file(path, "wb") as file:
        file.write(b"half")
        raise error


@pytest.mark.parametrize("raised", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
@pytest.mark.parametrize("before", [None, b"old"])
def test_a_writer_that_raises_leaves_everything_as_it_was(
    tmp_path: Path, raised: type[BaseException], before: bytes | None
) -> None:
    path = tmp_path / "a.bin"
    if before is not None:
        path.write_bytes(before)
    with pytest.raises(raised) as caught:
        half_write(path, raised())
    assert type(caught.value) is raised
    assert [p.read_bytes() for p in tmp_path.iterdir()] == ([] if before is None else [before])


def test_a_disk_that_is_full_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.bin: cannot be written .No space left"):
        half_write(tmp_path / "a.bin", OSError(28, "No space left on device"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("target", ["missing/a.txt", "folder", "file/a.txt", "x" * 500, "nul\0.txt"])
def test_what_cannot_be_written_is_told_and_leaves_nothing(tmp_path: Path, target: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("kept")
    with pytest.raises(InputError), whole_file(tmp_path / target) as file:
        file.write("a")
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["file", "folder"]


def test_a_written_file_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        with whole_file(tmp_path / "whole.txt") as file:
            file.write("a")
        (tmp_path / "plain.txt").write_text("a")
    finally:
        assert os.umask(mask) == 0o027
    modes = {p.name: p.stat().st_mode & 0o777 for p in tmp_path.iterdir()}
    assert modes["whole.txt"] == modes["plain.txt"] == 0o640


# -- the user's mistakes ---------------------------------------------------------------------------
def test_an_error_keeps_its_lines() -> None:
    error = InputError("one", "two")
    assert error.lines == ("one", "two")
    assert str(error) == "one\ntwo"
    assert isinstance(error, ValueError)


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("--trials is a whole number", "trials is a whole number"),
        ("--at-least 'x': write it", "at_least 'x': write it"),
        ("--rule: a is set twice (--rules is not)", "rules: a is set twice (rules_file is not)"),
        ("--with a@b: copies by repeating --with", "with_ a@b: copies by repeating with_"),
        ("--cost at: above 0", "costs at: above 0"),
        ("a--b and '--typed' stay, and so does -- alone", "a--b and '--typed' stay, and so does -- alone"),
    ],
)
def test_an_error_names_arguments_in_python_and_options_on_the_command_line(typed: str, line: str) -> None:
    error = pickle.loads(pickle.dumps(InputError(typed, "more")))
    assert error.lines == (line, "more")
    assert error.typed == (typed, "more")
    assert str(error) == f"{line}\nmore"
    with pytest.raises(InputError) as both:
        gathered(partial(_raise, error), partial(_raise, InputError("--b")))
    assert both.value.typed == (typed, "more", "--b")


def _raise(error: InputError) -> None:
    raise error


@pytest.mark.parametrize(
    ("given", "best"),
    [
        ("ogre-wariors", "ogre-warriors"),
        ("warriors", "ogre-warriors"),
        ("orc-axe", "orc-ax"),
        ("zzz", None),
        ("", None),
    ],
)
def test_the_nearest_name_comes_first(given: str, best: str | None) -> None:
    found = nearest(given, ["knights", "orc-ax", "ogre-warriors", "foot-guard"])
    assert found[:1] == ([best] if best else [])
    assert len(found) <= 3


def test_an_unknown_name_is_told_with_the_near_ones_or_all() -> None:
    assert "did you mean flank" in str(unknown("facing", "flnk", ["front", "flank"]))
    everything = str(unknown("facing", "zzz", ["front", "flank"]))
    assert all(word in everything for word in ("facing", "'zzz'", "front", "flank"))
    assert "none" in str(unknown("thing", "zzz", []))
