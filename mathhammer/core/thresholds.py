"""Where the lowest of the dice kept may be, and how many frequencies of sums matter with it there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mathhammer.core.added import SHORT
from mathhammer.core.order import likely, threshold_weights
from mathhammer.core.pmf import Floats, Pmf
from mathhammer.core.stretches import stretches
from mathhammer.core.sums import SILENT, Steps, beyond, frequencies

FEW_CELLS = 64  # by which sums are bounded and costs are estimated
WEIGHED, FEW_BANDS = 2**14, 2**8  # weights by which frequencies are counted, and the fewest bands of them
FEW_DICE = 8  # sums of so few dice, if they are short, are heard at all frequencies


class Cells(NamedTuple):
    """Cells of thresholds, from the lowest up: their width, their lowest and their highest faces.

    weights: how likely a threshold in each is, by the number of dice above the cell.
    """

    width: int
    bottoms: Steps
    tops: Steps
    weights: Floats

    def part(self, rows: slice) -> Cells:
        """Some of the cells."""
        return Cells(self.width, self.bottoms[rows], self.tops[rows], self.weights[rows])

    @property
    def wanted(self) -> Steps:
        """How many dice kept, at most, are inside a cell; of the others all that matters is above it."""
        few_above = np.cumsum(self.weights, axis=1) > SILENT / len(self.tops)
        found: Steps = np.maximum(1, few_above.sum(axis=1))
        return found


@dataclass(frozen=True)
class Thresholds:
    """The lowest of the `keep` highest of `dice` dice (1 <= keep <= dice). Faces are counted from the least.

    most: only rolls whose threshold is this face or a lower one. without: so many dice that show the
    threshold are not added up (0 or 1).
    """

    die: Pmf
    dice: int
    keep: int
    most: int | None = None
    without: int = 0

    @property
    def added(self) -> int:
        """How many dice are added up."""
        return self.keep - self.without

    @cached_property
    def up_to(self) -> Floats:
        """The chance of a die to show a face or less."""
        return stretches(self.die).up_to()

    @cached_property
    def above(self) -> Floats:
        """The chance of a die to show more than a face."""
        return np.append(stretches(self.die).at_least()[1:], 0.0)

    @cached_property
    def places(self) -> tuple[Steps, Steps]:
        """Faces between which the highest die, the second, ... the last kept one is, by Chernoff's bound."""
        least, most = likely(self.dice)[: self.keep], 1 - likely(self.dice)[::-1][: self.keep]
        last = len(self.die.probs) - 1
        upper = self.above[::-1] + self.die.probs[::-1]
        lowest = np.minimum(np.searchsorted(upper, most), last)
        return last - lowest, last - np.searchsorted(upper, least)

    @cached_property
    def thresholds(self) -> tuple[int, int]:
        """The lowest and the highest face that may be the threshold; none may if the lowest is beyond."""
        low, high = self.places
        return int(low[-1]), int(high[-1] if self.most is None else min(high[-1], self.most))

    @property
    def range_of_thresholds(self) -> tuple[int, int]:
        """The same, the end being beyond the highest."""
        return self.thresholds[0], self.thresholds[1] + 1

    def cells(self, number: int) -> Cells:
        """The thresholds in about so many cells; the lowest one may begin below the least threshold."""
        low, high = self.thresholds
        width = 1 << max(0, round(math.log2((high + 1 - low) / number)))
        tops = np.arange(high, low - 1, -width)[::-1]
        bottoms = np.maximum(0, tops - width + 1)
        below = np.append(0.0, self.up_to)[bottoms]
        inside = np.maximum(0.0, self.up_to[tops] - below)
        weights = threshold_weights(self.dice, self.keep, self.above[tops], inside, below)
        return Cells(width, bottoms, tops, weights)

    @cached_property
    def reach(self) -> tuple[int, int]:
        """Between which sums it is, by where each of the dice is."""
        low, high = self.places
        return int(low[: self.added].sum()), int(high[: self.added].sum())

    @cached_property
    def few(self) -> Cells:
        """The thresholds in few cells."""
        return self.cells(FEW_CELLS)

    @cached_property
    def bands(self) -> Cells:
        """The thresholds in cells so narrow that dice inside them hardly matter."""
        return self.cells(max(FEW_BANDS, WEIGHED // self.keep))

    @cached_property
    def silent(self) -> Floats:
        """From which |1 - z| on each band weighs nothing, by the least number of dice above it."""
        quiet, weights = SILENT / self.bands.weights.size, self.bands.weights
        variation, numbers = beyond(self.die, self.bands.tops), np.arange(self.keep)
        with np.errstate(divide="ignore"):
            logs = np.log(variation)[:, None] + np.log(weights / quiet) / np.maximum(1, numbers)
        far = np.where(numbers > 0, np.exp(np.minimum(logs, 1.0)), 2.0)
        found: Floats = np.maximum.accumulate(np.where(weights > quiet, far, 0.0)[:, ::-1], axis=1)[:, ::-1]
        return found

    @property
    def quick(self) -> bool:
        """Whether all frequencies may as well be taken: of few sums of few dice nearly all matter."""
        return self.keep <= FEW_DICE and self.reach[1] - self.reach[0] < SHORT

    def heard(self, cells: Cells, count: int, period: int) -> Steps:
        """How many frequencies matter, by cell and by the number of dice above it.

        As many as for any band of it, and any larger number: of these some may be in the cell.
        """
        if self.quick:
            return np.full(cells.weights.shape, count)
        first = np.searchsorted(self.bands.tops, cells.bottoms)
        return np.minimum(count, frequencies(np.maximum.reduceat(self.silent, first), period))

    def loud(self, count: int, period: int) -> Steps:
        """How many frequencies matter, by threshold."""
        low, high = self.thresholds
        if self.quick:
            return np.full(high + 1 - low, count)
        band = np.searchsorted(self.bands.tops, np.arange(low, high + 1))
        return np.minimum(count, frequencies(self.silent[:, 0], period))[band]
