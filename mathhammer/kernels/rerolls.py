"""Re-rolls that a whole pool shares: some number of failed dice, thrown again once."""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np

from mathhammer.core.dice import keep_best
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Pmf

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
        thrown = np.convolve(first.probs[:enough], die.times(again).probs)
        whole[: len(thrown)] += thrown[: len(whole)]
    for passed in range(first.offset + enough, first.last + 1):
        start = passed - first.offset
        second = die.times(dice - passed).probs
        whole[start : start + len(second)] += first[passed] * second
    cells = dice - first.offset + 1
    return Pmf(first.offset, whole[:cells], first.cut + die.cut * again)


def sum_rerolling(die: Pmf, dice: int, faces: frozenset[int], again: int) -> Pmf:
    """The sum of dice of which at most `again` that show one of `faces` are re-rolled once, lowest first.

    By how many show one: those beyond the limit are the highest of them.
    """
    bad = {face: chance for face, chance in die if face in faces}
    good = {face: chance for face, chance in die if face not in faces}
    share = sum(bad.values())
    parts: list[tuple[float, Pmf]] = []
    for shown, weight in Pmf(0, [max(0.0, 1 - share), share]).times(dice):
        if weight < NEVER:
            continue
        total = die.times(min(shown, again))
        if shown < dice:
            total = total + _given(good).times(dice - shown)
        if shown > again:
            total = total + keep_best(_given(bad), shown, shown - again)
        parts.append((weight, total))
    weight = sum(weight for weight, _ in parts)
    return Pmf.mixture([(part / weight, pmf) for part, pmf in parts])


def _given(chances: dict[int, float]) -> Pmf:
    whole = sum(chances.values())
    return Pmf.of({face: chance / whole for face, chance in chances.items()})
