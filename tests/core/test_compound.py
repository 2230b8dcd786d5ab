"""Sums of a random number of dice, against sums made number by number and against their moments."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mathhammer.core import compound as module
from mathhammer.core.added import Dice, added
from mathhammer.core.compound import compound
from mathhammer.core.kept import best
from mathhammer.core.pmf import Pmf
from mathhammer.kernels.pools import faces_worth
from tests.core.brute import pmfs

numbers = st.lists(st.integers(0, 5), min_size=1, max_size=8).filter(any)


def slowly(number: Pmf, die: Pmf) -> dict[int, float]:
    """Each number by itself."""
    chances: dict[int, float] = {}
    for count, weight in number:
        for value, chance in die.times(count):
            chances[value] = chances.get(value, 0.0) + weight * chance
    return chances


@settings(max_examples=60)
@given(numbers, st.integers(0, 3), pmfs())
def test_every_cell_is_right(parts: list[int], least: int, die: Pmf) -> None:
    number = Pmf(least, np.array(parts) / sum(parts))
    known, found = slowly(number, die), compound(number, die)
    values = {*known, *found.outcomes.tolist()}
    assert {value: found[value] for value in values} == pytest.approx(
        {value: known.get(value, 0.0) for value in values}, abs=1e-14
    )


thrown = {
    "many dice": added([Dice(40, Pmf.die(30))]),
    "their ends folded": added([Dice(40, Pmf.die(30))]).shortened(),
    "kept dice that explode": added([best(faces_worth(np.arange(1, 41), bonus="chain"), 6, 3)]),
    "at times none": Pmf.mixture([(0.3, Pmf.point(0)), (0.7, added([Dice(20, Pmf.die(20))]))]),
    "steps": Pmf(100, np.repeat([0.001, 0.003, 0.001], 200)),
    "a comb": Pmf(0, np.tile([0.01, 0.0, 0.0], 100)),
    "negative faces": added([Dice(40, Pmf.die(30))]),
}
dice = {
    "a comb": Pmf(0, [0.5, 0, 0.5]),
    "negative faces": Pmf(-2, [0.2, 0.3, 0.1, 0.4]),
    "steps": faces_worth(np.arange(1, 7) >= 4),
}


@pytest.mark.parametrize("name", thrown)
def test_frequencies_that_are_left_out_weigh_nothing(name: str) -> None:
    """Wide numbers, smooth and not, of dice that turn back to where they began, too."""
    number, die = thrown[name], dice.get(name, Pmf.die(6))
    known, found = slowly(number, die), compound(number, die)
    apart = [found[value] - known.get(value, 0.0) for value in {*known, *found.outcomes.tolist()}]
    assert max(map(abs, apart)) < 5e-15
    assert sum(map(abs, apart)) < 1e-11


def test_few_frequencies_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 50,000 thrown dice about a hundred of 65,537 matter; a quarter of these would not do."""
    heard = []
    loud = module._loud

    def listening(share: float, number: Pmf, at: Any) -> Any:
        matter = loud(number, at)
        heard.append(int(matter.sum()))
        return matter & (np.cumsum(matter) <= share * matter.sum())

    number = added([Dice(100, Pmf.die(1000))]).shortened()
    known = compound(number, Pmf.die(2))
    monkeypatch.setattr(module, "_loud", partial(listening, 1.0))
    assert compound(number, Pmf.die(2)) == known
    assert heard[0] < 200
    monkeypatch.setattr(module, "_loud", partial(listening, 0.25))
    assert np.abs(compound(number, Pmf.die(2)).probs - known.probs).max() > 1e-12


def test_moments_are_those_of_the_number_and_the_die() -> None:
    """The mean is the product of means; the variance is Wald's."""
    number, die = added([Dice(100, Pmf.die(1000))]).shortened(), Pmf.die(3)
    found = compound(number, die)
    assert found.mean == pytest.approx(number.mean * die.mean, rel=1e-12)
    assert found.sd**2 == pytest.approx(number.mean * die.sd**2 + number.sd**2 * die.mean**2, rel=1e-9)
