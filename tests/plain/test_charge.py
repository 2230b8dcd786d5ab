"""`charge`: the best policies against exhaustive search, several units, estimates, habits and ties."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest

import mathhammer
from mathhammer.analysis.result import Result
from mathhammer.core.errors import InputError
from mathhammer.kernels.choices import Dice, May, best, chance

KINDS: list[May] = ["none", "one", "all", "any"]
POOLS = {
    "2d6": Dice(2, 6, 2),
    "3d6kl2": Dice(3, 6, 2, True),
    "3d6kh2": Dice(3, 6, 2),
    "2d4kh1": Dice(2, 4, 1),
    "2d5": Dice(2, 5, 2),
}


def ask(needed: object, **options: Any) -> Result:
    """The exact answer to a charge."""
    return mathhammer.exact("plain", "charge", needed=str(needed), **options)


def places(dice: int, may: May) -> list[tuple[int, ...]]:
    """The sets of dice, by place, that may be rolled again."""
    sizes = {"none": [0], "one": [0, 1], "all": [0, dice], "any": list(range(dice + 1))}[may]
    return [again for size in sizes for again in combinations(range(dice), size)]


def worth(pool: Dice, roll: tuple[int, ...]) -> int:
    """What a roll comes to, by hand."""
    return sum(sorted(roll, reverse=not pool.lowest)[: pool.keep])


def reached(pool: Dice, roll: tuple[int, ...], again: tuple[int, ...], need: int) -> Fraction:
    """The chance when the dice at these places are rolled again, by going through them."""
    made = 0
    for fresh in product(range(1, pool.sides + 1), repeat=len(again)):
        after = list(roll)
        for place, face in zip(again, fresh, strict=True):
            after[place] = face
        made += worth(pool, tuple(after)) >= need
    return Fraction(made, pool.sides ** len(again))


def search(pool: Dice, may: May, need: int) -> Fraction:
    """The best chance: on each roll, the best of all choices (rolls do not affect each other)."""
    total = Fraction()
    memo: dict[tuple[int, ...], Fraction] = {}
    for roll in product(range(1, pool.sides + 1), repeat=pool.dice):
        key = tuple(sorted(roll))
        if key not in memo:
            memo[key] = max(reached(pool, key, again, need) for again in places(pool.dice, may))
        total += memo[key]
    rolls: int = pool.sides**pool.dice
    return total / rolls


@pytest.mark.parametrize("may", KINDS)
@pytest.mark.parametrize("text", POOLS)
def test_the_best_policy_is_that_of_exhaustive_search(text: str, may: May) -> None:
    pool = POOLS[text]
    for need in range(1, pool.keep * pool.sides + 2):
        right = float(search(pool, may, need))
        assert ask(need, dice=text, reroll=may).probability("charges") == pytest.approx(right, abs=1e-12)


@pytest.mark.parametrize("may", KINDS)
@pytest.mark.parametrize("pool", [Dice(2, 3, 2), Dice(2, 3, 1), Dice(2, 3, 1, True)])
@pytest.mark.parametrize("need", [2, 4, 5])
def test_no_policy_of_all_there_are_is_better(pool: Dice, may: May, need: int) -> None:
    """Each combination of a choice for each roll, as a policy of its own."""
    rolls = [tuple(sorted(r)) for r in product(range(1, pool.sides + 1), repeat=pool.dice)]
    weights = Counter(rolls)
    choices = [
        sorted({reached(pool, roll, again, need) * weights[roll] for again in places(pool.dice, may)})
        for roll in weights
    ]
    all_policies = {sum(policy) for policy in product(*choices)}
    right = float(max(all_policies)) / len(rolls)
    assert chance(pool, best(pool, may, need), need) == pytest.approx(right, abs=1e-12)


@pytest.mark.parametrize("may", ["one", "all", "any"])
@pytest.mark.parametrize("dice", ["2d6", "3d6kl2", "3d6kh2"])
def test_the_best_is_never_worse_than_a_habit(dice: str, may: May) -> None:
    better = 0
    for need in range(2, 14):
        answer = ask(need, dice=dice, reroll=may)
        (first, *habits) = answer.tables[f"habits_at_{need}"]
        assert first["habit"] == "best policy"
        assert first["chance"] == pytest.approx(answer.probability("charges"), abs=1e-12)
        assert all(habit["chance"] <= first["chance"] + 1e-12 for habit in habits)
        assert habits[0]["chance"] == pytest.approx(ask(need, dice=dice).probability("charges"))
        better += any(habit["chance"] < first["chance"] - 1e-6 for habit in habits)
    assert better > 5


HABITS: dict[str, Callable[[tuple[int, ...], int], tuple[int, ...]]] = {
    "the lowest die when it falls short": lambda roll, sides: (0,),
    "all dice when it falls short": lambda roll, sides: tuple(range(len(roll))),
    "every die below average when it falls short": lambda roll, sides: tuple(
        place for place, face in enumerate(roll) if 2 * face < 1 + sides
    ),
}


@pytest.mark.parametrize("name", HABITS)
@pytest.mark.parametrize("dice", ["2d6", "3d6kl2", "2d5"])
def test_a_habit_has_its_own_chance(name: str, dice: str) -> None:
    pool, need = POOLS[dice], 8
    rolls = [tuple(sorted(roll)) for roll in product(range(1, pool.sides + 1), repeat=pool.dice)]
    right = sum(
        reached(pool, roll, HABITS[name](roll, pool.sides) if worth(pool, roll) < need else (), need)
        for roll in rolls
    ) / len(rolls)
    told = {row["habit"]: row["chance"] for row in ask(need, dice=dice, reroll="any").tables["habits_at_8"]}
    assert told[name] == pytest.approx(float(right), abs=1e-12)


def rows(need: int, dice: str, may: May) -> dict[tuple[int, ...], dict[str, Any]]:
    """The table of the best policy by roll."""
    table = ask(need, dice=dice, reroll=may).tables[f"best_policy_at_{need}"]
    return {faces(row["roll"]): row for row in table}


def faces(text: str) -> tuple[int, ...]:
    """Faces as numbers; a dash is none."""
    return tuple(int(face) for face in text.split() if face != "-")


@pytest.mark.parametrize("may", KINDS[1:])
@pytest.mark.parametrize(("dice", "need"), [("2d6", 9), ("2d6", 12), ("3d6kl2", 7), ("3d6kh2", 9)])
def test_ties_keep_the_die(dice: str, need: int, may: May) -> None:
    """A row rolls the fewest dice that reach the best chance; a roll without a row gains nothing."""
    pool, table = POOLS[dice], rows(need, dice, may)
    for roll in {tuple(sorted(roll)) for roll in product(range(1, 7), repeat=pool.dice)}:
        chances = {again: reached(pool, roll, again, need) for again in places(pool.dice, may)}
        most = max(chances.values())
        fewest = min(len(again) for again, p in chances.items() if p == most)
        row = table.get(roll)
        if row is None:
            assert chances[()] == most
            continue
        assert len(faces(row["roll again"])) == fewest > 0
        assert row["chance"] == pytest.approx(float(most), abs=1e-12)
        assert sorted(faces(row["roll again"]) + faces(row["keep"])) == list(roll)


def test_without_a_reroll_there_is_no_table() -> None:
    assert ask(9).tables == {}


def test_what_cannot_be_reached_rolls_nothing_again() -> None:
    answer = ask(13, reroll="any")
    assert answer.probability("charges") == 0
    assert answer.tables["best_policy_at_13"] == []


@pytest.mark.parametrize("units", [1, 2, 5, 20])
@pytest.mark.parametrize("may", ["none", "any"])
def test_several_units_charge_each_by_its_own_roll(units: int, may: May) -> None:
    p = float(search(POOLS["2d6"], may, 9))
    answer = ask(9, reroll=may, units=units)
    assert answer.probability("charges") == pytest.approx(p, abs=1e-12)
    assert answer.probability("any_charges") == pytest.approx(1 - (1 - p) ** units, abs=1e-12)
    assert answer.probability("all_charge") == pytest.approx(p**units, abs=1e-12)
    assert answer.mean("units") == pytest.approx(units * p, abs=1e-11)


OF_THREE: dict[str, Callable[[float], float]] = {
    "charges": lambda p: p,
    "any_charges": lambda p: 1 - (1 - p) ** 3,
    "all_charge": lambda p: p**3,
}
RANGE = {7: 1 / 3, 8: 1 / 3, 9: 1 / 3}


def normal(mean: float, spread: float) -> dict[int, float]:
    """A normal guess rounded to whole numbers of at least 0."""

    def below(x: float) -> float:
        return math.erfc((mean - x) / spread / math.sqrt(2)) / 2

    cells = {value: below(value + 0.5) - below(value - 0.5) for value in range(40)}
    return {value: p / sum(cells.values()) for value, p in cells.items()}


@pytest.mark.parametrize(
    ("needed", "weights"),
    [
        ("7..9", RANGE),
        ("8~1.5", normal(8, 1.5)),
        ("1~2", normal(1, 2)),
        ("9~0", {9: 1.0}),
        ("8..8", {8: 1.0}),
    ],
)
@pytest.mark.parametrize("may", ["none", "any"])
def test_an_estimate_is_a_mixture_and_all_units_share_the_distance(
    needed: str, weights: dict[int, float], may: May
) -> None:
    chances = {need: ask(need, reroll=may).probability("charges") for need in weights}
    answer = ask(needed, reroll=may, units=3)
    for event, each in OF_THREE.items():
        right = sum(weight * each(chances[need]) for need, weight in weights.items())
        assert answer.probability(event) == pytest.approx(right, abs=2e-6), event


def test_an_estimate_with_rerolls_says_that_the_distance_is_known_by_then() -> None:
    assert len(ask("7..9", reroll="any").notes) == 1
    assert ask("7..9").notes == ask(9, reroll="any").notes == ask(" 9 ", reroll="any").notes == []


def test_one_die_and_movement() -> None:
    answer = ask(9, dice="d6", movement=5)
    assert answer.probability("charges") == pytest.approx(1 / 2)
    assert answer.pmf("total") == pytest.approx(dict.fromkeys(range(6, 12), 1 / 6))
    again = ask(9, dice="d6", movement=5, reroll="one")
    assert again.probability("charges") == pytest.approx(3 / 4)
    assert "best_policy_at_9" in again.tables


@pytest.mark.parametrize("movement", range(0, 9, 4))
def test_movement_is_as_good_as_a_nearer_target(movement: int) -> None:
    for may in KINDS:
        near = ask(9 - movement, reroll=may).probability("charges")
        assert ask(9, movement=movement, reroll=may).probability("charges") == pytest.approx(near, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"needed": "far"}, "needed is a number such as 9"),
        ({"needed": "9..7"}, "ascends"),
        ({"needed": "1..5000"}, "1000"),
        ({"needed": "10001"}, "at most 10,000"),
        ({"needed": "20000~1"}, "at most 10,000"),
        ({"needed": "-3"}, "needed is"),
        ({"needed": "9", "dice": "2d6+3"}, "one pool"),
        ({"needed": "9", "dice": "-2d6"}, "one pool"),
        ({"needed": "9", "dice": "2d6 >= 3"}, "one pool"),
        ({"needed": "9", "dice": "6"}, "one pool"),
        ({"needed": "9", "dice": "5d6"}, "at most 4 dice"),
        ({"needed": "9", "dice": "2d100"}, "of at most 20 sides"),
        ({"needed": "9", "dice": "2d6!"}, "plain dice"),
        ({"needed": "9", "dice": "2d6rr1"}, "plain dice"),
        ({"needed": "9", "reroll": "some"}, "reroll"),
        ({"needed": "9", "units": 0}, "units"),
        ({"needed": "9", "movement": -1}, "movement"),
    ],
)
def test_what_is_no_charge_is_told(options: dict[str, Any], wanted: str) -> None:
    with pytest.raises(InputError) as error:
        mathhammer.exact("plain", "charge", **options)
    assert len(error.value.lines) == 1
    assert wanted in error.value.lines[0]
