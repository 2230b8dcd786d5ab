"""Each rule of the page by its ID, with numbers worked out by hand (binomials and counts of 36)."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import pytest

import mathhammer
from mathhammer import InputError
from mathhammer.core.dice import roll
from mathhammer.core.rulesets import Ruleset
from mathhammer.games import load
from mathhammer.games.kings_of_war.melee import charge_reaches
from mathhammer.games.kings_of_war.nerve import HURT, ROUT, STEADY, WAVER, nerve_law, nerve_test, never_wavers
from mathhammer.games.kings_of_war.ruleset import Rules
from mathhammer.games.kings_of_war.situations import Melee, Shoot
from mathhammer.games.kings_of_war.strike import Charge, Strike, melee_strike, shooting_strike
from mathhammer.kernels.pools import pool
from tests.games.kings_of_war.units import unit

EDITIONS = (1, 2, 3, 4)


def rules(edition: int, **changes: Any) -> Rules:
    """An edition's rules, with changes."""
    shipped: Ruleset[Rules] = load("kow").ruleset(str(edition))
    return shipped.values.model_copy(update=changes)


def binomial(n: int, p: Fraction) -> dict[int, float]:
    return {k: float(comb(n, k) * p**k * (1 - p) ** (n - k)) for k in range(n + 1)}


def melee(
    *, edition: int = 3, attacker: Any = None, defender: Any = None, **options: Any
) -> mathhammer.Result:
    return mathhammer.exact(
        "kow", "melee", attacker or unit(), defender or unit(), edition=edition, **options
    )


def shoot(
    *, edition: int = 3, attacker: Any = None, defender: Any = None, **options: Any
) -> mathhammer.Result:
    shooter = attacker or unit(ra=4)
    return mathhammer.exact("kow", "shoot", shooter, defender or unit(), edition=edition, **options)


def strike(charger: Any, target: Any, edition: int, charge: Charge | None = None, **changes: Any) -> Strike:
    return melee_strike(charger, target, charge or Charge(), None, rules(edition, **changes))


def volley(edition: int, shooter: Any = None, target: Any = None, **options: Any) -> Strike:
    return shooting_strike(shooter or unit(ra=4), target or unit(), Shoot(**options), rules(edition))


def nerve(
    damage: int, edition: int = 3, *, combat: bool = True, inspired: bool = False, **options: Any
) -> list[Fraction]:
    """P(steady), P(waver), P(rout), P(steady and hurt) as thirty-sixths (or 1296ths)."""
    settings = {
        "roll_bonus": 0,
        "nerve_bonus": 0,
        **{k: options.pop(k) for k in ("roll_bonus", "nerve_bonus") if k in options},
    }
    changes = options.pop("changes", {})
    test = nerve_test(unit(**options), combat=combat, rules=rules(edition, **changes), **settings)
    row = nerve_law(test, inspired, rules(edition, **changes)).row(damage)
    return [Fraction(row[result]).limit_denominator(1296 * 36) for result in (STEADY, WAVER, ROUT, HURT)]


# -- KOW-01 to KOW-04: dice ------------------------------------------------------------------------
@pytest.mark.rule("KOW-01")
@pytest.mark.parametrize(("facing", "factor"), [("front", 1), ("flank", 2), ("rear", 3)])
def test_facing_multiplies_the_dice_and_not_the_score(facing: str, factor: int) -> None:
    result = melee(facing=facing)
    assert result.pmf("damage") == pytest.approx(binomial(12 * factor, Fraction(1, 4)), abs=1e-12)


@pytest.mark.rule("KOW-01")
def test_several_chargers_pool_their_damage_and_the_target_tests_once() -> None:
    other = unit(at=6, me=3, de=5, name="other")
    both = melee(with_=[other])
    alone = melee()
    beside = binomial(6, Fraction(2, 3) * Fraction(1, 2))
    for damage in range(12):
        pooled = sum(alone.pmf("damage").get(damage - k, 0) * p for k, p in beside.items())
        assert both.pmf("damage")[damage] == pytest.approx(pooled, abs=1e-12)
    assert 1 - both.at_least("damage", 1) == pytest.approx(both.pmf("damage")[0])
    assert sum(both.probability(e) for e in ("steady", "waver", "rout")) == pytest.approx(1)


@pytest.mark.rule("KOW-01")
def test_facing_comes_before_halving_unless_the_ruleset_says_otherwise() -> None:
    charger, charge = unit(at=13, me=6), Charge(facing="flank", hindered=True)
    assert strike(charger, unit(), 1, charge).dice == 13
    assert strike(charger, unit(), 1, charge, halve_order="halve_first").dice == 12


@pytest.mark.rule("KOW-02")
@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(
    ("options", "worse"),
    [({"cover": "soft"}, 1), ({"cover": "hard"}, 2), ({"long_range": True}, 1), ({"hit_mod": 1}, -1)],
)
def test_shooting_modifiers_change_the_score_needed(
    edition: int, options: dict[str, Any], worse: int
) -> None:
    halted = volley(edition).to_hit
    assert halted == (3 if edition == 4 else 4)
    assert volley(edition, **options).to_hit == min(6, halted + worse)


@pytest.mark.rule("KOW-02")
def test_moving_costs_one_until_edition_4_where_halting_gains_one() -> None:
    assert [volley(e, order="advance").to_hit for e in EDITIONS] == [5, 5, 5, 4]
    assert [volley(e, order="halt").to_hit for e in EDITIONS] == [4, 4, 4, 3]


@pytest.mark.rule("KOW-02")
def test_a_hindered_charge_is_one_worse_and_a_natural_1_always_misses() -> None:
    assert strike(unit(), unit(), 3, Charge(hindered=True)).to_hit == 5
    assert strike(unit(me=2), unit(), 3).to_hit == 2
    assert melee(attacker=unit(me=2, at=1), hit_mod=5).pmf("damage")[1] == pytest.approx(5 / 12)


@pytest.mark.rule("KOW-03")
@pytest.mark.parametrize("edition", EDITIONS)
def test_needing_more_than_6_halves_the_dice_rounded_down_on_6(edition: int) -> None:
    halved = strike(unit(at=13, me=6), unit(), edition, Charge(hindered=True))
    assert (halved.dice, halved.to_hit) == (6, 6)
    listed = [
        {a["key"] for a in melee(edition=edition, facing="flank", hit_mod=n).assumptions} for n in (0, -3)
    ]
    assert ["halve_order" in keys for keys in listed] == [False, True]
    literal = strike(unit(at=13, me=6), unit(), edition, half_dice_above=5)
    assert (literal.dice, literal.to_hit) == (6, 6)
    assert strike(unit(at=13, me=6), unit(), edition).dice == 13


