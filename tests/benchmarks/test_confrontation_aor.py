"""Fights of The Age of the Rag'Narok with cold laws: 10 against 20, and 30 against 30 with 3 wounds."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from mathhammer.analysis.run import EngineName, run
from mathhammer.api import question
from mathhammer.core.cache import LAWS
from tests.games.confrontation_aor.units import unit

TEN: dict[str, Any] = {
    "count": 10,
    "dice": 2,
    "attack": 5,
    "strength": 6,
    "resilience": 5,
    "courage": 5,
    "power": 2,
}
MATCHUPS: dict[str, tuple[dict[str, Any], dict[str, Any], float]] = {
    "10 against 20": (TEN, {"count": 20, "courage": 3}, 0.734968),
    "30 against 30, 3 wounds": ({"count": 30, "wounds": 3}, {"count": 30, "wounds": 3}, 0.488881),
}


@pytest.mark.benchmark(group="six rounds, morale on, laws built included")
@pytest.mark.parametrize("engine", ["exact", "simulate"])
@pytest.mark.parametrize("matchup", MATCHUPS)
def test_fight(benchmark: BenchmarkFixture, matchup: str, engine: EngineName) -> None:
    first, second, expected = MATCHUPS[matchup]
    asked = question("aor", "fight", unit(**first), unit(**second), rounds=6)

    def answered() -> float:
        LAWS.clear()
        return run(asked, engine=engine, trials=10**9).probability("defender.destroyed")

    assert benchmark(answered) == pytest.approx(expected, abs=1e-4)
