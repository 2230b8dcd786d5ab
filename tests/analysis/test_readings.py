"""Other readings of assumed rules: each is the answer with that rule set, and what moves is told."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

import mathhammer
from mathhammer.analysis.readings import Readings, other_readings
from mathhammer.core.checks import alternatives


@pytest.fixture(scope="module")
def readings() -> Readings:
    """A fight that leans on a dozen assumed rules."""
    return other_readings(mathhammer.exact("aor", "fight", "heavy-infantry", "conscripts", rounds=2))


class Ruling(BaseModel):
    """One field of each kind."""

    word: Literal["first", "second", "third"]
    yes: bool
    number: Annotated[int, Field(ge=0, le=5)]
    exact: Annotated[int, Field(ge=1, le=9, multiple_of=3)]
    either: Literal["none"] | Annotated[int, Field(ge=0, le=5)]
    text: str


@pytest.mark.parametrize(
    ("field", "value", "others"),
    [
        ("word", "second", ["first", "third"]),
        ("yes", True, [False]),
        ("number", 0, [1]),
        ("number", 5, [4]),
        ("number", 2, [1, 3]),
        ("exact", 6, [3, 9]),
        ("either", "none", []),
        ("either", 2, ["none", 1, 3]),
        ("text", "any", []),
    ],
)
def test_alternatives_are_the_other_words_or_a_step(field: str, value: object, others: list[object]) -> None:
    assert alternatives(Ruling, field, value) == others


def test_each_reading_is_the_answer_with_that_rule_set(readings: Readings) -> None:
    assert len(readings.others) >= 10
    for reading in readings.others:
        rules = {reading.key: reading.value}
        alone = mathhammer.exact("aor", "fight", "heavy-infantry", "conscripts", rounds=2, rules=rules)
        assert reading.result
        assert readings.numbers(reading.result) == pytest.approx(readings.numbers(alone), abs=1e-15)


def test_every_assumed_rule_is_told_once(readings: Readings) -> None:
    """One that moves something, one of which nothing does, or a text whose readings cannot be listed."""
    moving = {reading.key for reading in readings.moving}
    assumed = {row["key"] for row in readings.result.assumptions}
    assert moving | set(readings.idle) | set(readings.untold) == assumed
    assert not moving & set(readings.idle)
    assert readings.untold == ["resolution_table"]
    assert "charge_reroll" in moving


def test_what_moves_most_comes_first(readings: Readings) -> None:
    asked = readings.numbers(readings.result)

    def move(reading: object) -> float:
        then = readings.numbers(reading.result)  # type: ignore[attr-defined]
        return max(abs(then[name] - asked[name]) / max(1.0, asked[name]) for name in readings.names)

    moves = [move(reading) for reading in readings.moving]
    assert moves == sorted(moves, reverse=True)
    assert min(moves) > 0


def test_the_spread_holds_every_answer(readings: Readings) -> None:
    for name in readings.names:
        low, high = readings.spread(name)
        values = [row[name] for row in readings.rows()]
        assert (low, high) == (min(values), max(values))
    low, high = readings.spread("defender.broken")
    assert low < readings.result.probability("defender.broken") < high


def test_rules_that_the_user_set_are_not_read_otherwise() -> None:
    asked = mathhammer.exact(
        "kow", "melee", "ogre-warriors", "foot-guard", rules={"double_six_wavers": False}
    )
    assert [reading.key for reading in other_readings(asked).others] == ["double_one_steady"]


def test_a_simulated_answer_is_read_with_the_same_trials_and_seed() -> None:
    asked = mathhammer.simulate(
        "kow", "melee", "ogre-warriors", "foot-guard", trials=5000, seed=9, engine="simulate"
    )
    for reading in other_readings(asked).others:
        assert reading.result
        assert (reading.result.trials, reading.result.seed, reading.result.exact) == (5000, 9, None)


def test_progress_is_told_before_each_reading() -> None:
    told: list[tuple[int, int]] = []
    asked = mathhammer.exact("kow", "melee", "ogre-warriors", "foot-guard")
    other_readings(asked, lambda done, all_: told.append((done, all_)))
    assert told == [(0, 2), (1, 2)]