@pytest.mark.rule("KOW-04")
def test_each_hit_damages_on_de_and_a_natural_1_never_does() -> None:
    result = melee(attacker=unit(at=4, me=2, rules={"crushing_strength": 3}), defender=unit(de=2))
    assert result.pmf("damage") == pytest.approx(binomial(4, Fraction(25, 36)))


@pytest.mark.rule("KOW-04")
def test_above_6_nothing_is_damaged_until_edition_4() -> None:
    options: dict[str, Any] = {"defender": unit(de=6), "damage_mod": -1, "attacker": unit(at=2, me=4)}
    for edition in (1, 2, 3):
        assert melee(edition=edition, **options).pmf("damage") == pytest.approx({0: 1.0})
    assert melee(edition=4, **options).pmf("damage") == pytest.approx(binomial(2, Fraction(1, 12)))


@pytest.mark.rule("KOW-03")
@pytest.mark.parametrize(
    ("score", "damage", "stage"),
    [(4, 0, "dice"), (6, 0, "dice, halved"), (4, 11, "dice, halved"), (6, 11, "dice, halved")],
)
def test_the_stages_tell_that_the_dice_are_halved(score: int, damage: int, stage: str) -> None:
    able = unit(at=8, me=score, ra=score, rout=10, waver=10)
    options: dict[str, Any] = {"edition": 4, "attacker": able, "explain": True, "hit_mod": -2}
    for mode in (melee, shoot):
        stages = mode(attacker_damage_before=damage, **options).stages()
        rule = "KOW-03" if "halved" in stage else "KOW-01" if mode is melee else "KOW-02"
        assert (stages[0]["stage"], stages[0]["rule"]) == (stage, rule)
        assert stages[0]["mean"] == 8 >> (score == 6) >> (damage == 11)


@pytest.mark.rule("KOW-04")
def test_other_modifiers_to_damage_make_it_easier_or_harder() -> None:
    sharp = unit(ra=4, at=1, rules={"piercing": 1, "crushing_strength": 1})
    for mode in (melee, shoot):
        hits = [mode(attacker=sharp, damage_mod=n).mean("damage") for n in (-1, 0, 1)]
        assert hits == pytest.approx([1 / 4, 1 / 3, 5 / 12])
    safe = melee(attacker=sharp, damage_mod=-5, explain=True).stages()
    assert [stage["stage"] for stage in safe][2] == "damage on nothing"
    assert [stage["stage"] for stage in melee(explain=True).stages()][1:3] == ["hits on 4+", "damage on 4+"]


# -- KOW-05, KOW-06: nerve -------------------------------------------------------------------------
@pytest.mark.rule("KOW-05")
@pytest.mark.parametrize(
    ("damage", "steady", "waver", "rout"),
    [(0, 35, 1, 0), (4, 30, 5, 1), (6, 21, 9, 6), (13, 1, 0, 35), (20, 1, 0, 35)],
)
def test_nerve_14_16_with_doubles(damage: int, steady: int, waver: int, rout: int) -> None:
    assert nerve(damage) == [Fraction(n, 36) for n in (steady, waver, rout, 0)]


@pytest.mark.rule("KOW-05")
def test_edition_1_gives_doubles_no_meaning_and_says_that_this_is_assumed() -> None:
    assert nerve(0, 1) == [1, 0, 0, 0]
    assert nerve(14, 1) == [0, 0, 1, 0]
    listed = {a["key"]: a["origin"] for a in melee(edition=1).assumptions}
    assert listed == {"double_one_steady": "assumed", "double_six_wavers": "assumed"}


@pytest.mark.rule("KOW-05")
def test_a_strike_that_deals_nothing_tests_nothing() -> None:
    result = melee(attacker=unit(at=1), damage_before=15)
    assert result.probability("rout") == pytest.approx(0.25 * 35 / 36)


@pytest.mark.rule("KOW-05")
def test_edition_4_has_one_value_ranged_failures_waver_and_combat_failures_rout() -> None:
    one: dict[str, Any] = {"waver": None, "rout": 14}
    in_combat, ranged = nerve(5, 4, combat=True, **one), nerve(5, 4, combat=False, **one)
    assert in_combat == [Fraction(26, 36), 0, Fraction(10, 36), 0]
    assert ranged == [Fraction(26, 36), Fraction(10, 36), 0, 0]


@pytest.mark.rule("KOW-05")
def test_edition_4_a_passed_double_6_hurts_in_combat_and_wavers_from_shooting() -> None:
    one: dict[str, Any] = {"waver": None, "rout": 20}
    assert nerve(1, 4, combat=True, **one) == [Fraction(35, 36), 0, 0, Fraction(1, 36)]
    assert nerve(1, 4, combat=False, **one) == [Fraction(35, 36), Fraction(1, 36), 0, 0]
    result = melee(
        edition=4, attacker=unit(at=1, me=2), defender=unit(de=2, waver=None, rout=20), damage_before=2
    )
    hit = 25 / 36
    assert result.pmf("damage_after")[8] == pytest.approx(hit / 36 / 6)
    assert result.pmf("damage_after")[3] == pytest.approx(hit * 35 / 36)


@pytest.mark.rule("KOW-05")
def test_edition_4_the_devastated_rout_where_they_would_waver_and_strike_with_half_their_dice() -> None:
    one: dict[str, Any] = {"waver": None, "rout": 14}
    assert nerve(14, 4, combat=False, **one)[1:3] == [Fraction(35, 36), 0]
    assert nerve(15, 4, combat=False, **one)[1:3] == [0, Fraction(35, 36)]
    charger = unit(at=11, waver=None, rout=14)
    assert strike(charger, unit(), 4, Charge(devastated=True)).dice == 5
    assert melee(edition=4, attacker=charger, attacker_damage_before=15).pmf("damage") == pytest.approx(
        binomial(5, Fraction(1, 4))
    )
    assert max(melee(edition=4, attacker=charger, attacker_damage_before=14).pmf("damage")) == 11
    shooter = unit(at=11, ra=4, waver=None, rout=14)
    volleys = [shoot(edition=4, attacker=shooter, attacker_damage_before=n).pmf("damage") for n in (14, 15)]
    assert [max(damage) for damage in volleys] == [11, 5]


