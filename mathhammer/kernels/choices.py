"""Which dice to roll again: the best choice for each roll, solved backward over the dice that may follow.

Ties within 1e-12 go to fewer dice rolled again, then to the lower ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement, groupby
from typing import Literal

from mathhammer.core.pmf import Pmf

Roll = tuple[int, ...]  # faces, ascending
May = Literal["none", "one", "all", "any"]
TIE = 1e-12


@dataclass(frozen=True)
class Dice:
    """Some dice of which the highest or lowest are added up."""

    dice: int
    sides: int
    keep: int
    lowest: bool = False

    def total(self, roll: Roll) -> int:
        """What a roll is worth."""
        ordered = sorted(roll)
        return sum(ordered[: self.keep] if self.lowest else ordered[len(ordered) - self.keep :])

    def rolls(self) -> dict[Roll, float]:
        """Each roll, faces ascending, with its chance."""
        return _rolls(self.dice, self.sides)

    def choices(self, roll: Roll, may: May) -> list[Roll]:
        """The dice that may be rolled again, by faces: fewest first."""
        sizes = {"none": (0,), "one": (0, 1), "all": (0, self.dice), "any": range(self.dice + 1)}[may]
        return [again for size in sizes for again in dict.fromkeys(combinations(roll, size))]

    def after(self, roll: Roll, again: Roll) -> Pmf:
        """The total when these dice of the roll are rolled again."""
        return _after(self, left(roll, again))


@lru_cache(maxsize=64)
def _rolls(dice: int, sides: int) -> dict[Roll, float]:
    ways = [math.factorial(n) for n in range(dice + 1)]
    whole = ways[dice] / sides**dice
    return {
        roll: whole / math.prod(ways[len(list(alike))] for _, alike in groupby(roll))
        for roll in combinations_with_replacement(range(1, sides + 1), dice)
    }


def left(roll: Roll, again: Roll) -> Roll:
    """The dice of a roll that stay."""
    if not again:
        return roll
    stays = list(roll)
    for face in again:
        stays.remove(face)
    return tuple(stays)


@lru_cache(maxsize=2**16)
def _after(dice: Dice, kept: Roll) -> Pmf:
    chances: dict[int, float] = {}
    for fresh, chance in _rolls(dice.dice - len(kept), dice.sides).items():
        total = dice.total(kept + fresh)
        chances[total] = chances.get(total, 0.0) + chance
    return Pmf.of(chances)


Policy = Callable[[Roll], Roll]  # the dice of a roll that are rolled again


def best(dice: Dice, may: May, need: int) -> Policy:
    """The policy with the best chance of a total of at least `need`."""

    @cache
    def choose(roll: Roll) -> Roll:
        chosen: Roll = ()
        chance = dice.after(roll, chosen).at_least(need)
        for again in dice.choices(roll, may):
            better = dice.after(roll, again).at_least(need)
            if better > chance + TIE:
                chosen, chance = again, better
        return chosen

    return choose


def habits(dice: Dice, may: May, need: int) -> Iterator[tuple[str, Policy]]:
    """Simple policies that players follow, as far as the rule allows them."""
    yield "never roll again", lambda roll: ()
    if may in ("one", "any"):
        yield "the lowest die when it falls short", lambda roll: roll[:1] if dice.total(roll) < need else ()
    if may in ("all", "any"):
        yield "all dice when it falls short", lambda roll: roll if dice.total(roll) < need else ()
    if may == "any":
        average = (dice.sides + 1) / 2
        yield (
            "every die below average when it falls short",
            lambda roll: tuple(face for face in roll if face < average) if dice.total(roll) < need else (),
        )


def chance(dice: Dice, policy: Policy, need: int) -> float:
    """P(total of at least `need`) under a policy."""
    return math.fsum(p * dice.after(roll, policy(roll)).at_least(need) for roll, p in dice.rolls().items())
