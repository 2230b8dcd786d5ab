"""`Ensemble`: the distinct states of a population, how much of it is in each, and how a step moves it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.laws import Table
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Change, Columns, Mask, Step, constant, rows

Weights = NDArray[Any]  # int64 counts of a simulated population, float64 probabilities of an exact one

BLOCK_CELLS = 2**18  # rows x width expanded at once
FEW_ROWS = 2**10  # so few rows that BLOCK_CELLS / FEW_ROWS of them are never cut into blocks
MANY_CELLS = 2**12  # an exact division of more cells than this leaves parts below NOTHING out
NOTHING = 1e-16
WIDEST = 2**62  # key spaces beyond this do not fit an int64: whole rows are compared
DENSE = 2**12  # key spaces up to this (or 8 times the rows) are merged by counting, larger by sorting


class Population(Protocol):
    """How much of the population is in a state, and how it divides over a law's outcomes."""

    dtype: type[np.generic]
    total: int | float
    cut: float  # the worst tail cut of the laws met

    def split(self, weights: Weights, table: Table, rows: NDArray[np.integer]) -> Weights:
        """Weights by outcome, shape (len(rows), table.width)."""
        ...


class Exact:
    """A population of probabilities: a law multiplies.

    Where many states are divided at once, parts below NOTHING are left out and added up in `lost`.
    """

    dtype: type[np.generic] = np.float64

    def __init__(self) -> None:
        self.total: int | float = 1.0
        self.cut = 0.0
        self.lost = 0.0

    def split(self, weights: Weights, table: Table, rows: NDArray[np.integer]) -> Weights:
        """Weights times the law's rows."""
        self.cut = max(self.cut, table.cut)
        divided: Weights = weights[:, None] * table.probs[rows]
        if divided.size > MANY_CELLS:
            np.multiply(divided, divided >= NOTHING, out=divided)
            self.lost += max(0.0, float(weights.sum() - divided.sum()))
        return divided


class Simulated:
    """A population of trials: those that share a state are exchangeable, so their count is split at once."""

    dtype: type[np.generic] = np.int64

    def __init__(self, trials: int, rng: np.random.Generator) -> None:
        self.total: int | float = trials
        self.cut = 0.0
        self.rng = rng

    def split(self, weights: Weights, table: Table, rows: NDArray[np.integer]) -> Weights:
        """Counts by outcome, multinomial in each row."""
        self.cut = max(self.cut, table.cut)
        ordered, best = table.ordered
        counts = self.rng.multinomial(weights, ordered[rows])
        index, likeliest = np.arange(len(rows)), best[rows]
        last = counts[:, -1].copy()
        counts[:, -1] = counts[index, likeliest]
        counts[index, likeliest] = last
        return counts


