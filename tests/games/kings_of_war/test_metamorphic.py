"""Relations that must hold whatever the numbers are; public calculators are known to break them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mathhammer
from mathhammer.games.kings_of_war.profile import Unit
from tests.games.kings_of_war.units import unit

EDITION = st.sampled_from([1, 2, 3, 4])
REROLL = st.fixed_dictionaries({}, optional={"elite": st.just(True), "vicious": st.just(True)})


def units(**fixed: Any) -> st.SearchStrategy[Unit]:
    """Plain units whose scores leave room for one pip in either direction."""
    return st.builds(
        lambda at, me, de, waver, rules: unit(
            at=at, me=me, de=de, waver=waver, rout=waver + 2, rules=rules, **fixed
        ),
        st.integers(1, 20),
        st.integers(3, 5),
        st.integers(3, 5),
        st.integers(8, 20),
        REROLL,
    )


def answer(attacker: Unit, defender: Unit, edition: int, **options: Any) -> mathhammer.Result:
    return mathhammer.exact("kow", "melee", attacker, defender, edition=edition, **options)


@settings(max_examples=25, deadline=None)
@given(units(), units(), EDITION)
def test_a_better_characteristic_never_lowers_mean_damage_or_the_chance_to_rout(
    a: Unit, d: Unit, edition: int
) -> None:
    """True of one melee: every law used is monotone in its key."""
    base = answer(a, d, edition)
    for better in (
        answer(a.model_copy(update={"at": a.at + 1}), d, edition),
        answer(a.model_copy(update={"me": a.me - 1}), d, edition),
        answer(a, d.model_copy(update={"de": d.de - 1}), edition),
    ):
        assert better.mean("damage") >= base.mean("damage") - 1e-12
        assert better.probability("rout") >= base.probability("rout") - 1e-12
    steadier = d.model_copy(update={"rout": d.rout + 1, "waver": (d.waver or 0) + 1})
    assert answer(a, steadier, edition).probability("rout") <= base.probability("rout") + 1e-12


@settings(max_examples=25, deadline=None)
@given(units(), units(), EDITION)
def test_4_with_plus_1_is_3_under_every_reroll(a: Unit, d: Unit, edition: int) -> None:
    """True of +1 on the roll as long as the score stays within 2 to 6."""
    with_plus = answer(a, d, edition, hit_mod=1, damage_mod=1)
    easier = answer(a.model_copy(update={"me": a.me - 1}), d.model_copy(update={"de": d.de - 1}), edition)
    assert with_plus.pmf("damage") == pytest.approx(easier.pmf("damage"))


@settings(max_examples=20, deadline=None)
@given(units(), units(), EDITION)
def test_damage_never_exceeds_the_dice_and_the_three_results_are_all_there_is(
    a: Unit, d: Unit, edition: int
) -> None:
    result = answer(a, d, edition, facing="flank")
    assert max(result.pmf("damage")) <= 2 * a.at
    assert sum(result.probability(e) for e in ("steady", "waver", "rout")) == pytest.approx(1)


@settings(max_examples=10, deadline=None)
@given(units(), EDITION)
def test_inspiring_never_makes_a_rout_likelier(a: Unit, edition: int) -> None:
    plain, inspired = (answer(a, a, edition, damage_before=5, inspiring=on) for on in (False, True))
    assert inspired.probability("rout") <= plain.probability("rout") + 1e-12


@settings(max_examples=10, deadline=None)
@given(units(), units(), st.integers(1, 3), EDITION)
def test_the_order_of_chargers_does_not_matter(a: Unit, d: Unit, number: int, edition: int) -> None:
    """True without Lifeleech, which heals the first one only."""
    other = a.model_copy(update={"at": a.at + number, "me": 3})
    one = answer(a, d, edition, with_=[other])
    two = answer(other, d, edition, with_=[a])
    assert one.pmf("damage") == pytest.approx(two.pmf("damage"))
    assert one.probability("rout") == pytest.approx(two.probability("rout"))


@settings(max_examples=8, deadline=None)
@given(units(), st.integers(1, 3))
def test_a_mirror_fight_favours_whoever_strikes_first_and_turns_only_add(a: Unit, turns: int) -> None:
    """A mirror match is symmetric but for the first strike, which can only help."""
    result = mathhammer.exact("kow", "fight", a, a, turns=turns, edition=3)
    longer = mathhammer.exact("kow", "fight", a, a, turns=turns + 1, edition=3)
    for side in ("attacker", "defender"):
        assert longer.probability(f"{side}.rout") >= result.probability(f"{side}.rout") - 1e-12
    assert result.probability("defender.rout") >= result.probability("attacker.rout") - 1e-12


def test_the_mean_printed_is_the_mean_of_the_distribution() -> None:
    told = mathhammer.simulate("kow", "melee", "ogre-warriors", "foot-guard", trials=1000).to_dict()
    for source in ("exact", "simulated"):
        numbers = told["measures"]["damage"][source]
        assert numbers["mean"] == pytest.approx(sum(k * p for k, p in numbers["pmf"]))
