"""Integer programs: against every choice, by going through and by dividing; nothing is printed."""

from __future__ import annotations

import os
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathhammer.analysis import program
from mathhammer.analysis.program import Program, quiet
from mathhammer.core.errors import InputError


def case(
    seed: int, sizes: tuple[int, ...] = (1, 1, 1, 1), each: int = 6, uses: int = 5
) -> tuple[Program, Any, Any, Any, Any]:
    rng = np.random.default_rng(seed)
    count = len(sizes) * each
    gains = rng.uniform(0.01, 1, count)
    used = rng.integers(0, 3, (count, uses))
    of = np.repeat(np.arange(len(sizes)), each)
    bounds = rng.integers(1, 5, uses) * max(sizes)
    return Program(gains, used, of, np.array(sizes)), gains, used, of, bounds


def brute(gains: Any, used: Any, of: Any, bounds: Any, sizes: tuple[int, ...] = (1, 1, 1, 1)) -> float:
    """The best value of all choices."""
    offers = [[-1, *np.flatnonzero(of == group)] for group, size in enumerate(sizes) for _ in range(size)]
    best = 0.0
    for choice in product(*offers):
        taken = [column for column in choice if column >= 0]
        if (used[taken].sum(axis=0) <= bounds).all():
            best = max(best, float(gains[taken].sum()))
    return best


@pytest.mark.parametrize("states", [program.MOST_STATES, 0], ids=["through", "divided"])
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("sizes", [(1, 1, 1, 1), (3, 1), (2, 2)])
def test_the_best_choice_is_the_best_of_all(
    sizes: tuple[int, ...], seed: int, states: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "MOST_STATES", states)
    made, gains, used, of, bounds = case(seed, sizes)
    chosen = list(made.best(bounds))
    assert (used[chosen].sum(axis=0) <= bounds).all()
    assert (np.bincount(of[chosen], minlength=len(sizes)) <= sizes).all()
    assert gains[chosen].sum() == pytest.approx(brute(gains, used, of, bounds, sizes), abs=1e-7)
    assert made.bound(bounds) >= gains[chosen].sum() - 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_equal_questions_after_others_have_equal_answers(seed: int) -> None:
    """The relaxation is begun with what earlier questions left."""
    made, *_, bounds = case(seed, (1,) * 5, each=90)
    first = made.best(bounds)
    for place in range(len(bounds)):
        tighter = bounds.copy()
        tighter[place] = 0
        assert made.best(tighter) == case(seed, (1,) * 5, each=90)[0].best(tighter)
    assert made.best(bounds) == first


@given(st.integers(0, 10**6), st.floats(0, 1.2))
def test_nothing_where_nothing_gains_enough(seed: int, share: float) -> None:
    made, gains, used, of, bounds = case(seed, (1, 1, 1))
    top = brute(gains, used, of, bounds, (1, 1, 1))
    chosen = list(made.best(bounds, least=share * top + 1e-6))
    if share * top + 1e-6 < top:
        assert gains[chosen].sum() == pytest.approx(top, abs=1e-7)
    elif share > 1.001 or top == 0:
        assert chosen == []


def test_a_solver_that_gives_up_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "MOST_STATES", 0)
    monkeypatch.setattr(program, "SECONDS", 0.0)
    made, *_, bounds = case(1, (1,) * 6, each=60)
    with pytest.raises(InputError, match="fewer units or a smaller team"):
        made.best(bounds)


def test_what_the_solver_prints_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    with quiet():
        os.write(1, b"HiGHS says\n")
    os.write(1, b"heard\n")
    assert capfd.readouterr().out == "heard\n"
