"""`scatter`: does a template stay, how far does it drift, and which bases does it touch."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from mathhammer.core.checks import shown
from mathhammer.core.dice import roll
from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Columns, Play, Step
from mathhammer.kernels.scatter import Field, Point, block, shares, touched_law
from mathhammer.plain.situations import Scatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INCH = 25.4  # millimetres
STAYS = 1 / 3  # two of the six faces of a scatter die
MISFIRE = -1
ARTILLERY = Pmf.of({MISFIRE: 1 / 6} | dict.fromkeys((2, 4, 6, 8, 10), 1 / 6))
MOST_BASES, MOST_DRIFT = 200, 200


def scatter(matchup: Matchup) -> Play:
    """The play: the scatter die, the drift, the bases touched. Raises `InputError`."""
    situation: Scatter = matchup.situation
    drift = drift_pmf(situation)
    touches = touched_law(field_of(situation), situation.directions, max(0, drift.last))
    stays = STAYS if situation.die == "scatter" else 0.0
    artillery = situation.distance == "artillery"
    return Play(
        start={"arrow": 1, "distance": 0, "misfire": 0, "touched": 0},
        actions=[
            Step(
                "scatter die", Law.constant(Pmf(0, [stays, 1 - stays])), 0, "arrow", words=("stays", "drifts")
            ),
            Step(
                "distance",
                Law.constant(drift),
                0,
                _drifts,
                where=None if artillery else lambda c: c["arrow"] == 1,
            ),
            Step("bases touched", touches, "distance", "touched", where=lambda c: c["misfire"] == 0),
        ],
        measures={"distance": "distance", "touched": "touched"},
        events={
            "stays": lambda c: (c["distance"] == 0) & (c["misfire"] == 0),
            "misfire": "misfire",
            "touches": lambda c: c["touched"] > 0,
        },
    )


def _drifts(columns: Columns, outcome: Ints) -> dict[str, Ints]:
    """A misfire happens whatever the scatter die says; the drift only where it shows an arrow."""
    misfire = (outcome == MISFIRE).astype(np.int32)
    return {"misfire": misfire, "distance": (np.maximum(outcome, 0) * columns["arrow"]).astype(np.int32)}


def drift_pmf(situation: Scatter) -> Pmf:
    """The drift of an arrow, skill taken off, never below 0."""
    if situation.distance == "artillery":
        return ARTILLERY.map(lambda d: d if d == MISFIRE else max(0, d - situation.skill))
    pmf = roll(situation.distance)
    if pmf.last > MOST_DRIFT:
        raise InputError(f"--distance {situation.distance!r}: a drift goes up to {MOST_DRIFT}")
    return pmf.map(lambda d: max(0, d - situation.skill))


def field_of(situation: Scatter) -> Field:
    """The bases relative to the aimed point, in inches."""
    centres = _centres(situation)
    x, y = _aimed(situation.aim, centres)
    reach = situation.template / 2 + situation.base / INCH / 2
    return Field(tuple((a - x, b - y) for a, b in centres), reach)


def _centres(situation: Scatter) -> tuple[Point, ...]:
    size = re.fullmatch(r"\s*(\d{1,3})\s*x\s*(\d{1,3})\s*", situation.bases, re.ASCII)
    if size and 1 <= int(size[1]) * int(size[2]) <= MOST_BASES:
        return block(int(size[1]), int(size[2]), situation.base / INCH + situation.gap)
    points = [_point(word, "--bases") for word in situation.bases.split()] if "," in situation.bases else []
    if not 1 <= len(points) <= MOST_BASES:
        raise InputError(
            f"--bases is files x ranks such as 5x2, or centres in inches such as '0,0 1,0.5', "
            f"1 to {MOST_BASES} bases, not {situation.bases!r}"
        )
    return tuple(points)


def _point(word: str, option: str) -> Point:
    try:
        x, y = (float(part) for part in word.split(","))
    except ValueError:
        raise InputError(f"{option}: a place is x,y in inches such as 1,0.5, not {word!r}") from None
    if not (math.isfinite(x) and math.isfinite(y) and max(abs(x), abs(y)) <= 1000):
        raise InputError(f"{option}: places are within 1000 inches, not {word!r}")
    return x, y


def _aimed(aim: str, centres: tuple[Point, ...]) -> Point:
    if aim == "middle":
        return sum(x for x, _ in centres) / len(centres), sum(y for _, y in centres) / len(centres)
    if "," in aim:
        return _point(aim, "--aim")
    if not re.fullmatch(r"\d{1,3}", aim, re.ASCII) or not 1 <= int(aim) <= len(centres):
        raise InputError(f"--aim is middle, x,y, or a base from 1 to {len(centres)}, not {shown(aim)}")
    return centres[int(aim) - 1]


def landing(situation: Scatter) -> Pmf:
    """How far from the aimed point the template lands (misfires left out)."""
    drift = drift_pmf(situation)
    stays = STAYS if situation.die == "scatter" else 0.0
    flies = {d: p for d, p in drift if d != MISFIRE}
    whole = sum(flies.values())
    moved = Pmf.of({d: p / whole for d, p in flies.items()})
    return Pmf.mixture([(stays, Pmf.point(0)), (1 - stays, moved)])


def tables(matchup: Matchup, pmfs: dict[str, dict[int, float]]) -> dict[str, list[dict[str, Any]]]:
    """Each base's own chance to be touched."""
    situation: Scatter = matchup.situation
    field = field_of(situation)
    fires = 1 - sum(p for d, p in drift_pmf(situation) if d == MISFIRE)
    chances = shares(field, landing(situation), situation.directions)
    return {
        "bases": [
            {"base": i, "x": round(x, 3), "y": round(y, 3), "chance": fires * p}
            for i, ((x, y), p) in enumerate(zip(field.centres, chances, strict=True), start=1)
        ]
    }


def picture(matchup: Matchup, axes: Axes) -> None:
    """The bases shaded by their chance, the template on target, and the rings where it may land."""
    from matplotlib.patches import Circle

    situation: Scatter = matchup.situation
    field, where = field_of(situation), landing(situation)
    chances = shares(field, where, situation.directions)
    radius = situation.base / INCH / 2
    for (x, y), p in zip(field.centres, chances, strict=True):
        axes.add_patch(Circle((x, y), radius, facecolor=str(1 - 0.75 * p), edgecolor="black", lw=0.8))
        colour = "white" if p > 0.6 else "black"
        axes.annotate(f"{100 * p:.0f}", (x, y), ha="center", va="center", fontsize=7, color=colour)
    axes.add_patch(Circle((0, 0), situation.template / 2, fill=False, color="#D55E00", lw=2))
    for distance, p in where:
        if distance:
            axes.add_patch(
                Circle((0, 0), distance, fill=False, color="#0072B2", alpha=min(1.0, 6 * p), ls=":")
            )
    edge = max(max(abs(x), abs(y)) for x, y in field.centres) + field.reach + 1
    axes.set(xlim=(-edge, edge), ylim=(-edge, edge), aspect="equal", xlabel="inches", ylabel="inches")
    axes.set_title(
        "chance in % that each base is touched;\norange: on target, dotted: where it may land", fontsize=9
    )
