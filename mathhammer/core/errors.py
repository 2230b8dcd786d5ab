"""The user's mistakes, each one line: where, which field, what was given, what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

FEW = 20  # so many names are all listed


class InputError(ValueError):
    """Something the user gave is wrong; `lines` holds one line for each wrong thing."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class ExactLimitError(InputError):
    """The exact answer needs more states than the engine holds at once."""


def gathered(*attempts: Callable[[], object]) -> list[Any]:
    """The values of all attempts, or one `InputError` with the lines of all that fail."""
    values: list[Any] = []
    lines: list[str] = []
    for attempt in attempts:
        try:
            values.append(attempt())
        except InputError as error:
            lines += error.lines
    if lines:
        raise InputError(*lines)
    return values


def nearest(given: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Known names most like the given one, best first (none when nothing is near)."""
    names = list(known)
    inside = [name for name in names if given and given in name]
    close = get_close_matches(given, names, n=most, cutoff=0.5)
    return list(dict.fromkeys([*close, *inside]))[:most]


def unknown(what: str, given: object, known: Iterable[str], hint: str = "") -> InputError:
    """An error for an unknown name: the nearest valid ones, all of few; `hint` says where to look."""
    names = list(known)
    near = nearest(str(given), names)
    told = f"{what} {given!r} is not known"
    if near:
        told += f"; did you mean {' or '.join(near)}?"
    elif len(names) <= FEW:
        told += f"; there is {', '.join(names) or 'none'}"
    else:
        told += f" ({len(names)} are{f'; {hint}' if hint else ''})"
    return InputError(told)


def refuse_unknown(what: str, strange: Iterable[object], known: Iterable[str]) -> None:
    """Raise one `InputError` with a line for each strange name, if there are any."""
    names = list(known)
    wrong = [str(unknown(what, str(name), names)) for name in strange]
    if wrong:
        raise InputError(*wrong)
