"""What the `area` mode shows beside its measures: fighter by fighter, group by group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np

from mathhammer.core.game import Matchup
from mathhammer.core.pmf import Floats, Pmf
from mathhammer.games.confrontation_aor.area_losses import fallen_law, falls
from mathhammer.games.confrontation_aor.area_pooled import Losses, pooled_chances, pooled_losses
from mathhammer.games.confrontation_aor.blast import NOWHERE, Places, Shot, places_of, shot_of
from mathhammer.games.confrontation_aor.ruleset import Rules

Row = dict[str, Any]
MOST_JOINT = 2**14  # combinations of losses by group that are listed
RARE = 1e-9  # rarer landings and combinations are not listed


def tables(matchup: Matchup, pmfs: dict[str, dict[int, float]]) -> dict[str, list[Row]]:
    """Exact tables: `fighters`, `landings`, `losses_by_group` and, of several groups, `joint_losses`.

    joint_losses is left out past 16384 combinations. Source: AOR-10.
    """
    shot, rules = shot_of(matchup), matchup.rules
    places = places_of(shot)
    groups = matchup.unit("defender").fighters
    cases = list(losses(shot, places, rules, matchup.situation.away))
    found = {"fighters": fighter_rows(matchup, shot, rules), "landings": landing_rows(shot)}
    if len(groups) > 1:
        found["losses_by_group"] = group_rows([g.name for g in groups], cases)
        if np.prod([g.count + 1 for g in groups], dtype=np.float64) <= MOST_JOINT:
            found["joint_losses"] = joint_rows([g.name for g in groups], cases)
    return found


# -- fighters and landings -----------------------------------------------------------------------
def fighter_rows(matchup: Matchup, shot: Shot, rules: Rules) -> list[Row]:
    """Each fighter's place, and its own chances to be covered and to fall."""
    formation = shot.formation
    groups = matchup.unit("defender").fighters
    covered = np.tensordot(shot.chances, shot.covers, 3)
    fallen = fall_chances(shot, rules, matchup.situation.away)
    rows = zip(formation.kind, formation.centres, covered, fallen, strict=True)
    return [
        {
            "fighter": i + 1 if i < formation.number else f"friend {i + 1 - formation.number}",
            "group": "friends" if (of := formation.kinds[kind].group) is None else groups[of].name,
            "x": round(float(x), 3),
            "y": round(float(y), 3),
            "covered": float(cover),
            "falls": float(fall),
        }
        for i, (kind, (x, y), cover, fall) in enumerate(rows)
    ]


def fall_chances(shot: Shot, rules: Rules, away: float) -> Floats:
    """Each base's chance to fall, shape (bases,)."""
    if rules.area_damage == "pooled":
        return pooled_chances(shot, rules, away)
    total = np.zeros(len(shot.formation.kind))
    chances = np.array([falls(shot, kind, rules) for kind in shot.formation.kinds])
    for tests in (1, 2):
        covered = np.tensordot(shot.chances[shot.tests == tests], shot.covers[shot.tests == tests], 3)
        total += covered * chances[shot.formation.kind, tests - 1]
    return total


def landing_rows(shot: Shot) -> list[Row]:
    """The templates that may fall, the likeliest first: drift, radius, Strength tests, fighters covered."""
    covered = shot.covers[..., : shot.formation.number].sum(axis=-1)
    chances, sums = shot.chances.sum(axis=-1), (shot.chances * covered).sum(axis=-1)
    rows = [
        {
            "drift": drift,
            "radius": float(shot.radii[hits]),
            "tests": int(shot.tests[hits]),
            "chance": float(chances[hits, drift]),
            "covered": float(sums[hits, drift] / chances[hits, drift]),
        }
        for hits, drift in np.argwhere(chances > RARE).tolist()
    ]
    return sorted(_merged(rows), key=lambda row: -row["chance"])


def _merged(rows: Sequence[Row]) -> list[Row]:
    """Templates of the same radius, drift and tests as one: none and one success may be alike."""
    found: dict[tuple[int, float, int], Row] = {}
    for row in rows:
        key = (row["drift"], row["radius"], row["tests"])
        if key in found:
            found[key]["chance"] += row["chance"]
        else:
            found[key] = row
    return list(found.values())


# -- losses by group -----------------------------------------------------------------------------
def losses(shot: Shot, places: Places, rules: Rules, away: float) -> Iterator[Losses]:
    """The cases in which the losses of the groups of the target are independent. Source: AOR-10, AOR-13."""
    if rules.area_damage == "pooled":
        yield from pooled_losses(shot, rules, away)
        return
    kinds = shot.formation.kinds
    laws = [fallen_law(*falls(shot, kind, rules)) for kind in kinds]
    weights = place_weights(shot, places)
    for weight, counts, tests in zip(weights, places.counts.tolist(), places.tests.tolist(), strict=True):
        if weight > 0:
            rows = [law.row(2 * count + (tests == 2)) for law, count in zip(laws, counts, strict=True)]
            yield float(weight), [_sum(shot, rows, group) for group in range(shot.formation.groups)]


def place_weights(shot: Shot, places: Places) -> Floats:
    """The chance of each place; a shot that is lost covers nobody."""
    weights: Floats = np.bincount(
        places.at.ravel(), shot.chances.ravel(), minlength=len(places.tests)
    ).astype(np.float64)
    weights[NOWHERE] += max(0.0, 1.0 - weights.sum())
    return weights


def _sum(shot: Shot, rows: Sequence[Pmf], group: int) -> Floats:
    """Losses of a group: of its wounded fighter and of the others."""
    parts = [row for row, kind in zip(rows, shot.formation.kinds, strict=True) if kind.group == group]
    total = reduce(lambda a, b: a + b, parts)
    cells = np.zeros(shot.formation.size(group) + 1)
    cells[total.offset : total.last + 1] = total.probs
    return cells


def group_rows(names: Sequence[str], cases: Sequence[Losses]) -> list[Row]:
    """Of each group the mean losses, and the chances that some and that all of it fall."""
    rows = []
    for group, name in enumerate(names):
        cells = np.array([weight * arrays[group] for weight, arrays in cases]).sum(axis=0)
        mean = float(cells @ np.arange(len(cells)))
        chances = {"some": float(1 - cells[0]), "all": float(cells[-1])}
        rows.append({"group": name, "fighters": len(cells) - 1, "lost": mean, **chances})
    return rows


def joint_rows(names: Sequence[str], cases: Sequence[Losses]) -> list[Row]:
    """The chance of each combination of losses by group, the likeliest first."""
    joint = sum(weight * reduce(np.multiply.outer, arrays) for weight, arrays in cases)
    listed = np.argwhere(np.asarray(joint) > RARE).tolist()
    rows = [
        {**dict(zip(names, at, strict=True)), "chance": float(np.asarray(joint)[tuple(at)])} for at in listed
    ]
    return sorted(rows, key=lambda row: -row["chance"])
