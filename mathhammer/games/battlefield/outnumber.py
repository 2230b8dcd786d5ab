"""Modifiers that come from numbers of soldiers. Source: BF-06, BF-07, BF-10."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Columns
from mathhammer.games.battlefield.checks import Term
from mathhammer.games.battlefield.state import Battle, Fighter

Bounds = Sequence[tuple[Fraction, int]]


def over(battle: Battle, many: Fighter, few: Fighter, bounds: Bounds, *, against: bool = False) -> Term:
    """The last value whose ratio `many` exceeds, counted in soldiers that are left; else nothing.

    bounds: ascending pairs of a ratio many / few and the modifier above it.
    """

    battle.compared[many.name, few.name, tuple(ratio for ratio, _ in bounds)] = battle.now
    words = f"{many.unit.name} outnumber {few.unit.name}"
    if not (battle.marks(many) or battle.marks(few)):
        numbers = np.array([[many.unit.number], [few.unit.number]])
        return Term(words, int(modifier(numbers[0], numbers[1], bounds)[0]), against)

    def value(columns: Columns) -> Ints:
        return modifier(battle.left(many, columns), battle.left(few, columns), bounds)

    return Term(words, value, against)


def modifier(many: NDArray[np.integer], few: NDArray[np.integer], bounds: Bounds) -> Ints:
    """The modifier of each pair of numbers, shape (n,)."""
    result = np.zeros(len(many), dtype=np.int32)
    for ratio, step in bounds:
        exceeds = many.astype(np.int64) * ratio.denominator > few.astype(np.int64) * ratio.numerator
        result = np.where(exceeds, step, result).astype(np.int32)
    return result


TWICE, FOUR_TIMES = Fraction(2), Fraction(4)
