"""Pools of dice: how many successes a number of dice shows. The key of each law is the number of dice."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.laws import Law
from mathhammer.core.pmf import TAIL, Floats, Pmf

Reroll = Literal["none", "ones", "failures"]
Bonus = Literal["none", "once", "chain"]


@lru_cache(maxsize=1024)
def successes(
    need: int,
    *,
    sides: int = 6,
    reroll: Reroll = "none",
    bonus: Bonus = "none",
) -> Pmf:
    """Successes of one die that needs `need` or more.

    need: above `sides` never succeeds. Natural 1s are the caller's: a need of 2 lets them fail.
    reroll: natural ones, or all failures, are rolled again once; the second roll stands.
    bonus: the highest face, when it is a success, adds one more die (which may add another: "chain").
    """
    below = {"none": 1, "ones": 2, "failures": min(need, sides + 1)}[reroll]
    return faces_worth(np.arange(1, sides + 1) >= need, bonus=bonus, again=frozenset(range(1, below)))


def faces_worth(
    worth: NDArray[np.generic],
    *,
    bonus: Bonus = "none",
    again: frozenset[int] = frozenset(),
    most_bonus: int | None = None,
) -> Pmf:
    """What one die is worth, by what each of its faces is worth from 1 on (0 or more); see `successes`.

    again: faces that are rolled again once; the second roll stands.
    most_bonus: a chain adds at most so many dice (None: it ends by itself).
    """
    values, sides = worth.astype(np.int64), len(worth)
    rolled = np.zeros(sides, dtype=np.bool_)
    rolled[[face - 1 for face in again if face <= sides]] = True
    shown = np.where(rolled, 0.0, 1 / sides) + int(rolled.sum()) / sides / sides
    if bonus == "none" or values[-1] == 0:
        chances = np.bincount(values, shown)
        least = int(values.min())
        return Pmf(least, chances[least:])
    return _with_bonus(values, shown, 1 if bonus == "once" else most_bonus)


def _with_bonus(worth: NDArray[np.int64], shown: Floats, most: int | None) -> Pmf:
    """The top face adds dice, at most so many; an endless chain is cut where less than TAIL is left."""
    plain = np.bincount(worth[:-1], shown[:-1])
    top, chance = int(worth[-1]), float(shown[-1])
    if chance >= 1:
        raise ValueError("a die that always adds another never ends")
    links = int(np.ceil(np.log(TAIL) / np.log(chance))) if most is None else most
    probs = np.zeros(max(len(plain) - 1, top) + links * top + 1)
    for link in range(links + 1):
        probs[link * top :][: len(plain)] += chance**link * plain
    probs[(links + 1) * top] += chance ** (links + 1)
    return Pmf(0, probs, chance ** (links + 1) if most is None else 0.0)


def pool(die: Pmf, most: int | None = None) -> Law:
    """The sum of as many independent dice as the key says (key >= 0); at most `most`, if given."""
    return Law.sums(die, most)
