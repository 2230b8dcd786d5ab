"""A fight: turns alternate, each side charges again, to a rout or the last turn. Source: KOW-08."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Action, Change, Columns, Mark, Mask, Play, Step, put
from mathhammer.games.kings_of_war.healing import heals_at_once, leech_later, lifeleech, regeneration_steps
from mathhammer.games.kings_of_war.melee import refuse_dread, refuse_rallying
from mathhammer.games.kings_of_war.nerve import (
    ROUT,
    STEADY,
    WAVER,
    brutal_bonus,
    devastated_above,
    dread_penalty,
    nerve_law,
    nerve_steps,
    nerve_test,
)
from mathhammer.games.kings_of_war.profile import Unit
from mathhammer.games.kings_of_war.ruleset import Rules
from mathhammer.games.kings_of_war.situations import Fight
from mathhammer.games.kings_of_war.state import dealt, is_nerve
from mathhammer.games.kings_of_war.strike import Charge, melee_strike, strike_steps
from mathhammer.kernels.pools import pool, successes

ACTS = 4  # nerve column of a wavering unit that Headstrong lets act in its turn


@dataclass(frozen=True)
class Side:
    """One of the two units in the fight, with what its friends and foes nearby do to its nerve."""

    name: str
    unit: Unit
    inspired: bool
    rallying: int
    dreads: bool


def fight(matchup: Matchup) -> Play:
    """The play of a fight; a round is one turn of each side. Source: KOW-08."""
    situation: Fight = matchup.situation
    rules: Rules = matchup.rules
    refuse_dread(situation.dread, rules)
    for rallying in (situation.rallying, situation.attacker_rallying):
        refuse_rallying(rallying, rules)
    attacker, defender = matchup.unit("attacker"), matchup.unit("defender")
    first = Side("attacker", attacker, situation.attacker_inspiring, situation.attacker_rallying, False)
    second = Side("defender", defender, situation.inspiring, situation.rallying, situation.dread)
    actions: list[Action] = []
    for turn in range(1, situation.turns + 1):
        actions += turn_actions(first, second, first_charge(turn, situation, rules), rules)
        actions += turn_actions(second, first, Charge(), rules)
        actions.append(Mark(turn))
    routs = {f"{side.name}.rout": is_nerve(side.name, ROUT) for side in (first, second)}
    return Play(
        start=fight_start(situation),
        actions=actions,
        measures={"attacker.damage": "attacker.damage", "defender.damage": "defender.damage"},
        events=dict(routs),
        finished=lambda columns: (columns["attacker.nerve"] == ROUT) | (columns["defender.nerve"] == ROUT),
    )


def fight_start(situation: Fight) -> dict[str, int]:
    """Both steady, with the damage they bring."""
    start: dict[str, int] = {}
    for name, damage in (
        ("attacker", situation.attacker_damage_before),
        ("defender", situation.damage_before),
    ):
        start |= {f"{name}.damage": damage, f"{name}.struck": 0, f"{name}.nerve": STEADY, f"{name}.leech": 0}
    return start


def first_charge(turn: int, situation: Fight, rules: Rules) -> Charge:
    """How the attacker charges in a turn: as the situation says at first. Source: KOW-08."""
    told = Charge(facing=situation.facing, hindered=situation.hindered)
    if turn == 1 or told == Charge() or rules.fight_facing == "every":
        return told
    return Charge()


def turn_actions(own: Side, enemy: Side, charge: Charge, rules: Rules) -> list[Action]:
    """One turn of a side: heal, pull together, charge, the enemy's nerve, steady again. Source: KOW-08."""
    heals = regeneration_steps(own.unit, own.name, rules)
    early = bool(heals) and rules.regeneration_timing == "start"
    return [
        *leech_later(own.unit, own.name, rules),
        *(heals if early else []),
        *headstrong_steps(own, rules),
        *charge_steps(own, enemy, charge, rules),
        *nerve_steps(enemy.unit, enemy.name, fight_nerve(own, enemy, rules), rules, who=f"{enemy.name} "),
        *([] if early else heals),
        Change(f"{own.name} end of turn", _end_of_turn(own, enemy, rules)),
    ]


