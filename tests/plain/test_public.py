"""Values that people asked for in public: dice, charges, drifts and morale, exact to 1e-9."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import mathhammer
from mathhammer.analysis.result import Result

FACTS = json.loads((Path(__file__).parents[1] / "data" / "plain.json").read_text())["facts"]
COMBINED: dict[str, Callable[..., float]] = {
    "alone": lambda a: a,
    "ratio": lambda a, b: a / b,
    "average": lambda a, b: (a + b) / 2,
}


def read(result: Result, words: str) -> float:
    """One number of an answer: `p EVENT`, `mean MEASURE`, `at VALUE MEASURE`, `positive MEASURE`."""
    kind, *middle, name = words.split()
    if kind == "p":
        return result.probability(name, "exact")
    pmf = result.pmf(name, "exact")
    if kind == "at":
        return pmf.get(int(middle[0]), 0.0)
    assert kind in ("mean", "positive")
    return sum(max(value, 0) * p if kind == "positive" else value * p for value, p in pmf.items())


def answer(mode: str, options: dict[str, Any], fact: dict[str, Any]) -> float:
    """What a fact reads from one question."""
    result = mathhammer.exact("plain", mode, **options)
    number = sum(read(result, words) for words in fact["read"])
    return number / (1 - result.probability(fact["given_no"])) if "given_no" in fact else number


def told(fact: dict[str, Any]) -> float:
    """The number that the questions of a fact come to."""
    numbers = [answer(mode, options, fact) for mode, options in fact["ask"]]
    return float(COMBINED[fact.get("how", "alone")](*numbers))


def public(case: str, what: str) -> float:
    """The value of a fact."""
    (fact,) = [fact for fact in FACTS if (fact["id"], fact["what"]) == (case, what)]
    return float(Fraction(fact["value"]))


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: f"{fact['id']} {fact['what']}")
def test_the_public_value_is_answered(fact: dict[str, Any]) -> None:
    assert told(fact) == pytest.approx(float(Fraction(fact["value"])), abs=fact.get("within", 1e-9))


def test_six_through_terrain_is_likelier_than_eight_in_the_open() -> None:
    terrain = mathhammer.exact("plain", "charge", needed=6, dice="3d6kl2").probability("charges")
    assert terrain > mathhammer.exact("plain", "charge", needed=8).probability("charges")
    assert public("CH04", "two lowest of three reach 6") > public("CH03", "8 inches, as rolled")


def test_rolling_again_below_7_or_8_gives_the_highest_mean() -> None:
    means = {
        need: mathhammer.exact("plain", "charge", needed=need, reroll="all").mean("total")
        for need in range(2, 13)
    }
    best = max(means.values())
    assert [need for need, mean in means.items() if mean == pytest.approx(best, abs=1e-12)] == [7, 8]
