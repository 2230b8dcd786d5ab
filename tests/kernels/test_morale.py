"""Graded tests on two dice, and re-rolls of bad grades, by listing all rolls."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Pmf
from mathhammer.kernels.morale import rerolled, two_dice_test
from tests.core.brute import assert_same, chains, listed

Grade = Callable[[int, int, int], int]


def levels(waver: int, rout: int) -> Grade:
    """2 from rout up, 1 from waver up, else 0."""
    return lambda first, second, damage: sum(first + second + damage >= level for level in (waver, rout))


def with_doubles(first: int, second: int, damage: int) -> int:
    """Double 1 is always steady, double the highest always wavers, and which die is which matters."""
    if first == second:
        return {1: 0, 6: 1}.get(first, levels(7, 10)(first, second, damage))
    return 3 if (first, second) == (5, 2) else levels(7, 10)(first, second, damage)


@pytest.mark.parametrize("sides", [4, 6, 10])
@pytest.mark.parametrize("grade", [levels(7, 10), levels(10, 10), with_doubles])
def test_every_pair_of_dice_is_graded(grade: Grade, sides: int) -> None:
    law, die = two_dice_test(("every pair", grade), grade, sides), Pmf.die(sides)
    for damage in range(-3, 15):

        def graded(shown: tuple[int, ...], damage: int = damage) -> int:
            return grade(shown[0], shown[1], damage)

        assert_same(law.row(damage), listed([die, die], graded))


def test_tests_of_other_grades_are_other_laws() -> None:
    easy, hard = (two_dice_test(level, levels(level, 12)) for level in (5, 9))
    assert easy != hard
    assert easy.row(0) != hard.row(0)
    assert two_dice_test("same", levels(5, 9)) != two_dice_test("same", levels(5, 9), sides=8)


@given(chains(4), st.frozensets(st.integers(0, 3)), st.integers(0, 3))
def test_a_bad_grade_is_rolled_once_more_and_stands(test: Law, bad: frozenset[int], key: int) -> None:
    row = test.row(key)
    assert_same(
        rerolled(test, bad).row(key),
        listed([row, row], lambda shown: shown[1] if shown[0] in bad else shown[0]),
    )


@pytest.mark.parametrize("grades", [frozenset[int](), frozenset({7})])
def test_where_no_grade_is_bad_the_test_stays(grades: frozenset[int]) -> None:
    test = two_dice_test("stays", levels(7, 10))
    assert rerolled(test, grades).row(3) == test.row(3)


def test_rolling_routs_again_never_makes_them_likelier() -> None:
    test = two_dice_test("likelier", levels(7, 10))
    for damage in range(12):
        assert rerolled(test, frozenset({2})).row(damage)[2] == pytest.approx(test.row(damage)[2] ** 2)


def test_the_cut_of_a_test_thrown_twice_counts_both_rolls() -> None:
    """The first roll's cut, and the second's as often as it is thrown."""
    cut = Law.of([Pmf(0, [0.45, 0.55], 1e-6)])
    assert rerolled(cut, frozenset({0})).row(0).cut == pytest.approx(1.45e-6)
