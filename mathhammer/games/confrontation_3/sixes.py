"""Open sixes and natural ones: tests against a difficulty, and opposed rolls. Source: C3-0.1, C3-0.2, C3-0.3.

A chain of sixes is cut after DEPTH throws, where less than 1e-16 is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Floats, Pmf
from mathhammer.games.confrontation_3.ruleset import Policy, Rules

DEPTH = 22
CUT = 6.0**-DEPTH
WIDEST = 200  # leads and totals beyond this are as good as decided
FAIL = 0  # the total of a natural 1
LOSES, TIES, WINS = 0, 1, 2

Throw: TypeAlias = tuple[float, int, int]  # chance, total (FAIL for a natural 1), live sixes


@dataclass(frozen=True)
class Sixes:
    """How open sixes are played: by the side that acts, by the other, in what order, and of several dice."""

    own: Policy = "when_needed"
    other: Policy = "when_needed"
    order: Literal["together", "attack_first"] = "together"
    several: Literal["all", "one"] = "all"
    ones: Literal["lose", "plain"] = "lose"


def attack_sixes(rules: Rules) -> Sixes:
    """How an attack and its defence are rolled. Source: C3-0.1."""
    policy, defence = rules.reroll_six, rules.reroll_six_defence
    return Sixes(policy, policy if defence == "same" else defence, rules.roll_order)


def contest_sixes(rules: Rules, dice: tuple[int, int] = (1, 1)) -> Sixes:
    """How initiative and discipline are rolled. Source: C3-0.1, C3-0.2."""
    several = rules.several_sixes if max(dice) > 1 else "all"
    return Sixes(rules.reroll_six, rules.reroll_six, several=several, ones=rules.contest_ones)


@lru_cache(maxsize=64)
def throws(dice: int, several: str = "all", ones: str = "lose") -> tuple[Throw, ...]:
    """The highest of some dice: FAIL when all show 1, and how many sixes may be rolled again."""
    below = [(n / 6) ** dice for n in range(7)]
    faces = [(below[face] - below[face - 1], face, 0) for face in range(2, 6)]
    sixes = [(comb(dice, n) * 5 ** (dice - n) / 6**dice, n) for n in range(1, dice + 1)]
    live = [(chance, 6, n if several == "all" else 1) for chance, n in sixes]
    return ((below[1], FAIL if ones == "lose" else 1, 0), *faces, *live)


# -- a test against a difficulty -------------------------------------------------------------------
@lru_cache(maxsize=4096)
def success_chance(need: int, policy: Policy, dice: int = 1, several: str = "all") -> float:
    """P(d6 >= need) with open sixes; of several dice the highest. Source: C3-0.1, C3-0.2."""
    return _test(need, policy, dice, several, DEPTH)


def _test(need: int, policy: Policy, dice: int, several: str, depth: int) -> float:
    chance = 0.0
    for p, total, live in throws(dice, several):
        rolls = policy == "always" or (policy == "when_needed" and total < need)
        if live and rolls and depth:
            chance += p * _test(need - 6, policy, live, several, depth - 1)
        else:
            chance += p * (total != FAIL and total >= need)
    return chance


def success_law(policy: Policy, dice: int, several: str) -> Law:
    """Whether a test succeeds (0, 1), keyed by difficulty less characteristic. Source: C3-0.1."""

    def make(need: int) -> Pmf:
        chance = min(1.0, success_chance(need, policy, dice, several))
        return Pmf(0, [1 - chance, chance], CUT)

    return Law(("c3 test", policy, dice, several), make)


# -- opposed rolls ---------------------------------------------------------------------------------
def attack_law(sixes: Sixes) -> Law:
    """Whether an attack passes one defence die (0, 1), keyed by ATT less DEF. Source: C3-3.10."""

    def make(lead: int) -> Pmf:
        chance = float(np.clip(hit_chances(sixes)[lead + WIDEST], 0.0, 1.0))
        return Pmf(0, [1 - chance, chance], CUT)

    return Law(("c3 attack", sixes), make)


def contest_law(sixes: Sixes, dice: tuple[int, int] = (1, 1)) -> Law:
    """LOSES, TIES or WINS of one throw of both sides, keyed by the lead in values. Source: C3-1.4, C3-3.6."""

    def make(lead: int) -> Pmf:
        wins, ties = (float(a[lead + WIDEST]) for a in _opposed(sixes, dice, False))
        return Pmf(0, [max(0.0, 1 - wins - ties), ties, wins], CUT)

    return Law(("c3 contest", sixes, dice), make)


def decided_law(sixes: Sixes, ties: str, dice: tuple[int, int] = (1, 1)) -> Law:
    """Whether the first side wins (0, 1) once ties are settled. Source: C3-1.4, C3-2.1, C3-3.6."""
    throw = contest_law(sixes, dice)

    def make(lead: int) -> Pmf:
        row = throw.row(lead)
        wins, tied = row[WINS], row[TIES]
        settled = ties == "higher_value" and lead != 0
        chance = wins + tied * (lead > 0) if settled else wins / (1 - tied)
        return Pmf(0, [1 - chance, chance], CUT)

    return Law(("c3 decided", throw, ties), make)


@lru_cache(maxsize=64)
def hit_chances(sixes: Sixes) -> Floats:
    """P(hit) against one defence die, by lead from -WIDEST: shape (2 * WIDEST + 1,)."""
    if sixes.order == "attack_first":
        return _attack_first(sixes)
    return _opposed(sixes, (1, 1), True)[0]


@lru_cache(maxsize=64)
def _opposed(sixes: Sixes, dice: tuple[int, int], attack: bool) -> tuple[Floats, Floats]:
    """P(win) and P(tie) by lead; in an attack a tie is lost. Source: C3-0.1, C3-0.2, C3-0.3."""
    settled = _settled(sixes, dice, attack)
    wins, ties = np.zeros(2 * WIDEST + 1), np.zeros(2 * WIDEST + 1)
    shown: dict[tuple[int, int, int], float] = {}
    for p, own, own_live in _first(sixes.own, dice[0], sixes):
        for q, other, other_live in _first(sixes.other, dice[1], sixes):
            if own == FAIL or other == FAIL:
                wins += p * q * (own != FAIL)
                ties += p * q * (own == other and not attack)
            else:
                key = (own_live, other_live, own - other)
                shown[key] = shown.get(key, 0.0) + p * q
    for (own_live, other_live, lead), p in shown.items():
        end = p * _moved(settled[own_live, other_live], lead)
        wins, ties = wins + end[0], ties + end[1]
    return wins, ties


def _first(policy: Policy, dice: int, sixes: Sixes) -> list[Throw]:
    """What a side shows before anyone rolls again because he is losing; `always` has rolled on."""
    shown = throws(dice, sixes.several, sixes.ones)
    if policy != "always":
        return [(p, total, live if policy == "when_needed" else 0) for p, total, live in shown]
    return [(p, total, 0) for (total, p) in _chain(dice, sixes.several, sixes.ones, DEPTH).items()]


def _chain(dice: int, several: str, ones: str, depth: int) -> dict[int, float]:
    """The total of dice whose sixes are always rolled on; a 1 on the way is FAIL."""
    totals: dict[int, float] = {}
    for p, total, live in throws(dice, several, ones):
        rest = _chain(live, several, ones, depth - 1) if live and depth else {0: 1.0}
        for more, q in rest.items():
            end = FAIL if total == FAIL or (live and depth and more == FAIL) else total + more
            totals[end] = totals.get(end, 0.0) + p * q
    return totals


def _settled(sixes: Sixes, dice: tuple[int, int], attack: bool) -> Floats:
    """P(win) and P(tie) by live sixes of both sides and lead, once the losing side rolls on while it can.

    Shape (dice + 1, dice + 1, 2, leads). Source: C3-0.1, C3-0.3.
    """
    lead = np.arange(-WIDEST, WIDEST + 1)
    end = np.stack([(lead > 0).astype(float), ((lead == 0) & (not attack)).astype(float)])
    settled: Floats = np.broadcast_to(end, (dice[0] + 1, dice[1] + 1, 2, len(lead))).copy()
    losing = lead <= 0 if attack else lead < 0
    for _ in range(DEPTH):
        before = settled.copy()
        for own, other in np.ndindex(dice[0] + 1, dice[1] + 1):
            if own:
                again = _again(before, own, other, 1, sixes)
                settled[own, other][:, losing] = again[:, losing]
            if other:
                again = _again(before, other, own, -1, sixes)
                settled[own, other][:, lead > 0] = again[:, lead > 0]
    return settled


def _again(values: Floats, live: int, still: int, sign: int, sixes: Sixes) -> Floats:
    """P(win) and P(tie) by lead when a side (sign -1: the other one) rolls its live sixes again."""
    total = np.zeros(values.shape[2:])
    for p, face, left in throws(live, sixes.several, sixes.ones):
        if face == FAIL:
            total[0] += p * (sign < 0)
        else:
            after = values[left, still] if sign > 0 else values[still, left]
            total += p * _moved(after, sign * face)
    return total


def _moved(values: Floats, by: int) -> Floats:
    """The values at leads that are `by` higher; at the ends they stay as they are."""
    return values.take(_places(values.shape[-1], by), axis=-1)


@lru_cache(maxsize=1024)
def _places(width: int, by: int) -> NDArray[np.intp]:
    return np.clip(np.arange(width) + by, 0, width - 1)


def _attack_first(sixes: Sixes) -> Floats:
    """P(hit) when the attacker settles his die before the defender throws. Source: C3-0.1.

    With `when_needed` he rolls a six again where that is better for him.
    """
    leads = np.arange(-WIDEST, WIDEST + 1)
    parried = np.array([success_chance(int(lead), sixes.other) for lead in leads])
    stands = 1 - parried
    rolled = np.zeros_like(stands)
    for _ in range(DEPTH):
        six = {"always": rolled, "never": stands, "when_needed": np.maximum(stands, rolled)}[sixes.own]
        rolled = sum((_moved(stands, face) for face in range(2, 6)), _moved(six, 6)) / 6
    return rolled
