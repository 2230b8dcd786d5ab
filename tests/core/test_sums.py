"""Sums of random numbers of dice by Fourier transform, against sums made number by number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mathhammer.core.added import Dice, added
from mathhammer.core.pmf import Pmf
from mathhammer.core.sums import Mixture, several, spectra
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


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 5), pmfs()), max_size=4))
def test_few_terms_are_added_one_by_one(terms: list[tuple[int, Pmf]]) -> None:
    known = sum((die.times(number) for number, die in terms), Pmf.point(0))
    assert dict(added([Dice(*term) for term in terms])) == pytest.approx(dict(known), abs=1e-15)


steep = Pmf(-3, [0.9, *[0.1 / 999] * 999])  # its sums are far from normal


@pytest.mark.parametrize(
    "terms",
    [
        [(1, Pmf.die(1000)), (1, Pmf.die(999).mirrored()), (1, Pmf.die(500)), (1, Pmf.die(20))],
        [(40, Pmf.die(1000)), (20, Pmf.die(300).mirrored())],
        [(3, steep), (2, Pmf.die(2)), (2, steep.mirrored())],
        [(100, Pmf.die(6)), (60, Pmf.die(1000)), (1, Pmf.point(17))],
    ],
)
def test_many_terms_at_once_are_those_one_by_one(terms: list[tuple[int, Pmf]]) -> None:
    known = sum((die.times(number) for number, die in terms), Pmf.point(0))
    found = added([Dice(*term) for term in terms])
    values = range(min(known.offset, found.offset), max(known.last, found.last) + 1)
    apart = np.array([found[value] - known[value] for value in values])
    assert np.abs(apart).max() < 2e-15
    assert found.mean == pytest.approx(sum(number * die.mean for number, die in terms), abs=1e-9)


@pytest.mark.parametrize(
    ("size", "count", "period"), [(40, 9, 4096), (900, 200, 16384), (900, 8193, 16384), (900, 33, 64)]
)
def test_transforms_are_the_sums_they_stand_for(size: int, count: int, period: int) -> None:
    """A few frequencies cell by cell, some by chirps, many at once, and cells beyond the period folded."""
    rows = np.random.default_rng(5).random((3, size))
    rows /= rows.sum(axis=1, keepdims=True)
    some = np.arange(0, count, max(1, count // 50))
    angles = np.outer(np.arange(size), some) % period
    known = rows @ np.exp(-2j * np.pi / period * angles)
    assert np.abs(spectra(rows, count, period)[:, some] - known).max() < 2e-15
