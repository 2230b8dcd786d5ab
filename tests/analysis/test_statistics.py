"""Means, spreads, tails and Wilson intervals against scipy, numpy and their definitions."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from mathhammer.analysis.statistics import (
    at_least,
    mean,
    mean_error,
    newcombe,
    percentile,
    sd,
    shares,
    wilson,
    window,
)

PMFS = st.dictionaries(st.integers(-20, 200), st.floats(1e-6, 1), min_size=1, max_size=12).map(
    lambda weights: shares(weights, math.fsum(weights.values()))
)


@pytest.mark.parametrize("trials", [1, 2, 10, 1000, 10**6])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_wilson_is_that_of_scipy(trials: int, share: float) -> None:
    seen = round(share * trials)
    low, high = wilson(seen / trials, trials)
    expected = binomtest(seen, trials).proportion_ci(0.95, method="wilson")
    assert low == pytest.approx(expected.low, abs=1e-12)
    assert high == pytest.approx(expected.high, abs=1e-12)


@given(st.integers(1, 10**12), st.floats(0, 1))
def test_a_seen_share_lies_in_its_interval(trials: int, share: float) -> None:
    p = round(share * trials) / trials
    low, high = wilson(p, trials)
    assert 0 <= low <= p <= high <= 1
    assert low < high
    assert (low == 0) == (p == 0)
    assert (high == 1) == (p == 1)


@given(st.integers(1, 10**6), st.floats(0, 1))
def test_more_trials_narrow_the_interval(trials: int, share: float) -> None:
    p = round(share * trials) / trials
    narrow, wide = wilson(p, 100 * trials), wilson(p, trials)
    assert narrow[1] - narrow[0] < wide[1] - wide[0]


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5])
def test_the_interval_covers_the_truth_about_95_times_in_100(p: float) -> None:
    """Summed over all samples of 200 trials; half an interval would not do."""
    trials = 200
    chances = binom.pmf(range(trials + 1), trials, p)
    intervals = [wilson(seen / trials, trials) for seen in range(trials + 1)]
    covered = sum(c for c, (low, high) in zip(chances, intervals, strict=True) if low <= p <= high)
    middle = [((3 * low + high) / 4, (low + 3 * high) / 4) for low, high in intervals]
    half = sum(c for c, (low, high) in zip(chances, middle, strict=True) if low <= p <= high)
    assert 0.93 < covered < 0.97
    assert half < 0.75


@pytest.mark.parametrize(
    ("seen", "trials", "others_seen", "others", "low", "high"),
    [
        (56, 70, 48, 80, 0.0524, 0.3339),
        (9, 10, 3, 10, 0.1705, 0.8090),
        (5, 56, 0, 29, -0.0381, 0.1926),
        (0, 10, 0, 20, -0.1611, 0.2775),
        (10, 10, 0, 20, 0.6791, 1.0),
    ],
)
def test_intervals_of_differences_are_those_newcombe_published(
    seen: int, trials: int, others_seen: int, others: int, low: float, high: float
) -> None:
    """Statistics in Medicine 17 (1998), table II, method 10."""
    found = newcombe(seen / trials, others_seen / others, trials, others)
    assert found == pytest.approx((low, high), abs=6e-5)
    if others == trials:
        assert newcombe(seen / trials, others_seen / trials, trials) == found


@given(PMFS)
def test_mean_and_spread_are_those_of_numpy(pmf: dict[int, float]) -> None:
    values, weights = np.array(list(pmf)), np.array(list(pmf.values()))
    centre = np.average(values, weights=weights)
    assert mean(pmf) == pytest.approx(centre, abs=1e-9)
    assert sd(pmf) == pytest.approx(np.sqrt(np.average((values - centre) ** 2, weights=weights)), abs=1e-6)


def test_the_error_of_a_mean_is_right_for_few_trials_too() -> None:
    """Its square, over all pairs and triples of throws of a die, is the variance of their mean."""
    for trials in (2, 3):
        samples = list(product(range(1, 7), repeat=trials))
        squares = [mean_error({v: c / trials for v, c in Counter(s).items()}, trials) ** 2 for s in samples]
        assert math.fsum(squares) / len(samples) == pytest.approx(35 / 12 / trials)
    assert mean_error({4: 1.0}, 1) == 0


@given(PMFS)
def test_tails_fall_from_one_and_count_their_own_value(pmf: dict[int, float]) -> None:
    tails = at_least(pmf)
    assert list(tails) == sorted(pmf)
    assert next(iter(tails.values())) == pytest.approx(1)
    assert list(tails.values()) == sorted(tails.values(), reverse=True)
    for value, tail in tails.items():
        assert tail == pytest.approx(sum(p for v, p in pmf.items() if v >= value), abs=1e-12)
        assert tail <= 1


@given(PMFS, st.floats(0.01, 0.99))
def test_a_percentile_is_the_least_value_that_reaches_its_share(pmf: dict[int, float], share: float) -> None:
    value = percentile(pmf, share)
    assert value in pmf
    assert sum(p for v, p in pmf.items() if v <= value) >= share - 1e-9
    assert sum(p for v, p in pmf.items() if v < value) < share + 1e-9


def test_numbers_of_a_die() -> None:
    die = dict.fromkeys(range(1, 7), 1 / 6)
    assert mean(die) == pytest.approx(3.5)
    assert sd(die) == pytest.approx((35 / 12) ** 0.5)
    assert at_least(die)[5] == pytest.approx(1 / 3)
    assert (percentile(die, 0.1), percentile(die, 0.5), percentile(die, 1.0)) == (1, 3, 6)
    assert shares({1: 3, 2: 1}, 4) == {1: 0.75, 2: 0.25}


@pytest.mark.parametrize(
    ("chances", "rare", "places"),
    [
        ([0.1, 0.2, 0.4, 0.2, 0.1], 0.0, (0, 4)),
        ([0.1, 0.2, 0.4, 0.2, 0.1], 0.25, (1, 3)),
        ([0.125, 0.125, 0.5, 0.25], 0.25, (1, 3)),
        ([0.5, 0.5], 2.0, (1, 1)),
        ([1.0], 0.1, (0, 0)),
    ],
)
def test_a_window_leaves_rare_ends_out(chances: list[float], rare: float, places: tuple[int, int]) -> None:
    """Ends that are together rarer than told, each by itself; one place at least is left."""
    assert window(dict(enumerate(chances, start=-2)), rare) == places


def test_percentiles_and_shares_stand_what_sums_leave_over() -> None:
    die = dict.fromkeys(range(1, 7), 1 / 6)
    assert (percentile(die, 1 / 6), percentile(die, 1 / 6 + 1e-6)) == (1, 2)
    assert percentile({0: 0.5, 1: 0.5 - 1e-9}, 1.0) == 1
    assert shares({4: 1 + 1e-12}, 1.0) == {4: 1.0}
