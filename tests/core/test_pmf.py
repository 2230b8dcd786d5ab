"""`Pmf`: arithmetic against brute force, trimming, validation."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from mathhammer.core.pmf import MANY, TAIL, WIDE, Pmf
from tests.core.brute import assert_same, listed, pmfs

few = st.integers(1, 3)


@given(pmfs(), pmfs())
def test_a_sum_is_the_sum_over_all_pairs(a: Pmf, b: Pmf) -> None:
    assert_same(a + b, listed([a, b], sum))


@given(pmfs(most=4), st.integers(0, 4))
def test_times_is_the_sum_of_copies(pmf: Pmf, n: int) -> None:
    assert_same(pmf.times(n), listed([pmf] * n, sum))


@given(pmfs(), few)
def test_best_of_is_the_largest_of_copies(pmf: Pmf, n: int) -> None:
    assert_same(pmf.best_of(n), listed([pmf] * n, max))


@given(pmfs(), few)
def test_worst_of_is_the_smallest_of_copies(pmf: Pmf, n: int) -> None:
    assert_same(pmf.worst_of(n), listed([pmf] * n, min))


@given(pmfs(), st.integers(-6, 12))
def test_what_is_above_a_cap_counts_as_the_cap(pmf: Pmf, most: int) -> None:
    assert_same(pmf.capped(most), listed([pmf], lambda shown: min(shown[0], most)))
    assert pmf.capped(most).last <= max(most, pmf.offset)


@given(pmfs(), st.integers(-4, 4))
def test_adding_a_constant_moves_every_value(pmf: Pmf, by: int) -> None:
    assert_same(pmf + by, listed([pmf], lambda shown: shown[0] + by))


@given(pmfs(), st.integers(1, 3))
def test_map_gathers_values_with_one_image(pmf: Pmf, modulus: int) -> None:
    assert_same(pmf.map(lambda value: value % modulus), listed([pmf], lambda shown: shown[0] % modulus))


@given(pmfs(), pmfs(), st.integers(0, 8))
def test_a_mixture_weighs_its_parts(a: Pmf, b: Pmf, eighths: int) -> None:
    share = eighths / 8
    mixed = Pmf.mixture([(share, a), (1 - share, b)])
    values = {value for value, _ in [*a, *b]}
    chances = {value: share * a[value] + (1 - share) * b[value] for value in values}
    assert_same(mixed, {value: chance for value, chance in chances.items() if chance > 0})


@given(pmfs())
def test_mean_sd_and_tail_are_those_of_the_cells(pmf: Pmf) -> None:
    mean = math.fsum(value * chance for value, chance in pmf)
    variance = math.fsum((value - mean) ** 2 * chance for value, chance in pmf)
    assert pmf.mean == pytest.approx(mean, abs=1e-12)
    assert pmf.sd == pytest.approx(math.sqrt(variance), abs=1e-7)
    for least in range(pmf.offset - 1, pmf.last + 2):
        tail = math.fsum(chance for value, chance in pmf if value >= least)
        assert pmf.at_least(least) == pytest.approx(tail, abs=1e-12)


@given(pmfs(), pmfs(), few)
def test_every_operation_sums_to_one(a: Pmf, b: Pmf, n: int) -> None:
    for made in (
        a + b,
        a.times(n),
        a.best_of(n),
        a.worst_of(n),
        a.map(abs),
        Pmf.mixture([(0.5, a), (0.5, b)]),
    ):
        assert made.probs.sum() == pytest.approx(1.0, abs=1e-12)


def test_a_value_outside_the_cells_has_no_chance() -> None:
    assert (Pmf.die(6)[0], Pmf.die(6)[7]) == (0.0, 0.0)


@pytest.mark.parametrize("dice", [300, 2_500, 20_000])
def test_a_wide_pool_is_trimmed_and_its_cut_bounds_the_error(dice: int) -> None:
    """What lies beyond the kept cells weighs at most `cut`; the kept cells are right to rounding."""
    pool = Pmf(0, [0.25, 0.5, 0.25]).times(dice)
    whole = binom.pmf(np.arange(2 * dice + 1), 2 * dice, 0.5)
    beyond = whole[: pool.offset].sum() + whole[pool.last + 1 :].sum()
    assert len(pool.probs) < dice
    assert 0 < beyond <= pool.cut < 2 * dice * TAIL
    assert np.abs(pool.probs - whole[pool.offset : pool.last + 1]).sum() < 2 * pool.cut + 1e-13
    assert pool.probs.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("coins", [MANY, MANY + 1, 600, 40_000])
@pytest.mark.parametrize("chance", [1e-4, 1 / 6, 0.5, 35 / 36, 1 - 1e-4])
def test_many_coins_are_binomial_cell_by_cell(coins: int, chance: float) -> None:
    """In closed form too: each kept cell to twelve figures, beyond them less than 1e-20."""
    pool = Pmf(0, [1 - chance, chance]).times(coins)
    kept = np.arange(pool.offset, pool.last + 1)
    beyond = binom.cdf(pool.offset - 1, coins, chance) + binom.sf(pool.last, coins, chance)
    assert pool.probs == pytest.approx(binom.pmf(kept, coins, chance), rel=1e-9, abs=1e-13)
    assert pool.mean == pytest.approx(coins * chance, rel=1e-12)
    assert beyond < 1e-20 + pool.cut


@pytest.mark.parametrize(("cells", "sum_"), [([1.0, 0.0], 0), ([0.0, 1.0], 1)])
def test_many_coins_that_always_fall_alike(cells: list[float], sum_: int) -> None:
    assert dict(Pmf(0, cells).times(1000)) == {1000 * sum_: 1.0}


@pytest.mark.parametrize("coin", [Pmf(3, [0.25, 0.75]), Pmf(0, [0.25, 0.75], 1e-9)], ids=["moved", "cut"])
def test_coins_of_other_values_and_cut_ones_keep_those(coin: Pmf) -> None:
    pool, plain = coin.times(100), Pmf(0, [0.25, 0.75]).times(100)
    moved = 100 * coin.offset
    assert [pool[value + moved] for value, _ in plain] == pytest.approx(
        [chance for _, chance in plain], abs=1e-13
    )
    assert pool.cut == pytest.approx(100 * coin.cut)


def test_what_a_wide_pmf_loses_is_exactly_its_cut() -> None:
    """Two far outliers, each too light to keep: both are folded into what is left, and counted."""
    light = TAIL / 8
    cells = np.zeros(2 * WIDE + 1)
    cells[[0, WIDE, 2 * WIDE]] = light, 1 - 2 * light, light
    trimmed = Pmf(0, cells) + Pmf.point(0)
    assert dict(trimmed) == {WIDE: pytest.approx(1.0)}
    assert trimmed.cut == pytest.approx(2 * light, rel=1e-9)


def test_a_pmf_of_512_cells_keeps_its_tails() -> None:
    cells = np.full(WIDE, TAIL / 1000)
    cells[WIDE // 2] = 1.0
    kept = Pmf(0, cells) + Pmf.point(3)
    assert (kept.offset, kept.last, kept.cut) == (3, WIDE + 2, 0.0)


@given(pmfs(), st.integers(0, 5))
def test_cuts_add_up(pmf: Pmf, n: int) -> None:
    cut = Pmf(pmf.offset, pmf.probs, 1e-6)
    assert cut.times(n).cut == pytest.approx(n * 1e-6)
    assert (cut + cut).cut == pytest.approx(2e-6)
    assert Pmf.mixture([(0.5, cut), (0.5, Pmf.point(0))]).cut == pytest.approx(5e-7)


@given(pmfs())
def test_equal_content_is_one_key(pmf: Pmf) -> None:
    twin = Pmf(pmf.offset, pmf.probs.tolist())
    assert twin == pmf
    assert hash(twin) == hash(pmf)
    assert pmf + 1 != pmf


def test_equal_pmfs_have_equal_hashes_with_impossible_cells_too() -> None:
    gap = Pmf(0, [0.5, 0.0, 0.5])
    same = gap.worst_of(1)
    assert same == gap
    assert hash(same) == hash(gap)


def test_a_pmf_cannot_be_changed() -> None:
    pmf = Pmf.die(6)
    with pytest.raises(ValueError, match="read-only"):
        pmf.probs[0] = 1.0


def test_a_pmf_keeps_no_hold_of_the_array_it_is_made_from() -> None:
    cells = np.array([0.5, 0.5])
    pmf = Pmf(0, cells)
    cells[0] = 7.0
    assert dict(pmf) == {0: 0.5, 1: 0.5}


@pytest.mark.parametrize(
    "cells",
    [[], [0.5, 0.4], [1.5, -0.5], [float("nan"), 1.0], [[0.5, 0.5]], [1.0 + 1e-8]],
    ids=["empty", "short", "negative", "missing", "two axes", "above one"],
)
def test_what_is_no_distribution_is_refused(cells: Iterable[float]) -> None:
    with pytest.raises(ValueError, match="a pmf"):
        Pmf(0, cells)
