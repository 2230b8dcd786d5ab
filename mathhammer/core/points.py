"""Few points that stand for stretches of equal faces, and sums of dice by thresholds there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mathhammer.core.pmf import Floats
from mathhammer.core.stretches import Stretches, ones, starts_of
from mathhammer.core.sums import Complex, Steps, polynomials, power, turns, weighing

AT_ONCE = 2**14  # frequencies times points that are computed at once, in memory that is at hand
MOST_POINTS = 280  # of a stretch; to find more takes longer than to go through all its faces


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
    dice: Stretches, weights: Floats, added: Sequence[int], points: Points, steps: Steps, period: int
) -> Complex:
    """The characteristic functions of rolls by their threshold, the lowest of the dice kept, by die.

    weights: of each point, by how many dice are beyond it. These are added up, and so many that show the
    threshold that all are as many as `added` says of each die. steps: frequencies that follow each other.
    """
    own, at = points.stretch, points.at
    over, (above, shown, _) = dice.lasts[own] - at, dice.around(own, at)
    least, weights = weighing(weights * points.faces[:, None])
    share = 1.0 / np.where(above > 0, above, 1.0)[:, None]
    numbers = np.repeat(added, np.diff(points.starts, append=len(at)))
    found = np.zeros((len(points.starts), len(steps)), dtype=np.complex128)
    at_once = min(len(steps), max(1, AT_ONCE // len(at)))
    first = _first_half_turns(at, at_once, period)
    for begin in range(0, len(steps), at_once):
        some = steps[begin : begin + at_once]
        back = _half_turns(at, some[:1], period) * first[:, : len(some)]
        inside = ones(over, some, period)
        inside *= shown[:, None] * share
        beyond = dice.beyond(dice.transforms(some, period))[own]
        beyond *= share
        beyond *= back  # twice, that what is beyond counts from the threshold
        beyond += turns(dice.lasts + 1, some, 2 * period)[own] * inside
        beyond *= back
        sums = polynomials(weights, beyond)
        if least:
            sums *= power(beyond, least)
        sums *= _powers(np.conj(back, out=back), 2 * numbers)
        found[:, begin : begin + at_once] = np.add.reduceat(sums, points.starts, axis=0)
    return found


def _powers(at: Complex, numbers: Steps) -> Complex:
    """Powers of rows, each its own."""
    if (numbers == numbers[0]).all():
        return power(at, int(numbers[0]))
    found = np.empty_like(at)
    for number in np.unique(numbers).tolist():
        found[numbers == number] = power(at[numbers == number], number)
    return found
