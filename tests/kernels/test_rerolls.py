"""Re-rolls that a whole pool shares, against icepool and brute force."""

from __future__ import annotations

from typing import Any

import icepool
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mathhammer.core.pmf import Pmf
from mathhammer.kernels.pools import pool, successes
from mathhammer.kernels.rerolls import pool_rerolling, sum_rerolling
from tests.core.brute import assert_same, listed

worths = st.lists(st.integers(0, 2), min_size=6, max_size=6)
counts = st.tuples(st.integers(0, 5), st.integers(0, 3))


def die_of(worth: list[int]) -> Pmf:
    """A d6 whose faces are worth so many successes."""
    return successes(7, per_face=lambda face: worth[face - 1])


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


def test_cuts_of_every_die_that_may_be_thrown_are_counted() -> None:
    """A pool of chains folds a tail for each of its dice, and for each thrown again."""
    chain = successes(4, bonus="chain")
    assert pool_rerolling(chain, 2).row(5).cut >= pool(chain).row(5).cut > 0


@settings(max_examples=60)
@given(st.integers(1, 4), st.sets(st.integers(1, 4)), st.integers(0, 5))
def test_the_lowest_of_the_named_faces_are_rolled_again(dice: int, named: set[int], again: int) -> None:
    """Against every first roll and every second one."""

    def total(shown: tuple[int, ...]) -> int:
        first, second = shown[:dice], shown[dice:]
        falls = sorted(face for face in first if face in named)[:again]
        return sum(first) - sum(falls) + sum(second[: len(falls)])

    d4 = Pmf.die(4)
    known = listed([d4] * (2 * dice), total)
    found = sum_rerolling(d4, dice, frozenset(named), again)
    assert dict(found) == pytest.approx(known, abs=1e-14)
