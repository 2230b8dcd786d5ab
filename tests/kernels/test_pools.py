"""Pools of dice against icepool, brute force, and values asked for in public."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import icepool
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mathhammer.core.dice import roll
from mathhammer.core.laws import Law
from mathhammer.core.pmf import TAIL, Pmf
from mathhammer.kernels.pools import Bonus, Reroll, faces_worth, pool, successes
from tests.core.brute import assert_same, listed

CASES: dict[str, Any] = {
    case["id"]: case
    for case in json.loads(Path(__file__).parents[1].joinpath("data", "public.json").read_text())["cases"]
}
REROLLS: list[Reroll] = ["none", "ones", "failures"]
BONUSES: list[Bonus] = ["none", "once", "chain"]
LINKS = 40  # of a chain in icepool; what is beyond is under 1e-12 where the bonus face is no more than 1/2


def asked(case: str) -> list[tuple[str, Any]]:
    """What a public case expects, by question."""
    return list(CASES[case]["expected"].items())


def shares(die: Any) -> dict[int, float]:
    """An icepool die as value -> probability."""
    return {value: float(chance) for value, chance in zip(die.outcomes(), die.probabilities(), strict=True)}


def icepool_die(need: int, sides: int, reroll: Reroll, bonus: Bonus) -> Any:
    """One die's successes, by icepool alone. Every die, also an added one, re-rolls."""
    face = icepool.d(sides)
    if need > sides:
        return icepool.Die([0])
    again = {"none": [], "ones": [1], "failures": list(range(1, need))}[reroll]
    shown = face.reroll(again, depth=1) if again else face
    added = shown.map(lambda value: int(value >= need))
    for _ in range({"none": 0, "once": 1, "chain": LINKS}[bonus]):
        added = shown.map(lambda value, after: int(value >= need) + (after if value == sides else 0), added)
    return added


# -- against icepool -----------------------------------------------------------------------------
options = st.tuples(st.integers(2, 7), st.sampled_from([4, 6, 8]), st.sampled_from(REROLLS))


@settings(max_examples=40)
@given(options, st.sampled_from(["none", "once"]), st.integers(0, 5))
def test_pools_are_those_of_icepool(die: tuple[int, int, Reroll], bonus: Bonus, dice: int) -> None:
    need, sides, reroll = die
    ours = pool(successes(need, sides=sides, reroll=reroll, bonus=bonus)).row(dice)
    assert_same(ours, shares(dice @ icepool_die(need, sides, reroll, bonus)))


@settings(max_examples=12)
@given(options, st.integers(0, 3))
def test_chains_are_those_of_icepool(die: tuple[int, int, Reroll], dice: int) -> None:
    """To where icepool's chain ends."""
    need, sides, reroll = die
    ours = pool(successes(need, sides=sides, reroll=reroll, bonus="chain")).row(dice)
    theirs = shares(dice @ icepool_die(need, sides, reroll, "chain"))
    values = {value for value, _ in ours} | set(theirs)
    assert {value: ours[value] for value in values} == pytest.approx(
        {value: theirs.get(value, 0.0) for value in values}, abs=1e-12
    )


@settings(max_examples=30)
@given(st.lists(st.integers(0, 3), min_size=6, max_size=6), st.integers(0, 4))
def test_what_faces_are_worth_is_summed_as_by_icepool(worth: list[int], dice: int) -> None:
    ours = pool(faces_worth(np.array(worth))).row(dice)
    assert_same(ours, shares(dice @ icepool.d6.map(lambda face: worth[face - 1])))


# -- by hand -------------------------------------------------------------------------------------
@pytest.mark.parametrize("sides", [2, 6, 20])
@pytest.mark.parametrize("reroll", REROLLS)
def test_one_die_by_listing_both_rolls(sides: int, reroll: Reroll) -> None:
    for need in range(1, sides + 2):

        def stands(shown: tuple[int, ...], need: int = need) -> int:
            first, second = shown
            rolled = (reroll == "ones" and first == 1) or (reroll == "failures" and first < need)
            return int((second if rolled else first) >= need)

        die = Pmf.die(sides)
        assert_same(successes(need, sides=sides, reroll=reroll), listed([die, die], stands))


