"""A number that is known, or guessed: `9`, `18..24` (all alike), `20~2` (mean and standard deviation)."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from mathhammer.core.errors import InputError
from mathhammer.core.pmf import Pmf

Rounding = Literal["nearest", "up", "down"]
MOST = 10_000
WIDE = 5  # standard deviations of a guess that count
_NUMBER = r"(\d{1,15}(?:\.\d{1,4})?)"
_FORM = re.compile(rf"\s*{_NUMBER}\s*(?:\.\.\s*{_NUMBER}|~\s*{_NUMBER})?\s*", re.ASCII)


@lru_cache(maxsize=256)
def estimate(text: str, what: str) -> Pmf:
    """The distribution of a whole number that is written as above. Raises `InputError` naming `what`."""
    match = _FORM.fullmatch(str(text))
    if not match or "." in match[1] or "." in (match[2] or ""):
        raise InputError(f"{what} is a number such as 9, a range 7..9 or a guess 8~1.5, not {text!r}")
    low = int(match[1])
    if match[2] is not None:
        high = int(match[2])
        _ascending(low, high, text, what)
        return Pmf(low, [1 / (high - low + 1)] * (high - low + 1))
    _bounded(low, text, what)
    return _guess(low, float(match[3]), "nearest") if match[3] is not None else Pmf.point(low)


@lru_cache(maxsize=256)
def length(text: str, what: str, rounding: Rounding, more: float = 0.0) -> Pmf:
    """The distribution of a length that need not be whole, in whole units. Raises `InputError` naming `what`.

    Rounded up, it is at most a whole limit just when the length is; rounded down, it is in a band that begins
    at a whole number just when the length is. A range is even over all lengths in it. more: is added before.
    """
    match = _FORM.fullmatch(str(text))
    if not match:
        raise InputError(
            f"{what} is a length such as 9 or 20.5, a range 18..24 or a guess 20~2, not {text!r}"
        )
    low = float(match[1])
    if match[2] is not None:
        _ascending(low, float(match[2]), text, what)
        return _range(low + more, float(match[2]) + more, rounding)
    _bounded(low, text, what)
    if match[3] is not None and float(match[3]) > 0:
        return _guess(low + more, float(match[3]), rounding)
    return Pmf.point(_whole(low + more, rounding))


def _whole(value: float, rounding: Rounding) -> int:
    if rounding == "nearest":
        return round(value)
    return math.ceil(value) if rounding == "up" else math.floor(value)


def _bounded(value: float, text: str, what: str) -> None:
    if value > MOST:
        raise InputError(f"{what} is at most {MOST:,}, not {text!r}")


def _ascending(low: float, high: float, text: str, what: str) -> None:
    if high < low:
        raise InputError(f"{what}: a range ascends, not {text!r}")
    _bounded(high, text, what)
    if high - low >= 1000:
        raise InputError(f"{what}: a range spans fewer than 1000 numbers, not {text!r}")


def _range(low: float, high: float, rounding: Rounding) -> Pmf:
    """All lengths between two alike."""
    if low == high:
        return Pmf.point(_whole(low, rounding))
    first = math.floor(low)
    edges = [min(high, max(low, edge)) for edge in range(first, math.ceil(high) + 1)]
    shares = [(after - before) / (high - low) for before, after in pairwise(edges)]
    return Pmf(first + (rounding == "up"), shares)


def _guess(mean: float, sd: float, rounding: Rounding) -> Pmf:
    """A normal guess in whole numbers; what is below 0 counts as 0 (rounded to the nearest: is left out)."""
    if sd == 0:
        return Pmf.point(_whole(mean, rounding))
    reach = math.ceil(WIDE * sd)
    low, high = max(0, math.floor(mean) - reach), math.ceil(mean) + reach
    half = 0.5 if rounding == "nearest" else 0.0
    edges = [0.5 * math.erf((edge - half - mean) / sd / math.sqrt(2)) for edge in range(low, high + 2)]
    weights = [after - before for before, after in pairwise(edges)]
    if rounding != "nearest" and low == 0:
        below = 0.5 + edges[0]
        weights = [below, *weights] if rounding == "up" else [below + weights[0], *weights[1:]]
        low -= rounding == "up"
    total = math.fsum(weights)
    return Pmf(low + (rounding == "up"), [weight / total for weight in weights])
