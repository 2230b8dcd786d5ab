"""Values of an independent program, and public cases. Chains of sixes are cut where 6^-22 is left (1e-17)."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import mathhammer
from mathhammer.core.pmf import Pmf
from mathhammer.games.confrontation_3.sixes import Sixes, attack_law, success_chance
from mathhammer.games.confrontation_3.wounds import RESULTS, Damage, damage_law, wound_table
from tests.games.confrontation_3.fighters import fighter

DATA = json.loads((Path(__file__).parent / "data" / "reference.json").read_text())
CASES = {case["id"]: case for case in DATA["cases"]}
PUBLIC = {case["id"]: case for case in DATA["public"]}


@pytest.mark.parametrize("policy", ["never", "always", "when_needed"])
def test_hits_by_lead_to_1e_9(policy: Any) -> None:
    law = attack_law(Sixes(policy, policy))
    for lead, chance in CASES[f"c3-hit-{policy}"]["expected"].items():
        assert law.row(int(lead))[1] == pytest.approx(chance, abs=1e-9)


def test_single_tests_by_need_to_1e_9() -> None:
    for need, chance in CASES["c3-test"]["expected"].items():
        assert success_chance(int(need), "when_needed") == pytest.approx(float(Fraction(chance)), abs=1e-9)


@pytest.mark.parametrize("name", ["c3-damage-1", "c3-damage-2"])
def test_damage_to_1e_9(name: str) -> None:
    case = CASES[name]
    margin = case["inputs"]["strength"] - case["inputs"]["resilience"]
    row = damage_law(Damage(wound_table("placeholder"), "killed")).row(margin)
    assert {word: row[i] for i, word in enumerate(RESULTS)} == pytest.approx(case["expected"], abs=1e-9)


def asked(name: str) -> tuple[mathhammer.Result, dict[str, Any], int]:
    """A reference duel as a placement whose first initiative is decided."""
    given = CASES[name]["inputs"]
    both = [fighter(**{key.lower(): given[key][i] for key in ("ATT", "DEF", "STR", "RES")}) for i in (0, 1)]
    loser = given["initiative_loser"]
    winner = "defender" if loser == 0 else "attacker"
    return mathhammer.exact("c3", "placement", *both, initiative=winner), CASES[name]["expected"], loser


@pytest.mark.parametrize("name", ["c3-duel-1", "c3-duel-2"])
def test_duels_to_1e_9(name: str) -> None:
    result, expected, loser = asked(name)
    assert result.probability("attacker.killed") == pytest.approx(expected["p_0_killed"], abs=1e-9)
    assert result.probability("defender.killed") == pytest.approx(expected["p_1_killed"], abs=1e-9)
    rows = result.tables["placement"]
    names = ("attacker", "defender")
    for row, want in zip(rows, expected["by_loser_attack_dice"], strict=True):
        placed = want["loser_attack"]
        assert row["places first"] == f"{names[loser]} {placed}/{2 - placed}"
        answer = want["best_reply_attack"]
        assert row["best answer"] == f"{names[1 - loser]} {answer}/{2 - answer}"
        assert row["value"] == pytest.approx(want["value_for_fighter_0"], abs=1e-9)
    best = next(row for row in rows if row["choice"])
    assert best["value"] == pytest.approx(expected["best"]["value_for_fighter_0"], abs=1e-9)


# -- public cases ----------------------------------------------------------------------------------
CF01 = {"A: 1 always fails, also as a follow-up": "always", "no exploding, no fail (plain d6 v d6)": None}


@pytest.mark.parametrize("reading", CF01)
def test_cf01_hit_chances_by_lead(reading: str) -> None:
    """Reading A is ours with sixes always rolled on; plain dice are no reading, but count the same ties."""
    for text, chance in PUBLIC["CF01"]["expected"][reading].items():
        lead = int(text.removeprefix("ATT-DEF="))
        if CF01[reading] is None:
            seen = sum(lead + a > d for a, d in product(range(1, 7), repeat=2)) / 36
        else:
            seen = attack_law(Sixes("always", "always")).row(lead)[1]
        assert seen == pytest.approx(chance, abs=5.1e-7), lead


def test_cf03_severity_and_location_of_the_same_dice() -> None:
    """A table that is read back: on each location, each severity is a wound or is none."""
    expected = PUBLIC["CF03"]["expected"]
    highest, lowest = Pmf.die(6).best_of(2), Pmf.die(6).worst_of(2)
    for pmf, key in ((highest, "P(max=k), k=1..6"), (lowest, "P(min=k)")):
        assert [pmf[k] for k in range(1, 7)] == pytest.approx(
            [float(Fraction(cell["exact"])) for cell in expected[key]]
        )
    for severity in range(1, 7):
        assert wounding(lambda high, low, s=severity: high == s) == pytest.approx(highest[severity])
        assert wounding(lambda high, low, s=severity: low == s) == pytest.approx(lowest[severity])
    joint = wounding(lambda high, low: (high, low) == (6, 1))
    assert joint == pytest.approx(float(Fraction(expected["P(max=6 and min=1)"]["exact"])))
    wrong = float(Fraction(expected["product if wrongly independent"]["exact"]))
    assert abs(joint - wrong) > 0.03


def wounding(counts: Any) -> float:
    """P(wound) by a table in which a severity on a location is a light wound if `counts` says so."""
    table = tuple(
        tuple((severity, 2 if counts(severity, location) else 0) for severity in range(1, 7))
        for location in range(1, 7)
    )
    return damage_law(Damage(table, "table")).row(0)[2]
