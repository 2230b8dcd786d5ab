"""What makes a list the best: the largest sum of chances, or the best worst case, as integer programs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mathhammer.analysis.columns import Columns
from mathhammer.analysis.program import Program, Whole

THRIFT = 1e-7  # among lists of equal value the cheaper one: what the whole budget counts


class Largest:
    """The largest sum of chances by the weights of enemies; of equal lists the cheaper one.

    Bounds: how much there is of each unit and of the budget, shape (units + 1,).
    """

    def __init__(self, columns: Columns) -> None:
        counts = np.array([columns.campaign.weights[alike[0]] for alike in columns.campaign.alike])
        self._worth = counts[columns.groups] * columns.chances
        gains = self._worth - THRIFT * columns.prices
        self._program = Program(gains, columns.uses, columns.groups, columns.sizes)

    def best(self, bounds: Whole) -> tuple[int, ...]:
        """The columns of the best choice, ascending, as often as taken; none where nothing is gained."""
        return self._program.best(bounds)

    def reach(self, bounds: Whole) -> float:
        """What no choice surpasses."""
        return self._program.bound(bounds) + THRIFT

    def value(self, chosen: Sequence[int]) -> float:
        """What a choice is worth."""
        return float(sum(self._worth[list(chosen)].tolist()))


class BestWorst(Largest):
    """The highest least chance over all enemies, at the lowest cost; the largest sum where that is 0."""

    def __init__(self, columns: Columns) -> None:
        super().__init__(columns)
        self._columns = columns
        self._levels = np.unique(columns.chances)
        self._top: int | None = None  # the level that the first question reached
        self._known: dict[bytes, tuple[int, ...]] = {}
        self._coverings: dict[int, tuple[Program, Whole] | None] = {}

    def best(self, bounds: Whole) -> tuple[int, ...]:
        """As `Largest.best`."""
        key = bounds.tobytes()
        if key not in self._known:
            self._known[key] = self._highest(bounds) or super().best(bounds)
        return self._known[key]

    def reach(self, bounds: Whole) -> float:
        """What no choice surpasses, which only solving tells."""
        return self.value(self.best(bounds))

    def value(self, chosen: Sequence[int]) -> float:
        """The least chance against any enemy."""
        if len(chosen) < len(self._columns.campaign.enemies):
            return 0.0
        return float(self._columns.chances[list(chosen)].min())

    def _highest(self, bounds: Whole) -> tuple[int, ...]:
        """The choice at the highest level that all enemies can have, by bisection; none where none can."""
        top = self._top  # no list under limits surpasses the first one, which had none
        if top is not None and (found := self._covering(top, bounds)):
            return found
        low, high = -1, len(self._levels) if top is None else top  # low can be had, high cannot
        best: tuple[int, ...] = ()
        while high - low > 1:
            middle = (low + high) // 2
            if found := self._covering(middle, bounds):
                low, best = middle, found
            else:
                high = middle
        self._top = max(low, 0) if top is None else top
        return best

    def _covering(self, level: int, bounds: Whole) -> tuple[int, ...]:
        """The cheapest choice with every enemy at a level; none where that cannot be."""
        if level not in self._coverings:
            self._coverings[level] = self._counted(float(self._levels[level]))
        made = self._coverings[level]
        if made is None:
            return ()
        program, kept = made
        chosen = program.best(bounds, least=2.0 * len(self._columns.campaign.enemies) - 1.0)
        return tuple(int(kept[column]) for column in chosen)

    def _counted(self, least: float) -> tuple[Program, Whole] | None:
        """Enemies that have `least`, counted, with the columns that matter; None where not all can."""
        columns = self._columns
        kept = columns.enough(least)
        if len(set(columns.groups[kept].tolist())) < len(columns.sizes):
            return None
        gains = 2.0 - columns.prices[kept]  # whoever leaves an enemy out cannot make up for it by thrift
        return Program(gains, columns.uses[kept], columns.groups[kept], columns.sizes), kept