@pytest.mark.rule("KOW-05")
def test_edition_4_a_devastated_unit_in_a_fight_is_told_by_the_same_nerve_as_its_test() -> None:
    """15 damage of 14; Rallying 2 makes it 16, Dread of the enemy 1 less again."""
    charger, victim = unit(at=12, waver=None, rout=14), unit(**HARMLESS)
    feared = unit(**HARMLESS, rules={"dread": True})

    def most(defender: Any, reading: str, friends: int) -> int:
        options: dict[str, Any] = {"attacker_rallying": friends, "attacker_damage_before": 15, "turns": 1}
        options["rules"] = {"devastated_nerve": reading, "double_six_damage": False}
        return max(fight(charger, defender, edition=4, **options).pmf("defender.damage"))

    assert [most(victim, "printed", friends) for friends in range(3)] == [6, 6, 6]
    assert [most(victim, "modified", friends) for friends in range(3)] == [6, 12, 12]
    assert [most(feared, "modified", friends) for friends in range(3)] == [6, 6, 12]


@pytest.mark.rule("KOW-05")
def test_only_edition_4_has_devastated_units() -> None:
    beaten: dict[str, Any] = {"attacker_damage_before": 40, "attacker": unit(at=8)}
    assert [max(melee(edition=e, **beaten).pmf("damage")) for e in EDITIONS] == [8, 8, 8, 4]
    sure = unit(rules={"fearless": True})
    listed = [{a["key"] for a in shoot(edition=e, defender=sure).assumptions} for e in (3, 4)]
    assert ["fearless_devastated" in keys for keys in listed] == [False, True]
    assert "fearless_devastated" not in {a["key"] for a in shoot(edition=4).assumptions}


@pytest.mark.rule("KOW-05")
def test_a_volley_has_no_stage_for_a_double_6_that_hurts() -> None:
    stages = [
        {stage["stage"] for stage in mode(edition=4, defender=unit(waver=None), explain=True).stages()}
        for mode in (melee, shoot)
    ]
    assert ["double 6" in each for each in stages] == [True, False]
    assert "double 6" not in {stage["stage"] for stage in melee(edition=3, explain=True).stages()}


@pytest.mark.rule("KOW-05")
def test_of_two_nerve_values_edition_4_reads_the_one_to_rout() -> None:
    assert nerve(3, 4, combat=True, waver=8, rout=14)[:3] == [Fraction(33, 36), 0, Fraction(3, 36)]
    assert nerve(3, 4, combat=False, waver=8, rout=14)[:3] == [Fraction(33, 36), Fraction(3, 36), 0]


@pytest.mark.rule("KOW-05")
def test_in_edition_4_a_profile_of_an_earlier_edition_with_one_value_never_wavers() -> None:
    profiles = [unit(waver=None, edition=edition) for edition in EDITIONS]
    assert [never_wavers(profile, rules(4)) for profile in profiles] == [True, True, True, False]


@pytest.mark.rule("KOW-05")
def test_one_test_follows_a_volley_that_hurt() -> None:
    """At 6 damage of 16, 10 or more rout: 6 of 36. Rallying up to 2 asks for 12, one of 36."""

    def routs(target: Any, **options: Any) -> float:
        result = shoot(attacker=unit(at=1, ra=4), defender=target, damage_before=5, **options)
        return result.probability("rout") / result.pmf("damage")[1]

    assert routs(unit()) == pytest.approx(6 / 36)
    assert routs(unit(), rallying=2) == routs(unit(), rallying=3) == pytest.approx(1 / 36)
    assert routs(unit(), inspiring=True) == pytest.approx((6 / 36) ** 2)
    assert routs(unit(rules={"inspiring": True})) == pytest.approx((6 / 36) ** 2)


@pytest.mark.rule("KOW-06")
def test_inspiring_rolls_a_rout_again_and_the_second_roll_stands_whole() -> None:
    rout, waver = Fraction(6, 36), Fraction(9, 36)
    assert nerve(6, inspired=True)[2] == rout * rout
    assert nerve(6, inspired=True)[1] == waver + rout * waver
    assert nerve(10, inspired=True, waver=None, rout=17)[2] == Fraction(441, 1296)


@pytest.mark.rule("KOW-06")
@pytest.mark.rule("KOW-A-inspiring")
def test_a_unit_inspires_itself_and_edition_4_rolls_any_failure_again() -> None:
    for name in ("inspiring", "very_inspiring"):
        own = melee(defender=unit(rules={name: True}), damage_before=5)
        assert own.pmf("damage") == melee(damage_before=5, inspiring=True).pmf("damage")
        assert own.probability("rout") == melee(damage_before=5, inspiring=True).probability("rout")
    failed = Fraction(10, 36)
    assert nerve(5, 4, combat=False, inspired=True, waver=None, rout=14)[1] == failed * failed


@pytest.mark.rule("KOW-A-inspiring")
def test_whether_a_double_6_that_passed_is_rolled_again_in_edition_4_is_a_reading() -> None:
    """At 5 of 14 a total of 9 or more fails: 10 of 36; at 1 of 20 only the double 6 wavers."""
    shot: dict[str, Any] = {"combat": False, "inspired": True, "waver": None}
    literal: dict[str, Any] = {"changes": {"inspiring_double_six": False}}
    double = Fraction(1, 36)
    assert nerve(1, 4, **shot, rout=20)[1] == double * double
    assert nerve(1, 4, **shot, rout=20, **literal)[1] == double
    for changes in ({}, literal):
        assert nerve(5, 4, **shot, rout=14, **changes)[1] == Fraction(10, 36) ** 2
    keys = {
        combat: {a["key"] for a in mode(edition=4, defender=unit(waver=None), inspiring=True).assumptions}
        for combat, mode in ((True, melee), (False, shoot))
    }
    assert ["inspiring_double_six" in keys[combat] for combat in (True, False)] == [False, True]


