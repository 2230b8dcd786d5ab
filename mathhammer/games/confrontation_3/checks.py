"""Tests and contests of single fighters: a characteristic, discipline, fear.

Source: C3-0.1 to C3-0.3, C3-1.4, C3-1.5, C3-2.1, C3-2.10 to C3-2.18, C3-3.10.
"""

from __future__ import annotations

import numpy as np

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Columns, Play, Step
from mathhammer.games.confrontation_3.contact import (
    ATTACKER,
    BITS,
    CANCELLED,
    DEFENDER,
    FIGHTS,
    FLEES,
    contact_of,
    fear_steps,
    rally_chance,
)
from mathhammer.games.confrontation_3.profile import Fighter
from mathhammer.games.confrontation_3.ruleset import Rules
from mathhammer.games.confrontation_3.situations import Discipline, Fear, Test
from mathhammer.games.confrontation_3.sixes import (
    TIES,
    WINS,
    attack_law,
    attack_sixes,
    contest_law,
    contest_sixes,
    decided_law,
    success_law,
)

FIELDS = {"str": "strength", "def": "defence"}


def characteristic(fighter: Fighter, name: str, role: str) -> int:
    """A characteristic of a fighter; Fear stands for Courage. Raises `InputError` where he has none.

    Source: C3-2.11.
    """
    value: int | None = fighter.courage if name == "cou" else getattr(fighter, FIELDS.get(name, name))
    if value is None:
        raise InputError(f"{role}: {fighter.label()} has no {name} ('-'), so he cannot test it")
    return value


# -- one characteristic ----------------------------------------------------------------------------
def tested(matchup: Matchup) -> Play:
    """A test against a difficulty, or an opposed roll. Raises `InputError`. Source: C3-0.1 to C3-0.3."""
    situation: Test = matchup.situation
    rules: Rules = matchup.rules
    value = (
        characteristic(matchup.unit("attacker"), situation.characteristic, "attacker") + situation.modifier
    )
    others = matchup.units["with"]
    if (situation.difficulty is None) == (not others):
        raise InputError("--difficulty and --with: give one of them: a number to reach, or another fighter")
    if others:
        return _opposed(matchup, value)
    if situation.against is not None:
        raise InputError("--against: names what another fighter rolls with; give him by --with")
    assert situation.difficulty is not None
    law = success_law(rules.reroll_six, situation.dice, rules.several_sixes if situation.dice > 1 else "all")
    return _contest(
        Step("test", law, situation.difficulty - value, _one, rule="C3-0.1", words=("fails", "succeeds"))
    )


def _opposed(matchup: Matchup, value: int) -> Play:
    """An opposed roll, once: ties stay. Source: C3-0.1, C3-0.3."""
    situation: Test = matchup.situation
    if len(matchup.units["with"]) > 1:
        raise InputError("--with: a test is opposed by one fighter")
    other = matchup.units["with"][0].unit
    assert isinstance(other, Fighter)
    theirs = characteristic(other, situation.against or situation.characteristic, "with")
    if (situation.characteristic, situation.against) == ("att", "def"):
        return _attack(situation, matchup.rules, value - theirs)
    dice = (situation.dice, 1)
    law = contest_law(contest_sixes(matchup.rules, dice), dice)
    words = ("loses", "ties", "wins")
    return _contest(Step("opposed roll", law, value - theirs, _three, rule="C3-0.3", words=words))


def _attack(situation: Test, rules: Rules, lead: int) -> Play:
    """ATT against DEF is an attack: a tie is parried. Raises `InputError`. Source: C3-3.10."""
    if situation.dice > 1:
        raise InputError("--dice: att against def is an attack, which has one die (C3-3.10)")
    law = attack_law(attack_sixes(rules))
    return _contest(Step("attack", law, lead, _one, rule="C3-3.10", words=("is parried", "hits")))


def _contest(step: Step) -> Play:
    return Play(
        start={"wins": 0, "ties": 0},
        actions=[step],
        measures={},
        events={"succeeds": "wins", "ties": "ties", "fails": lambda c: (c["wins"] == 0) & (c["ties"] == 0)},
    )


def _one(columns: Columns, outcome: Ints) -> dict[str, Ints]:
    return {"wins": outcome}


def _three(columns: Columns, outcome: Ints) -> dict[str, Ints]:
    return {"wins": (outcome == WINS).astype(np.int32), "ties": (outcome == TIES).astype(np.int32)}


# -- discipline ------------------------------------------------------------------------------------
def discipline(matchup: Matchup) -> Play:
    """The discipline roll, thrown again until somebody wins. Source: C3-1.4, C3-1.5, C3-2.1."""
    situation: Discipline = matchup.situation
    rules: Rules = matchup.rules
    sides = [matchup.unit(name) for name in (ATTACKER, DEFENDER)]
    values = [
        characteristic(side, "dis", role) for side, role in zip(sides, (ATTACKER, DEFENDER), strict=True)
    ]
    first, second = (rules.leadership_dice if side.leadership else 1 for side in sides)
    law = decided_law(contest_sixes(rules, (first, second)), rules.contest_ties, (first, second))
    lead = values[0] + situation.modifier - values[1]
    words = ("defender wins", "attacker wins")
    return Play(
        start={"wins": 0},
        actions=[Step("discipline", law, lead, "wins", rule="C3-1.4", words=words)],
        measures={},
        events={"attacker.wins": "wins", "defender.wins": lambda c: c["wins"] == 0},
    )


# -- fear ------------------------------------------------------------------------------------------
def fear(matchup: Matchup) -> Play:
    """Contact, the test of fear, and whether who is afraid recovers when he is next activated.

    Source: C3-2.10 to C3-2.18.
    """
    situation: Fear = matchup.situation
    rules: Rules = matchup.rules
    sides = {role: matchup.unit(role) for role in (ATTACKER, DEFENDER)}
    contact = contact_of(matchup)
    scared = {contact.test.who} if contact.test else set()
    scared |= {DEFENDER} if situation.defender_afraid else set()
    rallies = [_rally_step(who, fighter, rules) for who, fighter in sides.items() if who in scared]
    return Play(
        start={
            "contact": contact.begins,
            "recovers": 0,
            "afraid": BITS[DEFENDER] * situation.defender_afraid,
        },
        actions=[*fear_steps(contact, rules), *rallies],
        measures={},
        events={
            "fights": lambda c: c["contact"] == FIGHTS,
            "cancelled": lambda c: c["contact"] == CANCELLED,
            "flees": lambda c: c["contact"] == FLEES,
            "attacker.afraid": lambda c: c["afraid"] & BITS[ATTACKER] > 0,
            "defender.afraid": lambda c: c["afraid"] & BITS[DEFENDER] > 0,
            "recovers": "recovers",
        },
    )


def _rally_step(who: str, fighter: Fighter, rules: Rules) -> Step:
    """The Courage test at the next activation. Source: C3-2.18."""
    chance = rally_chance(fighter, who, rules)
    return Step(
        f"{who} recovers",
        Law.constant(Pmf(0, [1 - chance, chance])),
        0,
        lambda c, outcome: {"recovers": c["recovers"] | outcome},
        where=lambda c: c["afraid"] & BITS[who] > 0,
        rule="C3-2.18",
        words=("stays afraid", "recovers"),
    )
