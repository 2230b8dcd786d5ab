"""Sums of many dice by Fourier transform, against sums made one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mathhammer.core.added import Dice, added
from mathhammer.core.pmf import Pmf
from mathhammer.core.sums import polynomials, spectra
from tests.core.brute import pmfs


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


@pytest.mark.parametrize("terms", [1, 20, 33, 1000])
def test_polynomials_are_those_of_horner(terms: int) -> None:
    """Term by term, and by blocks of terms, of which the last is not full."""
    draw = np.random.default_rng(6)
    weights, angles = draw.normal(size=(2, terms)), draw.random((2, 7))
    at = np.exp(2j * np.pi * angles) * 0.999
    known = [
        [np.polyval(row[::-1], point) for point in points] for row, points in zip(weights, at, strict=True)
    ]
    assert np.abs(polynomials(weights, at) - known).max() < 1e-12 * terms


@pytest.mark.parametrize("count", [1, 5, 33])
def test_of_no_cells_nothing_is_heard(count: int) -> None:
    """Beyond the highest face there are none."""
    assert (spectra(np.zeros((2, 0)), count, 64) == np.zeros((2, count))).all()
