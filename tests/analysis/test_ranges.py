"""Values as users write them: ranges, lists, all that a field takes; and what is refused."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathhammer.analysis.ranges import MOST_VALUES, all_values, parse_values
from mathhammer.core.errors import InputError
from mathhammer.games.kings_of_war.profile import Unit
from mathhammer.games.kings_of_war.ruleset import Rules
from mathhammer.games.kings_of_war.situations import Melee


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("6..9", [6, 7, 8, 9]),
        ("6..12..3", [6, 9, 12]),
        ("6..11..3", [6, 9]),
        ("5..5", [5]),
        ("-1..1", [-1, 0, 1]),
        ("0.5..2..0.5", [0.5, 1.0, 1.5, 2.0]),
        ("0.1..0.3..0.1", [0.1, 0.2, 0.3]),
        ("3,5..6,9", [3, 5, 6, 9]),
        ("front, flank", ["front", "flank"]),
        ("true,false", [True, False]),
        ("-,12", [None, 12]),
        ("2.5", [2.5]),
        ("0,0 1,0;0,0", ["0,0 1,0", "0,0"]),
    ],
)
def test_what_is_listed(text: str, values: list[Any]) -> None:
    found = parse_values(text, "at")
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


def test_a_field_of_text_keeps_numbers_and_ranges_of_its_own_as_text() -> None:
    assert parse_values("7..9", "needed", as_text=True) == ["7", "8", "9"]
    assert parse_values("2d6,9", "dice", as_text=True) == ["2d6", "9"]
    assert parse_values("8..9~1;7", "needed", as_text=True) == ["8..9~1", "7"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("6..", ["'6..'", "from..to"]),
        ("..6", ["'..6'", "from..to"]),
        ("a..b", ["'a..b'", "6..30"]),
        ("6...9", ["'6...9'"]),
        ("30..6", ["'30..6'", "nothing", "6..30"]),
        ("1..9..0", ["step", "above 0"]),
        ("1..9..-1", ["step", "above 0"]),
        ("", ["''", "6..30"]),
        ("3,,4", ["'3,,4'"]),
        ("3,4,3", ["3", "twice"]),
        ("1..99999", ["99,999", f"{MOST_VALUES:,}"]),
        ("1e3..1e4", ["'1e3..1e4'"]),
        ("1..9..1..2", ["'1..9..1..2'"]),
    ],
)
def test_ranges_that_are_none_are_told_in_one_line(text: str, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        parse_values(text, "--over at")
    (line,) = caught.value.lines
    assert line.startswith("over at: ")
    assert all(word in line for word in words), line


@given(st.text("0123456789.,-; ax", max_size=12))
def test_whatever_is_written_is_values_or_one_line(text: str) -> None:
    values: list[Any] = []
    with suppress(InputError):
        values = parse_values(text, "at")
        assert values
    assert len(values) <= 6 * MOST_VALUES


@given(st.integers(-50, 50), st.integers(0, 60), st.integers(1, 9))
def test_a_range_is_pythons_with_its_end(low: int, length: int, step: int) -> None:
    assert parse_values(f"{low}..{low + length}..{step}", "at") == list(range(low, low + length + 1, step))


@pytest.mark.parametrize(
    ("model", "path", "values"),
    [
        (Melee, ["facing"], ["front", "flank", "rear"]),
        (Melee, ["hindered"], [False, True]),
        (Unit, ["me"], [2, 3, 4, 5, 6]),
        (Unit, ["rules", "brutal"], [0, 1, 2, 3, 4, 5]),
        (Unit, ["size"], ["troop", "regiment", "horde", "legion", "individual"]),
        (Unit, ["rules", "elite"], [False, True, "melee", "ranged"]),
        (Rules, ["half_dice_above"], [5, 6]),
    ],
)
def test_all_that_a_field_takes(model: Any, path: list[str], values: list[Any]) -> None:
    assert all_values(model, path, "x") == values


def test_a_field_without_bounds_has_no_all() -> None:
    with pytest.raises(InputError, match=r"rules\.regeneration=6\.\.30"):
        all_values(Unit, ["rules", "regeneration"], "rules.regeneration")
