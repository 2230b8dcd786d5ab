"""Rules of assaults, volleys and fights by their IDs, with numbers worked out by hand.

Most questions are of one die or one fighter. Where a course of events is meant, the table is `SURE`: a test
whose action value is not below the difficulty passes, any other fails.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import mathhammer
from mathhammer import InputError
from mathhammer.core.game import Placed
from mathhammer.games import load
from mathhammer.games.confrontation_aor import morale
from mathhammer.games.confrontation_aor.contact import contacts
from mathhammer.games.confrontation_aor.losses import allocated
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.side import Side
from mathhammer.games.confrontation_aor.situations import Touching
from mathhammer.games.confrontation_aor.throws import attack_law, strength_law
from tests.games.confrontation_aor.units import unit

PLAIN = {"bonus_die": "none"}
SURE = {"bonus_die": "none", "resolution_table": "0:1"}
KILLS = {"attack": 30, "strength": 30}  # every die kills a fighter of one wound
IDLE = {"dice": 0}


def rules(**changes: Any) -> Rules:
    """The shipped rules, with changes."""
    values: Rules = load("aor").ruleset("default").values
    return values.model_copy(update=changes)


def ask(
    mode: str, attacker: Any, defender: Any, changes: dict[str, Any], **options: Any
) -> mathhammer.Result:
    """A question without bonus dice, unless told otherwise."""
    return mathhammer.exact(
        "aor", mode, attacker or unit(), defender or unit(), rules={**PLAIN, **changes}, **options
    )


def assault(
    attacker: Any = None, defender: Any = None, *, r: Any = PLAIN, **options: Any
) -> mathhammer.Result:
    return ask("assault", attacker, defender, r, **options)


def shoot(attacker: Any = None, defender: Any = None, *, r: Any = PLAIN, **options: Any) -> mathhammer.Result:
    return ask("shoot", attacker, defender, r, **options)


def fight(attacker: Any = None, defender: Any = None, *, r: Any = PLAIN, **options: Any) -> mathhammer.Result:
    return ask("fight", attacker, defender, r, **{"rounds": 1, **options})


def chance(value: float) -> Any:
    """A chance to twelve places."""
    return pytest.approx(value, abs=1e-12)


def binomial(n: int, p: Fraction) -> Any:
    return pytest.approx({k: float(comb(n, k) * p**k * (1 - p) ** (n - k)) for k in range(n + 1)}, abs=1e-12)


def marksmen(**fields: Any) -> Any:
    """One marksman whose one shot always hits at no distance, and always harms."""
    return unit(**{"ranged": 10, "ranged_strength": 30, **fields})


# -- AOR-04: reach -----------------------------------------------------------------------------------
@pytest.mark.rule("AOR-04")
@pytest.mark.parametrize(("distance", "reaches"), [("19", 1), ("20", 1), ("21", 0)])
def test_an_assault_reaches_twice_the_movement(distance: str, reaches: int) -> None:
    result = assault(unit(movement=10, **KILLS), distance=distance)
    assert result.probability("reaches") == chance(reaches)
    assert result.mean("kills") == chance(reaches)


@pytest.mark.rule("AOR-04")
def test_the_slowest_fighter_decides_how_far_a_unit_goes() -> None:
    mixed = unit(movement=10, groups={"gun": {"movement": 7.5}})
    assert assault(mixed, distance="15").probability("reaches") == 1
    assert assault(mixed, distance="16").probability("reaches") == 0


@pytest.mark.rule("AOR-04")
def test_an_estimate_of_the_distance_gives_a_chance_to_reach() -> None:
    assert assault(distance="15..24").probability("reaches") == chance(5 / 9)
    guess = NormalDist(21, 2)
    assert assault(distance="21~2").probability("reaches") == pytest.approx(guess.cdf(20), abs=2e-6)


@pytest.mark.rule("AOR-04")
def test_an_assault_that_does_not_reach_stops_as_close_as_it_can() -> None:
    """It goes 20 cm: from 30 the other side, whose reach is 10, can come; from 31 it cannot."""
    slow = unit(movement=5, **KILLS)
    assert fight(unit(), slow, distance="30").mean("attacker.losses") == chance(1)
    assert fight(unit(), slow, distance="31").mean("attacker.losses") == chance(0)
    assert assault(defender=unit(fear=30), distance="21").probability("attacker.rout") == 0


@pytest.mark.rule("AOR-04")
def test_an_engaged_unit_may_assault_whom_it_touches_but_never_charges() -> None:
    strong = unit(power=30, strength=30)
    assert assault(strong).pmf("kills") == binomial(1, Fraction(3, 4))
    engaged = assault(strong, engaged=True)
    assert engaged.probability("reaches") == 1
    assert engaged.probability("charges") == 0
    assert engaged.pmf("kills") == binomial(1, Fraction(1, 2))


# -- AOR-05: charge ----------------------------------------------------------------------------------
@pytest.mark.rule("AOR-05")
@pytest.mark.parametrize(("power", "charges"), [(4, 0), (5, 0), (6, 1)])
def test_a_charge_needs_strictly_more_power_in_total(power: int, charges: int) -> None:
    attacker = unit(power=power - 1, strength=30, groups={"leader": {"power": 1, "dice": 0}})
    result = assault(attacker, unit(count=5, power=1))
    assert result.probability("charges") == chance(charges)
    assert result.mean("kills") == chance(3 / 4 if charges else 1 / 2)


@pytest.mark.rule("AOR-05")
@pytest.mark.parametrize(
    ("reroll", "hits"),
    [
        ("failures", [1 / 16, 6 / 16, 9 / 16]),  # each die 3/4
        ("one_die", [1 / 8, 3 / 8, 1 / 2]),  # two fail 1/4, then one again; one fails 1/2, then it again
        ("all", [1 / 16, 5 / 8, 5 / 16]),  # none hits 1/4: both again
    ],
)
def test_which_dice_a_charge_throws_again(reroll: str, hits: list[float]) -> None:
    charger = unit(dice=2, strength=30, power=2)
    result = assault(charger, unit(count=5, power=0), r={"charge_reroll": reroll})
    assert list(result.pmf("kills").values()) == pytest.approx(hits, abs=1e-12)


@pytest.mark.rule("AOR-05")
def test_a_re_rolled_6_adds_its_bonus_die() -> None:
    """A first die of 4+: 3/4 succeed, 1/4 add a die, so the mean is 3/4 / (1 - 1/4)."""
    assert attack_law(0, True, rules()).row(1).mean == pytest.approx(1, abs=1e-9)
    assert attack_law(0, True, rules(bonus_die="once")).row(1).mean == pytest.approx(3 / 4 + 3 / 16, abs=1e-9)


@pytest.mark.rule("AOR-05")
@pytest.mark.parametrize("category", ["light-cavalry", "heavy-cavalry"])
def test_cavalry_charges_whatever_the_power(category: str) -> None:
    rider = unit(category=category, power=0)
    assert assault(rider).probability("charges") == 1
    assert assault(rider, engaged=True).probability("charges") == 0
    mixed = unit(category=category, power=0, groups={"squire": {"category": "infantry"}})
    assert assault(mixed, unit(power=5)).probability("charges") == 0


@pytest.mark.rule("AOR-05")
@pytest.mark.parametrize(
    ("category", "engaged", "added", "harms"),
    [
        ("heavy-cavalry", False, True, 1 / 2),  # 5 + 5 against 10
        ("heavy-cavalry", True, True, 1 / 6),  # no charge: 5 against 10
        ("light-cavalry", False, True, 1 / 6),
        ("heavy-cavalry", False, False, 1 / 6),
    ],
)
def test_heavy_cavalry_that_charges_adds_attack_to_strength(
    category: str, engaged: bool, added: bool, harms: float
) -> None:
    rider = unit(category=category, attack=5, strength=5)
    target = unit(defence=0, resilience=10)
    hits = 5 / 6 if engaged else 35 / 36
    result = assault(rider, target, engaged=engaged, r={"heavy_cavalry_strength": added})
    assert result.mean("kills") == chance(hits * harms)


# -- AOR-06: Fear ------------------------------------------------------------------------------------
@pytest.mark.rule("AOR-06")
@pytest.mark.parametrize(("courage", "fails"), [(4, 1 / 2), (2, 2 / 3), (6, 1 / 3), (10, 0)])
def test_a_target_without_fear_tests_courage_against_it(courage: int, fails: float) -> None:
    assert assault(unit(fear=4), unit(courage=courage)).probability("rout") == chance(fails)


@pytest.mark.rule("AOR-06")
def test_an_active_unit_that_fails_does_not_strike() -> None:
    result = assault(unit(**KILLS, courage=4), unit(fear=4))
    assert result.probability("attacker.rout") == chance(1 / 2)
    assert result.mean("kills") == chance(1 / 2)
    assert result.probability("rout") == 0


@pytest.mark.rule("AOR-06")
@pytest.mark.parametrize(
    ("ours", "theirs", "attacker_fails", "defender_fails"),
    [(5, 3, 0, 2 / 3), (3, 5, 2 / 3, 0), (4, 4, 0, 0), (0, 6, 1, 0)],
)
def test_of_two_fearsome_units_the_lesser_tests_with_its_fear(
    ours: int, theirs: int, attacker_fails: float, defender_fails: float
) -> None:
    result = assault(unit(fear=ours), unit(fear=theirs))
    assert result.probability("attacker.rout") == chance(attacker_fails)
    assert result.probability("rout") == chance(defender_fails)


@pytest.mark.rule("AOR-06")
def test_fear_is_tested_in_any_assault_also_of_engaged_units() -> None:
    assert assault(unit(fear=4), engaged=True).probability("rout") == chance(1 / 2)


@pytest.mark.rule("AOR-06")
@pytest.mark.parametrize(("resisted", "fails"), [(None, 1 / 2), (3, 1 / 2), (4, 0), (9, 0)])
def test_who_has_resisted_a_fear_is_immune_to_it_and_lower(resisted: int | None, fails: float) -> None:
    assert assault(unit(fear=4), resisted=resisted).probability("rout") == chance(fails)
    result = assault(None, unit(fear=4), attacker_resisted=resisted)
    assert result.probability("attacker.rout") == chance(fails)


@pytest.mark.rule("AOR-06")
def test_a_fight_remembers_what_was_resisted_and_rallying_is_no_resisting() -> None:
    """Each assault fails by 1/2, each rally by 1/3. In round 2 those who rallied are frightened anew."""
    shy, monster = unit(courage=4, **IDLE), unit(fear=4, movement=0, **IDLE)
    result = fight(shy, monster, distance="5", rounds=2)
    assert result.probability_by_round("attacker.rout", 1) == chance(1 / 2 * 1 / 3)
    assert result.probability_by_round("attacker.rout", 2) == chance((1 / 6 + 1 / 6) / 3)


@pytest.mark.rule("AOR-06")
def test_who_resisted_in_a_fight_is_not_frightened_when_met_again() -> None:
    """The monster leaves whom it touches, and assaults whom it does not.

    Half stand at once and never test again. The others are assaulted in rout: half of them rally, those left
    flee and are lost. Who rallied meets the monster in round 3 and tests anew: half fail, half of them rally.
    """
    brave, monster = (
        unit(courage=4, **IDLE),
        unit(fear=4, movement=5, category="light-cavalry", power=0, **IDLE),
    )
    result = fight(brave, monster, defender_leaves="always", rounds=3)
    chances = [result.probability_by_round("attacker.rout", n) for n in (1, 2, 3)]
    assert chances == [chance(1 / 4), chance(0), chance(1 / 16)]
    assert result.probability("attacker.destroyed") == chance(1 / 4)


@pytest.mark.rule("AOR-06")
def test_a_unit_in_rout_is_not_frightened_again() -> None:
    result = assault(unit(fear=4), unit(courage=30), defender_rout=True)
    assert result.probability("rout") == 1


@pytest.mark.rule("AOR-06")
@pytest.mark.parametrize(("reading", "fails"), [("highest", 2 / 3), ("ranks", 1 / 2)])
def test_whose_fear_a_unit_of_several_profiles_has(reading: str, fails: float) -> None:
    """Ranks of Fear 4, one leader of Fear 6, against courage 4."""
    attacker = unit(count=3, fear=4, groups={"leader": {"fear": 6}})
    result = assault(attacker, unit(courage=4), r={"fear_value_of": reading})
    assert result.probability("rout") == chance(fails)


@pytest.mark.rule("AOR-06")
def test_fear_may_be_faced_by_an_assault_that_does_not_reach() -> None:
    """The chance to reach is 1/2, the test fails always."""
    asked = {"defender": unit(fear=30), "distance": "15..25"}
    assert assault(**asked).probability("attacker.rout") == chance(1 / 2)
    assert assault(**asked, r={"fear_needs_reach": False}).probability("attacker.rout") == chance(1)
    keys = [[a["key"] for a in assault(unit(), unit(fear=3), distance=d).assumptions] for d in ("20", "21")]
    assert ["fear_needs_reach" in told for told in keys] == [False, True]


@pytest.mark.rule("AOR-06")
def test_fear_resisted_of_who_has_none_is_told_to_change_nothing() -> None:
    told = assault(resisted=3, attacker_resisted=4, defender=unit(name="Beast", fear=5)).notes
    assert [note for note in told if "resisted" in note] == [
        "--resisted changes nothing: Unit has no Fear (AOR-06)"
    ]


# -- AOR-07: volleys ---------------------------------------------------------------------------------
@pytest.mark.rule("AOR-07")
def test_ranged_dice_of_each_marksman_against_the_range_band() -> None:
    shooter = marksmen(count=2, ranged_dice=2, ranged=3, perforating=True)
    assert shoot(shooter, unit(count=9), distance="35").pmf("kills") == binomial(4, Fraction(1, 2))


@pytest.mark.rule("AOR-07")
@pytest.mark.parametrize(
    ("cm", "floor", "lower"),
    [
        ("0", 2 / 3, 2 / 3),
        ("9", 2 / 3, 2 / 3),
        ("10", 1 / 2, 2 / 3),
        ("11", 1 / 2, 1 / 2),
        ("40", 1 / 3, 1 / 2),
    ],
)
def test_the_range_band_is_a_tenth_of_the_cm_rounded_down(cm: str, floor: float, lower: float) -> None:
    shooter = marksmen(ranged=2)
    assert shoot(shooter, distance=cm).mean("kills") == chance(floor)
    assert shoot(shooter, distance=cm, r={"range_band": "lower_at_border"}).mean("kills") == chance(lower)


@pytest.mark.rule("AOR-07")
def test_an_estimate_of_the_distance_mixes_the_bands() -> None:
    mixed = shoot(marksmen(ranged=2), distance="5..14").mean("kills")
    assert mixed == chance(5 / 9 * 2 / 3 + 4 / 9 * 1 / 2)


@pytest.mark.rule("AOR-07")
@pytest.mark.parametrize(("harder", "hits"), [(2, 2 / 3), (1, 2 / 3), (3, 1 / 2)])
def test_interference_makes_the_test_harder(harder: int, hits: float) -> None:
    shooter = marksmen(ranged=4)
    assert shoot(shooter).mean("kills") == chance(5 / 6)
    result = shoot(shooter, interference=True, r={"interference": harder})
    assert result.mean("kills") == chance(hits)


@pytest.mark.rule("AOR-07")
def test_only_marksmen_who_see_the_target_shoot_by_profile_from_the_front() -> None:
    shooter = marksmen(
        count=3, groups={"master": {"ranged_dice": 4, "perforating": True}}, order=["master", "ranks"]
    )
    enemy = unit(count=20)
    assert [shoot(shooter, enemy, seeing=n).mean("kills") for n in (1, 2, 4)] == [
        chance(k) for k in (4, 5, 7)
    ]
    assert shoot(shooter, enemy).mean("kills") == chance(7)


@pytest.mark.rule("AOR-07")
def test_shooters_are_free_and_their_targets_too() -> None:
    for refused in ({"engaged": True}, {"target_engaged": True}):
        with pytest.raises(InputError, match="AOR-07"):
            shoot(marksmen(), **refused)


@pytest.mark.rule("AOR-07")
@pytest.mark.parametrize("mode", ["shoot", "area"])
def test_a_distance_that_was_not_said_is_told(mode: str) -> None:
    gun = marksmen(area=3) if mode == "area" else marksmen()
    for distance, told in (("0", True), ("5", False)):
        notes = ask(mode, gun, unit(count=4), {}, distance=distance).notes
        assert any("0 cm, range band 0" in note for note in notes) == told


# -- AOR-08: Strength tests --------------------------------------------------------------------------
@pytest.mark.rule("AOR-08")
@pytest.mark.parametrize(
    ("strength", "harms"),
    [(13, 1), (12, 1), (11, 5 / 6), (9, 2 / 3), (7, 1 / 2), (5, 1 / 2), (4, 1 / 3), (2, 1 / 6), (0, 0)],
)
def test_one_die_a_hit_of_strength_against_resilience(strength: int, harms: float) -> None:
    target = unit(resilience=6, wounds=10)
    assert shoot(marksmen(ranged_strength=strength), target).mean("damage") == chance(harms)
    assert assault(unit(attack=30, strength=strength), target).mean("damage") == chance(harms)


@pytest.mark.rule("AOR-08")
def test_bonus_dice_of_both_tests_come_on_top() -> None:
    """One die that always hits throws 6/5 hits, and each of 4+ does 3/5 of damage."""
    result = shoot(marksmen(ranged_strength=4), unit(wounds=40), r={"bonus_die": "chain"})
    assert result.mean("damage") == pytest.approx(18 / 25, abs=1e-9)
    assert strength_law(0, 9, rules(bonus_die="once")).row(1).mean == pytest.approx(7 / 12)


@pytest.mark.rule("AOR-08")
@pytest.mark.parametrize(("reading", "harms"), [("nearest", 1 / 6), ("lowest", 1 / 2)])
def test_whose_resilience_a_volley_meets(reading: str, harms: float) -> None:
    target = unit(resilience=4, groups={"shield": {"resilience": 9}}, order=["shield", "ranks"])
    result = shoot(marksmen(ranged_strength=4), target, r={"volley_resilience": reading})
    assert result.mean("kills") == chance(harms)


# -- AOR-09: losses of a volley ----------------------------------------------------------------------
@pytest.mark.rule("AOR-09")
@pytest.mark.parametrize(("perforating", "kills"), [(False, 2), (True, 6)])
def test_an_ordinary_volley_kills_no_more_than_there_were_marksmen(perforating: bool, kills: int) -> None:
    shooter = marksmen(count=2, ranged_dice=3, perforating=perforating)
    assert shoot(shooter, unit(count=9)).pmf("kills") == {kills: chance(1)}


@pytest.mark.rule("AOR-09")
@pytest.mark.parametrize(("reading", "damage"), [("wounds", 5), ("lost", 3)])
def test_damage_beyond_the_most_kills_wounds_the_next_short_of_killing_him(reading: str, damage: int) -> None:
    result = shoot(marksmen(ranged_dice=9), unit(count=3, wounds=3), r={"cap_rest": reading})
    assert result.pmf("kills") == {1: chance(1)}
    assert result.pmf("damage") == {damage: chance(1)}


@pytest.mark.rule("AOR-09")
def test_a_wounded_fighter_dies_first_and_what_kills_nobody_stays() -> None:
    result = shoot(marksmen(ranged_dice=3), unit(count=2, wounds=3, damage=1))
    assert result.pmf("kills") == {1: chance(1)}
    assert result.pmf("wounds_left") == {2: chance(1)}


@pytest.mark.rule("AOR-09")
@pytest.mark.parametrize(
    ("damage", "ranks", "guard", "boss"),
    [
        (1, 0, 3, 0),  # of those who need 1 the wounded one, who is nearer
        (2, 1, 3, 0),  # then who needs least
        (3, 2, 3, 0),
        (5, 2, 5, 0),  # what kills nobody more stays on the next
        (6, 2, 6, 0),
        (99, 2, 6, 5),
    ],
)
def test_damage_is_allocated_so_as_to_kill_most(damage: int, ranks: int, guard: int, boss: int) -> None:
    """Ranks of one wound behind two guards of 3 (one hurt by 2) and a boss of 5."""
    groups = {"guard": {"count": 2, "wounds": 3, "damage": 2}, "boss": {"wounds": 5}}
    side = Side("defender", unit(count=2, groups=groups, order=["guard", "boss", "ranks"]))
    columns = {name: np.array([value], dtype=np.int32) for name, value in side.start.items()}
    after = allocated(side, columns, np.array([damage], dtype=np.int32), None, True)
    told = [int(after[f"defender.{name}"][0]) for name in ("ranks", "guard", "boss")]
    assert told == [ranks, guard, boss]


@pytest.mark.rule("AOR-09")
def test_of_equals_the_nearest_dies_first() -> None:
    side = Side(
        "defender",
        unit(count=2, groups={"rear": {"count": 2}, "front": {}}, order=["front", "ranks", "rear"]),
    )
    columns = {name: np.array([value], dtype=np.int32) for name, value in side.start.items()}
    after = allocated(side, columns, np.array([2], dtype=np.int32), None, True)
    assert [int(after[f"defender.{name}"][0]) for name in ("front", "ranks", "rear")] == [1, 1, 0]


# -- AOR-11: who fights ------------------------------------------------------------------------------
@pytest.mark.rule("AOR-11")
def test_only_fighters_in_contact_strike_and_only_those_in_contact_die() -> None:
    attacker, defender = unit(count=6, dice=2, **KILLS), unit(count=30)
    assert assault(attacker, defender).mean("kills") == chance(12)
    assert assault(attacker, defender, contact=2).mean("kills") == chance(4)
    assert assault(attacker, defender, defender_contact=5).mean("kills") == chance(5)
    assert assault(attacker, defender, contact=2, defender_contact=3).mean("kills") == chance(3)


@pytest.mark.rule("AOR-11")
@pytest.mark.parametrize(
    ("files", "defender_files", "ours", "theirs"),
    [(None, None, None, None), (4, None, 4, 2), (None, 3, 6, 3), (4, 3, 4, 2), (10, 2, 4, 2), (3, 4, 3, 2)],
)
def test_as_many_touch_as_the_fronts_allow(
    files: int | None, defender_files: int | None, ours: int | None, theirs: int | None
) -> None:
    """Bases of 25 mm against bases of 50 mm."""
    told = Touching(files=files, defender_files=defender_files)
    assert contacts(unit(count=10), unit(count=10, base=50), told, rules()) == (ours, theirs)
    assert contacts(unit(count=10), unit(count=10, base=50), told, rules(fronts="all")) == (None, None)
    known = told.model_copy(update={"contact": 7, "defender_contact": 8})
    assert contacts(unit(count=10), unit(count=10, base=50), known, rules()) == (7, 8)


@pytest.mark.rule("AOR-11")
def test_who_was_taken_to_touch_is_told() -> None:
    own, enemy = unit(count=10, name="Ones"), unit(count=10, base=50)
    told = assault(own, enemy, files=4, defender_files=3)
    assert "as many touch as the fronts allow: 4 of 10 attackers, 2 of 10 defenders (AOR-11)" in told.notes
    assert "fronts" in [line["key"] for line in told.assumptions]
    known = assault(own, enemy, files=4, defender_files=3, contact=2, defender_contact=2)
    assert not any("touch" in note or "contact" in note for note in known.notes)
    assert "fronts" not in [line["key"] for line in known.assumptions]
    for option, rest in (("contact", "all defenders"), ("defender_contact", "all attackers")):
        assert any(note.startswith(rest) for note in assault(own, enemy, **{option: 3}).notes)
    assert any(note.startswith("all fighters") for note in assault(own, enemy).notes)


@pytest.mark.rule("AOR-11")
def test_each_profile_fights_with_its_own_card() -> None:
    """Two fighters of 4+ and a leader of 3 dice on 3+, against a harm that is sure."""
    attacker = unit(count=2, strength=30, groups={"leader": {"attack": 6, "dice": 3}})
    pmf = assault(attacker, unit(count=9), engaged=True).pmf("kills")
    expected = {
        k: sum(
            comb(2, i) * comb(3, k - i) * (1 / 2) ** 2 * (2 / 3) ** (k - i) * (1 / 3) ** (3 - k + i)
            for i in range(3)
            if 0 <= k - i <= 3
        )
        for k in range(6)
    }
    assert pmf == pytest.approx(expected, abs=1e-12)


@pytest.mark.rule("AOR-11")
@pytest.mark.parametrize("mode", ["assault", "fight"])
def test_who_shares_the_units_profile_fights_and_falls_in_one_group(mode: str) -> None:
    """Standard and musician in front of the captain are ranks like the others."""
    staff = {"captain": {"attack": 7, "defence": 7, "wounds": 3, "power": 3}}
    marked = {"standard": {"roles": ["standard"]}, **staff, "musician": {"roles": ["musician"]}}
    asked: dict[str, Any] = {"contact": 5, "defender_contact": 7, "tactic": "cry-havoc"}
    asked |= {"rounds": 3} if mode == "fight" else {}
    told = [
        mathhammer.exact("aor", mode, unit(count=9, wounds=2), defender, **asked)
        for defender in (
            unit(count=6, wounds=2, groups=staff),
            unit(count=4, wounds=2, groups=marked, order=["ranks", "standard", "musician", "captain"]),
        )
    ]
    assert told[1].measures == told[0].measures
    for measure in told[0].measures:
        assert told[1].pmf(measure) == pytest.approx(told[0].pmf(measure), abs=1e-12)


@pytest.mark.rule("AOR-11")
def test_a_group_of_the_same_profile_stands_where_it_is_listed() -> None:
    """The captain is the fourth of those who touch, before the musician: he strikes too, on always."""
    groups = {"captain": {"dice": 5, "attack": 30, "strength": 30}, "musician": {"roles": ["musician"]}}
    attacker = unit(count=3, attack=0, groups=groups)
    defender = unit(count=9, defence=20)
    assert assault(attacker, defender, contact=3).mean("kills") == 0
    assert assault(attacker, defender, contact=4).mean("kills") == chance(5)


@pytest.mark.rule("AOR-11")
def test_the_wounded_of_one_profile_die_first_whatever_group_they_are_in() -> None:
    attacker = unit(count=1, **KILLS)
    hurt = {"standard": {"damage": 2, "roles": ["standard"]}}
    told = assault(attacker, unit(count=2, wounds=3, groups=hurt))
    assert told.pmf("kills") == {1: chance(1)}


@pytest.mark.rule("AOR-07")
def test_marksmen_of_one_profile_shoot_one_volley() -> None:
    """Its most kills is their number: four dice each, all of them on two fighters at once."""
    pair = unit(count=1, ranged=5, ranged_dice=4, ranged_strength=5, groups={"b": {"roles": ["standard"]}})
    two = unit(count=2, ranged=5, ranged_dice=4, ranged_strength=5)
    assert shoot(pair, unit(count=9)).pmf("kills") == pytest.approx(shoot(two, unit(count=9)).pmf("kills"))
    seen = shoot(pair, unit(count=9), seeing=1).pmf("kills")
    assert seen == pytest.approx(shoot(two, unit(count=9), seeing=1).pmf("kills"))


@pytest.mark.rule("AOR-11")
def test_dice_of_one_profile_are_split_as_one() -> None:
    marked = {"leader": {"wounds": 2}, "standard": {"roles": ["standard"]}}
    own = unit(count=3, groups={"standard": {"roles": ["standard"]}}, **KILLS)
    told = assault(own, unit(count=1, groups=marked), split="ranks:leader=1,standard:leader=1")
    assert told.pmf("damage") == {4: chance(1)}
    with pytest.raises(InputError, match=r"ranks\+standard have 4 dice, not 5"):
        assault(own, unit(count=1, groups=marked), split="ranks:leader=3,standard:ranks=2")


@pytest.mark.rule("AOR-11")
def test_dice_are_split_over_combats() -> None:
    attacker = unit(count=4, **KILLS)
    defender = unit(count=1, groups={"leader": {"wounds": 2}})
    assert assault(attacker, defender).pmf("damage") == {1: chance(1)}
    for dice, damage in ((1, 2), (2, 3), (4, 2)):
        assert assault(attacker, defender, split=f"ranks:leader={dice}").pmf("damage") == {damage: chance(1)}


# -- AOR-12, AOR-13: combat --------------------------------------------------------------------------
@pytest.mark.rule("AOR-12")
def test_attack_against_defence_then_strength_against_resilience() -> None:
    result = assault(unit(count=3, attack=4, strength=6), unit(count=3, defence=2, resilience=4))
    assert result.pmf("kills") == binomial(3, Fraction(2, 3) * Fraction(2, 3))


@pytest.mark.rule("AOR-12")
def test_only_the_active_unit_strikes_and_the_others_strike_back_with_whoever_is_left() -> None:
    attacker, defender = unit(**KILLS, wounds=5), unit(count=3, dice=1, **KILLS)
    assert assault(attacker, defender).mean("attacker.losses") == 0
    result = fight(attacker, defender)
    assert result.pmf("defender.losses") == {1: chance(1)}
    assert result.pmf("attacker.wounds_left") == {3: chance(1)}


@pytest.mark.rule("AOR-12")
def test_damage_beyond_those_in_contact_is_lost() -> None:
    result = assault(unit(dice=9, **KILLS), unit(count=5, wounds=2), defender_contact=2)
    assert result.pmf("damage") == {4: chance(1)}


@pytest.mark.rule("AOR-13")
@pytest.mark.parametrize(("dice", "kills", "left"), [(1, 0, 5), (2, 1, 4), (3, 1, 3), (4, 2, 2), (9, 3, 0)])
def test_wounds_remove_a_fighter_and_damage_short_of_them_stays(dice: int, kills: int, left: int) -> None:
    result = assault(unit(dice=dice, **KILLS), unit(count=3, wounds=2))
    assert result.pmf("kills") == {kills: chance(1)}
    assert result.pmf("wounds_left") == {left: chance(1)}


@pytest.mark.rule("AOR-13")
def test_damage_of_earlier_rounds_counts() -> None:
    result = fight(unit(**KILLS), unit(wounds=3, **IDLE), rounds=3)
    assert [result.probability_by_round("defender.destroyed", n) for n in (1, 2, 3)] == [0, 0, chance(1)]
    hurt = fight(unit(**KILLS), unit(wounds=3, damage=2, **IDLE), rounds=3)
    assert hurt.probability_by_round("defender.destroyed", 1) == chance(1)


# -- AOR-14, AOR-16: leaving contact -----------------------------------------------------------------
SLOW = {"movement": 1, "dice": 0}


def leaving(attacker: Any, defender: Any = None, **options: Any) -> mathhammer.Result:
    """A fight of engaged sides, the attacker leaves, and the defender is too slow to follow."""
    return fight(attacker, defender or unit(**SLOW), engaged=True, **{"leaves": "always", **options})


@pytest.mark.rule("AOR-14")
def test_who_leaves_contact_loses_its_members_that_were_in_contact() -> None:
    assert leaving(unit(count=5), contact=2).pmf("attacker.losses") == {2: chance(1)}
    assert leaving(unit(count=5)).probability("attacker.destroyed") == 1
    fallen = leaving(unit(count=5, wounds=3, damage=1), contact=2)
    assert fallen.pmf("attacker.wounds_left") == {9: chance(1)}


@pytest.mark.rule("AOR-14")
def test_after_the_losses_it_takes_the_courage_test_that_is_due() -> None:
    """Two of 5 left: courage 2 fails by 1/2, and so does the rally. With 3 left nothing is due."""
    assert leaving(unit(count=5, courage=2), contact=3).probability("attacker.rout") == chance(1 / 4)
    assert leaving(unit(count=5, courage=2), contact=2).probability("attacker.rout") == 0
    gone = leaving(unit(count=5, courage=2), contact=3, edge=19)
    assert gone.probability("attacker.destroyed") == chance(1 / 2)


@pytest.mark.rule("AOR-14")
def test_who_was_at_half_before_it_left_has_tested_already() -> None:
    """Courage 2 fails by 1/2 at the activation, and so does the rally; who stood leaves without a test."""
    result = leaving(unit(count=3, courage=2, start=6), contact=1)
    assert result.probability("attacker.rout") == chance(1 / 4)
    assert result.pmf("attacker.losses") == {1: chance(1)}


@pytest.mark.rule("AOR-21")
@pytest.mark.parametrize(("fear", "breaks"), [(None, 1 / 3), (0, 2 / 3)])
def test_a_fearsome_charge_of_the_round_counts_after_leaving_too(fear: int | None, breaks: float) -> None:
    """Charged, it leaves; courage 3 against 1, or against 3. It goes out of contact: no +2 for Power."""
    scary = {"courage": 4} if fear is None else {"fear": fear}
    charger = unit(power=9, movement=1, **IDLE, **scary)
    shy = unit(count=4, courage=3, **IDLE)
    result = fight(charger, shy, defender_leaves="always", defender_contact=2)
    assert result.probability("defender.broken") == chance(breaks)


@pytest.mark.rule("AOR-14")
def test_who_left_acts_but_does_not_assault_whom_it_left() -> None:
    killers = unit(count=9, **KILLS)
    result = leaving(killers, unit(count=9, **SLOW), contact=1, rounds=2)
    assert result.mean_by_round("defender.losses", 1) == 0
    # the next round it comes back, engaged it leaves again in the third
    assert result.mean_by_round("defender.losses", 2) == chance(1)


@pytest.mark.rule("AOR-14")
def test_leaving_at_half_and_never() -> None:
    whole, half = unit(count=4, courage=30), unit(count=4, courage=30, start=8)
    assert leaving(whole, contact=1, leaves="half").mean("attacker.losses") == 0
    assert leaving(half, contact=1, leaves="half").mean("attacker.losses") == chance(1)
    assert leaving(half, contact=1, leaves="never").mean("attacker.losses") == 0


@pytest.mark.rule("AOR-16")
def test_fall_back_leaves_without_loss_and_who_fails_stays_and_fights() -> None:
    attacker = unit(count=5, strength=6, attack=30, dice=1)
    result = leaving(attacker, unit(resilience=0, courage=30, **SLOW), contact=2, tactic="fall-back")
    assert result.mean("attacker.losses") == 0
    assert result.probability("defender.destroyed") == chance(1 / 2)


@pytest.mark.rule("AOR-16")
@pytest.mark.parametrize(("strength", "stays"), [(12, 0), (8, 1 / 3), (4, 2 / 3), (0, 1)])
def test_fall_back_tests_the_best_strength_against_6(strength: int, stays: float) -> None:
    attacker = unit(
        count=3, strength=0, attack=30, dice=0, groups={"chief": {"strength": strength, "dice": 9}}
    )
    enemy = unit(count=1, resilience=0, courage=30, **SLOW)
    result = leaving(attacker, enemy, tactic="fall-back")
    hits = 1 - (1 - {12: 1, 8: 1, 4: 5 / 6, 0: 1 / 2}[strength]) ** 9
    assert result.probability("defender.destroyed") == chance(stays * hits)


# -- AOR-15, AOR-17, AOR-19, AOR-20: tactics ---------------------------------------------------------
@pytest.mark.rule("AOR-15")
@pytest.mark.parametrize(("reading", "more"), [("one_die", 2), ("full_dice", 6)])
def test_cry_havoc_gives_each_fighter_in_contact_a_free_attack(reading: str, more: int) -> None:
    attacker = unit(count=4, attack=6, strength=30, dice=3)
    defender = unit(count=40, defence=0)
    result = assault(attacker, defender, tactic="cry-havoc", contact=2, r={"cry_havoc": reading})
    assert result.probability("tactic") == chance(1 / 2)
    assert result.pmf("kills") == {6: chance(1 / 2), 6 + more: chance(1 / 2)}


@pytest.mark.rule("AOR-15")
@pytest.mark.parametrize(("reading", "hits"), [(True, 3 / 4), (False, 1 / 2)])
def test_the_free_attack_has_the_re_roll_of_a_charge_or_not(reading: bool, hits: float) -> None:
    charger = unit(attack=6, strength=30, power=9)
    result = assault(
        charger, unit(count=9, defence=6, power=0), tactic="cry-havoc", r={"cry_havoc_reroll": reading}
    )
    assert result.mean("kills") == chance(3 / 4 + 1 / 2 * hits)


@pytest.mark.rule("AOR-15")
def test_cry_havoc_tests_the_best_attack_of_the_unit_and_once_an_activation() -> None:
    led = unit(count=2, attack=3, groups={"leader": {"attack": 9}})
    assert assault(led, tactic="cry-havoc").probability("tactic") == chance(2 / 3)
    assert assault(led, tactic="cry-havoc", distance="21").probability("tactic") == 0
    assert assault(unit(attack=9, courage=4), unit(fear=4), tactic="cry-havoc").probability(
        "tactic"
    ) == chance(1 / 3)


@pytest.mark.rule("AOR-17")
@pytest.mark.parametrize(("authority", "passes"), [(6, 1 / 2), (4, 1 / 3), (12, 1), (0, 0)])
def test_lightning_strike_tests_authority_before_it_may_shoot(authority: int, passes: float) -> None:
    result = shoot(marksmen(authority=authority), tactic="lightning-strike")
    assert result.probability("tactic") == chance(passes)
    assert result.mean("kills") == chance(passes)


@pytest.mark.rule("AOR-17")
def test_lightning_strike_needs_a_free_unit_with_a_marksman() -> None:
    with pytest.raises(InputError, match="not free"):
        shoot(marksmen(authority=6), tactic="lightning-strike", engaged=True)
    with pytest.raises(InputError, match="no marksman"):
        shoot(unit(authority=6), tactic="lightning-strike")


@pytest.mark.rule("AOR-19")
@pytest.mark.parametrize(("authority", "passes"), [(4, 1 / 2), (6, 2 / 3), (10, 1)])
def test_get_a_move_on_runs_10_cm_farther(authority: int, passes: float) -> None:
    """From 45 cm a run of 20 leaves 25, which the other cannot reach, and one of 30 leaves 15."""
    runner = unit(authority=authority)
    result = fight(runner, unit(**KILLS), distance="45", tactic="get-a-move-on")
    assert result.probability("attacker.destroyed") == chance(passes)


@pytest.mark.rule("AOR-19")
def test_get_a_move_on_is_for_a_unit_that_runs_and_ends_before_the_enemy() -> None:
    runner = unit(authority=30, **KILLS)
    assert fight(runner, unit(**IDLE), distance="20", tactic="get-a-move-on").mean(
        "defender.losses"
    ) == chance(1)
    beyond = fight(runner, unit(movement=0, **IDLE), distance="25", tactic="get-a-move-on")
    assert beyond.mean("defender.losses") == 0
    assert fight(runner, unit(movement=0.5, **KILLS), distance="25", tactic="get-a-move-on").mean(
        "attacker.losses"
    ) == chance(1)


@pytest.mark.rule("AOR-20")
def test_kill_them_all_lets_the_defender_strike_first() -> None:
    charger, defender = unit(attack=30, strength=7, power=9), unit(resilience=0, power=0, **KILLS)
    result = assault(charger, defender, tactic="kill-them-all")
    assert result.probability("tactic") == chance(1 / 2)
    assert result.pmf("attacker.losses") == {0: chance(1 / 2), 1: chance(1 / 2)}
    assert result.pmf("kills") == {0: chance(1 / 2), 1: chance(1 / 2)}
    places = assault(charger, defender, tactic="kill-them-all", r={"kill_them_all": "swap_places"})
    assert places.pmf("kills") == {1: chance(1)}
    assert places.mean("attacker.losses") == 0


@pytest.mark.rule("AOR-20")
def test_kill_them_all_needs_a_charge_and_a_lowest_strength_of_7() -> None:
    with pytest.raises(InputError, match="needs a charge"):
        assault(unit(strength=7), unit(**KILLS), tactic="kill-them-all")
    with pytest.raises(InputError, match="7 or more"):
        assault(unit(strength=9, groups={"boy": {"strength": 6}}), tactic="kill-them-all")


@pytest.mark.parametrize(
    ("mode", "tactic", "rule"),
    [("shoot", "lightning-strike", "AOR-17"), ("fight", "get-a-move-on", "AOR-19")],
)
def test_a_tactic_that_never_passes_is_told(mode: str, tactic: str, rule: str) -> None:
    for authority, told in ((0, True), (2, False)):
        notes = ask(mode, marksmen(authority=authority), unit(), {}, tactic=tactic).notes
        assert any("never passes" in note and rule in note for note in notes) == (told and rule == "AOR-17")


# -- AOR-21: courage at half -------------------------------------------------------------------------
def courage(own: Any, enemy: Any = None, **options: Any) -> mathhammer.Result:
    """Engaged sides that do not strike: who fails flees, and with all in contact is destroyed."""
    return fight(own, enemy or unit(count=2, **IDLE), **{"engaged": True, **options})


def halved(**fields: Any) -> Any:
    return unit(**{"count": 2, "start": 4, "courage": 3, "dice": 0, **fields})


@pytest.mark.rule("AOR-21")
@pytest.mark.parametrize(
    ("power", "courage_value", "fails"), [(1, 3, 1 / 3), (2, 3, 1 / 2), (1, 1, 1 / 2), (2, 1, 2 / 3)]
)
def test_courage_at_half_is_harder_against_more_power(power: int, courage_value: int, fails: float) -> None:
    result = courage(halved(courage=courage_value), unit(count=2, power=power, **IDLE))
    assert result.probability("attacker.destroyed") == chance(fails)


@pytest.mark.rule("AOR-21")
@pytest.mark.parametrize(
    ("monster", "fails"),
    [
        ({"power": 9}, 2 / 3),  # a charge by more Power: 3 - 5
        ({"power": 0, "category": "light-cavalry"}, 1 / 2),  # a charge: 3 - 3
        ({"power": 2}, 1 / 3),  # no charge: 3 - 1
    ],
)
def test_courage_at_half_is_harder_after_a_charge_of_the_fearsome(
    monster: dict[str, Any], fails: float
) -> None:
    """Against Fear 0 courage 3 fails by 1/3; who resisted tests at half in its own activation."""
    result = fight(unit(fear=0, **IDLE, **monster), halved())
    assert result.probability("defender.destroyed") == chance(1 / 3 + 2 / 3 * fails)


@pytest.mark.rule("AOR-21")
def test_the_charge_of_the_fearsome_counts_in_its_round_only() -> None:
    """Cavalry without Power: harder in round 1, when it charged, and not when they stand in melee later."""
    result = fight(unit(fear=0, power=0, category="light-cavalry", **IDLE), halved(), rounds=2)
    first = 1 / 3 + 2 / 3 * 1 / 2
    assert result.probability_by_round("defender.destroyed", 2) == chance(first + (1 - first) * 1 / 3)


@pytest.mark.rule("AOR-21")
@pytest.mark.parametrize(("reading", "tested"), [("at_or_below", (1, 1, 0)), ("below", (1, 0, 0))])
def test_half_of_the_starting_number(reading: str, tested: tuple[int, int, int]) -> None:
    for count, due in zip((1, 2, 3), tested, strict=True):
        result = courage(halved(count=count, courage=1), unit(power=0, **IDLE), r={"half_strength": reading})
        assert result.probability("attacker.destroyed") == chance(due / 2)


@pytest.mark.rule("AOR-21")
def test_all_that_started_count_whatever_they_are() -> None:
    """An incarnate and its familiar among 4 at the start: two left are half."""
    own = unit(count=1, courage=3, **IDLE, groups={"captain": {"roles": ["incarnate"]}}, start=4)
    assert courage(own).probability("attacker.destroyed") == chance(1 / 3)


@pytest.mark.rule("AOR-21")
def test_courage_is_tested_at_every_activation_while_at_half() -> None:
    result = courage(halved(courage=1), rounds=3)
    chances = [result.probability_by_round("attacker.destroyed", n) for n in (1, 2, 3)]
    assert chances == [chance(1 / 2), chance(3 / 4), chance(7 / 8)]


@pytest.mark.rule("AOR-21")
@pytest.mark.parametrize(("reading", "fails"), [("best", 1 / 3), ("ranks", 1 / 2)])
def test_the_best_courage_in_the_unit_or_that_of_its_ranks(reading: str, fails: float) -> None:
    own = halved(courage=1, start=6, groups={"leader": {"courage": 3}})
    enemy = unit(count=3, **IDLE)
    result = courage(own, enemy, r={"courage_value_of": reading})
    assert result.probability("attacker.destroyed") == chance(fails)


@pytest.mark.rule("AOR-21")
def test_who_fails_flees_in_the_same_activation_or_in_the_next() -> None:
    now = courage(halved(), rounds=2)
    assert now.probability_by_round("attacker.destroyed", 1) == chance(1 / 3)
    later = courage(halved(), rounds=2, r={"flee_on_fail": "next"})
    assert later.probability_by_round("attacker.destroyed", 1) == 0
    # failed by 1/3, not rallied by 1/3: it flees in its second activation
    assert later.probability_by_round("attacker.rout", 1) == chance(1 / 9)
    assert later.probability_by_round("attacker.destroyed", 2) == chance(1 / 9)


@pytest.mark.rule("AOR-21")
def test_fearsome_units_test_their_fear_and_creatures_do_not_test() -> None:
    fearsome = unit(count=2, start=4, fear=1, **IDLE)
    assert courage(fearsome).probability("attacker.destroyed") == chance(1 / 2)
    creature = unit(count=2, start=4, fear=1, category="creature", **IDLE)
    assert courage(creature).probability("attacker.destroyed") == 0


@pytest.mark.rule("AOR-21")
def test_a_volley_tells_whether_courage_is_due() -> None:
    shooter = marksmen(count=2, ranged=4, ranged_strength=30)
    result = shoot(shooter, unit(count=4))
    assert result.probability("at_half") == chance(25 / 36)
    assert shoot(shooter, unit(count=4, category="creature")).probability("at_half") == 0
    assert shoot(shooter, unit(count=2)).probability("at_half") == chance(2 * 5 / 36)


@pytest.mark.rule("AOR-25")
@pytest.mark.parametrize(
    ("reading", "fear", "half", "rally"),
    [("all_courage", 1 / 4, 1 / 4, 1 / 16), ("activation_only", 1 / 2, 1 / 4, 1 / 8)],
)
def test_the_commander_throws_two_dice_in_courage_tests(
    reading: str, fear: float, half: float, rally: float
) -> None:
    chief = unit(courage=4, roles=["commander"])
    assert assault(unit(fear=4), chief, r={"commander_dice": reading}).probability("rout") == chance(fear)
    own = halved(courage=1, roles=["commander"])
    assert courage(own, r={"commander_dice": reading}).probability("attacker.destroyed") == chance(half)
    in_place = courage(own, r={"commander_dice": reading, "flee_on_fail": "next"})
    assert in_place.probability("attacker.rout") == chance(rally)


# -- AOR-22: rout ------------------------------------------------------------------------------------
@pytest.mark.rule("AOR-22")
@pytest.mark.parametrize(("edge", "destroyed"), [(19, 1), (20, 0), (None, 0)])
def test_a_flight_of_twice_the_movement_beyond_the_edge_destroys(edge: int | None, destroyed: int) -> None:
    """It fails against Fear and does not rally: in round 2 it flees."""
    shy, monster = unit(courage=0, **IDLE), unit(fear=9, movement=0, **IDLE)
    result = fight(shy, monster, distance="5", rounds=2, edge=edge, r=SURE)
    assert result.probability_by_round("attacker.rout", 1) == 1
    assert result.probability_by_round("attacker.destroyed", 1) == 0
    assert result.probability_by_round("attacker.destroyed", 2) == destroyed


@pytest.mark.rule("AOR-22")
@pytest.mark.parametrize(("edge", "destroyed"), [(19, 1), (20, 0)])
def test_who_came_forward_has_its_edge_farther_behind(edge: int, destroyed: int) -> None:
    """From 30 cm it comes 20 nearer, then fails against Fear where it stands, and flees 20 twice."""
    shy, monster = unit(courage=0, **IDLE), unit(fear=9, movement=0, **IDLE)
    beyond = fight(shy, monster, rounds=4, distance="30", edge=edge, r=SURE)
    assert beyond.probability_by_round("attacker.destroyed", 3) == 0
    assert beyond.probability_by_round("attacker.destroyed", 4) == destroyed


@pytest.mark.rule("AOR-22")
@pytest.mark.parametrize(("changes", "rounds", "gone"), [({}, 3, 0), ({}, 4, 1), ({"pursue": False}, 4, 1)])
def test_who_is_in_rout_flees_though_the_enemy_is_gone(
    changes: dict[str, Any], rounds: int, gone: int
) -> None:
    """Both at half break and flee apart in round 1, the enemy off the table; 60 cm last three flights."""
    shy = unit(count=1, start=4, courage=0, category="light-cavalry", **IDLE)
    r = {**SURE, **changes}
    result = fight(shy, shy, engaged=True, edge=60, defender_edge=19, rounds=rounds, r=r)
    assert result.probability_by_round("defender.destroyed", 1) == 1
    assert result.probability("attacker.destroyed") == gone


@pytest.mark.rule("AOR-22")
@pytest.mark.parametrize(("tests_half", "gone"), [(False, 1 / 8), (True, 1 / 8 + 1 / 16)])
def test_who_rallies_at_its_activation_where_the_enemy_is_gone_assaults_nobody(
    tests_half: bool, gone: float
) -> None:
    """Both break (1/2 each) and flee, the enemy off the table; who does not rally (1/2) follows it there.

    So does, where it is tested again, half of those that rallied.
    """
    alone = {"count": 1, "start": 4, "category": "light-cavalry", **IDLE}
    r = {"rally_timing": "activation", "rally_tests_half": tests_half}
    sides = unit(courage=2, **alone), unit(courage=0, **alone)
    result = fight(*sides, engaged=True, edge=39, defender_edge=0, rounds=2, r=r)
    assert result.joint("attacker.destroyed", "defender.destroyed").loc[1, 1] == chance(gone)


@pytest.mark.rule("AOR-22")
def test_members_in_contact_are_lost_in_flight_and_all_of_them_is_the_unit() -> None:
    own = halved(count=4, start=8, courage=0)
    result = courage(own, unit(movement=0, **IDLE), contact=3, r=SURE)
    assert result.pmf("attacker.losses") == {3: 1.0}
    assert courage(own, r=SURE).probability("attacker.destroyed") == 1


@pytest.mark.rule("AOR-22")
@pytest.mark.parametrize(("keeps", "losses"), [(True, 0), (False, 2)])
def test_cavalry_keeps_its_members_in_flight_or_not(keeps: bool, losses: int) -> None:
    own = halved(courage=0, category="heavy-cavalry")
    result = courage(own, unit(movement=0, **IDLE), r={**SURE, "flight_keeps": keeps})
    assert result.pmf("attacker.losses") == {losses: 1.0}


@pytest.mark.rule("AOR-22")
@pytest.mark.parametrize(("pursues", "losses"), [(True, 4), (False, 2)])
def test_the_other_side_follows_a_flight_and_assaults_again(pursues: bool, losses: int) -> None:
    """One dies, one is lost in flight; whoever follows does so once more."""
    killer, shy = unit(**KILLS), unit(count=4, start=8, courage=0, **IDLE)
    result = fight(killer, shy, engaged=True, defender_contact=1, rounds=2, r={**SURE, "pursue": pursues})
    assert result.mean_by_round("defender.losses", 1) == chance(2)
    assert result.mean_by_round("defender.losses", 2) == chance(losses)


@pytest.mark.rule("AOR-22")
def test_a_flight_out_of_reach_is_not_caught_up_with() -> None:
    killer, fast = unit(movement=5, **KILLS), unit(count=4, start=8, courage=0, movement=10, **IDLE)
    result = fight(killer, fast, engaged=True, defender_contact=1, rounds=3, r=SURE)
    assert result.mean("defender.losses") == chance(2)


@pytest.mark.rule("AOR-22")
def test_attack_counts_as_0_in_rout() -> None:
    """Kill Them All lets a defender in rout strike: 0 against 4 is a 6, where valiant it is sure."""
    charger, defender = unit(strength=12, power=9), unit(power=0, **KILLS)
    valiant = assault(charger, defender, tactic="kill-them-all")
    assert valiant.mean("attacker.losses") == chance(1)
    in_rout = assault(charger, defender, tactic="kill-them-all", defender_rout=True)
    assert in_rout.mean("attacker.losses") == chance(1 / 6)


@pytest.mark.rule("AOR-22")
def test_a_unit_in_rout_neither_strikes_nor_calls_tactics() -> None:
    own = halved(courage=0, attack=30, strength=30, dice=1)
    result = courage(own, tactic="cry-havoc", rounds=2, r={**SURE, "flee_on_fail": "next"})
    assert result.mean("defender.losses") == 0


@pytest.mark.rule("AOR-22")
def test_who_routs_before_the_enemy_and_rallies_at_once_has_been_in_rout() -> None:
    """The pack comes nearer; the conscripts assault it, test against its Fear, and rally (2 of 3) apart."""
    result = mathhammer.exact("aor", "fight", "frightening-pack", "conscripts", rounds=1, distance=45)
    assert result.probability("defender.broken") == chance(1 / 2)
    assert result.probability("defender.rout") == chance(1 / 6)


@pytest.mark.rule("AOR-22")
def test_who_routs_when_it_assaults_and_rallies_at_once_has_been_in_rout() -> None:
    """The pack comes nearer; the conscripts assault it, fail against its Fear (1/2), and rally (2/3)."""
    result = mathhammer.exact("aor", "fight", "frightening-pack", "conscripts", rounds=1, distance=45)
    assert result.probability("defender.broken") == chance(1 / 2)
    assert result.probability("defender.rout") == chance(1 / 6)


# -- AOR-23: rally -----------------------------------------------------------------------------------
@pytest.mark.rule("AOR-23")
@pytest.mark.parametrize(
    ("enemy", "fails", "stays"),
    [
        ({"power": 1}, 1 / 3, 1 / 3),
        ({"power": 2}, 1 / 2, 1 / 2),
        ({"power": 1, "fear": 0}, 1 / 3, 1 / 2),
        ({"power": 2, "fear": 0}, 1 / 2, 2 / 3),
    ],
)
def test_a_rally_is_harder_engaged_with_more_power_and_with_the_fearsome(
    enemy: dict[str, Any], fails: float, stays: float
) -> None:
    """It fails at half where it stands, and may rally at the end of the round: courage 3."""
    result = courage(halved(), unit(count=2, **IDLE, **enemy), r={"flee_on_fail": "next"})
    assert result.probability("attacker.rout") == chance(fails * stays)


@pytest.mark.rule("AOR-23")
def test_a_rally_away_from_the_enemy_has_difficulty_1_and_takes_the_best_value() -> None:
    """Courage 3 never stands Fear 9; its rally fails by 1/3."""
    shy, monster = (
        unit(courage=1, **IDLE, groups={"leader": {"courage": 3}}),
        unit(fear=9, power=9, movement=0, **IDLE),
    )
    assert fight(shy, monster, distance="5").probability("attacker.rout") == chance(1 / 3)


@pytest.mark.rule("AOR-23")
def test_a_later_printing_rallies_at_the_activation() -> None:
    """In rout after round 1; in round 2 it rallies by 2/3 and assaults again, or flees 20 cm."""
    shy, monster = unit(courage=3, **IDLE), unit(fear=9, movement=0, **IDLE)
    result = fight(shy, monster, rounds=2, distance="5", edge=15, r={"rally_timing": "activation"})
    assert result.probability_by_round("attacker.rout", 1) == chance(1)
    assert result.probability_by_round("attacker.destroyed", 2) == chance(1 / 3)
    assert result.probability_by_round("attacker.rout", 2) == chance(2 / 3)


# -- AOR-24: war staffs ------------------------------------------------------------------------------
def staff(*roles: str, **captain: Any) -> Any:
    """A staff whose incarnate has Courage 7 and Authority 6."""
    lead = {"courage": 7, "authority": 6, "roles": ["incarnate"], **captain}
    return unit(name="Staff", groups={"captain": lead, **{role: {"roles": [role]} for role in roles}})


def at(made: Any, word: str) -> Placed:
    words = {"unseen": {"sees": False}, "far": {"near": False}, "rout": {"rout": True}, "": {}}
    return Placed(made, {"sees": True, "near": True, "rout": False, **words[word]})


@pytest.mark.rule("AOR-24")
@pytest.mark.parametrize(
    ("beside", "word", "lends"),
    [
        (("standard",), "", True),
        (("standard",), "unseen", False),
        (("standard",), "far", True),
        (("musician",), "", True),
        (("musician",), "unseen", True),
        (("musician",), "far", False),
        (("standard", "musician"), "", True),
        (("standard", "musician"), "unseen", False),
        (("standard", "musician"), "far", False),
        (("standard", "musician"), "rout", False),
    ],
)
def test_who_may_use_a_staff(beside: tuple[str, ...], word: str, lends: bool) -> None:
    """Courage 1 never stands Fear 7, and the lent 7 does by 1/2."""
    result = assault(unit(courage=1), unit(fear=7), attacker_staff=[at(staff(*beside), word)])
    assert result.probability("attacker.rout") == chance(1 / 2 if lends else 1)


@pytest.mark.rule("AOR-24")
def test_of_two_staffs_the_nearer_that_may_be_used_lends() -> None:
    near, far = staff("standard", courage=5), staff("standard", courage=9)

    def fails(*listed: Placed) -> float:
        return assault(unit(courage=1), unit(fear=7), attacker_staff=list(listed)).probability(
            "attacker.rout"
        )

    assert fails(at(near, ""), at(far, "")) == chance(2 / 3)
    assert fails(at(far, ""), at(near, "")) == chance(1 / 3)
    assert fails(at(near, "unseen"), at(far, "")) == chance(1 / 3)
    assert fails(at(near, "rout"), at(far, "unseen")) == chance(1)


@pytest.mark.rule("AOR-24")
def test_a_staff_lends_for_tests_at_half_rallies_and_to_the_defender() -> None:
    lent = [at(staff("standard", courage=3), "")]
    assert courage(halved(courage=1), attacker_staff=lent).probability("attacker.destroyed") == chance(1 / 3)
    shy, monster = unit(courage=1, **IDLE), unit(fear=30, movement=0, **IDLE)
    result = fight(shy, monster, distance="5", attacker_staff=lent)
    assert result.probability("attacker.rout") == chance(1 / 3)
    result = assault(unit(fear=7), unit(courage=1), defender_staff=[at(staff("musician"), "")])
    assert result.probability("rout") == chance(1 / 2)


@pytest.mark.rule("AOR-24")
def test_a_lent_fear_is_a_value_of_the_test_and_frightens_nobody() -> None:
    lent = [at(staff("standard", courage=None, fear=9), "")]
    assert assault(unit(), unit(courage=0), attacker_staff=lent).probability("rout") == 0
    assert assault(unit(courage=1), unit(fear=9), attacker_staff=lent).probability("attacker.rout") == chance(
        1 / 2
    )


@pytest.mark.rule("AOR-24")
def test_a_staff_lends_its_authority_to_tactics_and_nothing_else() -> None:
    lent = [at(staff("standard", attack=30, strength=30), "")]
    run = shoot(marksmen(authority=0), tactic="lightning-strike", attacker_staff=lent)
    assert run.probability("tactic") == chance(1 / 2)
    havoc = assault(unit(attack=0), tactic="cry-havoc", attacker_staff=lent)
    assert havoc.probability("tactic") == 0


@pytest.mark.rule("AOR-24")
def test_a_staff_is_an_incarnate_with_a_musician_or_a_standard_bearer() -> None:
    for wrong, said in ((unit(roles=["standard"]), "incarnate"), (staff(), "musician or a standard")):
        with pytest.raises(InputError, match=f"{said}.*AOR-24"):
            assault(attacker_staff=[at(wrong, "")])


# -- AOR-29: categories ------------------------------------------------------------------------------
@pytest.mark.rule("AOR-29")
@pytest.mark.parametrize(
    ("category", "losses"),
    [("infantry", 2), ("creature", 2), ("light-cavalry", 0), ("heavy-cavalry", 0), ("titan", 0)],
)
def test_cavalry_and_titans_leave_contact_without_loss(category: str, losses: int) -> None:
    result = leaving(unit(count=2, category=category))
    assert result.pmf("attacker.losses") == {losses: chance(1)}


@pytest.mark.rule("AOR-29")
def test_ordinary_attacks_and_shots_cause_no_strength_tests_on_titans() -> None:
    titan = unit(category="titan", wounds=5, resilience=0)
    assert assault(unit(dice=9, **KILLS), titan).pmf("damage") == {0: chance(1)}
    assert shoot(marksmen(ranged_dice=9), titan).pmf("damage") == {0: chance(1)}
    beside = unit(count=2, category="titan", groups={"guard": {"category": "infantry"}})
    assert shoot(marksmen(ranged_dice=9, perforating=True), beside).pmf("kills") == {1: chance(1)}


@pytest.mark.rule("AOR-29")
def test_a_war_machine_without_crew_is_not_activated() -> None:
    """The crew dies first; what remains neither strikes nor comes. Its wounds are its structure points."""
    gun = {"category": "war-machine", "wounds": 4, "dice": 9, **KILLS}
    own = unit(count=0, groups={"crew": {"roles": ["crew"], **IDLE}, "gun": gun})
    result = fight(unit(wounds=9, **KILLS), own, rounds=2, r=PLAIN)
    assert result.mean("attacker.losses") == 0
    assert result.pmf("defender.wounds_left") == {3: chance(1)}
    manned = unit(count=0, groups={"crew": {"roles": ["crew"], "count": 2, **IDLE}, "gun": gun})
    struck = fight(unit(wounds=9, **KILLS), manned, r=PLAIN)
    assert struck.mean("attacker.losses") == chance(1)
    for mode in ("assault", "shoot"):
        with pytest.raises(InputError, match="AOR-29"):
            ask(mode, unit(count=0, groups={"gun": {**gun, "ranged": 5}}), None, PLAIN)


# -- AOR-30: objectives ------------------------------------------------------------------------------
@pytest.mark.rule("AOR-30")
@pytest.mark.parametrize(
    ("ours", "theirs", "needed", "holder"),
    [
        (10, 9, 10, "attacker"),
        (9, 8, 10, None),
        (10, 10, 10, None),
        (12, 20, 10, "defender"),
        (0, 10, 10, "defender"),
        (9, 8, 9, "attacker"),
    ],
)
def test_the_greater_power_of_10_or_more_controls_the_objective(
    ours: int, theirs: int, needed: int, holder: str | None
) -> None:
    own, enemy = unit(power=ours, **IDLE), unit(power=theirs, **IDLE)
    result = fight(own, enemy, objective=True, r={"objective_power": needed})
    for side in ("attacker", "defender"):
        assert result.probability(f"{side}.holds_objective") == (1 if side == holder else 0)
    assert fight(own, enemy).probability("attacker.holds_objective") == 0


@pytest.mark.rule("AOR-30")
def test_the_power_of_the_dead_and_of_units_in_rout_does_not_count() -> None:
    killed = fight(unit(**KILLS, power=10), unit(count=2, power=10, courage=30, **IDLE), objective=True)
    assert killed.probability("attacker.holds_objective") == 0
    assert killed.pmf("defender.power_left") == {10: chance(1)}
    shy, monster = unit(courage=0, power=20, **IDLE), unit(fear=9, power=10, movement=0, **IDLE)
    assert fight(shy, monster, objective=True, r=SURE).probability("defender.holds_objective") == 1


@pytest.mark.rule("AOR-30")
def test_who_has_fled_is_beside_the_objective_again_when_it_has_touched_the_enemy() -> None:
    """It flees 20 cm, is followed by nobody, comes back and wipes the enemy out in one activation.

    Riders are engaged with a slow enemy: at half they fail by 1/2, flee unhurt, rally by 1/2, and charge.
    """
    riders = unit(count=2, start=4, category="light-cavalry", courage=1, power=9, **KILLS)
    enemy = unit(count=2, power=0, movement=0, **IDLE)
    result = fight(riders, enemy, engaged=True, objective=True, rounds=2)
    # round 1: half stand and kill both, and hold it; half flee, where fled riders hold nothing
    assert result.probability_by_round("attacker.holds_objective", 1) == chance(1 / 2)
    # round 2: half of the former pass at half again; of those that rallied (1/4 of all) half pass too,
    # assault from 20 cm, and hold it
    assert result.probability_by_round("attacker.holds_objective", 2) == chance(1 / 4 + 1 / 8)


@pytest.mark.rule("AOR-21")
@pytest.mark.parametrize("mode", ["assault", "area"])
def test_who_is_brought_to_half_is_told(mode: str) -> None:
    """One that falls for sure, of two or of three; creatures know no half."""
    own = marksmen(area=0.1, **KILLS)
    asked = {"r": PLAIN} if mode == "assault" else {}
    for enemy, due in ((unit(count=2), 1), (unit(count=3), 0), (unit(count=2, category="creature"), 0)):
        told = assault(own, enemy, **asked) if mode == "assault" else ask("area", own, enemy, {}, aim=1)
        assert told.probability("at_half") == chance(due)


@pytest.mark.rule("AOR-21")
def test_a_fearsome_charge_may_be_remembered_until_the_next_activation() -> None:
    """The defender charges the attacker, who is at half at once and tests in round 2: 1, or 3 with Fear."""
    own = unit(count=2, start=4, courage=2, movement=0, **IDLE)
    enemy = unit(count=2, fear=1, power=0, category="light-cavalry", **IDLE)
    changes = {"flee_on_fail": "next", **SURE}
    asked = {"rounds": 2, "objective": False}
    for until, fails in (("this_round", 0), ("next_activation", 1)):
        told = fight(
            own,
            enemy,
            r={**changes, "fearsome_charge": until, "rally_timing": "activation"},
            **asked,
            distance="10",
        )
        assert told.probability("attacker.broken") == fails


@pytest.mark.rule("AOR-23")
def test_who_rallies_at_its_activation_may_have_to_test_at_half_too() -> None:
    """It fails by 1/2, rallies by 1/2, and then strikes, or must pass once more."""
    own = unit(count=2, start=4, courage=1, category="light-cavalry", **KILLS)
    enemy = unit(count=40, power=0, movement=0, **IDLE)
    changes = {"rally_timing": "activation", "flee_on_fail": "next"}
    for tests, strikes in ((False, 1 / 2), (True, 1 / 4)):
        told = fight(own, enemy, r={**changes, "rally_tests_half": tests}, engaged=True, rounds=2)
        lost = told.pmf("defender.losses")
        assert lost[2] == chance(1 / 4 + strikes / 2)  # in round 1 or in round 2 only
        assert "rally_tests_half" in [line["key"] for line in told.assumptions]


@pytest.mark.rule("AOR-30")
def test_who_has_left_contact_is_away_from_the_objective() -> None:
    """Riders hit nobody and go; the others stay, and are too few by themselves."""
    riders = unit(count=2, category="light-cavalry", movement=20, power=9, **IDLE)
    asked = {"engaged": True, "objective": True}
    for strong, holder in ((9, None), (10, "attacker")):
        gone = fight(unit(power=strong, **IDLE), riders, defender_leaves="always", **asked)
        for side in ("attacker", "defender"):
            assert gone.probability(f"{side}.holds_objective") == (side == holder)
    stays = fight(unit(power=9, **IDLE), riders, **asked)
    assert stays.probability("defender.holds_objective") == 1


@pytest.mark.rule("AOR-30")
@pytest.mark.parametrize(
    ("place", "held"), [("both", (1, 1, 1)), ("attacker", (1, 1, 1)), ("defender", (0, 0, 1))]
)
def test_the_objective_lies_by_one_side_or_both(place: str, held: tuple[int, ...]) -> None:
    """The attacker comes from 60 cm by 20 cm a round, and touches in the third."""
    own, enemy = unit(power=10, **IDLE), unit(power=9, movement=0, **IDLE)
    told = fight(own, enemy, objective=True, distance=60, rounds=3, r={"objective_place": place})
    for round_, chances in enumerate(held, 1):
        assert told.probability_by_round("attacker.holds_objective", round_) == chances
    assert "objective_place" in [line["key"] for line in told.assumptions]
    assert "objective_place" not in [line["key"] for line in fight(own, enemy).assumptions]


@pytest.mark.rule("AOR-22")
def test_who_has_been_in_rout_is_remembered_with_what_was_lost() -> None:
    """Who fails its courage flees and loses the one in contact: nobody is broken without a loss."""
    result = fight(halved(), unit(count=2, **IDLE), engaged=True, contact=1, rounds=3)
    assert result.probability("attacker.broken") >= result.probability("attacker.rout")
    assert result.joint("attacker.losses", "attacker.broken").loc[0, 1] == 0


@pytest.mark.rule("AOR-04")
def test_who_waits_does_not_come_nearer() -> None:
    """From 30 cm neither reaches: who comes nearer by 20 is assaulted; who waits is not."""
    sides = unit(**KILLS), unit(**KILLS)
    assert fight(*sides, distance="30", rounds=1).probability("attacker.destroyed") == chance(1)
    assert fight(*sides, distance="30", rounds=1, waits="attacker").probability("attacker.destroyed") == 0
    both = fight(*sides, distance="45", rounds=3, waits="attacker")
    assert both.probability("defender.destroyed") == chance(1)


# -- readings of units that are mixed, and of what lies near -----------------------------------------
@pytest.mark.rule("AOR-21")
def test_courage_at_half_is_due_at_activation_without_an_enemy_too() -> None:
    """Two of four kill the enemy at once (1/2 stand), then test alone: each round half of them break.

    Who breaks flees 20 cm in that activation, and rallies by 1/2.
    """
    winners = unit(count=2, start=4, courage=1, category="light-cavalry", power=9, **KILLS)
    result = fight(winners, unit(count=2, power=0, **IDLE), engaged=True, rounds=3, edge=19)
    stands = [result.probability_by_round("attacker.destroyed", n) for n in (1, 2, 3)]
    assert stands == [chance(1 / 2), chance(3 / 4), chance(7 / 8)]
    fresh = fight(unit(count=2, start=3, courage=1, **KILLS), unit(power=0, **IDLE), rounds=3, edge=19)
    assert fresh.probability("attacker.destroyed") == 0
    beasts = winners.model_copy(update={"category": "creature"})
    assert fight(beasts, unit(power=0, **IDLE), rounds=3, edge=19).probability("attacker.destroyed") == 0


@pytest.mark.rule("AOR-04")
@pytest.mark.parametrize(("reading", "reach"), [("slowest", 15), ("fastest", 20)])
def test_how_far_a_unit_of_several_movements_goes(reading: str, reach: int) -> None:
    mixed = unit(movement=10, groups={"gun": {"movement": 7.5}})
    asked = {"r": {"mixed_movement": reading}}
    told = [assault(mixed, distance=str(reach + more), **asked).probability("reaches") for more in (0, 1)]
    assert told == [1, 0]
    flown = [fight(mixed, distance=str(reach + more), rounds=1, waits="defender", **asked) for more in (0, 1)]
    assert [result.mean("defender.losses") > 0 for result in flown] == [True, False]
    assert "mixed_movement" not in [line["key"] for line in assault(unit(), distance="20").assumptions]


@pytest.mark.rule("AOR-04")
def test_the_movement_of_a_mixed_unit_is_of_those_left() -> None:
    """The slow gun dies to the first blow; who is left flees 20 cm, off the table from 19, not from 20."""
    mixed = {"groups": {"gun": {"movement": 2.5}}, "order": ["gun", "ranks"], "category": "light-cavalry"}
    own, enemy = unit(movement=10, courage=0, **{**IDLE, **mixed}), unit(movement=0, power=0, **KILLS)
    for edge, gone in ((19, 1), (20, 0)):
        result = fight(own, enemy, r=SURE, engaged=True, rounds=2, edge=edge)
        assert result.probability("attacker.destroyed") == chance(gone)


@pytest.mark.rule("AOR-29")
@pytest.mark.parametrize(("squires", "all_", "most"), [(0, 1, 1), (1, 0, 1), (2, 0, 0), (3, 0, 0)])
def test_whether_a_unit_of_riders_and_others_charges_as_cavalry(squires: int, all_: int, most: int) -> None:
    """Two riders, and as many who are none."""
    others = {"groups": {"squire": {"category": "infantry", "count": squires}}} if squires else {}
    own, enemy = unit(count=2, category="light-cavalry", power=0, **others), unit(power=9)
    for reading, charges in (("all", all_), ("most", most)):
        told = assault(own, enemy, r={"category_of": reading})
        assert told.probability("charges") == charges
        assert ("category_of" in [line["key"] for line in told.assumptions]) == bool(squires)


@pytest.mark.rule("AOR-29")
def test_riders_who_are_left_alone_are_cavalry_again_unless_most_decides() -> None:
    """The squires in front fall first; then the riders, with less Power, assault."""
    others = {"groups": {"squire": {"category": "infantry", "count": 3}}, "order": ["squire", "ranks"]}
    own = unit(count=2, category="light-cavalry", power=0, start=5, **{**IDLE, **others})
    side = Side("attacker", own)
    columns = {name: np.array([value, value], dtype=np.int32) for name, value in side.start.items()}
    columns["attacker.squire"] = np.array([2, 3], dtype=np.int32)
    cavalry = ("light-cavalry",)
    assert side.is_of(cavalry, columns, rules()).tolist() == [False, True]
    assert side.is_of(cavalry, columns, rules(category_of="most")).tolist() == [False, False]


@pytest.mark.rule("AOR-21")
@pytest.mark.parametrize(("keepers", "all_", "most"), [(0, 0, 0), (1, 1, 0), (3, 1, 1)])
def test_a_unit_of_creatures_and_others_at_half(keepers: int, all_: int, most: int) -> None:
    """Two creatures and some keepers in front, of whom a volley of one kills the first: at half."""
    others = {"groups": {"keeper": {"category": "infantry", "count": keepers}}} if keepers else {}
    pack = unit(count=2, category="creature", start=20, courage=4, **others)
    for reading, due in (("all", all_), ("most", most)):
        told = shoot(marksmen(ranged_strength=0), pack, r={"category_of": reading})
        assert told.probability("at_half") == chance(due)


@pytest.mark.rule("AOR-05")
@pytest.mark.parametrize(
    ("when", "hits"),
    [
        # three dice of 4+: 0 to 3 hits by 1/8, 3/8, 3/8, 1/8
        ("below_mean", {0: 1 / 16, 1: 3 / 16, 2: 9 / 16, 3: 3 / 16}),  # the mean is 3/2: 0 and 1 again
        ("no_success", {0: 1 / 64, 1: 27 / 64, 2: 27 / 64, 3: 9 / 64}),
    ],
)
def test_when_a_whole_throw_is_thrown_again(when: str, hits: dict[int, float]) -> None:
    charger = unit(dice=3, strength=30, power=2)
    result = assault(charger, unit(count=5, power=0), r={"charge_reroll": "all", "all_again": when})
    assert result.pmf("kills") == pytest.approx(hits, abs=1e-12)
    keys = [line["key"] for line in assault(charger, unit(power=0)).assumptions]
    assert "all_again" not in keys


@pytest.mark.rule("AOR-09")
@pytest.mark.parametrize(
    ("damage", "order", "kills", "guard", "ranks"),
    [
        (2, "least_damage", 2, 0, 2),
        (2, "nearest", 0, 2, 0),
        (4, "least_damage", 2, 2, 2),
        (4, "nearest", 2, 3, 1),
        (1, "least_damage", 1, 0, 1),
    ],
)
def test_whether_the_nearest_die_before_who_needs_least(
    damage: int, order: str, kills: int, guard: int, ranks: int
) -> None:
    """One guard of three wounds before two of one; every die does damage."""
    target = unit(count=2, groups={"guard": {"wounds": 3}}, order=["guard", "ranks"])
    shooter = marksmen(ranged_dice=damage, perforating=True)
    told = shoot(shooter, target, r={"volley_order": order})
    assert told.pmf("kills") == {kills: chance(1)}
    side = Side("defender", target)
    columns = {name: np.zeros(1, dtype=np.int32) for name in side.start}
    harmed = allocated(side, columns, np.array([damage], dtype=np.int32), nearest=order == "nearest")
    assert [int(harmed[f"defender.{name}"][0]) for name in ("guard", "ranks")] == [guard, ranks]
    assert "volley_order" in [line["key"] for line in told.assumptions] or order == "nearest"


@pytest.mark.rule("AOR-24")
@pytest.mark.parametrize(("reading", "passes"), [("usable", 1), ("any", 0)])
def test_whether_a_nearer_staff_that_lends_nothing_counts(reading: str, passes: int) -> None:
    """The nearer cannot be seen; the other lends Authority 6 against 6. The table is sure."""
    unseen, seen = at(staff("standard"), "unseen"), at(staff("standard", authority=6), "")
    asked: dict[str, Any] = {"tactic": "lightning-strike", "attacker_staff": [unseen, seen]}
    told = shoot(marksmen(authority=0), r={**SURE, "nearest_staff": reading}, **asked)
    assert told.probability("tactic") == chance(passes)
    alone = {**asked, "attacker_staff": [seen, unseen]}
    keys = [line["key"] for line in shoot(marksmen(authority=0), r=SURE, **alone).assumptions]
    assert "nearest_staff" not in keys


@pytest.mark.rule("AOR-11")
def test_more_in_contact_than_there_are_is_told() -> None:
    told = assault(unit(name="Few", count=2), contact=3, defender_contact=1).notes
    assert "--contact 3: all of Few touch, who are only 2 (AOR-11)" in told
    assert not any("only" in note for note in assault(unit(count=3), contact=3, defender_contact=1).notes)


@pytest.mark.rule("AOR-21")
@pytest.mark.parametrize(
    ("reading", "start", "low"),
    [
        ("at_or_below", 8, [1, 2, 3, 4]),
        ("at_or_below", 9, [1, 2, 3, 4]),
        ("below", 8, [1, 2, 3]),
        ("below", 9, [1, 2, 3, 4]),
        ("below", 2, []),
        ("at_or_below", 1, []),
    ],
)
def test_how_many_are_half(reading: Any, start: int, low: list[int]) -> None:
    """Nobody left is no half."""
    is_half = morale.halved(unit(count=1, start=start), rules(half_strength=reading))
    assert np.flatnonzero(is_half(np.arange(start + 1, dtype=np.int32))).tolist() == low


@pytest.mark.rule("AOR-09")
@pytest.mark.parametrize(("shots", "damage"), [(4, 4), (5, 5), (6, 6), (7, 6)])
def test_only_what_is_beyond_the_most_kills_is_lost(shots: int, damage: int) -> None:
    """Two marksmen may kill two of three wounds: what is short of the second kill stays as wounds."""
    columns = {"defender.ranks": np.zeros(1, dtype=np.int32), "defender.rout": np.zeros(1, dtype=np.int32)}
    side = Side("defender", unit(count=9, wounds=3))
    after = allocated(side, columns, np.array([shots], dtype=np.int32), 2, rest=False)
    assert after["defender.ranks"].tolist() == [damage]
