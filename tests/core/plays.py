"""Little plays that use every kind of action, and what their tallies are compared by."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pytest

from mathhammer.core import engine, ensemble, flat
from mathhammer.core.dice import roll, thresholds
from mathhammer.core.engine import Engine
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Action, Change, Columns, Mark, Mask, Play, Step
from mathhammer.core.tally import Tally
from mathhammer.kernels.pools import pool, successes
from tests.oracle import agrees

Distribution: TypeAlias = Mapping[Any, float]

MOST_DAMAGE = 12
SIDES = 20


# -- plays whose states merge ----------------------------------------------------------------------
def brawl(seed: int, *, more_dice: int = 0, easier: int = 0, passing: bool = True, shift: int = 0) -> Play:
    """Rounds of blows and nerve, everything about them drawn from `seed`.

    Blows are pools by the fighters left, some only where they stand; nerve is tested by damage, where there
    is any, and counts as shaken elsewhere; changes close a round, marks count it, the broken leave early.
    more_dice, easier: an altered play, of one more die or one pip less. shift: only shifts what is stated
    elsewhere (`otherwise`).
    """
    rng = random.Random(seed)
    fighters, need = rng.randint(2, 4), rng.randint(3, 5)
    bonus, harm = rng.choice(["none", "once", "chain"]), successes(rng.randint(3, 5))
    hit = successes(need - easier, bonus=bonus)
    standing = rng.choice([None, _at_least("steadfast", 1)])
    levels = (rng.randint(4, 7), rng.randint(8, 11))
    rounds, breaks = rng.randint(2, 3), rng.choice([None, 5, 8])
    actions: list[Action] = []
    for number in range(1, rounds + 1):
        actions += [
            Step("hits", pool(hit), "fighters", "hits", standing, rule="T-01", passing=passing),
            Step("harm", pool(harm), "hits", _hurt, standing, rule="T-02"),
            Step("steadfast", _nerve(levels), "damage", "steadfast", _at_least("damage", 1), 1 + shift),
            Change("losses", _lose),
            Mark(number),
        ]
    return Play(
        start={"fighters": fighters + more_dice, "damage": 0, "steadfast": 2, "hits": 0},
        actions=actions,
        measures={"damage": "damage", "fighters": "fighters"},
        events={"shaken": lambda columns: columns["steadfast"] == 1, "hurt": _at_least("damage", 1)},
        finished=None if breaks is None else _at_least("damage", breaks),
    )


def _at_least(column: str, value: int) -> Callable[[Columns], Mask]:
    return lambda columns: columns[column] >= value


def _hurt(columns: Columns, outcome: Ints) -> dict[str, Ints]:
    """Damage adds up to a cap; the hits behind it are forgotten."""
    return {"damage": np.minimum(columns["damage"] + outcome, MOST_DAMAGE), "hits": np.zeros_like(outcome)}


def _nerve(levels: tuple[int, int]) -> Law:
    """How steadfast they are by damage: 2 fewer levels reached is better."""
    graded = thresholds(roll("2d6"), levels)
    return graded @ Law.of([Pmf.point(2), Pmf.point(1), Pmf.point(0)])


def _lose(columns: Columns) -> dict[str, Ints]:
    lost = (columns["steadfast"] == 0).astype(np.int32)
    return {"fighters": np.maximum(columns["fighters"] - lost, 1)}


# -- plays whose states do not merge ---------------------------------------------------------------
def scatter(*, sides: int = SIDES, more_dice: int = 0, easier: int = 0, passing: bool = True) -> Play:
    """Three coordinates that are all kept, then rules that look at them: states by the thousand."""
    die = Law.constant(Pmf.die(sides))
    near = successes(4 - easier)

    def far(columns: Columns) -> Mask:
        mask: Mask = columns["x"] + columns["y"] > sides
        return mask

    return Play(
        start={"x": 0, "y": 0, "z": 0, "w": 0, "drift": 0, "caught": 0},
        actions=[
            Step("x", die, 0, "x"),
            Step("y", die, 0, "y"),
            Step("z", die, 0, "z"),
            Mark(1),
            Step("shots", pool(near), lambda c: c["x"] % 5 + more_dice, "shots", far, passing=passing),
            Step("w", pool(successes(3)), "shots", "w", far, otherwise=1),
            Change("drift", lambda columns: {"drift": columns["z"] % 3 + columns["w"]}),
            Mark(2),
            Step("caught", thresholds(roll("d6"), (5, 8)), "drift", "caught"),
            Mark(3),
        ],
        measures={"w": "w", "caught": "caught", "ring": lambda columns: (columns["x"] - columns["y"]) // 4},
        events={"far": far, "safe": lambda columns: columns["caught"] == 0},
        finished=lambda columns: (columns["z"] >= sides) | (columns["w"] >= 3),
    )


def rolls(law: Law, times: int = 1, keep: bool = False) -> Play:
    """One law drawn some times over; the measure is the last outcome. keep: all outcomes stay."""
    names = [f"roll{i}" if keep else "roll" for i in range(times)]
    return Play(
        start=dict.fromkeys(names, 0),
        actions=[Step(name, law, 0, name) for name in names],
        measures={"outcome": names[-1]},
        events={},
    )


# -- running them ----------------------------------------------------------------------------------
REGIMES: Mapping[str, Mapping[str, int]] = {
    "grouped": {"FLAT_GAIN": 0},
    "flat": {"FLAT_ROWS": 0, "FLAT_GAIN": 2**40},
    "parts": {"FLAT_GAIN": 0, "SIMULATED_ROWS": 12, "BLOCK_CELLS": 10},
    "parts, then flat": {"FLAT_ROWS": 0, "FLAT_GAIN": 100, "SIMULATED_ROWS": 12, "BLOCK_CELLS": 10},
}


def impose(monkeypatch: pytest.MonkeyPatch, **limits: int) -> None:
    """Other limits for the engine."""
    for name, limit in limits.items():
        monkeypatch.setattr(ensemble if name == "BLOCK_CELLS" else engine, name, limit)


@dataclass
class Spied:
    """What the engine did: rows of every ensemble it held, how often it split, flat draws made."""

    rows: list[int] = field(default_factory=list)
    splits: int = 0
    flat: int = 0


def spy(monkeypatch: pytest.MonkeyPatch) -> Spied:
    """Watches the engine advance."""
    spied = Spied()
    grouped, single = ensemble.Ensemble.advance, flat.advance

    def advance(self: ensemble.Ensemble, *args: Any) -> Any:
        done, rest = grouped(self, *args)
        spied.rows += [len(self), len(done)]
        spied.splits += rest is not None
        return done, rest

    def advance_flat(*args: Any) -> Any:
        spied.flat += 1
        return single(*args)

    monkeypatch.setattr(ensemble.Ensemble, "advance", advance)
    monkeypatch.setattr(flat, "advance", advance_flat)
    return spied


def exact(play: Play) -> Tally:
    """The exact tally."""
    return Engine(play).exact()


def simulated(play: Play, trials: int, seed: int = 1) -> Tally:
    """A simulated tally."""
    return Engine(play).simulate(trials, [seed])


def joint(tally: Tally) -> Distribution:
    """Measures and events together at the end -> weight."""
    states = tally.joint.settle() if tally.joint else None
    assert states is not None
    rows = zip(*(column.tolist() for column in states.columns.values()), strict=True)
    return dict(zip(rows, states.weights.tolist(), strict=True))


def distributions(play: Play, tally: Tally) -> Iterator[tuple[str, Distribution]]:
    """Each measure and event, at each round mark and at the end -> weight of its values."""
    for name in play.reads:
        yield f"{name} at the end", tally.at_end(name)
        for mark in range(len(tally.moving)):
            yield f"{name} at mark {mark}", tally.at_round(mark, name)


def counts(distribution: Distribution) -> dict[Any, int]:
    """A simulated distribution, whose weights are whole."""
    assert all(isinstance(weight, int) for weight in distribution.values())
    return {value: int(weight) for value, weight in distribution.items()}


def disagreements(play: Play, sample: Tally, law: Tally) -> list[str]:
    """Which distributions of a simulated tally the exact one denies."""
    pairs = zip(distributions(play, sample), distributions(play, law), strict=True)
    denied = [name for (name, seen), (_, known) in pairs if not agrees(counts(seen), known)]
    together = agrees(counts(joint(sample)), joint(law))
    return denied if together else [*denied, "joint"]
