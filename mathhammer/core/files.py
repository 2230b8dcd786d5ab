"""Reading TOML files of users and games, and writing files whole or not at all."""

from __future__ import annotations

import os
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from mathhammer.core.errors import InputError

MOST_BYTES = 16 * 2**20


def read_text(path: Path, kind: str) -> str:
    """The text of a file of some kind, such as "TOML"; raises `InputError` with one line that names it."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            found = "a folder" if path.is_dir() else "no regular file"
            raise InputError(f"{shown_path(path)}: is {found}, not a {kind} file")
        if size > MOST_BYTES:
            raise InputError(f"{path}: has {size:,} bytes; at most {MOST_BYTES:,} are read")
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{shown_path(path)}: no such file") from None
    except InputError:
        raise
    except UnicodeDecodeError as error:
        raise InputError(f"{shown_path(path)}: is not UTF-8 text (byte {error.start})") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{shown_path(path)}: cannot be read ({_reason(error)})") from None


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file; raises `InputError` with one line that names the file."""
    text = read_text(path, "TOML")
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise InputError(f"{path}: is not TOML: nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, and numbers of thousands of digits
        raise InputError(f"{path}: is not TOML: {error}") from None
    if not data:
        raise InputError(f"{path}: holds nothing")
    return data


def shown_path(path: Path) -> str:
    """A path as it is told, on one line whatever it holds."""
    return str(path) if str(path).isprintable() else repr(str(path))


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


@contextmanager
def whole_file(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """A file that appears under its name only once it is complete; raises `InputError` where it cannot."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".mathhammer-", suffix=".part")
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None
    try:
        if "\0" in str(path):
            raise OSError(0, "embedded null byte")
        with os.fdopen(handle, mode, encoding=None if "b" in mode else "utf-8") as file:
            yield file
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def _unwritable(path: Path, error: OSError | ValueError) -> InputError:
    return InputError(f"{shown_path(path)}: cannot be written ({_reason(error)})")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
