"""Morale on two dice: a graded test whose natural doubles may be special, and re-rolls of bad grades."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Pmf

Grade = Callable[[int, int, int], int]  # (first die, second die, key) -> grade


def two_dice_test(key: Hashable, grade: Grade, sides: int = 6) -> Law:
    """The grade of two dice and the law's key (damage, a difficulty); `key` must tell grades apart."""

    def make(value: int) -> Pmf:
        chances: dict[int, float] = {}
        for first in range(1, sides + 1):
            for second in range(1, sides + 1):
                reached = grade(first, second, value)
                chances[reached] = chances.get(reached, 0.0) + 1
        return Pmf.of({grade_: count / sides**2 for grade_, count in chances.items()})

    return Law(("two dice test", sides, key), make)


def rerolled(test: Law, grades: frozenset[int]) -> Law:
    """The test, thrown again once when it shows one of `grades`; the second roll stands whole."""

    def make(value: int) -> Pmf:
        first = test.row(value)
        bad = sum(chance for grade, chance in first if grade in grades)
        if bad == 0:
            return first
        stands = [(chance, Pmf.point(grade)) for grade, chance in first if grade not in grades]
        both = Pmf.mixture([*stands, (bad, first)])
        return Pmf(both.offset, both.probs, first.cut * (1 + bad))

    return Law(("rerolled", test, tuple(sorted(grades))), make)
