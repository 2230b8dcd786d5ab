"""`Law`: a Markov kernel on small integers, run forward (drawn) or backward (`law @ value`)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import overload

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.cache import LAWS
from mathhammer.core.compound import compound, corners
from mathhammer.core.pmf import Floats, Ints, Pmf, weighed

DENSE_CELLS = 2**20  # larger tables are not built to compose laws: their rows are mixed one by one
MANY_CELLS = 2**16  # larger tables of sums of dice are mixed by Fourier transform
DENSE_ROWS = 4096  # wider ranges of keys are looked up one by one
GUIDE_BYTES = 2**19  # a guide table stays near the second-level cache of a core


@dataclass(frozen=True)
class Value:
    """A function on outcomes, for running a law backward: `array[i]` is the worth of `offset + i`."""

    offset: int
    array: Floats


class Table:
    """Rows `first .. first + len(probs) - 1` of a law, dense: shape (rows, width)."""

    def __init__(self, first: int, rows: Sequence[Pmf | None], key: Hashable = None) -> None:
        """rows: None where the law has no row. key: where the table is stored, told when it grows."""
        self.first = first
        self.key = key
        there = [row for row in rows if row is not None]
        if not there:
            raise KeyError(f"the law has no row for any of the keys {first} to {first + len(rows) - 1}")
        self.offset = min(row.offset for row in there)
        width = max(row.last for row in there) - self.offset + 1
        self.probs = np.zeros((len(rows), width))
        for i, row in enumerate(rows):
            if row is not None:
                start = row.offset - self.offset
                self.probs[i, start : start + len(row.probs)] = row.probs
        self.missing = np.array([row is None for row in rows])
        self.cut = max(row.cut for row in there)
        self._ordered: tuple[Floats, NDArray[np.int64]] | None = None
        self._guide: Guide | None = None

    @classmethod
    def made(cls, first: int, probs: Floats, key: Hashable) -> Table:
        """From the chances of the outcomes 0, 1, ... themselves, shape (rows, width)."""
        table = cls(first, [Pmf.point(0)], key)
        table.probs = probs
        table.missing = np.zeros(len(probs), dtype=np.bool_)
        return table

    @property
    def width(self) -> int:
        """How many outcomes a row has a cell for."""
        return self.probs.shape[1]

    @property
    def nbytes(self) -> int:
        """Bytes of the table with the forms it is drawn from, as far as they are made."""
        size = self.probs.nbytes
        if self._ordered is not None:
            size += self._ordered[0].nbytes + self._ordered[1].nbytes
        return size + (self._guide.nbytes if self._guide is not None else 0)

    @property
    def ordered(self) -> tuple[Floats, NDArray[np.int64]]:
        """The rows with the likeliest outcome swapped into the last column, and where it was.

        numpy's multinomial gives what rounding leaves over to the last column: it must be a likely one.
        """
        if self._ordered is None:
            best = self.probs.argmax(axis=1)
            rows = np.arange(len(self.probs))
            swapped = self.probs.copy()
            swapped[rows, best] = self.probs[:, -1]
            swapped[:, -1] = self.probs[rows, best]
            self._ordered = np.minimum(swapped, 1.0), best
            LAWS.weigh_again(self.key)
        return self._ordered

    @property
    def guide(self) -> Guide:
        """The form that single trials are drawn from."""
        if self._guide is None:
            self._guide = Guide(self.probs)
            LAWS.weigh_again(self.key)
        return self._guide


class Guide:
    """Guide table: the first random bits look the outcome up, the few undecided cells look further.

    `cells[row << bits | r]` is the column drawn by the random bits r, or `undecided`.
    """

    def __init__(self, probs: Floats) -> None:
        rows, width = probs.shape
        kind = next(kind for kind in (np.uint8, np.uint16, np.uint32) if width < np.iinfo(kind).max)
        room = GUIDE_BYTES // (rows * np.dtype(kind).itemsize)
        self.bits = max(6, min(12, room.bit_length() - 1))
        self.undecided = int(np.iinfo(kind).max)
        self.cdf = np.cumsum(probs, axis=1)
        last = width - 1 - (probs[:, ::-1] > 0).argmax(axis=1)
        self.cdf[np.arange(width) >= last[:, None]] = 2.0  # no draw lands beyond the last possible outcome
        edges = np.arange(2**self.bits + 1) / 2**self.bits
        self.cells = np.concatenate([self._row(cdf, edges, kind) for cdf in self.cdf])

    @property
    def nbytes(self) -> int:
        """Bytes of the cells and of the cumulative rows."""
        return self.cells.nbytes + self.cdf.nbytes

    def _row(self, cdf: Floats, edges: Floats, kind: type[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
        low = np.searchsorted(cdf, edges[:-1], side="right")
        high = np.searchsorted(cdf, edges[1:], side="left")
        cells: NDArray[np.unsignedinteger] = np.where(low == high, low, self.undecided).astype(kind)
        return cells

    def draw(self, rows: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.unsignedinteger]:
        """One column per entry of `rows` (shape (n,), row indices)."""
        words = rng.bit_generator.random_raw((len(rows) + 3) // 4)
        raw = words.astype("<u8", copy=False).view("<u2")[: len(rows)]
        bits = raw >> (16 - self.bits)
        if len(self.cells) == 1 << self.bits:
            columns: NDArray[np.unsignedinteger] = self.cells.take(bits)
        else:
            columns = self.cells.take((rows.astype(np.int32, copy=False) << self.bits) | bits)
        undecided = np.flatnonzero(columns == self.undecided)
        points = (bits[undecided] + rng.random(len(undecided))) / 2**self.bits
        at_once = max(1, DENSE_CELLS // 8 // self.cdf.shape[1])
        for begin in range(0, len(undecided), at_once):
            some = undecided[begin : begin + at_once]
            below = self.cdf[rows[some]] <= points[begin : begin + at_once, None]
            columns[some] = below.sum(axis=1)
        return columns


class Law:
    """For each integer key (a number of dice, a state, a difference) a `Pmf` of outcomes.

    Rows are made on demand and kept in one store that is bounded in bytes. `key` says how the law was
    built; two laws with equal keys are the same law.
    """

    __slots__ = ("_hash", "_make", "_whole", "key", "most", "summed")

    def __init__(
        self,
        key: Hashable,
        make: Callable[[int], Pmf],
        summed: Pmf | None = None,
        most: int | None = None,
        whole: Callable[[int, int], Floats] | None = None,
    ) -> None:
        """summed: where row n is the sum of n of these; what is above `most` counts as `most`.

        whole: the chances of the outcomes 0, 1, ... under all keys from one to another, at once.
        """
        self._whole = whole
        self.key = key
        self.summed = summed
        self.most = most
        self._make = make
        self._hash = hash(key)

    @classmethod
    @lru_cache(maxsize=4096)
    def constant(cls, pmf: Pmf) -> Law:
        """The same distribution whatever the key."""
        return cls(("constant", pmf), lambda key: pmf)

    @classmethod
    @lru_cache(maxsize=4096)
    def sums(cls, die: Pmf, most: int | None = None) -> Law:
        """The sum of as many independent dice (of 0 or more) as the key says; at most `most`, if given."""
        if most is None:
            return cls(("pool", die), die.times, die)

        def make(number: int) -> Pmf:
            if number < 2:
                return (die if number else Pmf.point(0)).capped(most)
            half = number // 2
            return (law.row(half) + law.row(number - half)).capped(most)

        law = cls(("pool", die, most), make, die, most)
        return law

    @classmethod
    def of(cls, rows: Sequence[Pmf], first: int = 0) -> Law:
        """Given rows for the keys `first .. first + len(rows) - 1`; the others are errors."""
        held = tuple(rows)

        def make(key: int) -> Pmf:
            if not 0 <= key - first < len(held):
                raise KeyError(f"the law has no row for {key}")
            return held[key - first]

        return cls(("rows", held, first), make)

    def row(self, key: int) -> Pmf:
        """The distribution under `key`."""
        return LAWS.get((self, key), lambda: self._make(key))

    def table(self, low: int, high: int) -> Table:
        """The rows `low .. high` (inclusive), dense; keys without a row are `missing`."""
        key = (self, low, high)
        if (whole := self._whole) is not None:
            return LAWS.get(key, lambda: Table.made(low, whole(low, high), key))
        return LAWS.get(key, lambda: Table(low, [self._row_if_any(k) for k in range(low, high + 1)], key))

    def _row_if_any(self, key: int) -> Pmf | None:
        try:
            return self.row(key)
        except KeyError:
            return None

    @overload
    def __matmul__(self, other: Law) -> Law: ...
    @overload
    def __matmul__(self, other: Value) -> Callable[[int], float]: ...
    def __matmul__(self, other: Law | Value) -> Law | Callable[[int], float]:
        """`a @ b`: b's key is a's outcome. `law @ value`: the expected value under each key."""
        if isinstance(other, Law):
            return self._then(other)
        return lambda key: float(self.backward(other, [key])[0])

    def _then(self, other: Law) -> Law:
        if self.summed and self.most is None and other.summed and self.summed.last <= DENSE_ROWS:
            return Law.sums(_mixture(self.summed, other).shortened(), other.most)

        def make(key: int) -> Pmf:
            return _mixture(self.row(key), other)

        return Law(("then", self, other), make)

    def backward(self, value: Value, keys: Iterable[int]) -> Floats:
        """Expected value under each key, shape (len(keys),). Outcomes outside `value` are errors."""
        return np.array([self._expect(value, key) for key in keys])

    def _expect(self, value: Value, key: int) -> float:
        row = self.row(key)
        start = row.offset - value.offset
        if start < 0 or start + len(row.probs) > len(value.array):
            raise KeyError(f"the value covers {value.offset}.., not all outcomes of the row for {key}")
        return float(row.probs @ value.array[start : start + len(row.probs)])

    def shifted(self, by: int) -> Law:
        """The law whose key is `by` higher: `law.shifted(2).row(k)` is `law.row(k + 2)`."""
        return self if by == 0 else Law(("shifted", self, by), lambda key: self.row(key + by))

    def steps(self, n: int) -> Law:
        """n steps of the chain: outcomes are keys of the next step (n >= 0)."""
        if n == 0:
            return Law(("identity",), Pmf.point)
        half = self.steps(n // 2)
        squared = half @ half if n > 1 else half
        return squared @ self if n % 2 and n > 1 else (self if n == 1 else squared)

    def width(self, keys: Ints) -> int:
        """How many outcomes a table for these keys (shape (n,), n >= 1) spans."""
        low, high = _rounded(int(keys.min()), int(keys.max()))
        if high - low <= 64 or self._whole is not None:
            return self.table(low, high).width
        rows = [self.row(key) for key in np.unique(keys).tolist()]
        return max(row.last for row in rows) - min(row.offset for row in rows) + 1

    def choose(self, keys: Ints) -> tuple[Table, NDArray[np.integer]]:
        """A dense table with all rows that `keys` (shape (n,)) name, and each key's row in it."""
        low, high = _rounded(int(keys.min()), int(keys.max()))
        if high - low <= 64 or self._whole is not None or high - low <= min(4 * len(keys), DENSE_ROWS):
            table = self.table(low, high)
            if table.missing.any() and table.missing[keys - low].any():
                raise KeyError(f"the law has no row for some of the keys {low} to {high}")
            return table, keys - low
        named, rows = np.unique(keys, return_inverse=True)
        return Table(0, [self.row(int(key)) for key in named]), rows

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Law) and self._hash == other._hash and self.key == other.key

    def __hash__(self) -> int:
        return self._hash


