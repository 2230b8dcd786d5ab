"""Sums of dice of which only the highest, or the lowest, are kept.

A roll is read from its threshold, the lowest face that is kept: some dice are above it, and enough of the
others show it. Few faces are gone through one by one, from the lowest up. Of many faces the likely thresholds
are taken: one by one, by Fourier transform at the frequencies that matter; where too many of these do, in
cells, each of which is gone through face by face, and what is above it is added by Fourier transform.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from mathhammer.core.added import Dice, Summand, minus
from mathhammer.core.cells import by_cells, by_faces
from mathhammer.core.order import threshold_weights
from mathhammer.core.pmf import Floats, Pmf
from mathhammer.core.points import Points, Spans, enough, evenly, points_of, thresholds_transform
from mathhammer.core.stretches import Stretches, added_logs, joined, slices, starts_of, stretches
from mathhammer.core.sums import Complex, Steps
from mathhammer.core.thresholds import FEW_DICE, Thresholds

FEW_FACES = 300  # of so few, and of so few (faces * kept dice)**2 * kept dice, each is gone through
FEW_SUMS = 20_000_000
FEW_POINTS = 16  # of a stretch, by which frequencies of sums are bounded
# Nanoseconds, measured: of going on to the next face of all cells, of a frequency of a row of a cell, of one
# power at a frequency of a threshold, of one weight of a threshold, of cells as such, and, for each point of
# a stretch that stands for others, times their number squared.
STEP_COST, ROW_COST, TERM_COST, WEIGHT_COST, FIXED_COST, POINT_COST = 20_000, 9, 4, 40, 2_000_000, 0.1
FEW_HEARD = 256  # frequencies that are all taken, at few points
FIRST_BLOCK = 64  # frequencies that take the same points; of higher ones twice as many do


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


@dataclass(frozen=True)
class Kept(Thresholds):
    """The sum of the `keep` highest of `dice` dice, counted from the least."""

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

    @property
    def kind(self) -> Hashable:
        """All few dice; of more, as many of which as many are kept."""
        return Kept if self.keep <= FEW_DICE else (Kept, self.dice, self.keep, self.without)

    @staticmethod
    def tilted(terms: Sequence[Kept], tilts: Floats) -> Floats:
        """The logarithm of E exp(tilt * sum), or more: as if dice inside a cell were at its end."""
        parts = [term.few for term in terms]
        tops, bottoms = (np.concatenate([part[i] for part in parts]) for i in (2, 1))
        own = slices(starts_of([len(part.tops) for part in parts]), len(tops))
        weights = np.zeros((len(tops), max(term.keep for term in terms)))
        for term, cells in zip(terms, own, strict=True):
            weights[cells, : term.keep] = term.few.weights
        at = tilts[:, None] * np.where(tilts[:, None] > 0, tops, bottoms)
        with np.errstate(divide="ignore"):
            logs = np.log(weights)
        logs = logs + (_tilted_above(terms, tilts) - at)[:, :, None] * np.arange(weights.shape[1])
        added = np.repeat([term.added for term in terms], [len(part.tops) for part in parts])
        logs += (added * at)[:, :, None]
        return np.array([added_logs(logs[:, cells].reshape(len(tilts), -1)) for cells in own])

    @staticmethod
    def damped(terms: Sequence[Kept], distances: Floats, roughly: bool = False) -> Floats:
        """The logarithm of the characteristic function at each |1 - z|, or more, by thresholds.

        Dice above one damp it by their variation, and few dice by how their thresholds change.
        """
        dice = joined([stretches(term.die) for term in terms])
        points = evenly(dice, [term.range_of_thresholds for term in terms], FEW_POINTS)
        above, shown, below = dice.around(points.stretch, points.at)
        weights = _weights(terms, points.starts, above, shown, below) * points.faces[:, None]
        variation = (dice.variation_above()[points.stretch] + shown) / np.where(above > 0, above, 1.0)
        shares = np.minimum(1.0, variation / distances[:, None])
        if weights.shape[1] > FEW_DICE:
            total = np.zeros_like(shares)
            for number in range(weights.shape[1] - 1, -1, -1):
                total *= shares
                total += weights[:, number]
            total = np.add.reduceat(total, points.starts, axis=1)
        else:
            parts = np.flatnonzero(np.diff(points.stretch, prepend=-1))  # the first point of each stretch
            slow = _weights(terms, points.starts, np.ones(len(shown)), shown, below)
            bounds, damping = _in_step(terms, dice, points, parts, slow, distances), np.ones_like(shares)
            for number in range(weights.shape[1]):
                single = np.add.reduceat(damping * weights[:, number], parts, axis=1)
                bounds[:, :, number] = np.minimum(bounds[:, :, number], single)
                damping *= shares
            total = np.add.reduceat(bounds.sum(axis=2), np.searchsorted(parts, points.starts), axis=1)
        found: Floats = np.log(np.maximum(total, 1e-300)).T
        return found

    @staticmethod
    def transforms(terms: Sequence[Kept], count: int, period: int) -> Sequence[Complex]:
        """The transforms at the first `count` frequencies of a period, in the way that is fastest.

        Few frequencies take few points of each stretch of equal faces, and those of all terms at once.
        """
        if count > FEW_HEARD:
            return [term._transform(count, period) for term in terms]
        spans = [term._spans(np.arange(*term.range_of_thresholds), count, period) for term in terms]
        return list(_at_points(terms, spans, np.arange(count), period))

    def _transform(self, count: int, period: int) -> Complex:
        low, end = self.range_of_thresholds
        singly = sum(self._cost(len(steps), spans) for steps, spans in self._blocks(count, period))
        width, together = self._width(self.loud(count, period), period)
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
        faces, wanted = self.thresholds[1] + 1 - self.thresholds[0], self.few.wanted
        heard = min(7 * float(loud.mean()), 1.2 * float(loud.max()))  # few rows hear far more than most do
        row = ROW_COST * min(period, heard + 300)
        above = faces * row * float((wanted + 3).mean())
        inside = STEP_COST + faces * float((wanted**2 * (1 + wanted / 5)).mean())
        width = max(1.0, math.sqrt(above / inside))
        return width, above / width + inside * width + FIXED_COST

    def by_faces(self) -> Floats:
        """All faces are one cell (where any threshold will do): the chances of all sums."""
        return by_faces(self)

    def by_thresholds(self, count: int, period: int) -> Complex:
        """Each threshold by itself, or as many points of a stretch of equal faces as tell all of it."""
        spectrum = np.zeros(count, dtype=np.complex128)
        for steps, spans in self._blocks(count, period):
            spectrum[steps] = _at_points([self], [spans], steps, period)[0]
        return spectrum

    def _blocks(self, count: int, period: int) -> list[tuple[Steps, Spans]]:
        """Frequencies, and the thresholds that matter at them: the higher frequencies are the more points."""
        loud, found, begin = self.loud(count, period), [], 0
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
        return by_cells(self, number, count, period)


def _at_points(terms: Sequence[Kept], spans: Sequence[Spans], steps: Steps, period: int) -> Complex:
    """The transforms of terms, by points of these spans of each."""
    dice = joined([stretches(term.die) for term in terms])
    points = points_of(spans, dice)
    weights = _weights(terms, points.starts, *dice.around(points.stretch, points.at))
    return thresholds_transform(dice, weights, [term.added for term in terms], points, steps, period)


def _weights(terms: Sequence[Kept], starts: Steps, above: Floats, shown: Floats, below: Floats) -> Floats:
    """How likely thresholds are at points, by dice above, shape (points, most kept); starts: of each term.

    above, shown, below: the chances of one die.
    """
    own = np.repeat(np.arange(len(terms)), np.diff(starts, append=len(shown)))
    kinds = np.array([[term.dice, term.keep] for term in terms])
    found = np.zeros((len(shown), int(kinds[:, 1].max())))
    for dice, keep in np.unique(kinds, axis=0).tolist():
        some = np.flatnonzero((kinds == (dice, keep)).all(axis=1)[own])
        found[some, :keep] = threshold_weights(dice, keep, above[some], shown[some], below[some])
    return found


def _in_step(
    terms: Sequence[Kept], dice: Stretches, points: Points, parts: Steps, slow: Floats, distances: Floats
) -> Floats:
    """The most that thresholds add up to, by distance, stretch and dice above; inf where it is not known.

    A die above a threshold, times its chance, adds up to powers of z at the threshold and beyond the
    stretch, over 1 - z. So what thresholds add up to is sums of powers of z whose weights change slowly.
    slow: those weights at points. parts: the first point of each stretch.
    """
    numbers, own = np.arange(slow.shape[1]), points.stretch[parts]
    last = np.append(parts[1:], len(slow)) - 1
    changes = np.abs(np.diff(slow, axis=0, append=0.0))
    changes[last] = slow[last] + slow[parts]
    steps = (2 * dice.chances + dice.variation_above())[own] / distances[:, None]
    added = np.array([term.added for term in terms])[np.searchsorted(points.starts, parts, side="right") - 1]
    half = np.arcsin(distances / 2)[:, None, None]
    least = half * (added[:, None] - numbers)  # half the angle of the power of z that is nearest to 1
    known = (least > 0) & (added[:, None] * half <= np.pi / 2)
    apart = np.where(known, 2 * np.sin(np.clip(least, 0, np.pi / 2)), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = steps[:, :, None] ** numbers * np.add.reduceat(changes, parts, axis=0) / apart
    return np.where(known, found, np.inf)


def _tilted_above(terms: Sequence[Kept], tilts: Floats) -> Floats:
    """The logarithm of E exp(tilt * face) of a die above each of few cells, shape (tilts, cells of all)."""
    dice, tops = [stretches(term.die) for term in terms], [term.few.tops for term in terms]
    every = joined(dice)
    own = [
        np.searchsorted(die.lasts, some) + start
        for die, some, start in zip(dice, tops, every.starts, strict=True)
    ]
    chances = np.concatenate([term.above[some] for term, some in zip(terms, tops, strict=True)])
    logs = np.maximum(every.tilted_beyond(np.concatenate(own), np.concatenate(tops), tilts), -1e300)
    found: Floats = np.where(chances > 0, logs - np.log(np.where(chances > 0, chances, 1.0)), 0.0)
    return found
