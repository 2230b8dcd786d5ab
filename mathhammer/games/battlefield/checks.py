"""The check: d20 + modifiers against a DC, or against another d20; its terms listed. Source: BF-00."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from mathhammer.core.dice import opposed
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Columns, Key, Step, Update
from mathhammer.games.battlefield.ruleset import Rules
from mathhammer.games.battlefield.state import NOT_ROLLED, Action, Beat, Where, is_open

D20 = Pmf.die(20)
FAILS, PASSES = 0, 1
TESTED = ("confused", "shaken", "holds")  # grades of a test of nerve
Amount = int | Fraction | Callable[[Columns], Ints]


@dataclass(frozen=True)
class Term:
    """One thing that goes into a check: in words, by how much; `against` is part of the DC."""

    words: str
    amount: Amount
    against: bool = False

    @property
    def signed(self) -> Amount:
        """As it counts for the one who rolls."""
        if not self.against:
            return self.amount
        amount = self.amount
        return (lambda columns: -amount(columns)) if callable(amount) else -amount


def kept(*terms: Term) -> tuple[Term, ...]:
    """The terms that are not nothing."""
    return tuple(term for term in terms if callable(term.amount) or term.amount != 0)


@dataclass(frozen=True)
class Check:
    """A check by name, with its rule and all of its terms; `opposed`: against another d20."""

    name: str
    rule: str
    terms: tuple[Term, ...]
    opposed: bool = False

    @property
    def lead(self) -> Key:
        """Modifiers less DC, rounded down (which no whole d20 can tell from the exact average)."""
        fixed, moving = split(self.terms)
        if not moving:
            return fixed
        return lambda columns: summed(fixed, moving, columns)

    def step(self, law: Law, update: Update, where: Where, words: Sequence[str]) -> Step:
        """The check as a step, whose law is keyed by the lead."""
        return Step(
            self.name,
            law,
            self.lead,
            update,
            where,
            otherwise=NOT_ROLLED,
            rule=self.rule,
            words=tuple(words),
        )

    def beat(self, law: Law, update: Update, words: tuple[str, ...], where: Where, *after: Action) -> Beat:
        """The check as a part of a battle, in these states; after: what follows from how it comes out."""
        return Beat(self.name, (self.step(law, update, is_open, words), *after), words, where)


def split(terms: Sequence[Term]) -> tuple[int, list[Callable[[Columns], Ints]]]:
    """What is the same in every state, rounded down, and what is not."""
    fixed, moving = Fraction(0), []
    for term in terms:
        amount = term.signed
        if callable(amount):
            moving.append(amount)
        else:
            fixed += amount
    return math.floor(fixed), moving


def summed(fixed: int, moving: Sequence[Callable[[Columns], Ints]], columns: Columns) -> Ints:
    """The lead of each state, shape (rows,)."""
    total = np.full(len(next(iter(columns.values()))), fixed, dtype=np.int32)
    for amount in moving:
        total = total + amount(columns)
    return total.astype(np.int32)


@lru_cache(maxsize=64)
def graded(levels: tuple[int, ...], natural: str) -> Law:
    """How many of the ascending `levels` d20 + lead reaches; keyed by the lead. Source: BF-00.

    natural: "automatic" lets a natural 1 fail and a natural 20 pass.
    """

    def make(lead: int) -> Pmf:
        margins = [face + lead for face in range(1, 21)]
        if natural == "automatic":
            margins[0], margins[-1] = min(margins[0], -1), max(margins[-1], 0)
        chances: dict[int, float] = {}
        for margin in margins:
            grade = sum(margin >= level for level in levels)
            chances[grade] = chances.get(grade, 0.0) + 0.05
        return Pmf.of(chances)

    return Law(("check", levels, natural), make)


def plain_law(rules: Rules) -> Law:
    """0 fails, 1 passes. Source: BF-00."""
    return graded((0,), rules.natural_check)


def opposed_law(rules: Rules) -> Law:
    """d20 + lead against d20: 0 the other side wins, 1 the one who started it. Source: BF-00."""
    return _opposed(rules.opposed_tie)


@lru_cache(maxsize=2)
def _opposed(tie: str) -> Law:
    difference = opposed(D20, D20)
    least = 1 if tie == "active" else 2
    return Law(("opposed check", tie), lambda lead: difference.row(lead).map(lambda o: int(o >= least)))


def law_of(check: Check, rules: Rules) -> Law:
    """The law of a check that passes or fails."""
    return opposed_law(rules) if check.opposed else plain_law(rules)


def nerve_law(confused_from: int, rules: Rules) -> Law:
    """A test of nerve: 0 confused, failing by so much; 1 shaken; 2 holds. Source: BF-09, BF-13."""
    return graded((1 - confused_from, 0), rules.natural_check)
