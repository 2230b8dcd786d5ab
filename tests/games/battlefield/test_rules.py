"""Each rule of the page by its ID, with numbers worked out by hand (twentieths, binomials, counts of 400)."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import pytest

from mathhammer import InputError
from mathhammer.core.game import Placed
from mathhammer.games.battlefield.checks import graded
from mathhammer.games.battlefield.path import Path, reach, refuse_path, speed
from mathhammer.games.battlefield.profile import Unit
from mathhammer.games.battlefield.ratios import ratio_table
from mathhammer.games.battlefield.volleys import one_roll, weapon_rolls
from tests.games.battlefield.units import asked, rules, unit


def p(mode: str, event: str, *units: Any, **options: Any) -> float:
    return asked(mode, *units, **options).probability(event)


def check(kind: str, own: Any, enemy: Any, **options: Any) -> float:
    return p("check", "success", own, enemy, kind=kind, **options)


def binomial(n: int, chance: Fraction, each: int = 1) -> dict[int, float]:
    return {each * k: float(comb(n, k) * chance**k * (1 - chance) ** (n - k)) for k in range(n + 1)}


def terms(kind: str, own: Any, enemy: Any, **options: Any) -> dict[str, str]:
    """What the check lists: words -> value."""
    rows = asked("check", own, enemy, kind=kind, **options).tables["modifiers"]
    return {row["what"]: row["value"] for row in rows}


# -- BF-00: checks ---------------------------------------------------------------------------------
@pytest.mark.rule("BF-00")
@pytest.mark.parametrize("lead", range(-25, 6))
def test_a_check_passes_by_21_less_dc_and_modifiers_in_20(lead: int) -> None:
    """clamp((21 - DC + modifiers) / 20, 0, 1)."""
    row = graded((0,), "nothing").row(lead)
    assert row[1] == pytest.approx(min(1, max(0, (21 + lead) / 20)))


@pytest.mark.rule("BF-00")
def test_natural_1_and_20_count_in_checks_only_by_the_ruleset() -> None:
    weak, strong = unit(attack=0), unit(attack=30)
    assert check("disrupt", weak, strong) == 0
    assert check("disrupt", strong, weak) == 1
    automatic = {"natural_check": "automatic"}
    assert check("disrupt", weak, strong, rules=automatic) == pytest.approx(0.05)
    assert check("disrupt", strong, weak, rules=automatic) == pytest.approx(0.95)


@pytest.mark.rule("BF-00")
def test_the_defender_wins_a_tied_opposed_check_unless_the_ruleset_says_otherwise() -> None:
    assert check("lure", unit(), unit()) == pytest.approx(190 / 400)
    assert check("lure", unit(), unit(), rules={"opposed_tie": "active"}) == pytest.approx(210 / 400)


@pytest.mark.rule("BF-00")
def test_a_check_lists_all_that_goes_into_it() -> None:
    own, enemy = unit(attack=6, mount="light", training={"break_in": True}), unit(weapon="pike", attack=4)
    listed = terms("break-in", own, enemy, cells=3, modifier=-2)
    assert listed["melee attack of plain"] in ("+6", "4")
    assert listed["charging"] == "+2"
    assert listed["3 cells charged"] == "+6"
    assert listed["training"] == "+4"
    assert listed["modifier"] == "-2"
    assert listed["spears, halberds, pikes"] == "4"
    assert listed["the d20 must show"] == f"{15 + 4 + 4 - 6 - 2 - 6 - 4 + 2}+"


@pytest.mark.rule("BF-00")
def test_other_checks_list_what_moves_too() -> None:
    own, enemy = unit(command=3, soldiers=1), unit(command=5, soldiers=2)
    listed = terms("rally", own, enemy, rounds=2, helped=True)
    told_ = {"a friend's help": "+4", "rounds passed": "-4", "the d20 must show": f"{10 + 7 - 4 - 4 - 4}+"}
    assert told_.items() <= listed.items()
    rows = asked("check", unit(bluff=3), unit(command=4), kind="lure").tables["modifiers"]
    assert rows[-1] == {"side": "lead", "what": "d20 against d20", "value": "-1"}
    assert check("swap", own, enemy) == pytest.approx((21 - 10 + 4) / 20)
    assert check("swap", own, enemy, in_melee=True, quick=True) == pytest.approx((21 - 15 + 4) / 20)
    bows = unit(weapon="long-bow", command=3)
    assert check("lob", bows, enemy) == pytest.approx((21 - 15 + 3) / 20)
    assert check("lob", bows, enemy, two_cells=True) == pytest.approx((21 - 12 + 3) / 20)
    assert p("check", "by_10", unit(attack=9), unit(defence=16), kind="push") == pytest.approx(4 / 20)


@pytest.mark.rule("BF-14")
@pytest.mark.parametrize(
    ("kind", "own", "theirs"),
    [
        ("attack", -3, 0),
        ("break-in", -3, 3),
        ("break-through", -3, 3),
        ("disrupt", -3, 3),
        ("disengage", -3, 3),
        ("push", -3, 0),
        ("gale", 3, 0),
    ],
)
def test_being_shaken_counts_in_every_check_that_attack_goes_into(kind: str, own: int, theirs: int) -> None:
    """By the ruleset, on both sides; the gale is a test of the unit that was broken through."""
    plain, shaken = (unit(mount="heavy", attack=14, command=7, morale=morale) for morale in (0, -3))
    enemy, weak = (unit(attack=13, defence=26, command=7, morale=morale) for morale in (0, -3))
    options = {"cells": 1} if kind in ("break-in", "break-through") else {}
    asked_: dict[str, Any] = {"rules": {"shaken_at": -2, "shaken_attack": -3}, **options}
    base = check(kind, plain, enemy, **asked_)
    assert 3 / 20 <= base <= 17 / 20
    assert check(kind, shaken, enemy, **asked_) - base == pytest.approx(own / 20)
    assert check(kind, plain, weak, **asked_) - base == pytest.approx(theirs / 20)


@pytest.mark.rule("BF-00")
def test_a_dc_that_is_given_stands_for_the_one_of_the_rules() -> None:
    assert check("push", unit(attack=4), unit(), dc=20) == pytest.approx(0.25)
    with pytest.raises(InputError, match="against another roll"):
        check("lure", unit(), unit(), dc=10)
    with pytest.raises(InputError, match="does not go with check push"):
        check("push", unit(), unit(), rounds=1)


# -- BF-01: attacks --------------------------------------------------------------------------------
@pytest.mark.rule("BF-01")
@pytest.mark.parametrize(
    ("weapon", "rolls"),
    [
        ("blade", 3),
        ("pike", 3),
        ("long-bow", 3),
        ("light-crossbow", 2),
        ("heavy-crossbow", 1),
        ("firearm", 1),
    ],
)
def test_attack_rolls_of_an_action_by_weapon(weapon: Any, rolls: int) -> None:
    assert weapon_rolls(unit(weapon=weapon), rules()) == rolls
    result = asked("attack", unit(attack=5, weapon=weapon, damage=1), unit(defence=16))
    assert result.pmf("damage") == pytest.approx(binomial(rolls, Fraction(1, 2)))


@pytest.mark.rule("BF-01")
def test_a_roll_hits_at_defence_a_natural_20_always_a_natural_1_never() -> None:
    assert 1 - one_roll(5 - 16, "1", "hit_and_miss")[0] == pytest.approx(10 / 20)
    assert 1 - one_roll(0 - 40, "1", "hit_and_miss")[0] == pytest.approx(1 / 20)
    assert 1 - one_roll(40, "1", "hit_and_miss")[0] == pytest.approx(19 / 20)
    assert one_roll(0 - 40, "1", "nothing")[0] == 1
    assert one_roll(40, "1", "nothing")[0] == 0


@pytest.mark.rule("BF-01")
def test_damage_is_the_margin_of_at_least_1_or_what_the_unit_or_the_ruleset_says() -> None:
    margin = one_roll(5 - 16, "margin", "hit_and_miss")
    assert margin[1] == pytest.approx(2 / 20)  # exactly defence, and one more
    assert margin[9] == pytest.approx(1 / 20)  # a 20
    assert one_roll(0 - 40, "margin", "hit_and_miss")[1] == pytest.approx(1 / 20)
    own, enemy = unit(attack=5, weapon="heavy-crossbow"), unit(defence=16)
    by_rules = asked("attack", own, enemy, rules={"damage": "2d6"})
    assert by_rules.pmf("damage")[7] == pytest.approx(0.5 / 6)
    by_unit = asked("attack", own.model_copy(update={"damage": 4}), enemy, rules={"damage": "2d6"})
    assert by_unit.pmf("damage") == pytest.approx({0: 0.5, 4: 0.5})


@pytest.mark.rule("BF-01")
def test_the_attack_test_may_add_to_defence() -> None:
    own = unit(weapon="heavy-crossbow", damage=1)
    assert asked("attack", own, unit(defence=6), rules={"attack_base": 10}).mean("damage") == pytest.approx(
        0.5
    )


@pytest.mark.rule("BF-01")
def test_a_melee_attack_is_countered_at_half_damage_by_the_weapons_rolls() -> None:
    own, enemy = unit(defence=16, attack=-20), unit(attack=5, damage=3, defence=60)
    result = asked("attack", own, enemy)
    halves = {0: 1, 1: 3, 3: 3, 4: 1}  # 0, 3, 6, 9 hits' damage, halved and rounded down
    assert result.pmf("attacker.damage") == pytest.approx({k: v / 8 for k, v in halves.items()})
    up = asked("attack", own, enemy, rules={"half_rounding": "up"})
    assert up.pmf("attacker.damage") == pytest.approx({0: 1 / 8, 2: 3 / 8, 3: 3 / 8, 5: 1 / 8})
    once = asked("attack", own, enemy, rules={"counter_rolls": 1})
    assert once.pmf("attacker.damage") == pytest.approx({0: 0.5, 1: 0.5})


@pytest.mark.rule("BF-01")
def test_exact_halves_are_counted_in_half_points_and_said_so() -> None:
    own, enemy = unit(defence=16, attack=-20), unit(attack=5, damage=3, defence=60)
    result = asked("attack", own, enemy, rules={"half_rounding": "exact"})
    assert result.pmf("attacker.damage") == pytest.approx({0: 1 / 8, 3: 3 / 8, 6: 3 / 8, 9: 1 / 8})
    assert any("1/2 of a point" in note for note in result.notes)


@pytest.mark.rule("BF-01")
def test_shots_are_not_countered_and_ranged_units_counter_by_the_ruleset() -> None:
    bows = unit(weapon="long-bow", attack=9)
    assert asked("attack", bows, unit()).mean("attacker.damage") == 0
    assert asked("attack", unit(), bows).mean("attacker.damage") > 0
    assert asked("attack", unit(), bows, rules={"ranged_counter": False}).mean("attacker.damage") == 0


@pytest.mark.rule("BF-01")
def test_those_destroyed_counter_only_when_both_strike_together() -> None:
    own, enemy = unit(attack=40), unit(number=1, attack=40)
    after = asked("attack", own, enemy)
    survived = 1 - after.probability("destroyed")
    assert survived == pytest.approx((1 / 20) ** 3)
    assert 1 - after.pmf("attacker.damage")[0] == pytest.approx(survived * (1 - (1 / 20) ** 3))
    together = asked("attack", own, enemy, rules={"counter_timing": "together"})
    assert 1 - together.pmf("attacker.damage")[0] == pytest.approx(1 - (1 / 20) ** 3)


@pytest.mark.rule("BF-01")
def test_damage_is_soldiers_lost_as_the_ruleset_counts_them() -> None:
    own, enemy = unit(attack=40, damage=2), unit(number=6)
    sure = (19 / 20) ** 3
    assert p("attack", "destroyed", own, enemy) == pytest.approx(sure)
    costly = asked("attack", own, enemy, rules={"soldiers_per_damage": 2})
    assert costly.probability("destroyed") == pytest.approx(sure + 3 * (19 / 20) ** 2 / 20)
    free = asked("attack", own, enemy, rules={"soldiers_per_damage": 0})
    assert free.probability("destroyed") == 0
    assert max(free.pmf("damage")) == 6


@pytest.mark.rule("BF-01")
def test_the_strength_ratio_multiplies_damage_by_the_table() -> None:
    table = {"strength_ratio": "0:1/2, 1:1, 2:3/2"}
    own, enemy = unit(attack=5, weapon="heavy-crossbow", damage=5), unit(defence=16)
    for number, dealt in ((100, 2), (300, 5), (599, 5), (600, 7)):
        result = asked("attack", own.model_copy(update={"number": number}), enemy, rules=table)
        assert result.pmf("damage") == pytest.approx({0: 0.5, dealt: 0.5})
    assert ratio_table("none") == ()
    for wrong in ("2", "2:x", "4:1, 2:2", "2:1/0", "1:99"):
        with pytest.raises(InputError):
            ratio_table(wrong)


@pytest.mark.rule("BF-01")
def test_inside_a_melee_two_rolls_no_ratio_no_counter() -> None:
    own, enemy = unit(attack=5, damage=1, number=900), unit(defence=16)
    result = asked("attack", own, enemy, in_melee=True, rules={"strength_ratio": "0:1, 2:3"})
    assert result.pmf("damage") == pytest.approx(binomial(2, Fraction(1, 2)))
    assert result.mean("attacker.damage") == 0


@pytest.mark.rule("BF-01")
def test_each_of_the_two_attacks_inside_may_take_another_target() -> None:
    own = unit(attack=5, damage=10)
    one, other = unit(defence=16, attack=-20), unit(defence=21, attack=-20)
    beside = [Placed(other, {"side": 1})]
    split = asked("melee", own, one, rounds=1, targets="split", with_=beside)
    rows = {row["unit"].split(":")[0]: row["mean damage"] for row in split.tables["by_round"]}
    assert rows["defender"] == pytest.approx(2 * 10 / 2)
    assert rows["with 1"] == pytest.approx(2 * 10 / 4)
    first = asked("melee", own, one, rounds=1, with_=beside)
    assert first.mean("damage") == pytest.approx(4 * 10 / 2)


@pytest.mark.rule("BF-01")
@pytest.mark.parametrize("number", [40, 9000])
def test_split_attacks_go_by_turns_to_the_first_two_of_three(number: int) -> None:
    """Three rolls an action, two actions, each hit of 10: whether an enemy may fall to them or not."""
    own, enemy = unit(attack=5, damage=10), unit(defence=16, attack=-20, number=number)
    options: dict[str, Any] = {"rounds": 1, "targets": "split", "with_": [Placed(enemy, {"side": 1})] * 2}
    result = asked("melee", own, enemy, rules={"inside_rolls": 3}, **options)
    rows = {row["unit"].split(":")[0]: row["mean damage"] for row in result.tables["by_round"]}
    assert [rows["with 1"], rows["with 2"]] == pytest.approx([2 * 10 / 2, 0])
    assert rows["defender"] == pytest.approx(4 * 10 / 2)


@pytest.mark.rule("BF-01")
def test_counters_at_the_same_time_add_up_over_two_actions() -> None:
    own, enemy = unit(defence=16, attack=-20), unit(attack=5, damage=2)
    result = asked("attack", own, enemy, actions=2, rules={"counter_timing": "together"})
    assert result.pmf("attacker.damage") == pytest.approx(binomial(6, Fraction(1, 2)))


@pytest.mark.rule("BF-04")
def test_a_melee_holds_eight_units() -> None:
    options: dict[str, Any] = {"rounds": 1, "order": "hold", "defender_order": "hold"}
    more = [Placed(unit(), {"side": 0, "order": "hold"})] * 7
    asked("melee", unit(), unit(), with_=more[:6], **options)
    with pytest.raises(InputError, match="at most 8 units are in one cell, not 9"):
        asked("melee", unit(), unit(), with_=more, **options)


@pytest.mark.rule("BF-01")
@pytest.mark.parametrize("acts", [False, True])
def test_who_may_not_act_counters_nobody(acts: bool) -> None:
    own, enemy = unit(defence=16), unit(attack=5, damage=2)
    struck = asked("attack", own, enemy, defender_confused=True, rules={"confused_acts": acts})
    assert struck.mean("attacker.damage") == pytest.approx(1.5 * acts)


@pytest.mark.rule("BF-01")
def test_exact_halves_of_a_ratio_are_counted_in_quarters() -> None:
    own, enemy = unit(attack=-20, defence=16), unit(attack=5, damage=3, number=100)
    rules = {"half_rounding": "exact", "strength_ratio": "0:1/2"}
    result = asked("attack", own, enemy, rules=rules)
    assert any("1/4 of a point" in note for note in result.notes)
    assert result.pmf("attacker.damage") == pytest.approx(binomial(3, Fraction(1, 2), 3))


@pytest.mark.rule("BF-01")
@pytest.mark.parametrize(("way", "hit"), [("shooting", 12), ("attack", 10)])
def test_a_ranged_weapon_in_a_melee_attacks_as_the_ruleset_says(way: str, hit: int) -> None:
    bows, enemy = unit(weapon="long-bow", attack=5, shooting=7, damage=1), unit(defence=16)
    changed = {"inside_ranged": way}
    inside = asked("attack", bows, enemy, in_melee=True, rules=changed)
    assert inside.mean("damage") == pytest.approx(2 * hit / 20)
    assert asked("melee", bows, enemy, rounds=1, rules=changed).mean("damage") == pytest.approx(4 * hit / 20)
    assert asked("attack", bows, enemy, rules=changed).mean("damage") == pytest.approx(3 * 12 / 20)


@pytest.mark.rule("BF-01")
def test_firearms_reload_in_a_melee_too(tmp_path: Any) -> None:
    """One rule for all modes: an action of shooting, then one of reloading."""
    guns, enemy = unit(attack=5, damage=10, weapon="firearm"), unit(defence=16, attack=-20)
    shot = binomial(2, Fraction(1, 2), 10)
    assert asked("attack", guns, enemy, in_melee=True, actions=2).pmf("damage") == pytest.approx(shot)
    assert asked("melee", guns, enemy, rounds=1).pmf("damage") == pytest.approx(shot)
    assert asked("melee", guns, enemy, rounds=3).mean("damage") == pytest.approx(3 * 10)
    by_turns = asked("melee", guns, enemy, rounds=3, order="disrupt+attack")  # shoots, reloads, shoots
    assert by_turns.mean("damage") == pytest.approx(2 * 10)
    plan = tmp_path / "plan.toml"
    one = '[[units]]\nid = "{0}"\nside = "{1}"\nmelee = 1\nunit = "{2}"\n'
    units = one.format("guns", "ours", "firearms") + one.format("foe", "theirs", "pikes")
    plan.write_text(units + 2 * '[[actions]]\ndo = "attack"\nunit = "guns"\ntarget = "foe"\n')
    with pytest.raises(InputError, match="has to reload"):
        asked("plan", file=str(plan))


# -- BF-02: charges --------------------------------------------------------------------------------
@pytest.mark.rule("BF-02")
@pytest.mark.parametrize(("mount", "bonus"), [("none", 1), ("light", 2), ("heavy", 2)])
def test_a_charge_attacks_three_times_better_and_cavalry_better_still(mount: Any, bonus: int) -> None:
    own = unit(attack=5 - bonus, damage=1, mount=mount)
    result = asked("charge", own, unit(defence=16, attack=-20), cells=2)
    assert result.pmf("damage") == pytest.approx(binomial(3, Fraction(1, 2)))


@pytest.mark.rule("BF-02")
def test_a_charging_unit_is_easier_to_hit() -> None:
    result = asked("charge", unit(defence=17, attack=-20), unit(attack=5, damage=2), cells=2)
    assert result.pmf("attacker.damage") == pytest.approx(binomial(3, Fraction(1, 2)))


@pytest.mark.rule("BF-02")
def test_lances_double_the_damage_of_riders_only() -> None:
    target = unit(defence=16, attack=-20)
    for mount, factor in (("heavy", 2), ("none", 1)):
        own = unit(attack=3 if mount == "heavy" else 4, damage=1, mount=mount, weapon="lance")
        result = asked("charge", own, target, cells=2)
        assert result.pmf("damage") == pytest.approx(binomial(3, Fraction(1, 2), factor))


@pytest.mark.rule("BF-02")
def test_the_attack_of_a_charge_counts_in_checks_unless_the_ruleset_says_otherwise() -> None:
    own, enemy = unit(attack=6), unit(attack=5)
    assert check("break-in", own, enemy, cells=4) == pytest.approx((21 - 20 + 6 + 1 + 4) / 20)
    plain = {"charge_bonus_in_checks": False}
    assert check("break-in", own, enemy, cells=4, rules=plain) == pytest.approx((21 - 20 + 6 + 4) / 20)


@pytest.mark.rule("BF-02")
def test_only_cavalry_attacks_and_then_breaks_in() -> None:
    with pytest.raises(InputError, match="is for cavalry"):
        asked("charge", unit(), unit(), order="attack-break-in")
    result = asked("charge", unit(mount="light", attack=40), unit(attack=-20), order="attack-break-in")
    assert result.probability("melee") == 1
    with pytest.raises(InputError, match="only melee weapons charge"):
        asked("charge", unit(weapon="long-bow"), unit())


# -- BF-03: break-in -------------------------------------------------------------------------------
@pytest.mark.rule("BF-03")
@pytest.mark.parametrize(
    ("own", "enemy", "options", "dc"),
    [
        ({}, {}, {}, 20),
        ({"training": {"break_in": True}}, {}, {}, 16),
        ({}, {"formation": "dense"}, {}, 24),
        ({}, {"formation": "loose"}, {}, 16),
        ({}, {"formation": "shield-and-spear"}, {}, 20),
        ({}, {}, {"into_melee": True}, 16),
        ({}, {"weapon": "pike"}, {"cells": 2}, 18 - 1),
        ({"mount": "light"}, {"weapon": "pike"}, {"cells": 2}, 20 + 4 - 4 - 2),
        ({"mount": "heavy"}, {"weapon": "spear"}, {"cells": 2}, 20 + 2 - 6 - 2),
        ({"mount": "heavy"}, {"weapon": "halberd"}, {"cells": 2}, 20 + 2 - 6 - 2),
        ({"mount": "heavy"}, {"weapon": "pike"}, {}, 20),
    ],
)
def test_what_makes_breaking_in_easier_or_harder(
    own: dict[str, Any], enemy: dict[str, Any], options: dict[str, Any], dc: int
) -> None:
    """dc: what d20 + 10 must reach."""
    chance = check("break-in", unit(attack=10, **own), unit(attack=5, **enemy), **options)
    assert chance == pytest.approx(min(1, (21 - dc + 10) / 20))


@pytest.mark.rule("BF-03")
def test_mixed_units_count_the_exact_average() -> None:
    own = unit(attack=5, mount="heavy")
    for pikes, others, needs in ((1, 0, 9), (3, 1, 8), (1, 1, 7), (1, 2, 7), (1, 3, 6), (0, 1, 5)):
        mix = {"pike": pikes, "blade": others}
        mixed = unit(weapon="pike" if pikes else "blade", mix={w: n for w, n in mix.items() if n})
        chance = check("break-in", own, mixed, cells=5 - 1 + 1 - 1, rules={"charge_bonus_in_checks": False})
        need = 15 + 5 + Fraction(4 * pikes, pikes + others) - 5 - 12
        assert chance == pytest.approx((21 - -(-need // 1)) / 20)
        assert -(-need // 1) == needs - 2
    listed = terms("break-in", own, unit(weapon="pike", mix={"pike": 1, "blade": 2}), cells=1)
    assert listed["spears, halberds, pikes"] == "4/3"


@pytest.mark.rule("BF-03")
def test_long_arms_gain_attack_against_charging_cavalry_by_the_ruleset() -> None:
    more = {"anti_cavalry_attack": 3}
    own, pikes = unit(attack=10, mount="heavy"), unit(weapon="pike")
    assert check("break-in", own, pikes, cells=1) - check("break-in", own, pikes, cells=1, rules=more) == (
        pytest.approx(3 / 20)
    )
    plain = asked("charge", own, pikes, cells=1, order="break-in")
    better = asked("charge", own, pikes, cells=1, order="break-in", rules=more)
    assert better.mean("attacker.damage") > plain.mean("attacker.damage")
    assert check("break-in", unit(attack=10), pikes, cells=1, rules=more) == check(
        "break-in", unit(attack=10), pikes, cells=1
    )


@pytest.mark.rule("BF-03")
def test_one_counter_by_melee_weapons_whether_it_succeeds_or_not() -> None:
    own, enemy = unit(attack=10, defence=17), unit(attack=5, damage=2)
    joint = asked("charge", own, enemy, cells=1, order="break-in").joint("melee", "attacker.damage")
    for melee in (0, 1):
        row = joint.loc[melee] / joint.loc[melee].sum()
        assert row.to_dict() == pytest.approx(binomial(3, Fraction(1, 2)))
    shooters = unit(weapon="long-bow", attack=5)
    assert asked("charge", own, shooters, cells=1, order="break-in").mean("attacker.damage") == 0


@pytest.mark.rule("BF-03")
def test_into_a_melee_the_enemy_of_the_lowest_attack_is_met(tmp_path: Any) -> None:
    plan = tmp_path / "plan.toml"
    strong, weak = "levy-spears,attack=20,number=9000", "levy-spears,attack=2,number=9000"
    plan.write_text(
        two_sides(ours=["levy-spears,attack=4,number=9000"] * 2, theirs=[strong, weak])
        + '[[actions]]\ndo = "break-in"\nunit = "ours2"\ntarget = "theirs1"\n'
    )
    outside = plan.read_text().replace(
        'id = "ours2"\nside = "ours"\nmelee = 1', 'id = "ours2"\nside = "ours"'
    )
    plan.write_text(outside)
    result = asked("plan", file=str(plan))
    rows = {row["unit"].split(":")[0]: row["chance in melee"] for row in result.tables["units"]}
    assert rows["ours2"] == pytest.approx((21 - 15 - 2 + 4 + 4) / 20)


def two_sides(ours: list[str], theirs: list[str]) -> str:
    """Units of a plan, all in one melee."""
    sides = [("ours", spec) for spec in ours] + [("theirs", spec) for spec in theirs]
    counts = {"ours": 0, "theirs": 0}
    text = ""
    for side, spec in sides:
        counts[side] += 1
        text += f'[[units]]\nid = "{side}{counts[side]}"\nside = "{side}"\nmelee = 1\nunit = "{spec}"\n'
    return text


def apart(ours: list[str], theirs: list[str]) -> str:
    """Units of a plan, none of them in a melee."""
    return two_sides(ours, theirs).replace("melee = 1\n", "")


# -- BF-04 to BF-06: in a melee --------------------------------------------------------------------
@pytest.mark.rule("BF-04")
def test_disrupting_is_against_10_and_the_targets_attack() -> None:
    assert check("disrupt", unit(attack=6), unit(attack=4)) == pytest.approx((21 - 14 + 6) / 20)
    once = asked("melee", unit(attack=6), unit(attack=4), rounds=1, order="disrupt", no_rally=True)
    assert once.probability("confused") == pytest.approx(1 - (7 / 20) ** 2)


@pytest.mark.rule("BF-04")
def test_what_confusion_does_is_the_rulesets() -> None:
    own, enemy = unit(attack=40, damage=1), unit(attack=40, damage=1, defence=0)
    options: dict[str, Any] = {"rounds": 1, "defender_confused": True, "no_rally": True}
    free = asked("melee", own, enemy, **options)
    assert free.mean("attacker.damage") == pytest.approx(4 * 19 / 20)
    assert asked("melee", own, enemy, rules={"confused_acts": False}, **options).mean("attacker.damage") == 0
    weaker = asked("melee", own, enemy, rules={"confused_attack": -20}, **options)
    assert weaker.mean("attacker.damage") == pytest.approx(4 * 19 / 20)
    weak = asked("melee", own, unit(attack=5, damage=1), rules={"confused_attack": -3}, **options)
    assert weak.mean("attacker.damage") == pytest.approx(4 * (21 - 15 + 2) / 20)


@pytest.mark.rule("BF-04")
def test_who_is_destroyed_is_confused_no_more(tmp_path: Any) -> None:
    own, enemy = unit(attack=40, damage=100), unit(number=1)
    sure: dict[str, Any] = {"rules": {"natural_attack": "nothing"}}
    fallen = asked("melee", own, enemy, rounds=1, defender_confused=True, no_rally=True, **sure)
    assert (fallen.probability("destroyed"), fallen.probability("confused")) == (1, 0)
    assert not any(row.get("chance confused") for row in fallen.tables["by_round"])
    struck = asked("attack", own, enemy, defender_confused=True, **sure)
    assert (struck.probability("destroyed"), struck.probability("confused")) == (1, 0)
    plan = tmp_path / "plan.toml"
    text = apart(["levy-spears,attack=40,damage=100"], ["levy-spears,number=1"])
    text = text.replace('side = "theirs"\n', 'side = "theirs"\nconfused = true\n')
    plan.write_text(text + '[[actions]]\ndo = "attack"\nunit = "ours1"\ntarget = "theirs1"\n')
    lost = asked("plan", file=str(plan), **sure)
    assert (lost.probability("lost"), lost.probability("confused")) == (1, 0)


@pytest.mark.rule("BF-05")
@pytest.mark.parametrize(("passed", "helped", "chance"), [(0, False, 8), (1, False, 10), (2, True, 16)])
def test_rallying_falls_by_2_a_round_and_a_friend_adds_4(passed: int, helped: bool, chance: int) -> None:
    own, enemy = unit(command=3, soldiers=1), unit(command=5, soldiers=2)
    assert check("rally", own, enemy, rounds=passed, helped=helped) == pytest.approx(chance / 20)


@pytest.mark.rule("BF-05")
def test_tries_a_round_are_the_rulesets() -> None:
    own, enemy = unit(command=4), unit(command=7)
    options: dict[str, Any] = {
        "rounds": 1,
        "confused": True,
        "order": "hold",
        "defender_order": "hold",
    }
    one = p("melee", "attacker.confused", own, enemy, **options)
    two = p("melee", "attacker.confused", own, enemy, rules={"rally_tries_per_round": 2}, **options)
    assert one == pytest.approx(12 / 20)
    assert two == pytest.approx((12 / 20) ** 2)


@pytest.mark.rule("BF-05")
def test_a_new_disruption_restores_the_dc() -> None:
    """The enemy always disrupts again, so that every try is at the full DC."""
    own, enemy = unit(command=4, attack=-20), unit(command=7, attack=40)
    options: dict[str, Any] = {"rounds": 3, "confused": True, "order": "hold", "defender_order": "disrupt"}
    result = asked("melee", own, enemy, **options)
    assert result.probability("attacker.confused") == 1
    rows = [row for row in result.tables["by_round"] if row["unit"].startswith("attacker")]
    assert [row["chance confused"] for row in rows] == pytest.approx([1, 1, 1])


@pytest.mark.rule("BF-06")
def test_a_holding_enemy_that_rallies_takes_no_action_from_us() -> None:
    own, enemy = unit(attack=3), unit(attack=8)
    options: dict[str, Any] = {"rounds": 3, "order": "disengage", "defender_order": "hold"}
    for confused in (False, True):
        free = p("melee", "attacker.free", own, enemy, defender_confused=confused, **options)
        assert free == pytest.approx(1 - (1 - 6 / 20) ** 6)


@pytest.mark.rule("BF-06")
@pytest.mark.parametrize(("number", "harder"), [(300, 0), (600, 0), (601, 2), (1200, 2), (1201, 4)])
def test_disengaging_is_harder_from_more(number: int, harder: int) -> None:
    chance = check("disengage", unit(attack=6), unit(attack=4, number=number))
    assert chance == pytest.approx((21 - 14 - harder + 6) / 20)


@pytest.mark.rule("BF-06")
def test_several_enemies_are_all_to_be_beaten_opposed_or_by_dcs() -> None:
    own, enemy = unit(attack=6, damage=0), unit(attack=6, damage=0)
    options: dict[str, Any] = {
        "rounds": 1,
        "order": "disengage+attack",
        "with_": [Placed(enemy, {"side": 1})],
    }
    opposed = p("melee", "attacker.free", own, enemy, **options)
    assert opposed == pytest.approx((190 / 400) ** 2)
    by_dc = p("melee", "attacker.free", own, enemy, rules={"multi_disengage": "dc"}, **options)
    assert by_dc == pytest.approx((11 / 20) ** 2)


@pytest.mark.rule("BF-06")
@pytest.mark.parametrize(("counts", "leads"), [(True, (-2, -4)), (False, (0, 0))])
def test_numbers_count_in_opposed_checks_too_by_the_ruleset(counts: bool, leads: tuple[int, int]) -> None:
    own, twice, four = (unit(attack=6, damage=0, number=number) for number in (300, 601, 1201))
    changed = {"multi_disengage_numbers": counts}
    both: dict[str, Any] = {"order": "disengage+attack", "with_": [Placed(four, {"side": 1})]}
    free = p("melee", "attacker.free", own, twice, rounds=1, rules=changed, **both)
    assert free == pytest.approx(opposed(leads[0]) * opposed(leads[1]))
    assert check("disengage", own, twice, several=True, rules=changed) == pytest.approx(opposed(leads[0]))
    alone = check("disengage", own, twice, rules=changed)
    assert alone == pytest.approx((21 - 18 + 6) / 20)


@pytest.mark.rule("BF-06")
def test_an_enemy_may_let_go_and_a_friend_may_lend_its_attack() -> None:
    own, enemy = unit(attack=0, damage=0), unit(attack=6, damage=0)
    assert p("melee", "attacker.free", own, enemy, rounds=1, order="disengage", waive=True) == 1
    alone = (21 - 16) / 20
    lent = (21 - 16 + 8) / 20
    friend = Placed(unit(attack=8, damage=0), {"side": 0, "order": "help"})
    helped = p("melee", "attacker.free", own, enemy, rounds=2, order="disengage+attack", with_=[friend])
    assert helped == pytest.approx(1 - (1 - alone) * (1 - lent))


@pytest.mark.rule("BF-06")
def test_without_a_free_cell_it_may_break_in_to_a_neighbour(tmp_path: Any) -> None:
    plan = tmp_path / "plan.toml"
    text = two_sides(ours=["levy-spears,attack=9"], theirs=["levy-spears", "levy-spears,attack=4"])
    text = text.replace('id = "theirs2"\nside = "theirs"\nmelee = 1', 'id = "theirs2"\nside = "theirs"')
    plan.write_text(text + '[[actions]]\ndo = "disengage"\nunit = "ours1"\ninto = "theirs2"\n')
    rows = {row["unit"].split(":")[0]: row for row in asked("plan", file=str(plan)).tables["units"]}
    chance = (21 - 15 - 4 + 9) / 20
    assert rows["theirs2"]["chance in melee"] == pytest.approx(chance)
    assert rows["theirs1"]["chance in melee"] == pytest.approx(1 - chance)


# -- BF-07: push -----------------------------------------------------------------------------------
@pytest.mark.rule("BF-07")
@pytest.mark.parametrize(("number", "bonus"), [(149, -4), (150, 0), (600, 0), (601, 2), (1200, 2), (1201, 4)])
def test_pushing_counts_numbers(number: int, bonus: int) -> None:
    assert check("push", unit(attack=5, number=number), unit(defence=15)) == pytest.approx((11 + bonus) / 20)


@pytest.mark.rule("BF-07")
def test_pushing_counts_training_and_the_cells_of_a_charge() -> None:
    own = unit(attack=5, training={"push": True})
    assert check("push", own, unit(defence=18)) == pytest.approx(12 / 20)
    assert check("push", unit(attack=5, mount="light"), unit(defence=18), cells=2) == pytest.approx(14 / 20)


@pytest.mark.rule("BF-07")
def test_beaten_by_10_it_is_out_of_formation_even_where_nothing_moves() -> None:
    own, enemy = unit(attack=9), unit(defence=16)
    free, blocked = asked("push", own, enemy), asked("push", own, enemy, blocked=True)
    assert free.probability("pushed") == pytest.approx(14 / 20)
    assert free.probability("unformed") == pytest.approx(4 / 20)
    assert blocked.probability("pushed") == 0
    assert blocked.probability("unformed") == pytest.approx(4 / 20)
    more = asked("push", own, enemy, rules={"margin_10": "more"})
    assert more.probability("unformed") == pytest.approx(3 / 20)


@pytest.mark.rule("BF-07")
def test_into_a_unit_behind_both_checks_are_at_4_less() -> None:
    own, enemy, behind = unit(attack=9), unit(defence=16), unit(defence=14)
    result = asked("push", own, enemy, behind=[behind])
    both = (10 / 20) * (12 / 20)
    assert result.probability("pushed") == pytest.approx(both)
    assert result.probability("behind.unformed") == pytest.approx(both)
    assert result.probability("unformed") == pytest.approx(both)
    anyway = asked("push", own, enemy, behind=[behind], rules={"push_breaks_up_anyway": True})
    assert anyway.probability("unformed") == pytest.approx(both)  # a margin of 10 needs 21
    strong = asked("push", unit(attack=15), enemy, behind=[behind], rules={"push_breaks_up_anyway": True})
    assert strong.probability("unformed") == pytest.approx((16 / 20) * (18 / 20) + (6 / 20) * (2 / 20))


@pytest.mark.rule("BF-07")
def test_out_of_formation_dense_order_no_longer_counts(tmp_path: Any) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(
        two_sides(["levy-spears,attack=9"], ["levy-spears,attack=4,formation=dense"]).replace(
            "melee = 1\n", ""
        )
        + '[[actions]]\ndo = "break-in"\nunit = "ours1"\ntarget = "theirs1"\n'
    )
    formed = asked("plan", file=str(plan)).probability("melee")
    plan.write_text(plan.read_text().replace('side = "theirs"\n', 'side = "theirs"\nunformed = true\n'))
    assert asked("plan", file=str(plan)).probability("melee") == pytest.approx(formed + 4 / 20)


# -- BF-08, BF-09: break through -------------------------------------------------------------------
@pytest.mark.rule("BF-08")
@pytest.mark.parametrize(
    ("own", "enemy", "dc"),
    [
        ({"mount": "light"}, {}, 25 - 2 * 3),
        ({"mount": "heavy"}, {}, 25 - 3 * 3),
        ({"mount": "heavy", "training": {"break_through": True}}, {}, 25 - 9 - 4),
        ({"mount": "heavy"}, {"weapon": "spear"}, 25 + 4 - 9),
        ({"mount": "heavy"}, {"weapon": "halberd"}, 25 + 4 - 9),
        ({"mount": "heavy"}, {"weapon": "pike"}, 25 + 6 - 9),
        ({"mount": "heavy"}, {"formation": "dense"}, 25 + 4 - 9),
        ({"mount": "heavy"}, {"formation": "loose"}, 25 - 9),
        ({"mount": "heavy"}, {"formation": "shield-and-spear", "weapon": "spear"}, 25 + 8 + 4 - 9),
    ],
)
def test_what_makes_breaking_through_easier_or_harder(
    own: dict[str, Any], enemy: dict[str, Any], dc: int
) -> None:
    chance = check("break-through", unit(attack=7, **own), unit(attack=5, **enemy), cells=3)
    assert chance == pytest.approx(min(1, (21 - dc + 7 + 2) / 20))


@pytest.mark.rule("BF-08")
def test_only_cavalry_with_movement_left_breaks_through() -> None:
    with pytest.raises(InputError, match="only cavalry does"):
        check("break-through", unit(), unit(), cells=3)
    with pytest.raises(InputError, match="on foot cannot ride through"):
        asked("charge", unit(), unit(), order="break-through")
    riders = unit(mount="heavy")
    with pytest.raises(InputError, match="at most 8 to break through, not 9"):
        asked("charge", riders, unit(), order="break-through", cells=9)
    assert asked("charge", riders, unit(), order="break-through", cells=9, rules={"through_cells": 1})


@pytest.mark.rule("BF-08")
def test_failing_behind_it_stays_in_melee_with_the_unit_it_broke_through() -> None:
    own = unit(mount="heavy", attack=20)
    result = asked("charge", own, unit(attack=-20), order="break-through", cells=1, behind=[unit(attack=40)])
    assert result.probability("break_through") == 1
    assert result.probability("behind.melee") == 0
    assert result.probability("melee") == 1


@pytest.mark.rule("BF-08")
def test_riding_on_takes_one_check_by_the_ruleset() -> None:
    own, enemy = unit(mount="heavy", attack=20), unit(attack=-20)
    options: dict[str, Any] = {"order": "break-through", "cells": 1, "ahead": [unit(attack=22)], "gap": 2}
    assert p("charge", "ahead.melee", own, enemy, **options) == pytest.approx(190 / 400)
    first = {"ride_on_check": "break_in", "follow_up_cells": "first"}
    by_break_in = p("charge", "ahead.melee", own, enemy, rules=first, **options)
    assert by_break_in == pytest.approx((21 - 15 - 22 + 20 + 2 + 3 * 1) / 20)
    with pytest.raises(InputError, match="is met after"):
        asked("charge", own, enemy, order="break-through", cells=5, ahead=[unit()], gap=9)


@pytest.mark.rule("BF-08")
def test_a_second_break_through_is_for_trained_heavy_cavalry() -> None:
    enemy, behind = unit(attack=-20), unit(attack=-20)
    for mount, trained, expected in (("heavy", True, 1), ("light", True, 0), ("heavy", False, 0)):
        own = unit(mount=mount, attack=20, training={"follow_up": trained})
        options: dict[str, Any] = {"order": "break-through", "cells": 1, "behind": [behind]}
        assert p("charge", "second_break_through", own, enemy, **options) == expected
    own = unit(mount="heavy", attack=20, training={"follow_up": True})
    once = p("charge", "second_break_through", own, enemy, order="break-through", behind=[behind], once=True)
    assert once == 0
    struck = asked(
        "charge", own, enemy, order="break-through", behind=[behind], rules={"follow_up_attacks": True}
    )
    assert struck.mean("others.damage") > 0


@pytest.mark.rule("BF-08")
@pytest.mark.parametrize(("way", "cells"), [("all", 3), ("first", 2), ("since", 1)])
def test_cells_of_a_second_break_through_are_counted_by_the_ruleset(way: str, cells: int) -> None:
    own = unit(mount="heavy", attack=8, training={"follow_up": True})
    options: dict[str, Any] = {"order": "break-through", "cells": 2, "behind": [unit(attack=5)]}
    result = asked("charge", own, unit(attack=-20), rules={"follow_up_cells": way}, **options)
    assert result.probability("second_break_through") == pytest.approx(
        min(1, (21 - 25 + 10 + 3 * cells) / 20)
    )


@pytest.mark.rule("BF-08")
def test_the_way_is_free_over_a_target_that_the_charge_destroyed() -> None:
    own = unit(mount="heavy", attack=18, damage=50)
    target, behind = unit(number=1, attack=40), unit(attack=22)
    options: dict[str, Any] = {"order": "break-through", "cells": 3, "behind": [behind]}
    result = asked("charge", own, target, **options)
    destroyed = 1 - (1 / 20) ** 3
    enters = (21 - 15 - 22 + 18 + 2 + 3 * 4) / 20
    assert result.probability("destroyed") == pytest.approx(destroyed)
    assert result.probability("break_through") == 0
    assert result.probability("behind.melee") == pytest.approx(destroyed * enters)
    assert result.probability("melee") == 0  # nobody is left to be in melee with
    ends = asked("charge", own, target, rules={"fallen_clear_way": False}, **options)
    assert ends.probability("behind.melee") == 0


@pytest.mark.rule("BF-08")
def test_the_way_that_is_free_is_told_and_the_second_break_through_follows_the_first() -> None:
    own = unit(mount="heavy", attack=5, damage=5, training={"follow_up": True})
    target, behind = unit(number=1, attack=40, defence=22), unit(attack=-20)
    result = asked("charge", own, target, order="break-through", cells=1, behind=[behind])
    destroyed = 1 - (14 / 20) ** 3  # 22 - 5 - 2: 15 or more hits
    rows = {row["outcome"]: row["chance"] for row in result.tables["branches"]}
    assert rows["the way is free"] == pytest.approx(destroyed)
    assert result.probability("second_break_through") == pytest.approx(destroyed)


@pytest.mark.rule("BF-08")
def test_who_falls_to_the_counter_of_the_unit_behind_is_in_no_melee() -> None:
    own = unit(mount="heavy", attack=20, number=1, defence=16)
    target, behind = unit(attack=-20, weapon="long-bow"), unit(attack=5, damage=20)
    options: dict[str, Any] = {"order": "break-through", "cells": 1, "behind": [behind]}
    result = asked("charge", own, target, rules={"ranged_counter": False}, **options)
    assert result.probability("behind.melee") == pytest.approx((9 / 20) ** 3)  # 15 - 5: 10 or more hits


@pytest.mark.rule("BF-08")
@pytest.mark.parametrize(
    ("mount", "order", "zones", "cells"),
    [
        ("heavy", "break-through", 0, 5),
        ("light", "break-through", 5, 5),
        ("light", "break-through", 9, 1),
        ("light", "break-in", 9, 3),
    ],
)
def test_cells_that_are_not_told_are_a_move_or_what_leaves_room(
    mount: Any, order: str, zones: int, cells: int
) -> None:
    """Twice the move, less the zones, and to break through less the two cells of the way through."""
    own = unit(mount=mount, attack=5, training={"fast_riding": True})
    result = asked("charge", own, unit(number=999), order=order, zones=zones)
    words = {"through", "in melee"} if order == "break-in" else {"through"}
    (row,) = {row["chance then"] for row in result.tables["branches"] if row["outcome"] in words}
    base, each = (15 if order == "break-in" else 20), (2 if mount == "light" else 3)
    assert row == pytest.approx((21 - base - 5 + 5 + 2 + each * cells) / 20)


@pytest.mark.rule("BF-09")
def test_the_gale_shakes_and_by_more_than_5_confuses() -> None:
    own = unit(mount="heavy", attack=12, training={"gale": True})
    target = unit(attack=-20, command=2, soldiers=2)
    result = asked("charge", own, target, order="break-through", cells=2)
    assert result.probability("break_through") == 1
    assert result.probability("shaken") == pytest.approx(5 / 20)
    assert result.probability("confused") == pytest.approx((14 - 4 - 1 - 5) / 20)
    harder = asked("charge", own, target, order="break-through", cells=2, rules={"gale_base": 10})
    assert harder.probability("confused") == pytest.approx((24 - 4 - 1 - 5) / 20)


# -- BF-10: lure -----------------------------------------------------------------------------------
def opposed(lead: int) -> float:
    return sum(a + lead > b for a in range(1, 21) for b in range(1, 21)) / 400


@pytest.mark.rule("BF-10")
@pytest.mark.parametrize(
    ("own", "enemy", "lead"),
    [
        ({"bluff": 3}, {"sense_motive": 2, "command": 1, "soldiers": 1}, -1),
        ({"weapon": "long-bow"}, {}, 4),
        ({"training": {"lure": True}}, {}, 4),
        ({"number": 150}, {}, 0),
        ({"number": 149}, {}, 2),
        ({"number": 74}, {}, 4),
        ({"number": 601}, {}, -2),
        ({"number": 1201}, {}, -4),
    ],
)
def test_what_makes_luring_easier_or_harder(own: dict[str, Any], enemy: dict[str, Any], lead: int) -> None:
    assert p("lure", "lured", unit(**own), unit(**enemy)) == pytest.approx(opposed(lead))


@pytest.mark.rule("BF-10")
def test_a_lure_that_fails_is_countered_and_one_that_stays_is_a_melee() -> None:
    own, enemy = unit(defence=16), unit(attack=5, damage=2)
    result = asked("lure", own, enemy, stay=True)
    assert result.probability("melee") == result.probability("lured")
    joint = result.joint("lured", "attacker.damage")
    assert joint.loc[1, 0] == pytest.approx(190 / 400)
    failed = joint.loc[0] / joint.loc[0].sum()
    assert failed.to_dict() == pytest.approx(binomial(3, Fraction(1, 2)))
    assert asked("lure", own, enemy).probability("melee") == 0


# -- BF-11: lob ------------------------------------------------------------------------------------
@pytest.mark.rule("BF-11")
def test_a_volley_that_scatters_halves_over_two_cells() -> None:
    bows = unit(weapon="short-bow", command=2, soldiers=1, attack=5, damage=2)
    result = asked("lob", bows, unit(defence=16))
    assert result.probability("on_target") == pytest.approx(9 / 20)
    assert result.mean("damage") == pytest.approx(3 * (9 / 20 + 11 / 20 / 2))
    assert result.mean("wasted") == pytest.approx(3 * 11 / 20 / 2)
    joint = result.joint("scatters", "damage")
    assert (joint.loc[1] / joint.loc[1].sum()).to_dict() == pytest.approx(
        binomial(3, Fraction(1, 2)) | {4: 0, 6: 0}
    )


@pytest.mark.rule("BF-11")
def test_two_cells_on_purpose_and_where_they_go_when_it_fails() -> None:
    bows = unit(weapon="long-bow", command=1, damage=2)
    result = asked("lob", bows, unit(), second="right")
    assert result.probability("on_target") == pytest.approx(10 / 20)
    cells = {row["cell"]: row for row in result.tables["cells"]}
    # the target: on target, as the centre, or by the d8 from the other cell
    assert cells["target"]["chance hit"] == pytest.approx(1 / 2 + 1 / 4 + 1 / 4 / 8)
    assert cells["right"]["chance hit"] == pytest.approx(1 / 2 + 1 / 4 + 1 / 4 / 8)
    assert cells["top"]["chance hit"] == pytest.approx(2 / 4 / 8)
    assert cells["2 right, 1 up"]["chance hit"] == pytest.approx(1 / 4 / 8)
    assert sum(row["share"] for row in cells.values()) == pytest.approx(1)


@pytest.mark.rule("BF-11")
def test_cells_far_off_are_named_by_both_ways() -> None:
    cells = {row["cell"] for row in asked("lob", unit(**wild()), unit(), second="left").tables["cells"]}
    far = {"2 left", "2 left, 1 up", "2 left, 1 down"}
    assert cells == far | {"target", "left", "right"} | {f"{a}{b}" for a in ("top", "bottom") for b in SIDES}


SIDES = ("", "-left", "-right")


@pytest.mark.rule("BF-11")
def test_two_cells_on_purpose_may_take_another_share_than_a_scattered_volley() -> None:
    bows = unit(weapon="long-bow", attack=5, damage=4, training={"lob": True})
    for share, dealt in ((50, 2), (75, 3)):
        rules_ = {"lob_two_cells_percent": share, "lob_percent": 25}
        result = asked("lob", bows, unit(defence=16), second="left", rules=rules_)
        assert result.pmf("damage") == pytest.approx(binomial(3, Fraction(1, 2), dealt))
        assert result.pmf("wasted") == pytest.approx(binomial(3, Fraction(1, 2), dealt))
    scattered = asked("lob", unit(**wild()), unit(defence=16), rules={"lob_percent": 25})
    assert scattered.mean("damage") == scattered.mean("wasted") == pytest.approx(6 / 4)


def wild() -> dict[str, Any]:
    """Bows that always miss their cell."""
    return {"weapon": "long-bow", "attack": 5, "damage": 4, "command": -20}


@pytest.mark.rule("BF-11")
@pytest.mark.rule("BF-15")
@pytest.mark.parametrize("rolls", ["one", "each"])
def test_a_volley_into_a_melee_is_shared_by_numbers(rolls: str, tmp_path: Any) -> None:
    """As shots are: each unit inside takes its own damage times its part of the soldiers there."""
    plan, lists = tmp_path / "plan.toml", {"foe": ("theirs", 1), "friend": ("ours", 1), "bows": ("ours", 0)}
    specs = {"foe": "pikes,number=100,defence=16", "friend": "pikes,number=300,defence=16"}
    specs["bows"] = "archers,shooting=5,damage=8,training.lob=true"
    units = [
        f'[[units]]\nid = "{name}"\nside = "{side}"\nmelee = {melee}\nunit = "{specs[name]}"\n'
        for name, (side, melee) in lists.items()
    ]
    plan.write_text("".join(units) + '[[actions]]\ndo = "lob"\nunit = "bows"\ntarget = "foe"\n')
    result = asked("plan", file=str(plan), rules={"lob_rolls": rolls, "half_rounding": "up"})
    assert "melee_shooting_rolls" in {row["key"] for row in result.assumptions}
    with pytest.raises(InputError, match="is for shots straight into a melee"):
        asked("plan", file=str(plan), rules={"melee_shooting_rolls": "shared"})
    assert result.pmf("damage") == pytest.approx(binomial(3, Fraction(1, 2), 2))
    assert result.pmf("ours.damage") == pytest.approx(binomial(3, Fraction(1, 2), 6))
    assert result.joint("damage", "ours.damage").loc[0, 0] == pytest.approx(1 / 64)  # separate rolls


@pytest.mark.rule("BF-11")
def test_the_trained_need_no_check_and_others_than_bows_cannot() -> None:
    trained = unit(weapon="long-bow", training={"lob": True})
    assert p("lob", "on_target", trained, unit()) == pytest.approx(1)
    with pytest.raises(InputError, match="only bows shoot high"):
        asked("lob", unit(weapon="firearm"), unit())


@pytest.mark.rule("BF-11")
def test_units_beside_take_half_of_the_same_volley_or_of_their_own() -> None:
    bows = unit(weapon="long-bow", command=-20, attack=5, damage=2)
    beside = [Placed(unit(defence=6), {"direction": direction}) for direction in ("top", "left")]
    one = asked("lob", bows, unit(defence=16), beside=beside)
    assert one.mean("beside.damage") == pytest.approx(2 / 8 * 3 / 2)
    each = asked("lob", bows, unit(defence=16), beside=beside, rules={"lob_rolls": "each"})
    assert each.mean("beside.damage") == pytest.approx(2 / 8 * 3 * 19 / 20)
    assert each.mean("wasted") == pytest.approx(6 / 8 * 3 / 2)


# -- BF-12: swap -----------------------------------------------------------------------------------
@pytest.mark.rule("BF-12")
@pytest.mark.parametrize(
    ("options", "swapped", "saved", "actions"),
    [
        ({}, 1, 0, 2),
        ({"drop": True}, 1, 0, 1),
        ({"quick": True}, 1, 1 - 0.3**2, 2 - (1 - 0.3**2)),
        ({"quick": True, "drop": True}, 1, 0.7, 0.3),
        ({"in_melee": True}, 0.7, 0, 0.7 * 2 + 0.3),
        ({"in_melee": True, "quick": True, "drop": True}, 0.45, 0.45, 0.55),
        ({"in_melee": True, "quick": True}, 1 - 0.55**2, 1 - 0.55**2, 0.45 + 2 * 0.55),
    ],
)
def test_swaps(options: dict[str, Any], swapped: float, saved: float, actions: float) -> None:
    result = asked("swap", unit(command=2, soldiers=1, training={"quick_swap": True}), **options)
    if options.get("quick"):  # what costs less: in a melee a try that fails has lost an action already
        full, costs = (1 if options.get("drop") else 2), result.pmf("actions")
        less = sum(chance for spent, chance in costs.items() if spent < full)
        assert result.probability("cheaper") == pytest.approx(less)
    assert result.probability("swapped") == pytest.approx(swapped)
    assert result.probability("saved") == pytest.approx(saved)
    assert result.mean("actions") == pytest.approx(actions)


@pytest.mark.rule("BF-12")
@pytest.mark.parametrize(("drop", "tries", "full"), [(True, 1, 1), (False, 2, 2)])
def test_a_quick_swap_that_fails_in_a_melee_may_leave_the_usual_one(
    drop: bool, tries: int, full: int
) -> None:
    """Quick tries against 15 that cost nothing when they fail, then one against 10."""
    own, plain = unit(command=3, training={"quick_swap": True}), {"failed_quick_swap": "plain"}
    result = asked("swap", own, quick=True, in_melee=True, drop=drop, rules=plain)
    late = 0.55**tries
    assert result.probability("saved") == result.probability("cheaper") == pytest.approx(1 - late)
    assert result.probability("swapped") == pytest.approx(1 - late * 0.3)
    assert result.mean("actions") == pytest.approx((1 - late) * (full - 1) + late * (0.7 * full + 0.3))


@pytest.mark.rule("BF-12")
def test_a_swap_in_a_melee_by_command_alone_and_the_feat() -> None:
    own = unit(command=2, soldiers=5)
    assert p("swap", "swapped", own, in_melee=True) == pytest.approx(18 / 20)
    by_command = {"melee_swap_bonus": "command"}
    assert p("swap", "swapped", own, in_melee=True, rules=by_command) == pytest.approx(13 / 20)
    with pytest.raises(InputError, match="quick_swap"):
        asked("swap", own, quick=True)


# -- BF-13, BF-14: siege, flanks -------------------------------------------------------------------
@pytest.mark.rule("BF-13")
def test_all_besiegers_attack_better_and_only_the_caller_is_countered() -> None:
    own, target = unit(attack=4, damage=1, defence=16), unit(defence=16, attack=5, damage=2)
    result = asked("besiege", own, target, with_=[own, own])
    assert result.pmf("damage") == pytest.approx(binomial(9, Fraction(1, 2)))
    assert result.pmf("attacker.damage") == pytest.approx(binomial(3, Fraction(1, 2)))
    assert result.pmf("morale") == pytest.approx({-4: 1})


@pytest.mark.rule("BF-13")
@pytest.mark.parametrize("countered", [False, True])
def test_a_caller_that_shoots_is_countered_only_by_the_ruleset(countered: bool) -> None:
    own, target = unit(weapon="long-bow", defence=16), unit(attack=5, damage=2)
    result = asked("besiege", own, target, with_=[own, own], rules={"siege_counters_shots": countered})
    assert result.mean("attacker.damage") == pytest.approx(1.5 * countered)


@pytest.mark.rule("BF-13")
def test_the_caller_may_not_count_and_too_few_are_refused() -> None:
    own, target = unit(), unit(command=6)
    options: dict[str, Any] = {"with_": [own, own]}
    assert p("besiege", "holds", own, target, **options) == pytest.approx(11 / 20)
    fewer = p("besiege", "holds", own, target, rules={"siege_counts_caller": False}, **options)
    assert fewer == pytest.approx(13 / 20)
    with pytest.raises(InputError, match="at least 2 more units"):
        asked("besiege", own, target, with_=[own])


@pytest.mark.rule("BF-14")
@pytest.mark.parametrize(
    ("flank", "changes", "morale"),
    [
        ("flanked", {}, -1),
        ("surrounded", {}, -2),
        ("surrounded", {"surrounded_instead": False}, -3),
    ],
)
def test_flanks_cost_morale_and_help_attacks_not_counters(
    flank: str, changes: dict[str, Any], morale: int
) -> None:
    own, enemy = unit(attack=4, damage=1, defence=16), unit(defence=16, attack=5, damage=2)
    result = asked("attack", own, enemy, flank=flank, rules=changes)
    assert result.pmf("damage") == pytest.approx(binomial(3, Fraction(1, 2)))
    assert result.pmf("attacker.damage") == pytest.approx(binomial(3, Fraction(1, 2)))
    assert result.pmf("morale") == pytest.approx({morale: 1})
    assert any(f"changes by {morale}" in note for note in result.notes)


@pytest.mark.rule("BF-14")
@pytest.mark.parametrize(("helped", "hit"), [(True, 11), (False, 10)])
def test_flanking_helps_shots_too_unless_the_ruleset_says_otherwise(helped: bool, hit: int) -> None:
    bows, enemy = unit(weapon="long-bow", attack=5, damage=1), unit(defence=16)
    shots = asked("attack", bows, enemy, flank="flanked", rules={"flank_shots": helped})
    assert shots.mean("damage") == pytest.approx(3 * hit / 20)
    rolled = check("attack", bows, enemy, flanking=True, rules={"flank_shots": helped})
    assert rolled == pytest.approx(hit / 20)
    blade = bows.model_copy(update={"weapon": "blade"})
    assert check("attack", blade, enemy, flanking=True, rules={"flank_shots": helped}) == pytest.approx(0.55)


@pytest.mark.rule("BF-14")
def test_no_rout_and_no_shaking_by_morale_without_a_threshold() -> None:
    own, enemy = unit(), unit(morale=1, number=9999)
    options: dict[str, Any] = {"with_": [own, own]}
    assert p("besiege", "rout", own, enemy, **options) == 0
    assert p("besiege", "rout", own, enemy, rules={"rout_at": -3}, **options) == 1
    assert p("besiege", "rout", own, enemy, rules={"rout_at": -4}, **options) == 0
    assert p("besiege", "rout", own, enemy, rules={"rout_at": -3, "siege_adds": False}, **options) == 0
    assert p("attack", "shaken", own, enemy, flank="flanked", rules={"shaken_at": 0}) == 1
    assert p("attack", "shaken", own, enemy, flank="flanked") == 0
    assert p("attack", "confused", own, enemy, flank="surrounded", rules={"confused_at": -1}) == 1
    assert p("attack", "confused", own, enemy, flank="flanked", rules={"confused_at": -1}) == 0


@pytest.mark.rule("BF-14")
def test_the_morale_that_units_bring_counts_too() -> None:
    low, enemy = unit(morale=-3, attack=5), unit(defence=16)
    shaken = {"shaken_at": -2, "shaken_attack": -3}
    assert check("attack", low, enemy, rules=shaken) == pytest.approx(7 / 20)
    assert check("attack", enemy, low, rules=shaken) == pytest.approx(11 / 20)
    listed = asked("check", low, enemy, kind="attack", rules=shaken)
    assert {"shaken_at", "shaken_attack"} <= {row["key"] for row in listed.assumptions}
    assert asked("lob", unit(weapon="long-bow", morale=-3), enemy, rules=shaken).mean("damage") < asked(
        "lob", unit(weapon="long-bow"), enemy, rules=shaken
    ).mean("damage")
    gone = asked("attack", enemy, low, rules={"rout_at": -2})
    assert (gone.probability("rout"), gone.mean("damage")) == (1, 0)
    confused = {"confused_at": -2, "confused_acts": False}
    melee = asked("melee", low, enemy, rounds=1, rules=confused)
    assert (melee.probability("attacker.confused"), melee.mean("damage")) == (1, 0)
    assert melee.mean("attacker.damage") > 0


@pytest.mark.rule("BF-14")
def test_a_routed_unit_is_not_tested_and_does_nothing_more(tmp_path: Any) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(
        apart(["levy-spears"], ["levy-spears"])
        + '[[actions]]\ndo = "flanked"\nunit = "theirs1"\n'
        + '[[actions]]\ndo = "attack"\nunit = "theirs1"\ntarget = "ours1"\n'
    )
    assert asked("plan", file=str(plan)).mean("ours.damage") > 0
    routed = asked("plan", file=str(plan), rules={"rout_at": -1})
    assert routed.mean("ours.damage") == 0
    assert routed.probability("lost") == 1


# -- BF-15: into a melee ---------------------------------------------------------------------------
@pytest.mark.rule("BF-15")
def test_an_outsider_strikes_a_random_enemy_twice_and_is_not_countered() -> None:
    own, enemy = unit(attack=5, damage=1), unit(defence=16, attack=40)
    inside = [Placed(unit(), {"side": 0}), Placed(enemy, {"side": 1}), Placed(enemy, {"side": 1})]
    result = asked("attack", own, enemy, inside=inside)
    assert result.mean("damage") == pytest.approx(1 / 3)
    assert result.mean("others.damage") == pytest.approx(2 / 3)
    assert result.joint("damage", "others.damage").loc[1:, 1:].to_numpy().sum() == 0
    assert result.mean("attacker.damage") == 0


@pytest.mark.rule("BF-15")
def test_shots_into_a_melee_miss_who_is_not_in_it() -> None:
    bows, enemy = unit(weapon="long-bow", attack=5, damage=8), unit(defence=16, number=100)
    options: dict[str, Any] = {"inside": [Placed(unit(number=100), {"side": 0})], "actions": 2}
    result = asked("attack", bows, enemy, second=[enemy], **options)
    assert result.pmf("others.damage") == pytest.approx(binomial(3, Fraction(1, 2), 8))


@pytest.mark.rule("BF-15")
def test_an_enemy_may_be_drawn_for_each_roll_and_each_that_is_struck_counters() -> None:
    own, enemy = unit(attack=5, damage=1, defence=16), unit(defence=16, attack=5, damage=2)
    inside = [Placed(unit(), {"side": 0, "confused": True}), Placed(enemy, {"side": 1})]
    by_roll = asked("attack", own, enemy, inside=inside, rules={"random_enemy_draw": "roll"})
    joint = by_roll.joint("damage", "others.damage")
    assert joint.loc[1, 1] == pytest.approx(2 / 16)  # of a roll a quarter hits this one, a quarter that one
    assert [joint.loc[2, 0], joint.loc[0, 2]] == pytest.approx([1 / 16, 1 / 16])
    assert by_roll.mean("attacker.damage") == pytest.approx(1.5 * (1 / 2 + 2 / 2))  # one or both counter
    once = asked("attack", own, enemy, inside=inside)
    assert once.joint("damage", "others.damage").loc[1:, 1:].to_numpy().sum() == 0
    assert once.mean("attacker.damage") == pytest.approx(1.5)


@pytest.mark.rule("BF-15")
def test_shots_into_a_melee_may_compare_the_same_dice_with_each() -> None:
    bows, enemy = unit(weapon="light-crossbow", attack=5, damage="2d6"), unit(defence=16, number=100)
    same = {"melee_shooting_rolls": "shared", "half_rounding": "up"}
    for harder in (0, 5):
        friend = Placed(unit(defence=16 + harder, number=100), {"side": 0})
        shared = asked("attack", bows, enemy, inside=[friend], rules=same)
        apart = asked("attack", bows, enemy, inside=[friend], rules={"half_rounding": "up"})
        columns, chances = shared._joint(["damage", "friends.damage"], "exact")
        softer, stouter = columns["damage"], columns["friends.damage"]
        for name in ("damage", "friends.damage"):
            assert shared.pmf(name) == pytest.approx(apart.pmf(name))
        alike = chances[softer == stouter].sum()
        assert alike == pytest.approx(1) if not harder else 0 < alike < 1
        assert not chances[stouter > softer].sum()  # what hits the harder one hits the other too


@pytest.mark.rule("BF-15")
def test_it_is_countered_when_all_friends_inside_are_confused() -> None:
    own, enemy = unit(defence=16), unit(attack=5, damage=2)
    for confused, mean in (((True, True), 1.5), ((True, False), 0)):
        inside = [Placed(unit(), {"side": 0, "confused": state}) for state in confused]
        assert asked("attack", own, enemy, inside=inside).mean("attacker.damage") == pytest.approx(mean)


@pytest.mark.rule("BF-15")
def test_shots_into_a_melee_are_shared_by_numbers_friends_too() -> None:
    bows, enemy = unit(weapon="long-bow", attack=5, damage=8), unit(defence=16, number=100)
    friend = Placed(unit(defence=16, number=300), {"side": 0})
    result = asked("attack", bows, enemy, inside=[friend])
    assert result.pmf("damage") == pytest.approx(binomial(3, Fraction(1, 2), 2))
    assert result.pmf("friends.damage") == pytest.approx(binomial(3, Fraction(1, 2), 6))
    assert result.joint("damage", "friends.damage").loc[0, 0] == pytest.approx(1 / 64)  # separate rolls
    exact = asked("attack", bows, enemy, inside=[friend], rules={"half_rounding": "exact"})
    assert exact.mean("damage") == pytest.approx(4 * result.mean("damage"))  # in quarters of a point


@pytest.mark.rule("BF-14")
def test_flanking_an_enemy_helps_no_shot_at_a_friend_in_its_melee() -> None:
    bows, enemy = unit(weapon="long-bow", attack=5, damage=8), unit(defence=16, number=100)
    inside = [Placed(unit(defence=16, number=100), {"side": side}) for side in (0, 1)]
    for all_, hit in ((False, 10), (True, 11)):
        options: dict[str, Any] = {"flank": "flanked", "inside": inside}
        rules = {"half_rounding": "exact", "flank_friends": all_}
        result = asked("attack", bows, enemy, rules=rules, **options)
        share = 2  # a third, counted in sixths of a point
        assert result.mean("others.damage") == pytest.approx(3 * 8 * 11 / 20 * share)
        assert result.mean("friends.damage") == pytest.approx(3 * 8 * hit / 20 * share)


@pytest.mark.rule("BF-15")
def test_shots_that_destroy_the_target_hit_the_others_in_the_melee_all_the_same() -> None:
    bows, friend = unit(weapon="long-bow", attack=40, damage=30), unit(number=90)
    inside = [Placed(friend, {"side": 0}), Placed(unit(number=90), {"side": 1})]
    result = asked("attack", bows, unit(number=20), inside=inside, rules={"natural_attack": "nothing"})
    assert result.probability("destroyed") == 0  # 90 x 20/200 is 9
    assert result.mean("friends.damage") == result.mean("others.damage") == 40  # 90 x 90/200, down
    bows = unit(weapon="long-bow", attack=40, damage=100)
    result = asked("attack", bows, unit(number=20), inside=inside, rules={"natural_attack": "nothing"})
    assert result.probability("destroyed") == 1  # 300 x 20/200
    assert result.mean("friends.damage") == result.mean("others.damage") == 90


@pytest.mark.rule("BF-15")
def test_an_outsider_strikes_one_enemy_an_action_though_that_one_falls() -> None:
    own, stout = unit(attack=40, damage=10), unit(number=100)
    inside = [Placed(unit(), {"side": 0}), *(Placed(unit(number=20), {"side": 1}) for _ in range(2))]
    result = asked("attack", own, stout, inside=inside, rules={"natural_attack": "nothing"})
    assert result.pmf("others.damage") == pytest.approx({0: 1 / 3, 20: 2 / 3})


@pytest.mark.rule("BF-15")
@pytest.mark.parametrize("in_melee", [False, True])
def test_the_second_action_goes_on_against_those_left_in_the_melee(in_melee: bool) -> None:
    own, weak = unit(attack=40, damage=100), unit(number=10)
    others = [Placed(unit(number=900), {"side": 1}) for _ in range(2)]
    options: dict[str, Any] = {"actions": 2, "in_melee": in_melee, "rules": {"natural_attack": "nothing"}}
    result = asked("attack", own, weak, inside=[Placed(unit(), {"side": 0}), *others], **options)
    if in_melee:
        assert result.pmf("others.damage") == {200: pytest.approx(1)}
    else:  # the defender falls to the first action, to the second, to none
        assert result.pmf("others.damage") == pytest.approx({200: 1 / 3 + 2 / 9, 400: 4 / 9})


@pytest.mark.rule("BF-01")
def test_a_counter_at_the_same_time_comes_from_a_melee_too() -> None:
    own, enemy = unit(attack=40, damage=100, defence=16), unit(attack=5, damage=2, number=10)
    inside = [Placed(unit(), {"side": 0, "confused": True})]
    for timing, mean in (("after", 0), ("together", 1.5)):
        rules = {"counter_timing": timing, "natural_attack": "nothing"}
        result = asked("attack", own, enemy, inside=inside, rules=rules)
        assert result.mean("attacker.damage") == pytest.approx(mean)


@pytest.mark.rule("BF-15")
def test_a_melee_that_nobody_of_ours_is_in_is_none() -> None:
    with pytest.raises(InputError, match=r"^inside: nobody of ours is inside.* add UNIT@ours"):
        asked("attack", unit(), unit(), inside=["archers"])
    inside = asked("attack", unit(), unit(), inside=["archers"], in_melee=True)
    assert "inside Archers (theirs)" in inside.question.heading()


# -- BF-16: moving attacks -------------------------------------------------------------------------
@pytest.mark.rule("BF-16")
def test_a_moving_attack_is_two_attack_actions() -> None:
    own, enemy = unit(attack=5, damage=1), unit(defence=16)
    result = asked("attack", own, enemy, actions=2, move=1)
    assert result.pmf("damage") == pytest.approx(binomial(6, Fraction(1, 2)))


@pytest.mark.rule("BF-16")
def test_two_cells_or_another_target_take_training() -> None:
    own, trained = unit(), unit(training={"moving_attack": True})
    with pytest.raises(InputError, match="two cells take training"):
        asked("attack", own, unit(), actions=2, move=2)
    with pytest.raises(InputError, match="strikes another without"):
        asked("attack", own, unit(), actions=2, move=1, second=[unit()])
    with pytest.raises(InputError, match="go with actions 2"):
        asked("attack", own, unit(), move=1)
    with pytest.raises(InputError, match="is for melee weapons"):
        asked("attack", unit(weapon="long-bow"), unit(), actions=2, move=1)
    other = unit(defence=6)
    result = asked("attack", trained, unit(), actions=2, move=2, second=[other])
    assert result.mean("others.damage") > result.mean("damage")


# -- BF-17: movement -------------------------------------------------------------------------------
@pytest.mark.rule("BF-17")
@pytest.mark.parametrize(
    ("fields", "cells"),
    [
        ({}, 3),
        ({"heavy_armour": True}, 2),
        ({"weapon": "heavy-crossbow"}, 2),
        ({"mount": "light"}, 6),
        ({"mount": "heavy", "heavy_armour": True}, 5),
        ({"move": 4}, 4),
    ],
)
def test_moves(fields: dict[str, Any], cells: int) -> None:
    assert speed(unit(**fields), rules()) == cells


@pytest.mark.rule("BF-17")
def test_zones_cost_double_and_only_fast_riders_pass_them() -> None:
    riders: Unit = unit(mount="light", training={"fast_riding": True})
    assert reach(riders, 0, rules()) == 12
    assert reach(riders, 3, rules()) == 9
    refuse_path(riders, Path(cells=9, zones=3), rules())
    with pytest.raises(InputError, match="at most 9"):
        refuse_path(riders, Path(cells=10, zones=3), rules())
    with pytest.raises(InputError, match="only cavalry with training"):
        refuse_path(unit(mount="light"), Path(cells=3, zones=1), rules())
    with pytest.raises(InputError, match="at most 6"):
        refuse_path(unit(), Path(cells=7), rules())
