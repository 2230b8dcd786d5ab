"""Modifiers that come from numbers of soldiers. Source: BF-06, BF-07, BF-10."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Columns
from mathhammer.games.battlefield.checks import Term
from mathhammer.games.battlefield.state import Battle, Fighter

Bounds = Sequence[tuple[Fraction, int]]


def over(battle: Battle, many: Fighter, few: Fighter, bounds: Bounds, *, against: bool = False) -> Term:
    """The last value whose ratio `many` exceeds, counted in soldiers that are left; else nothing.

    bounds: ascending pairs of a ratio many / few and the modifier above it.
    """

    def value(columns: Columns) -> Ints:
        a, b = battle.left(many, columns).astype(np.int64), battle.left(few, columns).astype(np.int64)
        result = np.zeros(len(a), dtype=np.int32)
        for ratio, modifier in bounds:
            exceeds = a * ratio.denominator > b * ratio.numerator
            result = np.where(exceeds, modifier, result).astype(np.int32)
        return result

    battle.compared[many.name, few.name, tuple(ratio for ratio, _ in bounds)] = battle.now
    words = f"{many.unit.name} outnumber {few.unit.name}"
    if battle.marks(many) or battle.marks(few):
        return Term(words, value, against)
    return Term(words, int(value({"open": np.zeros(1, dtype=np.int32)})[0]), against)


TWICE, FOUR_TIMES = Fraction(2), Fraction(4)