def test_a_bonus_die_is_for_the_highest_face_that_succeeds_only() -> None:
    assert_same(successes(7, bonus="chain"), {0: 1.0})
    assert_same(successes(6, bonus="once"), {0: 5 / 6, 1: 5 / 36, 2: 1 / 36})


@pytest.mark.parametrize("need", range(2, 7))
def test_a_chain_is_geometric_and_cut_where_nothing_is_left(need: int) -> None:
    """The mean is that of an endless chain, p / (1 - 1/6); the cut is in the last cell, under 1e-15."""
    chain = successes(need, bonus="chain")
    assert chain.mean == pytest.approx((7 - need) / 6 * 6 / 5, abs=1e-12)
    assert chain.probs[-1] == pytest.approx(chain.cut, rel=1e-9)
    assert 0 < chain.cut < TAIL
    assert pool(chain).row(10).cut == pytest.approx(10 * chain.cut)


@pytest.mark.parametrize("bonus", BONUSES)
@pytest.mark.parametrize("reroll", REROLLS)
def test_a_lower_need_never_lowers_the_mean(reroll: Reroll, bonus: Bonus) -> None:
    means = [successes(need, reroll=reroll, bonus=bonus).mean for need in range(7, 1, -1)]
    assert means == sorted(means)
    assert len(set(means)) == len(means)


def test_no_dice_show_no_successes() -> None:
    assert pool(successes(3)).row(0) == Pmf.point(0)


# -- asked in public -----------------------------------------------------------------------------
@pytest.mark.parametrize(("least", "chance"), asked("CH01"))
def test_ch01_two_dice_total_at_least(least: str, chance: str) -> None:
    assert roll(CASES["CH01"]["inputs"]["dice"]).at_least(int(least)) == pytest.approx(
        float(Fraction(chance)), abs=1e-9
    )


@pytest.mark.parametrize(("need", "ways"), asked("D601"))
def test_d601_one_die_makes_its_score(need: str, ways: dict[str, str]) -> None:
    """A natural 1 fails: with +1 the score needed is one less, but 2."""
    score = int(need)
    ours = {
        "plain": successes(score),
        "reroll_fails": successes(score, reroll="failures"),
        "reroll_ones": successes(score, reroll="ones"),
        "plus_one": successes(max(2, score - 1)),
    }
    known = {way: float(Fraction(chance)) for way, chance in ways.items()}
    assert {way: die.mean for way, die in ours.items()} == pytest.approx(known, abs=1e-9)


def sixes(need: int, worth: int) -> Pmf:
    """Successes of a die whose 6 is worth more than one."""
    return faces_worth(np.array([worth if face == 6 else int(face >= need) for face in range(1, 7)]))


def factor(**tricks: Any) -> list[float]:
    """How much a trick raises the mean, at each need from 2 to 6."""
    return [successes(need, **tricks).mean / successes(need).mean for need in range(2, 7)]


def six_wounds_at_once() -> float:
    """Mean wounds of ten dice: 3 and 4 needed, a natural 6 to hit wounds. 0 misses, 1 hits, 2 wounds."""
    hits = Law.constant(sixes(3, 2))
    wounds = Law.of([Pmf.point(0), successes(4), Pmf.point(1)])
    return pool((hits @ wounds).row(0)).row(10).mean


D603: dict[str, list[float]] = {
    "reroll_ones": factor(reroll="ones"),
    "reroll_fails_need_6": factor(reroll="failures")[-1:],
    "extra_die_on_6_once": factor(bonus="once"),
    "extra_die_on_6_repeating": factor(bonus="chain"),
    "six_is_two_hits_need_3": [sixes(3, 2).mean / successes(3).mean],
    "six_is_two_hits_need_4": [sixes(4, 2).mean / successes(4).mean],
    "six_wounds_at_once": [six_wounds_at_once()],
}


@pytest.mark.parametrize(("trick", "known"), asked("D603"))
def test_d603_what_common_tricks_are_worth(trick: str, known: str) -> None:
    """At every need, where the question names none."""
    for mean in D603[trick]:
        assert mean == pytest.approx(float(Fraction(known)), abs=1e-9)
