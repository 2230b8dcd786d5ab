"""Sums of dice of which only the highest, or the lowest, are kept.

A roll is read from its threshold, the lowest face that is kept: some dice are above it, and enough of the
others show it. Few faces are gone through one by one, from the lowest up. Of many faces the likely thresholds
are taken: one by one, by Fourier transform at the frequencies that matter; where too many of these do, in
cells, each of which is gone through face by face, and what is above it is added by Fourier transform.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mathhammer.core.pmf import Floats, Pmf
from mathhammer.core.sums import Complex, Mixture, Steps, period_of, tails, turns

FEW_SUMS = 50_000_000  # (faces * kept dice)**2 * kept dice: fewer are gone through face by face
CELL_COST = 400  # sums of cells that are gone through as fast as one threshold at one frequency
FAR = 39.0  # events rarer than exp(-FAR), 1e-17, are left out


def keep_worst(die: Pmf, dice: int, keep: int) -> Pmf:
    """The sum of the `keep` lowest of `dice` dice (1 <= keep <= dice)."""
    return keep_best(die.mirrored(), dice, keep).mirrored()


def keep_best(die: Pmf, dice: int, keep: int) -> Pmf:
    """The sum of the `keep` highest of `dice` dice (1 <= keep <= dice)."""
    if not 1 <= keep <= dice:
        raise ValueError(f"keep between 1 and {dice} dice, not {keep}")
    if keep == dice:
        return die.times(dice)
    if keep == 1:
        return die.best_of(dice)
    least, cells = Kept(die, dice, keep).sums()
    return Pmf(keep * die.offset + least, cells / cells.sum(), die.cut * dice)


def threshold_weights(dice: int, keep: int, above: Floats, shown: Floats, below: Floats) -> Floats:
    """P(a face is the lowest of `keep` dice kept, and m dice are above it), shape (faces, keep) by m.

    above, shown, below: the chances of one die, by face.
    """
    return _number_above(dice, keep, above, shown + below) * _enough(dice - keep, keep, _share(shown, below))


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
    def thresholds(self) -> Steps:
        """The faces that may be the threshold."""
        low, high = self.reach
        return np.arange(low[-1], (high[-1] if self.most is None else min(high[-1], self.most)) + 1)

    @cached_property
    def weights(self) -> Floats:
        """How likely each threshold is, by the number of dice above it."""
        at, probs = self.thresholds, self.die.probs
        return threshold_weights(self.dice, self.keep, self.above[at], probs[at], self.up_to[at] - probs[at])

    @cached_property
    def ends(self) -> tuple[int, int]:
        """Sums between which the sum is, by where each of the dice is and by Chernoff's bound."""
        low, high = (int(faces[: self.added].sum()) for faces in self.reach)
        for tilt in 2.0 ** np.arange(7) / len(self.die.probs):
            low, high = max(low, math.ceil(self._far(-tilt))), min(high, math.floor(self._far(tilt)))
        return low, high

    def _far(self, tilt: float) -> float:
        """The sum beyond which, in the direction of `tilt`, are only sums rarer than exp(-FAR)."""
        at, faces = self.thresholds, np.arange(len(self.die.probs))
        tilted = np.append(np.cumsum((self.die.probs * np.exp(tilt * faces))[::-1])[::-1], 0.0)[at + 1]
        mean = np.divide(tilted, self.above[at], out=np.ones(len(at)), where=self.above[at] > 0)
        with np.errstate(divide="ignore"):
            logs = np.log(self.weights) + (np.log(mean) - tilt * at)[:, None] * np.arange(self.keep)
        logs += (tilt * self.added * at)[:, None]
        most = logs.max()
        return float((most + math.log(np.exp(logs - most).sum()) + FAR) / tilt)

    def sums(self) -> tuple[int, Floats]:
        """The way that is fastest."""
        if self.most is None and len(self.die.probs) ** 2 * self.keep**3 <= FEW_SUMS:
            return self.by_faces()
        if not len(self.thresholds):
            return 0, np.zeros(1)
        width = 2 * math.isqrt(len(self.thresholds))
        if self.keep**3 * width * len(self.thresholds) > CELL_COST * int(self.heard.sum()):
            return self.by_thresholds()
        return self.by_cells(width)

    def by_faces(self) -> tuple[int, Floats]:
        """All faces are one cell (where any threshold will do)."""
        inside = self._inside(np.arange(len(self.die.probs)), 1)
        return 0, inside[0, self.keep, self.added * (len(self.die.probs) - 1) :: -1]

    @cached_property
    def mixture(self) -> Mixture:
        """Each threshold with the number of dice above it: a random sum."""
        return Mixture(self.weights, tails(self.die, self.thresholds), self.added * self.thresholds)

    @cached_property
    def heard(self) -> Steps:
        """How many frequencies matter, by threshold."""
        return self.mixture.heard(self.ends[1] - self.ends[0] + 1)

    def by_thresholds(self) -> tuple[int, Floats]:
        """Each threshold by itself."""
        return self.ends[0], self.mixture.cells(self.ends)

    def by_cells(self, width: int) -> tuple[int, Floats]:
        """The thresholds in cells of `width` faces: the dice above a cell beside those inside it."""
        cells = -(-len(self.thresholds) // width)
        faces = self.thresholds[-1] + 1 + np.arange(-cells * width, 0)
        tops = faces[width - 1 :: width]
        inside = self._inside(faces, cells)[:, 1:]
        inside *= _number_above(self.dice, self.keep, self.above[tops], self.up_to[tops])[:, ::-1, None]
        least, size = self.ends[0], self.ends[1] - self.ends[0] + 1
        period = period_of(max(size, inside.shape[2], len(self.die.probs) - int(tops[0])))
        steps = np.arange(min(period // 2 + 1, -(-int(self.heard.max()) * period // period_of(size))))
        above = self._beyond(tops, period)[:, : len(steps)]
        spectrum = np.zeros_like(above)
        for row in inside.transpose(1, 0, 2):  # seen from above: the sum inside a cell counts downward
            spectrum *= above
            likely = row.sum(axis=1) > math.exp(-FAR)
            spectrum[likely] += np.fft.rfft(row[likely], period)[:, : len(steps)]
        spectrum *= turns(least - self.added * tops, steps, period)
        return least, np.maximum(np.fft.irfft(spectrum.sum(axis=0).conj(), period)[:size], 0.0)

    def _beyond(self, tops: Steps, period: int) -> Complex:
        """Inverse transforms of by how much a die is above a face, given that it is: a row for each face."""
        chances = np.zeros((len(tops), period))
        for row, top in zip(chances, tops.tolist(), strict=True):
            more = self.die.probs[top + 1 :]
            row[1 : len(more) + 1] = more / (self.above[top] or 1.0)
        return np.fft.rfft(chances, period).conj()

    def _inside(self, faces: Steps, cells: int) -> Floats:
        """What the last dice kept add up to if the threshold is in a cell, shape (cells, keep + 1, sums).

        faces: all faces of the cells, as many for each; there may be some below the least. Row r: r more dice
        are to be kept, all others are above the cell. Sums: by how much the r dice are below its last face.
        """
        at = np.maximum(faces, 0)
        shown = np.where(faces < 0, 0.0, self.die.probs[at])
        steps = _showing(_share(shown, self.up_to[at] - shown), self.dice - self.keep, self.keep)
        steps = steps.reshape(cells, -1, self.keep + 1, self.keep + 1)
        sums = np.zeros((cells, self.keep + 1, 1))
        sums[:, 0] = 1.0  # below the cell there is no threshold, unless none is wanted
        for face in range(steps.shape[1]):
            sums = steps[:, face] @ _lowered(sums, self.without)
        return sums


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


def _likely(dice: int) -> Floats:
    """The least chances of a die at which 1, 2, ... all of the dice at least are not too rare."""
    share = np.arange(1, dice + 1) / dice
    low, high = np.zeros(dice), share.copy()
    for _ in range(50):
        middle = (low + high) / 2
        others = np.log((1 - share[:-1]) / (1 - middle[:-1])) * (1 - share[:-1])
        rare = dice * (share * np.log(share / middle) + np.append(others, 0.0)) > FAR
        low, high = np.where(rare, middle, low), np.where(rare, high, middle)
    return low