class Ensemble:
    """Distinct states: equally long integer columns (int32) and the weight of each row."""

    __slots__ = ("columns", "weights")

    def __init__(self, columns: Mapping[str, Ints], weights: Weights) -> None:
        self.columns = dict(columns)
        self.weights = weights

    @classmethod
    def start(cls, state: Mapping[str, int], population: Population) -> Ensemble:
        """The whole population in one state."""
        columns = {name: np.array([value], dtype=np.int32) for name, value in state.items()}
        return cls(columns, np.array([population.total], dtype=population.dtype))

    def __len__(self) -> int:
        return len(self.weights)

    def part(self, rows: slice | Mask) -> Ensemble:
        """Some of the rows."""
        return Ensemble({name: column[rows] for name, column in self.columns.items()}, self.weights[rows])

    def changed(self, change: Change) -> Ensemble:
        """The ensemble after a change without dice."""
        return merged([Ensemble({**self.columns, **change.update(self.columns)}, self.weights)])

    def advance(self, step: Step, population: Population, most: int) -> tuple[Ensemble, Ensemble | None]:
        """The ensemble after a random step, merged; and the rows not done when more than `most` came out."""
        size = self._rows_a_block(step)
        if size >= len(self):
            return _expand(self, step, population), None
        done = Gathered()
        for begin in range(0, len(self), size):
            done.add(_expand(self.part(slice(begin, begin + size)), step, population))
            rest = self.part(slice(begin + size, None))
            if done.held > most and len(rest) and len(done.merge()) > most:
                return done.merge(), rest
        return done.merge(), None

    def _rows_a_block(self, step: Step) -> int:
        """So many rows that a block expands to about BLOCK_CELLS."""
        if len(self) <= max(1, BLOCK_CELLS // FEW_ROWS):
            return len(self)
        keys = active_keys(step, self.columns)
        return max(1, BLOCK_CELLS // step.law.width(keys)) if len(keys) else len(self)


class Gathered:
    """Ensembles that are merged when they are asked for."""

    def __init__(self) -> None:
        self.parts: list[Ensemble] = []
        self.held = 0

    def add(self, part: Ensemble) -> None:
        """Keep this one too (it is merged in itself)."""
        self.parts.append(part)
        self.held += len(part)

    def merge(self) -> Ensemble:
        """All of them as one."""
        if len(self.parts) > 1:
            self.parts = [merged(self.parts)]
            self.held = len(self.parts[0])
        return self.parts[0]


def active_keys(step: Step, columns: Columns) -> Ints:
    """The law's keys of the rows that the step applies to."""
    keys = key_of(step, columns)
    return keys if step.where is None else keys[step.where(columns)]


def key_of(step: Step, columns: Columns) -> Ints:
    """The law's key of each row, shape (rows,)."""
    if isinstance(step.key, str):
        return columns[step.key]
    if callable(step.key):
        return step.key(columns)
    return constant(step.key, rows(columns))


def _expand(block: Ensemble, step: Step, population: Population) -> Ensemble:
    """One block through one step: divided over the outcomes, updated, merged."""
    origin, outcome, weights = _divided(block, step, population)
    columns = {name: _taken(values, origin) for name, values in block.columns.items()}
    return grouped(_updated(step, columns, outcome), weights)


def _divided(block: Ensemble, step: Step, population: Population) -> tuple[NDArray[np.intp], Ints, Weights]:
    """The row that each part of the block comes from, its outcome, and its weight."""
    mask = None if step.where is None else step.where(block.columns)
    if mask is None or mask.all():
        return _rolled(key_of(step, block.columns), block.weights, step, population)
    idle = np.flatnonzero(~mask)
    stays = np.full(len(idle), step.otherwise, dtype=np.int32)
    if len(idle) == len(block):
        return idle, stays, block.weights
    active = np.flatnonzero(mask)
    keys = key_of(step, block.columns)[active]
    origin, outcome, weights = _rolled(keys, block.weights[active], step, population)
    return (
        np.concatenate([active[origin], idle]),
        np.concatenate([outcome, stays]),
        np.concatenate([weights, block.weights[idle]]),
    )


def _rolled(
    keys: Ints, weights: Weights, step: Step, population: Population
) -> tuple[NDArray[np.intp], Ints, Weights]:
    """Weights divided over the law's outcomes: row, outcome and weight of each part that is not empty."""
    table, rows = step.law.choose(keys)
    joint = population.split(weights, table, rows).ravel()
    kept = joint.nonzero()[0]
    cells = kept.astype(np.int32)  # a block has few cells, and int32 divides faster
    row = cells // np.int32(table.width)
    outcome = cells - row * np.int32(table.width) + np.int32(table.offset)
    return row.astype(np.intp), outcome, joint[kept]


def _taken(values: Ints, origin: NDArray[np.intp]) -> Ints:
    return constant(values[0], len(origin)) if values.strides == (0,) else values.take(origin)


def _updated(step: Step, columns: Columns, outcome: Ints) -> dict[str, Ints]:
    change = {step.update: outcome} if isinstance(step.update, str) else step.update(columns, outcome)
    return {**columns, **change}


def merged(parts: list[Ensemble]) -> Ensemble:
    """One ensemble with each distinct state once (columns have the same names in every part).

    The list is emptied on the way, so that the parts are not held beside their sum.
    """
    if len(parts) == 1:
        return grouped(parts[0].columns, parts[0].weights)
    names = list(parts[0].columns)
    lows, spans = _ranges([part.columns for part in parts if len(part)] or [parts[0].columns])
    if math.prod(spans) > WIDEST:
        columns = {name: np.concatenate([part.columns[name] for part in parts]) for name in names}
        return _merged_by_rows(columns, np.concatenate([part.weights for part in parts]))
    keys = np.concatenate([_mixed_radix(part.columns, lows, spans) for part in parts])
    weights = np.concatenate([part.weights for part in parts])
    parts.clear()
    return _by_key(keys, weights, names, lows, spans)


def grouped(columns: Columns, weights: Weights | None) -> Ensemble:
    """Rows by distinct state; weights None: each row is one trial."""
    count = rows(columns)
    if count < 2:
        return Ensemble(columns, np.ones(count, dtype=np.int64) if weights is None else weights)
    lows, spans = _ranges([columns])
    if math.prod(spans) > WIDEST:
        return _merged_by_rows(columns, weights)
    return _by_key(_mixed_radix(columns, lows, spans), weights, list(columns), lows, spans)


def _ranges(blocks: list[Columns]) -> tuple[list[int], list[int]]:
    """The least value of each column over all blocks, and how many values it spans."""
    lows, spans = [], []
    for name in blocks[0]:
        ends = [_ends(block[name]) for block in blocks if len(block[name])] or [(0, 0)]
        low = min(low for low, _ in ends)
        lows.append(low)
        spans.append(max(high for _, high in ends) - low + 1)
    return lows, spans


def _ends(column: Ints) -> tuple[int, int]:
    if column.strides == (0,):  # one value repeated, as `constant` makes it
        value: int = column.item(0)
        return value, value
    return int(column.min()), int(column.max())


def _by_key(
    keys: NDArray[np.integer], weights: Weights | None, names: list[str], lows: list[int], spans: list[int]
) -> Ensemble:
    """Rows with equal keys as one; the keys hold the columns."""
    merge = _count if math.prod(spans) <= max(DENSE, 8 * len(keys)) else _sort
    keys, weights = merge(keys, weights)
    return Ensemble(_unmixed(keys, names, lows, spans), weights)


def _mixed_radix(columns: Columns, lows: list[int], spans: list[int]) -> NDArray[np.integer]:
    """One number for each row, from which its columns can be read again; int32 where that is wide enough."""
    kind: Any = np.int32 if math.prod(spans) < 2**31 else np.int64
    keys: Any = None
    for column, low, span in zip(columns.values(), lows, spans, strict=True):
        if span == 1:
            continue
        digit = column.astype(kind, copy=False)
        if low:
            digit = digit - kind(low)
        keys = digit if keys is None else keys * kind(span) + digit
    return np.zeros(rows(columns), dtype=kind) if keys is None else keys


def _unmixed(
    keys: NDArray[np.integer], names: list[str], lows: list[int], spans: list[int]
) -> dict[str, Ints]:
    columns: dict[str, Ints] = {}
    rest = keys
    for name, low, span in zip(reversed(names), reversed(lows), reversed(spans), strict=True):
        if span == 1:
            columns[name] = constant(low, len(keys))
            continue
        rest, digit = np.divmod(rest, span)
        columns[name] = (digit + low).astype(np.int32)
    return {name: columns[name] for name in names}


def _count(keys: NDArray[np.integer], weights: Weights | None) -> tuple[NDArray[np.integer], Weights]:
    """Merge by counting: fine for small key spaces. Counts up to 10^12 are exact in float64."""
    sums = np.bincount(keys, weights)
    kept = sums.nonzero()[0]
    return kept, sums[kept] if weights is None else sums[kept].astype(weights.dtype, copy=False)


def _sort(keys: NDArray[np.integer], weights: Weights | None) -> tuple[NDArray[np.integer], Weights]:
    if weights is None:
        return np.unique(keys, return_counts=True)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return keys[first], np.add.reduceat(weights[order], first)


def _merged_by_rows(columns: Columns, weights: Weights | None) -> Ensemble:
    """For key spaces beyond 62 bits: compare whole rows."""
    rows = np.stack(list(columns.values()), axis=1)
    distinct, index = np.unique(rows, axis=0, return_inverse=True)
    weights = np.ones(len(rows), dtype=np.int64) if weights is None else weights
    sums = np.zeros(len(distinct), dtype=weights.dtype)
    np.add.at(sums, index.ravel(), weights)
    return Ensemble({name: distinct[:, i].copy() for i, name in enumerate(columns)}, sums)