# -- KOW-07: special rules -------------------------------------------------------------------------
@pytest.mark.rule("KOW-07")
def test_blast_multiplies_each_hit_and_a_breath_hits_on_4_whatever_the_cover() -> None:
    shooter = unit(ra=4, at=2, rules={"blast": "d3"})
    hits = volley(3, shooter).hits @ pool(roll("d3"))
    expected = [9, 6, 7, 8, 3, 2, 1]
    assert [hits.row(2)[k] for k in range(7)] == pytest.approx([n / 36 for n in expected])
    breath = volley(1, unit(rules={"breath": 10}), breath=True, cover="hard")
    assert (breath.dice, breath.to_hit) == (10, 4)
    modified = rules(1, breath_modified=True)
    in_cover = Shoot(breath=True, cover="hard")
    assert shooting_strike(unit(rules={"breath": 10}), unit(), in_cover, modified).to_hit == 6


@pytest.mark.rule("KOW-A-elite-vicious")
def test_elite_and_vicious_roll_one_failed_die_again_in_edition_1_and_every_1_later() -> None:
    able = unit(at=2, rules={"elite": True, "vicious": True})
    one = strike(able, unit(), 1)
    assert [one.hits.row(2)[k] for k in range(3)] == pytest.approx([1 / 8, 3 / 8, 1 / 2])
    assert [one.damage.row(2)[k] for k in range(3)] == pytest.approx([1 / 8, 3 / 8, 1 / 2])
    for edition in (2, 3, 4):
        again = strike(able, unit(), edition)
        assert again.hits.row(1)[1] == pytest.approx(7 / 12)
        assert again.damage.row(1)[1] == pytest.approx(7 / 12)
    assert (strike(able, unit(), 3, elite="none").elite, strike(able, unit(), 3, vicious="none").vicious) == (
        "none",
        "none",
    )
    assert strike(unit(rules={"elite": "ranged"}), unit(), 4).elite == "none"
    assert strike(unit(rules={"elite": "melee"}), unit(), 4).elite == "ones"


@pytest.mark.rule("KOW-A-crushing-strength")
def test_crushing_strength_counts_in_melee_only() -> None:
    strong = unit(ra=4, rules={"crushing_strength": 2})
    for edition in EDITIONS:
        assert strike(strong, unit(de=5), edition).to_damage == 3
        assert volley(edition, strong, unit(de=5)).to_damage == 5


@pytest.mark.rule("KOW-A-piercing")
def test_piercing_counts_in_shooting_only() -> None:
    sharp = unit(ra=4, rules={"piercing": 2})
    for edition in EDITIONS:
        assert volley(edition, sharp, unit(de=5)).to_damage == 3
        assert strike(sharp, unit(de=5), edition).to_damage == 5


@pytest.mark.rule("KOW-A-thunderous-charge")
def test_thunderous_charge_by_edition_hindrance_and_disorder() -> None:
    rider = unit(rules={"thunderous_charge": 2})
    assert [strike(rider, unit(de=6), e).to_damage for e in EDITIONS] == [6, 4, 4, 4]
    hindered = Charge(hindered=True)
    assert [strike(rider, unit(de=6), e, hindered).to_damage for e in EDITIONS] == [6, 4, 5, 5]
    assert [strike(rider, unit(de=6), e, Charge(disordered=True)).to_damage for e in EDITIONS] == [6] * 4
    assert [strike(unit(rules={"thunderous_charge": n}), unit(), 3, hindered).to_damage for n in (0, 1)] == [
        4,
        4,
    ]
    lost = {"thunderous_hindered_loss": 3}
    assert strike(rider, unit(), 3, hindered, **lost).to_damage == 4


@pytest.mark.rule("KOW-A-phalanx")
def test_phalanx_adds_dice_in_edition_1() -> None:
    assert strike(unit(size="regiment", rules={"phalanx": True}), unit(), 1).dice == 17
    assert strike(unit(size="horde", rules={"phalanx": True}), unit(), 1).dice == 22
    assert strike(unit(size="horde", rules={"phalanx": True}), unit(), 2).dice == 12


@pytest.mark.rule("KOW-A-phalanx")
@pytest.mark.parametrize(
    ("kind", "flyer", "scores"),
    [
        ("infantry", False, [4, 4, 4, 4]),
        ("infantry", True, [5, 4, 5, 5]),
        ("cavalry", False, [5, 4, 5, 5]),
        ("large-cavalry", False, [4, 4, 5, 5]),
    ],
)
def test_phalanx_meets_riders_and_flyers_in_front(kind: str, flyer: bool, scores: list[int]) -> None:
    rider, pikes = unit(kind=kind, rules={"flyer": flyer}), unit(rules={"phalanx": True})
    assert [strike(rider, pikes, e).to_hit for e in EDITIONS] == scores
    flank = Charge(facing="flank")
    assert [strike(rider, pikes, e, flank).to_hit for e in EDITIONS] == [4] * 4
    assert [strike(rider, pikes, e, flank, phalanx_facing="any").to_hit for e in EDITIONS] == scores


@pytest.mark.rule("KOW-A-phalanx")
def test_phalanx_cancels_a_thunderous_charge_in_front_and_does_not_stack_on_the_hindered() -> None:
    rider, pikes = unit(kind="cavalry", rules={"thunderous_charge": 1}), unit(de=5, rules={"phalanx": True})
    assert [strike(rider, pikes, e).to_damage for e in EDITIONS] == [5] * 4
    assert [strike(rider, pikes, e, Charge(facing="flank")).to_damage for e in (2, 3, 4)] == [4] * 3
    assert [strike(rider, pikes, e, Charge(hindered=True)).to_hit for e in EDITIONS] == [6, 5, 5, 5]


@pytest.mark.rule("KOW-A-ensnare")
def test_ensnare_is_one_worse_in_front_in_editions_2_and_3() -> None:
    net = unit(rules={"ensnare": True})
    assert [strike(unit(), net, e).to_hit for e in EDITIONS] == [4, 5, 5, 4]
    assert strike(unit(), net, 3, Charge(facing="rear")).to_hit == 4


@pytest.mark.rule("KOW-A-stealthy")
def test_stealthy_is_one_worse_to_shoot() -> None:
    hidden = unit(rules={"stealthy": True})
    assert [volley(e, target=hidden, order="advance").to_hit for e in EDITIONS] == [6, 6, 6, 5]
    assert strike(unit(), hidden, 3).to_hit == 4


