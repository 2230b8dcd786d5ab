"""A duel: contact, fear, then the rounds of the melee; and the placement of its dice alone.

Source: C3-2.6 to C3-2.9, C3-2.10 to C3-2.18, C3-3.1, C3-3.2, C3-3.4 to C3-3.9, C3-3.10 to C3-3.18.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Action, Columns, Mask, Play, Read, Step
from mathhammer.games.confrontation_3.contact import DEFENDER, FearTest, fear_test, reach_chance
from mathhammer.games.confrontation_3.melee import Melee, bits
from mathhammer.games.confrontation_3.plan import Fight, Flags, planned
from mathhammer.games.confrontation_3.ruleset import Rules
from mathhammer.games.confrontation_3.script import Script, best_script, simple_script
from mathhammer.games.confrontation_3.setup import fight_of, state_of
from mathhammer.games.confrontation_3.situations import Duel, Fights
from mathhammer.games.confrontation_3.sixes import success_law
from mathhammer.games.confrontation_3.wounding import LEVEL_EVENTS, at_least
from mathhammer.games.confrontation_3.wounds import States

NAMES = ("attacker", "defender")
FIGHTS, SHORT, CANCELLED, FLEES = range(4)  # how the contact ends


@dataclass(frozen=True)
class Approach:
    """How it comes to the melee: P(the attacker reaches), the test of fear, and how each failure ends."""

    reach: float
    test: FearTest | None
    success_law: Law | None
    fails: int  # what the attacker's or the defender's failure leads to
    flees: bool  # the target is afraid already and is charged


def duel(matchup: Matchup) -> Play:
    """The play of a duel. Source: C3-3.1, C3-3.2, C3-3.9."""
    situation: Duel = matchup.situation
    approach = approach_of(matchup)
    fight = duel_fight(matchup)
    begins = FLEES if approach.flees else FIGHTS
    return played(fight, situation, contact_steps(approach), begins)


def placement(matchup: Matchup) -> Play:
    """The play of the melee alone. Source: C3-3.7, C3-3.8."""
    fight = duel_fight(matchup)
    return played(fight, matchup.situation, [], FIGHTS)


def duel_fight(matchup: Matchup) -> Fight:
    """The duel as numbers. Raises `InputError`."""
    situation: Fights = matchup.situation
    rules: Rules = matchup.rules
    fighters = [matchup.unit(name) for name in NAMES]
    charged = (situation.charged == "attacker", situation.charged == "defender")
    base = (situation.attacker_afraid, situation.defender_afraid)
    afraid: list[Flags] = [base]
    if isinstance(situation, Duel):
        approach = approach_of(matchup)
        if situation.contact == "charge":
            charged = (charged[0], True)
        if approach.test and approach.test.who == DEFENDER and approach.fails == FIGHTS:
            afraid.append((base[0], True))
    return fight_of(fighters, situation, rules, charged=charged, afraid=afraid)


def approach_of(matchup: Matchup) -> Approach:
    """What happens before the first exchange. Source: C3-2.6 to C3-2.8, C3-2.10 to C3-2.17."""
    situation: Duel = matchup.situation
    attacker, defender = matchup.unit("attacker"), matchup.unit("defender")
    if situation.contact == "made":
        return Approach(1.0, None, None, FIGHTS, False)
    reach = reach_chance(attacker, situation.distance, flying=situation.flying)
    flees = situation.contact == "charge" and situation.defender_afraid
    test = None if flees else _untested(fear_test(attacker, defender), situation)
    law = success_law(matchup.rules.reroll_six, 1, "all") if test else None
    if test is None:
        return Approach(reach, None, None, FIGHTS, flees)
    fails = (FIGHTS if situation.activated else FLEES) if test.who == DEFENDER else CANCELLED
    return Approach(reach, test, law, fails, flees)


def _untested(test: FearTest | None, situation: Duel) -> FearTest | None:
    """Who is afraid already does not test again."""
    if test is None:
        return None
    already = situation.defender_afraid if test.who == DEFENDER else situation.attacker_afraid
    return None if already else test


def contact_steps(approach: Approach) -> list[Step]:
    """Reach and fear, as steps. Source: C3-2.8, C3-2.13, C3-2.14, C3-2.15, C3-2.17."""
    steps: list[Step] = []
    if approach.reach < 1:
        law = Law.constant(Pmf(0, [approach.reach, 1 - approach.reach]))
        steps.append(Step("reach", law, 0, "contact", rule="C3-2.8", words=("reaches", "falls short")))
    if approach.test and approach.success_law:
        steps.append(
            Step(
                f"fear of the {approach.test.who}",
                approach.success_law,
                approach.test.need,
                partial(_frightened, approach),
                where=_in_contact,
                otherwise=1,
                rule="C3-2.12",
                words=("is afraid", "holds"),
            )
        )
    return steps


def _in_contact(columns: Columns) -> Mask:
    inside: Mask = columns["contact"] == FIGHTS
    return inside


def _frightened(approach: Approach, columns: Columns, outcome: Ints) -> dict[str, Ints]:
    """What a failed test does."""
    assert approach.test
    failed = outcome == 0
    change = {"contact": np.where(failed, approach.fails, columns["contact"]).astype(np.int32)}
    if "afraid" in columns:
        bit = 2 if approach.test.who == DEFENDER else 1
        change["afraid"] = np.where(failed, columns["afraid"] | bit, columns["afraid"]).astype(np.int32)
    return change


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
    start = melee.start(start_states(fight, situation), bits(fight.afraid[0]))
    actions: list[Action] = [*before, *melee.rounds()]
    return Play(
        start=start | {"contact": begins},
        actions=actions,
        measures=measures_of(fight.fighting.states),
        events=events_of(fight.fighting.states),
        finished=lambda columns: melee.over(columns) | (columns["contact"] != FIGHTS),
    )


def start_states(fight: Fight, situation: Fights) -> list[int]:
    """The states that both begin in."""
    states = fight.fighting.states
    return [
        state_of(states, situation.attacker_wound, situation.attacker_stunned),
        state_of(states, situation.defender_wound, situation.defender_stunned),
    ]


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
