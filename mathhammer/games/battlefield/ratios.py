"""The strength-ratio table: by how much damage grows with superior numbers. Source: BF-01."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from mathhammer.core.errors import InputError

_NUMBER = re.compile(r"\d{1,4}(/\d{1,4}|\.\d{1,4})?", re.ASCII)
MOST_FACTOR = 10
Table = tuple[tuple[Fraction, Fraction], ...]


@lru_cache(maxsize=64)
def ratio_table(text: str) -> Table:
    """`none`, or ascending pairs such as `0:1/2, 1:1, 2:3/2`: from that ratio on, that factor.

    The ratio is own soldiers to the enemy's; below the first pair the factor is 1. Raises `InputError`.
    """
    if text.strip() == "none":
        return ()
    pairs = tuple(_pair(part, text) for part in text.split(","))
    if any(b <= a for (a, _), (b, _) in pairwise(pairs)):
        raise InputError(f"ratios ascend, not {text!r}")
    return pairs


def _pair(part: str, text: str) -> tuple[Fraction, Fraction]:
    ratio, colon, factor = (piece.strip() for piece in part.partition(":"))
    if not colon or not (_NUMBER.fullmatch(ratio) and _NUMBER.fullmatch(factor)):
        raise InputError(f"it is none, or pairs ratio:factor such as '2:3/2, 4:2', not {text!r}")
    try:
        pair = Fraction(ratio), Fraction(factor)
    except ZeroDivisionError:
        raise InputError(f"a number is divided by 0 in {text!r}") from None
    if pair[1] > MOST_FACTOR:
        raise InputError(f"a factor is at most {MOST_FACTOR}, not {factor}")
    return pair
