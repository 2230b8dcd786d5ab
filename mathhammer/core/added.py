"""Sums of independent summands, all at once: by Fourier transform, at the frequencies that matter."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from functools import reduce
from itertools import groupby
from typing import Any, NamedTuple, Protocol

import numpy as np

from mathhammer.core.pmf import Floats, Pmf
from mathhammer.core.stretches import FEW_PARTS, added_logs, stretches, tilted_by_blocks
from mathhammer.core.sums import (
    FAR,
    SILENT,
    Complex,
    damped,
    frequencies,
    period_of,
    power,
    spectra,
    sums_from,
    turns,
    variation_of,
)

SHORT = 2**12  # so few sums are not bounded any closer, and those of dice are added one by one
TOGETHER = 2**18  # frequencies of dice that are transformed together
MANY_STRETCHES = 2**10  # of a die; its bounds are coarse
FEW = 100  # frequencies of which one more or less hardly costs anything
DISTANCES = np.geomspace(1e-5, 2.0, 48)  # at which sums are listened to


class Summand(Protocol):
    """Something random that is added up; its values count from the least there is, its offset."""

    @property
    def offset(self) -> int:
        """The least value."""

    @property
    def reach(self) -> tuple[int, int]:
        """Between which values it is."""

    @property
    def variance(self) -> float:
        """About how large its variance is."""

    @property
    def cut(self) -> float:
        """The probability that was folded where endless tails were cut."""

    @property
    def kind(self) -> Hashable:
        """Summands of one kind are worked out together."""

    @staticmethod
    def tilted(terms: Sequence[Any], tilts: Floats) -> Floats:
        """The logarithm of E exp(tilt * value), or more, shape (terms, tilts); they are of one kind."""

    @staticmethod
    def damped(terms: Sequence[Any], distances: Floats, roughly: bool) -> Floats:
        """The logarithm of the characteristic function at each |1 - z|, or more, shape (terms, distances).

        roughly: not so close, where that is much quicker.
        """

    @staticmethod
    def transforms(terms: Sequence[Any], count: int, period: int) -> Sequence[Complex]:
        """The characteristic functions of terms of one kind at the first `count` frequencies of a period."""


class Dice(NamedTuple):
    """So many equal dice."""

    number: int
    die: Pmf

    @property
    def offset(self) -> int:
        """The least sum."""
        return self.number * self.die.offset

    @property
    def reach(self) -> tuple[int, int]:
        """All sums."""
        return 0, self.number * (len(self.die.probs) - 1)

    @property
    def variance(self) -> float:
        """The variance of the sum."""
        return self.number * self.die.sd**2

    @property
    def cut(self) -> float:
        """Of all dice."""
        return self.number * self.die.cut

    @property
    def kind(self) -> Hashable:
        """All dice."""
        return Dice

    @staticmethod
    def tilted(terms: Sequence[Dice], tilts: Floats) -> Floats:
        """The logarithm of E exp(tilt * sum), or a little more, where many faces differ."""
        return np.array([term.number * term._tilted(tilts) for term in terms])

    def _tilted(self, tilts: Floats) -> Floats:
        parts = stretches(self.die)
        if len(parts.firsts) > MANY_STRETCHES:
            return tilted_by_blocks(self.die.probs, 0, tilts)
        return added_logs(parts.tilted(tilts))

    @staticmethod
    def damped(terms: Sequence[Dice], distances: Floats, roughly: bool) -> Floats:
        """By the total variation of a die."""
        variations = np.array([[variation_of(term.die.probs)] for term in terms])
        numbers = np.array([[term.number] for term in terms])
        return numbers * damped(variations, distances)

    @staticmethod
    def transforms(terms: Sequence[Dice], count: int, period: int) -> Sequence[Complex]:
        """The powers of the transforms of dice; those of many stretches are found cell by cell, together."""
        parts = [stretches(term.die) for term in terms]
        long = [len(part.firsts) * count > FEW_PARTS for part in parts]
        known = _long_transforms(
            [term.die for term, some in zip(terms, long, strict=True) if some], count, period
        )
        each = [
            next(known) if some else part.transform(count, period)
            for part, some in zip(parts, long, strict=True)
        ]
        return [power(found, term.number) for found, term in zip(each, terms, strict=True)]


def _long_transforms(dice: Sequence[Pmf], count: int, period: int) -> Iterator[Complex]:
    """The transforms of dice, cell by cell; those one after the other that are alike in length at once."""
    for _, some in groupby(dice, key=lambda die: len(die.probs).bit_length()):
        alike = list(some)
        at_once = max(1, TOGETHER // count)
        for begin in range(0, len(alike), at_once):
            part = alike[begin : begin + at_once]
            rows = np.zeros((len(part), max(len(die.probs) for die in part)))
            for row, die in zip(rows, part, strict=True):
                row[: len(die.probs)] = die.probs
            yield from spectra(rows, count, period)


class Mirrored(NamedTuple):
    """The negative of a summand."""

    summand: Summand

    @property
    def offset(self) -> int:
        """The negative of the largest value."""
        return -(self.summand.offset + self.summand.reach[1])

    @property
    def reach(self) -> tuple[int, int]:
        """From the largest value on."""
        return 0, self.summand.reach[1] - self.summand.reach[0]

    @property
    def variance(self) -> float:
        """The same."""
        return self.summand.variance

    @property
    def cut(self) -> float:
        """The same."""
        return self.summand.cut

    @property
    def kind(self) -> Hashable:
        """As what is mirrored."""
        return Mirrored, self.summand.kind

    @staticmethod
    def tilted(terms: Sequence[Mirrored], tilts: Floats) -> Floats:
        """By the other tilts."""
        found = terms[0].summand.tilted([term.summand for term in terms], -tilts)
        return found + np.multiply.outer([term.summand.reach[1] for term in terms], tilts)

    @staticmethod
    def damped(terms: Sequence[Mirrored], distances: Floats, roughly: bool) -> Floats:
        """The same."""
        return terms[0].summand.damped([term.summand for term in terms], distances, roughly)

    @staticmethod
    def transforms(terms: Sequence[Mirrored], count: int, period: int) -> Sequence[Complex]:
        """The conjugates, from the largest values on."""
        found = terms[0].summand.transforms([term.summand for term in terms], count, period)
        ends = np.array([term.summand.reach[1] for term in terms])
        return [
            row.conj() * turn for row, turn in zip(found, turns(ends, np.arange(count), period), strict=True)
        ]


def minus(summand: Summand) -> Summand:
    """The negative."""
    if isinstance(summand, Dice):
        return Dice(summand.number, summand.die.mirrored())
    return summand.summand if isinstance(summand, Mirrored) else Mirrored(summand)


def added(terms: Sequence[Summand]) -> Pmf:
    """The distribution of the sum of independent summands."""
    dice = [term for term in terms if isinstance(term, Dice)]
    if len(dice) == len(terms) and (sum(term.number for term in dice) < 3 or _longest(dice) < SHORT):
        return reduce(Pmf.__add__, (term.die.times(term.number) for term in dice), Pmf.point(0))
    least, cells = spread(terms)
    offset = least + sum(term.offset for term in terms)
    return Pmf(offset, cells / cells.sum(), sum(term.cut for term in terms))


def _longest(terms: Sequence[Summand]) -> int:
    return sum(term.reach[1] - term.reach[0] for term in terms)


def spread(terms: Sequence[Summand]) -> tuple[int, Floats]:
    """The least sum, counted from the offsets, and the chances from there on; what is rarer is left out."""
    least, most = ends(terms)
    period = period_of(most - least + 1)
    count = _heard(terms, period)
    spectrum = np.ones(count, dtype=np.complex128)
    for transform in _transforms(terms, count, period):
        spectrum *= transform
    return least, sums_from(least, most - least + 1, spectrum, period)


def _heard(terms: Sequence[Summand], period: int) -> int:
    """How many frequencies of a period matter for the sum, not asking closely where they are few."""
    roughly = _bounded(terms, period, True)
    return roughly if roughly < FEW else _bounded(terms, period, False)


def _bounded(terms: Sequence[Summand], period: int, roughly: bool) -> int:
    logs = sum(some[0].damped(some, DISTANCES, roughly).sum(axis=0) for some in _kinds(terms))
    loud = np.append(-1, np.flatnonzero(logs >= math.log(SILENT)))[-1] + 1
    return int(frequencies(DISTANCES[min(loud, len(DISTANCES) - 1), None], period)[0])


def _kinds(terms: Sequence[Summand]) -> list[list[Summand]]:
    """The terms of each kind."""
    found: dict[Hashable, list[Summand]] = {}
    for term in terms:
        found.setdefault(term.kind, []).append(term)
    return list(found.values())


def _transforms(terms: Sequence[Summand], count: int, period: int) -> Iterator[Complex]:
    """The transforms of all terms, kind by kind."""
    for some in _kinds(terms):
        yield from some[0].transforms(some, count, period)


def ends(terms: Sequence[Summand]) -> tuple[int, int]:
    """Between which the sum is, counted from the offsets: by what each may be, and by Chernoff's bound."""
    low, high = (sum(term.reach[end] for term in terms) for end in (0, 1))
    if high - low < SHORT:
        return low, high
    tilts = np.array([0.5, 1.0, 3.0]) * math.sqrt(2 * FAR / sum(term.variance for term in terms))
    bounds = sum(some[0].tilted(some, np.append(-tilts, tilts)).sum(axis=0) for some in _kinds(terms)) + FAR
    below, above = bounds[:3] / tilts, bounds[3:] / tilts
    return max(low, math.ceil(-below.min())), min(high, math.floor(above.min()))
