"""Best play solved with cold laws: placement within 50 ms, a duel of three rounds 200 ms, frays 1 s and 2 s.

Beside it, the duel die by die in numpy with simple habits, as a first program would do it.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pytest_benchmark.fixture import BenchmarkFixture

import mathhammer
from mathhammer.core.cache import LAWS
from mathhammer.games.confrontation_3 import exchange, plan, sixes, wounds

TRIALS = 10**6
PROWLER, MAGISTRATE, PALADIN = "wolfen-prowler", "griffin-magistrate", "alahan-paladin"
SOLVED: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "placement (goal 50 ms)": ("placement", [PROWLER, MAGISTRATE], {}),
    "duel, charge, 3 rounds (goal 200 ms)": (
        "duel",
        [PROWLER, MAGISTRATE],
        {"contact": "charge", "activated": True, "rounds": 3},
    ),
    "fray, 2 enemies (goal 1 s)": ("fray", [PROWLER, MAGISTRATE], {"with_": [PALADIN]}),
    "fray, 3 alike (goal 1 s)": ("fray", ["onyx-the-prowler", PALADIN], {"with_": [PALADIN] * 2}),
    "fray, 3 different (goal 2 s)": (
        "fray",
        ["onyx-the-prowler", PALADIN],
        {"with_": [MAGISTRATE, "sylvan-animae"]},
    ),
    "fray, 4 by simple habits": (
        "fray",
        ["onyx-the-prowler", PALADIN],
        {"with_": [PALADIN] * 3, "play": "simple"},
    ),
}


def forget() -> None:
    """Cold: nothing that an earlier question has left."""
    LAWS.clear()
    for cached in (
        plan.planned,
        exchange.graph,
        exchange._arranged,
        sixes.hit_chances,
        sixes._opposed,
        sixes.success_chance,
        wounds.damage_law,
    ):
        cached.cache_clear()


def asked(name: str) -> Callable[[], float]:
    mode, units, options = SOLVED[name]

    def answered() -> float:
        forget()
        result = mathhammer.exact("c3", mode, *units, **options)
        assert result.tables
        return result.probability("attacker.killed")

    return answered


@pytest.mark.benchmark(group="Confrontation 3, exact, with its tables")
@pytest.mark.parametrize("name", SOLVED)
def test_solved(benchmark: BenchmarkFixture, name: str) -> None:
    rounds = 3 if name.startswith("fray") else 20
    assert 0 < benchmark.pedantic(asked(name), rounds=rounds) < 1


def test_a_fray_of_three_stays_within_300_megabytes() -> None:
    tracemalloc.start()
    try:
        asked("fray, 3 different (goal 2 s)")()
        assert tracemalloc.get_traced_memory()[1] < 300e6
    finally:
        tracemalloc.stop()


@pytest.mark.benchmark(group="Confrontation 3, one round by simple habits, a million trials")
def test_duel_simulated(benchmark: BenchmarkFixture) -> None:
    def simulated() -> float:
        forget()
        asked: dict[str, Any] = {"play": "simple", "rules": {"reroll_six": "never"}}
        result = mathhammer.simulate("c3", "duel", PROWLER, MAGISTRATE, engine="simulate", **asked)
        return result.probability("attacker.killed")

    assert benchmark(simulated) == pytest.approx(expected(), abs=0.002)


def expected() -> float:
    asked: dict[str, Any] = {"play": "simple", "rules": {"reroll_six": "never"}}
    return mathhammer.exact("c3", "duel", PROWLER, MAGISTRATE, **asked).probability("attacker.killed")


@pytest.mark.benchmark(group="Confrontation 3, one round by simple habits, a million trials")
def test_duel_die_by_die_numpy(benchmark: BenchmarkFixture) -> None:
    trials = 50_000 if benchmark.disabled else TRIALS
    rng = np.random.default_rng(1)
    seen = benchmark.pedantic(die_by_die_duel, (rng, trials), rounds=1)
    assert seen == pytest.approx(expected(), abs=0.006)


Trials = NDArray[np.int64]


def die_by_die_duel(rng: np.random.Generator, trials: int) -> float:
    """P(the first is killed): both 1/1, each spends its die, no six is rolled again; every die thrown."""
    ini, att, strength, defence, res = np.array([[4, 3], [4, 3], [6, 6], [3, 4], [5, 5]])
    wound, stun = np.zeros((2, trials), dtype=np.int64), np.zeros((2, trials), dtype=np.int64)
    winner = initiative(rng, ini[0] - ini[1], trials)
    for turn in range(2):
        for own in (0, 1):
            acts = (np.where(turn == 0, winner, 1 - winner) == own) & (wound.max(axis=0) < 4)
            strike(rng, own, acts, (att, strength, defence, res), wound, stun)
    return float((wound[0] == 4).mean())


def initiative(rng: np.random.Generator, lead: int, trials: int) -> Trials:
    """Who wins, thrown again while it is a tie."""
    winner = np.full(trials, -1)
    while (left := np.flatnonzero(winner < 0)).size:
        a, b = rng.integers(1, 7, size=(2, left.size))
        order = np.where((a == 1) | (b == 1), np.sign((a > 1) - 1 * (b > 1)), np.sign(lead + a - b))
        winner[left] = np.select([order > 0, order < 0], [0, 1], -1)
    return winner


def strike(
    rng: np.random.Generator, own: int, acts: NDArray[np.bool_], values: Any, wound: Trials, stun: Trials
) -> None:
    """One attack against one die, and its wound by the placeholder table."""
    att, strength, defence, res = values
    other, size = 1 - own, wound.shape[1]
    off = wound + stun
    a, d, first, second = rng.integers(1, 7, size=(4, size))
    lead = att[own] - off[own] - defence[other] + off[other] + a - d
    hit = acts & (a > 1) & ((d == 1) | (lead > 0))
    x = np.maximum(first, second) + strength[own] - off[own] - res[other] + np.minimum(first, second) - 1
    level = np.where((first == 6) & (second == 6), 4, np.clip((x - 1) // 3, -1, 4))
    stun[other] |= hit & (level == 0) & (x >= 1)
    heavier = np.where(level > wound[other], level, wound[other] + 1)
    wound[other] = np.where(hit & (level >= 1), np.minimum(heavier, 4), wound[other])
