"""A fray: the attacker alone against up to four. Source: C3-3.1, C3-3.2, C3-3.4 to C3-3.15."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Columns, Play, Read, always
from mathhammer.games.confrontation_3.duel import scripts_of
from mathhammer.games.confrontation_3.exchange import Exchange
from mathhammer.games.confrontation_3.melee import Melee, bits
from mathhammer.games.confrontation_3.plan import Fight
from mathhammer.games.confrontation_3.profile import Fighter
from mathhammer.games.confrontation_3.setup import Entrant, fight_of, led, role_name
from mathhammer.games.confrontation_3.situations import Fray
from mathhammer.games.confrontation_3.wounding import LEVEL_EVENTS, at_least
from mathhammer.games.confrontation_3.wounds import States

MOST_ENEMIES = 4


def fray(matchup: Matchup) -> Play:
    """The play of a fray. Raises `InputError`. Source: C3-3.2."""
    fight = fray_fight(matchup)
    names = [role_name(i) for i in range(fight.fighters)]
    melee = Melee(fight, names, scripts_of(fight, matchup.situation.play))
    states = fight.fighting.states
    return Play(
        start=melee.start(fight.start, bits(fight.afraid[0])),
        actions=melee.rounds(),
        measures=_measures(states, names),
        events=_events(states, names),
        finished=melee.over,
    )


def fray_fight(matchup: Matchup) -> Fight:
    """The fray as numbers. Raises `InputError`."""
    situation: Fray = matchup.situation
    others = matchup.units["with"]
    if 1 + len(others) > MOST_ENEMIES:
        raise InputError(
            f"--with: a fray is one against up to {MOST_ENEMIES} (C3-3.2), "
            f"so up to {MOST_ENEMIES - 1} beside the defender, not {len(others)}"
        )
    enemies = 1 + len(others)
    if situation.named is not None and situation.named > enemies:
        told = f"from 1 to {enemies}, the number of enemies" if enemies > 1 else "1: there is one enemy"
        raise InputError(f"--named is {told}, not {situation.named}")
    entrants = led(situation, matchup.unit("attacker"), matchup.unit("defender"))
    entrants += [Entrant(cast(Fighter, placed.unit), **placed.placing) for placed in others]
    fight = fight_of(entrants, situation, matchup.rules)
    named = None if situation.named is None else situation.named - 1
    best_order = situation.play == "best" and not situation.listed_order
    initiative = replace(fight.initiative, named=named)
    return replace(fight, initiative=initiative, exchange=Exchange(best_order))


def _measures(states: States, names: list[str]) -> dict[str, Read]:
    """Enemies killed, and the wound of each fighter; of those who are not there 0."""
    wounds = {f"{role_name(i)}.wound": _wound(states, role_name(i), names) for i in range(MOST_ENEMIES + 1)}
    return {"kills": lambda c: _kills(states, c, names), **wounds}


def _wound(states: States, name: str, names: list[str]) -> Callable[[Columns], Ints]:
    if name not in names:
        return always(0)
    return lambda columns: states.wound(columns[f"{name}.state"])


def _kills(states: States, columns: Columns, names: list[str]) -> Any:
    return sum((columns[f"{name}.state"] == states.killed).astype(np.int32) for name in names[1:])


def _events(states: States, names: list[str]) -> dict[str, Read]:
    """Initiative, the lone fighter's wounds as "at least", and kills."""
    levels: dict[str, Read] = {
        f"attacker.{event}": at_least(states, "attacker.state", level)
        for event, level in LEVEL_EVENTS.items()
    }
    return {
        "attacker.initiative": "first",
        "attacker.stunned": "attacker.stunned",
        **levels,
        "any_killed": lambda c: _kills(states, c, names) > 0,
        "all_killed": lambda c: _kills(states, c, names) == len(names) - 1,
    }
