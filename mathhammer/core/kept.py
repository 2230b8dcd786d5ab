"""Sums of dice of which only the highest, or the lowest, are kept.

A roll is read from its threshold, the lowest face that is kept: some dice are above it, and enough of the
others show it. Few faces are gone through one by one, from the lowest up. Of many faces the likely thresholds
are taken: one by one, by Fourier transform at the frequencies that matter; where too many of these do, in
cells, each of which is gone through face by face, and what is above it is added by Fourier transform.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from mathhammer.core.pmf import Floats, Pmf
from mathhammer.core.sums import (
    FAR,
    ONLY,
    SILENT,
    Complex,
    Mixture,
    Steps,
    added,
    beyond,
    frequencies,
    period_of,
    power,
    spectra,
    tails,
    turns,
)

FEW_FACES = 300  # of so few, and of so few (faces * kept dice)**2 * kept dice, each is gone through
FEW_SUMS = 20_000_000
FEW_CELLS = 64  # by which sums are bounded and costs are estimated
WEIGHED = 2**14  # weights by which frequencies are counted
TINY = 1e-100  # smaller chances are none: products would become numbers that are slow to multiply
# Nanoseconds, measured: of going on to the next face of all cells, of a frequency of a row of a cell, of one
# power at a frequency of a threshold, of one weight of a threshold, and of cells as such.
STEP_COST, ROW_COST, TERM_COST, WEIGHT_COST, FIXED_COST = 20_000, 9, 3, 40, 2_000_000
SHORT = 2**12  # so few sums are not bounded any closer
FEW_DICE = 8  # sums of so few dice, if they are short, are not listened to


def keep_worst(die: Pmf, dice: int, keep: int) -> Pmf:
    """The sum of the `keep` lowest of `dice` dice (1 <= keep <= dice)."""
    return keep_best(die.mirrored(), dice, keep).mirrored()


def keep_best(die: Pmf, dice: int, keep: int) -> Pmf:
    """The sum of the `keep` highest of `dice` dice (1 <= keep <= dice)."""
    if not 1 <= keep <= dice:
        raise ValueError(f"keep between 1 and {dice} dice, not {keep}")
    if keep == dice:
        return added([(dice, die)])
    if keep == 1:
        return die.best_of(dice)
    least, cells = Kept(die, dice, keep).sums()
    return Pmf(keep * die.offset + least, cells / cells.sum(), die.cut * dice)


def threshold_weights(dice: int, keep: int, above: Floats, shown: Floats, below: Floats) -> Floats:
    """P(a face is the lowest of `keep` dice kept, and m dice are above it), shape (faces, keep) by m.

    above, shown, below: the chances of one die, by face.
    """
    return _number_above(dice, keep, above, shown + below) * _enough(dice - keep, keep, _share(shown, below))


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
class Kept:
    """The `keep` highest of `dice` dice (1 <= keep <= dice). Faces and sums are counted from the least.

    most: only rolls whose threshold is this face or a lower one. without: so many dice that show the
    threshold are not added up (0 or 1). Each way to add up gives the least sum and the chances from there on.
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
        return _running(self.die.probs)

    @cached_property
    def above(self) -> Floats:
        """The chance of a die to show more than a face."""
        return np.append(_running(self.die.probs[:0:-1])[::-1], 0.0)

    @cached_property
    def reach(self) -> tuple[Steps, Steps]:
        """Faces between which the highest die, the second, ... the last kept one is, by Chernoff's bound."""
        least, most = _likely(self.dice)[: self.keep], 1 - _likely(self.dice)[::-1][: self.keep]
        last = len(self.die.probs) - 1
        upper = self.above[::-1] + self.die.probs[::-1]
        lowest = np.minimum(np.searchsorted(upper, most), last)
        return last - lowest, last - np.searchsorted(upper, least)

    @cached_property
    def thresholds(self) -> tuple[int, int]:
        """The lowest and the highest face that may be the threshold; none may if the lowest is beyond."""
        low, high = self.reach
        return int(low[-1]), int(high[-1] if self.most is None else min(high[-1], self.most))

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
    def ends(self) -> tuple[int, int]:
        """Sums between which the sum is, by where each of the dice is and by Chernoff's bound."""
        low, high = (int(faces[: self.added].sum()) for faces in self.reach)
        if high - low < SHORT:
            return low, high
        for tilt in 4.0 ** np.arange(4) / len(self.die.probs):
            low = max(low, math.ceil(self._far(-tilt)))
            high = min(high, math.floor(self._far(tilt)))
        return low, high

    def _far(self, tilt: float) -> float:
        """The sum beyond which, in the direction of `tilt`, are only sums rarer than exp(-FAR)."""
        cells = self._few
        tops, faces = cells.tops, np.arange(len(self.die.probs))
        tilted = np.append(np.cumsum((self.die.probs * np.exp(tilt * faces))[::-1])[::-1], 0.0)[tops + 1]
        mean = np.divide(tilted, self.above[tops], out=np.ones(len(tops)), where=self.above[tops] > 0)
        at = tilt * (tops if tilt > 0 else cells.bottoms)  # dice inside a cell are there at the farthest
        with np.errstate(divide="ignore"):
            logs = np.log(cells.weights) + (np.log(mean) - at)[:, None] * np.arange(self.keep)
        logs += (self.added * at)[:, None]
        most = logs.max()
        return float((most + math.log(np.exp(logs - most).sum()) + FAR) / tilt)

    def sums(self) -> tuple[int, Floats]:
        """The way that is fastest."""
        faces = len(self.die.probs)
        if self.most is None and faces <= FEW_FACES and faces**2 * self.keep**3 <= FEW_SUMS:
            return self.by_faces()
        low, high = self.thresholds
        if high < low:
            return 0, np.zeros(1)
        period = period_of(self._size)
        loud = int(self._loud(period).sum())
        singly = loud * (self.keep + 12) * TERM_COST + (high + 1 - low) * self.keep * WEIGHT_COST
        width, together = self._width(loud, period)
        return self.by_thresholds() if singly < together else self.by_cells(int((high + 1 - low) / width))

    def _width(self, loud: int, period: int) -> tuple[float, float]:
        """Faces of a cell at which what is inside cells takes as long as what is above them, and how long."""
        faces, wanted = self.thresholds[1] + 1 - self.thresholds[0], self._few.wanted
        row = ROW_COST * min(period, 8 * loud / faces + SHORT)
        above = faces * row * float((wanted + 3).mean())
        inside = STEP_COST + faces * float((wanted**2 * (1 + wanted / 5)).mean())
        width = max(1.0, math.sqrt(above / inside))
        return width, above / width + inside * width + FIXED_COST

    def by_faces(self) -> tuple[int, Floats]:
        """All faces are one cell (where any threshold will do)."""
        inside = self._inside(np.arange(len(self.die.probs)), 1, self.keep)
        return 0, inside[0, self.keep, self.added * (len(self.die.probs) - 1) :: -1]

    def by_thresholds(self) -> tuple[int, Floats]:
        """Each threshold by itself: with the number of dice above it, a random sum."""
        at, probs = np.arange(self.thresholds[0], self.thresholds[1] + 1), self.die.probs
        weights = threshold_weights(
            self.dice, self.keep, self.above[at], probs[at], self.up_to[at] - probs[at]
        )
        mixture = Mixture(weights, tails(self.die, at), self.added * at)
        return self.ends[0], mixture.cells(self.ends, self._loud(period_of(self._size)))

    def by_cells(self, number: int) -> tuple[int, Floats]:
        """The thresholds in so many cells: the dice above a cell beside those inside it."""
        cells = self.cells(number)
        wanted = cells.wanted
        period = period_of(max(self._size, int(wanted.max()) * cells.width + 1, len(self.die.probs)))
        heard = self._heard(cells, period)
        above = self._beyond(cells, int(heard.max()), period)
        spectrum = np.zeros(period // 2 + 1, dtype=np.complex128)
        for run in _runs(wanted):
            some = heard[run, : -int(wanted[run].max()) - 1 : -1].max(axis=0)
            at = slice(0, int(some[-1]))
            spectrum[at] += self._sums(cells.part(run), some, above[run, at], period)
        spectrum *= turns(ONLY + self.ends[0], np.arange(len(spectrum)), period)[0]
        return self.ends[0], np.maximum(np.fft.irfft(spectrum.conj(), period)[: self._size], 0.0)

    @property
    def _size(self) -> int:
        """How many sums there are between the ends."""
        return self.ends[1] - self.ends[0] + 1

    @cached_property
    def _few(self) -> Cells:
        """The thresholds in few cells."""
        return self.cells(FEW_CELLS)

    @cached_property
    def bands(self) -> Cells:
        """The thresholds in cells so narrow that dice inside them hardly matter."""
        return self.cells(WEIGHED // self.keep)

    @cached_property
    def _silent(self) -> Floats:
        """From which |1 - z| on each band weighs nothing, by the least number of dice above it."""
        quiet, weights = SILENT / self.bands.weights.size, self.bands.weights
        variation, numbers = beyond(self.die, self.bands.tops), np.arange(self.keep)
        with np.errstate(divide="ignore"):
            logs = np.log(variation)[:, None] + np.log(weights / quiet) / np.maximum(1, numbers)
        far = np.where(numbers > 0, np.exp(np.minimum(logs, 1.0)), 2.0)
        found: Floats = np.maximum.accumulate(np.where(weights > quiet, far, 0.0)[:, ::-1], axis=1)[:, ::-1]
        return found

    @property
    def _quick(self) -> bool:
        """Whether all frequencies may as well be taken: of few sums of few dice nearly all matter."""
        return self.keep <= FEW_DICE and self._size <= SHORT

    def _heard(self, cells: Cells, period: int) -> Steps:
        """How many frequencies matter, by cell and by the number of dice above it.

        As many as for any band of it, and any larger number: of these some may be in the cell.
        """
        if self._quick:
            return np.full(cells.weights.shape, period // 2 + 1)
        first = np.searchsorted(self.bands.tops, cells.bottoms)
        return frequencies(np.maximum.reduceat(self._silent, first), period)

    def _loud(self, period: int) -> Steps:
        """How many frequencies matter, by threshold."""
        low, high = self.thresholds
        if self._quick:
            return np.full(high + 1 - low, period // 2 + 1)
        band = np.searchsorted(self.bands.tops, np.arange(low, high + 1))
        return frequencies(self._silent[:, 0], period)[band]

    def _sums(self, cells: Cells, heard: Steps, above: Complex, period: int) -> Complex:
        """The transform of the sums of cells; heard: how many frequencies matter, by dice kept inside."""
        wanted, tops = len(heard), cells.tops
        faces = (tops[:, None] + np.arange(1 - cells.width, 1)).ravel()
        inside = self._inside(faces, len(tops), wanted)[:, 1:]
        outside = _number_above(self.dice, self.keep, self.above[tops], self.up_to[tops])
        inside *= outside[:, self.keep - np.arange(1, wanted + 1), None]
        total, before = np.zeros_like(above), 0
        for row, number in zip(inside.transpose(1, 0, 2), heard.tolist(), strict=True):
            total[:, :before] *= above[:, :before]
            total[:, :number] += spectra(row, number, period)  # seen from above: inside a cell sums go down
            before = number
        total *= power(above, self.keep - wanted)
        lowest, next_cell = turns(-self.added * np.array([tops[0], cells.width]), np.arange(before), period)
        found: Complex = total[-1].copy()
        for row in total[-2::-1]:
            found *= next_cell
            found += row
        found *= lowest
        return found

    def _beyond(self, cells: Cells, number: int, period: int) -> Complex:
        """Inverse transforms of by how much a die is above a cell, given that it is: a row for each cell.

        Each is added up from the next: what is in the next cell, and what is above that.
        """
        parts = np.append(self.die.probs, np.zeros(cells.width))[
            cells.tops[:, None] + np.arange(1, cells.width + 1)
        ]
        found = spectra(parts, number, period)
        found[-1:] = spectra(self.die.probs[None, cells.tops[-1] + 1 :], number, period)
        first, next_cell = turns(np.array([1, cells.width]), np.arange(number), period)
        for row, after in zip(found[-2::-1], found[:0:-1], strict=True):
            row += next_cell * after
        found *= first
        found /= np.where(self.above[cells.tops] > 0, self.above[cells.tops], 1.0)[:, None]
        return np.conj(found, out=found)

    def _inside(self, faces: Steps, cells: int, wanted: int) -> Floats:
        """What the last dice kept add up to if the threshold is in a cell, shape (cells, wanted + 1, sums).

        faces: all faces of the cells, as many for each; there may be some below the least. Row r: r more dice
        are to be kept, all others are above the cell. Sums: by how much the r dice are below its last face.
        """
        at = np.maximum(faces, 0)
        shown = np.where(faces < 0, 0.0, self.die.probs[at])
        steps = _showing(_share(shown, self.up_to[at] - shown), self.dice - self.keep, wanted)
        steps = steps.reshape(cells, -1, wanted + 1, wanted + 1)
        sums = np.zeros((cells, wanted + 1, 1))
        sums[:, 0] = 1.0  # below the cell there is no threshold, unless none is wanted
        for face in range(steps.shape[1]):
            sums = steps[:, face] @ _lowered(sums, self.without)
        return sums


def _runs(wanted: Steps) -> list[slice]:
    """Cells one after the other whose numbers of dice inside have the same power of 2 above them."""
    sizes = np.ceil(np.log2(wanted))
    ends = [*(np.flatnonzero(np.diff(sizes)) + 1).tolist(), len(sizes)]
    return [slice(first, end) for first, end in zip([0, *ends], ends, strict=False)]


def _running(chances: Floats) -> Floats:
    """Sums of the first 1, 2, ... chances; what each addition rounds off is added up beside.

    They are raised to powers as high as the number of dice, and so are their errors.
    """
    sums = np.cumsum(chances)
    before = np.append(0.0, sums)[:-1]
    added = sums - before
    found: Floats = sums + np.cumsum((before - (sums - added)) + (chances - added))
    return found


def _share(shown: Floats, below: Floats) -> Floats:
    """The chance of a face, if no higher one is shown."""
    up_to = shown + below
    return np.divide(shown, up_to, out=np.zeros_like(shown), where=up_to > 0)


def _number_above(dice: int, keep: int, above: Floats, up_to: Floats) -> Floats:
    """P(m dice are above a face), shape (faces, keep) by m."""
    ways = np.array([float(math.comb(dice, m)) for m in range(keep)])
    others = np.vander(up_to, keep) * up_to[:, None] ** (dice - keep + 1)
    found: Floats = np.vander(above, keep, increasing=True) * ways * others
    return found


def _enough(spare: int, keep: int, chance: Floats) -> Floats:
    """P(r of r + `spare` dice at least show a face), shape (faces, keep) by r from `keep` down to 1.

    The r-th of them comes after at most `spare` others.
    """
    ways = np.ones((spare + 1, keep))  # orders of r - 1 of them and so many others
    for r in range(1, keep):
        ways[:, r] = np.cumsum(ways[:, r - 1])
    others = np.vander(1 - chance, spare + 1, increasing=True)
    found: Floats = np.vander(chance, keep + 1)[:, :keep] * (others @ ways)[:, ::-1]
    return found


def _showing(chance: Floats, spare: int, keep: int) -> Floats:
    """From r dice to be kept to s, as the others show a face: shape (faces, keep + 1, keep + 1) by r and s.

    r + `spare` dice show this face or less, each of them this face with the given chance.
    """
    need = range(keep + 1)
    ways = np.array([[float(math.comb(spare + r, r - s)) if s <= r else 0.0 for s in need] for r in need])
    shown = np.vander(chance, keep + 1, increasing=True)[:, np.maximum(0, np.subtract.outer(need, need))]
    others = np.vander(1 - chance, keep + 1, increasing=True) * (1 - chance[:, None]) ** spare
    found: Floats = ways * shown * others[:, None, :]
    found[found < TINY] = 0.0
    found[:, 0, 0], found[:, 1:, 0] = 1.0, _enough(spare, keep, chance)[:, ::-1]
    return found


def _lowered(sums: Floats, without: int) -> Floats:
    """Row r moved by r cells, less those `without`: what is below a face, seen from the next one.

    Shape (cells, rows, sums); row 0 stays.
    """
    cells, rows, size = sums.shape
    wide = np.zeros((cells, rows, size + rows))
    wide[:, : rows - without, :size] = sums[:, without:]
    moved = wide.reshape(cells, -1)[:, : rows * (size + rows - 1)].reshape(cells, rows, -1)
    if without:
        moved = np.concatenate([np.zeros_like(moved[:, :1]), moved[:, :-1]], axis=1)
        moved[:, 0, :size] = sums[:, 0]
    return moved


@lru_cache(maxsize=64)
def _likely(dice: int) -> Floats:
    """The least chances of a die at which 1, 2, ... all of the dice at least are not too rare."""
    share = np.arange(1, dice + 1) / dice
    high = np.log(share)
    low = high - FAR / np.arange(1, dice + 1) - 1
    for _ in range(20):
        middle = (low + high) / 2
        others = np.log((1 - share[:-1]) / -np.expm1(middle[:-1])) * (1 - share[:-1])
        rare = dice * (share * (np.log(share) - middle) + np.append(others, 0.0)) > FAR
        low, high = np.where(rare, middle, low), np.where(rare, high, middle)
    found: Floats = np.exp(low)
    return found
