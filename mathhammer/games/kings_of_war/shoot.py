"""One volley or breath, then the target's nerve. Source: KOW-02 to KOW-07, KOW-09."""

from __future__ import annotations

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.profiles import slug
from mathhammer.core.steps import Play, Step, always
from mathhammer.games.kings_of_war.melee import refuse_rallying
from mathhammer.games.kings_of_war.nerve import nerve_law, nerve_steps, nerve_test
from mathhammer.games.kings_of_war.profile import Unit
from mathhammer.games.kings_of_war.ruleset import Rules
from mathhammer.games.kings_of_war.situations import Shoot
from mathhammer.games.kings_of_war.state import dealt, nerve_events, start
from mathhammer.games.kings_of_war.strike import shooting_strike, strike_steps


def shoot(matchup: Matchup) -> Play:
    """The play of one volley. Raises `InputError` for a unit or an order that cannot shoot."""
    situation: Shoot = matchup.situation
    shooter: Unit = matchup.unit("attacker")
    refuse_shot(shooter, situation, matchup.rules)
    reaches = in_range(shooter, situation)
    return Play(
        start=start(situation.damage_before, situation.attacker_damage_before),
        actions=shooting_steps(shooter, matchup.unit("defender"), situation, matchup.rules)
        if reaches
        else [],
        measures={"damage": "defender.struck", "damage_after": "defender.damage"},
        events={**nerve_events("defender"), "reaches": always(int(reaches))},
    )


def shooting_steps(shooter: Unit, target: Unit, situation: Shoot, rules: Rules) -> list[Step]:
    """The volleys and the one test after them. A devastated shooter has half its dice (edition 4).

    Source: KOW-02 to KOW-05, KOW-A-shattering.
    """
    devastated = situation.attacker_damage_before > shooter.rout and rules.devastated
    strike = shooting_strike(shooter, target, situation, rules, devastated=devastated)
    shattering = rules.shattering if shooter.rules.shattering else 0
    rallying = min(situation.rallying, rules.rallying_cap) if situation.rallying else 0
    test = nerve_test(
        target,
        combat=False,
        roll_bonus=shattering + situation.nerve_mod,
        nerve_bonus=rallying,
        rules=rules,
    )
    law = nerve_law(test, situation.inspiring or target.inspired, rules)
    steps: list[Step] = []
    for number in range(1, situation.volleys + 1):
        who = f"{number}. volley: " if situation.volleys > 1 else ""
        steps += strike_steps(strike, dealt("defender", "attacker", 0), who=who)
    return steps + nerve_steps(target, "defender", law, rules, combat=False)


def in_range(shooter: Unit, situation: Shoot) -> bool:
    """Whether the weapon gets there; without a distance it does. Source: KOW-09."""
    if situation.distance is None or shooter.reach is None:
        return True
    return situation.distance <= shooter.reach


def refuse_shot(shooter: Unit, situation: Shoot, rules: Rules) -> None:
    """What cannot shoot at all. Source: KOW-02, KOW-07, KOW-09."""
    refuse_rallying(situation.rallying, rules)
    if situation.breath and not shooter.rules.breath:
        raise InputError(f"attacker: {shooter.label()} has no breath attack (rules.breath, KOW-07)")
    if shooter.ra is None and not situation.breath:
        hint = "; --breath uses its breath" if shooter.rules.breath else ""
        raise InputError(
            f"attacker: {shooter.label()} has no ranged score (ra), so it cannot shoot (KOW-02){hint}"
        )
    if situation.order == "double":
        raise InputError("--order is not double: a unit moved at the double does not shoot (KOW-09)")
    if situation.disordered:
        raise InputError("--disordered: a disordered unit does not shoot (KOW-09)")
    if situation.wavering:
        raise InputError("--wavering: a wavering unit does not shoot (KOW-08)")
    if situation.distance is not None and shooter.reach is None:
        raise InputError(
            f"attacker: {shooter.label()} has no known range; write {slug(shooter.name)},range=24 (KOW-09)"
        )
    if situation.attacker_damage_before and not rules.devastated:
        raise InputError("--attacker-damage-before is 0: only in edition 4 does it touch shooting (KOW-05)")
