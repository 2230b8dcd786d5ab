"""`Journal`: finished rows on disk at once and whole, so that a sweep killed at any moment can go on.

A text file of JSON lines. The head carries the sweep's fingerprint; every other line is one row. Lines are
appended by single writes, so only the last one can be torn; it is dropped when the sweep goes on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mathhammer.analysis.sweep import Row, Sweep, pack, unpack
from mathhammer.core.errors import InputError
from mathhammer.core.files import shown_path

KIND = "mathhammer sweep"


class Journal:
    """The rows of one sweep in a file of its own beside the output: `rows.csv.part` for `rows.csv`."""

    def __init__(self, out: Path, sweep: Sweep) -> None:
        self.out = out
        self.path = out.with_name(out.name + ".part")
        self.sweep = sweep
        self._file: int | None = None

    def begin(self) -> None:
        """A new file. Raises `InputError` where there is one, or where it cannot be written."""
        self._open(os.O_CREAT | os.O_EXCL)
        self._write([_head(self.sweep)])

    def resume(self) -> list[Row]:
        """The rows that are there; what follows is appended. Raises `InputError` for another sweep's file."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            raise self._nothing() from None
        except (OSError, ValueError) as error:
            raise InputError(f"{shown_path(self.path)}: cannot be read ({_reason(error)})") from None
        whole = content.rfind(b"\n") + 1
        if not whole and _line(_head(self.sweep)).startswith(content):  # killed before there was a row
            self._open(os.O_TRUNC)
            self._write([_head(self.sweep)])
            return []
        lines = content[:whole].split(b"\n")[:-1]
        if len(lines) > 1 and _read(lines[-1]) is None:  # torn, and ended by something else since
            whole -= len(lines.pop()) + 1
        self._check_head(lines[0] if lines else b"")
        rows = [self._row(number, line) for number, line in enumerate(lines[1:], start=2)]
        self._open(0)
        assert self._file is not None
        os.ftruncate(self._file, whole)  # a line torn by the end of the process
        return rows

    def _nothing(self) -> InputError:
        """Why there is nothing to go on with."""
        if self.out.exists():
            return InputError(f"--resume: {shown_path(self.out)} is complete: nothing is left to go on with")
        return InputError(f"--resume: {shown_path(self.path)} is not there: nothing to go on with")

    def add(self, rows: Iterable[Row]) -> None:
        """Rows, on disk before this returns. Raises `OSError` where the disk is full."""
        self._write([pack(row) for row in rows])

    def close(self) -> None:
        """Leave the file as it is."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def remove(self) -> None:
        """The sweep is whole, and stands elsewhere."""
        self.close()
        self.path.unlink(missing_ok=True)

    def _open(self, flags: int) -> None:
        try:
            self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | flags, 0o666)
        except FileExistsError:
            raise InputError(
                f"{shown_path(self.path)}: holds an unfinished sweep; go on with --resume, or remove it"
            ) from None
        except (OSError, ValueError) as error:
            raise InputError(f"{shown_path(self.out)}: cannot be written ({_reason(error)})") from None

    def _write(self, lines: list[Any]) -> None:
        assert self._file is not None
        data = b"".join(map(_line, lines))
        while data:
            data = data[os.write(self._file, data) :]

    def _check_head(self, line: bytes) -> None:
        head = _read(line)
        if not isinstance(head, dict) or head.get("kind") != KIND:
            raise InputError(
                f"{shown_path(self.path)}: is no unfinished sweep (its first line says otherwise)"
            )
        if head != _head(self.sweep):
            was = str(head.get("what", "another one"))
            version = (
                ""
                if head.get("version") == _head(self.sweep)["version"]
                else f", version {head.get('version')}"
            )
            raise InputError(
                f"{shown_path(self.path)}: is of another sweep ({was}{version}); give its own command again"
            )

    def _row(self, number: int, line: bytes) -> Row:
        try:
            row = unpack(_read(line))
            if 0 <= row.index < len(self.sweep.grid):
                return row
        except (TypeError, ValueError):
            pass
        raise InputError(
            f"{shown_path(self.path)}: line {number} is damaged; remove that line to run its matchup again"
        )


def _head(sweep: Sweep) -> dict[str, Any]:
    from mathhammer.core.version import VERSION

    return {
        "kind": KIND,
        "what": sweep.grid.heading(),
        "matchups": len(sweep.grid),
        "version": VERSION,
        "fingerprint": sweep.fingerprint(),
    }


def _line(data: Any) -> bytes:
    return json.dumps(data, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _read(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:  # not JSON, not text
        return None


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
