"""One melee: every charger strikes, damage pools, one nerve test. Source: KOW-01 to KOW-07, KOW-09."""

from __future__ import annotations

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.steps import Play, Step, always
from mathhammer.games.kings_of_war.healing import heals_at_once, lifeleech
from mathhammer.games.kings_of_war.nerve import (
    brutal_bonus,
    dread_penalty,
    nerve_law,
    nerve_steps,
    nerve_test,
)
from mathhammer.games.kings_of_war.profile import Unit
from mathhammer.games.kings_of_war.ruleset import Rules
from mathhammer.games.kings_of_war.situations import Melee
from mathhammer.games.kings_of_war.state import dealt, nerve_events, start
from mathhammer.games.kings_of_war.strike import Charge, melee_strike, strike_steps

Charger = tuple[Unit, Charge]


def melee(matchup: Matchup) -> Play:
    """The play of one melee. Raises `InputError` for options that the edition has no rule for."""
    situation: Melee = matchup.situation
    rules: Rules = matchup.rules
    attacker: Unit = matchup.unit("attacker")
    defender: Unit = matchup.unit("defender")
    refuse_rallying(situation.rallying, rules)
    refuse_dread(situation.dread, rules)
    chargers = chargers_of(matchup)
    return Play(
        start=start(situation.damage_before, situation.attacker_damage_before),
        actions=melee_steps(chargers, defender, situation, rules),
        measures={
            "damage": "defender.struck",
            "damage_after": "defender.damage",
            "attacker.damage_after": "attacker.damage",
        },
        events={**nerve_events("defender"), "reaches": always(int(charge_reaches(attacker, situation)))},
    )


def melee_steps(chargers: list[Charger], defender: Unit, situation: Melee, rules: Rules) -> list[Step]:
    """Strikes of all chargers that get there, then the one test. Source: KOW-01, KOW-09."""
    there = [charger for charger in chargers if charge_reaches(charger[0], situation)]
    steps: list[Step] = []
    for number, charger in enumerate(there, start=1):
        unit, charge = charger
        strike = melee_strike(unit, defender, charge, situation, rules)
        leech = lifeleech(unit, rules) if charger is chargers[0] and heals_at_once(unit, rules) else 0
        who = f"{number}. {unit.name}: " if len(there) > 1 else ""
        steps += strike_steps(strike, dealt("defender", "attacker", leech), who=who)
    if not there:
        return []
    law = melee_nerve(defender, [unit for unit, _ in there], situation, rules)
    return steps + nerve_steps(defender, "defender", law, rules)


def chargers_of(matchup: Matchup) -> list[Charger]:
    """The attacker first, then those with it. The devastated strike with half their dice. Source: KOW-05."""
    situation: Melee = matchup.situation
    attacker: Unit = matchup.unit("attacker")
    first = Charge(
        facing=situation.facing,
        hindered=situation.hindered,
        disordered=situation.disordered,
        devastated=situation.attacker_damage_before > attacker.rout and matchup.rules.devastated,
    )
    others = [
        Charge(
            facing=placed.placing.get("facing", "front"),
            hindered=situation.hindered or placed.placing.get("hindered", False),
            disordered=situation.disordered,
        )
        for placed in matchup.units.get("with", ())
    ]
    units = [placed.unit for placed in matchup.units.get("with", ())]
    return [(attacker, first), *((u, c) for u, c in zip(units, others, strict=True) if isinstance(u, Unit))]


def melee_nerve(defender: Unit, chargers: list[Unit], situation: Melee, rules: Rules) -> Law:
    """The defender's test, with what Brutal, Dread and Rallying do to it. Source: KOW-05."""
    brutal = brutal_bonus(chargers, rules)
    near = situation.dread or any(unit.rules.dread for unit in chargers)
    rallying = min(situation.rallying, rules.rallying_cap) if situation.rallying else 0
    test = nerve_test(
        defender,
        combat=True,
        roll_bonus=brutal + situation.nerve_mod,
        nerve_bonus=rallying - dread_penalty(near, brutal, rules),
        rules=rules,
    )
    return nerve_law(test, situation.inspiring or defender.inspired, rules)


def charge_reaches(charger: Unit, situation: Melee) -> bool:
    """Whether a charge gets there: 2 x Sp, difficult inches count double. Source: KOW-09."""
    if situation.distance is None:
        return True
    return situation.distance + situation.difficult <= 2 * charger.sp


def refuse_dread(dread: bool, rules: Rules) -> None:
    """Dread under an edition without it. Source: KOW-A-dread."""
    if dread and not rules.dread:
        raise InputError("--dread does not apply: this edition has no Dread (KOW-A-dread)")


def refuse_rallying(rallying: int, rules: Rules) -> None:
    """Rallying under an edition without it. Source: KOW-A-rallying."""
    if rallying and not rules.rallying_cap:
        raise InputError(f"--rallying is 0, not {rallying}: this edition has no Rallying (KOW-A-rallying)")
