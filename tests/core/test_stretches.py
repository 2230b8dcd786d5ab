"""Dice by stretches of equal faces: closed forms, and few points that stand for all faces of a stretch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathhammer.core import added as adding
from mathhammer.core import kept as keeping
from mathhammer.core.added import Dice, Summand, added
from mathhammer.core.kept import Kept, best, worst
from mathhammer.core.pmf import Pmf
from mathhammer.core.points import enough, gauss
from mathhammer.core.stretches import added_logs, stretches, stretches_of
from mathhammer.core.sums import Complex, Steps, period_of
from mathhammer.kernels.pools import faces_worth
from tests.core.brute import pmfs

chain = faces_worth(np.arange(1, 201), bonus="chain")
twice = faces_worth(np.arange(1, 201), again=frozenset(range(1, 80)))


@pytest.mark.parametrize(("size", "number"), [(30, 4), (100, 16), (1000, 40), (7, 7)])
def test_points_add_up_polynomials(size: int, number: int) -> None:
    """Up to twice their number, less one, exactly; not the next one, unless they are all numbers."""
    at, faces = gauss(np.array([size]), np.array([number]))
    scaled = 2 * at / (size - 1) - 1
    every = 2 * np.arange(size) / (size - 1) - 1
    for degree in range(2 * number):
        assert faces @ scaled**degree == pytest.approx((every**degree).sum(), abs=1e-12 * size)
    if number < size:  # what is 0 at all points, squared
        assert (np.prod(every[:, None] - scaled, axis=1) ** 2).sum() > 0


@given(pmfs(most=6), st.floats(-2, 2), st.integers(1, 8))
def test_closed_forms_are_the_sums_they_stand_for(die: Pmf, tilt: float, count: int) -> None:
    faces, parts, period = np.arange(len(die.probs)), stretches(die), 16
    angles = -2j * np.pi / period * np.outer(faces, np.arange(count))
    assert parts.transform(count, period) == pytest.approx(die.probs @ np.exp(angles), abs=1e-14)
    tilted = np.log(die.probs @ np.exp(tilt * faces))
    assert added_logs(parts.tilted(np.array([tilt])))[0] == pytest.approx(tilted, abs=1e-9)


@given(pmfs(most=6), st.sets(st.integers(0, 5)), st.floats(-2, 2))
def test_beyond_a_face_are_higher_ones_and_those_not_named(die: Pmf, named: set[int], tilt: float) -> None:
    faces = np.arange(len(die.probs))
    shown = np.isin(faces, list(named))
    parts = stretches_of(die, shown)
    for face in faces[shown & (die.probs > 0)]:
        beyond = die.probs[(faces > face) | ~shown] @ np.exp(tilt * faces[(faces > face) | ~shown])
        own = np.searchsorted(parts.lasts, [face])
        found = parts.tilted_beyond(own, np.array([face]), np.array([tilt]))[0, 0]
        assert np.exp(found) == pytest.approx(beyond, abs=1e-9)


def transform_of(pmf: Pmf, offset: int, count: int, period: int) -> Complex:
    """The characteristic function of a distribution, counted from an offset."""
    angles = np.outer(pmf.outcomes - offset, np.arange(count)) % period
    found: Complex = pmf.probs @ np.exp(-2j * np.pi / period * angles)
    return found


@pytest.mark.parametrize("die", [Pmf.die(200), chain, chain.mirrored(), twice], ids=repr)
@pytest.mark.parametrize(("dice", "keep"), [(3, 2), (8, 5), (12, 3)])
def test_few_points_tell_all_thresholds(die: Pmf, dice: int, keep: int) -> None:
    """Against sums made face by face."""
    kept = Kept(die, dice, keep)
    period = period_of(keep * len(die.probs))
    cells = kept.by_faces()
    known = transform_of(Pmf(0, cells / cells.sum()), 0, 15, period)
    (_, spans), *_ = kept._blocks(15, period)
    assert spans.numbers.sum() < spans.sizes.sum() * 0.6
    assert np.abs(kept.by_thresholds(15, period) - known).max() < 1e-14


def test_fewer_points_would_not_do(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, period = Kept(Pmf.die(200), 8, 5), 1024
    known = kept.by_thresholds(15, period)

    def half(sizes: Steps, degree: int, turning: float) -> Steps:
        return enough(sizes, degree, turning) // 4 * 2

    monkeypatch.setattr(keeping, "enough", half)
    assert np.abs(kept.by_thresholds(15, period) - known).max() > 1e-8


many: list[Summand] = [
    *(worst(Pmf.die(sides), 3, 2) for sides in range(301, 311)),
    *(best(faces_worth(np.arange(1, sides), bonus="chain"), 4, 2) for sides in range(311, 321)),
    *(Dice(1, Pmf.die(sides)) for sides in range(100, 110)),
]


def test_many_different_pools_are_those_one_by_one() -> None:
    known = reduce(Pmf.__add__, (added([term]) for term in many))
    found = added(many)
    values = range(min(known.offset, found.offset), max(known.last, found.last) + 1)
    assert max(abs(found[value] - known[value]) for value in values) < 2e-15


def test_few_frequencies_are_enough_for_many_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of thousands; a quarter of them would be seen."""
    known, heard = added(many), adding._heard
    least, most = adding.ends(many)
    period = period_of(most - least + 1)
    assert heard(many, period) < period / 100

    def quarter(terms: Sequence[Summand], period: int) -> int:
        return heard(terms, period) // 4

    monkeypatch.setattr(adding, "_heard", quarter)
    assert np.abs(added(many).probs - known.probs).max() > 1e-13
