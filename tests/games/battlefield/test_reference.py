"""Values of an independent program and of the rule page, and the public cases D204 and D206."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import mathhammer
from tests.games.battlefield.units import asked, unit

DATA = json.loads((Path(__file__).parent / "data" / "reference.json").read_text())
CASES = {case["id"]: case["expected"] for case in DATA["cases"]}
PAGE = DATA["page"]
PUBLIC = {case["id"]: case["expected"] for case in DATA["public"]}
AS_WRITTEN = {"charge_bonus_in_checks": False}  # attack values there include any bonus of the charge


def break_in(own: Any, enemy: Any, cells: int = 0, **options: Any) -> float:
    return asked("check", own, enemy, kind="break-in", cells=cells, rules=AS_WRITTEN, **options).probability(
        "success"
    )


def test_break_ins() -> None:
    expected = CASES["bf-break-in"]
    heavy = unit(attack=6, mount="heavy")
    trained = unit(attack=7, training={"break_in": True})
    found = {
        "attack 6 vs 5": break_in(unit(attack=6), unit(attack=5)),
        "heavy cavalry 4 cells, 6 vs 5": break_in(heavy, unit(attack=5), 4),
        "6 vs 4, heavy 4 cells, dense, pikes +4": break_in(
            heavy, unit(attack=4, formation="dense", weapon="pike"), 4
        ),
        "7 vs 6 loose, trained": break_in(trained, unit(attack=6, formation="loose")),
    }
    assert found == pytest.approx(expected)
    assert found["attack 6 vs 5"] == pytest.approx(PAGE["break-in 6 vs 5"])
    assert found["heavy cavalry 4 cells, 6 vs 5"] == pytest.approx(PAGE["break-in heavy cavalry 4 cells"])


@pytest.mark.parametrize(("key", "command", "units"), [("+5,3", 5, 3), ("+9,4", 9, 4)])
def test_sieges(key: str, command: int, units: int) -> None:
    expected = CASES["bf-besiege"][key]
    check = asked("check", unit(), unit(command=command), kind="siege", units=units)
    assert check.probability("success") == pytest.approx(expected["passed"])
    siege = asked("besiege", unit(), unit(command=command, number=9999), with_=[unit()] * (units - 1))
    for result, names in ((check, ("shaken", "confused")), (siege, ("shaken", "confused"))):
        assert {name: result.probability(name) for name in names} == pytest.approx(
            {name: expected[name] for name in names}
        )
    assert siege.probability("holds") == pytest.approx(expected["passed"])


def test_rallying_by_round() -> None:
    expected = CASES["bf-rally"]["by_round"]
    for rounds, recovered in enumerate(expected, start=1):
        result = asked(
            "melee",
            unit(command=4),
            unit(command=7),
            rounds=rounds,
            confused=True,
            order="hold",
            defender_order="hold",
        )
        assert 1 - result.probability("attacker.confused") == pytest.approx(recovered)


def chain() -> mathhammer.Result:
    heavy = unit(attack=6, mount="heavy", damage=1)
    target = unit(attack=5, defence=16, damage=1, number=2)
    return asked("charge", heavy, target, cells=4, order="break-through")


def test_the_chain_of_a_charge() -> None:
    expected, result = CASES["bf-charge-chain"], chain()
    assert result.probability("destroyed") == pytest.approx(expected["destroyed"])
    assert result.probability("break_through") == pytest.approx(expected["through"])
    assert result.probability("melee") == pytest.approx(expected["melee"])
    assert result.probability("repelled") == pytest.approx(expected["repelled"])


def test_the_branches_of_the_chain_are_told_with_the_same_chances() -> None:
    rows = {(row["action"].strip(), row["outcome"]): row["chance"] for row in chain().tables["branches"]}
    expected = CASES["bf-charge-chain"]
    assert rows["attacker charges defender", "destroyed"] == pytest.approx(expected["destroyed"])
    assert rows["attacker breaks through defender", "through"] == pytest.approx(expected["through"])
    assert rows["attacker breaks in to defender", "in melee"] == pytest.approx(expected["melee"])


def test_lures() -> None:
    expected = CASES["bf-lure"]
    found = {
        "+5 vs +4": asked("lure", unit(bluff=5), unit(command=4)).probability("lured"),
        "+8 vs +3": asked("lure", unit(bluff=8), unit(soldiers=3)).probability("lured"),
    }
    assert found == pytest.approx(expected)
    assert found["+5 vs +4"] == pytest.approx(PAGE["lure +5 vs +4"])


def test_the_gale_as_it_is_written() -> None:
    expected = CASES["bf-gale"]
    result = asked("check", unit(attack=12), unit(command=4), kind="gale", rules=AS_WRITTEN)
    assert result.probability("success") == pytest.approx(expected["passed"])
    for name in ("shaken", "confused"):
        assert result.probability(name) == pytest.approx(expected[name])


def test_the_page_on_swaps_lobs_pushes_and_breaking_through() -> None:
    own = unit(command=5, training={"quick_swap": True})
    assert asked("swap", own, quick=True).probability("saved") == pytest.approx(PAGE["swap +5 two tries"])
    bows = unit(command=6, weapon="long-bow")
    cells = {row["cell"]: row for row in asked("lob", bows, unit()).tables["cells"]}
    assert asked("lob", bows, unit()).probability("on_target") == pytest.approx(PAGE["lob +6 on target"])
    assert cells["target"]["share"] == pytest.approx(PAGE["lob +6 share on target"])
    for name in set(cells) - {"target"}:
        assert cells[name]["share"] == pytest.approx(PAGE["lob +6 share on each neighbour"])
        assert cells[name]["chance hit"] == pytest.approx(PAGE["lob +6 chance of each neighbour"])
    push = asked("push", unit(attack=6), unit(defence=16))
    assert push.probability("pushed") == pytest.approx(PAGE["push 6 vs 16"])
    assert push.probability("unformed") == pytest.approx(PAGE["push 6 vs 16 by 10"])
    spears = unit(attack=5, weapon="spear", formation="dense")
    through = asked(
        "check", unit(attack=9, mount="heavy"), spears, kind="break-through", cells=5, rules=AS_WRITTEN
    )
    assert through.probability("success") == pytest.approx(PAGE["break through, DC 33"])
    assert sum(int(row["value"]) for row in through.tables["modifiers"] if row["side"] == "against") == 33


def test_d204_a_dense_pike_block_charged_over_four_cells() -> None:
    expected = PUBLIC["D204"]
    pikes = unit(attack=4, formation="dense", weapon="pike")
    block = unit(attack=4, formation="dense")
    found = {
        "heavy: need 9": break_in(unit(attack=6, mount="heavy"), pikes, 4),
        "light (+2 per hex): need 13": break_in(unit(attack=6, mount="light"), pikes, 4),
        "infantry on foot charging 4 (+1 per hex), no pike bonus: need 13": break_in(
            unit(attack=6), pikes, 4
        ),
        "no charge, no pike bonus: need 17": break_in(unit(attack=6), block),
    }
    assert found == pytest.approx({name: value["dec"] for name, value in expected.items()})


def test_d206_a_siege_by_three_units() -> None:
    expected = {name.split()[0]: value["dec"] for name, value in PUBLIC["D206"].items()}
    result = asked("check", unit(), unit(command=4), kind="siege", units=3)
    assert result.probability("success") == pytest.approx(expected["steady"])
    assert result.probability("shaken") == pytest.approx(expected["shaken"])
    assert result.probability("confused") == pytest.approx(expected["disorder"])
