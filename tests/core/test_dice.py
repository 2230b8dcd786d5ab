"""Dice expressions, kept dice, opposed rolls and thresholds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathhammer.core.dice import (
    graded,
    opposed,
    roll,
    thresholds,
)
from mathhammer.core.errors import InputError
from mathhammer.core.pmf import Pmf
from tests.core.brute import assert_same, listed, pmfs

D6 = Pmf.die(6)

WRONG = [
    ("", 1),
    ("+d6", 1),
    ("-1", 1),
    ("d", 1),
    ("x", 1),
    ("2d6-1", 4),
    ("2d6*2", 4),
    ("2d6+", 5),
    ("2d6++1", 5),
    ("d6d6", 3),
    ("3.5", 2),
    ("2d6+1 dmg", 7),
    ("2d6 + x", 7),
    (" 2d6 - 1", 6),
    ("2d6+ ", 6),
    ("1 2", 3),
    ("2 d6", 3),
    ("2d 6", 2),
    ("2d6 +\t+", 7),
]


def wrong(expression: str) -> str:
    """The one line that an expression is refused with."""
    with pytest.raises(InputError) as caught:
        roll(expression)
    assert len(caught.value.lines) == 1
    assert "\n" not in str(caught.value)
    return str(caught.value)


# -- expressions ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("expression", "dice", "plus"),
    [
        ("d6", [6], 0),
        ("D6", [6], 0),
        ("2d6", [6, 6], 0),
        ("2d6+1", [6, 6], 1),
        ("1+2d6", [6, 6], 1),
        (" 2d6 + 1 ", [6, 6], 1),
        ("d3+2d4+5+2", [3, 4, 4], 7),
        ("d1", [1], 0),
        ("3", [], 3),
        ("0", [], 0),
    ],
)
def test_a_valid_expression_is_the_sum_that_it_says(expression: str, dice: list[int], plus: int) -> None:
    assert_same(roll(expression), listed([Pmf.die(sides) for sides in dice], lambda shown: sum(shown) + plus))


@pytest.mark.parametrize(("expression", "character"), WRONG)
def test_an_error_is_one_line_that_quotes_the_text_and_counts_to_the_character(
    expression: str, character: int
) -> None:
    line = wrong(expression)
    assert repr(expression) in line
    assert f"(character {character})" in line


@pytest.mark.parametrize("expression", ["1 2", "1 2d6", "2d1 0"])
def test_a_space_inside_a_number_does_not_join_it(expression: str) -> None:
    assert repr(expression) in wrong(expression)


@pytest.mark.parametrize(
    ("expression", "limit"),
    [
        ("1001d6", "a number of dice is at most 1000, not 1001"),
        ("99999999999d6", "a number of dice is at most 1000, not 99999999999"),
        ("d1001", "a number of sides is at most 1000, not 1001"),
        ("10001", "a constant is at most 10000, not 10001"),
        ("0d6", "a number of dice is at least 1"),
        ("d0", "a number of sides is at least 1"),
        ("2d6+10001", "a constant is at most 10000, not 10001"),
    ],
)
def test_past_a_limit_the_line_names_it(expression: str, limit: str) -> None:
    assert wrong(expression) == f"dice {expression!r}: {limit}"


@pytest.mark.parametrize(
    ("expression", "mean"), [("1000d6", 3500), ("d1000", 500.5), ("10000", 10_000), ("1000d1", 1000)]
)
def test_the_limits_themselves_are_fine(expression: str, mean: float) -> None:
    assert roll(expression).mean == pytest.approx(mean)


# -- opposed rolls, thresholds ---------------------------------------------------------------------
@given(pmfs(), pmfs(), st.integers(-8, 8))
def test_an_opposed_roll_compares_every_pair(ours: Pmf, theirs: Pmf, lead: int) -> None:
    def compared(shown: tuple[int, ...]) -> int:
        difference = shown[0] + lead - shown[1]
        return 1 + (difference > 0) - (difference < 0)

    chances = {0: 0.0, 1: 0.0, 2: 0.0} | listed([ours, theirs], compared)
    row = opposed(ours, theirs).row(lead)
    assert [row[side] for side in range(3)] == pytest.approx([chances[side] for side in range(3)], abs=1e-12)


@given(pmfs(), st.lists(st.integers(-5, 5), min_size=1, max_size=3, unique=True), st.integers(-4, 4))
def test_thresholds_count_the_levels_reached(die: Pmf, levels: list[int], bonus: int) -> None:
    ascending = tuple(sorted(levels))
    brute = listed([die], lambda shown: sum(shown[0] + bonus >= level for level in ascending))
    assert_same(thresholds(die, ascending).row(bonus), brute)


def test_graded_grades_the_roll_with_its_bonus() -> None:
    law = graded(("parity", D6), D6, lambda total: total % 2)
    assert_same(law.row(0), {0: 0.5, 1: 0.5})
    assert_same(graded(("third", D6), D6, lambda total: int(total > 6)).row(2), {0: 2 / 3, 1: 1 / 3})


def test_an_opposed_roll_of_cut_dice_says_what_is_cut() -> None:
    cut = Pmf(1, D6.probs, 1e-6)
    assert opposed(cut, cut).row(0).cut == pytest.approx(2e-6)
    assert thresholds(cut, (3,)).row(0).cut == pytest.approx(1e-6)
