"""Strikes, volleys and fights whose distributions an independent program has worked out."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import mathhammer
from mathhammer.games import load
from mathhammer.games.confrontation_aor.profile import Unit
from mathhammer.games.confrontation_aor.throws import attack_law, strength_law
from tests.games.confrontation_aor.units import unit

DATA = json.loads((Path(__file__).parents[2] / "data" / "confrontation_aor.json").read_text())
CASES = {case["id"]: case for case in DATA["cases"]}
FIGHTERS = ("dice", "attack", "defence", "strength", "resilience", "wounds")
STEADY = 30  # Courage that passes every test: the reference plays without morale


def named(kind: str) -> list[str]:
    found = [name for name in CASES if name.startswith(f"aor-{kind}")]
    assert found
    return found


def expected_pmf(pmf: dict[str, float]) -> dict[int, float]:
    """The reference prints its chances to 12 places, and leaves out what those do not show."""
    return {int(value): chance for value, chance in pmf.items()}


def is_the_same(found: dict[int, float], expected: dict[str, float]) -> None:
    told = expected_pmf(expected)
    for value in {*found, *told}:
        assert found.get(value, 0.0) == pytest.approx(told.get(value, 0.0), abs=1e-9), value


def struck(given: dict[str, Any]) -> mathhammer.Result:
    """One fighter with all the dice, whose Power makes the assault a charge or not."""
    attacker = unit(
        dice=given["dice"],
        attack=given["attack"],
        strength=given["strength"],
        power=int(given["charge"]),
    )
    defender = unit(
        count=given["defenders"],
        defence=given["defence"],
        resilience=given["resilience"],
        wounds=given["wounds"],
        damage=given["damage_before"],
        power=0,
    )
    return mathhammer.exact("aor", "assault", attacker, defender, rules={"bonus_die": given["bonus_die"]})


def shot(given: dict[str, Any]) -> mathhammer.Result:
    """The difficulty of the reference as a range band."""
    attacker = unit(
        count=given["marksmen_cap"],
        ranged=given["attack"],
        ranged_dice=given["dice"] // given["marksmen_cap"],
        ranged_strength=given["strength"],
    )
    defender = unit(count=given["defenders"], resilience=given["resilience"], wounds=given["wounds"])
    options: dict[str, Any] = {
        "distance": str(10 * given["defence"]),
        "rules": {"bonus_die": given["bonus_die"]},
    }
    return mathhammer.exact("aor", "shoot", attacker, defender, **options)


@cache
def fought(name: str) -> mathhammer.Result:
    return of_rounds(name, CASES[name]["inputs"]["rounds"])


def of_rounds(name: str, rounds: int) -> mathhammer.Result:
    """The fight of a case, over some of its rounds; who charges has Power for it to the last fighter."""
    given = CASES[name]["inputs"]
    attacker = fighters(given["first"], power=30 if given["charge"] else 0)
    defender = fighters(given["second"], power=0)
    rules = {"bonus_die": given["bonus_die"]}
    return mathhammer.exact("aor", "fight", attacker, defender, rounds=rounds, rules=rules)


def fighters(given: dict[str, int], power: int) -> Unit:
    """A side whose courage never fails."""
    card = {field: given[field] for field in FIGHTERS}
    return unit(count=given["models"], courage=STEADY, power=power, **card)


@pytest.mark.parametrize("name", [*named("strike"), *named("shoot")])
def test_strikes_and_volleys_to_1e_9(name: str) -> None:
    case = CASES[name]
    result = (struck if name in named("strike") else shot)(case["inputs"])
    is_the_same(result.pmf("kills"), case["expected"]["kills"])
    assert result.mean("kills") == pytest.approx(case["expected"]["mean_kills"], abs=1e-9)


@pytest.mark.parametrize("name", [*named("strike"), *named("shoot")])
def test_mean_hits_and_mean_damage_before_any_limit(name: str) -> None:
    given, expected = CASES[name]["inputs"], CASES[name]["expected"]
    rules = load("aor").ruleset("default").values.model_copy(update={"bonus_die": given["bonus_die"]})
    hits = attack_law(given["attack"] - given["defence"], given["charge"], rules).row(given["dice"])
    damage = strength_law(given["strength"] - given["resilience"], 400, rules)
    assert hits.mean == pytest.approx(expected["mean_hits"], abs=1e-9)
    mean = sum(chance * damage.row(number).mean for number, chance in hits)
    assert mean == pytest.approx(expected["mean_damage"], abs=1e-9)


@pytest.mark.parametrize("name", named("fight"))
def test_fights_by_round_to_1e_9(name: str) -> None:
    result, rounds = fought(name), CASES[name]["expected"]["by_round"]
    assert result.rounds == len(rounds)
    for number, told in enumerate(rounds, 1):
        for event, side in (("attacker.destroyed", "first"), ("defender.destroyed", "second")):
            chance = result.probability_by_round(event, number)
            assert chance == pytest.approx(told[f"p_{side}_destroyed"], abs=1e-9), (number, event)


@pytest.mark.parametrize("name", named("fight"))
def test_losses_of_fights_to_1e_9(name: str) -> None:
    expected = CASES[name]["expected"]
    is_the_same(fought(name).pmf("attacker.losses"), expected["losses_first"])
    is_the_same(fought(name).pmf("defender.losses"), expected["losses_second"])


@pytest.mark.parametrize("name", named("fight"))
def test_a_round_is_the_end_of_a_fight_of_so_many_rounds(name: str) -> None:
    """Losses by round of the whole fight are those at the end of a shorter one."""
    whole = fought(name)
    for number in range(1, whole.rounds + 1):
        short = of_rounds(name, number)
        for measure in ("attacker.losses", "defender.losses"):
            assert short.mean(measure) == pytest.approx(whole.mean_by_round(measure, number), abs=1e-9)
