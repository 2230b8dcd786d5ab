"""Each mode's fighters, the state that they start in, and what happens, part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, cast

import numpy as np

from mathhammer.core.ensemble import Ensemble
from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Change, Columns, Mask, Play, Read, constant, rows
from mathhammer.games.battlefield.ledger import due, settled, to_track
from mathhammer.games.battlefield.profile import Unit
from mathhammer.games.battlefield.ruleset import Rules
from mathhammer.games.battlefield.state import (
    CLOSING,
    ENDLESS,
    Action,
    Battle,
    Beat,
    Fighter,
    every,
    without_merges,
)
from mathhammer.games.battlefield.trace import EXACT_ROWS, branch_rows, ended, tree
from mathhammer.games.battlefield.volleys import scale_of

OURS, THEIRS = 0, 1
MOST_SCALE = 64


@dataclass(frozen=True)
class Scene:
    """A battle, the state that it starts in, and its parts in order."""

    battle: Battle
    start: Mapping[str, int]
    beats: Sequence[Beat]

    def fighter(self, name: str) -> Fighter:
        """A fighter by name."""
        return next(f for f in self.battle.fighters if f.name == name)

    @property
    def others(self) -> list[Fighter]:
        """All but the attacker and the defender."""
        return [f for f in self.battle.fighters if f.name not in ("attacker", "defender")]

    def play(
        self,
        measures: Mapping[str, Read],
        events: Mapping[str, Read],
        kept: Mapping[str, Read] | None = None,
    ) -> Play:
        """The whole as a question for the engine.

        kept: columns that are still read when damage that was only noted is drawn, and what is kept in each
        of the states at that time; the others are cleared.
        """
        actions: list[Action] = [action for beat in self.beats for action in beat.actions]
        if kept is not None:
            actions.append(self._forgetting(kept))
        settling = [step for side in (OURS, THEIRS) for step in self.battle.ledger.settling(side)]
        whole = without_merges([*actions, CLOSING, *settling])
        limit = ENDLESS if self.battle.until is None else EXACT_ROWS
        return Play(self.start, whole, measures, events, exact_rows=limit)

    def _forgetting(self, kept: Mapping[str, Read]) -> Change:
        """Only what is still read is kept, and all damage that was marked."""
        always = {f.column("damage") for f in self.battle.fighters}
        always |= {column(side) for column in (due, settled) for side in (OURS, THEIRS)}
        forgotten = [name for name in self.start if name not in {*kept, *always}]

        def forget(columns: Columns) -> dict[str, Ints]:
            cleared = dict.fromkeys(forgotten, constant(0, len(columns["open"])))
            return cleared | {name: read_in(columns, read) for name, read in kept.items()}

        return Change("what is still read", forget)


def read_in(columns: Columns, read: Read) -> Ints:
    """What is read of each state, as a column."""
    return np.asarray(columns[read] if isinstance(read, str) else read(columns), dtype=np.int32)


def signs(start: Mapping[str, int], fighters: Iterable[Fighter], *whats: str) -> dict[str, Read]:
    """Of these columns, where they are there, only whether they are 0 is kept, and what is below 0."""

    def sign(name: str) -> Read:
        return lambda columns: np.minimum(columns[name], 1)

    names = [fighter.column(what) for fighter in fighters for what in whats]
    return {name: sign(name) for name in names if name in start}


def pair(matchup: Matchup) -> tuple[Fighter, Fighter]:
    """The attacker and the defender."""
    first, second = (matchup.unit(role) for role in ("attacker", "defender"))
    return Fighter("attacker", OURS, first), Fighter("defender", THEIRS, second)


def several(matchup: Matchup, role: str, side: int = THEIRS) -> list[Fighter]:
    """The units in a role of many, numbered, on the side that each was placed on, or else on this one."""
    return [
        Fighter(f"{role} {number}", placed.placing.get("side", side), cast(Unit, placed.unit))
        for number, placed in enumerate(matchup.units.get(role, ()), start=1)
    ]


def only(matchup: Matchup, role: str) -> Fighter | None:
    """The one enemy in a role that may be empty. Raises `InputError` for several."""
    found = several(matchup, role)
    if len(found) > 1:
        raise InputError(f"--{role}: one unit, not {len(found)}")
    return replace(found[0], name=role) if found else None


def battle_of(
    rules: Rules, fighters: Iterable[Fighter], shares: Sequence[Fraction] = (), **flags: Any
) -> Battle:
    """A battle of these fighters, all of whose damage is a column. Raises `InputError`."""
    scale = scale_of(rules, tuple(shares))
    if scale > MOST_SCALE:
        raise InputError(
            f"--rule half_rounding=exact: shares of these numbers need parts of 1/{scale} of a point; "
            "down and up round them"
        )
    return Battle(tuple(fighters), rules, scale, **flags)


def planned(
    rules: Rules,
    fighters: Sequence[Fighter],
    beats_of: Callable[[Battle], list[Beat]],
    start_of: Callable[[Battle], dict[str, int]],
    flags: Mapping[str, Any],
) -> Scene:
    """A battle and its parts, in which only damage that a rule reads is drawn at once."""
    trial = battle_of(rules, fighters, until={}, **flags)
    beats, start = beats_of(trial), start_of(trial)
    until = to_track(trial, lambda: ended(start, beats))
    if not until:
        return Scene(trial, start, beats)
    battle = battle_of(rules, fighters, until=until, **flags)
    return Scene(battle, start_of(battle), beats_of(battle))


# -- what is read at the end -----------------------------------------------------------------------
def told(scene: Scene, *names: str) -> dict[str, Read]:
    """Measures and events that modes of an attacker and a defender have in common, by name."""
    battle, us, them = scene.battle, scene.fighter("attacker"), scene.fighter("defender")
    known: dict[str, Read] = {
        "damage": damage(them),
        "attacker.damage": damage(us),
        "morale": partial(battle.morale, them),
        "destroyed": partial(battle.destroyed, them),
        "attacker.destroyed": partial(battle.destroyed, us),
        "rout": partial(battle.routed, them),
        "shaken": partial(battle.shaken, them),
        "confused": partial(battle.confused, them),
        "melee": every(battle.beside(them, us), battle.fights(us)),
        **{what: is_set(them, what) for what in ("pushed", "unformed", "lured")},
    }
    return {name: known[name] for name in names}


def damage(*fighters: Fighter) -> Read:
    """All damage on these units."""

    def summed(columns: Columns) -> Ints:
        nothing = constant(0, rows(columns))
        return sum((columns[fighter.column("damage")] for fighter in fighters), nothing)

    return summed


def side_damage(scene: Scene, side: int) -> Read:
    """All damage on a side: what was marked, and what was drawn at the end."""
    battle = scene.battle
    fighters = [fighter for fighter in battle.fighters if fighter.side == side]

    def summed(columns: Columns) -> Ints:
        marked = sum(battle.points(fighter, columns) for fighter in fighters)
        return (columns[settled(side)] * battle.grain + marked).astype(np.int32)

    return summed


def is_set(fighter: Fighter, what: str) -> Read:
    """Whether one of its columns is not 0."""
    column = fighter.column(what)
    return lambda columns: columns[column] > 0


# -- one unit in exact states ----------------------------------------------------------------------
def unit_row(battle: Battle, fighter: Fighter, states: Ensemble) -> dict[str, Any]:
    """The chances of a unit's states, and its mean damage in points."""
    columns, p = states.columns, states.weights

    def chance(mask: Mask) -> float:
        return float(p[mask].sum())

    row: dict[str, Any] = {"unit": f"{fighter.name}: {fighter.unit.name}"}
    row["chance in melee"] = chance(battle.inside(fighter)(columns))
    row |= {
        f"chance {what}": chance(getattr(battle, what)(fighter, columns))
        for what in ("confused", "shaken", "destroyed")
    }
    return row | {"mean damage": mean_damage(battle, fighter, states)}


def mean_damage(battle: Battle, fighter: Fighter, states: Ensemble) -> float:
    """Mean damage on a unit, in points: what is marked, and what the noted blows come to."""
    columns, p = states.columns, states.weights
    codes, index = np.unique(columns[due(fighter.side)], return_inverse=True)
    means = [battle.ledger.damage(fighter.side, code, fighter.name).mean for code in codes.tolist()]
    noted = battle.grain * float(np.sum(np.array(means)[index.ravel()] * p))
    return (float(np.sum(battle.points(fighter, states.columns) * p)) + noted) / battle.scale


# -- tables ----------------------------------------------------------------------------------------
Tables = dict[str, list[dict[str, Any]]]


def tree_table(scene_of: Callable[[Matchup], Scene]) -> Callable[[Matchup, Any], Tables]:
    """A table of all branches of a mode's scene."""

    def tables(matchup: Matchup, pmfs: Any) -> Tables:
        scene = scene_of(matchup)
        return {"branches": branch_rows(tree(scene.start, scene.beats))}

    return tables
