"""Sums of kept dice: against all rolls listed, each way against the others, and means of order statistics."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mathhammer.core.added import Dice, Summand, added, minus
from mathhammer.core.kept import Kept, best, worst
from mathhammer.core.order import threshold_weights
from mathhammer.core.pmf import Floats, Pmf, binomial
from mathhammer.core.sums import Complex, period_of
from mathhammer.kernels.pools import faces_worth
from tests.core.brute import assert_same, listed, pmfs

counts = st.integers(1, 4).flatmap(lambda dice: st.tuples(st.just(dice), st.integers(1, dice)))
some_kept = st.integers(3, 9).flatmap(lambda dice: st.tuples(st.just(dice), st.integers(2, dice - 1)))


def keep_best(die: Pmf, dice: int, keep: int) -> Pmf:
    """The distribution of the sum of the highest."""
    return added([best(die, dice, keep)])


def keep_worst(die: Pmf, dice: int, keep: int) -> Pmf:
    """The distribution of the sum of the lowest."""
    return added([worst(die, dice, keep)])


@settings(max_examples=60)
@given(pmfs(most=5), counts)
def test_keep_best_sums_the_highest(die: Pmf, counts: tuple[int, int]) -> None:
    dice, keep = counts
    assert_same(keep_best(die, dice, keep), listed([die] * dice, lambda shown: sum(sorted(shown)[-keep:])))


@settings(max_examples=60)
@given(pmfs(most=5), counts)
def test_keep_worst_sums_the_lowest(die: Pmf, counts: tuple[int, int]) -> None:
    dice, keep = counts
    assert_same(keep_worst(die, dice, keep), listed([die] * dice, lambda shown: sum(sorted(shown)[:keep])))


@given(pmfs(most=5), st.integers(1, 5))
def test_keeping_one_or_all_is_the_best_one_or_the_sum(die: Pmf, dice: int) -> None:
    assert_same(keep_best(die, dice, 1), dict(die.best_of(dice)))
    assert_same(keep_worst(die, dice, 1), dict(die.worst_of(dice)))
    assert_same(keep_best(die, dice, dice), dict(die.times(dice)))


@pytest.mark.parametrize("keep", [0, 4])
def test_keeping_none_or_more_than_all_is_refused(keep: int) -> None:
    with pytest.raises(ValueError, match="between 1 and 3"):
        keep_best(Pmf.die(6), 3, keep)


@settings(max_examples=60)
@given(pmfs(most=5), some_kept, st.integers(1, 4))
def test_the_three_ways_agree(die: Pmf, counts: tuple[int, int], number: int) -> None:
    kept = Kept(die, *counts)
    faces = kept.by_faces()
    assert spread(kept, kept.by_thresholds) == pytest.approx(faces, abs=1e-14)
    assert spread(kept, partial(kept.by_cells, number)) == pytest.approx(faces, abs=1e-14)


@pytest.mark.parametrize(("dice", "keep"), [(3, 2), (12, 11), (12, 5), (20, 13), (30, 29)])
@pytest.mark.parametrize("mirrored", [False, True])
def test_the_three_ways_agree_on_dice_whose_far_faces_are_rare(dice: int, keep: int, mirrored: bool) -> None:
    """Far cells take few dice and few frequencies: what is left out weighs nothing."""
    die = faces_worth(np.arange(1, 41), bonus="chain")
    kept = Kept(die.mirrored() if mirrored else die, dice, keep)
    faces = kept.by_faces()
    assert spread(kept, kept.by_thresholds) == pytest.approx(faces, abs=1e-15)
    for number in (1, 4, 20):
        assert spread(kept, partial(kept.by_cells, number)) == pytest.approx(faces, abs=1e-15)


def spread(kept: Kept, way: Callable[[int, int], Complex]) -> Floats:
    """The chances of all sums, from the transform at all frequencies."""
    sums = kept.keep * (len(kept.die.probs) - 1) + 1
    period = period_of(sums)
    found: Floats = np.fft.irfft(way(period // 2 + 1, period), period)[:sums]
    return found


@settings(max_examples=60)
@given(pmfs(most=5), some_kept, st.floats(-2, 2), st.floats(0.01, 2))
def test_bounds_are_bounds(die: Pmf, counts: tuple[int, int], tilt: float, distance: float) -> None:
    """Of where sums are, of their tilted mean, and of their characteristic function."""
    summands: list[Summand] = [Kept(die, *counts), minus(Kept(die, *counts)), Dice(3, die)]
    for summand in summands:
        sums = added([summand])
        values = np.arange(len(sums.probs)) + sums.offset - summand.offset
        low, high = summand.reach
        assert sums.probs[(values < low) | (values > high)].sum() < 1e-15
        assert (
            math.log(sums.probs @ np.exp(tilt * values))
            <= summand.tilted([summand], np.array([tilt]))[0, 0] + 1e-9
        )
        angle = 2 * math.asin(distance / 2)
        heard = abs(sums.probs @ np.exp(-1j * angle * values))
        assert heard <= math.exp(summand.damped([summand], np.array([distance]), False)[0, 0]) + 1e-12


def test_kept_dice_are_added_at_once_to_others() -> None:
    """The sum hears few frequencies: its cells are those of the parts, added one by one."""
    chain = faces_worth(np.arange(1, 401), bonus="chain")
    terms = [best(chain, 12, 5), worst(chain, 10, 7), minus(best(Pmf.die(500), 9, 4)), Dice(20, Pmf.die(30))]
    known = sum((added([term]) for term in terms), Pmf.point(0))
    found = added(terms)
    values = range(min(known.offset, found.offset), max(known.last, found.last) + 1)
    assert max(abs(found[value] - known[value]) for value in values) < 2e-15


@pytest.mark.parametrize(
    ("sides", "dice", "keep"),
    [(100, 100, 50), (1000, 100, 50), (1000, 100, 10), (1000, 100, 97), (1000, 30, 12), (300, 1000, 400)],
)
def test_many_dice_have_the_mean_of_their_order_statistics(sides: int, dice: int, keep: int) -> None:
    """The mean of the sum is the sum over the faces of E(how many of those kept show that face at least)."""
    means = []
    for face in range(1, sides + 1):
        showing = binomial(dice, (sides + 1 - face) / sides)
        means.append(float(np.minimum(showing.outcomes, keep) @ showing.probs))
    assert keep_best(Pmf.die(sides), dice, keep).mean == pytest.approx(math.fsum(means), rel=1e-12)
    lowest = keep_worst(Pmf.die(sides), dice, keep).mean
    assert lowest == pytest.approx(keep * (sides + 1) - math.fsum(means), rel=1e-12)


@pytest.mark.parametrize(("dice", "keep"), [(100, 50), (100, 10), (60, 15)])
def test_ends_of_many_dice_are_right(dice: int, keep: int) -> None:
    """All that are kept show the highest face if at least so many dice do."""
    die = Pmf(1, np.append(np.full(299, 0.7 / 299), 0.3))
    found = keep_best(die, dice, keep)
    assert found[300 * keep] == pytest.approx(binomial(dice, 0.3).at_least(keep), abs=1e-13)


def test_sums_far_out_are_exact_where_faces_are_few() -> None:
    """One of 6**60 rolls shows nothing but ones."""
    found = keep_best(Pmf.die(6), 60, 2)
    assert found[2] == pytest.approx(6.0**-60, rel=1e-10)


@given(st.integers(2, 12), st.integers(2, 12), st.lists(st.integers(1, 9), min_size=2, max_size=5))
def test_weights_of_thresholds_are_those_of_the_multinomial(dice: int, keep: int, parts: list[int]) -> None:
    keep = min(keep, dice)
    chances = np.array(parts) / sum(parts)
    below = np.cumsum(chances) - chances
    above = np.maximum(0.0, 1 - below - chances)
    found = threshold_weights(dice, keep, above, chances, below)
    for face, (a, s, b) in enumerate(zip(above, chances, below, strict=True)):
        for more in range(keep):
            ways = [
                math.comb(dice, more) * math.comb(dice - more, on) * a**more * s**on * b ** (dice - more - on)
                for on in range(keep - more, dice - more + 1)
            ]
            assert found[face, more] == pytest.approx(math.fsum(ways), abs=1e-13)
