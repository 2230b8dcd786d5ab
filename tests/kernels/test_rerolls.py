"""Re-rolls that a whole pool shares, against icepool and brute force."""

from __future__ import annotations

from typing import Any

import icepool
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from mathhammer.core.added import added
from mathhammer.core.pmf import Pmf, binomial
from mathhammer.kernels.pools import faces_worth, pool, successes
from mathhammer.kernels.rerolled import rerolled
from mathhammer.kernels.rerolls import kept_rerolling, pool_rerolling
from tests.core.brute import assert_same, listed

worths = st.lists(st.integers(0, 2), min_size=6, max_size=6)
counts = st.tuples(st.integers(0, 5), st.integers(0, 3))


def die_of(worth: list[int]) -> Pmf:
    """A d6 whose faces are worth so many successes."""
    return faces_worth(np.array(worth))


@settings(max_examples=40)
@given(worths, counts)
def test_some_failed_dice_are_rolled_again_as_by_icepool(worth: list[int], numbers: tuple[int, int]) -> None:
    """icepool counts successes and failures together, then adds the second rolls."""
    dice, again = numbers
    one: Any = icepool.d6.map(lambda face: worth[face - 1])
    both = dice @ one.map(lambda hits: icepool.Vector([hits, int(hits == 0)]))
    theirs = both.map(lambda hits, failed: hits + min(again, failed) @ one) if dice else icepool.Die([0])
    known = {
        hits: float(chance) for hits, chance in zip(theirs.outcomes(), theirs.probabilities(), strict=True)
    }
    assert_same(pool_rerolling(die_of(worth), again).row(dice), known)


@pytest.mark.parametrize("again", [1, 2])
@pytest.mark.parametrize("dice", [1, 2, 3])
@pytest.mark.parametrize("need", [2, 4, 6])
def test_some_failed_dice_are_rolled_again_by_listing_all_rolls(need: int, dice: int, again: int) -> None:
    def total(shown: tuple[int, ...]) -> int:
        first, second = shown[:dice], shown[dice:]
        failed = dice - sum(first)
        return sum(first) + sum(second[: min(failed, again)])

    assert_same(
        pool_rerolling(successes(need), again).row(dice), listed([successes(need)] * (dice + again), total)
    )


@given(worths, st.integers(0, 6))
def test_no_re_roll_is_the_pool_itself(worth: list[int], dice: int) -> None:
    assert_same(pool_rerolling(die_of(worth), 0).row(dice), dict(pool(die_of(worth)).row(dice)))


@pytest.mark.parametrize("sides", [3, 6, 10, 20])
def test_dice_that_never_succeed_show_nothing_however_often_they_are_thrown(sides: int) -> None:
    """Also where the chances of the faces do not sum to one to the bit."""
    assert_same(pool_rerolling(successes(sides + 1, sides=sides), 1).row(5), {0: 1.0})


@pytest.mark.parametrize("need", range(2, 7))
def test_as_many_re_rolls_as_dice_are_failures_rolled_again(need: int) -> None:
    every = pool(successes(need, reroll="failures")).row(4)
    assert_same(pool_rerolling(successes(need), 4).row(4), dict(every))


@pytest.mark.parametrize("need", range(2, 7))
def test_the_mean_of_one_re_roll_is_the_chance_that_one_failed(need: int) -> None:
    """n dice of chance p gain p whenever not all succeed, also where the pool is large."""
    chance = (7 - need) / 6
    for dice in (1, 10, 200):
        gain = pool_rerolling(successes(need), 1).row(dice).mean - dice * chance
        assert gain == pytest.approx(chance * (1 - chance**dice), abs=1e-9)


@pytest.mark.parametrize("again", [1, 30, 40])
def test_many_dice_gain_what_those_that_failed_show(again: int) -> None:
    """By the number of dice that fail, of which about 30 do."""
    dice, chance = 3000, 0.99
    found = pool_rerolling(Pmf(0, [1 - chance, chance]), again).row(dice)
    known = np.zeros(dice + 1)
    for failed in range(200):
        rolled = np.arange(min(failed, again) + 1)
        known[dice - failed + rolled] += binom.pmf(failed, dice, 1 - chance) * binom.pmf(
            rolled, rolled[-1], chance
        )
    assert [found[value] for value in range(dice + 1)] == pytest.approx(known.tolist(), abs=1e-12)


def test_cuts_of_every_die_that_may_be_thrown_are_counted() -> None:
    """A pool of chains folds a tail for each of its dice, and for each thrown again."""
    chain = successes(4, bonus="chain")
    assert pool_rerolling(chain, 2).row(5).cut >= pool(chain).row(5).cut > 0


