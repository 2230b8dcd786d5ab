"""Sums of dice of which some are rolled again: so many at most, the lowest of those that show faces named."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.added import Dice, Summand
from mathhammer.core.kept import Kept
from mathhammer.core.order import running, threshold_weights
from mathhammer.core.pmf import Floats, Pmf
from mathhammer.core.points import Points, thresholds_transform
from mathhammer.core.stretches import (
    Stretches,
    added_logs,
    stretches_of,
    tilted_by_blocks,
)
from mathhammer.core.sums import Complex, Steps, damped, power, variation_of

Found = TypeVar("Found", Floats, Complex)

NONE = -1e300  # the logarithm of nothing, that can be added to others


@lru_cache(maxsize=256)
def _shows(die: Pmf, faces: frozenset[int]) -> NDArray[np.bool_]:
    """Whether each value of a die is one of these."""
    return np.isin(die.outcomes, list(faces))


def rerolled(die: Pmf, dice: int, faces: frozenset[int], again: int) -> Summand:
    """The sum of dice of which at most `again` that show one of `faces` are re-rolled once, lowest first."""
    shown = np.where(_shows(die, faces), die.probs, 0.0)
    if again == 0 or not shown.any():
        return Dice(dice, die)
    if again >= dice:
        return Dice(dice, Pmf(die.offset, die.probs - shown + shown.sum() * die.probs, 2 * die.cut))
    return Rerolled(die, dice, faces, again)


@dataclass(frozen=True)
class Rerolled:
    """The same, where some dice that show faces named may have to stay: 0 < again < dice.

    Either fewer than `again` dice show them, and all these fall twice; or the highest face that is rolled
    again is a threshold: beyond it dice stay, as those on it do that are left.
    """

    die: Pmf
    dice: int
    faces: frozenset[int]
    again: int

    @property
    def offset(self) -> int:
        """The least sum."""
        return self.dice * self.die.offset

    @property
    def reach(self) -> tuple[int, int]:
        """All sums."""
        return 0, self.dice * (len(self.die.probs) - 1)

    @property
    def variance(self) -> float:
        """That of as many dice that are thrown once."""
        return self.dice * self.die.sd**2

    @property
    def cut(self) -> float:
        """Of all dice that may be thrown."""
        return self.die.cut * (self.dice + self.again)

    @property
    def kind(self) -> Hashable:
        """By the kind of what stays, if these are kept dice."""
        return Rerolled, self._kept and self._kept.kind

    @staticmethod
    def tilted(terms: Sequence[Rerolled], tilts: Floats) -> Floats:
        """The logarithm of E exp(tilt * sum), or more: as if the better throw of a die named stayed."""
        return np.array([term.dice * term._tilted(tilts) for term in terms])

    def _tilted(self, tilts: Floats) -> Floats:
        """The same of one die."""
        largest, least = (tilted_by_blocks(better, 0, tilts) for better in self._better)
        return np.where(tilts > 0, largest, least)

    @property
    def _better(self) -> tuple[Floats, Floats]:
        """The chances of the larger and of the smaller of both throws, where the first shows a face named."""
        probs, named = self.die.probs, np.where(self._named, self.die.probs, 0.0)
        both = [
            np.diff(np.cumsum(first) * np.cumsum(second), prepend=0.0)
            for first, second in ((named, probs), (named[::-1], probs[::-1]))
        ]
        return probs - named + both[0], probs - named + both[1][::-1]

    @staticmethod
    def damped(terms: Sequence[Rerolled], distances: Floats, roughly: bool) -> Floats:
        """By the total variations of a die, of one that shows no face named, and, closely, of what stays."""
        likely = [np.full(len(distances), term._enough) for term in terms]
        stay = likely if roughly else _stay_damped(terms, distances)
        return np.array([term._damped(row, distances) for term, row in zip(terms, stay, strict=True)])

    def _damped(self, stay: Floats, distances: Floats) -> Floats:
        """The same; stay: of what stays where enough dice show faces named."""
        die = damped(np.array(variation_of(self.die.probs)), distances)
        logs = stay + self.again * die
        if not self._good:
            return logs
        chances = np.where(self._named, 0.0, self.die.probs)
        good = damped(np.array(variation_of(chances) / self._good), distances)
        return np.logaddexp(logs, self._fewer_logs(good, die))

    @staticmethod
    def transforms(terms: Sequence[Rerolled], count: int, period: int) -> Sequence[Complex]:
        """Of fewer dice that show faces named, and of enough of them."""
        stay = _stay(terms, count, period)
        return [term._transform(row, count, period) for term, row in zip(terms, stay, strict=True)]

    def _transform(self, stay: Complex, count: int, period: int) -> Complex:
        """The same; stay: of what stays where enough dice show faces named."""
        die = self._stretches.transform(count, period)
        found = stay * power(die, self.again)
        if self._good:
            good = self._stretches.free().transform(count, period) / self._good
            found += self._all_fall_twice(good, die)
        return found

    @cached_property
    def _named(self) -> NDArray[np.bool_]:
        return _shows(self.die, self.faces)

    @cached_property
    def _stretches(self) -> Stretches:
        return stretches_of(self.die, self._named)

    @cached_property
    def _good(self) -> float:
        """The chance of faces that are not named."""
        return float(self.die.probs[~self._named].sum())

    @cached_property
    def _fewer(self) -> Floats:
        """The chances that 0, 1, ... `again` - 1 dice show faces named."""
        good, bad = self._good, max(0.0, 1 - self._good)
        return np.array(
            [math.comb(self.dice, n) * bad**n * good ** (self.dice - n) for n in range(self.again)]
        )

    @property
    def _enough(self) -> float:
        """The logarithm of the chance that `again` dice or more show faces named."""
        return math.log(max(1e-300, 1 - float(self._fewer.sum())))

    def _fewer_logs(self, good: Floats, die: Floats) -> Floats:
        """The logarithm of their sum, each times so many of these of good dice and of dice rolled again."""
        rolled = np.arange(self.again)
        with np.errstate(divide="ignore"):
            logs = np.log(self._fewer) + good[:, None] * (self.dice - rolled) + die[:, None] * rolled
        return added_logs(np.maximum(logs, NONE))

    def _all_fall_twice(self, good: Complex, die: Complex) -> Complex:
        """The transform where fewer than `again` dice show faces named, by those of good dice and of any."""
        total, fallen = np.zeros_like(die), np.ones_like(die)
        for chance in self._fewer.tolist():
            total *= good
            total += chance * fallen
            fallen *= die
        total *= power(good, self.dice + 1 - self.again)
        return total

    @property
    def _keep(self) -> int:
        """How many dice stay, and the threshold."""
        return self.dice - self.again + 1

    @cached_property
    def _kept(self) -> Kept | None:
        """What stays where enough dice show faces named, if these are the lowest ones."""
        last = int(np.flatnonzero(self._named)[-1])
        if not self._named[: last + 1].all():
            return None
        return Kept(self.die, self.dice, self._keep, last, without=1)

    @cached_property
    def _hardly(self) -> bool:
        """Whether so many dice hardly ever show faces named."""
        return self._kept is not None and self._kept.thresholds[0] > self._kept.thresholds[1]

    @cached_property
    def _bad(self) -> tuple[Steps, Steps, Floats]:
        """The faces named, the stretch of each, and its weights as threshold."""
        at = np.flatnonzero(self._named & (self.die.probs > 0))
        shown, up_to = self.die.probs[at], running(self.die.probs[at])
        weights = threshold_weights(self.dice, self._keep, np.maximum(0.0, 1 - up_to), shown, up_to - shown)
        return at, np.searchsorted(self._stretches.lasts, at), weights

    def _stay_apart(self, count: int, period: int) -> Complex:
        """Where faces apart are named: the transform of what stays."""
        at, own, weights = self._bad
        points = Points(at.astype(np.float64), own, np.ones(len(at)), np.zeros(1, dtype=np.int64))
        steps, added = np.arange(count), [self._keep - 1]
        found: Complex = thresholds_transform(self._stretches, weights, added, points, steps, period)[0]
        return found


def _stay_damped(terms: Sequence[Rerolled], distances: Floats) -> list[Floats]:
    """The logarithm of the characteristic function, or more, of what stays."""
    none = np.full(len(distances), NONE)
    return _staying(
        terms,
        lambda kept: Kept.damped(kept, distances),
        lambda term: np.full(len(distances), term._enough),
        none,
    )


def _stay(terms: Sequence[Rerolled], count: int, period: int) -> list[Complex]:
    """The transforms of what stays where enough dice show faces named."""
    none = np.zeros(count, dtype=np.complex128)
    return _staying(
        terms,
        lambda kept: Kept.transforms(kept, count, period),
        lambda term: term._stay_apart(count, period),
        none,
    )


def _staying(
    terms: Sequence[Rerolled],
    of_kept: Callable[[list[Kept]], Iterable[Found]],
    apart: Callable[[Rerolled], Found],
    none: Found,
) -> list[Found]:
    """Something of what stays in each term: of kept dice all at once, of faces apart one by one."""
    kept = [term._kept for term in terms if term._kept and not term._hardly]
    known = iter(of_kept(kept) if kept else ())
    return [apart(term) if not term._kept else none if term._hardly else next(known) for term in terms]