def headstrong_steps(own: Side, rules: Rules) -> list[Step]:
    """The roll that lets a wavering unit act. Source: KOW-A-headstrong."""
    if not own.unit.rules.headstrong:
        return []
    nerve = f"{own.name}.nerve"

    def act(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        acts = (columns[nerve] == WAVER) & (outcome == 1)
        return put(columns, acts, {nerve: ACTS})

    roll = pool(successes(rules.headstrong_need))
    return [Step(f"{own.name} headstrong", roll, 1, act, is_nerve(own.name, WAVER), rule="KOW-A-headstrong")]


def charge_steps(own: Side, enemy: Side, charge: Charge, rules: Rules) -> list[Step]:
    """The strike of each state that the side may be in: as it is, disordered, devastated. Source: KOW-08."""
    later = not heals_at_once(own.unit, rules)
    update = dealt(enemy.name, own.name, lifeleech(own.unit, rules), amount=False, later=later)
    steps: list[Step] = []
    for disordered in (False, True) if _disorder_matters(own, rules) else (False,):
        for devastated in (False, True) if rules.devastated else (False,):
            state = Charge(charge.facing, charge.hindered, disordered, devastated)
            strike = melee_strike(own.unit, enemy.unit, state, None, rules)
            where = _striking(own, enemy, state, rules)
            steps += strike_steps(strike, update, who=f"{own.name} ", where=where)
    return steps


def _disorder_matters(own: Side, rules: Rules) -> bool:
    return bool(own.unit.rules.thunderous_charge) and rules.thunderous


def _striking(own: Side, enemy: Side, state: Charge, rules: Rules) -> Callable[[Columns], Mask]:
    """Rows where the side acts in exactly this state."""
    nerve, damage = f"{own.name}.nerve", f"{own.name}.damage"
    asks_disorder = _disorder_matters(own, rules)
    most = devastated_above(own.unit, nerve_bonus(enemy, own, rules), rules)

    def where(columns: Columns) -> Mask:
        mask: Mask = columns[nerve] != WAVER
        if asks_disorder:
            mask = mask & (_is_disordered(columns, own, rules) == state.disordered)
        if most is not None:
            mask = mask & ((columns[damage] > most) == state.devastated)
        return mask

    return where


def _is_disordered(columns: Columns, own: Side, rules: Rules) -> Mask:
    """Struck in the enemy's last turn, or acting only by being headstrong. Source: KOW-A-headstrong."""
    disordered = np.zeros(len(columns[f"{own.name}.nerve"]), dtype=np.bool_)
    if rules.struck_is_disordered:
        disordered |= columns[f"{own.name}.struck"] > 0
    if own.unit.rules.headstrong and rules.headstrong_disorders:
        disordered |= columns[f"{own.name}.nerve"] == ACTS
    return disordered


def fight_nerve(own: Side, enemy: Side, rules: Rules) -> Law:
    """The enemy's test after this side's strike. Source: KOW-05."""
    brutal, bonus = brutal_bonus([own.unit], rules), nerve_bonus(own, enemy, rules)
    test = nerve_test(enemy.unit, combat=True, roll_bonus=brutal, nerve_bonus=bonus, rules=rules)
    return nerve_law(test, enemy.inspired or enemy.unit.inspired, rules)


def nerve_bonus(own: Side, enemy: Side, rules: Rules) -> int:
    """What Rallying and Dread make of the enemy's nerve. Source: KOW-A-rallying, KOW-A-dread."""
    dread = dread_penalty(enemy.dreads or own.unit.rules.dread, brutal_bonus([own.unit], rules), rules)
    return (min(enemy.rallying, rules.rallying_cap) if enemy.rallying else 0) - dread


def _end_of_turn(own: Side, enemy: Side, rules: Rules) -> Callable[[Columns], dict[str, Ints]]:
    """The side is steady again; whether the enemy was struck is kept only where that matters."""
    remembers = _disorder_matters(enemy, rules) and rules.struck_is_disordered

    def end(columns: Columns) -> dict[str, Ints]:
        none = np.zeros(len(columns[f"{own.name}.nerve"]), dtype=np.int32)
        struck = columns[f"{enemy.name}.struck"] if remembers else none
        return {f"{own.name}.nerve": none, f"{own.name}.struck": none, f"{enemy.name}.struck": struck}

    return end
