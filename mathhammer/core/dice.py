"""Dice expressions such as `2d6+1`, and the rolls that rules build from dice."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from mathhammer.core.errors import InputError
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Pmf

_TERM = re.compile(r"\s*(?:(?P<n>\d*)d(?P<sides>\d+)|(?P<flat>\d+))\s*", re.IGNORECASE | re.ASCII)
MOST_DICE, MOST_SIDES, MOST_FLAT, MOST_TOTAL = 1000, 1000, 10_000, 50_000


@lru_cache(maxsize=256)
def roll(expression: str) -> Pmf:
    """The distribution of a sum such as `d6`, `2d6+1` or `3`.

    Raises `InputError` for anything else, naming the character where it stops being one.
    """
    total, at = Pmf.point(0), 0
    while True:
        match = _TERM.match(expression, at)
        if not match:
            raise _not_an_expression(expression, _first_dark(expression, at))
        total = total + _term(match, expression)
        at = match.end()
        if total.last > MOST_TOTAL:
            raise InputError(f"dice {expression!r}: totals go up to {MOST_TOTAL:,} at most")
        if at == len(expression):
            return total
        if expression[at] != "+":
            raise _not_an_expression(expression, at)
        at += 1


def _first_dark(expression: str, at: int) -> int:
    """The place of the first character from `at` on that is no blank."""
    return at + len(expression[at:]) - len(expression[at:].lstrip())


def _term(match: re.Match[str], expression: str) -> Pmf:
    if match["flat"]:
        return Pmf.point(_bounded(match["flat"], MOST_FLAT, "a constant", expression))
    dice = _bounded(match["n"] or "1", MOST_DICE, "a number of dice", expression)
    sides = _bounded(match["sides"], MOST_SIDES, "a number of sides", expression)
    if dice * sides > MOST_TOTAL:
        raise InputError(f"dice {expression!r}: totals go up to {MOST_TOTAL:,} at most")
    return Pmf.die(max(1, sides)).times(dice)


def _bounded(text: str, most: int, what: str, expression: str) -> int:
    if len(text) > 6 or int(text) > most:
        raise InputError(f"dice {expression!r}: {what} is at most {most}, not {text}")
    if what != "a constant" and int(text) == 0:
        raise InputError(f"dice {expression!r}: {what} is at least 1")
    return int(text)


def _not_an_expression(expression: str, at: int) -> InputError:
    return InputError(f"dice {expression!r}: not a sum of dice such as 2d6+1 (character {at + 1})")


def opposed(ours: Pmf, theirs: Pmf) -> Law:
    """Opposed roll, keyed by our lead in modifiers: 0 we are lower, 1 a tie, 2 we are higher."""
    difference = ours + theirs.mirrored()

    def make(lead: int) -> Pmf:
        higher, lower = difference.at_least(1 - lead), 1.0 - difference.at_least(-lead)
        return Pmf(0, [max(0.0, lower), difference[-lead], higher], difference.cut)

    return Law(("opposed", ours, theirs), make)


def thresholds(roll: Pmf, levels: tuple[int, ...]) -> Law:
    """How many of the ascending `levels` the roll plus the key reaches: outcomes 0 .. len(levels)."""
    return graded(("thresholds", roll, levels), roll, lambda total: sum(total >= level for level in levels))


def graded(key: tuple[object, ...], roll: Pmf, grade: Callable[[int], int]) -> Law:
    """The law keyed by a bonus: `grade(roll + bonus)`. `key` must tell `roll` and `grade` apart."""
    return Law(key, lambda bonus: roll.map(lambda value: grade(value + bonus)))
