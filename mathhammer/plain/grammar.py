"""The dice grammar that players write, read into plain data. Errors point at the character.

question := pipeline [ blank (>= | <= | > | < | =) blank pipeline ]
pipeline := sum { -> pool }              each success of the left throws the pool on the right
sum      := [-] term { (+|-) term }
term     := NUMBER | pool | best(pool) | worst(pool)
pool     := [n] d SIDES { kh K | kl K | dh K | dl K | ! [CAP] | rr FACE [#M] | rr< FACE [#M] } [count]
count    := (>= | <= | > | < | =) FACE   written without blanks: how many dice show that; where no die can,
                                         as in 2d6>=9, the sum is compared (not in a stage)
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from mathhammer.core.errors import InputError

MOST_DICE, MOST_SIDES, MOST_FLAT, MOST_TEXT = 1000, 1000, 100_000, 400
COMPARE: dict[str, Callable[..., Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
FOLLOWS = "dice may have kh, kl, dh, dl, ! or rr; then come +, -, ->, or >=, <=, >, < or ="
WORDS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than", "=": "exactly"}


@dataclass(frozen=True)
class Pool:
    """Some dice. keep: how many are added up (None: all), the highest or the lowest.

    explode: the highest face throws another die, at most so often (None: never, 0: without end).
    again: faces that are rolled again once; most_again: at most so many dice of the pool (None: all).
    count: (operator, face), how many dice show that, instead of their sum.
    """

    dice: int
    sides: int
    keep: int | None = None
    lowest: bool = False
    explode: int | None = None
    again: frozenset[int] = frozenset()
    most_again: int | None = None
    count: tuple[str, int] | None = None


Term = Pool | int


@dataclass(frozen=True)
class Pipeline:
    """A sum of terms, each with its sign, and the stages that its successes go through."""

    terms: tuple[tuple[int, Term], ...]
    stages: tuple[Pool, ...] = ()


@dataclass(frozen=True)
class Question:
    """One side, or two that are compared. notes: how what could be read two ways was read."""

    left: Pipeline
    operator: str | None = None
    right: Pipeline | None = None
    notes: tuple[str, ...] = ()


def parse(text: str) -> Question:
    """The question that a text writes. Raises `InputError` that points at the character."""
    reader = _Reader(text)
    left = reader.pipeline()
    operator = reader.operator()
    right = reader.pipeline() if operator else None
    reader.end()
    return Question(left, operator, right, tuple(reader.notes))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII | re.IGNORECASE)


class _Reader:
    """Reads a text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.notes: list[str] = []
        if len(text) > MOST_TEXT:
            raise InputError(f"dice: an expression has at most {MOST_TEXT} characters, not {len(text)}")

    def fail(self, wanted: str, at: int | None = None) -> InputError:
        place = self.at if at is None else at
        return InputError(f"dice {self.text!r}: character {place + 1}: {wanted}")

    def match(self, pattern: str) -> re.Match[str] | None:
        """What stands here, if it is of this form; the reader goes behind it."""
        found = _compiled(pattern).match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def number(self, most: int, what: str, least: int = 1) -> int:
        """A whole number that stands here."""
        start = self.at
        found = self.match(r"\d+")
        if not found:
            raise self.fail(f"{what} is missing")
        if len(found[0]) > 7 or not least <= int(found[0]) <= most:
            raise self.fail(f"{what} is {least} to {most}, not {found[0][:12]}", start)
        return int(found[0])

    def pipeline(self) -> Pipeline:
        self.match(r"\s*")
        first = -1 if self.match(r"-\s*") else 1
        terms = [(first, self.term())]
        while found := self.match(r"\s*([+-])(?!>)\s*"):
            terms.append((1 if found[1] == "+" else -1, self.term()))
        stages = []
        while self.match(r"\s*->\s*"):
            stages.append(self.pool(stage=True))
        return Pipeline(tuple(terms), tuple(stages))

    def operator(self) -> str | None:
        found = self.match(r"\s*(>=|<=|>|<|==?)\s*")
        return found[1].replace("==", "=") if found else None

    def end(self) -> None:
        self.match(r"\s*")
        if self.at < len(self.text):
            raise self.fail(f"{self.text[self.at]!r} fits nothing here; {FOLLOWS}")

    def term(self) -> Term:
        found = self.match(r"(best|worst)\s*\(\s*")
        if found:
            pool = self.pool()
            if not self.match(r"\s*\)"):
                raise self.fail("')' is missing")
            if pool.keep is not None or pool.count:
                raise self.fail("best(...) and worst(...) take plain dice, such as best(3d6)", found.start())
            return replace(pool, keep=1, lowest=found[1].lower() == "worst")
        if _compiled(r"\d*d").match(self.text, self.at):
            return self.pool()
        if not _compiled(r"\d").match(self.text, self.at):
            raise self.fail("dice such as 2d6, best(3d6) or a number are expected")
        return self.number(MOST_FLAT, "a number", least=0)

    def pool(self, stage: bool = False) -> Pool:
        """A pool; a stage throws it many times over, so that it may re-roll more dice than it names."""
        dice = 1
        if _compiled(r"\d").match(self.text, self.at):
            dice = self.number(MOST_DICE, "the number of dice")
        if not self.match("d"):
            raise self.fail("dice such as d6 are expected")
        pool = Pool(dice, self.number(MOST_SIDES, "the number of sides", least=2))
        while changed := self.modifier(pool):
            pool = changed
        most = pool.most_again
        if not stage and most is not None and most > pool.dice:
            raise self.fail(
                f"how many dice are rolled again is 1 to {pool.dice}, not {most}", self.at - len(str(most))
            )
        return self.counted(pool, stage)

    def modifier(self, pool: Pool) -> Pool | None:
        """The pool with the modifier that stands here; None where none does."""
        start = self.at
        if found := self.match(r"([kd])([hl])"):
            return self.keep(pool, found[1].lower() + found[2].lower(), start)
        if self.match("!"):
            if pool.explode is not None:
                raise self.fail("'!' is there twice", start)
            cap = self.number(100, "the most dice that '!' adds") if self.match(r"(?=\d)") else 0
            return replace(pool, explode=cap)
        if found := self.match(r"rr(<?)"):
            if pool.again:
                raise self.fail("'rr' is there twice", start)
            return self.reroll(pool, bool(found[1]))
        return None

    def keep(self, pool: Pool, kind: str, start: int) -> Pool:
        if pool.keep is not None:
            raise self.fail("dice are kept or dropped once", start)
        number = self.number(pool.dice, "how many of the dice")
        keep = number if kind[0] == "k" else pool.dice - number
        if keep < 1:
            raise self.fail("one die at least stays", start)
        return replace(pool, keep=keep, lowest=kind in ("kl", "dh"))

    def reroll(self, pool: Pool, below: bool) -> Pool:
        face = self.number(pool.sides, "the face to roll again")
        faces = frozenset(range(1, face)) if below else frozenset({face})
        most = self.number(MOST_DICE, "how many dice are rolled again") if self.match("#") else None
        return replace(pool, again=faces, most_again=most)

    def counted(self, pool: Pool, stage: bool) -> Pool:
        """A comparison without blanks counts dice; it is left alone where no die could be counted by it."""
        start = self.at
        found = self.match(r"(>=|<=|==?|>|<)(?=\d+(?!\d*d))")
        if not found:
            return pool
        sign, face = found[1].replace("==", "="), self.number(MOST_FLAT, "the face that counts", least=0)
        if not stage and not any(COMPARE[sign](shown, face) for shown in range(1, pool.sides + 1)):
            self.at = start
            self.notes.append(f"no d{pool.sides} shows {WORDS[sign]} {face}: the sum is compared")
            return pool
        if pool.keep is not None:
            raise self.fail(
                "kept dice are not counted one by one; write blanks around the comparison", found.start()
            )
        return replace(pool, count=(sign, face))