@pytest.mark.rule("KOW-A-individual")
def test_individuals_have_no_flank_are_harder_to_shoot_and_take_double_in_edition_4() -> None:
    hero = unit(rules={"individual": True})
    for facing in ("front", "flank", "rear"):
        charge = Charge(facing=facing)
        assert [strike(unit(), hero, e, charge).dice for e in EDITIONS] == [12, 12, 12, 24]
        assert [strike(hero, unit(), e, charge).dice for e in EDITIONS] == [12] * 4
    assert strike(hero, unit(), 4, Charge(facing="rear"), individual_flanks=True).dice == 36
    assert [volley(e, target=hero, order="advance").to_hit for e in EDITIONS] == [6, 6, 6, 5]


@pytest.mark.rule("KOW-A-duelist")
def test_duelists_double_their_dice_against_individuals_from_edition_3() -> None:
    duelist, hero = unit(rules={"duelist": True}), unit(rules={"individual": True})
    assert [strike(duelist, hero, e).dice for e in EDITIONS] == [12, 12, 24, 48]
    assert [strike(duelist, unit(), e).dice for e in EDITIONS] == [12] * 4


@pytest.mark.rule("KOW-A-duelist")
def test_whether_a_duelist_doubles_what_all_double_is_a_reading() -> None:
    duelist, hero = unit(rules={"duelist": True}), unit(rules={"individual": True})
    assert [strike(duelist, hero, e, duelist_pooling="highest").dice for e in EDITIONS] == [12, 12, 24, 24]
    assert strike(unit(), hero, 4, duelist_pooling="highest").dice == 24
    for edition, listed in ((3, False), (4, True)):
        asked = melee(edition=edition, attacker=duelist, defender=hero)
        assert ("duelist_pooling" in {a["key"] for a in asked.assumptions}) == listed


@pytest.mark.rule("KOW-A-war-engine")
def test_war_engines_are_struck_threefold_from_edition_3() -> None:
    engine = unit(kind="war-engine")
    assert [strike(unit(), engine, e).dice for e in EDITIONS] == [12, 12, 36, 36]
    assert strike(unit(), engine, 1, Charge(facing="flank")).dice == 24


@pytest.mark.rule("KOW-A-big-shield")
def test_a_big_shield_has_de_6_in_front() -> None:
    shield = unit(de=3, rules={"big_shield": True})
    for edition in EDITIONS:
        assert strike(unit(), shield, edition).to_damage == 6
        assert strike(unit(), shield, edition, Charge(facing="flank")).to_damage == 3
        assert volley(edition, target=shield).to_damage == 6
        assert volley(edition, target=shield, facing="rear").to_damage == 3


@pytest.mark.rule("KOW-A-fearless")
def test_the_fearless_never_waver_and_a_double_6_does_nothing_to_them() -> None:
    for edition in (1, 2, 3):
        assert nerve(4, edition, waver=None)[1] == 0
        assert nerve(4, edition, rules={"fearless": True})[1] == 0
    assert nerve(5, 4, combat=False, waver=None, rout=14, rules={"fearless": True}) == [1, 0, 0, 0]
    assert nerve(1, 4, combat=True, waver=None, rout=20, rules={"fearless": True}) == [1, 0, 0, 0]


@pytest.mark.rule("KOW-A-brutal")
def test_brutal_adds_to_the_nerve_roll_by_edition_and_the_highest_counts() -> None:
    def rout(edition: int, *brutes: int, **changes: Any) -> float:
        first, *others = (unit(at=1, rules={"brutal": n}, name=f"b{n}") for n in brutes)
        return melee(
            edition=edition, attacker=first, with_=others, damage_before=6, rules=changes
        ).probability("rout")

    assert rout(1, 2) == rout(1, 0)
    assert rout(2, 2) == rout(2, 1) > rout(2, 0)
    assert rout(3, 2) > rout(3, 1) > rout(3, 0)
    assert rout(3, 1, 1) == pytest.approx(rout(3, 1, 0))
    assert rout(3, 1, 2) == pytest.approx(rout(3, 2, 0))
    assert rout(3, 1, 1, brutal_pooling="sum") == pytest.approx(rout(3, 2, 0))


@pytest.mark.rule("KOW-A-dread")
def test_dread_lowers_nerve_in_melee_and_not_beside_brutal_from_edition_3() -> None:
    def rout(edition: int, **options: Any) -> float:
        return melee(edition=edition, damage_before=5, **options).probability("rout")

    assert rout(3, dread=True) == pytest.approx(rout(3, nerve_mod=1))
    own = unit(rules={"dread": True})
    assert rout(3, attacker=own) == pytest.approx(rout(3, dread=True))
    brutal = unit(rules={"brutal": 1})
    assert rout(3, attacker=brutal, dread=True) == pytest.approx(rout(3, attacker=brutal))
    assert rout(2, attacker=brutal, dread=True) > rout(2, attacker=brutal)
    with pytest.raises(InputError, match="no Dread"):
        rout(1, dread=True)


@pytest.mark.rule("KOW-A-rallying")
def test_rallying_raises_nerve_up_to_2() -> None:
    def rout(n: int) -> float:
        return melee(damage_before=5, rallying=n).probability("rout")

    assert rout(1) == pytest.approx(melee(damage_before=5, nerve_mod=-1).probability("rout"))
    assert rout(3) == rout(2) < rout(1) < rout(0)
    with pytest.raises(InputError, match="no Rallying"):
        melee(edition=1, rallying=1)


@pytest.mark.rule("KOW-A-shattering")
def test_shattering_adds_one_to_the_nerve_roll_after_shooting_from_edition_3() -> None:
    loud = unit(ra=4, rules={"shattering": True})
    for edition in (3, 4):
        plain = shoot(edition=edition, damage_before=5, nerve_mod=1)
        assert shoot(edition=edition, attacker=loud, damage_before=5).probability("waver") == pytest.approx(
            plain.probability("waver")
        )
    assert shoot(edition=1, attacker=loud).probability("rout") == shoot(edition=1).probability("rout")
    assert melee(attacker=loud).probability("rout") == melee().probability("rout")


@pytest.mark.rule("KOW-A-iron-resolve")
def test_iron_resolve_heals_a_unit_that_a_test_leaves_steady() -> None:
    firm = unit(rules={"iron_resolve": 3})
    healed = {edition: melee(edition=edition, defender=firm, damage_before=4) for edition in EDITIONS}
    for edition, most in ((1, 0), (2, 1), (3, 1), (4, 3)):
        result = healed[edition]
        assert min(result.pmf("damage_after")) == min(4, 5 - most), edition
    steady = melee(attacker=unit(at=1), defender=unit(rules={"iron_resolve": 1}))
    assert steady.pmf("damage_after") == pytest.approx({0: 0.75 + 0.25 * 35 / 36, 1: 0.25 / 36})


