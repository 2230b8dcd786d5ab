"""The user's mistakes, each one line: where, which field, what was given, what is allowed."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class InputError(ValueError):
    """Something the user gave is wrong; `lines` holds one line for each wrong thing."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class ExactLimitError(InputError):
    """The exact answer needs more states than the engine holds at once."""


def nearest(given: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Known names most like the given one, best first (none when nothing is near)."""
    names = list(known)
    inside = [name for name in names if given and given in name]
    close = get_close_matches(given, names, n=most, cutoff=0.5)
    return list(dict.fromkeys([*close, *inside]))[:most]


def unknown(what: str, given: str, known: Iterable[str]) -> InputError:
    """An error for an unknown name, with the nearest valid ones (or all, when they are few)."""
    names = list(known)
    near = nearest(given, names)
    if near:
        return InputError(f"{what} {given!r} is not known; did you mean {' or '.join(near)}?")
    if len(names) <= 12:
        return InputError(f"{what} {given!r} is not known; there is {', '.join(names) or 'none'}")
    return InputError(f"{what} {given!r} is not known ({len(names)} are)")
