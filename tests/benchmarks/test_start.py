"""Whole processes: the command line beside the imports that it cannot do without."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

RUN = ["-m", "mathhammer"]
COMMANDS = {
    "import typer, rich": ["-c", "import typer, rich"],
    "import numpy, typer, rich": ["-c", "import numpy, typer, rich"],
    "mathhammer --help": [*RUN, "--help"],
    "mathhammer kow --help": [*RUN, "kow", "--help"],
    "mathhammer kow melee ...": [*RUN, "kow", "melee", "ogre-warriors", "foot-guard"],
}


@pytest.mark.benchmark(group="whole processes")
@pytest.mark.parametrize("command", COMMANDS)
def test_process(benchmark: BenchmarkFixture, command: str) -> None:
    def run() -> int:
        return subprocess.run(
            [sys.executable, *COMMANDS[command]], capture_output=True, check=False
        ).returncode

    assert benchmark.pedantic(run, rounds=5, warmup_rounds=1) == 0
