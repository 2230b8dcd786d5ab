"""A duel: contact, fear, then the rounds of the melee; and the placement of its dice alone.

Source: C3-2.6 to C3-2.9, C3-2.10 to C3-2.18, C3-3.1, C3-3.2, C3-3.4 to C3-3.9, C3-3.10 to C3-3.18.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Action, Columns, Play, Read, Step
from mathhammer.games.confrontation_3.contact import (
    ATTACKER,
    CANCELLED,
    DEFENDER,
    FIGHTS,
    FLEES,
    SHORT,
    Blows,
    blows_of,
    contact_of,
    fear_steps,
    rally_chance,
    reach_chance,
)
from mathhammer.games.confrontation_3.melee import Melee, bits, recovery
from mathhammer.games.confrontation_3.plan import Fight, Flags, planned
from mathhammer.games.confrontation_3.script import Script, best_script, simple_script
from mathhammer.games.confrontation_3.setup import fight_of, led
from mathhammer.games.confrontation_3.situations import Duel, Fights
from mathhammer.games.confrontation_3.wounding import LEVEL_EVENTS, at_least
from mathhammer.games.confrontation_3.wounds import States

NAMES = (ATTACKER, DEFENDER)
WITHOUT_FIGHT: dict[str, Read] = {  # why they do not come to blows
    "falls_short": lambda c: c["contact"] == SHORT,
    "cancelled": lambda c: c["contact"] == CANCELLED,
    "flees": lambda c: c["contact"] == FLEES,
}


def duel(matchup: Matchup) -> Play:
    """The play of a duel. Source: C3-3.1, C3-3.2, C3-3.9."""
    situation: Duel = matchup.situation
    contact = contact_of(matchup)
    reach = reach_steps(matchup)
    before = [*reach, *fear_steps(contact, matchup.rules), *rally_steps(matchup)]
    play = played(duel_fight(matchup), situation, before, FIGHTS if reach else contact.begins)
    return replace(play, events={"fights": play.events["fights"], **WITHOUT_FIGHT, **play.events})


def placement(matchup: Matchup) -> Play:
    """The play of the melee alone. Source: C3-3.7, C3-3.8."""
    fight = duel_fight(matchup)
    return played(fight, matchup.situation, [], FIGHTS)


def duel_fight(matchup: Matchup) -> Fight:
    """The duel as numbers. Raises `InputError`."""
    situation: Fights = matchup.situation
    attacker, defender = led(situation, *(matchup.unit(name) for name in NAMES))
    scared: list[Flags] = []
    if isinstance(situation, Duel):
        contact = contact_of(matchup)
        if situation.contact == "charge":
            defender = replace(defender, charged=True)
        if contact.test and contact.test.who == DEFENDER and contact.fails == FIGHTS:
            scared.append((attacker.afraid, True))
        if contact.rallies:
            scared.append((attacker.afraid, False))
    return fight_of([attacker, defender], situation, matchup.rules, scared)


def reach_of(matchup: Matchup) -> float:
    """P(the attacker gets there). Raises `InputError`. Source: C3-2.6 to C3-2.8."""
    situation: Duel = matchup.situation
    if situation.contact == "made":
        return 1.0
    return reach_chance(matchup.unit(ATTACKER), situation.distance, flying=situation.flying)


def duel_blows(matchup: Matchup) -> Blows:
    """How likely it is that they come to blows."""
    contact = contact_of(matchup)
    blows = blows_of(contact, reach_of(matchup), matchup.rules)
    if not contact.rallies:
        return blows
    recovers = rally_chance(matchup.unit(DEFENDER), DEFENDER, matchup.rules)
    return Blows(blows.chance * recovers, blows.chance * (1 - recovers))


def reach_steps(matchup: Matchup) -> list[Step]:
    """Whether the attacker gets there, where that is open and matters. Source: C3-2.6 to C3-2.8, C3-2.17."""
    reach, arrived = reach_of(matchup), contact_of(matchup).begins
    if reach >= 1 or (arrived == FLEES and matchup.rules.afraid_runs == "when_charged"):
        return []

    def reached(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        return {"contact": np.where(outcome == 1, SHORT, arrived).astype(np.int32)}

    law, words = Law.constant(Pmf(0, [reach, 1 - reach])), ("reaches", "falls short")
    return [Step("reach", law, 0, reached, rule="C3-2.8", words=words)]


def rally_steps(matchup: Matchup) -> list[Step]:
    """The defender's test to recover, where he is activated between contact and melee. Source: C3-2.18."""
    if not contact_of(matchup).rallies:
        return []
    chance = rally_chance(matchup.unit(DEFENDER), DEFENDER, matchup.rules)
    return [recovery(NAMES.index(DEFENDER), DEFENDER, chance)]


def scripts_of(fight: Fight, play: str) -> list[Script]:
    """What is done in each round."""
    rounds = range(1, fight.rounds + 1)
    if play == "simple":
        return [simple_script(fight, round_) for round_ in rounds]
    plan = planned(fight)
    return [best_script(fight, plan, round_) for round_ in rounds]


def played(fight: Fight, situation: Fights, before: list[Step], begins: int) -> Play:
    """The play of a duel from its contact on."""
    melee = Melee(fight, NAMES, scripts_of(fight, situation.play))
    start = melee.start(fight.start, bits((situation.attacker_afraid, situation.defender_afraid)))
    actions: list[Action] = [*before, *melee.rounds()]
    return Play(
        start=start | {"contact": begins},
        actions=actions,
        measures=measures_of(fight.fighting.states),
        events=events_of(fight.fighting.states),
        finished=lambda columns: melee.over(columns) | (columns["contact"] != FIGHTS),
    )


def measures_of(states: States) -> dict[str, Read]:
    """Both wounds, and both in one number."""
    return {
        "attacker.wound": lambda c: states.wound(c["attacker.state"]),
        "defender.wound": lambda c: states.wound(c["defender.state"]),
        "outcome": lambda c: 5 * states.wound(c["attacker.state"]) + states.wound(c["defender.state"]),
    }


def events_of(states: States) -> dict[str, Read]:
    """Contact, initiative, and the wounds of both as "at least"."""
    events: dict[str, Read] = {
        "fights": lambda c: c["contact"] == FIGHTS,
        "attacker.initiative": "first",
    }
    for name in NAMES:
        events[f"{name}.stunned"] = f"{name}.stunned"
        for event, level in LEVEL_EVENTS.items():
            events[f"{name}.{event}"] = at_least(states, f"{name}.state", level)
    return events
