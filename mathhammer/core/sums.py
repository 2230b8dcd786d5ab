"""Sums of a random number of dice, at the few frequencies that matter: exact to about 1e-16 a cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.pmf import Floats, Pmf

Complex = NDArray[np.complex128]
Steps = NDArray[np.int64]

SILENT = 1e-17  # frequencies from which on all that is left weighs less are not computed
NOISE = 4e-17  # smaller cells are what rounding leaves
FEW_TERMS = 32  # of a polynomial that is summed power by power
AT_ONCE = 2**18  # frequencies times dice that are computed at once


@dataclass(frozen=True)
class Kinds:
    """Kinds of dice: the total variation of each pmf, shape (kinds,), and their characteristic functions.

    at: from kinds, frequencies, shape (n,), and their period to values, shape (kinds, n); it goes through so
    many faces.
    """

    variation: Floats
    at: Callable[[Steps, Steps, int], Complex]
    faces: int


def several(dice: Sequence[Pmf]) -> Kinds:
    """Each of the dice is a kind."""
    first, last = min(die.offset for die in dice), max(die.last for die in dice)
    probs = np.zeros((len(dice), last - first + 1))
    for row, die in zip(probs, dice, strict=True):
        row[die.offset - first : die.last - first + 1] = die.probs

    @lru_cache(maxsize=1)
    def transformed(period: int) -> Complex:
        return _transformed(probs, period)

    def at(kinds: Steps, steps: Steps, period: int) -> Complex:
        found: Complex = transformed(period)[kinds[:, None], steps] * turns(np.array([first]), steps, period)
        return found

    return Kinds(_variation(probs), at, 1)


def _transformed(probs: Floats, period: int) -> Complex:
    """The characteristic functions of rows of chances at all frequencies of a period, shape (rows, n)."""
    rows, size = probs.shape
    folded = np.zeros((rows, -(-size // period), period))
    folded.reshape(rows, -1)[:, :size] = probs
    found: Complex = np.fft.rfft(folded.sum(axis=1))
    return found


def tails(die: Pmf, cells: Steps) -> Kinds:
    """For each cell of a die: by how much it is beyond that cell, given that it is."""
    beyond = np.append(np.cumsum(die.probs[::-1])[::-1], 0.0)[cells + 1]
    share = 1.0 / np.where(beyond > 0, beyond, 1.0)
    variation = np.append(np.cumsum(np.abs(np.diff(die.probs, append=0.0))[::-1])[::-1], 0.0)
    first = np.append(die.probs, 0.0)[cells + 1]

    @lru_cache(maxsize=1)
    def transformed(period: int) -> Complex:
        found: Complex = _transformed(die.probs[None, :], period)[0]
        return found

    def part(begin: int, end: int, steps: Steps, period: int) -> Complex:
        found: Complex = die.probs[begin:end] @ _turned(begin, end, steps, period)
        return found

    def at(kinds: Steps, steps: Steps, period: int) -> Complex:
        some = cells[kinds]
        begin, end, last = int(some.min()), int(some.max()) + 1, len(die.probs)
        faces = _turned(begin, end, steps, period)
        up_to = die.probs[begin:end, None] * faces
        np.cumsum(up_to, axis=0, out=up_to)
        if begin < last - end:
            whole = transformed(period)[steps] - part(0, begin, steps, period)
        else:
            whole = up_to[-1] + part(end, last, steps, period)
        found, faces = up_to[some - begin], faces[some - begin]
        np.subtract(whole, found, out=found)
        np.conj(faces, out=faces)
        faces *= share[kinds, None]
        found *= faces
        return found

    return Kinds(share * (variation[cells + 1] + first), at, int(cells.max()) + 1)


def turns(numbers: Steps, steps: Steps, period: int) -> Complex:
    """exp(-2i pi * number * step / period), shape (numbers, steps).

    Of the product only what is left of whole periods is taken: it is exact, as the angle would not be.
    """
    found: Complex = np.exp((-2j * np.pi / period) * (np.outer(numbers, steps) % period))
    return found


def _turned(first: int, end: int, steps: Steps, period: int) -> Complex:
    """The same for all numbers from `first` up to `end`; few are computed, the others are products."""
    few = max(1, min(32, end - first))
    low = turns(np.arange(few), steps, period)
    high = turns(np.arange(first, end, few), steps, period)
    found: Complex = (high[:, None, :] * low[None, :, :]).reshape(-1, len(steps))[: end - first]
    return found


def _variation(probs: Floats) -> Floats:
    found: Floats = np.abs(np.diff(probs, axis=1, prepend=0.0, append=0.0)).sum(axis=1)
    return found


def random_sums(
    weights: Floats,
    dice: Kinds,
    shifts: Steps,
    ends: tuple[int, int],
    beside: tuple[Pmf, Steps] | None = None,
) -> Floats:
    """The cells from `ends[0]` to `ends[1]` of a mixture of sums of dice.

    weights: shape (a, m): how much the sum of m dice of kind a, plus `shifts[a]`, counts for. One kind may do
    for all rows.
    beside: another die, and how many of it every sum of row a has beside. Sums outside `ends` weigh nothing.
    """
    size = ends[1] - ends[0] + 1
    period = period_of(size)
    other, more = (several([beside[0]]), beside[1]) if beside else (None, np.zeros(len(weights), np.int64))
    least, weights = _told(weights)
    heard = _audible(weights, least, dice, period, other, more)
    spectrum = np.zeros(period // 2 + 1, dtype=np.complex128)
    block = max(16, AT_ONCE // max(dice.faces, len(weights) * 2 * int(np.sqrt(weights.shape[1]) + 1)))
    for begin in range(0, int(heard.max()), block):
        rows = np.flatnonzero(heard > begin)
        steps = np.arange(begin, min(int(heard.max()), begin + block))
        values = dice.at(rows if len(dice.variation) > 1 else np.zeros(1, np.int64), steps, period)
        sums = _polynomials(weights[rows], values) * _power(values, least)
        sums *= _moved(shifts[rows] - ends[0], steps, period)
        if other:
            others = other.at(np.zeros(1, np.int64), steps, period)[0]
            sums *= _powers(others, int(more.max()))[more[rows]]
        spectrum[steps] = sums.sum(axis=0)
    cells = np.fft.irfft(spectrum, period)[:size]
    cells[cells < NOISE] = 0.0
    return cells


def period_of(size: int) -> int:
    """An even length of at least `size` that is quickly transformed."""
    whole = 1 << max(3, (size - 1).bit_length())
    return next(part for part in (whole * 5 // 8, whole * 3 // 4, whole) if part >= size)


def _moved(shifts: Steps, steps: Steps, period: int) -> Complex:
    """exp(-2i pi * shift * step / period), shape (shifts, steps), by how the shifts go up."""
    first = int(shifts.min())
    by = max(1, int(np.gcd.reduce(shifts - first)))
    numbers = (shifts - first) // by
    found: Complex = _turned(0, int(numbers.max()) + 1, by * steps, period)[numbers]
    found *= turns(np.array([first]), steps, period)
    return found


def _told(weights: Floats) -> tuple[int, Floats]:
    """The least number of dice that weighs something, and the weights from there to the largest."""
    told = np.flatnonzero(weights.sum(axis=0) > SILENT)
    if not len(told):
        return 0, weights[:, :1]
    return int(told[0]), weights[:, told[0] : told[-1] + 1]


def audible(weights: Floats, dice: Kinds, size: int) -> Steps:
    """How many frequencies of each row matter for so many sums; weights as in `random_sums`."""
    least, weights = _told(weights)
    return _audible(weights, least, dice, period_of(size))


def _audible(
    weights: Floats, least: int, dice: Kinds, period: int, other: Kinds | None = None, more: Steps | int = 0
) -> Steps:
    """How many of the lowest frequencies of each row matter.

    A die's characteristic function is at most its total variation over |1 - z|, which falls with the
    frequency: so all from the first silent one on are silent.
    """
    numbers, silence = least + np.arange(weights.shape[1]), SILENT / len(weights)
    beside = other.variation if other else np.ones(1)

    def silent(at: Steps) -> NDArray[np.bool_]:
        reach = 2 * np.sin(np.pi * at / period)
        bound, also = (np.log(np.clip(of / reach, 1e-300, 1.0)) for of in (dice.variation, beside))
        whole = bound[:, None] * numbers + (also * more)[:, None]
        return np.asarray((weights * np.exp(whole)).sum(axis=1) < silence)

    low, high = np.zeros(len(weights), np.int64), np.full(len(weights), period // 2 + 1)
    for _ in range(int(high[0]).bit_length()):
        middle = np.maximum(1, (low + high) // 2)
        quiet = silent(middle)
        low, high = np.where(quiet, low, middle), np.where(quiet, middle, high)
    return high


def _powers(at: Complex, most: int) -> Complex:
    """The powers from 0 to `most` of values, shape (most + 1, values)."""
    table = np.ones((most + 1, len(at)), dtype=np.complex128)
    table[1:] = at
    found: Complex = np.multiply.accumulate(table, axis=0)
    return found


def _power(at: Complex, number: int) -> Complex:
    """Powers by repeated squaring."""
    found, square = np.ones_like(at), at
    while number:
        if number & 1:
            found = found * square
        number >>= 1
        if number:
            square = square * square
    return found


def _horner(weights: Floats, at: Complex) -> Complex:
    """The same, power by power."""
    total = np.repeat(weights[:, -1:].astype(np.complex128), at.shape[1], axis=1)
    for number in range(weights.shape[1] - 2, -1, -1):
        total *= at
        total += weights[:, number, None]
    return total


def _polynomials(weights: Floats, at: Complex) -> Complex:
    """sum over m of weights[a, m] * at[a, j] ** m, by blocks of powers: shape (a, j)."""
    rows, terms = weights.shape
    if terms <= FEW_TERMS:
        return _horner(weights, at)
    width = max(1, int(np.sqrt(terms)))
    padded = np.zeros((rows, -(-terms // width) * width))
    padded[:, :terms] = weights
    powers: Complex = np.empty((rows, width + 1, at.shape[1]), dtype=np.complex128)
    powers[:, 0] = 1.0
    for number in range(width):
        powers[:, number + 1] = powers[:, number] * at
    blocks: Complex = padded.astype(np.complex128).reshape(rows, -1, width) @ powers[:, :width]
    total: Complex = blocks[:, -1]
    for number in range(blocks.shape[1] - 2, -1, -1):
        total = powers[:, width] * total + blocks[:, number]
    return total
