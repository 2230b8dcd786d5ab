"""Sums of random numbers of dice by Fourier transform, against sums made number by number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mathhammer.core.pmf import Pmf
from mathhammer.core.sums import Mixture, several
from tests.core.brute import pmfs

weights_of_rows = st.lists(st.lists(st.integers(0, 5), min_size=5, max_size=5), min_size=2, max_size=2)


def slowly(
    weights: np.ndarray, dice: list[Pmf], shifts: list[int], other: Pmf, also: list[int]
) -> dict[int, float]:
    """Each sum by itself."""
    cells: dict[int, float] = {}
    for row, die, shift, more in zip(weights, dice, shifts, also, strict=True):
        for number, weight in enumerate(row):
            for value, chance in die.times(number) + other.times(more):
                cells[value + shift] = cells.get(value + shift, 0.0) + float(weight) * chance
    return cells


@settings(max_examples=60)
@given(weights_of_rows, pmfs(), pmfs(), pmfs(), st.integers(-4, 4), st.integers(0, 3))
def test_every_cell_is_right(
    rows: list[list[int]], first: Pmf, second: Pmf, other: Pmf, shift: int, more: int
) -> None:
    weights = np.array(rows, dtype=np.float64) / 50
    known = slowly(weights, [first, second], [shift, 0], other, [0, more])
    low, high = min(known), max(known)
    kinds, beside = several([first, second]), several([other])
    mixture = Mixture(weights, kinds, np.array([shift, 0]), beside, np.array([0, more]))
    found = mixture.cells((low, high))
    assert found == pytest.approx([known.get(value, 0.0) for value in range(low, high + 1)], abs=1e-14)


def test_frequencies_that_are_left_out_weigh_nothing() -> None:
    """A thousand wide dice need few frequencies: the cells are those of repeated squaring."""
    weights = np.zeros((1, 1001))
    weights[0, 1000] = 1.0
    whole = Pmf.die(20).times(1000)
    found = Mixture(weights, several([Pmf.die(20)]), np.array([0])).cells((1000, 20_000))
    cells = found[whole.offset - 1000 : whole.last - 999]
    assert cells == pytest.approx(whole.probs, abs=1e-15)
