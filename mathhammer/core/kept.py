"""Sums of dice of which only the highest, or the lowest, are kept.

A roll is read from its threshold, the lowest face that is kept: some dice are above it, and enough of the
others show it. Few faces are gone through one by one, from the lowest up. Of many faces the likely thresholds
are taken: one by one, by Fourier transform at the frequencies that matter; where too many of these do, in
cells, each of which is gone through face by face, and what is above it is added by Fourier transform.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mathhammer.core.added import SHORT, Dice, Summand, minus
from mathhammer.core.order import likely, lowered, number_above, share, showing, threshold_weights
from mathhammer.core.pmf import Floats, Pmf
from mathhammer.core.stretches import (
    Points,
    Spans,
    Stretches,
    added_logs,
    enough,
    evenly,
    joined,
    points_of,
    slices,
    starts_of,
    stretches,
    thresholds_transform,
)
from mathhammer.core.sums import SILENT, Complex, Steps, beyond, frequencies, power, spectra, turns

FEW_FACES = 300  # of so few, and of so few (faces * kept dice)**2 * kept dice, each is gone through
FEW_SUMS = 20_000_000
FEW_CELLS = 64  # by which sums are bounded and costs are estimated
FEW_POINTS = 16  # of a stretch, by which frequencies of sums are bounded
WEIGHED, FEW_BANDS = 2**14, 2**8  # weights by which frequencies are counted, and the fewest bands of them
# Nanoseconds, measured: of going on to the next face of all cells, of a frequency of a row of a cell, of one
# power at a frequency of a threshold, of one weight of a threshold, of cells as such, and, for each point of
# a stretch that stands for others, times their number squared.
STEP_COST, ROW_COST, TERM_COST, WEIGHT_COST, FIXED_COST, POINT_COST = 20_000, 9, 4, 40, 2_000_000, 0.1
TOGETHER = 2**17  # frequencies of rows that are transformed together
FEW_HEARD = 256  # frequencies of which all are taken: to listen to them takes longer
FIRST_BLOCK = 64  # frequencies that take the same points; of higher ones twice as many do
FEW_DICE = 8  # sums of so few dice, if they are short, are not listened to


def worst(die: Pmf, dice: int, keep: int) -> Summand:
    """The `keep` lowest of `dice` dice (1 <= keep <= dice), to be added up."""
    return minus(best(die.mirrored(), dice, keep))


def best(die: Pmf, dice: int, keep: int) -> Summand:
    """The `keep` highest of `dice` dice (1 <= keep <= dice), to be added up."""
    if not 1 <= keep <= dice:
        raise ValueError(f"keep between 1 and {dice} dice, not {keep}")
    if keep == dice:
        return Dice(dice, die)
    if keep == 1:
        return Dice(1, die.best_of(dice))
    kept, faces = Kept(die, dice, keep), len(die.probs)
    if faces > FEW_FACES or faces**2 * keep**3 > FEW_SUMS:
        return kept
    cells = kept.by_faces()
    return Dice(1, Pmf(kept.offset, cells / cells.sum(), kept.cut))


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

    @property
    def offset(self) -> int:
        """The least sum."""
        return self.added * self.die.offset

    @property
    def variance(self) -> float:
        """That of as many dice of which none is chosen."""
        return self.added * self.die.sd**2

    @property
    def cut(self) -> float:
        """Of all dice, kept or not."""
        return self.dice * self.die.cut

    @cached_property
    def up_to(self) -> Floats:
        """The chance of a die to show a face or less."""
        return stretches(self.die).up_to()

    @cached_property
    def above(self) -> Floats:
        """The chance of a die to show more than a face."""
        return np.append(stretches(self.die).at_least()[1:], 0.0)

    @cached_property
    def _faces(self) -> tuple[Steps, Steps]:
        """Faces between which the highest die, the second, ... the last kept one is, by Chernoff's bound."""
        least, most = likely(self.dice)[: self.keep], 1 - likely(self.dice)[::-1][: self.keep]
        last = len(self.die.probs) - 1
        upper = self.above[::-1] + self.die.probs[::-1]
        lowest = np.minimum(np.searchsorted(upper, most), last)
        return last - lowest, last - np.searchsorted(upper, least)

    @cached_property
    def thresholds(self) -> tuple[int, int]:
        """The lowest and the highest face that may be the threshold; none may if the lowest is beyond."""
        low, high = self._faces
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
        low, high = self._faces
        return int(low[: self.added].sum()), int(high[: self.added].sum())

    @property
    def kind(self) -> Hashable:
        """As many dice of which as many are kept."""
        return Kept, self.dice, self.keep, self.without

    @staticmethod
    def tilted(terms: Sequence[Kept], tilts: Floats) -> Floats:
        """The logarithm of E exp(tilt * sum), or more: as if dice inside a cell were at its end."""
        parts = [term._few for term in terms]
        bottoms, tops, weights = (np.concatenate(some) for some in list(zip(*parts, strict=True))[1:])
        at = tilts[:, None] * np.where(tilts[:, None] > 0, tops, bottoms)
        with np.errstate(divide="ignore"):
            logs = np.log(weights) + (_tilted_above(terms, tilts) - at)[:, :, None] * np.arange(terms[0].keep)
        logs += terms[0].added * at[:, :, None]
        own = slices(starts_of([len(part.tops) for part in parts]), len(tops))
        return np.array([added_logs(logs[:, cells].reshape(len(tilts), -1)) for cells in own])

    @staticmethod
    def damped(terms: Sequence[Kept], distances: Floats, roughly: bool = False) -> Floats:
        """The logarithm of the characteristic function at each |1 - z|, or more, by thresholds.

        Dice above one damp it by their variation, and few dice by how their thresholds change.
        """
        dice, keep = joined([stretches(term.die) for term in terms]), terms[0].keep
        points = evenly(dice, [term.range_of_thresholds for term in terms], FEW_POINTS)
        above, shown, below = dice.around(points)
        weights = threshold_weights(terms[0].dice, keep, above, shown, below) * points.faces[:, None]
        variation = (dice.variation_above()[points.stretch] + shown) / np.where(above > 0, above, 1.0)
        shares = np.minimum(1.0, variation / distances[:, None])
        if keep > FEW_DICE:
            total = np.zeros_like(shares)
            for number in range(keep - 1, -1, -1):
                total *= shares
                total += weights[:, number]
            total = np.add.reduceat(total, points.starts, axis=1)
        else:
            parts = np.flatnonzero(np.diff(points.stretch, prepend=-1))  # the first point of each stretch
            bounds, damping = terms[0]._in_step(dice, points, parts, distances), np.ones_like(shares)
            for number in range(keep):
                single = np.add.reduceat(damping * weights[:, number], parts, axis=1)
                bounds[:, :, number] = np.minimum(bounds[:, :, number], single)
                damping *= shares
            total = np.add.reduceat(bounds.sum(axis=2), np.searchsorted(parts, points.starts), axis=1)
        found: Floats = np.log(np.maximum(total, 1e-300)).T
        return found

    def _in_step(self, dice: Stretches, points: Points, parts: Steps, distances: Floats) -> Floats:
        """The most that thresholds add up to, by distance, stretch and dice above; inf where it is not known.

        A die above a threshold, times its chance, adds up to powers of z at the threshold and beyond the
        stretch, over 1 - z. So what thresholds add up to is sums of powers of z whose weights change slowly.
        """
        numbers, own = np.arange(self.keep), points.stretch[parts]
        _, shown, below = dice.around(points)
        slow = threshold_weights(self.dice, self.keep, np.ones(len(shown)), shown, below)
        last = np.append(parts[1:], len(slow)) - 1
        changes = np.abs(np.diff(slow, axis=0, append=0.0))
        changes[last] = slow[last] + slow[parts]
        steps = (2 * dice.chances + dice.variation_above())[own] / distances[:, None]
        turns_by = np.multiply.outer(2 * np.arcsin(distances / 2), self.added - numbers)
        known = (turns_by > 0) & (self.added * np.arcsin(distances / 2)[:, None] <= np.pi / 2)
        apart = np.where(known, 2 * np.sin(np.clip(turns_by, 0, np.pi) / 2), 0.0)[:, None, :]
        with np.errstate(divide="ignore"):
            found: Floats = steps[:, :, None] ** numbers * np.add.reduceat(changes, parts, axis=0) / apart
        return found

    @staticmethod
    def transforms(terms: Sequence[Kept], count: int, period: int) -> Sequence[Complex]:
        """The transforms at the first `count` frequencies of a period, in the way that is fastest.

        Few frequencies take few points of each stretch of equal faces, and those of all terms at once.
        """
        if count > FEW_HEARD:
            return [term._transform(count, period) for term in terms]
        dice, kept = joined([stretches(term.die) for term in terms]), terms[0]
        spans = [term._spans(np.arange(*term.range_of_thresholds), count, period) for term in terms]
        points, steps = points_of(spans, dice), np.arange(count)
        return list(thresholds_transform(dice, kept.dice, kept.keep, kept.added, points, steps, period))

    def _transform(self, count: int, period: int) -> Complex:
        low, end = self.range_of_thresholds
        singly = sum(self._cost(len(steps), spans) for steps, spans in self._blocks(count, period))
        width, together = self._width(self._loud(count, period), period)
        if singly < together:
            return self.by_thresholds(count, period)
        return self.by_cells(max(1, int((end - low) / width)), count, period)

    def _cost(self, count: int, spans: Spans) -> float:
        """Nanoseconds for thresholds at points of spans, which are found first if they are not all faces."""
        terms = count * (self.keep / 2 + 20) * TERM_COST + self.keep * WEIGHT_COST
        found = np.where(spans.numbers < spans.sizes, spans.numbers, 0)
        return float(spans.numbers.sum() * terms + POINT_COST * (found**3).sum())

    def _width(self, loud: Steps, period: int) -> tuple[float, float]:
        """Faces of a cell at which what is inside cells takes as long as what is above them, and how long."""
        faces, wanted = self.thresholds[1] + 1 - self.thresholds[0], self._few.wanted
        heard = min(7 * float(loud.mean()), 1.2 * float(loud.max()))  # few rows hear far more than most do
        row = ROW_COST * min(period, heard + 300)
        above = faces * row * float((wanted + 3).mean())
        inside = STEP_COST + faces * float((wanted**2 * (1 + wanted / 5)).mean())
        width = max(1.0, math.sqrt(above / inside))
        return width, above / width + inside * width + FIXED_COST

    def by_faces(self) -> Floats:
        """All faces are one cell (where any threshold will do): the chances of all sums."""
        inside = self._inside(np.arange(len(self.die.probs)), 1, self.keep)
        return inside[0, self.keep, self.added * (len(self.die.probs) - 1) :: -1]

    def by_thresholds(self, count: int, period: int) -> Complex:
        """Each threshold by itself, or as many points of a stretch of equal faces as tell all of it."""
        spectrum, die = np.zeros(count, dtype=np.complex128), stretches(self.die)
        for steps, spans in self._blocks(count, period):
            points = points_of([spans], die)
            spectrum[steps] = thresholds_transform(
                die, self.dice, self.keep, self.added, points, steps, period
            )[0]
        return spectrum

    def _blocks(self, count: int, period: int) -> list[tuple[Steps, Spans]]:
        """Frequencies, and the thresholds that matter at them: the higher frequencies are the more points."""
        loud, found, begin = self._loud(count, period), [], 0
        while begin < loud.max():
            end = min(int(loud.max()), max(FIRST_BLOCK, 2 * begin))
            spans = self._spans(np.flatnonzero(loud > begin) + self.thresholds[0], end, period)
            found.append((np.arange(begin, end), spans))
            begin = end
        return found

    def _spans(self, faces: Steps, count: int, period: int) -> Spans:
        """Each stretch from the first to the last of its faces given, as seen at the first frequencies."""
        die = stretches(self.die)
        first, end = np.searchsorted(faces, die.firsts), np.searchsorted(faces, die.lasts, side="right")
        some = np.flatnonzero((first < end) & (die.chances > 0))
        lows, sizes = faces[first[some]], faces[end[some] - 1] + 1 - faces[first[some]]
        return Spans(some, lows, sizes, enough(sizes, self.dice, self.added * 2 * np.pi * count / period))

    def by_cells(self, number: int, count: int, period: int) -> Complex:
        """The thresholds in so many cells: the dice above a cell beside those inside it."""
        cells = self.cells(number)
        wanted, heard = cells.wanted, self._heard(cells, count, period)
        above = self._beyond(cells, int(heard.max()), period)
        spectrum = np.zeros(count, dtype=np.complex128)
        for run in _runs(wanted):
            some = heard[run, : -int(wanted[run].max()) - 1 : -1].max(axis=0)
            at = slice(0, int(some[-1]))
            spectrum[at] += self._sums(cells.part(run), some, above[run, at], period)
        return spectrum.conj()

    @cached_property
    def _few(self) -> Cells:
        """The thresholds in few cells."""
        return self.cells(FEW_CELLS)

    @cached_property
    def bands(self) -> Cells:
        """The thresholds in cells so narrow that dice inside them hardly matter."""
        return self.cells(max(FEW_BANDS, WEIGHED // self.keep))

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
        return self.keep <= FEW_DICE and self.reach[1] - self.reach[0] < SHORT

    def _heard(self, cells: Cells, count: int, period: int) -> Steps:
        """How many frequencies matter, by cell and by the number of dice above it.

        As many as for any band of it, and any larger number: of these some may be in the cell.
        """
        if self._quick:
            return np.full(cells.weights.shape, count)
        first = np.searchsorted(self.bands.tops, cells.bottoms)
        return np.minimum(count, frequencies(np.maximum.reduceat(self._silent, first), period))

    def _loud(self, count: int, period: int) -> Steps:
        """How many frequencies matter, by threshold."""
        low, high = self.thresholds
        if self._quick:
            return np.full(high + 1 - low, count)
        band = np.searchsorted(self.bands.tops, np.arange(low, high + 1))
        return np.minimum(count, frequencies(self._silent[:, 0], period))[band]

    def _sums(self, cells: Cells, heard: Steps, above: Complex, period: int) -> Complex:
        """The inverse transform of the sums of cells; heard: how many frequencies matter, by dice inside."""
        wanted, tops = len(heard), cells.tops
        faces = (tops[:, None] + np.arange(1 - cells.width, 1)).ravel()
        inside = self._inside(faces, len(tops), wanted)[:, 1:]
        outside = number_above(self.dice, self.keep, self.above[tops], self.up_to[tops])
        inside *= outside[:, self.keep - np.arange(1, wanted + 1), None]
        total, before = np.zeros_like(above), 0
        for row, number in zip(_transformed(inside, heard, period), heard.tolist(), strict=True):
            total[:, :before] *= above[:, :before]
            total[:, :number] += row  # seen from above: inside a cell sums go down
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
        places = cells.tops[:, None] + np.arange(1, cells.width + 1)
        found = spectra(np.append(self.die.probs, np.zeros(cells.width))[places], number, period)
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
        steps = showing(share(shown, self.up_to[at] - shown), self.dice - self.keep, wanted)
        steps = steps.reshape(cells, -1, wanted + 1, wanted + 1)
        sums = np.zeros((cells, wanted + 1, 1))
        sums[:, 0] = 1.0  # below the cell there is no threshold, unless none is wanted
        for face in range(steps.shape[1]):
            sums = steps[:, face] @ lowered(sums, self.without)
        return sums


def _tilted_above(terms: Sequence[Kept], tilts: Floats) -> Floats:
    """The logarithm of E exp(tilt * face) of a die above each of few cells, shape (tilts, cells of all)."""
    dice, tops = [stretches(term.die) for term in terms], [term._few.tops for term in terms]
    every = joined(dice)
    own = [
        np.searchsorted(die.lasts, some) + start
        for die, some, start in zip(dice, tops, every.starts, strict=True)
    ]
    chances = np.concatenate([term.above[some] for term, some in zip(terms, tops, strict=True)])
    logs = every.tilted_beyond(np.concatenate(own), np.concatenate(tops), tilts)
    found: Floats = np.where(chances > 0, logs - np.log(np.where(chances > 0, chances, 1.0)), 0.0)
    return found


def _transformed(inside: Floats, heard: Steps, period: int) -> Iterator[Complex]:
    """The transforms of all cells, row by row. heard: ascends; short rows that hear as much go together."""
    cells, first = len(inside), 0
    while first < len(heard):
        number = int(heard[first])
        alike = int(np.searchsorted(heard, number, side="right"))
        last = min(alike, first + max(1, TOGETHER // (cells * number)))
        rows = inside[:, first:last]
        found = spectra(rows.reshape(-1, rows.shape[2]), number, period).reshape(cells, last - first, -1)
        yield from found.transpose(1, 0, 2)
        first = last


def _runs(wanted: Steps) -> list[slice]:
    """Cells one after the other whose numbers of dice inside have the same power of 2 above them."""
    sizes = np.ceil(np.log2(wanted))
    ends = [*(np.flatnonzero(np.diff(sizes)) + 1).tolist(), len(sizes)]
    return [slice(first, end) for first, end in zip([0, *ends], ends, strict=False)]
