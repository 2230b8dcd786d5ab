"""Distances and ways, who may touch whom, and how dice are split over combats. Source: AOR-04, AOR-11."""

from __future__ import annotations

import math

import numpy as np

from mathhammer.core.errors import InputError, unknown
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Columns
from mathhammer.games.confrontation_aor.profile import Unit
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.side import Side
from mathhammer.games.confrontation_aor.situations import Assault, Fight, Touching
from mathhammer.kernels.estimates import Rounding, length

FURTHEST = 1000  # cm


def far_pmf(distance: str, rounding: Rounding = "up", rule: str = "AOR-04") -> Pmf:
    """A distance that is known or guessed, in whole cm: up to a reach just when the distance itself is.

    Raises `InputError`, which names the rule. Source: AOR-04, AOR-07.
    """
    found = length(distance, f"--distance ({rule})", rounding)
    if found.last > FURTHEST:
        raise InputError(f"--distance is at most {FURTHEST} cm, not {distance} ({rule})")
    return found


def gap_pmf(situation: Assault | Fight) -> Pmf:
    """cm between the sides, none where they touch already. Raises `InputError`. Source: AOR-04."""
    if not situation.engaged:
        return far_pmf(situation.distance)
    if situation.distance != "0":
        raise InputError("--distance does not go with --engaged: they touch already (AOR-04)")
    return Pmf.point(0)


def nearer(side: Side, columns: Columns, far: Ints) -> dict[str, Ints]:
    """The columns once the side has come so many cm nearer, away from its edge. Source: AOR-04."""
    edge = f"{side.name}.edge"
    ground = {edge: columns[edge] + far} if edge in columns else {}
    return {"gap": columns["gap"] - far, **ground}


def withdrawn(side: Side, columns: Columns, far: Ints) -> dict[str, Ints]:
    """The columns once the side has gone so many cm away, to its edge at most. Source: AOR-14, AOR-22."""
    edge = f"{side.name}.edge"
    ground = {}
    if edge in columns:
        far = np.minimum(far, columns[edge])
        ground = {edge: columns[edge] - far}
    gap = np.where(columns["engaged"] == 1, 0, columns["gap"]) + far
    return {"gap": gap, "engaged": np.zeros_like(far), **ground}


def contacts(
    attacker: Unit, defender: Unit, situation: Touching, rules: Rules
) -> tuple[int | None, int | None]:
    """How many of each side may touch: as told, else as many as the fronts allow, else all (None).

    Two straight fronts with a common end: a base touches where it stands before any part of the other front.
    Raises `InputError`.
    """
    for name, unit, files in (
        ("files", attacker, situation.files),
        ("defender_files", defender, situation.defender_files),
    ):
        if files is not None and files > unit.number:
            raise InputError(
                f"--{name.replace('_', '-')} is at most {unit.number} ({unit.label()}), not {files} (AOR-11)"
            )
    told, fronts = (
        (situation.contact, situation.defender_contact),
        (situation.files, situation.defender_files),
    )
    if fronts == (None, None) or None not in told or rules.fronts == "all":
        return told
    return told[0] or _before(attacker, defender, *fronts), told[1] or _before(
        defender, attacker, *fronts[::-1]
    )


def _before(own: Unit, enemy: Unit, files: int | None, enemy_files: int | None) -> int | None:
    """How many of a front stand before the enemy's front."""
    if enemy_files is None:
        return files
    width = enemy_files * max(group.base for group in enemy.fighters)
    most = math.ceil(width / min(group.base for group in own.fighters))
    return most if files is None else min(files, most)


def split_of(own: Side, enemy: Side, text: str) -> dict[tuple[int, int], int]:
    """Dice set against groups, written `ranks:leader=3`. Raises `InputError`. Source: AOR-11."""
    found: dict[tuple[int, int], int] = {}
    named = set()
    for part in (word.strip() for word in text.split(",") if text.strip()):
        groups, equals, dice = part.partition("=")
        striker, colon, target = groups.partition(":")
        if not (equals and colon and dice.strip().isdecimal() and len(dice) <= 4):
            raise InputError(f"--split {part!r}: write STRIKERS:TARGET=DICE, such as ranks:leader=3")
        names = striker.strip(), target.strip()
        if names in named:
            raise InputError(f"--split {part!r}: these two groups are named twice")
        named.add(names)
        pair = _profile(own, names[0]), _profile(enemy, names[1])
        found[pair] = found.get(pair, 0) + int(dice)
    for profile, alike in enumerate(own.profiles):
        set_apart = sum(dice for (who, _), dice in found.items() if who == profile)
        most = sum(own.groups[i].count * own.groups[i].dice for i in alike)
        if set_apart > most:
            raise InputError(f"--split: {own.named(profile)} have {most} dice, not {set_apart} (AOR-11)")
    return found


def _profile(side: Side, name: str) -> int:
    """The profile of a group by its name: those of one profile fight as one. Source: AOR-11."""
    names = [group.name for group in side.groups]
    if name not in names:
        raise unknown(f"--split: group of the {side.name}", name, names)
    place = names.index(name)
    return next(i for i, groups in enumerate(side.profiles) if place in groups)
