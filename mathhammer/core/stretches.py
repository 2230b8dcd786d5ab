"""Dice by stretches of equally likely faces: their sums have closed forms, or need few points of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.order import running
from mathhammer.core.pmf import Floats, Pmf
from mathhammer.core.sums import Complex, Steps, spectra, turns

Parts = TypeVar("Parts", Floats, Complex)

FEW_PARTS = 2**12  # stretches times frequencies at which closed forms are the faster ones
BLOCK = 16  # values that are bounded together


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
        found *= ones(self.sizes, steps, period)
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
        sizes, chances = lasts + 1 - firsts, self.chances[stretch]
        steep = np.maximum(np.abs(tilts), 1e-12)[:, None]
        logs = tilts[:, None] * np.where(tilts[:, None] > 0, lasts, firsts)
        with np.errstate(divide="ignore"):  # of none of the faces it is -inf
            if sizes.max() > 1:
                logs += np.log(chances * np.expm1(-steep * sizes) / np.expm1(-steep))
            else:
                logs += np.log(chances * sizes)
        return logs

    def around(self, own: Steps, at: Floats) -> tuple[Floats, Floats, Floats]:
        """The chances of what is beyond points, of the face there, and of lower ones named.

        own: the stretch of each point.
        """
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


def ones(lengths: Steps | Floats, steps: Steps, period: int) -> Floats:
    """Transforms of so many ones about their middle, shape (lengths, steps); so many need not be whole."""
    half = np.pi / period * steps
    found: Floats = np.multiply.outer(lengths, half)
    np.sin(found, out=found)
    found *= np.divide(1.0, np.sin(half), out=np.zeros(len(steps)), where=steps > 0)
    found[:, steps == 0] = lengths[:, None]
    return found
