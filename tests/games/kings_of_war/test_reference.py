"""Values of independent programs and of the rule page, and questions that players asked in public."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import mathhammer
from mathhammer.core.dice import roll
from mathhammer.games import load
from mathhammer.games.kings_of_war.nerve import ROUT, STEADY, WAVER, nerve_law, nerve_test
from mathhammer.games.kings_of_war.strike import Charge, melee_strike
from mathhammer.kernels.pools import pool, successes
from tests.games.kings_of_war.units import unit

DATA = json.loads((Path(__file__).parent / "data" / "reference.json").read_text())
PUBLIC = {
    case["id"]: case
    for case in json.loads((Path(__file__).parents[2] / "data" / "public.json").read_text())["cases"]
}
CASES = {case["id"]: case for case in DATA["cases"]}
PAGE = {case["id"]: case for case in DATA["page"]}


def doubles(on: bool) -> dict[str, Any]:
    return {"double_one_steady": on, "double_six_wavers": on}


def asked(case: dict[str, Any]) -> mathhammer.Result:
    """A reference case as a melee: `hit_mod` there is how much harder the score is."""
    given = case["inputs"]
    rules = {"crushing_strength": given.get("cs", 0), "brutal": given.get("brutal", 0)}
    attacker = unit(at=given["att"], me=given["me"], rules=rules)
    defender = unit(de=given["de"], waver=given["waver"], rout=given["rout"])
    options = {"hit_mod": -given.get("hit_mod", 0), "damage_before": given.get("prior", 0)}
    options["inspiring"] = given.get("inspired", False)
    return mathhammer.exact(
        "kow", "melee", attacker, defender, edition=3, rules=doubles(given["doubles"]), **options
    )


@pytest.mark.parametrize("name", [name for name in CASES if "fight" not in name])
def test_reference_cases_to_1e_9(name: str) -> None:
    case = CASES[name]
    result, expected = asked(case), case["expected"]
    assert result.mean("damage") == pytest.approx(expected["mean_damage"], abs=1e-9)
    pmf = result.pmf("damage")
    assert {str(k): p for k, p in pmf.items() if p > 5e-12} == pytest.approx(
        {k: p for k, p in expected["damage"].items() if p > 5e-12}, abs=1e-9
    )
    for event in ("steady", "waver", "rout"):
        assert result.probability(event) == pytest.approx(expected[event], abs=1e-9)


def test_the_reference_fight_by_round_to_1e_9() -> None:
    case = CASES["kow-fight-1"]
    first, second = (
        unit(at=u.pop("att"), **u) for u in (dict(case["inputs"][s]) for s in ("first", "second"))
    )
    turns = case["inputs"]["turns_each"]
    told = mathhammer.exact("kow", "fight", first, second, turns=turns, rules=doubles(True)).to_dict()
    for seen, expected in zip(told["by_round"], case["expected"]["by_round"], strict=True):
        for side, key in (("defender", "p_second_routed"), ("attacker", "p_first_routed")):
            assert seen["events"][f"{side}.rout"]["exact"]["p"] == pytest.approx(expected[key], abs=1e-9)


def close(seen: float, expected: Any) -> bool:
    """Exact fractions to 1e-9, decimals to the digits given."""
    if isinstance(expected, str):
        return abs(seen - float(Fraction(expected))) < 1e-9
    return abs(seen - float(expected["value"])) <= 0.5000001 * 0.1 ** int(expected["decimals"])


@pytest.mark.parametrize("name", PAGE)
def test_values_of_the_rule_page(name: str) -> None:
    case = PAGE[name]
    answers = {"melee": page_melee, "shoot": page_shoot, "nerve": page_nerve}[case["mode"]](case)
    for what, expected in case["expected"].items():
        if isinstance(expected, dict) and "value" not in expected:
            for value, chance in expected.items():
                assert close(answers[what].get(int(value), 0.0), chance), (what, value)
        else:
            assert close(answers[what], expected), what


def page_melee(case: dict[str, Any]) -> dict[str, Any]:
    attacker, defender = unit(**case["attacker"]), unit(**case["defender"])
    options = {**case["situation"], "edition": case["edition"], "rules": case["rules"]}
    result = mathhammer.exact("kow", "melee", attacker, defender, **options)
    rules = load("kow").ruleset(str(case["edition"])).values
    hindered = case["situation"].get("hindered", False)
    strike = melee_strike(attacker, defender, Charge(hindered=hindered), None, rules)
    chances = {event: result.probability(event) for event in result.events}
    return {"damage": result.pmf("damage"), "mean_damage": result.mean("damage"), **chances} | {
        "hits": dict(strike.hits.row(strike.dice)),
        "dice": strike.dice,
    }


def page_shoot(case: dict[str, Any]) -> dict[str, Any]:
    shooter = unit(**case["attacker"])
    return {
        "hits": dict(
            (pool(successes(shooter.ra or 7)) @ pool(roll(str(shooter.rules.blast)))).row(shooter.at)
        )
    }


def page_nerve(case: dict[str, Any]) -> dict[str, float]:
    rules = load("kow").ruleset(str(case["edition"])).values
    situation = case["situation"]
    if situation.get("tested") is False:
        result = mathhammer.exact("kow", "melee", unit(), unit(), damage_mod=-10, edition=case["edition"])
        return {event: result.probability(event) for event in ("steady", "waver", "rout")}
    test = nerve_test(unit(**case["defender"]), combat=True, roll_bonus=0, nerve_bonus=0, rules=rules)
    row = nerve_law(test, situation.get("inspiring", False), rules).row(situation["damage_before"])
    return {"steady": row[STEADY], "waver": row[WAVER], "rout": row[ROUT]}


# -- public questions ------------------------------------------------------------------------------
def expected(case: str) -> dict[str, Any]:
    found: dict[str, Any] = PUBLIC[case]["expected"]
    return found


def fraction(text: str) -> float:
    return float(Fraction(text))


def test_kw01_nine_dice_at_3() -> None:
    hits = pool(successes(3)).row(9)
    want = expected("KW01")
    assert hits.mean == pytest.approx(fraction(want["mean"]))
    for k, chance in want["at_least"].items():
        assert hits.at_least(int(k)) == pytest.approx(fraction(chance), abs=1e-9)
    for k, chance in want["exactly"].items():
        assert hits[int(k)] == pytest.approx(fraction(chance), abs=1e-9)


def test_kw02_twelve_attacks_at_5_and_4() -> None:
    result = mathhammer.exact("kow", "melee", unit(me=5), unit())
    want = expected("KW02")
    assert result.mean("damage") == pytest.approx(fraction(want["mean_damage"]))
    for k, chance in want["at_least"].items():
        assert result.at_least("damage", int(k)) == pytest.approx(fraction(chance), abs=1e-9)


def nerve_row(waver: int, rout: int, damage: int, *, inspired: bool = False, edition: int = 3) -> Any:
    rules = load("kow").ruleset(str(edition)).values
    test = nerve_test(unit(waver=waver, rout=rout), combat=True, roll_bonus=0, nerve_bonus=0, rules=rules)
    return nerve_law(test, inspired, rules).row(damage)


def test_kw04_inspired_waver_that_a_public_tool_has_wrong() -> None:
    plain, inspired, want = nerve_row(13, 15, 6), nerve_row(13, 15, 6, inspired=True), expected("KW04")
    for row, chances in ((plain, want["plain"]), (inspired, want["inspired"])):
        assert row[ROUT] == pytest.approx(fraction(chances["rout"]), abs=1e-9)
        assert row[WAVER] == pytest.approx(fraction(chances["waver"]), abs=1e-9)
    assert abs(inspired[WAVER] - PUBLIC["KW04"]["published_wrong"]["inspired"]["waver"]["value"]) > 0.05


@pytest.mark.parametrize("edition", [2, 3])
@pytest.mark.parametrize("damage", range(1, 14))
def test_mo08_nerve_13_15_by_damage(edition: int, damage: int) -> None:
    row = nerve_row(13, 15, damage, edition=edition)
    chances = expected("MO08")[str(damage)]
    assert row[ROUT] == pytest.approx(fraction(chances["rout"]), abs=1e-9)
    assert row[WAVER] == pytest.approx(fraction(chances["waver"]), abs=1e-9)


def test_kw06_elite_and_vicious_means() -> None:
    means = {}
    for name, rules in {
        "plain": {},
        "elite": {"elite": True},
        "elite_vicious": {"elite": True, "vicious": True},
    }.items():
        means[name] = mathhammer.exact("kow", "melee", unit(rules=rules), unit(), edition=3).mean("damage")
    assert means == pytest.approx(
        {name: fraction(value) for name, value in expected("KW06")["mean_damage"].items()}
    )


def test_kw07_heavy_cover_halves_the_dice() -> None:
    archers = unit(at=20, ra=5)
    result = mathhammer.exact("kow", "shoot", archers, unit(), cover="hard")
    want = expected("KW07")
    assert result.mean("damage") == pytest.approx(fraction(want["mean_damage"]))
    assert result.pmf("damage")[0] == pytest.approx(fraction(want["damage"]["0"]), abs=1e-9)
