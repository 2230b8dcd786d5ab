"""One statistical oracle for all tests: does a sample come from a distribution? And the power to say no.

False-failure rate of `agrees`: 1e-6 a call (chi-square over pooled bins; seeds are fixed, so a test that
passes once passes always).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeVar

from scipy.stats import chi2

FALSE_FAILURE = 1e-6
LEAST_EXPECTED = 8.0

H = TypeVar("H", bound=Hashable)


def p_value(sample: Mapping[H, int], exact: Mapping[H, float]) -> float:
    """The chi-square p-value of counts against probabilities, bins with few expected pooled into one.

    A count where the distribution has nothing gives 0.
    """
    trials = sum(sample.values())
    if any(count and exact.get(outcome, 0.0) <= 1e-15 for outcome, count in sample.items()):
        return 0.0
    statistic, bins, rest_seen, rest_expected = 0.0, 0, 0.0, 0.0
    for outcome, probability in exact.items():
        expected = probability * trials
        if expected < LEAST_EXPECTED:
            rest_seen, rest_expected = rest_seen + sample.get(outcome, 0), rest_expected + expected
            continue
        statistic += (sample.get(outcome, 0) - expected) ** 2 / expected
        bins += 1
    if rest_expected >= 1.0:
        statistic += (rest_seen - rest_expected) ** 2 / rest_expected
        bins += 1
    return float(chi2.sf(statistic, bins - 1)) if bins > 1 else 1.0


def agrees(sample: Mapping[H, int], exact: Mapping[H, float]) -> bool:
    """Whether the sample may come from the distribution, at a false-failure rate of 1e-6."""
    return p_value(sample, exact) > FALSE_FAILURE
