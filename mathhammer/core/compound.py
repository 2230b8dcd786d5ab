"""Sums of a random number of dice."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.pmf import Floats, Pmf
from mathhammer.core.stretches import Stretches, added_logs, stretches, tilted_by_blocks
from mathhammer.core.sums import (
    FAR,
    SILENT,
    Complex,
    period_of,
    polynomials,
    power,
    product,
    spectra,
    sums_from,
    turns,
    weighing,
)

# The chances of a number are right to rounding, which sounds at all frequencies at about 1e-15. What is less
# than exp(-NOISE), 1e-14, on the circle is left out, and inside what is at most exp(-HEARD) then.
NOISE, HEARD = 32.2, 31.0
SHORT = 2**14  # so few sums are not bounded any closer
FEW_STRETCHES = 8  # of equal chances
NEAR, NODES = 2.0, 20  # powers that turn up to +-NEAR are known by so many of them, to 1e-17
AT_ONCE = 2**20  # powers times frequencies that are computed at once


def compound(number: Pmf, die: Pmf) -> Pmf:
    """The sum of a random number (0 or more) of dice."""
    low, high = _ends(number, die)
    period = period_of(high - low + 1)
    at = _die_transform(die, period)
    heard = np.flatnonzero(_loud(number, at))
    spectrum = np.zeros(heard[-1] + 1, dtype=np.complex128)
    spectrum[heard] = _generating(number, at[heard])
    cells = sums_from(low, high - low + 1, spectrum, period)  # those beyond the ends are none
    return Pmf(low, cells / cells.sum(), number.cut + die.cut * number.last)


def _generating(number: Pmf, at: Complex) -> Complex:
    """The generating function of a number at points of the unit disc."""
    parts = stretches(number)
    if len(parts.firsts) <= FEW_STRETCHES:
        return _geometric(parts, at) * power(at, number.offset)
    least, counts = weighing(number.probs[None, :])
    turn = np.log(at[at != 0])
    width = int(min(counts.size, 2 * NEAR / max(1e-9, np.abs(turn).max()))) if len(turn) == len(at) else 1
    if width > 2 * NODES:
        found = _by_blocks(counts[0], width, at)
    else:
        at_once = max(1, AT_ONCE // (math.isqrt(counts.size) + 1))
        blocks = [at[None, begin : begin + at_once] for begin in range(0, len(at), at_once)]
        found = np.concatenate([polynomials(counts, some)[0] for some in blocks])
    return found * power(at, number.offset + least)


def _geometric(parts: Stretches, at: Complex) -> Complex:
    """The same of stretches of equal chances."""
    found, one = np.zeros(len(at), dtype=np.complex128), at == 1
    for first, last, chance in zip(parts.firsts, parts.lasts, parts.chances, strict=True):
        found += chance * (power(at, int(first)) - power(at, int(last) + 1))
    found /= np.where(one, 1, 1 - at)
    found[one] = 1
    return found


def _by_blocks(chances: Floats, width: int, at: Complex) -> Complex:
    """The same of many numbers near 1: powers within a block are interpolated between a few of them."""
    nodes = np.cos((np.arange(NODES) + 0.5) * np.pi / NODES)
    between, known = (
        np.asarray(np.polynomial.chebyshev.chebvander(points, NODES - 1), dtype=np.float64)
        for points in (2 * np.arange(width) / (width - 1) - 1, nodes)
    )
    known *= np.append(1.0, np.full(NODES - 1, 2.0)) / NODES
    padded = np.zeros(-(-len(chances) // width) * width)
    padded[: len(chances)] = chances
    gathered = product(product(padded.reshape(1, -1, width), between[None]), known.T[None])[0]
    total, block = np.zeros((NODES, len(at)), dtype=np.complex128), power(at, width)
    for row in gathered[::-1]:
        total *= block
        total += row[:, None]
    total *= np.exp(np.multiply.outer((nodes + 1) / 2 * (width - 1), np.log(at)))
    found: Complex = total.sum(axis=0)
    return found


def corners(number: Pmf, die: Pmf) -> tuple[int, int]:
    """The least and the largest sum of a random number of dice (0 or more)."""
    found = [count * face for count in (number.offset, number.last) for face in (die.offset, die.last)]
    return min(found), max(found)


def _ends(number: Pmf, die: Pmf) -> tuple[int, int]:
    """Between which the sum is: by what it may be, and by Chernoff's bound with numbers in blocks."""
    low, high = corners(number, die)
    if high - low < SHORT:
        return low, high
    likely = math.sqrt(2 * FAR / (number.mean * die.sd**2 + (number.sd * die.mean) ** 2))
    tilts = likely * np.array([-3.0, -1.0, -0.5, 0.5, 1.0, 3.0])
    each = added_logs(stretches(die).tilted(tilts)) + tilts * die.offset
    bounds = (tilted_by_blocks(number.probs, number.offset, each) + FAR) / np.abs(tilts)
    return max(low, math.ceil(-bounds[:3].min())), min(high, math.floor(bounds[3:].min()))


