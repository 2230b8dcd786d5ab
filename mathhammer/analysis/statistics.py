"""Numbers from counted outcomes: means, standard errors, Wilson intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from operator import mul

Z95 = 1.959963984540054  # the standard normal's 97.5% point


def wilson(p: float, trials: int) -> tuple[float, float]:
    """The 95% Wilson score interval of a probability seen as `p` in `trials` trials."""
    z2 = Z95 * Z95
    middle = p + z2 / (2 * trials)
    half = Z95 * math.sqrt(p * (1 - p) / trials + z2 / (4 * trials * trials))
    scale = 1 + z2 / trials
    low = 0.0 if p <= 0 else max(0.0, (middle - half) / scale)
    high = 1.0 if p >= 1 else min(1.0, (middle + half) / scale)
    return low, high


def newcombe(p: float, q: float, trials: int, others: int | None = None) -> tuple[float, float]:
    """The 95% interval of p - q, independent proportions of `trials` and `others` (as many) trials.

    Newcombe's hybrid of both Wilson intervals (1998, method 10).
    """
    (low, high), (least, most) = wilson(p, trials), wilson(q, others or trials)
    return p - q - math.hypot(p - low, most - q), p - q + math.hypot(high - p, q - least)


def shares(weights: Mapping[int, float], total: float) -> dict[int, float]:
    """Value -> probability, from value -> weight."""
    return {value: min(1.0, weight / total) for value, weight in weights.items()}


def mean(pmf: Mapping[int, float]) -> float:
    """Expected value of value -> probability."""
    return math.fsum(map(mul, pmf, pmf.values()))


def sd(pmf: Mapping[int, float]) -> float:
    """Standard deviation of value -> probability."""
    centre = mean(pmf)
    return math.sqrt(math.fsum(map(mul, [(value - centre) ** 2 for value in pmf], pmf.values())))


def mean_error(pmf: Mapping[int, float], trials: int) -> float:
    """Standard error of the mean of so many trials, by their own spread (0 of one, which shows none)."""
    return sd(pmf) / math.sqrt(max(1, trials - 1))


def at_least(pmf: Mapping[int, float]) -> dict[int, float]:
    """Value k -> P(X >= k), for the values of the pmf in ascending order."""
    total, tail = 0.0, {}
    for value in sorted(pmf, reverse=True):
        total += pmf[value]
        tail[value] = min(1.0, total)
    return dict(reversed(tail.items()))


def percentile(pmf: Mapping[int, float], share: float) -> int:
    """The least value that at least this share of the probability does not exceed."""
    total = 0.0
    for value in sorted(pmf):
        total += pmf[value]
        if total >= share - 1e-12:
            return value
    return max(pmf)


def window(pmf: Mapping[int, float], rare: float) -> tuple[int, int]:
    """Places (from, to) among the ascending values that are left when ends rarer than `rare` go."""
    chances = [pmf[value] for value in sorted(pmf)]
    low, high = _rare(chances, rare), len(chances) - 1 - _rare(chances[::-1], rare)
    return low, max(low, high)


def _rare(chances: list[float], rare: float) -> int:
    """How many of the first chances are together rarer than `rare`."""
    total = 0.0
    for number, chance in enumerate(chances):
        total += chance
        if total >= rare:
            return number
    return len(chances) - 1
