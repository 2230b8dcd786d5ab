"""An area weapon of 6 dice over 20 bases with cold laws: joint losses by profile, each one's own chance."""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from mathhammer.core.cache import LAWS
from mathhammer.core.engine import Engine
from mathhammer.core.game import Matchup, Placed
from mathhammer.games import load
from mathhammer.games.confrontation_aor.area import area
from mathhammer.games.confrontation_aor.area_dice import failures_law, successes_law
from mathhammer.games.confrontation_aor.area_losses import fallen_law
from mathhammer.games.confrontation_aor.area_pooled import damage_sum
from mathhammer.games.confrontation_aor.area_tables import tables
from mathhammer.games.confrontation_aor.profile import Unit
from mathhammer.games.confrontation_aor.situations import Area

FIGHTER = {"movement": 10, "attack": 4, "strength": 4, "defence": 4, "resilience": 4, "courage": 4}
GUN = {**FIGHTER, "name": "Gun", "ranged": 4, "ranged_dice": 6, "ranged_strength": 6, "area": 2.0}
TARGET = {
    **FIGHTER,
    "name": "Target",
    "count": 16,
    "groups": {
        "leader": {"resilience": 6, "wounds": 2},
        "standard": {},
        "ogres": {"count": 2, "wounds": 3, "damage": 1},
    },
    "order": ["leader", "standard", "ranks", "ogres"],
}


@pytest.mark.benchmark(group="area weapons")
@pytest.mark.parametrize(
    ("distance", "damage", "lost"),
    [("25", "each", 12.085987), ("20..35", "each", 11.181159), ("25", "pooled", 15.479242)],
)
def test_joint_losses_and_each_fighters_chance(
    benchmark: BenchmarkFixture, distance: str, damage: str, lost: float
) -> None:
    units = {"attacker": GUN, "defender": TARGET}
    matchup = Matchup(
        units={role: (Placed(Unit.model_validate(fields)),) for role, fields in units.items()},
        situation=Area(distance=distance, files=5, aim=8),
        rules=load("aor").ruleset("default").values.model_copy(update={"area_damage": damage}),
    )

    def answered() -> float:
        LAWS.clear()
        for remembered in (failures_law, successes_law, fallen_law, damage_sum):
            remembered.cache_clear()
        kills = Engine(area(matchup)).exact().at_end("kills")
        fighters = tables(matchup, {})["fighters"]
        mean = sum(row["falls"] for row in fighters)
        assert mean == pytest.approx(sum(number * p for number, p in kills.items()), abs=1e-9)
        return float(mean)

    assert benchmark(answered) == pytest.approx(lost, rel=1e-6)
