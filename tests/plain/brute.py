"""A literal reading of small dice expressions: every face of every die is gone through."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

Law = dict[int, float]
ENDLESS = 60  # dice that an endless chain is followed for
COMPARE: dict[str, Callable[[int, int], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}


@dataclass(frozen=True)
class Dice:
    """Some dice as a player writes them. keep: kh, kl, dh or dl and a number. cap: 0 is endless."""

    dice: int
    sides: int
    keep: tuple[str, int] | None = None
    cap: int | None = None
    reroll: tuple[str, int] | None = None  # "rr" or "rr<", and the face
    limit: int | None = None
    count: tuple[str, int] | None = None

    @property
    def text(self) -> str:
        """As it is written."""
        keep = f"{self.keep[0]}{self.keep[1]}" if self.keep else ""
        again = f"{self.reroll[0]}{self.reroll[1]}" if self.reroll else ""
        limit = f"#{self.limit}" if self.limit else ""
        bonus = "" if self.cap is None else f"!{self.cap or ''}"
        count = f"{self.count[0]}{self.count[1]}" if self.count else ""
        return f"{self.dice}d{self.sides}{keep}{bonus}{again}{limit}{count}"

    def again(self, face: int) -> bool:
        """Whether a face is rolled again."""
        if not self.reroll:
            return False
        return face < self.reroll[1] if self.reroll[0] == "rr<" else face == self.reroll[1]

    def worth(self, face: int) -> int:
        """What a face adds."""
        return int(COMPARE[self.count[0]](face, self.count[1])) if self.count else face

    def total(self, values: list[int]) -> int:
        """What the dice come to."""
        if not self.keep:
            return sum(values)
        kind, number = self.keep
        kept = number if kind[0] == "k" else len(values) - number
        lowest = kind in ("kl", "dh")
        return sum(sorted(values, reverse=not lowest)[:kept])


def law(dice: Dice) -> Law:
    """Chance of each total, face by face."""
    return _limited(dice) if dice.limit else _free(dice)


def _free(dice: Dice) -> Law:
    die = _die(dice)
    chances: Law = {}
    for thrown in product(die.items(), repeat=dice.dice):
        p = 1.0
        for _, chance in thrown:
            p *= chance
        _put(chances, dice.total([value for value, _ in thrown]), p)
    return chances


def _die(dice: Dice) -> Law:
    """One die with its re-roll and the dice that it adds."""
    faces: Law = {}
    for first in range(1, dice.sides + 1):
        for second in range(1, dice.sides + 1):
            _put(faces, second if dice.again(first) else first, dice.sides**-2.0)
    adds = {None: 0, 0: ENDLESS}.get(dice.cap, dice.cap) or 0
    chances: Law = {}
    before, reached = 0, 1.0
    for link in range(adds + 1):
        for face, p in faces.items():
            if face < dice.sides or link == adds:
                _put(chances, before + dice.worth(face), reached * p)
        before, reached = before + dice.worth(dice.sides), reached * faces[dice.sides]
    return chances


def _limited(dice: Dice) -> Law:
    """The lowest dice that may be rolled again are, up to the limit."""
    chances: Law = {}
    faces = range(1, dice.sides + 1)
    for rolled in product(faces, repeat=dice.dice):
        again = sorted(face for face in rolled if dice.again(face))[: dice.limit]
        stay = list(rolled)
        for face in again:
            stay.remove(face)
        for second in product(faces, repeat=len(again)):
            total = dice.total([dice.worth(face) for face in (*stay, *second)])
            _put(chances, total, float(dice.sides) ** -(dice.dice + len(again)))
    return chances


def _put(chances: Law, value: int, p: float) -> None:
    chances[value] = chances.get(value, 0.0) + p


def added(one: Mapping[int, float], other: Mapping[int, float], sign: int = 1) -> Law:
    """The sum or difference of two independent numbers."""
    chances: Law = {}
    for (a, p), (b, q) in product(one.items(), other.items()):
        _put(chances, a + sign * b, p * q)
    return chances


def staged(numbers: Mapping[int, float], stage: Dice) -> Law:
    """As many throws of the stage as the numbers say, added up."""
    one, whole, chances = law(stage), {0: 1.0}, Law()
    for number in range(max(numbers) + 1):
        for total, p in whole.items():
            _put(chances, total, p * numbers.get(number, 0.0))
        whole = added(whole, one)
    return chances


def compared(one: Mapping[int, float], sign: str, other: Mapping[int, float]) -> float:
    """The chance that a comparison holds."""
    return sum(p * q for (a, p), (b, q) in product(one.items(), other.items()) if COMPARE[sign](a, b))


def same(answer: Mapping[int, float], right: Mapping[int, float], within: float = 1e-10) -> bool:
    """Whether two laws are alike, cell by cell."""
    values = set(answer) | set(right)
    return all(abs(answer.get(value, 0.0) - right.get(value, 0.0)) < within for value in values)
