"""Dice by stretches of equally likely faces: their sums have closed forms, or need few points of each."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.order import threshold_weights
from mathhammer.core.pmf import Floats, Pmf
from mathhammer.core.sums import Complex, Steps, polynomials, power, spectra, turns, weighing

Parts = TypeVar("Parts", Floats, Complex)

FEW_PARTS = 2**12  # stretches times frequencies at which closed forms are the faster ones
AT_ONCE = 2**13  # frequencies times points that are computed at once, in memory that is at hand
MOST_POINTS = 400  # of a stretch; to find more takes longer than to go through all its faces


class Stretches(NamedTuple):
    """The faces of a die, counted from the least: the first and the last of each stretch, and their chance.

    named: stretches whose faces may be thresholds. Beyond one are all higher faces, and any not named.
    """

    firsts: Steps
    lasts: Steps
    chances: Floats
    named: NDArray[np.bool_]

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
        """The characteristic function at the first frequencies of a period; few stretches in closed form."""
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
        most = whole.max(axis=1, keepdims=True)  # taken out, that nothing overflows
        found = self.beyond(np.exp(whole - most).T).T[:, stretch]
        found += np.exp(self._tilted(stretch, at + 1, self.lasts[stretch], tilts) - most)
        with np.errstate(divide="ignore"):
            logs: Floats = most + np.log(found)
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

    def beyond(self, parts: Parts) -> Parts:
        """What is beyond each stretch, of what each adds to something (along the first axis)."""
        found = np.zeros_like(parts)
        np.cumsum(parts[:0:-1], axis=0, out=found[-2::-1])
        if not self.named.all():
            others = parts.copy()
            others[self.named] = 0
            found[1:] += np.cumsum(others[:-1], axis=0)
        return found

    def before(self) -> Floats:
        """The chance of lower stretches that are named."""
        found = np.zeros(len(self.chances))
        np.cumsum((self.chances * self.sizes * self.named)[:-1], out=found[1:])
        return found


def added_logs(logs: Floats) -> Floats:
    """The logarithm of the sum of what has these logarithms (one is finite), along the last axis."""
    highest = logs.max(axis=-1)
    found: Floats = highest + np.log(np.exp(logs - highest[..., None]).sum(axis=-1))
    return found


@lru_cache(maxsize=256)
def stretches(die: Pmf) -> Stretches:
    """The stretches of a die, all of them named."""
    return stretches_of(die, np.ones(len(die.probs), np.bool_))


def stretches_of(die: Pmf, named: NDArray[np.bool_]) -> Stretches:
    """The stretches of a die; named: which of its faces are."""
    firsts = np.append(0, np.flatnonzero((np.diff(die.probs) != 0) | np.diff(named)) + 1)
    lasts = np.append(firsts[1:], len(die.probs)) - 1
    return Stretches(firsts, lasts, die.probs[firsts], named[firsts])


class Points(NamedTuple):
    """Where thresholds are looked at: the points, the stretch of each, and how many faces it stands for."""

    at: Floats
    stretch: Steps
    faces: Floats


class Spans(NamedTuple):
    """Faces of stretches: of which, from which on, how many, and at how many points they are looked at."""

    stretch: Steps
    lows: Steps
    sizes: Steps
    numbers: Steps

    def points(self) -> Points:
        """The points of all."""
        parts = [gauss(*size) for size in zip(self.sizes.tolist(), self.numbers.tolist(), strict=True)]
        return Points(
            np.concatenate([low + at for low, (at, _) in zip(self.lows, parts, strict=True)]),
            np.repeat(self.stretch, self.numbers),
            np.concatenate([faces for _, faces in parts]),
        )


@lru_cache(maxsize=256)
def gauss(size: int, number: int) -> tuple[Floats, Floats]:
    """So many points (an even number, or all) between 0 and `size` - 1, and how many numbers each stands for.

    They add polynomials of up to twice their number, less one, over 0, 1, ... `size` - 1 (Gauss quadrature).
    The points are symmetric, so that half of them are found, as roots of eigenvalues.
    """
    if number >= size:
        return np.arange(size, dtype=np.float64), np.ones(size)
    k = np.arange(1, number)
    beside = k * np.sqrt((size**2 - k**2) / (16.0 * k**2 - 4))  # of the Jacobi matrix of Gram's polynomials
    half = np.diag(beside[::2]) + np.diag(beside[1::2], -1)
    squares, vectors = np.linalg.eigh(half @ half.T)
    apart, faces = np.sqrt(squares), size * vectors[0] ** 2 / 2
    return (size - 1) / 2 + np.append(-apart[::-1], apart), np.append(faces[::-1], faces)


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
    """exp(i pi * at * step / period), shape (points, steps), by what is left of whole turns.

    The steps follow each other; a few turns are computed, the others are products.
    """
    few, whole = max(1, math.isqrt(len(steps))), np.floor(at)
    some = np.append(steps[::few], np.arange(few))
    left = np.multiply.outer(whole.astype(np.int64), some) % (2 * period)
    turned = np.exp((left + np.multiply.outer(at - whole, some)) * (1j * np.pi / period))
    far, near = turned[:, :-few], turned[:, -few:]
    found: Complex = (far[:, :, None] * near[:, None, :]).reshape(len(at), -1)[:, : len(steps)]
    return found


def thresholds_transform(
    die: Stretches, dice: int, keep: int, added: int, points: Points, steps: Steps, period: int
) -> Complex:
    """The characteristic function of rolls by their threshold, the lowest of `keep` dice kept.

    The dice beyond it are added up, and so many that show it that all are `added` (keep, or one less).
    steps: frequencies that follow each other.
    """
    own, at = points.stretch, points.at
    shown, over = die.chances[own], die.lasts[own] - at
    above = die.beyond(die.chances * die.sizes)[own] + shown * over
    below = die.before()[own] + shown * (at - die.firsts[own])
    least, weights = weighing(threshold_weights(dice, keep, above, shown, below) * points.faces[:, None])
    share = 1.0 / np.where(above > 0, above, 1.0)[:, None]
    found, at_once = np.zeros(len(steps), dtype=np.complex128), max(1, AT_ONCE // len(at))
    for begin in range(0, len(steps), at_once):
        some = steps[begin : begin + at_once]
        back = _half_turns(at, some, period)  # twice, that what is beyond counts from the threshold
        inside = _ones(over, some, period)
        inside *= shown[:, None] * share
        beyond = die.beyond(die.transforms(some, period))[own]
        beyond *= share
        beyond *= back
        beyond += turns(die.lasts + 1, some, 2 * period)[own] * inside
        beyond *= back
        sums = polynomials(weights, beyond)
        if least:
            sums *= power(beyond, least)
        sums *= power(np.conj(back, out=back), 2 * added)
        found[begin : begin + at_once] = sums.sum(axis=0)
    return found
