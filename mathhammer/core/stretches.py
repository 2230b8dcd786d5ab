"""Dice by stretches of equally likely faces: their sums have closed forms, or need few points of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.order import running, threshold_weights
from mathhammer.core.pmf import Floats, Pmf
from mathhammer.core.sums import Complex, Steps, polynomials, power, spectra, turns, weighing

Parts = TypeVar("Parts", Floats, Complex)

FEW_PARTS = 2**12  # stretches times frequencies at which closed forms are the faster ones
BLOCK = 16  # values that are bounded together
AT_ONCE = 2**14  # frequencies times points that are computed at once, in memory that is at hand
MOST_POINTS = 280  # of a stretch; to find more takes longer than to go through all its faces


class Stretches(NamedTuple):
    """The faces of dice, counted from the least: the first and the last of each stretch, and their chance.

    named: stretches whose faces may be thresholds. Beyond one are all higher faces, and any not named.
    starts: the first stretch of each die.
    """

    firsts: Steps
    lasts: Steps
    chances: Floats
    named: NDArray[np.bool_]
    starts: Steps

    @property
    def dice(self) -> list[slice]:
        """The stretches of each die."""
        return slices(self.starts, len(self.firsts))

    @property
    def sizes(self) -> Steps:
        """How many faces each has."""
        return self.lasts + 1 - self.firsts

    def transforms(self, steps: Steps, period: int) -> Complex:
        """What each adds to the characteristic function of the die, shape (stretches, steps)."""
        found = turns(self.firsts + self.lasts, steps, 2 * period)
        found *= _ones(self.sizes, steps, period)
        found *= self.chances[:, None]
        return found

    def free(self) -> Stretches:
        """With no chance of faces that are named."""
        return self._replace(chances=np.where(self.named, 0.0, self.chances))

    def transform(self, count: int, period: int) -> Complex:
        """The characteristic function of one die at the first frequencies; few stretches in closed form."""
        if len(self.firsts) * count <= FEW_PARTS:
            found: Complex = self.transforms(np.arange(count), period).sum(axis=0)
            return found
        transformed: Complex = spectra(np.repeat(self.chances, self.sizes)[None, :], count, period)[0]
        return transformed

    def tilted(self, tilts: Floats) -> Floats:
        """The logarithm of what each adds to E exp(tilt * face), shape (tilts, stretches)."""
        return self._tilted(np.arange(len(self.firsts)), self.firsts, self.lasts, tilts)

    def tilted_beyond(self, stretch: Steps, at: Steps, tilts: Floats) -> Floats:
        """The logarithm of E exp(tilt * face) of what is beyond faces, shape (tilts, faces).

        stretch: that of each face.
        """
        whole = self.tilted(tilts)
        numbers = np.diff(self.starts, append=len(self.firsts))
        most = np.repeat(np.maximum.reduceat(whole, self.starts, axis=1), numbers, axis=1)
        found = self.beyond(np.exp(whole - most).T).T[:, stretch]  # so that nothing overflows
        found += np.exp(self._tilted(stretch, at + 1, self.lasts[stretch], tilts) - most[:, stretch])
        with np.errstate(divide="ignore"):
            logs: Floats = most[:, stretch] + np.log(found)
        return logs

    def _tilted(self, stretch: Steps, firsts: Steps, lasts: Steps, tilts: Floats) -> Floats:
        """The logarithm of E exp(tilt * face) of parts of stretches, from their first to their last faces."""
        steep, sizes, chances = (
            np.maximum(np.abs(tilts), 1e-12)[:, None],
            lasts + 1 - firsts,
            self.chances[stretch],
        )
        logs = tilts[:, None] * np.where(tilts[:, None] > 0, lasts, firsts)
        with np.errstate(divide="ignore"):  # of none of the faces it is -inf
            if sizes.max() > 1:
                logs += np.log(chances * np.expm1(-steep * sizes) / np.expm1(-steep))
            else:
                logs += np.log(chances * sizes)
        return logs

    def around(self, points: Points) -> tuple[Floats, Floats, Floats]:
        """The chances of what is beyond points, of the face that each stands for, and of lower ones named."""
        own, at = points.stretch, points.at
        shown = self.chances[own]
        above = self.beyond(self.chances * self.sizes)[own] + shown * (self.lasts[own] - at)
        return above, shown, self.before()[own] + shown * (at - self.firsts[own])

    def variation_above(self) -> Floats:
        """The total variation of a die from each stretch up, but for the step to the stretch."""
        steps = np.abs(np.diff(self.chances, append=0.0))
        ends = np.append(self.starts[1:], len(steps)) - 1
        steps[ends] = self.chances[ends]
        found: Floats = steps + self._after(steps)
        return found

    def up_to(self) -> Floats:
        """The chance of one die to show each face or a lower one."""
        return _up_to(self.chances, self.sizes)

    def at_least(self) -> Floats:
        """The chance of one die to show each face or a higher one."""
        return _up_to(self.chances[::-1], self.sizes[::-1])[::-1]

    def beyond(self, parts: Parts) -> Parts:
        """What is beyond each stretch, of what each adds to something (along the first axis)."""
        found = self._after(parts)
        return found if self.named.all() else found + self._before(parts, ~self.named)

    def before(self) -> Floats:
        """The chance of lower stretches that are named."""
        return self._before(self.chances * self.sizes, self.named)

    def _after(self, parts: Parts) -> Parts:
        """What the higher stretches add up to."""
        found = np.zeros_like(parts)
        for die in self.dice:
            np.cumsum(parts[die][:0:-1], axis=0, out=found[die][-2::-1])
        return found

    def _before(self, parts: Parts, some: NDArray[np.bool_]) -> Parts:
        """What some of the lower stretches add up to."""
        counted, found = parts.copy(), np.zeros_like(parts)
        counted[~some] = 0
        for die in self.dice:
            np.cumsum(counted[die][:-1], axis=0, out=found[die][1:])
        return found


def _up_to(chances: Floats, sizes: Steps) -> Floats:
    """Chances of faces added up, by stretches."""
    before = np.append(0.0, running(chances * sizes)[:-1])
    numbers = np.arange(1, sizes.sum() + 1) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    found: Floats = np.repeat(before, sizes) + np.repeat(chances, sizes) * numbers
    return found


def slices(starts: Steps, size: int) -> list[slice]:
    """From each start to the next, the last one to the end."""
    return [slice(*ends) for ends in zip(starts.tolist(), [*starts[1:].tolist(), size], strict=True)]


def added_logs(logs: Floats) -> Floats:
    """The logarithm of the sum of what has these logarithms (one is finite), along the last axis."""
    highest = logs.max(axis=-1)
    found: Floats = highest + np.log(np.exp(logs - highest[..., None]).sum(axis=-1))
    return found


def tilted_by_blocks(chances: Floats, first: int, tilts: Floats) -> Floats:
    """The logarithm of E exp(tilt * value) of values from the first on, or more, by tilt.

    Those of a block all count as the end of it that weighs more.
    """
    starts = np.arange(0, len(chances), BLOCK)
    ends = first + np.minimum(starts + BLOCK, len(chances)) - 1
    with np.errstate(divide="ignore"):
        logs = np.log(np.add.reduceat(chances, starts))
    return added_logs(
        logs + np.maximum(np.multiply.outer(tilts, first + starts), np.multiply.outer(tilts, ends))
    )


@lru_cache(maxsize=256)
def stretches(die: Pmf) -> Stretches:
    """The stretches of a die, all of them named."""
    return stretches_of(die, np.ones(len(die.probs), np.bool_))


def stretches_of(die: Pmf, named: NDArray[np.bool_]) -> Stretches:
    """The stretches of a die; named: which of its faces are."""
    firsts = np.append(0, np.flatnonzero((np.diff(die.probs) != 0) | np.diff(named)) + 1)
    lasts = np.append(firsts[1:], len(die.probs)) - 1
    return Stretches(firsts, lasts, die.probs[firsts], named[firsts], np.zeros(1, dtype=np.int64))


def joined(dice: Sequence[Stretches]) -> Stretches:
    """The stretches of all dice; each of these is one die."""
    if len(dice) == 1:
        return dice[0]
    firsts, lasts, chances, named = (np.concatenate(parts) for parts in list(zip(*dice, strict=True))[:4])
    return Stretches(firsts, lasts, chances, named, starts_of([len(die.firsts) for die in dice]))


def starts_of(sizes: Sequence[int]) -> Steps:
    """Where each of parts of such sizes starts, one after the other."""
    found: Steps = np.cumsum(sizes, dtype=np.int64) - np.array(sizes, dtype=np.int64)
    return found


class Points(NamedTuple):
    """Where thresholds are looked at: the points, the stretch of each, and how many faces it stands for.

    starts: the first point of each die.
    """

    at: Floats
    stretch: Steps
    faces: Floats
    starts: Steps


class Spans(NamedTuple):
    """Faces of stretches: of which, from which on, how many, and at how many points they are looked at."""

    stretch: Steps
    lows: Steps
    sizes: Steps
    numbers: Steps


def points_of(spans: Sequence[Spans], dice: Stretches) -> Points:
    """The points of all spans, those of each die one after the other."""
    numbers = np.concatenate([some.numbers for some in spans])
    lows = np.concatenate([some.lows for some in spans])
    stretch = np.concatenate([some.stretch + start for some, start in zip(spans, dice.starts, strict=True)])
    at, faces = gauss(np.concatenate([some.sizes for some in spans]), numbers)
    starts = starts_of([int(some.numbers.sum()) for some in spans])
    return Points(np.repeat(lows, numbers) + at, np.repeat(stretch, numbers), faces, starts)


def evenly(dice: Stretches, ranges: Sequence[tuple[int, int]], most: int) -> Points:
    """Points of each die from a face on up to another: at most so many of a stretch, and all alike there."""
    numbers = np.diff(dice.starts, append=len(dice.firsts))
    low, end = (np.repeat(ends, numbers) for ends in zip(*ranges, strict=True))
    lows, ends = np.maximum(dice.firsts, low), np.minimum(dice.lasts + 1, end)
    some = np.flatnonzero((lows < ends) & (dice.chances > 0))
    sizes = (ends - lows)[some]
    numbers = np.minimum(sizes, most)
    each, first = np.repeat(sizes / numbers, numbers), starts_of(numbers.tolist())
    place = np.arange(numbers.sum()) - np.repeat(first, numbers)
    at = np.repeat(lows[some], numbers) + (place + 0.5) * each - 0.5
    return Points(at, np.repeat(some, numbers), each, first[np.searchsorted(some, dice.starts)])


def gauss(sizes: Steps, numbers: Steps) -> tuple[Floats, Floats]:
    """So many points (an even number, or all) between 0 and each size - 1, and what each stands for.

    They add polynomials of up to twice their number, less one, over 0, 1, ... size - 1 (Gauss quadrature).
    """
    pairs = list(zip(sizes.tolist(), numbers.tolist(), strict=True))
    found: dict[tuple[int, int], tuple[Floats, Floats]] = {}
    for number in set(numbers.tolist()):
        wide = sorted({size for size, some in pairs if some == number and size > number})
        if wide:
            at, faces = _gauss(np.array(wide), number)
            found.update({(size, number): (at[i], faces[i]) for i, size in enumerate(wide)})
        if (number, number) in pairs:
            found[number, number] = np.arange(number, dtype=np.float64), np.ones(number)
    parts = [found[pair] for pair in pairs]
    return np.concatenate([at for at, _ in parts]), np.concatenate([faces for _, faces in parts])


def _gauss(sizes: Steps, number: int) -> tuple[Floats, Floats]:
    """The same of sizes that are larger than an even number of points, shape (sizes, points).

    The points are symmetric, so that half of them are found, as roots of eigenvalues.
    """
    k = np.arange(1, number)
    squares = sizes[:, None] ** 2
    beside = k * np.sqrt((squares - k**2) / (16.0 * k**2 - 4))  # of the Jacobi matrix of Gram's polynomials
    half = np.zeros((len(sizes), number // 2, number // 2))
    row = np.arange(number // 2)
    half[:, row, row], half[:, row[1:], row[:-1]] = beside[:, ::2], beside[:, 1::2]
    values, vectors = np.linalg.eigh(half @ half.transpose(0, 2, 1))
    apart, faces = np.sqrt(values), sizes[:, None] * vectors[:, 0] ** 2 / 2
    at = (sizes[:, None] - 1) / 2 + np.concatenate([-apart[:, ::-1], apart], axis=1)
    return at, np.concatenate([faces[:, ::-1], faces], axis=1)


def enough(sizes: Steps, degree: int, turning: float) -> Steps:
    """How many points of stretches do for polynomials of a degree times waves, `turning` a face (radians)."""
    waves = turning * sizes / 2
    needed = (degree + waves + 12 * np.cbrt(waves)) // 4 * 2 + 4  # Bessel functions fall below 1e-17 there
    few = (needed <= MOST_POINTS) & (needed < 0.7 * sizes)
    return np.where(few, needed.astype(np.int64), sizes)


def _ones(lengths: Steps | Floats, steps: Steps, period: int) -> Floats:
    """Transforms of so many ones about their middle, shape (lengths, steps); so many need not be whole."""
    half = np.pi / period * steps
    found: Floats = np.multiply.outer(lengths, half)
    np.sin(found, out=found)
    found *= np.divide(1.0, np.sin(half), out=np.zeros(len(steps)), where=steps > 0)
    found[:, steps == 0] = lengths[:, None]
    return found


def _half_turns(at: Floats, steps: Steps, period: int) -> Complex:
    """exp(i pi * at * step / period), shape (points, steps), by what is left of whole turns."""
    whole = np.floor(at)
    left = np.multiply.outer(whole.astype(np.int64), steps) % (2 * period)
    angles = (left + np.multiply.outer(at - whole, steps)) * (np.pi / period)
    found = np.empty(angles.shape, dtype=np.complex128)
    np.cos(angles, out=found.real)
    np.sin(angles, out=found.imag)
    return found


def _first_half_turns(at: Floats, count: int, period: int) -> Complex:
    """The same of the first steps; a few turns are computed, the others are products."""
    few = math.isqrt(count - 1) + 1
    near = _half_turns(at, np.arange(few), period)
    far = _half_turns(at, np.arange(0, count, few), period)
    found: Complex = (far[:, :, None] * near[:, None, :]).reshape(len(at), -1)[:, :count]
    return found


def thresholds_transform(
    die: Stretches, dice: int, keep: int, added: int, points: Points, steps: Steps, period: int
) -> Complex:
    """The characteristic functions of rolls by their threshold, the lowest of `keep` dice kept, by die.

    The dice beyond it are added up, and so many that show it that all are `added` (keep, or one less).
    steps: frequencies that follow each other.
    """
    own, at = points.stretch, points.at
    over, (above, shown, below) = die.lasts[own] - at, die.around(points)
    least, weights = weighing(threshold_weights(dice, keep, above, shown, below) * points.faces[:, None])
    share = 1.0 / np.where(above > 0, above, 1.0)[:, None]
    found = np.zeros((len(points.starts), len(steps)), dtype=np.complex128)
    at_once = min(len(steps), max(1, AT_ONCE // len(at)))
    first = _first_half_turns(at, at_once, period)
    for begin in range(0, len(steps), at_once):
        some = steps[begin : begin + at_once]
        back = _half_turns(at, some[:1], period) * first[:, : len(some)]
        inside = _ones(over, some, period)
        inside *= shown[:, None] * share
        beyond = die.beyond(die.transforms(some, period))[own]
        beyond *= share
        beyond *= back  # twice, that what is beyond counts from the threshold
        beyond += turns(die.lasts + 1, some, 2 * period)[own] * inside
        beyond *= back
        sums = polynomials(weights, beyond)
        if least:
            sums *= power(beyond, least)
        sums *= power(np.conj(back, out=back), 2 * added)
        found[:, begin : begin + at_once] = np.add.reduceat(sums, points.starts, axis=0)
    return found
