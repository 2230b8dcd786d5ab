"""Guessed lengths in whole units: rounded so that limits and bands come out as for the length itself."""

from __future__ import annotations

import math

import pytest
from scipy.stats import norm

from mathhammer.core.errors import InputError
from mathhammer.kernels.estimates import length


@pytest.mark.parametrize("limit", [17, 18, 19, 20, 23, 24, 25])
@pytest.mark.parametrize(("low", "high"), [(18.0, 24.0), (18.25, 23.5), (20.0, 20.0), (19.9, 20.1)])
def test_a_range_is_even_over_all_lengths(low: float, high: float, limit: int) -> None:
    within = float(low <= limit) if low == high else min(1.0, max(0.0, (limit - low) / (high - low)))
    rounded_up = length(f"{low}..{high}", "--distance", "up")
    assert 1 - rounded_up.at_least(limit + 1) == pytest.approx(within, abs=1e-12)
    below = float(low < limit) if low == high else within
    rounded_down = length(f"{low}..{high}", "--distance", "down")
    assert 1 - rounded_down.at_least(limit) == pytest.approx(below, abs=1e-12)


@pytest.mark.parametrize(("mean", "sd"), [(20.0, 2.0), (20.5, 0.3), (1.0, 2.0), (35.0, 3.0)])
def test_a_guess_is_normal_and_what_is_below_0_counts_as_0(mean: float, sd: float) -> None:
    rounded_up = length(f"{mean:g}~{sd:g}", "--distance", "up")
    rounded_down = length(f"{mean:g}~{sd:g}", "--distance", "down")
    for limit in range(math.ceil(mean + 4 * sd)):
        assert 1 - rounded_up.at_least(limit + 1) == pytest.approx(norm.cdf(limit, mean, sd), abs=2e-6)
        if limit:
            assert 1 - rounded_down.at_least(limit) == pytest.approx(norm.cdf(limit, mean, sd), abs=2e-6)


@pytest.mark.parametrize(
    ("text", "up", "down"), [("20", 20, 20), ("20.5", 21, 20), ("20~0", 20, 20), ("0", 0, 0)]
)
def test_a_known_length_needs_not_be_whole(text: str, up: int, down: int) -> None:
    assert dict(length(text, "--distance", "up")) == {up: 1.0}
    assert dict(length(text, "--distance", "down")) == {down: 1.0}


@pytest.mark.parametrize("text", ["-5", "24..18", "1e9", "5..", "~2", "", "20~-1", "0..5000", "99999"])
def test_what_is_no_length_is_told(text: str) -> None:
    with pytest.raises(InputError, match="--distance"):
        length(text, "--distance", "up")


@pytest.mark.parametrize("text", ["24000000", "18..24000000", "18..10001"])
def test_a_length_that_is_too_long_is_told_the_limit(text: str) -> None:
    with pytest.raises(InputError, match=r"--distance is at most 10,000"):
        length(text, "--distance", "nearest")
