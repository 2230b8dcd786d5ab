"""Each rule of the page by its ID, with numbers worked out by hand or counted die by die."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import mathhammer
from mathhammer import InputError
from mathhammer.core.game import Placed
from mathhammer.games.confrontation_3.blows import fighting, undefended_law
from mathhammer.games.confrontation_3.contact import fear_test
from mathhammer.games.confrontation_3.exchange import combat_dice, splits
from mathhammer.games.confrontation_3.fighters import Body
from mathhammer.games.confrontation_3.profile import Fighter
from mathhammer.games.confrontation_3.sixes import (
    TIES,
    Sixes,
    attack_law,
    contest_law,
    success_chance,
)
from mathhammer.games.confrontation_3.wounds import Damage, States, damage_law, wound_table
from tests.games.confrontation_3.fighters import fearsome, fighter, rules

F = Fraction
KILLER: dict[str, Any] = {"str": 30, "res": 0}  # every hit of his kills, and every hit on him
LIGHT_TABLE = str(Path(__file__).parent / "data" / "wounds.csv")  # light wounds, and kills by more than 4
MISS, HIT = F(1, 6), F(5, 6)  # of an attack that no die is spent against


def exact(mode: str, *fighters: Fighter, **options: Any) -> mathhammer.Result:
    return mathhammer.exact("c3", mode, *fighters, **options)


def p(value: Fraction) -> Any:
    return pytest.approx(float(value), abs=1e-12)


# -- C3-0: open sixes and natural ones -------------------------------------------------------------
NEEDED = {2: F(5, 6), 3: F(2, 3), 4: F(1, 2), 5: F(1, 3), 6: F(1, 6), 7: F(5, 36), 8: F(5, 36)}
NEEDED |= {9: F(1, 9), 10: F(1, 12), 11: F(1, 18), 12: F(1, 36)}


@pytest.mark.rule("C3-0.1")
@pytest.mark.parametrize("need", NEEDED)
def test_a_six_is_rolled_again_and_added_where_that_is_needed(need: int) -> None:
    result = exact("test", fighter(cou=5), characteristic="cou", difficulty=5 + need)
    assert result.probability("succeeds") == p(NEEDED[need])
    deeper = exact("test", fighter(cou=5), characteristic="cou", difficulty=11 + need)
    assert need <= 6 or deeper.probability("succeeds") == p(NEEDED[need] / 6)


@pytest.mark.rule("C3-0.1")
def test_the_policy_of_re_rolls_is_a_rule_with_three_values() -> None:
    easy: dict[str, Any] = {"characteristic": "cou", "difficulty": 7}
    for policy, chance in {"when_needed": F(5, 6), "never": F(5, 6), "always": F(4, 5)}.items():
        result = exact("test", fighter(cou=5), rules={"reroll_six": policy}, **easy)
        assert result.probability("succeeds") == p(chance)
    assert success_chance(7, "never") == 0


@pytest.mark.rule("C3-0.1")
@pytest.mark.parametrize(
    ("own", "other", "chances"),
    [
        ("never", "when_needed", (0.2222, 0.3056, 0.4167, 0.5324, 0.6204)),
        ("always", "when_needed", (0.2563, 0.3143, 0.4000, 0.5143, 0.6048)),
    ],
)
@pytest.mark.parametrize("order", ["together", "attack_first"])
def test_the_sides_may_differ_in_their_policy(own: Any, other: Any, chances: Any, order: Any) -> None:
    """An attacker who does not look at the defence die rolls the same before it or with it."""
    law = attack_law(Sixes(own, other, order))
    assert [law.row(lead)[1] for lead in range(-2, 3)] == pytest.approx(chances, abs=5e-5)


@pytest.mark.rule("C3-0.1")
def test_an_attacker_who_settles_first_rolls_again_where_that_is_better_for_him() -> None:
    first = attack_law(Sixes(order="attack_first"))
    never, always = (attack_law(Sixes(own, "when_needed", "attack_first")) for own in ("never", "always"))
    for lead in range(-8, 9):
        assert first.row(lead)[1] >= max(never.row(lead)[1], always.row(lead)[1]) - 1e-12
    assert first.row(-8)[1] > never.row(-8)[1] + 0.01
    assert first.row(3)[1] > always.row(3)[1] + 0.01


@pytest.mark.rule("C3-0.2")
def test_a_natural_1_fails_whatever_the_total_and_a_re_rolled_1_too() -> None:
    strong = exact("test", fighter(cou=30), characteristic="cou", difficulty=5)
    assert strong.probability("fails") == p(F(1, 6))
    # With a 6 and then a 1 the total is 7, which would reach 7.
    assert success_chance(7, "when_needed") == p(F(1, 6) * F(5, 6))


@pytest.mark.rule("C3-0.2")
@pytest.mark.parametrize("dice", [1, 2, 3])
def test_several_dice_fail_by_a_1_only_if_all_show_1(dice: int) -> None:
    result = exact("test", fighter(cou=9), characteristic="cou", difficulty=5, dice=dice)
    assert result.probability("fails") == p(F(1, 6**dice))


@pytest.mark.rule("C3-0.2")
def test_of_several_sixes_one_re_roll_is_kept() -> None:
    """Need 9: each roll with sixes is a new throw that needs 3, of as many dice as the rule says."""
    one_six, two_sixes = F(10, 36), F(1, 36)
    needs_3 = {1: F(2, 3), 2: 1 - F(1, 3) ** 2}
    asked: dict[str, Any] = {"characteristic": "cou", "difficulty": 14, "dice": 2}
    kept = {"all": needs_3[2], "one": needs_3[1]}
    for several, again in kept.items():
        result = exact("test", fighter(cou=5), rules={"several_sixes": several}, **asked)
        assert result.probability("succeeds") == p(one_six * needs_3[1] + two_sixes * again)


@pytest.mark.rule("C3-0.2")
def test_a_1_of_the_attacker_misses_whatever_the_defence_and_one_of_the_defender_is_a_hit() -> None:
    sure, hopeless = (attack_law(Sixes("never", "never")).row(lead)[1] for lead in (30, -30))
    assert (sure, hopeless) == (p(F(5, 6)), p(F(5, 6) * F(1, 6)))


def rolled_on(lead: int, live: tuple[bool, bool], depth: int) -> Fraction:
    """P(hit): the losing side, lower total first, throws its live six again. Counted die by die."""
    side = 0 if lead <= 0 else 1
    if not live[side] or depth == 0:
        return F(lead > 0)
    total = F(0)
    for face in range(1, 7):
        after = (face == 6, live[1]) if side == 0 else (live[0], face == 6)
        if face == 1:
            total += F(side == 1)
        else:
            total += rolled_on(lead + (face if side == 0 else -face), after, depth - 1)
    return total / 6


@pytest.mark.rule("C3-0.3")
@pytest.mark.parametrize("lead", range(-7, 8))
def test_the_lower_total_decides_first_on_its_re_roll(lead: int) -> None:
    chance = F(0)
    for attack, defence in product(range(1, 7), repeat=2):
        if attack == 1:
            continue
        if defence == 1:
            chance += 1
            continue
        chance += rolled_on(lead + attack - defence, (attack == 6, defence == 6), 9)
    assert attack_law(Sixes()).row(lead)[1] == pytest.approx(float(chance / 36), abs=6**-9)


@pytest.mark.rule("C3-0.3")
def test_a_tie_elsewhere_is_nobodys_loss() -> None:
    """Two sixes tie, and nobody has to roll again: 6 faces of 36 tie, two 1s among them."""
    assert contest_law(Sixes()).row(0)[TIES] == p(F(6, 36))
    tied = exact("test", fighter(), characteristic="att", with_=[fighter()])
    assert tied.probability("ties") == p(F(6, 36))
    assert tied.probability("succeeds") == p(F(15, 36))


# -- C3-1, C3-2.1: discipline ----------------------------------------------------------------------
@pytest.mark.rule("C3-1.4")
@pytest.mark.rule("C3-2.1")
@pytest.mark.parametrize(
    ("policy", "chances"),
    [("always", (0.5, 0.6144, 0.6899, 0.7338)), ("when_needed", (0.5, 0.6337, 0.7147, 0.7651))],
)
def test_discipline_is_rolled_until_somebody_wins(policy: str, chances: tuple[float, ...]) -> None:
    for lead, chance in enumerate(chances):
        result = exact("discipline", fighter(dis=3 + lead), fighter(dis=3), rules={"reroll_six": policy})
        assert result.probability("attacker.wins") == pytest.approx(chance, abs=5e-5)
        assert result.probability("defender.wins") == pytest.approx(1 - chance, abs=5e-5)


@pytest.mark.rule("C3-1.4")
def test_ties_of_discipline_may_go_to_the_higher_value_instead() -> None:
    """Never rolling again, one more: 15 + 5 of 36 win outright (a 1 loses to the rest), ties go to him."""
    settled = {"reroll_six": "never", "contest_ties": "higher_value"}
    result = exact("discipline", fighter(dis=4), fighter(dis=3), rules=settled)
    wins = sum(higher(4 + a, 3 + b, a, b) >= 0 for a, b in product(range(1, 7), repeat=2))
    assert result.probability("attacker.wins") == p(F(wins, 36))


def higher(own: int, other: int, own_die: int, other_die: int) -> int:
    """1, 0 or -1: whose roll is better where a 1 loses to anything else."""
    if 1 in (own_die, other_die):
        return (own_die > 1) - (other_die > 1)
    return (own > other) - (own < other)


@pytest.mark.rule("C3-1.5")
@pytest.mark.parametrize("lead", [-1, 0, 2])
def test_leadership_throws_two_dice_and_keeps_the_higher(lead: int) -> None:
    wins = ties = 0
    for one, two, other in product(range(1, 7), repeat=3):
        order = higher(3 + lead + max(one, two), 3 + other, max(one, two), other)
        wins, ties = wins + (order > 0), ties + (order == 0)
    leader = fighter(dis=3 + lead, leadership=True)
    result = exact("discipline", leader, fighter(dis=3), rules={"reroll_six": "never"})
    assert result.probability("attacker.wins") == p(F(wins, 6**3 - ties))


# -- C3-2.5: shooting ------------------------------------------------------------------------------
SHOOTER: dict[str, Any] = {"aim": 3, "weapon_str": 7, "ranges": "20-35-45"}


@pytest.mark.rule("C3-2.5")
@pytest.mark.parametrize(
    ("options", "need"),
    [
        ({"range": "short"}, 2),
        ({"range": "medium"}, 4),
        ({"range": "long"}, 7),
        ({"range": "medium", "moved": True}, 5),
        ({"range": "medium", "modifier": -1}, 3),
        ({"range": "medium", "cover": True, "rules": {"shooting_cover": 2}}, 6),
        ({"range": "medium", "size": True, "rules": {"shooting_size": -1}}, 3),
        ({"range": "medium", "height": True, "rules": {"shooting_height": 1}}, 5),
        ({"range": "medium", "attacker_stunned": True}, 5),
        ({"range": "medium", "attacker_wound": "serious"}, 6),
        ({"range": "medium", "attacker_wound": "serious", "rules": {"wounds_on_aim": False}}, 4),
    ],
)
def test_what_a_shot_needs(options: dict[str, Any], need: int) -> None:
    result = exact("shoot", fighter(**SHOOTER), fighter(), **options)
    assert result.probability("hits") == p(NEEDED[need])


@pytest.mark.rule("C3-2.5")
def test_a_distance_gives_the_range_band() -> None:
    at = {d: exact("shoot", fighter(**SHOOTER), fighter(), distance=d) for d in ("20", "35", "45", "46")}
    assert [r.probability("hits") for r in at.values()] == [p(NEEDED[n]) for n in (2, 4, 7)] + [0]
    assert at["46"].probability("reaches") == 0
    both = exact("shoot", fighter(**SHOOTER), fighter(), distance="34..36")
    assert both.probability("hits") == p((NEEDED[4] + NEEDED[7]) / 2)


@pytest.mark.rule("C3-2.5")
def test_who_has_no_aim_or_weapon_cannot_shoot() -> None:
    for shooter, told in ((fighter(), "no aim"), (fighter(aim=3), "no weapon")):
        with pytest.raises(InputError, match=told):
            exact("shoot", shooter, fighter())
    with pytest.raises(InputError, match="no ranges"):
        exact("shoot", fighter(aim=3, weapon_str=5), fighter(), distance="20")


# -- C3-2.6 to C3-2.9: contact ---------------------------------------------------------------------
@pytest.mark.rule("C3-2.6")
def test_engaging_goes_up_to_twice_the_movement() -> None:
    for distance, chance in (("35", 1), ("36", 0), ("34..36", F(1, 2))):
        result = exact("duel", fighter(mov=17.5), fighter(), contact="engage", distance=distance)
        assert result.probability("fights") == p(F(chance))
    for distance, chance in (("24.5", 1), ("24.2", 1), ("24.6", 0), ("24..26", F(1, 4)), ("24.5~3", F(1, 2))):
        result = exact("duel", fighter(mov=12.25), fighter(), contact="engage", distance=distance)
        assert result.probability("fights") == pytest.approx(float(chance), abs=1e-6)
    flies = exact("duel", fighter(fly=20), fighter(), contact="engage", distance="40", flying=True)
    assert flies.probability("fights") == 1


@pytest.mark.rule("C3-2.7")
def test_a_charge_needs_its_target_in_sight_and_engaging_does_not() -> None:
    with pytest.raises(InputError, match="in sight"):
        exact("duel", fighter(), fighter(), contact="charge", unseen=True)
    assert exact("duel", fighter(), fighter(), contact="engage", unseen=True).probability("fights") == 1


@pytest.mark.rule("C3-2.8")
def test_a_charge_that_falls_short_makes_no_contact() -> None:
    near = exact("duel", fighter(), fighter(), contact="charge")
    half = exact("duel", fighter(), fighter(), contact="charge", distance="19..21")
    assert half.probability("fights") == p(F(1, 2))
    for event in ("attacker.killed", "defender.killed", "defender.light"):
        assert half.probability(event) == pytest.approx(near.probability(event) / 2, abs=1e-12)


def distribution(result: mathhammer.Result) -> dict[int, float]:
    return result.pmf("outcome")


@pytest.mark.rule("C3-2.9")
def test_a_charged_fighter_has_1_less_on_ini_att_and_def_in_that_round() -> None:
    weaker = fighter(**{"ini": 2, "att": 3, "def": 3})
    charged = exact("duel", fighter(), fighter(), contact="charge")
    assert distribution(charged) == pytest.approx(distribution(exact("duel", fighter(), weaker)), abs=1e-12)
    told = exact("placement", fighter(), fighter(), charged="defender")
    assert distribution(told) == pytest.approx(distribution(charged), abs=1e-12)


@pytest.mark.rule("C3-2.9")
def test_the_token_goes_at_the_end_of_the_round_unless_the_rules_say_otherwise() -> None:
    weaker = fighter(**{"ini": 2, "att": 3, "def": 3})
    always = exact("duel", fighter(), weaker, rounds=2)
    asked: dict[str, Any] = {"contact": "charge", "rounds": 2}
    stays = exact("duel", fighter(), fighter(), rules={"charge_token_lasts": "fight"}, **asked)
    goes = exact("duel", fighter(), fighter(), **asked)
    assert distribution(stays) == pytest.approx(distribution(always), abs=1e-12)
    assert goes.probability("defender.killed") < stays.probability("defender.killed") - 0.005


# -- C3-2.10 to C3-2.18: fear ----------------------------------------------------------------------
@pytest.mark.rule("C3-2.10")
def test_the_side_with_less_fear_or_with_courage_tests() -> None:
    def who(attacker: Fighter, defender: Fighter) -> str | None:
        found = fear_test(attacker, defender)
        return found.who if found else None

    assert who(fighter(), fighter()) is None
    assert who(fearsome(5), fighter()) == "defender"
    assert who(fighter(), fearsome(5)) == "attacker"
    assert who(fearsome(5), fearsome(6)) == "attacker"
    assert who(fearsome(6), fearsome(5)) == "defender"
    assert who(fearsome(6), fearsome(6)) is None


@pytest.mark.rule("C3-2.11")
def test_the_lower_fear_counts_as_courage() -> None:
    """Fear 4 against Fear 8 throws 4 or more."""
    result = exact("fear", fearsome(8), fearsome(4))
    assert result.probability("defender.afraid") == p(F(1, 2))


@pytest.mark.rule("C3-2.12")
@pytest.mark.parametrize(("courage", "need"), [(6, 2), (5, 3), (3, 5), (1, 7)])
def test_courage_and_a_die_must_reach_the_fear(courage: int, need: int) -> None:
    result = exact("fear", fearsome(8), fighter(cou=courage))
    assert 1 - result.probability("defender.afraid") == p(NEEDED[need])


@pytest.mark.rule("C3-2.12")
def test_who_is_afraid_already_tests_again_unless_the_rules_say_otherwise() -> None:
    """COU 5 against Fear 8 is afraid 1/3 of the time."""
    for again, fails in (("tests", F(1, 3)), ("no_test", F(0))):
        asked: dict[str, Any] = {"rules": {"afraid_again": again}, "contact": "engage"}
        fear = exact("fear", fearsome(8), fighter(cou=5), defender_afraid=True, **asked)
        assert fear.probability("flees") == p(fails)
        back = exact("duel", fighter(cou=5), fearsome(8), attacker_afraid=True, **asked)
        assert back.probability("cancelled") == p(fails)
        calm = exact("duel", fighter(cou=5), fearsome(8), defender_afraid=True, activated=True, **asked)
        assert calm.probability("cancelled") == p(F(1, 3))


@pytest.mark.rule("C3-2.13")
def test_an_attacker_who_is_afraid_goes_back() -> None:
    result = exact("fear", fighter(cou=5), fearsome(8))
    assert result.probability("cancelled") == result.probability("attacker.afraid") == p(F(1, 3))
    assert result.probability("fights") == p(F(2, 3))
    duel = exact("duel", fighter(cou=5), fearsome(8), contact="engage")
    assert duel.probability("fights") == p(F(2, 3))


@pytest.mark.rule("C3-2.14")
def test_a_target_who_is_afraid_and_not_yet_activated_runs() -> None:
    result = exact("fear", fearsome(8), fighter(cou=5))
    assert result.probability("flees") == result.probability("defender.afraid") == p(F(1, 3))
    duel = exact("duel", fearsome(8), fighter(cou=5), contact="engage")
    assert duel.probability("fights") == p(F(2, 3))


@pytest.mark.rule("C3-2.15")
def test_a_target_who_is_afraid_and_was_activated_stays_and_fights_in_fear() -> None:
    result = exact("fear", fearsome(8), fighter(cou=5), activated=True)
    assert (result.probability("flees"), result.probability("fights")) == (0, 1)
    duel = exact("duel", fearsome(8), fighter(cou=5), contact="engage", activated=True)
    calm = exact("placement", fearsome(8), fighter(cou=5))
    afraid = exact("placement", fearsome(8), fighter(cou=5), defender_afraid=True)
    for event in ("attacker.killed", "defender.killed"):
        mixed = 2 / 3 * calm.probability(event) + 1 / 3 * afraid.probability(event)
        assert duel.probability(event) == pytest.approx(mixed, abs=1e-12)


@pytest.mark.rule("C3-2.16")
def test_fear_takes_1_and_allows_no_more_attack_dice_than_defence_dice() -> None:
    result = exact("placement", fighter(), fighter(), defender_afraid=True)
    placed = {row["places first"] for row in result.tables["placement"]}
    assert {"defender 0/2", "defender 1/1"} <= placed
    assert "defender 2/0" not in placed
    weaker = fighter(**{"ini": 2, "att": 3, "def": 3})
    for split in ("0/2", "1/1"):
        afraid = exact("placement", fighter(), fighter(), defender_afraid=True, enemy_split=split)
        assert distribution(afraid) == pytest.approx(
            distribution(exact("placement", fighter(), weaker, enemy_split=split)), abs=1e-12
        )


@pytest.mark.rule("C3-2.16")
def test_fear_may_leave_the_dice_free() -> None:
    """Then a fixed split of nothing but attack is no mistake, and is played by one who has 1 less."""
    free, weaker = {"fear_limits_attack": False}, fighter(**{"ini": 2, "att": 3, "def": 3})
    lone = exact("placement", fighter(), fighter(), attacker_afraid=True, split="2/0", rules=free)
    enemy = exact("placement", fighter(), fighter(), defender_afraid=True, enemy_split="2/0", rules=free)
    told = (
        exact("placement", weaker, fighter(), split="2/0"),
        exact("placement", fighter(), weaker, enemy_split="2/0"),
    )
    assert distribution(lone) == pytest.approx(distribution(told[0]), abs=1e-12)
    assert distribution(enemy) == pytest.approx(distribution(told[1]), abs=1e-12)


@pytest.mark.rule("C3-2.16")
def test_fear_and_charge_add_up_unless_the_rules_say_otherwise() -> None:
    asked: dict[str, Any] = {"defender_afraid": True, "charged": "defender", "enemy_split": "1/1"}
    for how, off in (("add_up", 2), ("worse", 1)):
        weaker = fighter(**{"ini": 3 - off, "att": 4 - off, "def": 4 - off})
        both = exact("placement", fighter(), fighter(), rules={"fear_and_charge": how}, **asked)
        told = exact("placement", fighter(), weaker, enemy_split="1/1")
        assert distribution(both) == pytest.approx(distribution(told), abs=1e-12)


@pytest.mark.rule("C3-2.17")
def test_who_is_charged_while_afraid_runs() -> None:
    result = exact("fear", fighter(), fighter(), contact="charge", defender_afraid=True)
    assert result.probability("flees") == 1
    duel = exact("duel", fighter(), fighter(), contact="charge", defender_afraid=True)
    assert duel.probability("fights") == 0
    assert any("C3-2.17" in note for note in duel.notes)


@pytest.mark.rule("C3-2.17")
def test_he_may_run_only_when_the_charge_reaches_him() -> None:
    asked: dict[str, Any] = {"contact": "charge", "defender_afraid": True, "distance": "19..21"}
    for runs, chance in (("when_charged", F(1)), ("when_reached", F(1, 2))):
        duel = exact("duel", fighter(), fighter(), rules={"afraid_runs": runs}, **asked)
        assert duel.probability("flees") == p(chance)
        assert duel.probability("falls_short") == p(1 - chance)
        assert duel.probability("fights") == 0


@pytest.mark.rule("C3-2.18")
@pytest.mark.parametrize("rounds", [1, 2])
def test_who_is_afraid_and_not_yet_activated_may_recover_before_the_melee(rounds: int) -> None:
    """COU 3 recovers with a 3 or more. Who was activated has no test left in this round."""
    pair_: tuple[Fighter, Fighter] = fighter(), fighter(cou=3)
    asked: dict[str, Any] = {"rounds": rounds, "defender_afraid": True}
    calm, afraid = exact("placement", *pair_, rounds=rounds), exact("placement", *pair_, **asked)
    waits = exact("duel", *pair_, contact="engage", **asked)
    mixed = {
        end: 2 / 3 * calm.pmf("outcome").get(end, 0) + 1 / 3 * afraid.pmf("outcome").get(end, 0)
        for end in range(25)
    }
    assert {end: waits.pmf("outcome").get(end, 0) for end in range(25)} == pytest.approx(mixed, abs=1e-12)
    done = exact("duel", *pair_, contact="engage", activated=True, **asked)
    assert distribution(done) == pytest.approx(distribution(afraid), abs=1e-12)
    held = "if they come to blows and the defender has recovered (66.7%)"
    assert waits.captions["placement"] == held
    assert waits.captions["placement_when_the_enemy_is_afraid"] == "if they come to blows (33.3%)"
    worth = {name: waits.tables[name] for name in ("placement", "placement_when_the_enemy_is_afraid")}
    assert [calm.tables["placement"], afraid.tables["placement"]] == list(worth.values())


@pytest.mark.rule("C3-2.18")
@pytest.mark.parametrize(("courage", "need"), [(4, 2), (3, 3), (1, 5)])
def test_a_courage_test_of_6_ends_fear(courage: int, need: int) -> None:
    result = exact("fear", fighter(), fighter(cou=courage), defender_afraid=True)
    assert result.probability("recovers") == p(NEEDED[need])


@pytest.mark.rule("C3-2.18")
def test_fear_lasts_into_the_next_round_unless_he_recovers() -> None:
    """Who cannot hurt anybody, and always fights 0/2: the second round is like the first, calm or afraid."""
    meek: dict[str, Any] = {"str": 0, "res": 30, "cou": 3}
    calm, scared = (
        exact(
            "placement",
            fighter(**meek),
            fighter(**meek),
            defender_afraid=flag,
            split="2/0",
            enemy_split="0/2",
        )
        for flag in (False, True)
    )
    two = exact(
        "duel",
        fighter(**meek),
        fighter(**meek),
        defender_afraid=True,
        split="2/0",
        enemy_split="0/2",
        rounds=2,
    )
    missed = 1 - scared.probability("defender.killed")
    second = 2 / 3 * calm.probability("defender.killed") + 1 / 3 * scared.probability("defender.killed")
    assert two.probability("defender.killed") == pytest.approx(1 - missed * (1 - second), abs=1e-12)


# -- C3-3.1 to C3-3.8: the melee -------------------------------------------------------------------
@pytest.mark.rule("C3-3.1")
def test_a_fray_of_two_is_a_duel() -> None:
    """How fighters are split into frays is an input; of one and one both modes tell the same."""
    duel = exact("duel", fighter(att=5), fighter(ini=4))
    fray = exact("fray", fighter(att=5), fighter(ini=4))
    assert fray.probability("all_killed") == pytest.approx(duel.probability("defender.killed"), abs=1e-12)
    assert fray.pmf("attacker.wound") == pytest.approx(duel.pmf("attacker.wound"), abs=1e-12)


@pytest.mark.rule("C3-3.2")
def test_one_fights_up_to_four() -> None:
    simple: dict[str, Any] = {"play": "simple"}
    assert exact("fray", fighter(), fighter(), with_=[fighter()] * 3, **simple).mean("kills") > 0
    with pytest.raises(InputError, match="up to 4"):
        exact("fray", fighter(), fighter(), with_=[fighter()] * 4, **simple)


@pytest.mark.rule("C3-3.4")
def test_a_fighter_has_one_die_and_one_for_each_enemy() -> None:
    assert [combat_dice(n) for n in (1, 2, 3, 4)] == [2, 3, 4, 5]
    assert splits(2, limited=False) == [(0, 2), (1, 1), (2, 0)]
    rows = exact("fray", fighter(), fighter(), with_=[fighter()]).tables["placement"]
    lone = {row["places first"].split()[1] for row in rows if row["places first"].startswith("attacker")}
    assert lone == {"0/3", "1/2", "2/1", "3/0"}


@pytest.mark.rule("C3-3.5")
def test_only_enemies_of_the_same_fray_count() -> None:
    """Each of several has two dice, however many they are: one stands against each of them."""
    rows = exact("fray", fighter(), fighter(), with_=[fighter(ini=2)]).tables["placement"]
    theirs = {row["places first"] for row in rows if row["places first"].startswith("enemies")}
    assert len(theirs) == 9
    assert all(sum(map(int, dice.split("/"))) == 2 for place in theirs for dice in place.split()[1:])


@pytest.mark.rule("C3-3.6")
@pytest.mark.parametrize(
    ("policy", "chances"),
    [("always", (0.5, 0.6144, 0.6899, 0.7338)), ("when_needed", (0.5, 0.6337, 0.7147, 0.7651))],
)
def test_initiative_by_difference(policy: str, chances: tuple[float, ...]) -> None:
    for lead, chance in enumerate(chances):
        result = exact("placement", fighter(ini=3 + lead), fighter(), rules={"reroll_six": policy})
        assert result.probability("attacker.initiative") == pytest.approx(chance, abs=5e-5)


@pytest.mark.rule("C3-3.6")
def test_more_fighters_add_to_initiative_and_the_best_rolls_unless_another_is_named() -> None:
    def initiative(**options: Any) -> float:
        asked: dict[str, Any] = {"with_": [fighter(ini=5)], "play": "simple"} | options
        return exact("fray", fighter(ini=6), fighter(ini=3), **asked).probability("attacker.initiative")

    even, two_ahead = (
        exact("placement", fighter(ini=3 + n), fighter()).probability("attacker.initiative") for n in (0, 2)
    )
    assert initiative() == pytest.approx(even, abs=1e-12)
    assert initiative(named=2) == pytest.approx(even, abs=1e-12)
    assert initiative(named=1) == pytest.approx(two_ahead, abs=1e-12)
    three = exact("fray", fighter(ini=5), fighter(), with_=[fighter()] * 2, play="simple")
    assert three.probability("attacker.initiative") == pytest.approx(even, abs=1e-12)


@pytest.mark.rule("C3-3.6")
def test_the_best_of_the_rest_rolls_once_the_named_one_is_killed() -> None:
    """The first attack surely kills the slow one who was named: then INI 3 against 3 is even."""
    harmless: dict[str, Any] = {"str": 0, "res": 0}
    slow, other = fighter(ini=0, **harmless), fighter(ini=3, **harmless)
    asked: dict[str, Any] = {"named": 1, "play": "simple", "initiative": "attacker", "rounds": 2}
    rules_: dict[str, Any] = {"undefended": "always", "double_six": "table"}
    placed: dict[str, Any] = {"split": "1/2", "enemy_split": "2/0,2/0", "rules": rules_}
    lone = fighter(str=30, res=30)
    result = mathhammer.exact("c3", "fray", lone, slow, with_=[other], explain=True, **asked, **placed)
    rolled = [stage["chances"] for stage in result.stages() if stage["stage"] == "initiative"]
    assert rolled[1]["attacker wins"] == p(F(1, 2))


@pytest.mark.rule("C3-3.6")
def test_a_wound_takes_from_initiative_unless_the_rules_say_otherwise() -> None:
    one_ahead = exact("placement", fighter(ini=4), fighter()).probability("attacker.initiative")
    for slows, chance in ((True, one_ahead), (False, 0.5)):
        hurt = exact(
            "placement", fighter(), fighter(), defender_wound="light", rules={"wounds_on_ini": slows}
        )
        assert hurt.probability("attacker.initiative") == pytest.approx(chance, abs=1e-12)


def pair(attacker: Fighter, defender: Fighter, winner: str, split: str, enemy: str) -> float:
    """P(kill) - P(being killed) when both splits are fixed."""
    result = exact("placement", attacker, defender, initiative=winner, split=split, enemy_split=enemy)
    return result.probability("defender.killed") - result.probability("attacker.killed")


@pytest.mark.rule("C3-3.7")
@pytest.mark.rule("C3-3.8")
@pytest.mark.parametrize("winner", ["attacker", "defender"])
def test_the_loser_commits_and_the_winner_answers(winner: str) -> None:
    one, other = fighter(att=5, res=8), fighter(**{"str": 9, "def": 5})
    places = ("0/2", "1/1", "2/0")
    worth = {(a, d): pair(one, other, winner, a, d) for a, d in product(places, repeat=2)}
    result = exact("placement", one, other, initiative=winner)
    if winner == "attacker":
        best = min(max(worth[a, d] for a in places) for d in places)
    else:
        best = max(min(worth[a, d] for d in places) for a in places)
    assert result.probability("defender.killed") - result.probability("attacker.killed") == pytest.approx(
        best
    )
    for row in result.tables["placement"]:
        placed, answer = row["places first"].split()[1], row["best answer"].split()[1]
        key = (answer, placed) if winner == "attacker" else (placed, answer)
        assert row["value"] == pytest.approx(worth[key], abs=1e-12)


@pytest.mark.rule("C3-3.10")
@pytest.mark.parametrize("undefended", ["unless_1", "always", "against_def"])
def test_hits_are_those_of_their_own_law_however_far_apart_the_fighters_are(undefended: str) -> None:
    """The best attack against the most hurt, stunned, charged and frightened, and the other way round."""
    attacks = fighting(rules(undefended=undefended, stun_stacks=True, stun_penalty=6, critical_penalty=6), 9)
    laws = undefended_law(undefended, "when_needed"), attack_law(Sixes())
    off = attacks.states.penalty().tolist()
    for att, defence in ((30, -12), (-12, 30), (4, 4)):
        both = Body(3, att, 6, 4, 6), Body(3, 4, 6, defence, 6)
        leads = [[att - own - defence + other for other in off] for own in off]
        assert max(map(max, leads)) - min(map(min, leads)) > 64
        for defended in (False, True):
            want = [[laws[defended].row(lead)[1] for lead in row] for row in leads]
            assert attacks.hits(*both, defended).tolist() == want


@pytest.mark.rule("C3-3.10")
def test_an_extreme_duel_is_what_the_dice_say() -> None:
    """ATT 30 against a charged, frightened and critical DEF 0 misses on a 1 alone, die or no die."""
    changes = {"stun_penalty": 6, "stun_stacks": True, "critical_penalty": 6, "charge_penalty": 6}
    for split in ("0/2", "1/1"):
        result = mathhammer.exact(
            "c3",
            "duel",
            fighter(att=30, res=30, str=0),
            fighter(**{"def": 0, "str": 0, "res": 0}),
            rules={**changes, "fear_penalty": 6, "double_six": "table"},
            defender_wound="critical",
            defender_stunned=True,
            defender_afraid=True,
            charged="defender",
            split="2/0",
            enemy_split=split,
            initiative="attacker",
        )
        assert result.probability("defender.killed") == pytest.approx(killed_by_two(5 / 6), abs=1e-6)


def killed_by_two(hit: float) -> float:
    """Of a critically wounded fighter, by two attacks with severity less RES equal to the higher die.

    The first may only stun him: any wound kills.
    """
    wound = sum(max(a, b) + min(a, b) - 1 > 3 for a, b in product(range(1, 7), repeat=2)) / 36
    return 1 - (1 - hit * wound) ** 2


# -- C3-3.9 to C3-3.16: exchanges ------------------------------------------------------------------
@pytest.mark.rule("C3-3.9")
@pytest.mark.rule("C3-3.13")
@pytest.mark.rule("C3-3.14")
@pytest.mark.rule("C3-3.15")
def test_the_winner_attacks_first_then_turns_alternate_until_no_attack_dice_are_left() -> None:
    """Both 2/0, every hit kills: attacker, defender, attacker, defender."""
    killers = fighter(**KILLER), fighter(**KILLER)
    result = exact("placement", *killers, initiative="attacker", split="2/0", enemy_split="2/0")
    assert result.probability("defender.killed") == p(HIT + MISS * MISS * HIT)
    assert result.probability("attacker.killed") == p(MISS * HIT + MISS**3 * HIT)


@pytest.mark.rule("C3-3.9")
def test_a_side_without_attack_dice_is_passed_over() -> None:
    """1/1 against 0/2: one attack, against a spent die, whoever has the initiative."""
    hit = attack_law(Sixes()).row(0)[1]
    for winner in ("attacker", "defender"):
        result = exact(
            "placement",
            fighter(**KILLER),
            fighter(**KILLER),
            initiative=winner,
            split="1/1",
            enemy_split="0/2",
        )
        assert result.probability("defender.killed") == pytest.approx(hit, abs=1e-12)
        assert result.probability("attacker.killed") == 0


@pytest.mark.rule("C3-3.10")
@pytest.mark.parametrize(
    ("policy", "chances"),
    [
        ("never", (F(2, 9), F(11, 36), F(5, 12), F(5, 9), F(2, 3))),
        ("always", (0.2800, 0.3371, 0.4229, 0.5371, 0.6229)),
    ],
)
def test_an_attack_must_beat_the_defence_and_a_tie_is_parried(policy: Any, chances: Any) -> None:
    law = attack_law(Sixes(policy, policy))
    for lead, chance in zip(range(-2, 3), chances, strict=True):
        assert law.row(lead)[1] == pytest.approx(float(chance), abs=5e-5)


@pytest.mark.rule("C3-3.10")
@pytest.mark.parametrize(
    ("rule", "policy", "chance"),
    [
        ("unless_1", "when_needed", F(5, 6)),
        ("unless_1", "always", F(4, 5)),
        ("always", "when_needed", F(1)),
        ("against_def", "never", F(1, 3)),  # ATT 4 must pass DEF 6: 3 and more would tie at 2
    ],
)
def test_an_attack_that_no_die_is_spent_against(rule: str, policy: str, chance: Fraction) -> None:
    attacker, target = fighter(**KILLER), fighter(**{**KILLER, "def": 8 if rule == "against_def" else 4})
    asked: dict[str, Any] = {"initiative": "attacker", "split": "1/1", "enemy_split": "2/0"}
    result = exact("placement", attacker, target, rules={"undefended": rule, "reroll_six": policy}, **asked)
    assert result.probability("defender.killed") == p(chance)


@pytest.mark.rule("C3-3.10")
def test_a_defence_die_is_spent_only_where_that_is_better() -> None:
    """No die, no hit: where it can only be worse, a die is kept."""
    never_better: dict[str, Any] = {"undefended": "against_def", "reroll_six": "never"}
    weak = fighter(**{**KILLER, "att": 0})
    result = exact(
        "placement",
        weak,
        fighter(**{**KILLER, "def": 8}),
        rules=never_better,
        initiative="attacker",
        split="1/1",
        enemy_split="1/1",
    )
    # d6 cannot pass DEF 8 without a die; against a die a natural 1 of the defender would let it through.
    assert result.probability("defender.killed") == 0


@pytest.mark.rule("C3-3.11")
def test_every_living_enemy_is_attacked_while_attack_dice_last() -> None:
    """2/1 against two who have no defence: one attack each, and every hit kills."""
    alone, enemy = fighter(**KILLER), fighter(**KILLER)
    asked: dict[str, Any] = {"initiative": "attacker", "split": "2/1", "enemy_split": "0/2,2/0"}
    result = exact("fray", alone, enemy, with_=[enemy], **asked)
    defended = attack_law(Sixes()).row(0)[1]
    assert result.probability("all_killed") == pytest.approx(float(HIT) * defended, abs=1e-12)
    assert result.mean("kills") == pytest.approx(float(HIT) + defended, abs=1e-12)


@pytest.mark.rule("C3-3.12")
def test_an_enemy_is_attacked_once_a_turn_however_many_attack_dice_are_left() -> None:
    """3/0 against 2/0 and 2/0: after one attack on each it is their turn, and they need one hit."""
    alone, enemy = fighter(**KILLER), fighter(**KILLER)
    asked: dict[str, Any] = {"initiative": "attacker", "split": "3/0", "enemy_split": "2/0,2/0"}
    result = exact("fray", alone, enemy, with_=[enemy], **asked)
    one, none = 2 * HIT * MISS, MISS * MISS  # left alive after the first turn: one of them, or both
    killed_by_one = HIT + MISS * MISS * HIT  # he misses, the lone one misses his last, he hits
    first_turn = 1 - MISS * MISS
    killed_by_two = first_turn + (1 - first_turn) * (HIT * HIT + MISS * (1 - MISS * MISS))
    assert result.probability("attacker.killed") == p(one * killed_by_one + none * killed_by_two)


@pytest.mark.rule("C3-3.16")
def test_only_a_hit_is_followed_by_a_damage_roll() -> None:
    asked: dict[str, Any] = {"initiative": "attacker", "split": "1/1", "enemy_split": "0/2"}
    result = mathhammer.exact("c3", "placement", fighter(), fighter(), explain=True, **asked)
    stages = {stage["stage"]: stage for stage in result.stages()}
    hit = stages["attack 1"]["chances"]["hits"]
    assert hit == pytest.approx(attack_law(Sixes()).row(0)[1], abs=1e-12)
    assert stages["wound 1"]["share"] == pytest.approx(hit, abs=1e-12)


# -- C3-3.17, C3-3.18: wounds ----------------------------------------------------------------------
def placeholder(severity: int, location: int) -> str:
    x = severity + location - 1
    names = ((0, "none"), (3, "stunned"), (6, "light"), (9, "serious"), (12, "critical"))
    return next((name for most, name in names if x <= most), "killed")


@pytest.mark.rule("C3-3.17")
@pytest.mark.parametrize("margin", [-8, -2, 0, 1, 6, 12])
def test_severity_and_location_are_the_same_two_dice(margin: int) -> None:
    counted: dict[str, int] = {}
    for pair_ in product(range(1, 7), repeat=2):
        word = placeholder(max(pair_) + margin, min(pair_)) if pair_ != (6, 6) else "killed"
        counted[word] = counted.get(word, 0) + 1
    row = damage_law(Damage(wound_table("placeholder"), "killed")).row(margin)
    for number, word in enumerate(("none", "stunned", "light", "serious", "critical", "killed")):
        assert row[number] == p(F(counted.get(word, 0), 36))


@pytest.mark.rule("C3-3.17")
@pytest.mark.parametrize("double", ["table", "stunned", "light", "serious", "critical", "killed"])
def test_a_double_6_is_an_exceptional_wound(double: str) -> None:
    """STR far below RES: nothing else hurts."""
    asked: dict[str, Any] = {"initiative": "attacker", "split": "1/1", "enemy_split": "2/0"}
    weak = fighter(str=0, res=30)
    result = exact("placement", weak, weak, rules={"double_six": double}, **asked)
    first = HIT / 36
    levels = {"light": 1, "serious": 2, "critical": 3, "killed": 4}
    pmf = result.pmf("defender.wound")
    assert pmf.get(0, 0.0) == p(1 - first if double in levels else F(1))
    if double in levels:
        assert pmf[levels[double]] == p(first)


@pytest.mark.rule("C3-3.18")
def test_a_heavier_wound_replaces_an_equal_or_lighter_one_raises_by_a_level() -> None:
    states = States(1, 1, (1, 2, 3))
    after = {
        wound: [int(states.wound(states.after()[states.state(wound), result])) for result in range(6)]
        for wound in range(4)
    }
    assert after == {
        0: [0, 0, 1, 2, 3, 4],
        1: [1, 1, 2, 2, 3, 4],
        2: [2, 2, 3, 3, 3, 4],
        3: [3, 3, 4, 4, 4, 4],
    }


@pytest.mark.rule("C3-3.18")
def test_a_wound_from_before_is_not_among_those_dealt_or_taken() -> None:
    """Nobody can hurt anybody: the value is 0, whatever they have suffered before."""
    meek, hurt = fighter(str=0, res=30), {"attacker_wound": "light", "defender_wound": "critical"}
    asked: dict[str, Any] = {"objective": "wounds", "rules": {"double_six": "table"}, **hurt}
    for mode, options in (
        ("placement", {"rounds": 2}),
        ("fray", {"with_": [Placed(meek, {"wound": "light"})]}),
    ):
        result = exact(mode, meek, meek, **options, **asked)
        assert {row["value"] for row in result.tables["placement"]} == {0.0}


@pytest.mark.rule("C3-3.18")
def test_an_equal_or_lighter_wound_may_be_nothing_instead() -> None:
    """Every hit is a light wound: of one who has one already it raises the level, or does nothing."""
    asked: dict[str, Any] = {"initiative": "attacker", "split": "1/1", "enemy_split": "2/0"}
    table = {"wound_table": LIGHT_TABLE, "double_six": "light"}
    for lighter, level in (("raises", 2), ("nothing", 1)):
        changed = {**table, "lighter_wound": lighter}
        hurt = exact("placement", fighter(str=0), fighter(), defender_wound="light", rules=changed, **asked)
        assert hurt.pmf("defender.wound").get(level, 0.0) == p(HIT if level == 2 else F(1))
        unhurt = exact("placement", fighter(str=0), fighter(), rules=changed, **asked)
        assert unhurt.pmf("defender.wound")[1] == p(HIT)
    states = States(1, 1, (1, 2, 3), raises=False)
    after = [[int(states.wound(states.after()[2 * wound, r])) for r in (2, 3, 4)] for wound in range(4)]
    assert after == [[1, 2, 3], [1, 2, 3], [2, 2, 3], [3, 3, 3]]


@pytest.mark.rule("C3-3.18")
def test_a_stun_is_no_wound_and_does_not_stack_unless_the_rules_say_so() -> None:
    states, stacking = States(1, 1, (1, 2, 3)), States(4, 1, (1, 2, 3))
    once, twice = (int(states.after()[states.state(1, stun), 1]) for stun in (0, 1))
    assert once == twice == states.state(1, 1)
    assert int(stacking.after()[stacking.state(1, 1), 1]) == stacking.state(1, 2)
    assert int(states.penalty()[states.state(1, 1)]) == 2
    assert int(stacking.penalty()[stacking.state(2, 3)]) == 5


@pytest.mark.rule("C3-3.18")
def test_who_was_stunned_at_some_time_is_told() -> None:
    """One attack at STR 6 against RES 6: two dice of 4 or less together stun, 6 throws of 36."""
    asked: dict[str, Any] = {"initiative": "attacker", "split": "1/1", "enemy_split": "2/0"}
    stunned = exact("placement", fighter(), fighter(), **asked).probability("defender.stunned")
    assert stunned == p(HIT * F(6, 36))
    before = exact("placement", fighter(), fighter(), attacker_stunned=True, **asked)
    assert before.probability("attacker.stunned") == 1
    for distance, chance in (("20", HIT * F(6, 36)), ("21", F(0))):
        duel = exact("duel", fighter(), fighter(), contact="engage", distance=distance, **asked)
        assert duel.probability("defender.stunned") == p(chance)
        assert duel.probability("attacker.initiative") == duel.probability("fights") == (distance == "20")


@pytest.mark.rule("C3-3.18")
def test_wounds_and_stuns_take_from_att_def_and_damage() -> None:
    """A fighter hurt before fights like one whose ATT, DEF, STR and INI are lower."""
    for wound, stunned, off in (
        ("light", False, 1),
        ("serious", False, 2),
        ("none", True, 1),
        ("light", True, 2),
    ):
        weaker = fighter(**{"ini": 3 - off, "att": 4 - off, "def": 4 - off, "str": 6 - off})
        asked: dict[str, Any] = {"split": "0/2", "enemy_split": "1/1"}
        hurt = exact(
            "placement", fighter(), fighter(), defender_wound=wound, defender_stunned=stunned, **asked
        )
        told = exact("placement", fighter(), weaker, **asked)
        assert hurt.pmf("attacker.wound") == pytest.approx(told.pmf("attacker.wound"), abs=1e-12)


@pytest.mark.rule("C3-3.18")
def test_wounds_count_at_once_in_the_same_fray() -> None:
    """Who was hit first strikes back with less: the second attack hits more seldom than unhurt."""
    asked: dict[str, Any] = {"initiative": "attacker", "split": "1/1", "enemy_split": "1/1"}
    one = fighter(str=9)
    hurt = mathhammer.exact("c3", "placement", one, fighter(), explain=True, **asked)
    meek = mathhammer.exact("c3", "placement", fighter(str=0), fighter(), explain=True, **asked)
    second = [
        next(s for s in result.stages() if s["stage"] == "attack 2")["chances"]["hits"]
        for result in (hurt, meek)
    ]
    assert second[0] < second[1] - 0.02


@pytest.mark.rule("C3-3.18")
def test_stuns_end_with_the_round_and_wounds_do_not() -> None:
    states = States(1, 1, (1, 2, 3))
    assert [int(s) for s in states.rested()] == [0, 0, 2, 2, 4, 4, 6, 6, 8]


@pytest.mark.rule("C3-3.18")
def test_a_shot_by_a_hurt_shooter_is_weaker_unless_the_rules_say_otherwise() -> None:
    for weaker, strength in ((True, 5), (False, 7)):
        hurt = exact(
            "shoot",
            fighter(**SHOOTER),
            fighter(),
            attacker_wound="serious",
            rules={"wounds_on_shots": weaker, "wounds_on_aim": False},
        )
        told = exact("shoot", fighter(**{**SHOOTER, "weapon_str": strength}), fighter())
        assert hurt.pmf("defender.wound") == pytest.approx(told.pmf("defender.wound"), abs=1e-12)


def test_the_rules_in_this_file_are_those_that_are_shipped() -> None:
    assert rules().reroll_six == "when_needed"