@pytest.mark.rule("KOW-A-lifeleech")
def test_lifeleech_heals_the_attacker_by_edition_and_never_below_0() -> None:
    leech = unit(at=40, me=2, rules={"lifeleech": 5})
    left = {
        e: min(melee(edition=e, attacker=leech, attacker_damage_before=9).pmf("attacker.damage_after"))
        for e in EDITIONS
    }
    assert left == {1: 8, 2: 4, 3: 6, 4: 9}
    one = melee(attacker=leech, attacker_damage_before=9, rules={"lifeleech": "one"})
    assert min(one.pmf("attacker.damage_after")) == 8
    assert min(melee(attacker=leech, attacker_damage_before=2).pmf("attacker.damage_after")) == 0


# -- KOW-08: fights --------------------------------------------------------------------------------
def fight(attacker: Any, defender: Any, *, edition: int = 3, **options: Any) -> mathhammer.Result:
    return mathhammer.exact("kow", "fight", attacker, defender, edition=edition, **options)


HARMLESS: dict[str, Any] = {"at": 1, "me": 6, "rout": 60, "waver": 60}


@pytest.mark.rule("KOW-08")
def test_one_turn_of_a_fight_is_a_melee_and_the_answer_by_whoever_is_not_wavering() -> None:
    first, second = unit(at=18, me=3), unit(at=10)
    charge = melee(attacker=first, defender=second)
    once = fight(first, second, turns=1)
    assert once.probability("defender.rout") == pytest.approx(charge.probability("rout"))
    inspired = fight(first, second, turns=1, inspiring=True).probability("defender.rout")
    assert inspired == pytest.approx(
        melee(attacker=first, defender=second, inspiring=True).probability("rout")
    )
    struck_back = melee(attacker=second, defender=first).probability("rout")
    assert once.probability("attacker.rout") == pytest.approx(charge.probability("steady") * struck_back)


@pytest.mark.rule("KOW-08")
def test_a_failed_test_of_one_nerve_value_routs_in_a_fight() -> None:
    first, second = unit(at=18, me=3), unit(waver=None, rout=10)
    once = fight(first, second, edition=4, turns=1).probability("defender.rout")
    alone = melee(edition=4, attacker=first, defender=second).probability("rout")
    assert once == pytest.approx(alone)
    assert alone > 0.1


@pytest.mark.rule("KOW-08")
def test_a_wavering_unit_stands_through_its_turn_and_is_then_steady_again() -> None:
    shaken = unit(at=36, me=2, waver=1, rout=60)
    killer = unit(at=36, me=2, rout=60, waver=60)
    assert fight(killer, shaken, turns=4, rules={"double_one_steady": False}).mean("attacker.damage") < 0.01
    assert fight(shaken, killer, turns=1).mean("defender.damage") == pytest.approx(36 * 5 / 12)


@pytest.mark.rule("KOW-08")
def test_the_situation_counts_for_the_first_charge_only_unless_the_ruleset_says_otherwise() -> None:
    victim = unit(**HARMLESS)
    first = fight(unit(), victim, turns=2, facing="flank", edition=1)
    every = fight(unit(), victim, turns=2, facing="flank", edition=1, rules={"fight_facing": "every"})
    assert first.mean("defender.damage") == pytest.approx(9)
    assert fight(unit(), victim, turns=1, facing="flank").mean("defender.damage") == pytest.approx(6)
    assert every.mean("defender.damage") == pytest.approx(12)
    assert "fight_facing" in {a["key"] for a in first.assumptions}
    assert "fight_facing" not in {a["key"] for a in fight(unit(), victim, turns=2).assumptions}


@pytest.mark.rule("KOW-08")
def test_a_struck_unit_loses_its_thunderous_charge_from_edition_2() -> None:
    """6 hits damage half the time with the bonus and one time in six without; the answer always strikes."""
    rider = unit(at=12, me=4, rout=60, waver=60, rules={"thunderous_charge": 2})
    stinger = unit(at=30, me=2, de=6, rout=60, waver=60)
    plain = {"double_six_wavers": False}
    lost = fight(rider, stinger, turns=2, edition=2, rules=plain)
    kept = fight(rider, stinger, turns=2, edition=2, rules={**plain, "struck_is_disordered": False})
    assert lost.mean("defender.damage") == pytest.approx(6 * (1 / 2 + 1 / 6), abs=1e-5)
    assert kept.mean("defender.damage") == pytest.approx(6 * (1 / 2 + 1 / 2), abs=1e-5)


@pytest.mark.rule("KOW-A-headstrong")
@pytest.mark.parametrize(("edition", "acts"), [(1, 1 / 2), (2, 2 / 3), (3, 2 / 3), (4, 2 / 3)])
def test_headstrong_lets_a_wavering_unit_act(edition: int, acts: float) -> None:
    """The second unit always wavers when struck; it strikes back only by Headstrong."""
    striker = unit(at=30, me=2, rout=60, waver=60)
    stubborn = unit(at=12, me=4, waver=1, rout=60, rules={"headstrong": True})
    changes = {
        "double_one_steady": False,
        "nerve_values": "two",
        "double_six_damage": False,
        "devastated": False,
    }
    result = fight(striker, stubborn, turns=1, edition=edition, rules=changes)
    wavers = 1 - result.probability("defender.rout")
    assert result.mean("attacker.damage") == pytest.approx(wavers * acts * 3, rel=1e-6)


@pytest.mark.rule("KOW-A-headstrong")
def test_the_headstrong_are_disordered_from_edition_3() -> None:
    striker = unit(at=1, me=2, de=6, rout=60, waver=60)
    stubborn = unit(at=12, de=2, waver=1, rout=60, rules={"headstrong": True, "thunderous_charge": 4})
    changes = {"double_one_steady": False, "struck_is_disordered": False}
    bold = fight(striker, stubborn, turns=1, edition=2, rules=changes).mean("attacker.damage")
    meek = fight(striker, stubborn, turns=1, edition=3, rules=changes).mean("attacker.damage")
    hit = 25 / 36
    charging, walking = 12 / 2 * 5 / 6, 12 / 2 * 1 / 6
    assert bold == pytest.approx((1 - hit) * charging + hit * 2 / 3 * charging)
    assert meek == pytest.approx((1 - hit) * charging + hit * 2 / 3 * walking)


