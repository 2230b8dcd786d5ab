"""A template that drifts over bases: which are touched, exactly, whatever the direction.

A base is touched where the template overlaps it: centre distance < template radius + base radius. At a given
distance of drift the directions that touch a base are one arc, so the number touched is constant between the
ends of the arcs: its distribution needs no numerical integration.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Floats, Pmf

Directions = Literal["any", "six", "eight"]
Point = tuple[float, float]
ROUNDING = 1e-12
TOUCHING = 1e-9  # a base that the template only just reaches is not touched


@dataclass(frozen=True)
class Field:
    """Bases around the aimed point (centres relative to it), and how near a template's centre touches one."""

    centres: tuple[Point, ...]
    reach: float

    def touched(self, x: float, y: float) -> list[int]:
        """The bases that a template centred there touches."""
        near = self.reach - TOUCHING
        return [i for i, (a, b) in enumerate(self.centres) if math.hypot(a - x, b - y) < near]


def block(files: int, ranks: int, step: float) -> tuple[Point, ...]:
    """Centres of a block around its middle, `step` apart, front rank first."""
    return tuple(
        ((file - (files - 1) / 2) * step, ((ranks - 1) / 2 - rank) * step)
        for rank in range(ranks)
        for file in range(files)
    )


def landings(furthest: int, ways: int = 6, bearing: float = 0.0) -> Floats:
    """Where a template lands after a drift of 0, 1, .. furthest, in each direction: (furthest + 1, ways, 2).

    Places are relative to where it was aimed. The first direction is `bearing`, in degrees clockwise from +y;
    the others follow clockwise, all the same angle apart.
    """
    angles = np.radians(bearing + 360.0 / ways * np.arange(ways))
    towards = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    places: Floats = np.arange(furthest + 1)[:, None, None] * towards
    return places


def covered(places: Floats, centres: Floats, reaches: Floats, *, touching: bool = False) -> NDArray[np.bool_]:
    """Which bases a template covers from each place, with each of its sizes: shape (sizes, *places, bases).

    places: (..., 2). centres: (bases, 2). reaches: (sizes, bases), the template's radius and the base's.
    touching: a base that the template only just reaches is covered too.
    """
    apart = places[..., None, :] - centres
    distances = np.hypot(apart[..., 0], apart[..., 1])
    near = reaches + (TOUCHING if touching else -TOUCHING)
    shape = (len(reaches), *(1,) * (distances.ndim - 1), reaches.shape[1])
    found: NDArray[np.bool_] = distances < near.reshape(shape)
    return found


def touched(field: Field, distance: float, directions: Directions) -> Pmf:
    """How many bases are touched after a drift of this distance in a random direction."""
    if distance == 0:
        return Pmf.point(len(field.touched(0.0, 0.0)))
    if directions == "any":
        return _any_direction(field, distance)
    ways = 6 if directions == "six" else 8
    counts: dict[int, float] = {}
    for way in range(ways):
        angle = math.pi / 2 - way * 2 * math.pi / ways  # 1 is straight away, then clockwise
        count = len(field.touched(distance * math.cos(angle), distance * math.sin(angle)))
        counts[count] = counts.get(count, 0.0) + 1 / ways
    return Pmf.of(counts)


@dataclass(frozen=True)
class Arc:
    """The directions that touch a base at some distance: around `middle`, `half` to either side (pi: all)."""

    middle: float
    half: float

    def holds(self, angle: float) -> bool:
        """Whether a direction is among them."""
        return abs((angle - self.middle + math.pi) % (2 * math.pi) - math.pi) < self.half


def arc(centre: Point, reach: float, distance: float) -> Arc:
    """The directions in which a drift of this distance touches a base (law of cosines)."""
    x, y = centre
    away = math.hypot(x, y)
    if away + distance <= reach * (
        1 + ROUNDING
    ):  # all directions, but for one at most that only just reaches
        return Arc(0.0, math.pi)
    if abs(away - distance) >= reach * (1 - ROUNDING):
        return Arc(0.0, 0.0)
    cosine = (distance**2 + away**2 - reach**2) / (2 * distance * away)
    return Arc(math.atan2(y, x), math.acos(max(-1.0, min(1.0, cosine))))


def _any_direction(field: Field, distance: float) -> Pmf:
    """Between neighbouring ends of arcs the count does not change."""
    arcs = [arc(centre, field.reach, distance) for centre in field.centres]
    always = sum(a.half >= math.pi for a in arcs)
    partly = [a for a in arcs if 0 < a.half < math.pi]
    ends = sorted({(a.middle + side * a.half) % (2 * math.pi) for a in partly for side in (-1, 1)})
    if not ends:
        return Pmf.point(always)
    shares_of: dict[int, float] = {}
    for start, stop in pairwise([*ends, ends[0] + 2 * math.pi]):
        count = always + sum(a.holds((start + stop) / 2) for a in partly)
        shares_of[count] = shares_of.get(count, 0.0) + stop - start
    whole = math.fsum(shares_of.values())
    return Pmf.of({count: width / whole for count, width in shares_of.items()})


def touched_law(field: Field, directions: Directions, most: int) -> Law:
    """How many bases are touched, by whole distance of drift (0 to `most`)."""
    return Law.of([touched(field, distance, directions) for distance in range(most + 1)])


def shares(field: Field, distances: Pmf, directions: Directions) -> Sequence[float]:
    """Each base's own chance to be touched."""
    alone = [Field((centre,), field.reach) for centre in field.centres]
    return [
        min(1.0, math.fsum(p * touched(base, distance, directions)[1] for distance, p in distances))
        for base in alone
    ]
