"""The conditions of a plan's actions, such as 'pikes not confused and knights in melee'."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

from mathhammer.core.errors import InputError, unknown
from mathhammer.core.steps import Columns, Mask
from mathhammer.games.battlefield.state import Battle, Fighter, Masked, every, inverted


def _column(what: str) -> Callable[[Battle, Fighter, Columns], Mask]:
    return lambda battle, fighter, columns: battle.marked(fighter, what, columns)


STATES: Mapping[str, Callable[[Battle, Fighter, Columns], Mask]] = {
    "in melee": lambda battle, fighter, columns: battle.inside(fighter)(columns),
    "confused": Battle.confused,
    "shaken": Battle.shaken,
    "out of formation": Battle.unformed,
    "destroyed": Battle.destroyed,
    "routed": Battle.routed,
    "through": _column("through"),
    "pushed": _column("pushed"),
    "lured": _column("lured"),
    "away": _column("free"),
    "saved an action": _column("saved"),
}
_CLAUSE = re.compile(r"\s*(\S+)\s+(?:is\s+)?(not\s+)?(.+?)\s*")


def condition(battle: Battle, text: str, where: str) -> Masked:
    """'pikes not confused and knights in melee' as a mask. Raises `InputError`."""
    masks = [_clause(battle, clause, where) for clause in re.split(r"\s+and\s+", text.strip())]
    return every(masks[0], *masks[1:])


def _clause(battle: Battle, clause: str, where: str) -> Masked:
    match = _CLAUSE.fullmatch(clause)
    if not match:
        raise InputError(f"{where}: if is written UNIT STATE or UNIT not STATE, not {clause!r}")
    name, negated, state = match.groups()
    fighter = fighter_named(battle, name, f"{where}: if: unit")
    if state not in STATES:
        raise unknown(f"{where}: if: state", state, STATES)
    mask = partial(STATES[state], battle, fighter)
    return inverted(mask) if negated else mask


def fighter_named(battle: Battle, name: str, what: str) -> Fighter:
    """A fighter by its id. Raises `InputError` with the nearest."""
    found = [fighter for fighter in battle.fighters if fighter.name == name]
    if not found:
        raise unknown(what, name, [fighter.name for fighter in battle.fighters])
    return found[0]
