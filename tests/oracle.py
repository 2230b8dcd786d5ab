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
    binned = [(sample.get(outcome, 0), chance * trials) for outcome, chance in exact.items()]
    bins = [each for each in binned if each[1] >= LEAST_EXPECTED]
    few = [each for each in binned if each[1] < LEAST_EXPECTED]
    rest = sum(seen for seen, _ in few), sum(expected for _, expected in few)
    if rest[1] < LEAST_EXPECTED and bins:  # still too few to stand alone: with the smallest bin
        smallest = bins.pop(min(range(len(bins)), key=lambda i: bins[i][1]))
        rest = rest[0] + smallest[0], rest[1] + smallest[1]
    statistic = sum((seen - expected) ** 2 / expected for seen, expected in [*bins, rest] if expected)
    return float(chi2.sf(statistic, len(bins))) if bins else 1.0


def agrees(sample: Mapping[H, int], exact: Mapping[H, float]) -> bool:
    """Whether the sample may come from the distribution, at a false-failure rate of 1e-6."""
    return p_value(sample, exact) > FALSE_FAILURE
