"""Where nothing merges: eight dependent draws, all kept, a million trials, beside numpy a trial."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from pytest_benchmark.fixture import BenchmarkFixture

from mathhammer.core.engine import Engine
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Pmf
from mathhammer.kernels.pools import pool, successes
from tests.benchmarks.conftest import DRAWS, TRIALS, kept_draws

POOL = pool(successes(4))
D20 = Law(("d20 whatever the key",), lambda key: Pmf.die(20))


def binomial_a_trial(rng: np.random.Generator) -> list[NDArray[np.int64]]:
    kept = [rng.binomial(30, 0.5, TRIALS)]
    for _ in range(DRAWS - 1):
        kept.append(rng.binomial(kept[-1] + 15, 0.5))
    return kept


def d20_a_trial(rng: np.random.Generator) -> list[NDArray[np.uint8]]:
    """Each d20 read against the one before, so that the draws depend on each other."""
    kept = [rng.integers(1, 21, TRIALS, dtype=np.uint8)]
    for _ in range(DRAWS - 1):
        roll = rng.integers(1, 21, TRIALS, dtype=np.uint8)
        kept.append(np.where(kept[-1] >= 11, roll, 21 - roll).astype(np.uint8))
    return kept


@pytest.mark.benchmark(group="eight dependent draws, 30-dice pools")
def test_pools_by_generator_binomial(benchmark: BenchmarkFixture) -> None:
    assert len(benchmark(binomial_a_trial, np.random.default_rng(1))) == DRAWS


@pytest.mark.benchmark(group="eight dependent draws, 30-dice pools")
def test_pools_by_the_engine(benchmark: BenchmarkFixture) -> None:
    tally = benchmark(lambda: Engine(kept_draws(POOL, 30, 15)).simulate(TRIALS, [1]))
    assert sum(tally.at_end("last").values()) == TRIALS


@pytest.mark.benchmark(group="eight dependent draws, d20")
def test_d20s_by_uint8_numpy(benchmark: BenchmarkFixture) -> None:
    assert len(benchmark(d20_a_trial, np.random.default_rng(1))) == DRAWS


@pytest.mark.benchmark(group="eight dependent draws, d20")
def test_d20s_by_the_engine(benchmark: BenchmarkFixture) -> None:
    tally = benchmark(lambda: Engine(kept_draws(D20, 0, 0)).simulate(TRIALS, [1]))
    assert sum(tally.at_end("last").values()) == TRIALS
