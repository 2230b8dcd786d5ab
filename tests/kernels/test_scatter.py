"""Templates over bases of any size: where they land, and whom they cover."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mathhammer.kernels.scatter import Field, block, covered, landings, touched


def test_landings_go_clockwise_from_the_bearing() -> None:
    places = landings(2, 4, 90.0)
    assert places.shape == (3, 4, 2)
    assert np.allclose(places[0], 0)
    assert np.allclose(places[1], [(1, 0), (0, -1), (-1, 0), (0, 1)])
    assert np.allclose(places[2], 2 * places[1])


@pytest.mark.parametrize("directions", [6, 8])
def test_covered_counts_as_touched_does(directions: int) -> None:
    """The law of how many are touched, found base by base."""
    field = Field(block(4, 3, 2.5), 3.3)
    places = landings(5, directions)
    reaches = np.full((1, 12), 3.3)
    counts = covered(places, np.array(field.centres), reaches).sum(axis=-1)[0]
    for drift in range(6):
        law = touched(field, drift, "six" if directions == 6 else "eight")
        for count in range(13):
            assert np.mean(counts[drift] == count) == pytest.approx(law[count], abs=1e-12)


def test_each_size_and_each_base_has_its_own_reach() -> None:
    centres = np.array([(0.0, 0.0), (3.0, 0.0), (0.0, 5.0)])
    radii, place = np.array([1.0, 2.0, 0.5]), np.array([4.0, -2.0])
    found = covered(place, place + centres, np.array([[0.5], [1.5], [5.0]]) + radii)
    assert found.tolist() == [[True, False, False], [True, True, False], [True, True, True]]


def test_the_bases_touched_are_those_around_the_place() -> None:
    field = Field(((0.0, 0.0), (3.0, 0.0), (0.0, 5.0)), 1.5)
    touched_from = {(3.0, 1.0): [1], (0.0, 4.0): [2], (1.5, -0.1): [], (-3.0, 0.0): [], (1.4, 0.1): [0]}
    assert {place: field.touched(*place) for place in touched_from} == touched_from


@pytest.mark.parametrize("touching", [False, True])
def test_a_base_just_reached(touching: bool) -> None:
    place = np.array([math.sqrt(0.5), math.sqrt(0.5)])
    found = covered(place, np.zeros((1, 2)), np.array([[1.0]]), touching=touching)
    assert found.tolist() == [[touching]]