@pytest.mark.rule("KOW-A-regeneration")
def test_regeneration_heals_at_the_units_own_turn() -> None:
    victim = {**HARMLESS, "me": 6}
    three = fight(
        unit(at=1, me=6, de=6), unit(**victim, rules={"regeneration": 4}), turns=1, edition=1, damage_before=9
    )
    assert three.mean("defender.damage") == pytest.approx(9 + 1 / 12 - 1.5)
    each = fight(
        unit(at=1, me=6, de=6), unit(**victim, rules={"regeneration": 5}), turns=1, edition=3, damage_before=9
    )
    assert each.mean("defender.damage") == pytest.approx((9 + 1 / 12) * 2 / 3)
    never = fight(
        unit(at=1, me=6), unit(**victim, rules={"regeneration": 4}), turns=1, edition=1, damage_before=1
    )
    assert min(never.pmf("defender.damage")) == 0


@pytest.mark.rule("KOW-A-regeneration")
def test_regeneration_at_the_end_of_the_turn_is_an_option() -> None:
    """Healing before or after its own strike makes no difference to a unit that nobody strikes meanwhile."""
    victim = unit(**HARMLESS, rules={"regeneration": 4})
    start = fight(unit(at=6), victim, turns=2, damage_before=5)
    end = fight(unit(at=6), victim, turns=2, damage_before=5, rules={"regeneration_timing": "end"})
    assert end.pmf("defender.damage") == pytest.approx(start.pmf("defender.damage"))
    assert "regeneration_timing" in {a["key"] for a in start.assumptions}
    assert "regeneration_timing" not in {a["key"] for a in fight(unit(at=6), unit(), turns=2).assumptions}


@pytest.mark.rule("KOW-A-regeneration")
def test_a_fight_that_is_won_is_over_before_regeneration_at_the_end_of_the_turn() -> None:
    """The second unit is struck for 1/12, heals each damage at 4+, and routs the first one all but surely."""
    coward, killer = (
        unit(at=1, me=6, waver=1, rout=1),
        unit(**{**HARMLESS, "at": 36, "me": 2}, rules={"regeneration": 4}),
    )
    rules = {"double_one_steady": False, "double_six_wavers": False}
    start = fight(coward, killer, turns=1, damage_before=9, rules=rules)
    end = fight(coward, killer, turns=1, damage_before=9, rules={**rules, "regeneration_timing": "end"})
    assert start.mean("defender.damage") == pytest.approx((9 + 1 / 12) / 2, abs=1e-5)
    assert end.mean("defender.damage") == pytest.approx(9 + 1 / 12, abs=1e-5)


# -- KOW-09: terrain and ranges --------------------------------------------------------------------
@pytest.mark.rule("KOW-09")
@pytest.mark.parametrize(
    ("distance", "difficult", "there"),
    [(12, 0, True), (13, 0, False), (9, 3, True), (9, 4, False), (None, 0, True)],
)
def test_a_charge_reaches_twice_its_speed_and_difficult_inches_count_double(
    distance: int | None, difficult: int, there: bool
) -> None:
    charger = unit(sp=6)
    assert charge_reaches(charger, Melee(distance=distance, difficult=difficult)) is there
    result = melee(attacker=charger, distance=distance, difficult=difficult)
    assert result.probability("reaches") == float(there)
    assert result.mean("damage") == pytest.approx(3.0 if there else 0.0)


