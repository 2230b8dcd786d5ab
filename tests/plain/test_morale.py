"""`morale`: by hand over 36 outcomes, three results, doubles, re-rolls, and how long it lasts."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import pytest

import mathhammer
from mathhammer.analysis.result import Result
from mathhammer.core.errors import InputError
from tests.oracle import agrees

ROLLS = list(product(range(1, 7), repeat=2))


def ask(value: int, **options: Any) -> Result:
    """The exact answer to a morale roll."""
    return mathhammer.exact("plain", "morale", value=value, **options)


def results(answer: Result) -> dict[str, float]:
    """The chances of the first roll."""
    return {name: answer.probability(name) for name in ("passes", "wavers", "fails")}


def graded(roll: tuple[int, ...], value: int, **options: Any) -> str:
    """One roll by hand."""
    first, second = roll
    if options.get("double_one") and first == second == 1:
        return "passes"
    if options.get("double_six") and first == second == 6:
        return "fails"
    level = value + options.get("modifier", 0)
    short = level - first - second if options.get("high") else first + second - level
    if short <= 0:
        return "passes"
    return "wavers" if short < options.get("waver", 0) else "fails"


def by_hand(value: int, **options: Any) -> dict[str, float]:
    """The chances over all 36 outcomes, and over 36 more where it is rolled again."""
    once = Counter(graded(roll, value, **options) for roll in ROLLS)
    if not options.get("reroll"):
        return {name: once[name] / 36 for name in ("passes", "wavers", "fails")}
    bad = 36 - once["passes"]
    both = {name: bad * once[name] / 36**2 for name in ("passes", "wavers", "fails")}
    return both | {"passes": both["passes"] + once["passes"] / 36}


@pytest.mark.parametrize("value", [1, 2, 5, 7, 8, 11, 12, 13])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"high": True},
        {"modifier": -3},
        {"modifier": 2, "high": True},
        {"reroll": True},
        {"double_one": True},
        {"double_six": True},
        {"double_one": True, "double_six": True, "reroll": True, "modifier": -1},
        {"waver": 3},
        {"waver": 2, "high": True, "reroll": True},
        {"waver": 3, "double_one": True, "double_six": True},
        {"waver": 20},
    ],
    ids=str,
)
def test_two_dice_by_hand(value: int, options: dict[str, Any]) -> None:
    assert results(ask(value, **options)) == pytest.approx(by_hand(value, **options), abs=1e-12)


def test_doubles_decide_against_the_total() -> None:
    assert ask(1).probability("passes") == 0
    assert ask(1, double_one=True).probability("passes") == pytest.approx(1 / 36)
    assert ask(12).probability("passes") == pytest.approx(1)
    assert ask(12, double_six=True).probability("fails") == pytest.approx(1 / 36)


@pytest.mark.parametrize(
    ("dice", "keep"),
    [("3d6kl2", slice(0, 2)), ("3d6kh2", slice(1, 3)), ("3d6", slice(3)), ("best(3d6)", slice(2, 3))],
)
@pytest.mark.parametrize("value", [3, 7, 9, 14])
def test_three_dice_by_hand(dice: str, keep: slice, value: int) -> None:
    rolls = [sorted(roll) for roll in product(range(1, 7), repeat=3)]
    right = sum(sum(roll[keep]) <= value for roll in rolls) / 216
    assert ask(value, dice=dice).probability("passes") == pytest.approx(right, abs=1e-12)


@pytest.mark.parametrize("options", [{}, {"reroll": True}, {"waver": 2}, {"high": True}], ids=str)
@pytest.mark.parametrize("value", [4, 7, 9])
def test_it_lasts_one_over_the_chance_to_fail_and_rounds_are_geometric(
    value: int, options: dict[str, Any]
) -> None:
    answer = ask(value, **options, turns=7)
    fails = answer.probability("fails")
    ((expected, half),) = [row.values() for row in answer.tables["lasts"]]
    assert expected == pytest.approx(1 / fails)
    assert 1 - (1 - fails) ** half >= 0.5 - 1e-9
    assert 1 - (1 - fails) ** (half - 1) < 0.5
    assert answer.rounds == 7
    for turn in range(1, 8):
        gone = answer.probability_by_round("failed_by_then", turn)
        assert gone == pytest.approx(1 - (1 - fails) ** turn, abs=1e-12)
        assert answer.probability_by_round("fails", turn) == pytest.approx(fails, abs=1e-12)


def test_what_never_fails_lasts_for_ever() -> None:
    answer = ask(12)
    assert list(answer.tables["lasts"][0].values()) == [None, None]
    assert answer.probability("failed_by_then") == 0


def test_what_always_fails_lasts_one_turn() -> None:
    answer = ask(1)
    assert list(answer.tables["lasts"][0].values()) == [pytest.approx(1.0), 1]
    assert answer.probability_by_round("failed_by_then", 1) == pytest.approx(1)


def test_the_sample_is_of_this_roll_and_not_of_one_pip_more() -> None:
    answer = mathhammer.simulate("plain", "morale", value=8, waver=2, trials=100_000, seed=4)
    counts = {name: round(answer.probability(name, "simulated") * 100_000) for name in results(answer)}
    assert agrees(counts, by_hand(8, waver=2))
    assert not agrees(counts, by_hand(9, waver=2))
    assert not agrees(counts, by_hand(8, waver=3))


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"value": 0}, "value"),
        ({"value": 41}, "value"),
        ({"value": 8, "dice": "2d6+1"}, "one pool"),
        ({"value": 8, "dice": "-2d6"}, "one pool"),
        ({"value": 8, "dice": "2d6 >= 8"}, "one pool"),
        ({"value": 8, "dice": "7"}, "one pool"),
        ({"value": 8, "dice": "2d"}, "character 3"),
        ({"value": 8, "dice": "3d6", "double_one": True}, "dice 2d6"),
        ({"value": 8, "waver": 0}, "waver"),
        ({"value": 8, "turns": 51}, "turns"),
        ({"value": 8, "modifier": 101}, "modifier"),
    ],
)
def test_what_is_no_morale_roll_is_told(options: dict[str, Any], wanted: str) -> None:
    with pytest.raises(InputError) as error:
        mathhammer.exact("plain", "morale", **options)
    assert len(error.value.lines) == 1
    assert wanted in error.value.lines[0]
