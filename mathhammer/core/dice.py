"""Dice expressions such as `2d6+1`, and the rolls that rules build from dice."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from mathhammer.core.errors import InputError
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Floats, Pmf, convolved
from mathhammer.core.sums import random_sums, tails

_TERM = re.compile(r"\s*(?:(?P<n>\d*)d(?P<sides>\d+)|(?P<flat>\d+))\s*", re.IGNORECASE | re.ASCII)
MANY_CELLS = 20_000  # dice kept times faces times lowest faces: more are summed by Fourier transform
RARELY = 1e-18  # ways to keep dice that are rarer than this are left out
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
    lowest = _lowest_kept(die, dice, keep)
    way = _kept_by_transform if keep * len(die.probs) * len(lowest) > MANY_CELLS else _kept
    total = way(die, keep, lowest)
    return Pmf(keep * die.offset, total / total.sum(), die.cut * dice)


def _lowest_kept(die: Pmf, dice: int, keep: int) -> dict[int, Floats]:
    """Cells of `die` that may be the lowest face kept: how likely, by how many of the dice kept are above."""
    upper = np.append(np.cumsum(die.probs[::-1])[::-1], 0.0)
    lower = np.append(0.0, np.cumsum(die.probs))
    weights = threshold_weights(dice, upper[1:], die.probs, lower[:-1], dice - keep)[:, :keep]
    return {index: weights[index] for index in np.flatnonzero(weights.sum(axis=1) > RARELY).tolist()}


def threshold_weights(dice: int, above: Floats, shown: Floats, below: Floats, most: int) -> Floats:
    """P(n dice above a face, at most `most` below it, the others on it), shape (faces, dice + 1) by n.

    above, shown, below: the chances of one die, by face. Such dice are a multinomial: three Poisson numbers
    that happen to add up to `dice`.
    """
    over, on, under = (_poisson(dice, chances) for chances in (above, shown, below))
    rest = np.array([np.convolve(a, b)[: dice + 1] for a, b in zip(on, under[:, : most + 1], strict=True)])
    all_ = math.exp(dice * math.log(dice) - dice - _log_factorials(dice)[dice])
    weights: Floats = over * rest[:, ::-1] / all_
    return weights


def _poisson(dice: int, chances: Floats) -> Floats:
    """P(0), P(1), ..., P(dice) of Poisson numbers with the means dice * chance: shape (chances, dice + 1)."""
    numbers = np.arange(dice + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = numbers * np.log(dice * chances)[:, None]
    logs[np.isnan(logs)] = 0.0  # no such dice, where there can be none
    found: Floats = np.exp(logs - (dice * chances)[:, None] - _log_factorials(dice))
    return found


def _kept(die: Pmf, keep: int, lowest: dict[int, Floats]) -> Floats:
    """The sum of the dice kept, counted from the least: each number of dice above by itself."""
    total = np.zeros(keep * (die.last - die.offset) + 1)
    for index, weights in lowest.items():
        sums = _sums(float(die.probs[index + 1 :].sum()), tuple(die.probs[index + 1 :].tolist()))
        for more in np.flatnonzero(weights > RARELY).tolist():
            start = (keep - more) * index + more * (index + 1)
            part = sums(more)
            total[start : start + len(part)] += weights[more] * part
    return total


def _kept_by_transform(die: Pmf, keep: int, lowest: dict[int, Floats]) -> Floats:
    """The same by Fourier transform: dice above the lowest face, by how much they are above it."""
    weights, shifts = np.array(list(lowest.values())), [keep * index for index in lowest]
    return random_sums(weights, tails(die, list(lowest)), shifts, (0, keep * (die.last - die.offset)))


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


@lru_cache(maxsize=256)
def _log_factorials(most: int) -> Floats:
    """log(n!) for n of 0 to `most`."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])


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
