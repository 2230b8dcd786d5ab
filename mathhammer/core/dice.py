"""Dice expressions such as `2d6+1`, and the rolls that rules build from dice."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.errors import InputError
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Floats, Pmf, convolved

_TERM = re.compile(r"\s*(?:(?P<n>\d*)d(?P<sides>\d+)|(?P<flat>\d+))\s*", re.IGNORECASE | re.ASCII)
RARELY = 1e-20  # ways to keep dice that are rarer than this are left out
NEVER = 1e-30  # a lowest face kept that is rarer than this is left out
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


def keep_best(die: Pmf, dice: int, keep: int) -> Pmf:
    """The sum of the `keep` highest of `dice` dice (1 <= keep <= dice).

    By the lowest face that is kept: some dice are above it, and enough of the others show it.
    """
    if not 1 <= keep <= dice:
        raise ValueError(f"keep between 1 and {dice} dice, not {keep}")
    low = keep * die.offset
    total = np.zeros(keep * (die.last - die.offset) + 1)
    for index, chance in enumerate(die.probs.tolist()):
        above, below = float(die.probs[index + 1 :].sum()), float(die.probs[:index].sum())
        if (chance + below) ** (dice - keep + 1) < NEVER:
            continue
        sums = _sums(above, tuple(die.probs[index + 1 :].tolist()))
        weights = _weights(dice, keep, above, chance, below)
        for more in np.flatnonzero(weights > RARELY).tolist():
            start = (keep - more) * index + more * (index + 1)
            part = sums(more)
            total[start : start + len(part)] += weights[more] * part
    return Pmf(low, total / total.sum(), die.cut * dice)


@lru_cache(maxsize=64)
def _sums(above: float, tail: tuple[float, ...]) -> Callable[[int], Floats]:
    """Sums of n dice that show upper faces, each counted by how much it is more than the lowest of them."""
    die = np.array(tail) / above if above > 0 else np.ones(1)
    powers: dict[int, Floats] = {0: np.ones(1), 1: die}

    def power(n: int) -> Floats:
        if n not in powers:
            if n - 1 in powers:
                powers[n] = np.convolve(powers[n - 1], die)
            else:
                square = convolved(power(n // 2), power(n // 2))
                powers[n] = np.convolve(square, die) if n % 2 else square
        return powers[n]

    return power


def _weights(dice: int, keep: int, above: float, chance: float, below: float) -> Floats:
    """P(just n dice above a face, and enough of the others show it), n of 0 to keep - 1: shape (keep,)."""
    more, shown = np.arange(keep)[:, None], np.arange(dice + 1)[None, :]
    rest = dice - more - shown
    counted = (shown >= keep - more) & (rest >= 0)
    rest = np.maximum(rest, 0)
    ways = _log_factorials(dice)
    logs = ways[dice] - ways[more] - ways[shown] - ways[rest]
    logs = logs + _powered(more, above) + _powered(shown, chance) + _powered(rest, below)
    weights: Floats = np.where(counted, np.exp(logs), 0.0).sum(axis=1)
    return weights


@lru_cache(maxsize=256)
def _log_factorials(most: int) -> Floats:
    """log(n!) for n of 0 to `most`."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])


def _powered(times: NDArray[np.int64], chance: float) -> Floats:
    """The logarithm of chance ** times, where 0 ** 0 is 1."""
    if chance > 0:
        return times.astype(np.float64) * math.log(chance)
    return np.where(times == 0, np.float64(0.0), np.float64(-np.inf)).astype(np.float64)


def keep_worst(die: Pmf, dice: int, keep: int) -> Pmf:
    """The sum of the `keep` lowest of `dice` dice (1 <= keep <= dice)."""
    return keep_best(die.map(lambda value: -value), dice, keep).map(lambda value: -value)


def opposed(ours: Pmf, theirs: Pmf) -> Law:
    """Opposed roll, keyed by our lead in modifiers: 0 we are lower, 1 a tie, 2 we are higher."""
    difference = ours + theirs.map(lambda value: -value)

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
