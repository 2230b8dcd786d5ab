"""Characteristic functions at the few frequencies that matter, and back: exact to about 1e-16 a cell."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.pmf import Floats, Pmf

Complex = NDArray[np.complex128]
Steps = NDArray[np.int64]

SILENT = (
    1e-15  # frequencies that weigh less are left out: of a whole period they change a cell by 1e-16 at most
)
NOISE = 4e-17  # smaller cells are what rounding leaves
ONE_THREAD = 2**18  # products that BLAS does not share out among threads
FEW_TERMS = 32  # of a polynomial that is summed power by power
FEW_TURNS = 2**17  # cells times frequencies that are multiplied one by one
FAR = 39.0  # events rarer than exp(-FAR), 1e-17, are left out


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


def variation_of(chances: Floats) -> float:
    """The total variation of chances."""
    return float(chances[0] + np.abs(np.diff(chances)).sum() + chances[-1])


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
    if size * count <= FEW_TURNS and (8 * count <= period or not size):
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


def sums_from(first: int, size: int, spectrum: Complex, period: int) -> Floats:
    """How much so many sums from `first` on count for, from the transform at the lowest frequencies."""
    moved_back = spectrum * turns(np.array([-first]), np.arange(len(spectrum)), period)[0]
    cells = np.fft.irfft(moved_back, period)[:size]
    cells[cells < NOISE] = 0.0
    return cells


def period_of(size: int) -> int:
    """An even length of at least `size` that is quickly transformed."""
    whole = 1 << max(3, (size - 1).bit_length())
    return next(part for part in (whole * 5 // 8, whole * 3 // 4, whole) if part >= size)


def weighing(weights: Floats) -> tuple[int, Floats]:
    """The first column of which the weights are not silent, and the weights from there to the last such."""
    told = np.flatnonzero(weights.sum(axis=0) > SILENT)
    if not len(told):
        return 0, weights[:, :1]
    return int(told[0]), weights[:, told[0] : told[-1] + 1]


def power(at: Complex, number: int) -> Complex:
    """Powers by repeated squaring."""
    found, square = None, at
    while number:
        if number & 1:
            found = square.copy() if found is None else np.multiply(found, square, out=found)
        number >>= 1
        if number:
            square = np.multiply(square, square, out=None if square is at else square)
    return np.ones_like(at) if found is None else found


def product(left: Floats, right: Floats) -> Floats:
    """Products of matrices, in parts so small that the order of sums is not that of BLAS's threads."""
    rows, width, columns = *left.shape[1:], right.shape[2]
    at_once = max(1, ONE_THREAD // (width * min(rows, columns)))
    if rows > columns:
        parts = [left[:, start : start + at_once] @ right for start in range(0, rows, at_once)]
        return np.concatenate(parts, axis=1)
    parts = [left @ right[:, :, start : start + at_once] for start in range(0, columns, at_once)]
    return np.concatenate(parts, axis=2)


def _horner(weights: Floats, at: Complex) -> Complex:
    """Polynomials power by power."""
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
    parts = powers[:, :width].view(np.float64)  # real and imaginary parts: the weights are real
    blocks: Complex = product(padded.reshape(rows, -1, width), parts).view(np.complex128)
    total: Complex = blocks[:, -1]
    for number in range(blocks.shape[1] - 2, -1, -1):
        total = powers[:, width] * total + blocks[:, number]
    return total
