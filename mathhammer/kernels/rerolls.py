"""Re-rolls that a whole pool shares: some number of dice, thrown again once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Floats, Pmf
from mathhammer.kernels.pools import pool

Rolls = NDArray[np.int8] | NDArray[np.int16]


@lru_cache(maxsize=1024)
def pool_rerolling(die: Pmf, again: int) -> Law:
    """A pool (key: number of dice) of which at most `again` failed dice are re-rolled once.

    A die fails when it shows 0 successes. The second roll stands.
    """
    return Law(("pool rerolling", die, again), partial(_row, die, again))


def _row(die: Pmf, again: int, dice: int) -> Pmf:
    fails = die[0]
    if fails == 0 or again == 0:
        return die.times(dice)
    if die.offset == 0 and len(die.probs) == 2:
        return _coins(die, min(again, dice), dice)
    successes = {value: chance for value, chance in die if value != 0}
    if not successes:
        return Pmf.point(0)
    made_of = sum(successes.values())
    worth = Pmf.of({value: chance / made_of for value, chance in successes.items()})
    count = Pmf(0, [fails, 1 - fails]).times(dice)
    second = [die.times(n) for n in range(again + 1)]
    total, made = [], Pmf.point(0)
    at = 0
    for passed, chance in count:
        made, at = made + worth.times(passed - at), passed
        total.append((chance, made + second[min(again, dice - passed)]))
    weight = sum(chance for chance, _ in total)
    whole = Pmf.mixture([(chance / weight, pmf) for chance, pmf in total])
    return Pmf(whole.offset, whole.probs, die.cut * (dice + min(again, dice)))


def _coins(die: Pmf, again: int, dice: int) -> Pmf:
    """Dice worth 0 or 1: where at least `again` fail all re-rolls are thrown; the few other rows apart."""
    first = die.times(dice)
    enough = max(0, dice - again + 1 - first.offset)  # cells of `first` with at least `again` failures
    whole = np.zeros(len(first.probs) + again)
    if enough:
        thrown = np.convolve(first.probs[:enough], pool(die).row(again).probs)
        whole[: len(thrown)] += thrown[: len(whole)]
    for passed in range(first.offset + enough, first.last + 1):
        start = passed - first.offset
        second = pool(die).row(dice - passed).probs
        whole[start : start + len(second)] += first[passed] * second
    cells = dice - first.offset + 1
    return Pmf(first.offset, whole[:cells], first.cut + die.cut * again)


def kept_rerolling(dice: int, sides: int, keep: int, lowest: bool, faces: frozenset[int], again: int) -> Pmf:
    """The sum of the highest or lowest `keep` dice; before, at most `again` that show `faces` are re-rolled.

    The lowest of those are, once. Each distinct roll is gone through. Only what may be kept of it counts; the
    dice rolled again come to it one by one. `rolls_gone_through` tells beforehand how much that is.
    """
    *_, (rolls, chances) = _rolls(dice, sides)
    bad = np.isin(rolls, list(faces))
    rolled = bad & (np.cumsum(bad, axis=1, dtype=np.int16) <= again)
    numbers, die = rolled.sum(axis=1, dtype=np.int16), np.arange(1, sides + 1, dtype=rolls.dtype)
    growing, places = (hands for hands, _ in _rolls(keep, sides)), _places(dice, sides)
    hands, order, weights = rolls[:0, :0], numbers[:0], chances[:0]
    for number in range(min(again, dice), -1, -1):  # so many dice are still to be rolled again
        those, size = numbers == number, min(keep, dice - number)
        stay = _kept(rolls[those][~rolled[those]].reshape(those.sum(), dice - number), size, lowest)
        luck = chances[those]
        if len(hands):
            grown = np.column_stack([np.repeat(hands, sides, axis=0), np.tile(die, len(hands))])
            stay = np.concatenate([stay, _kept(np.sort(grown, axis=1), size, lowest)])
            luck = np.append(luck, np.repeat(weights / sides, sides))
        if not len(hands) or hands.shape[1] != size:
            hands = next(known for known in growing if known.shape[1] == size)
            order = _ranks(hands, places)
        weights = _counted(_ranks(stay, places), luck, len(hands))[order]
    return Pmf(keep, _counted(hands.sum(axis=1, dtype=np.int64) - keep, weights, keep * (sides - 1) + 1))


def rolls_gone_through(dice: int, sides: int, keep: int, again: int) -> int:
    """How many dice `kept_rerolling` goes through, of all distinct rolls and of what may be kept of them."""
    rolls, hands = (math.comb(number + sides - 1, number) for number in (dice, min(keep, dice - 1)))
    return rolls * dice + again * hands * sides * keep


def _kept(rolls: Rolls, keep: int, lowest: bool) -> Rolls:
    """The lowest or highest dice of rolls with their faces ascending."""
    return rolls[:, :keep] if lowest else rolls[:, rolls.shape[1] - keep :]


def _counted(places: NDArray[np.int64], weights: Floats, size: int) -> Floats:
    """The weights added up by place."""
    return np.asarray(np.bincount(places, weights, size), dtype=np.float64)


def _places(dice: int, sides: int) -> NDArray[np.int64]:
    """How many rolls come before one for each face of each of its dice, shape (dice, sides)."""
    places = [np.arange(sides, dtype=np.int64)]
    for _ in range(dice - 1):
        places.append(np.cumsum(places[-1]))
    return np.array(places)


def _ranks(rolls: Rolls, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of rolls, faces ascending, in the order of their last dice, then of those before."""
    ranks: NDArray[np.int64] = places[np.arange(rolls.shape[1]), rolls - 1].sum(axis=1)
    return ranks


def _rolls(dice: int, sides: int) -> Iterator[tuple[Rolls, Floats]]:
    """All distinct rolls of 0, 1, ... all dice, faces ascending, shape (rolls, dice), and their chances."""
    least, alike, ways = np.ones(1, np.int64), np.zeros(1, np.int64), np.ones(1)
    rolls = np.ones((dice, 1), np.int8 if sides <= np.iinfo(np.int8).max else np.int16)
    yield np.ascontiguousarray(rolls[:0].T), ways
    for number in range(dice):
        more = sides + 1 - least  # faces that the next die may show
        before = np.repeat(np.arange(len(least)), more)
        up = np.arange(len(before)) - np.repeat(np.cumsum(more) - more, more)
        rolls, least = rolls[:, before], least[before] + up
        rolls[number] = least
        alike = np.where(up == 0, alike[before], 0) + 1  # the last dice that show the same face
        ways = ways[before] * (number + 1) / (alike * sides)
        yield np.ascontiguousarray(rolls[: number + 1].T), ways
