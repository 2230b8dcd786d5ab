"""Decisions over many matchups, from the command to the file, beside what they are held to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from mathhammer.analysis.execute import execute
from tests.analysis.sweeps import ROUT, sweep

ENEMIES = "foot-guard,zombie-3:w2,ghoul,orc-ax:w2,elf-spearmen,trolls"
UNITS = (
    "elf-spearmen,elf-bowmen,drakon-riders,dwarf-ironclad,ironwatch,ghoul,revenant-cavalry,revenant,orc-ax,"
    "gore-riders,foot-guard,knights,pike-phalanx,ogre-warriors-1,shield-wall,heavy-pike-block,"
    "ogre-warriors-2,skeleton-warriors,zombie-2,ax"
)
COMMANDS = {
    "all units against all, to a file": "sweep kow melee * * --event rout --out rows.csv",
    "needs": "needs kow melee ogre-warriors foot-guard --event rout --chance 0.8 --over at",
    "worth of a step": "needs kow melee ogre-warriors foot-guard",
    "army of 20 units and 6 enemies": f"army kow melee {UNITS} {ENEMIES} --budget 1500",
}


@pytest.mark.benchmark(group="decisions: whole processes")
@pytest.mark.parametrize("name", COMMANDS)
def test_command(name: str, benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    def run() -> int:
        (tmp_path / "rows.csv").unlink(missing_ok=True)
        command = [sys.executable, "-m", "mathhammer", *COMMANDS[name].split()]
        return subprocess.run(command, capture_output=True, check=False, cwd=tmp_path).returncode

    assert benchmark.pedantic(run, rounds=3 if "army" not in name else 1) == 0


@pytest.mark.benchmark(group="decisions: one sweep of fights")
@pytest.mark.parametrize("way", ["here", "two processes"])
def test_workers(way: str, benchmark: BenchmarkFixture) -> None:
    made = sweep({"turns": "1..6", "defender.rules.regeneration": "2..6"}, None, (ROUT,), "fight")
    made = type(made)(made.grid, (type(ROUT)("event", "defender.rout"),))
    table = benchmark.pedantic(lambda: execute(made, workers=1 if way == "here" else 2), rounds=1)
    assert len(table.done) == len(made.grid)
