"""Guessed numbers, and lengths in whole units: rounded so that limits and bands come out as they should."""

from __future__ import annotations

import math

import pytest
from scipy.stats import norm

from mathhammer.core.errors import InputError
from mathhammer.kernels.estimates import MOST, estimate, length


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
    with pytest.raises(InputError, match="distance"):
        length(text, "--distance", "up")


# -- whole numbers -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "values"), [("9", [9]), ("7..9", [7, 8, 9]), (" 7 .. 7 ", [7]), ("0..999", range(1000))]
)
def test_whole_numbers_of_a_range_are_all_alike(text: str, values: list[int]) -> None:
    assert dict(estimate(text, "--damage")) == pytest.approx(dict.fromkeys(values, 1 / len(values)))


@pytest.mark.parametrize(("mean", "sd"), [(8, 1.5), (1, 2.0), (20, 0.3)])
def test_a_guess_is_normal_around_whole_numbers_from_0_up(mean: int, sd: float) -> None:
    guess = estimate(f"{mean}~{sd}", "--damage")
    possible = norm.sf(-0.5, mean, sd)
    for value in range(-1, mean + 12):
        share = float(value >= 0) * (norm.cdf(value + 0.5, mean, sd) - norm.cdf(value - 0.5, mean, sd))
        assert guess[value] == pytest.approx(share / possible, abs=2e-6)


@pytest.mark.parametrize("text", ["8~0", "8"])
def test_a_guess_without_deviation_is_known(text: str) -> None:
    assert dict(estimate(text, "--damage")) == {8: 1.0}


@pytest.mark.parametrize(
    "text", ["", "-5", "2.5", "2..3.5", "2.5~1", "9..7", "0..1000", "10001", "9990..10001"]
)
def test_what_is_no_whole_number_is_told(text: str) -> None:
    with pytest.raises(InputError, match="damage"):
        estimate(text, "--damage")


@pytest.mark.parametrize("text", ["1500..2400", "10000", "9500..10000", "8~1.5"])
def test_large_numbers_are_taken_to_the_limit(text: str) -> None:
    assert estimate(text, "--damage").last <= MOST


@pytest.mark.parametrize("text", ["24000000", "18..24000000", "18..10001"])
def test_a_length_that_is_too_long_is_told_the_limit(text: str) -> None:
    with pytest.raises(InputError, match=r"distance is at most 10,000"):
        length(text, "--distance", "nearest")
