"""The user's mistakes, each one line: where, which field, what was given, what is allowed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

FEW = 20  # so many names are all listed
_OPTION = re.compile(r"(?<![^\s(])--([a-z]+(?:-[a-z]+)*)")
ARGUMENTS = {"rule": "rules", "rules": "rules_file", "cost": "costs", "with": "with_"}  # of other names


class InputError(ValueError):
    """Something the user gave is wrong; `lines` holds one line for each wrong thing.

    It is raised with options as they are typed, `--at-least`, which `typed` keeps for the command line;
    `lines` and the text name the arguments of Python, `at_least`.
    """

    def __init__(self, *typed: str) -> None:
        super().__init__(*typed)
        self.typed = typed

    @property
    def lines(self) -> tuple[str, ...]:
        """What is wrong, in the names that Python has."""
        return tuple(_OPTION.sub(_argument, line) for line in self.typed)

    def __str__(self) -> str:
        return "\n".join(self.lines)


def _argument(option: re.Match[str]) -> str:
    """The argument that stands for an option in Python."""
    return ARGUMENTS.get(option[1], option[1].replace("-", "_"))


class UnknownError(InputError):
    """A name that is not known."""


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
            lines += error.typed
    if lines:
        raise InputError(*lines)
    return values


def nearest(given: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Known names most like the given one, best first (none when nothing is near)."""
    names = list(known)
    inside = [name for name in names if given and given in name]
    close = get_close_matches(given, names, n=most, cutoff=0.5)
    return list(dict.fromkeys([*close, *inside]))[:most]


def unknown(what: str, given: object, known: Iterable[str], hint: str = "") -> UnknownError:
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
    return UnknownError(told)


def refuse_unknown(what: str, strange: Iterable[object], known: Iterable[str]) -> None:
    """Raise one `InputError` with a line for each strange name, if there are any."""
    names = list(known)
    wrong = [line for name in strange for line in unknown(what, str(name), names).typed]
    if wrong:
        raise InputError(*wrong)
