"""A number that is known, or guessed: `9`, `18..24` (all alike), `20~2` (mean and standard deviation)."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from itertools import pairwise

from mathhammer.core.errors import InputError
from mathhammer.core.pmf import Pmf

MOST = 10_000
WIDE = 5  # standard deviations of a guess that count
_FORM = re.compile(r"\s*(\d{1,5})\s*(?:\.\.\s*(\d{1,5})|~\s*(\d{1,4}(?:\.\d{1,4})?))?\s*", re.ASCII)


@lru_cache(maxsize=256)
def estimate(text: str, what: str) -> Pmf:
    """The distribution of a whole number that is written as above. Raises `InputError` naming `what`."""
    match = _FORM.fullmatch(str(text))
    if not match:
        raise InputError(f"{what} is a number such as 9, a range 7..9 or a guess 8~1.5, not {text!r}")
    low = int(match[1])
    if match[2] is not None:
        return _range(low, int(match[2]), text, what)
    _bounded(low, text, what)
    return _guess(low, float(match[3])) if match[3] is not None else Pmf.point(low)


def _bounded(value: int, text: str, what: str) -> int:
    if value > MOST:
        raise InputError(f"{what} is at most {MOST:,}, not {text!r}")
    return value


def _range(low: int, high: int, text: str, what: str) -> Pmf:
    if high < low:
        raise InputError(f"{what}: a range ascends, not {text!r}")
    if _bounded(high, text, what) - low >= 1000:
        raise InputError(f"{what}: a range spans fewer than 1000 numbers, not {text!r}")
    return Pmf(low, [1 / (high - low + 1)] * (high - low + 1))


def _guess(mean: int, sd: float) -> Pmf:
    """A normal guess rounded to whole numbers of at least 0."""
    if sd == 0:
        return Pmf.point(mean)
    reach = math.ceil(WIDE * sd)
    low, high = max(0, mean - reach), mean + reach
    edges = [0.5 * math.erf((edge - 0.5 - mean) / sd / math.sqrt(2)) for edge in range(low, high + 2)]
    weights = [after - before for before, after in pairwise(edges)]
    total = math.fsum(weights)
    return Pmf(low, [weight / total for weight in weights])