def _die_transform(die: Pmf, period: int) -> Complex:
    """The characteristic function of a die at all frequencies."""
    count, lifted = period // 2 + 1, max(0, die.offset)
    found: Complex = spectra(np.append(np.zeros(lifted), die.probs)[None, :], count, period)[0]
    if die.offset < 0:
        found *= turns(np.array([die.offset]), np.arange(count), period)[0]
    return found


def _loud(number: Pmf, at: Complex) -> NDArray[np.bool_]:
    """Whether the generating function of a number weighs anything at each point of the unit disc.

    What was folded into the end cells does until powers of it fall silent.
    """
    probs, size = number.probs.copy(), np.abs(at)
    loud, ends = np.zeros(len(at), dtype=np.bool_), ((0, 1, number.offset), (-1, -2, number.last))
    for cell, beside, value in ends if len(probs) > 2 else ():
        folded = max(0.0, float(probs[cell] - probs[beside]))
        probs[cell] -= folded
        loud |= _weighs(folded, size, value)
    least = number.offset + int(np.searchsorted(np.cumsum(probs), SILENT))
    some = np.flatnonzero(_weighs(1.0, size, least))
    loud[some] |= _weighs_inside(probs, least, at[some])
    return loud


def _weighs(chance: float, size: Floats, number: int) -> NDArray[np.bool_]:
    """Whether a chance times powers of sizes (0 to 1) weighs anything."""
    quiet = math.exp(-NOISE)
    if chance <= quiet or not number:
        return np.full(len(size), chance > quiet)
    found: NDArray[np.bool_] = size > (quiet / chance) ** (1 / number)
    return found


def _weighs_inside(chances: Floats, least: int, at: Complex) -> NDArray[np.bool_]:
    """The same of chances of numbers of which the least that is not too rare is this one.

    On the circle it is their transform, which is silent but for an arc about 1; as its logarithm is
    subharmonic, so it is inside, by the share of the circle that is not that arc as seen from the point, once
    the power is taken out that all have.
    """
    arc, size = _arc(chances), np.abs(at)
    apart = np.maximum(0.0, np.abs(np.angle(at)) - arc)
    with np.errstate(divide="ignore", invalid="ignore"):
        kernel = (1 - size**2) / ((1 - size) ** 2 + 4 * size * np.sin(apart / 2) ** 2)
        seen = np.where(apart > 0, np.minimum(1.0, kernel * arc / np.pi), 1.0)
        quiet = NOISE * (1 - seen) - (least * np.log(size) if least else 0.0)
    loud: NDArray[np.bool_] = ~(quiet > HEARD)
    return loud


def _arc(chances: Floats) -> float:
    """The angle from which on the transform of chances is silent."""
    period = period_of(2 * len(chances))  # so close that between two angles little more is heard
    sound = np.abs(np.fft.rfft(chances, period))
    return float(np.flatnonzero(sound > math.exp(-NOISE))[-1] + 1) * 2 * math.pi / period
