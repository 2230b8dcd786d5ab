"""Pools of dice: how many successes a number of dice shows. The key of each law is the number of dice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal

import numpy as np

from mathhammer.core.laws import Law
from mathhammer.core.pmf import TAIL, Pmf

Reroll = Literal["none", "ones", "failures"]
Bonus = Literal["none", "once", "chain"]


@lru_cache(maxsize=1024)
def successes(
    need: int,
    *,
    sides: int = 6,
    reroll: Reroll = "none",
    bonus: Bonus = "none",
    per_face: Callable[[int], int] | None = None,
    again: frozenset[int] = frozenset(),
    most_bonus: int | None = None,
) -> Pmf:
    """Successes of one die that needs `need` or more.

    need: above `sides` never succeeds. Natural 1s are the caller's: a need of 2 lets them fail.
    reroll: natural ones, or all failures, are rolled again once; the second roll stands.
    bonus: the highest face, when it is a success, adds one more die (which may add another: "chain").
    per_face: successes that a face is worth, instead of 1 from `need` up.
    again: faces that are rolled again once, beside those of `reroll`.
    most_bonus: a chain adds at most so many dice (None: it ends by itself).
    """
    worth = [per_face(face) if per_face else int(face >= need) for face in range(1, sides + 1)]
    rolled = [face in again or _rolls_again(face, worth[face - 1], reroll) for face in range(1, sides + 1)]
    shown = _faces(sides, rolled)
    if bonus == "none" or worth[-1] == 0:
        return Pmf.of(_gathered(worth, shown))
    return _with_bonus(worth, shown, 1 if bonus == "once" else most_bonus)


def _rolls_again(face: int, worth: int, reroll: Reroll) -> bool:
    return (reroll == "ones" and face == 1) or (reroll == "failures" and worth == 0)


def _faces(sides: int, again: Sequence[bool]) -> list[float]:
    """Chance that each face is the one that counts, after the re-roll."""
    second = sum(again) / sides / sides
    return [(0.0 if rolls else 1 / sides) + second for rolls in again]


def _gathered(worth: Sequence[int], shown: Sequence[float]) -> dict[int, float]:
    chances: dict[int, float] = {}
    for value, chance in zip(worth, shown, strict=True):
        chances[value] = chances.get(value, 0.0) + chance
    return chances


def _with_bonus(worth: Sequence[int], shown: Sequence[float], most: int | None) -> Pmf:
    """The top face adds dice, at most so many; an endless chain is cut where less than TAIL is left."""
    plain = _gathered(worth[:-1], shown[:-1])
    top, chance = worth[-1], shown[-1]
    if chance >= 1:
        raise ValueError("a die that always adds another never ends")
    links = max(1, int(np.ceil(np.log(TAIL) / np.log(chance)))) if most is None else most
    probs = np.zeros(max(*plain, top) + links * top + 1)
    for link in range(links + 1):
        for value, p in plain.items():
            probs[link * top + value] += chance**link * p
    probs[(links + 1) * top] += chance ** (links + 1)
    return Pmf(0, probs, chance ** (links + 1) if most is None else 0.0)


def pool(die: Pmf, most: int | None = None) -> Law:
    """The sum of as many independent dice as the key says (key >= 0); at most `most`, if given."""
    return Law.sums(die, most)
