"""A template that drifts over bases: which are touched, exactly, whatever the direction.

A base is touched where the template overlaps it: centre distance < template radius + base radius. At a given
distance of drift the directions that touch a base are one arc, so the number touched is constant between the
ends of the arcs: its distribution needs no numerical integration.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Pmf

Directions = Literal["any", "six", "eight"]
Point = tuple[float, float]
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


def _any_direction(field: Field, distance: float) -> Pmf:
    """Between neighbouring arc ends the count is that at the middle."""
    ends = sorted({end % (2 * math.pi) for arc in arcs(field, distance) for end in arc})
    if not ends:
        return Pmf.point(len(field.touched(distance, 0.0)))
    widths = np.diff([*ends, ends[0] + 2 * math.pi])
    middles = np.array(ends) + widths / 2
    counts = [len(field.touched(distance * math.cos(a), distance * math.sin(a))) for a in middles]
    shares: dict[int, float] = {}
    for count, width in zip(counts, widths.tolist(), strict=True):
        shares[count] = shares.get(count, 0.0) + width / (2 * math.pi)
    return Pmf.of(shares)


def arcs(field: Field, distance: float) -> list[tuple[float, float]]:
    """Directions (from, to) in radians that touch each base, where only some do (law of cosines)."""
    found = []
    for x, y in field.centres:
        away = math.hypot(x, y)
        if away == 0:
            continue
        cosine = (distance**2 + away**2 - field.reach**2) / (2 * distance * away)
        if -1 < cosine < 1:
            middle, half = math.atan2(y, x), math.acos(cosine)
            found.append((middle - half, middle + half))
    return found


def touched_law(field: Field, directions: Directions, most: int) -> Law:
    """How many bases are touched, by whole distance of drift (0 to `most`)."""
    return Law.of([touched(field, distance, directions) for distance in range(most + 1)])


def shares(field: Field, distances: Pmf, directions: Directions) -> Sequence[float]:
    """Each base's own chance to be touched."""
    return [
        math.fsum(
            p * touched(Field((centre,), field.reach), distance, directions)[1] for distance, p in distances
        )
        for centre in field.centres
    ]
