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

SILENT = 1e-19  # frequencies from which on all that is left weighs less are not computed
NOISE = 4e-17  # smaller cells are what rounding leaves
AT_ONCE = 2**16  # frequencies times dice that are computed at once


@dataclass(frozen=True)
class Kinds:
    """Kinds of dice: the total variation of each pmf, shape (kinds,), and their characteristic functions.

    at: from frequencies, shape (n,), of a period to values, shape (kinds, n).
    """

    variation: Floats
    at: Callable[[Steps, int], Complex]
    faces: int


def several(dice: Sequence[Pmf]) -> Kinds:
    """Each of the dice is a kind."""
    first, last = min(die.offset for die in dice), max(die.last for die in dice)
    probs = np.zeros((len(dice), last - first + 1))
    for row, die in zip(probs, dice, strict=True):
        row[die.offset - first : die.last - first + 1] = die.probs

    def at(steps: Steps, period: int) -> Complex:
        turned = _turned(first, last + 1, _angles(steps, period))
        found: Complex = probs @ turned.real + 1j * (probs @ turned.imag)
        return found

    return Kinds(_variation(probs), at, last - first + 1)


def tails(die: Pmf, cells: Sequence[int]) -> Kinds:
    """For each cell of a die: by how much it is beyond that cell, given that it is."""
    beyond = np.append(np.cumsum(die.probs[::-1])[::-1], 0.0)[np.asarray(cells) + 1]
    share = 1.0 / np.where(beyond > 0, beyond, 1.0)
    variation = np.append(np.cumsum(np.abs(np.diff(die.probs, append=0.0))[::-1])[::-1], 0.0)
    first, after, most = np.append(die.probs, 0.0), np.asarray(cells) + 1, max(cells) + 1

    @lru_cache(maxsize=1)
    def transformed(period: int) -> Complex:
        return np.fft.rfft(die.probs, period)

    def at(steps: Steps, period: int) -> Complex:
        whole = transformed(period)[steps]
        faces = _turned(0, most, _angles(steps, period))
        up_to = np.cumsum(die.probs[:most, None] * faces, axis=0)[cells]
        found: Complex = (whole - up_to) * (share[:, None] * faces[cells].conj())
        return found

    return Kinds(share * (variation[after] + first[after]), at, most)


def _angles(steps: Steps, period: int) -> Floats:
    """Frequencies as angles."""
    found: Floats = steps * np.float64(-2 * np.pi / period)
    return found


def _turned(first: int, end: int, turns: Floats) -> Complex:
    """exp(i * face * turn) for the faces from `first` up to `end`, shape (faces, turns).

    The exponential of a sum is a product: few are computed.
    """
    few = min(32, end - first)
    low = np.exp(1j * np.outer(np.arange(few), turns))
    high = np.exp(1j * np.outer(np.arange(first, end, few), turns))
    found: Complex = (high[:, None, :] * low[None, :, :]).reshape(-1, len(turns))[: end - first]
    return found


def _variation(probs: Floats) -> Floats:
    found: Floats = np.abs(np.diff(probs, axis=1, prepend=0.0, append=0.0)).sum(axis=1)
    return found


def random_sums(
    weights: Floats,
    dice: Kinds,
    shifts: Sequence[int],
    ends: tuple[int, int],
    beside: tuple[Pmf, Sequence[int]] | None = None,
) -> Floats:
    """The cells from `ends[0]` to `ends[1]` of a mixture of sums of dice.

    weights: shape (a, m): how much the sum of m dice of kind a, plus `shifts[a]`, counts for.
    beside: another die, and how many of it every sum of row a has beside. No sum may lie outside `ends`.
    """
    size = ends[1] - ends[0] + 1
    period = 1 << max(1, (size - 1).bit_length())
    heard = _audible(weights, dice.variation, period)
    least = int(np.argmax(np.cumsum(weights.sum(axis=0)) > SILENT))  # fewer dice weigh nothing
    spectrum = np.zeros(period // 2 + 1, dtype=np.complex128)
    block = max(16, AT_ONCE // max(dice.faces, len(weights) * 2 * int(np.sqrt(weights.shape[1]) + 1)))
    other = several([beside[0]]) if beside else None
    for begin in range(0, heard, block):
        steps = np.arange(begin, min(heard, begin + block))
        values = dice.at(steps, period)
        loud = np.abs(values).max(axis=0) ** least > SILENT
        turns = _angles(steps[loud], period)
        sums = _polynomials(weights, values[:, loud])
        sums *= np.exp(1j * np.outer(np.asarray(shifts) - ends[0], turns))
        if beside and other:
            sums *= other.at(steps[loud], period) ** np.asarray(beside[1])[:, None]
        spectrum[begin : begin + len(loud)][loud] = sums.sum(axis=0)
    cells = np.fft.irfft(spectrum, period)[:size]
    cells[cells < NOISE] = 0.0
    return cells


def _audible(weights: Floats, variation: Floats, period: int) -> int:
    """How many of the lowest frequencies matter.

    A die's characteristic function is at most its total variation over |1 - z|, which falls with the
    frequency: so all from the first silent one on are silent.
    """
    numbers = np.arange(weights.shape[1])

    def silent(at: int) -> bool:
        bound = np.log(np.clip(variation / (2 * np.sin(np.pi * at / period)), 1e-300, 1.0))
        return bool((weights * np.exp(bound[:, None] * numbers)).sum() < SILENT)

    low, high = 0, period // 2 + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if silent(middle) else (middle, high)
    return high


def _polynomials(weights: Floats, at: Complex) -> Complex:
    """sum over m of weights[a, m] * at[a, j] ** m, by blocks of powers: shape (a, j)."""
    rows, terms = weights.shape
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