@pytest.mark.rule("KOW-09")
@pytest.mark.parametrize(
    ("weapon", "reach"), [("bow", 24), ("crossbow", 24), ("rifle", 24), ("javelin", 12), ("pistol", 12)]
)
def test_ranges_by_weapon_and_long_range_beyond_half(weapon: str, reach: int) -> None:
    archer = unit(ra=4, weapon=weapon)
    assert volley(3, archer, distance=reach // 2).to_hit == 4
    assert volley(3, archer, distance=reach // 2 + 1).to_hit == 5
    assert shoot(attacker=archer, distance=reach).probability("reaches") == pytest.approx(1)
    assert shoot(attacker=archer, distance=reach + 1).mean("damage") == 0


@pytest.mark.rule("KOW-09")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"order": "double"}, "moved at the double"),
        ({"disordered": True}, "disordered"),
        ({"breath": True}, "no breath"),
        ({"distance": 10}, "no known range"),
        ({"attacker_damage_before": 1}, "only in edition 4"),
    ],
)
def test_what_cannot_shoot_is_told(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        shoot(**options)


@pytest.mark.rule("KOW-02")
def test_a_unit_without_a_ranged_score_cannot_shoot() -> None:
    with pytest.raises(InputError, match=r"no ranged score.*breath"):
        shoot(attacker=unit(rules={"breath": 5}))


# -- what the text leaves open ---------------------------------------------------------------------
@pytest.mark.rule("KOW-07")
def test_blast_in_melee_and_rules_of_a_breath_are_readings_that_are_listed() -> None:
    blaster = unit(at=4, rules={"blast": 2})
    both = melee(attacker=blaster)
    assert both.mean("damage") == pytest.approx(2 * melee(attacker=unit(at=4)).mean("damage"))
    assert "blast_in_melee" in {a["key"] for a in both.assumptions}
    assert melee(attacker=blaster, rules={"blast_in_melee": False}).mean("damage") == pytest.approx(1.0)
    breather = unit(rules={"breath": 6, "piercing": 1})
    helped = shoot(attacker=breather, breath=True)
    assert "breath_rules" in {a["key"] for a in helped.assumptions}
    assert helped.mean("damage") == pytest.approx(6 / 2 * 2 / 3)
    plain = shoot(attacker=breather, breath=True, rules={"breath_rules": False})
    assert plain.mean("damage") == pytest.approx(6 / 2 / 2)
    for able in ({"elite": True}, {"vicious": True}, {"blast": 2}):
        breather = unit(rules={"breath": 6, **able})
        helped, plain = (
            shoot(attacker=breather, breath=True, rules={"breath_rules": b}) for b in (True, False)
        )
        assert helped.mean("damage") > plain.mean("damage") == pytest.approx(6 / 2 / 2)


@pytest.mark.rule("KOW-A-phalanx")
def test_the_side_of_phalanx_dice_is_a_reading() -> None:
    pikes = unit(size="horde", rules={"phalanx": True})
    assert strike(pikes, unit(), 1, Charge(facing="rear")).dice == 66
    assert strike(pikes, unit(), 1, Charge(facing="rear"), phalanx_dice_facing="front").dice == 36


@pytest.mark.rule("KOW-A-lifeleech")
def test_when_lifeleech_heals_is_a_reading() -> None:
    leech = unit(at=40, me=2, rules={"lifeleech": 2})
    late: dict[str, Any] = {"rules": {"lifeleech_timing": "next_turn"}, "attacker_damage_before": 9}
    assert melee(attacker=leech, **late).pmf("attacker.damage_after") == pytest.approx({9: 1.0})
    target = unit(**HARMLESS, de=6)
    once = fight(leech, target, turns=1, **late)
    twice = fight(leech, target, turns=2, **late)
    assert max(once.pmf("attacker.damage")) == 10
    assert once.mean("attacker.damage") == pytest.approx(9 + 1 / 12, abs=0.01)
    assert 7 < twice.mean("attacker.damage") < once.mean("attacker.damage") - 1.5
    assert "lifeleech_timing" in {a["key"] for a in melee(attacker=leech).assumptions}


def test_what_has_no_effect_is_footnoted() -> None:
    healer = unit(name="Healer", rules={"regeneration": 4, "headstrong": True})
    assert any("in a fight only" in note for note in melee(defender=healer).notes)
    assert not fight(healer, unit(), turns=1).notes
    hero = unit(name="Hero", rules={"individual": True})
    assert any("adds no dice" in note for note in melee(attacker=hero, facing="rear").notes)
    assert not melee(attacker=hero).notes
    lacking = melee(edition=1, attacker=unit(rules={"brutal": 1}))
    assert any("no Brutal" in note for note in lacking.notes)
    foreign = mathhammer.exact("kow", "melee", "trolls", "foot-guard")
    assert [note.split(":")[0] for note in foreign.notes if "edition 4" in note]


@pytest.mark.rule("KOW-A-rallying")
@pytest.mark.rule("KOW-A-dread")
def test_dread_and_rallying_count_in_a_fight_too() -> None:
    first, second = unit(at=18), unit(at=12)
    plain = fight(first, second, turns=2)
    assert fight(first, second, turns=2, rallying=1).probability("defender.rout") < plain.probability(
        "defender.rout"
    )
    most, more = (fight(first, second, turns=2, rallying=n).probability("defender.rout") for n in (2, 3))
    assert most == more < fight(first, second, turns=2, rallying=1).probability("defender.rout")
    held = fight(first, second, turns=2, attacker_rallying=2).probability("attacker.rout")
    assert held < plain.probability("attacker.rout")
    dread = fight(first, second, turns=1, dread=True).probability("defender.rout")
    assert dread == pytest.approx(melee(attacker=first, defender=second, dread=True).probability("rout"))
    for options in ({"dread": True}, {"rallying": 1}, {"attacker_rallying": 1}):
        with pytest.raises(InputError, match="this edition has no"):
            fight(first, second, edition=1, **options)


@pytest.mark.rule("KOW-05")
def test_several_volleys_add_up_to_one_nerve_test() -> None:
    """The damage of two volleys is the sum of two; one test follows, on all of it."""
    once = mathhammer.exact("kow", "shoot", "elf-bowmen", "ghoul")
    twice = mathhammer.exact("kow", "shoot", "elf-bowmen", "ghoul", volleys=2)
    summed: dict[int, float] = {}
    for a, p in once.pmf("damage").items():
        for b, q in once.pmf("damage").items():
            summed[a + b] = summed.get(a + b, 0.0) + p * q
    assert twice.pmf("damage") == pytest.approx(summed, abs=1e-12)
    routs = sum(
        p * mathhammer.exact("kow", "shoot", "elf-bowmen", "ghoul", damage_before=a).probability("rout")
        for a, p in once.pmf("damage").items()
    )
    nothing = once.pmf("damage")[0]  # a second volley without damage asks for no test by itself
    assert twice.probability("rout") == pytest.approx(routs, abs=nothing)
    assert twice.probability("rout") > once.probability("rout")


# -- what has no effect is said ----------------------------------------------------------------------
@pytest.mark.rule("KOW-09")
def test_who_does_not_get_there_is_told() -> None:
    far = shoot(attacker=unit(ra=4, range=24), distance=25)
    assert (far.mean("damage"), far.probability("reaches")) == (0, 0)
    assert any("shoots 24 inches, not 25" in note for note in far.notes)
    assert not shoot(attacker=unit(ra=4, range=24), distance=24).notes
    fast, slow = unit(name="fast", sp=8), unit(name="slow", sp=5)
    told = {"fast charges 16": (slow, fast, 17), "slow charges 10": (fast, slow, 12)}
    told["slow charges 10 "] = (slow, fast, 12)  # the attacker himself falls short, the other strikes
    for words, (attacker, other, distance) in told.items():
        result = melee(attacker=attacker, with_=[other], distance=distance)
        assert any(words in note for note in result.notes), result.notes
        assert (result.mean("damage") > 0) == (distance <= 16)
    assert not melee(attacker=fast, with_=[slow], distance=10).notes


@pytest.mark.rule("KOW-05")
def test_damage_on_a_charger_that_changes_nothing_is_told() -> None:
    def idle(edition: int, **fields: Any) -> bool:
        told = melee(edition=edition, attacker=unit(**fields), attacker_damage_before=5).notes
        return any("--attacker-damage-before changes nothing" in note for note in told)

    assert idle(3)
    assert not idle(3, rules={"lifeleech": 2})
    assert not idle(4)  # the devastated strike with half their dice
    assert not any("changes nothing" in note for note in melee().notes)


@pytest.mark.rule("KOW-05")
def test_doubles_of_edition_2_are_assumed() -> None:
    keys = {row["key"] for row in melee(edition=2).assumptions}
    assert {"double_one_steady", "double_six_wavers"} <= keys
    assert not {"double_one_steady", "double_six_wavers"} & {r["key"] for r in melee(edition=3).assumptions}


@pytest.mark.rule("KOW-09")
def test_a_range_that_is_not_known_is_written_with_the_unit() -> None:
    with pytest.raises(InputError, match="write boomers,range=24"):
        mathhammer.exact("kow", "shoot", "boomers", "foot-guard", distance=10)
