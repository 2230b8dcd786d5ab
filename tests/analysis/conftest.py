"""Answers that many tests look at: one question by each engine, and a fight."""

from __future__ import annotations

import pytest

import mathhammer
from mathhammer.analysis.result import Result

TRIALS, SEED = 20_000, 5


@pytest.fixture(scope="session")
def both() -> Result:
    """Exact and simulated numbers of one charge, with its stages."""
    return mathhammer.simulate(
        "kow", "melee", "ogre-warriors", "foot-guard", facing="flank", trials=TRIALS, seed=SEED, explain=True
    )


@pytest.fixture(scope="session")
def simulated() -> Result:
    """The same charge, simulated alone."""
    return mathhammer.simulate(
        "kow",
        "melee",
        "ogre-warriors",
        "foot-guard",
        facing="flank",
        trials=TRIALS,
        seed=SEED,
        engine="simulate",
    )


@pytest.fixture(scope="session")
def exact() -> Result:
    """The same charge, exact alone."""
    return mathhammer.exact("kow", "melee", "ogre-warriors", "foot-guard", facing="flank")


@pytest.fixture(scope="session")
def fight() -> Result:
    """A fight of three rounds."""
    return mathhammer.simulate("kow", "fight", "knights", "orc-ax", turns=3, trials=TRIALS, seed=SEED)


@pytest.fixture(scope="session", params=["both", "simulated", "exact"])
def result(request: pytest.FixtureRequest) -> Result:
    """The charge by each engine in turn."""
    answer = request.getfixturevalue(request.param)
    assert isinstance(answer, Result)
    return answer
