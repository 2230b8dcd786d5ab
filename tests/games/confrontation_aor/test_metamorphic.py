"""Relations that must hold whatever the numbers are."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mathhammer
from mathhammer.games import load
from mathhammer.games.confrontation_aor.profile import Unit
from mathhammer.games.confrontation_aor.throws import attack_law, single
from tests.games.confrontation_aor.units import unit

SMALL = 1e-9
BONUS = st.sampled_from(["none", "once", "chain"])
REROLL = st.sampled_from(["failures", "one_die", "all"])
VALUE = st.integers(2, 8)


def units(**fixed: Any) -> st.SearchStrategy[Unit]:
    """Small plain units."""
    fields: dict[str, st.SearchStrategy[Any]] = {
        "count": st.integers(1, 6),
        "attack": VALUE,
        "dice": st.integers(1, 3),
        "strength": VALUE,
        "defence": VALUE,
        "resilience": VALUE,
        "wounds": st.integers(1, 3),
        "courage": VALUE,
        "power": st.integers(0, 4),
    }
    fields |= {name: st.just(value) for name, value in fixed.items()}
    return st.fixed_dictionaries(fields).map(lambda drawn: unit(**drawn))


def ask(mode: str, attacker: Unit, defender: Unit, **options: Any) -> mathhammer.Result:
    return mathhammer.exact("aor", mode, attacker, defender, **options)


def better(own: Unit, **more: int) -> Unit:
    return own.model_copy(update={name: getattr(own, name) + by for name, by in more.items()})


def joint(result: mathhammer.Result) -> dict[tuple[int, ...], float]:
    columns, chances = result._joint(result.measures + result.events, "exact")
    return dict(zip(zip(*(c.tolist() for c in columns.values()), strict=True), chances.tolist(), strict=True))


def same(one: mathhammer.Result, other: mathhammer.Result) -> None:
    """All measures and events have the same distributions."""
    for measure in one.measures:
        assert one.pmf(measure) == pytest.approx(other.pmf(measure), abs=SMALL), measure
    for event in one.events:
        assert one.probability(event) == pytest.approx(other.probability(event), abs=SMALL), event


# -- more is never less ----------------------------------------------------------------------------------
@settings(max_examples=25, deadline=None)
@given(units(), units(), BONUS)
def test_a_better_card_never_lowers_what_a_strike_does(a: Unit, d: Unit, bonus: str) -> None:
    """At no re-roll that depends on the throw as a whole; all laws are then monotone in their keys."""
    rules = {"bonus_die": bonus}
    base = ask("assault", a, d, rules=rules)
    for other in (
        ask("assault", better(a, attack=1), d, rules=rules),
        ask("assault", better(a, strength=1), d, rules=rules),
        ask("assault", better(a, dice=1), d, rules=rules),
        ask("assault", better(a, count=1), d, rules=rules),
        ask("assault", a, better(d, defence=-1), rules=rules),
        ask("assault", a, better(d, resilience=-1), rules=rules),
    ):
        for least in range(1, d.number + 1):
            assert other.at_least("kills", least) >= base.at_least("kills", least) - SMALL
        assert other.mean("damage") >= base.mean("damage") - SMALL


@settings(max_examples=15, deadline=None)
@given(units(power=0), units(power=0), BONUS)
def test_the_re_roll_of_a_charge_never_hurts_and_more_dice_again_help_more(
    a: Unit, d: Unit, bonus: str
) -> None:
    """True of failures alone: a whole throw again may lose what was enough to kill all."""
    charger, readings = better(a, power=1), ("one_die", "failures")
    results = [ask("assault", a, d, rules={"bonus_die": bonus})]
    results += [
        ask("assault", charger, d, rules={"bonus_die": bonus, "charge_reroll": reading})
        for reading in readings
    ]
    assert [result.probability("charges") for result in results] == pytest.approx([0, 1, 1])
    for less, more in pairwise(results):
        for least in range(1, d.number + 1):
            assert more.at_least("kills", least) >= less.at_least("kills", least) - SMALL


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 12), st.integers(-7, 7), BONUS, REROLL)
def test_any_re_roll_never_lowers_the_mean_hits(dice: int, difference: int, bonus: str, reroll: str) -> None:
    shipped = load("aor").ruleset("default").values
    rules = shipped.model_copy(update={"bonus_die": bonus, "charge_reroll": reroll})
    without, with_it = (attack_law(difference, charge, rules).row(dice) for charge in (False, True))
    assert with_it.mean >= without.mean - SMALL


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 6), st.integers(-20, 20))
def test_more_courage_never_lowers_the_chance_of_a_test(dice: int, difference: int) -> None:
    law = single(dice, load("aor").ruleset("default").values.resolution_table)
    chances = [law.row(key).mean for key in (difference, difference + 1)]
    assert chances[0] <= chances[1]
    assert (
        chances[0]
        <= single(dice + 1, load("aor").ruleset("default").values.resolution_table).row(difference).mean
    )


@settings(max_examples=20, deadline=None)
@given(units(), st.integers(0, 9), VALUE)
def test_more_courage_never_makes_rout_before_fear_likelier(a: Unit, fear: int, courage: int) -> None:
    feared = a.model_copy(update={"courage": None, "fear": fear})
    routs = [ask("assault", feared, unit(courage=c)).probability("rout") for c in (courage, courage + 1)]
    assert routs[1] <= routs[0] + SMALL
    immune = ask("assault", feared, unit(courage=courage), resisted=fear)
    assert immune.probability("rout") == 0


@settings(max_examples=15, deadline=None)
@given(units(), units(), st.sampled_from(["none", "cry-havoc"]))
def test_destruction_is_for_ever_and_more_rounds_only_add(a: Unit, d: Unit, tactic: str) -> None:
    result = ask("fight", a, d, rounds=4, tactic=tactic, edge=30, defender_edge=30)
    for side in ("attacker", "defender"):
        chances = [result.probability_by_round(f"{side}.destroyed", n) for n in range(1, 5)]
        losses = [result.mean_by_round(f"{side}.losses", n) for n in range(1, 5)]
        assert chances == sorted(chances)
        assert losses == sorted(losses)
        shorter = ask("fight", a, d, rounds=3, tactic=tactic, edge=30, defender_edge=30)
        assert shorter.probability(f"{side}.destroyed") == pytest.approx(chances[2], abs=SMALL)
        assert shorter.mean(f"{side}.losses") == pytest.approx(losses[2], abs=SMALL)


# -- limits and conservation -----------------------------------------------------------------------------
@settings(max_examples=25, deadline=None)
@given(units(), units(), st.integers(1, 4), st.integers(1, 4), BONUS)
def test_no_more_die_than_touch_and_what_is_lost_and_left_is_the_whole(
    a: Unit, d: Unit, ours: int, theirs: int, bonus: str
) -> None:
    result = ask("assault", a, d, contact=ours, defender_contact=theirs, rules={"bonus_die": bonus})
    kills, damage, left, wounds, *_ = zip(*joint(result), strict=True)
    assert max(kills) <= theirs
    assert {k + n for k, n in zip(kills, left, strict=True)} == {d.number}
    assert {k + n for k, n in zip(damage, wounds, strict=True)} == {d.number * d.wounds}
    assert all(k <= n // d.wounds for k, n in zip(kills, damage, strict=True))
    if bonus == "none":
        assert max(damage) <= min(ours, a.number) * a.dice


@settings(max_examples=25, deadline=None)
@given(units(wounds=2), st.integers(1, 3), st.integers(1, 5), st.booleans(), BONUS)
def test_a_volley_kills_no_more_than_there_were_marksmen(
    d: Unit, marksmen: int, dice: int, perforating: bool, bonus: str
) -> None:
    shooter = unit(count=marksmen, ranged=6, ranged_dice=dice, ranged_strength=9, perforating=perforating)
    result = ask("shoot", shooter, d, rules={"bonus_die": bonus})
    limit = d.number if perforating else min(d.number, marksmen)
    assert max(result.pmf("kills")) <= limit
    kills, damage, left, wounds, *_ = zip(*joint(result), strict=True)
    assert {k + n for k, n in zip(kills, left, strict=True)} == {d.number}
    assert {k + n for k, n in zip(damage, wounds, strict=True)} == {2 * d.number}
    other = shooter.model_copy(update={"perforating": not perforating})
    through = ask("shoot", other, d, rules={"bonus_die": bonus})
    worse, more = (through, result) if perforating else (result, through)
    assert worse.mean("kills") <= more.mean("kills") + SMALL


@settings(max_examples=12, deadline=None)
@given(units(), units(), st.integers(1, 3), st.integers(1, 3))
def test_a_fight_loses_nobody_twice(a: Unit, d: Unit, ours: int, theirs: int) -> None:
    result = ask("fight", a, d, rounds=3, contact=ours, defender_contact=theirs, objective=True)
    places = {name: place for place, name in enumerate(result.measures + result.events)}
    for state in joint(result):
        for name, side in (("attacker", a), ("defender", d)):
            told = {
                what: state[places[f"{name}.{what}"]]
                for what in ("losses", "wounds_left", "power_left", "rout")
            }
            left = side.number - told["losses"]
            assert told["power_left"] == left * (side.power or 0)
            assert left <= told["wounds_left"] <= left * side.wounds
            assert state[places[f"{name}.destroyed"]] == (left == 0)
            assert not (told["rout"] and left == 0)
        held = [state[places[f"{name}.holds_objective"]] for name in ("attacker", "defender")]
        assert sum(held) <= 1


# -- the same question in other words --------------------------------------------------------------------
@settings(max_examples=15, deadline=None)
@given(units(), units(), st.integers(1, 3))
def test_a_group_with_the_card_of_the_ranks_changes_nothing_but_the_name(
    a: Unit, d: Unit, moved: int
) -> None:
    """True of two groups in contact that strike, as long as no throw is looked at as a whole."""
    card = {**a.model_dump(exclude={"source", "positions"}), "groups": {"twin": {"count": moved}}}
    twins, whole = unit(**card), better(a, count=moved)
    for options in ({}, {"contact": 2}, {"engaged": True}):
        same(ask("assault", twins, d, **options), ask("assault", whole, d, **options))
    shooter = unit(count=2, ranged=5, ranged_dice=3, ranged_strength=7)
    same(ask("shoot", shooter, twins), ask("shoot", shooter, whole))


@settings(max_examples=20, deadline=None)
@given(units(count=4), st.integers(0, 12))
def test_splitting_dice_keeps_their_number(a: Unit, dice: int) -> None:
    """Against two like groups with room for all damage, the means add up however the dice are split."""
    room = {"count": 5, "wounds": 40, "resilience": 4}
    enemy = unit(**room, power=9, groups={"others": {"count": 5}})
    whole = ask("assault", a, enemy)
    split = ask("assault", a, enemy, split=f"ranks:others={min(dice, 4 * a.dice)}")
    assert split.mean("damage") == pytest.approx(whole.mean("damage"), abs=1e-6)


@settings(max_examples=12, deadline=None)
@given(units(), units(), st.sampled_from(["assault", "fight"]))
def test_the_ruleset_without_bonus_dice_is_the_default_with_that_rule(a: Unit, d: Unit, mode: str) -> None:
    options = {"rounds": 2} if mode == "fight" else {}
    shipped = ask(mode, a, d, ruleset="no-bonus-dice", **options)
    same(shipped, ask(mode, a, d, rules={"bonus_die": "none"}, **options))
    assert joint(shipped) == joint(ask(mode, a, d, ruleset="no-bonus-dice", **options))


@settings(max_examples=15, deadline=None)
@given(units(), units(), BONUS)
def test_an_engaged_mirror_fight_of_one_strike_each_is_an_assault_then_its_answer(
    a: Unit, d: Unit, bonus: str
) -> None:
    """The same two units, the roles swapped: the first activation is the other's assault."""
    rules = {"bonus_die": bonus}
    steady = [side.model_copy(update={"courage": 30}) for side in (a, d)]
    for own, enemy in (steady, steady[::-1]):
        once = ask("assault", own, enemy, engaged=True, rules=rules)
        fought = ask("fight", own, enemy, engaged=True, rounds=1, rules=rules)
        assert fought.pmf("defender.losses") == pytest.approx(once.pmf("kills"), abs=SMALL)
        assert fought.probability("defender.destroyed") == pytest.approx(
            once.probability("destroyed"), abs=SMALL
        )


