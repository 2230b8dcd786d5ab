"""Sums of a random number of dice, at the few frequencies that matter: exact to about 1e-16 a cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.pmf import Floats, Pmf

Complex = NDArray[np.complex128]
Steps = NDArray[np.int64]

SILENT = 1e-17  # frequencies from which on all that is left weighs less are not computed
NOISE = 4e-17  # smaller cells are what rounding leaves
FEW_TERMS = 32  # of a polynomial that is summed power by power
ONLY = np.zeros(1, dtype=np.int64)  # the one kind there is
AT_ONCE = 2**16  # frequencies times dice that are computed at once


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


@dataclass(frozen=True)
class Mixture:
    """Sums of random numbers of dice.

    weights: shape (a, m): how much the sum of m dice of kind a, plus `shifts[a]`, counts for. One kind may do
    for all rows. other: a die of which `more[a]` are added to row a.
    """

    weights: Floats
    dice: Kinds
    shifts: Steps
    other: Kinds | None = None
    more: Steps | None = None

    @cached_property
    def _told(self) -> tuple[int, Floats]:
        """The least number of dice that weighs something, and the weights from there to the largest."""
        told = np.flatnonzero(self.weights.sum(axis=0) > SILENT)
        if not len(told):
            return 0, self.weights[:, :1]
        return int(told[0]), self.weights[:, told[0] : told[-1] + 1]

    def cells(self, ends: tuple[int, int]) -> Floats:
        """How much the sums from `ends[0]` to `ends[1]` count for; those outside must weigh nothing."""
        size = ends[1] - ends[0] + 1
        heard, period, (rows, numbers) = self.heard(size), period_of(size), self._told[1].shape
        spectrum, last = np.zeros(period // 2 + 1, dtype=np.complex128), int(heard.max())
        block = max(16, AT_ONCE // max(self.dice.faces, rows * 2 * int(np.sqrt(numbers) + 1)))
        for begin in range(0, last, block):
            steps = np.arange(begin, min(last, begin + block))
            spectrum[steps] = self._transform(np.flatnonzero(heard > begin), ends[0], steps, period)
        cells = np.fft.irfft(spectrum, period)[:size]
        cells[cells < NOISE] = 0.0
        return cells

    def _transform(self, rows: Steps, first: int, steps: Steps, period: int) -> Complex:
        """The transform at some frequencies, of these rows alone; sums count from `first`."""
        least, weights = self._told
        values = self.dice.at(rows if len(self.dice.variation) > 1 else ONLY, steps, period)
        sums = _polynomials(weights[rows], values) * _power(values, least)
        sums *= _moved(self.shifts[rows] - first, steps, period)
        if self.other and self.more is not None:
            sums *= _powers(self.other.at(ONLY, steps, period)[0], int(self.more.max()))[self.more[rows]]
        found: Complex = sums.sum(axis=0)
        return found

    def heard(self, size: int) -> Steps:
        """How many of the lowest frequencies matter for so many sums, by row.

        A die's characteristic function is at most its total variation over |1 - z|, which falls with the
        frequency: so all from the first silent one on are silent.
        """
        (least, weights), period = self._told, period_of(size)
        numbers = least + np.arange(weights.shape[1])

        def silent(at: Steps) -> NDArray[np.bool_]:
            reach = 2 * np.sin(np.pi * at / period)
            logs = _bound(self.dice, reach)[:, None] * numbers
            if self.other and self.more is not None:
                logs = logs + (_bound(self.other, reach) * self.more)[:, None]
            return np.asarray((weights * np.exp(logs)).sum(axis=1) < SILENT / len(weights))

        low, high = np.zeros(len(weights), np.int64), np.full(len(weights), period // 2 + 1)
        for _ in range((period // 2 + 1).bit_length()):
            middle = np.maximum(1, (low + high) // 2)
            quiet = silent(middle)
            low, high = np.where(quiet, low, middle), np.where(quiet, middle, high)
        return high


def _bound(dice: Kinds, reach: Floats) -> Floats:
    """The most that the logarithm of a characteristic function may be."""
    found: Floats = np.log(np.clip(dice.variation / reach, 1e-300, 1.0))
    return found


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