def _rounded(low: int, high: int) -> tuple[int, int]:
    """Longer ranges of keys end at multiples of 8, so that fewer tables serve more of them."""
    return (low, high) if high - low < 16 else (low - low % 8, high + 7 - high % 8)


def _mixture(weights: Pmf, law: Law) -> Pmf:
    """The outcome of a law whose key is drawn: by Fourier transform, by a dense table, or row by row."""
    if law.summed and law.most is None:
        low, high = corners(weights, law.summed)
        if len(weights.probs) * (high - low) > MANY_CELLS:
            return compound(weights, law.summed)._trimmed()
    if len(weights.probs) * (law.row(weights.last).last + 1) > DENSE_CELLS:
        return _mixed(weights, law)
    table = law.table(weights.offset, weights.last)
    return Pmf(table.offset, weighed(weights.probs, table.probs), weights.cut + table.cut)


def _mixed(weights: Pmf, law: Law) -> Pmf:
    """The mixture of a law's rows, one row in memory at a time."""
    lasts = [law.row(key) for key in (weights.offset, weights.last)]
    low, high = min(row.offset for row in lasts), max(row.last for row in lasts)
    total, cut = np.zeros(high - low + 1), 0.0
    for key, weight in weights:
        row = law.row(key)
        if row.offset < low or row.last > high:
            total = np.pad(total, (max(0, low - row.offset), max(0, row.last - high)))
            low, high = min(low, row.offset), max(high, row.last)
        total[row.offset - low : row.last - low + 1] += weight * row.probs
        cut += weight * row.cut
    return Pmf(low, total, weights.cut + cut)


def stacked(laws: Sequence[Law], stride: int) -> Law:
    """Two keys in one: key `i * stride + k` is row k of `laws[i]` (0 <= k < stride)."""
    held = tuple(laws)

    def make(key: int) -> Pmf:
        if not 0 <= key < len(held) * stride:
            raise KeyError(f"the law has no row for {key}")
        return held[key // stride].row(key % stride)

    return Law(("stacked", held, stride), make)
