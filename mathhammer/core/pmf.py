"""`Pmf`: one distribution on small integers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

TAIL = 1e-15  # an open-ended tail is cut where less than this is left
LONG = 2**20  # products of lengths beyond this are convolved by Fourier transform
MANY = 64  # more coins than this are counted in closed form
WIDE = 512  # pools wider than this lose tails that weigh less than TAIL / 4


class Pmf:
    """A probability mass function: `probs[i]` is the probability of `offset + i`.

    `cut` is the probability that was folded into the last cell where an endless tail was cut.
    Immutable; equal and hashed by content.
    """

    __slots__ = ("_hash", "cut", "offset", "probs")

    def __init__(self, offset: int, probs: Iterable[float] | Floats, cut: float = 0.0) -> None:
        array = np.array(probs, dtype=np.float64) + 0.0  # no negative zeros: equal cells have equal bytes
        if array.ndim != 1 or array.size == 0 or not (array >= 0).all():
            raise ValueError("a pmf needs at least one cell and no negative or missing probability")
        if abs(array.sum() - 1.0) > 1e-9:
            raise ValueError(f"a pmf sums to 1, not {array.sum()}")
        array.setflags(write=False)
        self.offset = int(offset)
        self.probs = array
        self.cut = cut
        self._hash = hash((self.offset, cut, array.tobytes()))

    # -- making one ------------------------------------------------------------------------------
    @classmethod
    @lru_cache(maxsize=4096)
    def point(cls, value: int) -> Pmf:
        """All probability on one value."""
        return cls(value, [1.0])

    @classmethod
    @lru_cache(maxsize=256)
    def die(cls, sides: int) -> Pmf:
        """A fair die with faces 1 to `sides`."""
        return cls(1, np.full(sides, 1.0 / sides))

    @classmethod
    def of(cls, chances: Mapping[int, float], cut: float = 0.0) -> Pmf:
        """From value -> probability."""
        low, high = min(chances), max(chances)
        probs = np.zeros(high - low + 1)
        for value, chance in chances.items():
            probs[value - low] += chance
        return cls(low, probs, cut)

    @classmethod
    def mixture(cls, parts: Iterable[tuple[float, Pmf]]) -> Pmf:
        """Weighted sum of pmfs; the weights sum to 1."""
        kept = [(weight, pmf) for weight, pmf in parts if weight > 0]
        low = min(pmf.offset for _, pmf in kept)
        high = max(pmf.last for _, pmf in kept)
        probs = np.zeros(high - low + 1)
        for weight, pmf in kept:
            probs[pmf.offset - low : pmf.last - low + 1] += weight * pmf.probs
        return cls(low, probs, sum(weight * pmf.cut for weight, pmf in kept))

    # -- reading it ------------------------------------------------------------------------------
    @property
    def last(self) -> int:
        """The largest value that has a cell."""
        return self.offset + len(self.probs) - 1

    @property
    def nbytes(self) -> int:
        """Bytes of the cells."""
        return self.probs.nbytes

    @property
    def outcomes(self) -> NDArray[np.int64]:
        """The values, shape (n,)."""
        return np.arange(self.offset, self.last + 1)

    @property
    def mean(self) -> float:
        """Expected value."""
        return float(self.outcomes @ self.probs)

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(((self.outcomes - self.mean) ** 2) @ self.probs))

    def __getitem__(self, value: int) -> float:
        """Probability of one value (0 outside the cells)."""
        index = value - self.offset
        return float(self.probs[index]) if 0 <= index < len(self.probs) else 0.0

    def __iter__(self) -> Iterator[tuple[int, float]]:
        """Pairs (value, probability), ascending, impossible values left out."""
        return ((self.offset + i, float(p)) for i, p in enumerate(self.probs) if p > 0)

    def at_least(self, value: int) -> float:
        """P(X >= value)."""
        return float(self.probs[max(0, value - self.offset) :].sum())

    # -- arithmetic ------------------------------------------------------------------------------
    @overload
    def __add__(self, other: int) -> Pmf: ...
    @overload
    def __add__(self, other: Pmf) -> Pmf: ...
    def __add__(self, other: int | Pmf) -> Pmf:
        """The sum with a constant, or with an independent variable."""
        if isinstance(other, int):
            return Pmf(self.offset + other, self.probs, self.cut)
        probs = convolved(self.probs, other.probs)
        return Pmf(self.offset + other.offset, probs, self.cut + other.cut)._trimmed()

    def times(self, n: int) -> Pmf:
        """The sum of n independent copies (n >= 0), by repeated squaring; of many coins in closed form."""
        if n > MANY and self.offset == 0 and len(self.probs) == 2 and self.cut == 0:
            return binomial(n, float(self.probs[1]))
        total, power = Pmf.point(0), self
        while n:
            if n & 1:
                total = total + power
            n >>= 1
            if n:
                power = power + power
        return total

    def map(self, image: Callable[[int], int]) -> Pmf:
        """The distribution of `image(X)`."""
        chances: dict[int, float] = {}
        for value, chance in self:
            chances[image(value)] = chances.get(image(value), 0.0) + chance
        return Pmf.of(chances, self.cut)

    def mirrored(self) -> Pmf:
        """The distribution of -X."""
        return Pmf(-self.last, self.probs[::-1], self.cut)

    def best_of(self, n: int) -> Pmf:
        """The largest of n independent copies (n >= 1)."""
        below = np.cumsum(self.probs) ** n
        return Pmf(self.offset, np.diff(below, prepend=0.0), n * self.cut)

    def worst_of(self, n: int) -> Pmf:
        """The smallest of n independent copies (n >= 1)."""
        above = np.cumsum(self.probs[::-1])[::-1] ** n
        return Pmf(self.offset, -np.diff(above, append=0.0), n * self.cut)

    def capped(self, most: int) -> Pmf:
        """The same with `most` in place of all that is more."""
        if self.last <= most:
            return self
        if self.offset >= most:
            return Pmf.point(most)
        probs = self.probs[: most - self.offset + 1].copy()
        probs[-1] += self.probs[most - self.offset + 1 :].sum()
        return Pmf(self.offset, probs, self.cut)

    def shortened(self) -> Pmf:
        """Without high cells that together weigh less than TAIL; what goes is folded in, and told as cut."""
        over = int(np.searchsorted(np.cumsum(self.probs[::-1]), TAIL))
        if not over:
            return self
        short = self.capped(self.last - over)
        return Pmf(short.offset, short.probs, self.cut + float(self.probs[-over:].sum()))

    def _trimmed(self) -> Pmf:
        """Wide pmfs without end cells that together weigh less than TAIL / 2; what goes is folded in."""
        if len(self.probs) <= WIDE:
            return self
        low = int(np.searchsorted(np.cumsum(self.probs), TAIL / 4))
        high = len(self.probs) - int(np.searchsorted(np.cumsum(self.probs[::-1]), TAIL / 4))
        probs = self.probs[low:high].copy()
        probs[0] += self.probs[:low].sum()
        lost = float(self.probs[:low].sum() + self.probs[high:].sum())
        probs[-1] += self.probs[high:].sum()
        return Pmf(self.offset + low, probs, self.cut + lost)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Pmf)
            and (self.offset, self.cut) == (other.offset, other.cut)
            and np.array_equal(self.probs, other.probs)
        )

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Pmf({self.offset}..{self.last}, mean {self.mean:.6g})"


def convolved(a: Floats, b: Floats) -> Floats:
    """The distribution of a sum; of long ones by Fourier transform, right to about 1e-18 a cell."""
    if len(a) * len(b) <= LONG:
        return np.convolve(a, b)
    size = len(a) + len(b) - 1
    padded = 1 << (size - 1).bit_length()
    product = np.fft.rfft(a, padded) * np.fft.rfft(b, padded)
    return np.maximum(np.fft.irfft(product, padded)[:size], 0.0)


def weighed(weights: NDArray[Any], rows: Floats) -> Floats:
    """The sum of rows by weight, shape (width,), added in one order: that of `@` follows BLAS's threads."""
    total: Floats = np.einsum("i,ij->j", weights, rows)
    return total


def binomial(n: int, p: float) -> Pmf:
    """Successes of n coins of chance p, outward from the likeliest; ends beyond ten deviations are left out.

    What is left out weighs less than 1e-20, said as `cut`; relative error of a cell about 1e-13.
    """
    if not 0.0 < p < 1.0:
        return Pmf.point(n if p >= 1.0 else 0)
    mode = min(n, int((n + 1) * p))
    reach = int(10 * np.sqrt(n * p * (1 - p))) + 20
    low, high = max(0, mode - reach), min(n, mode + reach)
    up, down = np.arange(mode, high), np.arange(mode, low, -1)
    odds = p / (1 - p)
    above = np.cumprod((n - up) / (up + 1) * odds)
    below = np.cumprod(down / (n - down + 1) / odds)
    shape = np.concatenate([below[::-1], [1.0], above])
    return Pmf(low, shape / shape.sum(), 0.0 if (low, high) == (0, n) else 1e-20)