@settings(max_examples=12, deadline=None)
@given(units(power=1, courage=30), st.integers(1, 3))
def test_a_mirror_fight_favours_whoever_strikes_first(a: Unit, rounds: int) -> None:
    result = ask("fight", a, a, engaged=True, rounds=rounds)
    assert result.mean("defender.losses") >= result.mean("attacker.losses") - SMALL
    assert result.probability("defender.destroyed") >= result.probability("attacker.destroyed") - SMALL


@settings(max_examples=12, deadline=None)
@given(units(), units(), st.integers(1, 40))
def test_an_estimate_is_the_mean_of_its_distances(a: Unit, d: Unit, near: int) -> None:
    mixed = ask("assault", a, d, distance=f"{near}..{near + 3}")
    each = [ask("assault", a, d, distance=str(cm)) for cm in range(near, near + 4)]
    for event in mixed.events:
        assert mixed.probability(event) == pytest.approx(
            sum(r.probability(event) for r in each) / 4, abs=SMALL
        )
    assert mixed.mean("kills") == pytest.approx(sum(r.mean("kills") for r in each) / 4, abs=SMALL)


def test_a_copy_of_a_unit_with_other_values_has_other_fighters() -> None:
    whole = unit(count=3, groups={"leader": {"attack": 7}})
    assert whole.number == 4
    fewer = whole.model_copy(update={"count": 1})
    assert (fewer.number, whole.number) == (2, 4)
    assert [group.count for group in fewer.fighters] == [1, 1]
