"""One row a trial, for states that do not merge: blocks of 2^16 trials through all steps that are left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.ensemble import Ensemble, key_of
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Step

BLOCK = 2**16
SECONDS_A_DRAW = 6e-9  # measured: a draw of a 30-dice pool with its update, one core

Block: TypeAlias = dict[str, Ints]
Note: TypeAlias = Callable[[float], None]


def blocks(ensemble: Ensemble) -> Iterator[Block]:
    """The trials of an ensemble, one row each, 2^16 at a time, in the order of its rows."""
    ends = np.cumsum(ensemble.weights)
    for begin in range(0, int(ends[-1]), BLOCK):
        end = min(begin + BLOCK, int(ends[-1]))
        low, high = int(np.searchsorted(ends, begin, "right")), int(np.searchsorted(ends, end, "left")) + 1
        inside = np.minimum(ends[low:high], end) - np.maximum(
            ends[low:high] - ensemble.weights[low:high], begin
        )
        yield {name: np.repeat(column[low:high], inside) for name, column in ensemble.columns.items()}


def trials(block: Block) -> int:
    """How many trials a block holds."""
    return len(next(iter(block.values())))


def ones(block: Block) -> NDArray[np.int64]:
    """The weight of each row: one trial."""
    return np.ones(trials(block), dtype=np.int64)


def advance(columns: Block, step: Step, rng: np.random.Generator, note: Note = lambda cut: None) -> Block:
    """Each trial through one step; `note` is told the worst tail cut of the rows met."""
    if step.where is None:
        outcome = draw(step.law, key_of(step, columns), rng, note)
    else:
        mask = step.where(columns)
        outcome = np.full(len(mask), step.otherwise, dtype=np.int32)
        if mask.any():
            chosen = {name: column[mask] for name, column in columns.items()}
            outcome[mask] = draw(step.law, key_of(step, chosen), rng, note)
    if isinstance(step.update, str):
        return {**columns, step.update: outcome}
    return {**columns, **step.update(columns, outcome)}


def draw(law: Law, keys: Ints, rng: np.random.Generator, note: Note = lambda cut: None) -> Ints:
    """One outcome per key, shape (n,)."""
    table, rows = law.choose(keys)
    note(table.cut)
    outcome = table.guide.draw(rows, rng).astype(np.int32)
    if table.offset:
        outcome += table.offset
    return outcome
