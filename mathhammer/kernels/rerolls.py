"""Re-rolls that a whole pool shares: some number of failed dice, thrown again once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from mathhammer.core.dice import threshold_weights
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Floats, Pmf
from mathhammer.core.sums import random_sums, several
from mathhammer.kernels.pools import pool

NEVER = 1e-20  # numbers of dice rarer than this are left out of a sum


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


def sum_rerolling(die: Pmf, dice: int, faces: frozenset[int], again: int) -> Pmf:
    """The sum of dice of which at most `again` that show one of `faces` are re-rolled once, lowest first."""
    again = min(again, dice)
    if again == 0 or not any(face in faces for face, _ in die):
        return die.times(dice)
    good = {face: chance for face, chance in die if face not in faces}
    rows = [*_beyond(die, dice, faces, again), *_within(good, dice, again)]
    weights = np.array([row.weights for row in rows])
    ends = dice * die.offset, dice * die.last
    beside = die, [row.again for row in rows]
    kinds, shifts = several([row.die for row in rows]), [row.shift for row in rows]
    cells = random_sums(weights, kinds, shifts, ends, beside)
    return Pmf(ends[0], cells / cells.sum(), die.cut * (dice + again))


@dataclass(frozen=True)
class _Sums:
    """Sums of n dice that are kept, plus a constant, plus some that are rolled again; their weights by n."""

    weights: Floats
    die: Pmf
    shift: int
    again: int


def _beyond(die: Pmf, dice: int, faces: frozenset[int], again: int) -> Iterator[_Sums]:
    """More dice show one of the faces than may be rolled again: by the highest face rolled again."""
    bad = sorted(face for face, _ in die if face in faces)
    shown = np.array([die[face] for face in bad])
    below = np.cumsum(shown) - shown
    weights = threshold_weights(dice, np.maximum(0.0, 1 - below - shown), shown, below, again - 1)
    for face, row in zip(bad, weights, strict=True):
        kept = {value - face: chance for value, chance in die if value not in faces or value > face}
        row[dice - again + 1 :] = 0.0  # fewer than `again` dice show a face of them up to this one
        yield _Sums(row, _given(kept or {0: 1.0}), face * (dice - again), again)


def _within(good: dict[int, float], dice: int, again: int) -> Iterator[_Sums]:
    """All dice that show one of the faces are rolled again: by their number, fewer than `again`."""
    kept = min(1.0, sum(good.values()))
    for number, weight in Pmf(0, [kept, 1 - kept]).times(dice):
        if number < again and weight > NEVER:
            row = np.zeros(dice + 1)
            row[dice - number] = weight
            yield _Sums(row, _given(good or {0: 1.0}), 0, number)


def _given(chances: dict[int, float]) -> Pmf:
    whole = sum(chances.values())
    return Pmf.of({face: chance / whole for face, chance in chances.items()})
