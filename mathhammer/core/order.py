"""Order statistics of equal dice: where the lowest of those kept may be, and how many are above it."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from mathhammer.core.pmf import Floats
from mathhammer.core.sums import FAR

TINY = 1e-100  # smaller chances are none: products would become numbers that are slow to multiply


def threshold_weights(dice: int, keep: int, above: Floats, shown: Floats, below: Floats) -> Floats:
    """P(a face is the lowest of `keep` dice kept, and m dice are above it), shape (faces, keep) by m.

    above, shown, below: the chances of one die, by face.
    """
    return number_above(dice, keep, above, shown + below) * _enough(dice - keep, keep, share(shown, below))


def running(chances: Floats) -> Floats:
    """Sums of the first 1, 2, ... chances; what each addition rounds off is added up beside.

    They are raised to powers as high as the number of dice, and so are their errors.
    """
    sums = np.cumsum(chances)
    before = np.append(0.0, sums)[:-1]
    added = sums - before
    found: Floats = sums + np.cumsum((before - (sums - added)) + (chances - added))
    return found


def share(shown: Floats, below: Floats) -> Floats:
    """The chance of a face, if no higher one is shown."""
    up_to = shown + below
    return np.divide(shown, up_to, out=np.zeros_like(shown), where=up_to > 0)


def number_above(dice: int, keep: int, above: Floats, up_to: Floats) -> Floats:
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


def showing(chance: Floats, spare: int, keep: int) -> Floats:
    """From r dice to be kept to s, as the others show a face: shape (faces, keep + 1, keep + 1) by r and s.

    r + `spare` dice show this face or less, each of them this face with the given chance.
    """
    need = range(keep + 1)
    ways = np.array([[float(math.comb(spare + r, r - s)) if s <= r else 0.0 for s in need] for r in need])
    shown = np.vander(chance, keep + 1, increasing=True)[:, np.maximum(0, np.subtract.outer(need, need))]
    others = np.vander(1 - chance, keep + 1, increasing=True) * (1 - chance[:, None]) ** spare
    found: Floats = ways * shown * others[:, None, :]
    found[found < TINY] = 0.0
    found[:, 0, 0], found[:, 1:, 0] = 1.0, _enough(spare, keep, chance)[:, ::-1]
    return found


def lowered(sums: Floats, without: int) -> Floats:
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


@lru_cache(maxsize=64)
def likely(dice: int) -> Floats:
    """The least chances of a die at which 1, 2, ... all of the dice at least are not too rare."""
    share = np.arange(1, dice + 1) / dice
    high = np.log(share)
    low = high - FAR / np.arange(1, dice + 1) - 1
    for _ in range(20):
        middle = (low + high) / 2
        others = np.log((1 - share[:-1]) / -np.expm1(middle[:-1])) * (1 - share[:-1])
        rare = dice * (share * (np.log(share) - middle) + np.append(others, 0.0)) > FAR
        low, high = np.where(rare, middle, low), np.where(rare, high, middle)
    found: Floats = np.exp(low)
    return found
