"""Battlefield mode: a charge with all that may follow, a melee of four, a plan of ten actions."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import mathhammer
from mathhammer.analysis.run import EngineName, run
from tests.games.battlefield.samples import DATA
from tests.games.battlefield.units import unit

CHARGE = mathhammer.question(
    "battlefield",
    "charge",
    "household-knights",
    "pikes",
    cells=3,
    order="break-through",
    behind=["archers"],
    ahead=["crossbows"],
)
FOUR = ["pikes@ours", "halberdiers@theirs"]
MELEES = {
    order: mathhammer.question(
        "battlefield", "melee", "levy-spears", "heavy-infantry", rounds=6, with_=FOUR, order=order
    )
    for order in ("attack", "disrupt+attack", "disengage")
}
PLAN = mathhammer.question("battlefield", "plan", file=str(DATA / "plan.toml"))
TRIALS = 10**6
ENGINES: list[EngineName] = ["exact", "simulate"]


@pytest.mark.benchmark(group="a charge with every follow-up (aim: 10 ms exact)")
@pytest.mark.parametrize("engine", ENGINES)
def test_charge(benchmark: BenchmarkFixture, engine: EngineName) -> None:
    trials = 10**9 if engine == "simulate" else TRIALS
    result = benchmark(lambda: run(CHARGE, engine=engine, trials=trials))
    assert result.probability("melee") == pytest.approx(0.425, abs=0.001)


@pytest.mark.benchmark(group="a melee of four over six rounds (aim: 200 ms)")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("order", MELEES)
def test_melee(benchmark: BenchmarkFixture, order: str, engine: EngineName) -> None:
    trials = 10**9 if engine == "simulate" else TRIALS
    result = benchmark(lambda: run(MELEES[order], engine=engine, trials=trials))
    assert result.mean("attacker.damage") > 100


@pytest.mark.benchmark(group="a plan of ten actions (aim: 1 s)")
@pytest.mark.parametrize("engine", ENGINES)
def test_plan(benchmark: BenchmarkFixture, engine: EngineName) -> None:
    trials = 10**9 if engine == "simulate" else TRIALS
    result = benchmark(lambda: run(PLAN, engine=engine, trials=trials))
    assert result.probability("melee") == pytest.approx(0.415, abs=0.001)


@pytest.mark.benchmark(group="a plan of ten actions (aim: 1 s)")
def test_tables_of_a_plan(benchmark: BenchmarkFixture) -> None:
    assert len(benchmark(lambda: run(PLAN, engine="exact").tables["branches"])) > 40


def charge_die_by_die(rng: np.random.Generator, trials: int) -> float:
    """P(in melee): lances, counters, break through, break-in, every die of every trial thrown."""
    damage = 2 * _hits(rng, 6 + 2 - 15, trials)
    stands = damage < 5
    through = stands & (rng.integers(1, 21, trials) + 6 + 2 + 3 * 3 >= 20 + 9)
    inside = stands & ~through & (rng.integers(1, 21, trials) + 6 + 2 + 3 * 3 >= 15 + 9)
    return float(inside.mean())


def _hits(
    rng: np.random.Generator, lead: int, trials: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    rolls = rng.integers(1, 21, size=(trials, 3))
    hits: np.ndarray[tuple[int, ...], np.dtype[np.int64]] = (
        ((rolls + lead >= 0) & (rolls > 1)) | (rolls == 20)
    ).sum(axis=1)
    return hits


@pytest.mark.benchmark(group="a charge with every follow-up (aim: 10 ms exact)")
def test_charge_die_by_die_numpy_at_a_million(benchmark: BenchmarkFixture) -> None:
    """A smaller charge than the one above, with the exact answer as oracle."""
    trials = 20_000 if benchmark.disabled else TRIALS
    knights = unit(attack=6, mount="heavy", weapon="lance", damage=1, number=9999)
    exact = mathhammer.exact(
        "battlefield", "charge", knights, unit(attack=9, number=5), cells=3, order="break-through"
    )
    seen = benchmark.pedantic(charge_die_by_die, (np.random.default_rng(1), trials), rounds=2)
    assert seen == pytest.approx(exact.probability("melee"), abs=0.02)
