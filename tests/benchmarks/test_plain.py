"""Dice expressions of up to 100 dice with cold laws, beside numpy that throws each die of 100,000 trials."""

from __future__ import annotations

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import mathhammer
from mathhammer.core.cache import LAWS
from mathhammer.plain import dice as plain_dice

EXPRESSIONS = {
    "100d6": 350.0,
    "100d6kh50": 248.00962,
    "100d100kh50": 3762.540429,
    "100d1000kh50": 37401.22929,
    "100d1000kh10": 9460.437211,
    "100d1000kl50": 12648.77,
    "12d1000!kl11": 5082.446054,
    "100d1000rr<500#50": 62488.089446,
    "6d20rr1#1kh3": 45.0522810,
    "100d6>=4": 50.0,
    "100d6!": 420.0,
    "100d6rr<4#1": 352.5,
    "100d6rr<4#5": 362.49988,
    "20d100 -> d6": 3535.0,
    "50d6 > 50d6": 175.0,
    "100d6>=3 -> d6>=4 -> d6>=5": 11.11111,
    "100d1000": 50050.0,
    "+".join(f"d{1000 - less}" for less in range(50)): 24412.5,
    "5d1000kh3! + 9d800dl4!": 4811.014915,
    "100d1000 -> d2": 75075.0,
    "20d1000!kh10 -> d6": 25885.897570,
    "26d1000kh13!5": 9649.153489,
    "+".join(f"3d{1000 - less}dh1!50" for less in range(30)): 22203.788093,
    "+".join(f"4d{1000 - less}rr<500#2" for less in range(25)): 60564.044114,
}


@pytest.mark.benchmark(group="dice expressions")
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression(benchmark: BenchmarkFixture, expression: str) -> None:
    def answered() -> float:
        LAWS.clear()
        for known in (plain_dice.summand, plain_dice.pool_pmf, plain_dice.total_of):
            known.cache_clear()
        return mathhammer.dice(expression, engine="exact").mean("result")

    assert benchmark(answered) == pytest.approx(EXPRESSIONS[expression], rel=1e-6)


@pytest.mark.benchmark(group="dice expressions")
def test_keeping_50_of_100_die_by_die_numpy(benchmark: BenchmarkFixture) -> None:
    rng = np.random.default_rng(1)

    def thrown() -> float:
        dice = np.sort(rng.integers(1, 7, size=(100_000, 100), dtype=np.uint8), axis=1)
        return float(dice[:, 50:].sum(axis=1).mean())

    assert benchmark.pedantic(thrown, rounds=2) == pytest.approx(248.0, abs=0.3)