@settings(max_examples=30)
@given(st.integers(1, 4), st.sets(st.integers(1, 4)), st.integers(0, 5))
def test_the_lowest_of_the_named_faces_are_rolled_again(dice: int, named: set[int], again: int) -> None:
    """Against every first roll and every second one."""

    def total(shown: tuple[int, ...]) -> int:
        first, second = shown[:dice], shown[dice:]
        falls = sorted(face for face in first if face in named)[:again]
        return sum(first) - sum(falls) + sum(second[: len(falls)])

    d4 = Pmf.die(4)
    known = listed([d4] * (2 * dice), total)
    found = added([rerolled(d4, dice, frozenset(named), again)])
    assert dict(found) == pytest.approx(known, abs=1e-14)


@pytest.mark.parametrize(
    ("dice", "sides", "below", "again"),
    [(100, 1000, 500, 50), (10, 1000, 500, 3), (60, 500, 499, 59), (100, 6, 4, 5), (30, 20, 21, 7)],
)
def test_many_dice_gain_what_their_lowest_do(dice: int, sides: int, below: int, again: int) -> None:
    """The i-th lowest die shows a face at most if i dice do; rolled again it is worth the mean of a die."""
    mean = dice * (sides + 1) / 2
    for number in range(1, again + 1):
        up_to = [binomial(dice, face / sides).at_least(number) for face in range(1, below)]
        shows = np.diff(up_to, prepend=0.0)
        mean += float(shows @ ((sides + 1) / 2 - np.arange(1, below)))
    found = added([rerolled(Pmf.die(sides), dice, frozenset(range(1, below)), again)])
    assert found.mean == pytest.approx(mean, rel=1e-12)


@settings(max_examples=30)
@given(st.integers(1, 6), st.integers(2, 7), st.sets(st.integers(1, 7), min_size=1), st.integers(1, 6))
def test_all_dice_kept_are_the_sum(dice: int, sides: int, named: set[int], again: int) -> None:
    """Roll by roll, and by Fourier transform."""
    faces = frozenset(face for face in named if face <= sides)
    found = kept_rerolling(dice, sides, dice, False, faces, again)
    assert_same(found, dict(added([rerolled(Pmf.die(sides), dice, faces, again)])))


@settings(max_examples=30)
@given(
    st.integers(1, 4).flatmap(lambda dice: st.tuples(st.just(dice), st.integers(1, dice))),
    st.sets(st.integers(1, 4)),
    st.integers(0, 5),
    st.booleans(),
)
def test_dice_are_kept_after_the_lowest_are_rolled_again(
    counts: tuple[int, int], named: set[int], again: int, lowest: bool
) -> None:
    """Against every first roll and every second one."""
    dice, keep = counts

    def total(shown: tuple[int, ...]) -> int:
        first, second = list(shown[:dice]), shown[dice:]
        falls = sorted(face for face in first if face in named)[:again]
        for face in falls:
            first.remove(face)
        final = sorted([*first, *second[: len(falls)]], reverse=not lowest)
        return sum(final[:keep])

    known = listed([Pmf.die(4)] * (2 * dice), total)
    assert_same(kept_rerolling(dice, 4, keep, lowest, frozenset(named), again), known)


def test_dice_of_more_than_127_sides_are_rolled_again() -> None:
    """One of 200 faces of 200 sides: where the die shows it, it is thrown again."""
    found = kept_rerolling(1, 200, 1, False, frozenset({200}), 1)
    assert found[200] == pytest.approx(1 / 200**2)
    assert found[199] == pytest.approx(1 / 200 + 1 / 200**2)


@settings(max_examples=60)
@given(
    st.integers(2, 5),
    st.sets(st.integers(1, 5), min_size=1),
    st.integers(1, 4),
    st.floats(-2, 2),
    st.floats(0.01, 2),
)
def test_bounds_of_re_rolled_sums_are_bounds(
    dice: int, named: set[int], again: int, tilt: float, distance: float
) -> None:
    """Of their tilted mean and of their characteristic function."""
    summand = rerolled(Pmf.die(5), dice, frozenset(named), again)
    sums = added([summand])
    values = sums.outcomes - summand.offset
    assert (
        np.log(sums.probs @ np.exp(tilt * values)) <= summand.tilted([summand], np.array([tilt]))[0, 0] + 1e-9
    )
    heard = abs(sums.probs @ np.exp(-2j * np.arcsin(distance / 2) * values))
    for roughly in (True, False):
        bound = summand.damped([summand], np.array([distance]), roughly)[0, 0]
        assert heard <= np.exp(bound) + 1e-12
