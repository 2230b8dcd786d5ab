"""Sums of a random number of dice, at the few frequencies that matter: exact to about 1e-16 a cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.pmf import Floats, Pmf

Complex = NDArray[np.complex128]
Steps = NDArray[np.int64]

SILENT = 1e-17  # frequencies from which on all that is left weighs less are not computed
NOISE = 4e-17  # smaller cells are what rounding leaves
FEW_TERMS = 32  # of a polynomial that is summed power by power
ONLY = np.zeros(1, dtype=np.int64)  # the one kind there is
FEW_TURNS = 2**17  # cells times frequencies that are multiplied one by one
FAR = 39.0  # events rarer than exp(-FAR), 1e-17, are left out
NEAR = 1e-6  # |1 - z| below which all is heard
AT_ONCE = 2**16  # frequencies times dice that are computed at once


class Kinds(NamedTuple):
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

    return Kinds(np.array([variation_of(die) for die in dice]), at, 1)


def tails(die: Pmf, cells: Steps) -> Kinds:
    """For each cell of a die: by how much it is beyond that cell, given that it is."""
    share = 1.0 / _past(die, cells)

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

    return Kinds(beyond(die, cells), at, int(cells.max()) + 1)


def beyond(die: Pmf, cells: Steps) -> Floats:
    """The total variation, by cell, of the values of a die beyond it, given that there are any."""
    rest = np.append(np.cumsum(np.abs(np.diff(die.probs, append=0.0))[::-1])[::-1], 0.0)
    first = np.append(die.probs, 0.0)
    found: Floats = (rest[cells + 1] + first[cells + 1]) / _past(die, cells)
    return found


def _past(die: Pmf, cells: Steps) -> Floats:
    """The chance of a value beyond each cell; 1 where there is none, as it divides nothing then."""
    chances = np.append(np.cumsum(die.probs[::-1])[::-1], 0.0)[cells + 1]
    return np.where(chances > 0, chances, 1.0)


def variation_of(die: Pmf) -> float:
    """The total variation of a pmf."""
    return float(np.abs(np.diff(die.probs, prepend=0.0, append=0.0)).sum())


def silent_from(rows: int, most: Callable[[Floats], Floats]) -> Floats:
    """From which |1 - z| on each row's transform weighs nothing; 2, where it does up to the last frequency.

    most: the most that each transform may be, by |1 - z|; see `damped`. It falls.
    """
    low, high = np.full(rows, np.log(NEAR)), np.full(rows, np.log(2.0))
    for _ in range(16):
        middle = (low + high) / 2
        silent = most(np.exp(middle)) < SILENT / rows
        low, high = np.where(silent, low, middle), np.where(silent, middle, high)
    found: Floats = np.exp(high)
    return found


def frequencies(distance: Floats, period: int) -> Steps:
    """How many of the lowest frequencies of a period have a |1 - z| of at most so much."""
    number = np.floor(np.arcsin(np.minimum(1.0, distance / 2)) * period / np.pi).astype(np.int64) + 1
    return np.minimum(number, period // 2 + 1)


def damped(variation: Floats, distance: Floats) -> Floats:
    """The most that the logarithm of a characteristic function may be, at |1 - z| = distance."""
    found: Floats = np.log(np.clip(variation / distance, 1e-300, 1.0))
    return found


def spectra(chances: Floats, count: int, period: int) -> Complex:
    """The characteristic functions of rows of chances at the first `count` frequencies of a period.

    Shape (rows, count); count is at most period // 2 + 1. Where few are wanted, by chirps (Bluestein).
    """
    size = chances.shape[1]
    if size * count <= FEW_TURNS:
        return chances @ _waves(size, count, period)
    length = period_of(size + count)
    if size > period or 6 * length > period:
        return _transformed(chances, period)[:, :count]
    squares = np.arange(max(size, count)) ** 2 % (2 * period)  # of squares, too, only what is left of periods
    chirp = np.exp((-1j * np.pi / period) * squares)
    response = np.zeros(length, dtype=np.complex128)
    response[:count], response[length - size + 1 :] = chirp[:count].conj(), chirp[size - 1 : 0 : -1].conj()
    found = np.fft.fft(chances * chirp[:size], length)
    found *= np.fft.fft(response)
    found = np.fft.ifft(found)[:, :count]
    found *= chirp[:count]
    return found


@lru_cache(maxsize=4)
def _waves(size: int, count: int, period: int) -> Complex:
    """What takes cells to the first frequencies of a period, shape (size, count)."""
    return turns(np.arange(size), np.arange(count), period)


def _transformed(chances: Floats, period: int) -> Complex:
    """The characteristic functions of rows of chances at all frequencies of a period, shape (rows, n)."""
    rows, size = chances.shape
    if size > period:
        folded = np.zeros((rows, -(-size // period), period))
        folded.reshape(rows, -1)[:, :size] = chances
        chances = folded.sum(axis=1)
    found: Complex = np.fft.rfft(chances, period)
    return found


def turns(numbers: Steps, steps: Steps, period: int) -> Complex:
    """exp(-2i pi * number * step / period), shape (numbers, steps).

    Of the product only what is left of whole periods is taken: it is exact, as the angle would not be.
    """
    left = np.outer(numbers, steps) % period
    if left.size >= period:
        return _roots(period)[left]
    found: Complex = np.exp((-2j * np.pi / period) * left)
    return found


@lru_cache(maxsize=2)
def _roots(period: int) -> Complex:
    """exp(-2i pi * number / period) of all numbers."""
    found: Complex = np.exp((-2j * np.pi / period) * np.arange(period))
    return found


def _turned(first: int, end: int, steps: Steps, period: int) -> Complex:
    """The same for all numbers from `first` up to `end`; few are computed, the others are products."""
    few = max(1, math.isqrt(end - first))
    low = turns(np.arange(few), steps, period)
    high = turns(np.arange(first, end, few), steps, period)
    found: Complex = (high[:, None, :] * low[None, :, :]).reshape(-1, len(steps))[: end - first]
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
        return weighing(self.weights)

    def cells(self, ends: tuple[int, int]) -> Floats:
        """How much the sums from `ends[0]` to `ends[1]` count for; those outside must weigh nothing."""
        size = ends[1] - ends[0] + 1
        period = period_of(size)
        return sums_from(ends[0], size, self.spectrum(self._heard(period), period), period)

    def spectrum(self, matter: Steps, period: int) -> Complex:
        """The transform at the lowest frequencies of a period; matter: how many of them do, by row."""
        (rows, numbers), last = self._told[1].shape, int(matter.max())
        spectrum = np.zeros(last, dtype=np.complex128)
        block = max(16, AT_ONCE // max(self.dice.faces, rows * 2 * int(np.sqrt(numbers) + 1)))
        for begin in range(0, last, block):
            steps = np.arange(begin, min(last, begin + block))
            spectrum[steps] = self._transform(np.flatnonzero(matter > begin), steps, period)
        return spectrum

    def _transform(self, rows: Steps, steps: Steps, period: int) -> Complex:
        """The transform at some frequencies, of these rows alone."""
        least, weights = self._told
        values = self.dice.at(rows if len(self.dice.variation) > 1 else ONLY, steps, period)
        sums = polynomials(weights[rows], values) * power(values, least)
        sums *= moved(self.shifts[rows], steps, period)
        if self.other and self.more is not None:
            sums *= _powers(self.other.at(ONLY, steps, period)[0], int(self.more.max()))[self.more[rows]]
        found: Complex = sums.sum(axis=0)
        return found

    def _heard(self, period: int) -> Steps:
        """How many of the lowest frequencies matter, by row."""
        least, weights = self._told
        if len(weights) * period <= AT_ONCE:
            return np.full(len(weights), period // 2 + 1)
        numbers = least + np.arange(weights.shape[1])

        def most(distance: Floats) -> Floats:
            logs = damped(self.dice.variation, distance)[:, None] * numbers
            if self.other and self.more is not None:
                logs = logs + (damped(self.other.variation, distance) * self.more)[:, None]
            found: Floats = (weights * np.exp(logs)).sum(axis=1)
            return found

        return frequencies(silent_from(len(weights), most), period)


def sums_from(first: int, size: int, spectrum: Complex, period: int) -> Floats:
    """How much so many sums from `first` on count for, from the transform at the lowest frequencies."""
    moved_back = spectrum * turns(ONLY - first, np.arange(len(spectrum)), period)[0]
    cells = np.fft.irfft(moved_back, period)[:size]
    cells[cells < NOISE] = 0.0
    return cells


def period_of(size: int) -> int:
    """An even length of at least `size` that is quickly transformed."""
    whole = 1 << max(3, (size - 1).bit_length())
    return next(part for part in (whole * 5 // 8, whole * 3 // 4, whole) if part >= size)


def moved(shifts: Steps, steps: Steps, period: int) -> Complex:
    """exp(-2i pi * shift * step / period), shape (shifts, steps), by how the shifts go up."""
    first = int(shifts.min())
    by = max(1, int(np.gcd.reduce(shifts - first)))
    numbers = (shifts - first) // by
    found: Complex = _turned(0, int(numbers.max()) + 1, by * steps, period)[numbers]
    found *= turns(np.array([first]), steps, period)
    return found


def weighing(weights: Floats) -> tuple[int, Floats]:
    """The first column of which the weights are not silent, and the weights from there to the last such."""
    told = np.flatnonzero(weights.sum(axis=0) > SILENT)
    if not len(told):
        return 0, weights[:, :1]
    return int(told[0]), weights[:, told[0] : told[-1] + 1]


def _powers(at: Complex, most: int) -> Complex:
    """The powers from 0 to `most` of values, shape (most + 1, values)."""
    table = np.ones((most + 1, len(at)), dtype=np.complex128)
    table[1:] = at
    found: Complex = np.multiply.accumulate(table, axis=0)
    return found


def power(at: Complex, number: int) -> Complex:
    """Powers by repeated squaring."""
    found, square = None, at
    while number:
        if number & 1:
            found = square if found is None else found * square
        number >>= 1
        if number:
            square = square * square
    return np.ones_like(at) if found is None else found


def _horner(weights: Floats, at: Complex) -> Complex:
    """The same, power by power."""
    total = np.repeat(weights[:, -1:].astype(np.complex128), at.shape[1], axis=1)
    for number in range(weights.shape[1] - 2, -1, -1):
        total *= at
        total += weights[:, number, None]
    return total


def polynomials(weights: Floats, at: Complex) -> Complex:
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
