"""The reference charge (At 25, Me 4+, De 4+, nerve 14/16), beside the die-by-die numpy way."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import mathhammer
from mathhammer.analysis.question import find_unit
from mathhammer.core.cache import LAWS
from mathhammer.core.engine import Engine
from mathhammer.games import load
from mathhammer.games.kings_of_war.profile import Unit
from tests.benchmarks.conftest import TRIALS, die_by_die_fight, die_by_die_melee, strike
from tests.games.kings_of_war.units import unit

ROUT = 0.2465653298
HORDES = [("pike-phalanx", "ax-horde"), ("tallspears-horde", "tallspears-horde")]
ASKED = mathhammer.question("kow", "melee", unit(at=25), unit())
PLAY = ASKED.mode.play(ASKED.matchup(ASKED.ruleset.values))


@pytest.mark.benchmark(group="one charge")
def test_die_by_die_numpy_at_a_million(benchmark: BenchmarkFixture) -> None:
    rng = np.random.default_rng(1)
    assert benchmark(die_by_die_melee, rng, TRIALS) == pytest.approx(ROUT, abs=0.003)


@pytest.mark.benchmark(group="one charge")
def test_engine_exact(benchmark: BenchmarkFixture) -> None:
    assert benchmark(lambda: Engine(PLAY).exact()).at_end("rout")[1] == pytest.approx(ROUT)


@pytest.mark.benchmark(group="one charge")
@pytest.mark.parametrize("trials", [10**6, 10**9, 10**12])
def test_engine_simulated(benchmark: BenchmarkFixture, trials: int) -> None:
    tally = benchmark(lambda: Engine(PLAY).simulate(trials, [1]))
    assert tally.at_end("rout")[1] / trials == pytest.approx(ROUT, abs=0.003)


@pytest.mark.benchmark(group="one charge")
def test_through_simulate_with_its_result(benchmark: BenchmarkFixture) -> None:
    attacker, defender = "elf-spearmen,at=25,de=4", "elf-spearmen"

    def asked() -> float:
        return mathhammer.simulate("kow", "melee", attacker, defender).probability("rout")

    assert benchmark(asked) == pytest.approx(ROUT)


@pytest.mark.benchmark(group="fight, 6 turns each, two hordes, laws built included")
@pytest.mark.parametrize("engine", ["exact", "simulate"])
@pytest.mark.parametrize("edition", [1, 3])
@pytest.mark.parametrize("hordes", HORDES, ids="-".join)
def test_fight(benchmark: BenchmarkFixture, engine: Any, edition: int, hordes: tuple[str, str]) -> None:
    def fought() -> float:
        LAWS.clear()
        result = mathhammer.simulate("kow", "fight", *hordes, engine=engine, edition=edition)
        return result.probability("defender.rout")

    assert 0 < benchmark(fought) < 1


@pytest.mark.benchmark(group="fight, 6 turns each, two hordes, laws built included")
def test_fight_die_by_die_numpy_at_a_million(benchmark: BenchmarkFixture) -> None:
    """The same fight of edition 1, with the exact answer as oracle; fewer trials where nothing is timed."""
    trials = 20_000 if benchmark.disabled else TRIALS
    rng, pikes, orcs = np.random.default_rng(1), (20, 4, 3, 20, 22), (25, 4, 5, 20, 22)
    exact = mathhammer.exact("kow", "fight", "pike-phalanx", "ax-horde,rules.crushing_strength=0")
    seen = benchmark.pedantic(die_by_die_fight, (rng, pikes, orcs, 6, trials), rounds=1)
    assert seen == pytest.approx(exact.probability("defender.rout"), abs=0.02)


@pytest.mark.benchmark(group="all units against all")
def test_all_against_all_die_by_die_at_a_thousand_trials(benchmark: BenchmarkFixture) -> None:
    """A thousand trials a matchup leave 1.5 points of noise; the exact matrix has none."""
    catalogue, rng = load("kow").catalogue, np.random.default_rng(1)
    units = [cast(Unit, find_unit(load("kow"), unit_id)) for unit_id in catalogue.ids()]

    def matrix() -> int:
        return sum(len(strike(rng, a.at, a.me, d.de, 1000)) for a in units for d in units)

    assert benchmark.pedantic(matrix, rounds=1) == 1000 * len(units) ** 2


@pytest.mark.benchmark(group="all units against all")
def test_all_against_all(benchmark: BenchmarkFixture) -> None:
    ids = load("kow").catalogue.ids()

    def matrix() -> list[float]:
        LAWS.clear()
        return [mathhammer.exact("kow", "melee", a, d).probability("rout") for a in ids for d in ids]

    assert len(benchmark.pedantic(matrix, rounds=3)) == len(ids) ** 2
