"""Plays and the die-by-die ways that the benchmarks compare."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.laws import Law
from mathhammer.core.steps import Columns, Play, Step

TRIALS = 10**6
DRAWS = 8


def kept_draws(law: Law, first: int, base: int) -> Play:
    """Eight draws, each with the one before as its key, all kept: nothing merges."""
    steps = [Step("x0", law, first, "x0")]
    for i in range(1, DRAWS):
        steps.append(Step(f"x{i}", law, _after(f"x{i - 1}", base), f"x{i}"))
    return Play({f"x{i}": 0 for i in range(DRAWS)}, steps, {"last": f"x{DRAWS - 1}"}, {})


def _after(column: str, base: int):  # type: ignore[no-untyped-def]
    def key(columns: Columns) -> NDArray[np.int32]:
        return columns[column] + np.int32(base)

    return key


def die_by_die_melee(rng: np.random.Generator, trials: int) -> float:
    """At 25, 4+, 4+, nerve 16: every die of every trial thrown, as a first numpy program does it."""
    hits = (rng.integers(1, 7, size=(trials, 25), dtype=np.uint8) >= 4).sum(axis=1)
    wounds = (rng.integers(1, 7, size=(trials, 25), dtype=np.uint8) >= 4) & (np.arange(25) < hits[:, None])
    damage = wounds.sum(axis=1)
    nerve = rng.integers(1, 7, size=(trials, 2), dtype=np.uint8).sum(axis=1)
    return float(((nerve + damage >= 16) & (damage > 0)).mean())


Stats = tuple[int, int, int, int, int]  # at, me, de, waver, rout


def strike(rng: np.random.Generator, dice: int, me: int, de: int, trials: int) -> NDArray[np.int64]:
    """Damage of one strike in each trial, every die thrown."""
    hits = (rng.integers(1, 7, size=(trials, dice), dtype=np.uint8) >= me).sum(axis=1)
    wounds = rng.integers(1, 7, size=(trials, dice), dtype=np.uint8) >= de
    damage: NDArray[np.int64] = (wounds & (np.arange(dice) < hits[:, None])).sum(axis=1)
    return damage


def die_by_die_fight(rng: np.random.Generator, first: Stats, second: Stats, turns: int, trials: int) -> float:
    """P(second routs): turns alternate, a wavering unit stands through its turn; no special doubles."""
    damage, wavers = np.zeros((2, trials), dtype=np.int64), np.zeros((2, trials), dtype=bool)
    routed = np.zeros((2, trials), dtype=bool)
    units = (first, second)
    for turn in range(2 * turns):
        own, enemy = turn % 2, 1 - turn % 2
        acts = ~wavers[own] & ~routed[own] & ~routed[enemy]
        dealt = strike(rng, units[own][0], units[own][1], units[enemy][2], trials) * acts
        damage[enemy] += dealt
        nerve = rng.integers(1, 7, size=(trials, 2), dtype=np.uint8).sum(axis=1) + damage[enemy]
        tested = dealt > 0
        routed[enemy] |= tested & (nerve >= units[enemy][4])
        wavers[enemy] = tested & (nerve >= units[enemy][3]) & (nerve < units[enemy][4])
        wavers[own] = False
    return float(routed[1].mean())
