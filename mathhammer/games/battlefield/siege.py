"""A siege: those around a unit attack it together, then its nerve is tested. Source: BF-13, BF-14."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Change, Columns, Mask, Play, cleared
from mathhammer.games.battlefield.assault import STRUCK, plain_manner, struck
from mathhammer.games.battlefield.checks import Check, Term, kept
from mathhammer.games.battlefield.melee import rally_terms
from mathhammer.games.battlefield.nerve import flank_morale, morale_beat, nerve_beat
from mathhammer.games.battlefield.ruleset import Rules
from mathhammer.games.battlefield.scenes import OURS, Scene, battle_of, pair, several, told
from mathhammer.games.battlefield.state import Action, Battle, Beat, Fighter, Where, every, is_open
from mathhammer.games.battlefield.volleys import counter, hurt, strike

LEAST_ANSWERS = 2


def siege_morale(rules: Rules) -> int:
    """What a siege does to its target's morale in a turn. Source: BF-13, BF-14."""
    surrounded = flank_morale("surrounded", rules)
    return rules.siege_morale + (surrounded if rules.siege_adds else 0)


def siege_check(battle: Battle, target: Fighter, units: int) -> Check:
    """The test of the besieged; `units` is how many take part, the caller too. Source: BF-13."""
    rules = battle.rules
    counted = units if rules.siege_counts_caller else units - 1
    terms = kept(
        *rally_terms(target),
        Term("siege", rules.siege_base, against=True),
        Term(f"{counted} units take part", counted * rules.siege_each, against=True),
    )
    return Check(f"{target.name} besieged", "BF-13", terms)


def siege_beats(
    battle: Battle,
    caller: Fighter,
    target: Fighter,
    answering: Sequence[Fighter],
    *,
    where: Where = None,
) -> list[Beat]:
    """All attacks, the counter at the caller alone, morale, the test. Raises `InputError`. Source: BF-13."""
    refuse_few(answering)
    beats = [attacks_beat(battle, caller, target, (caller, *answering), where)]
    beats.append(morale_beat(battle, target, siege_morale(battle.rules), where=where))
    check = siege_check(battle, target, 1 + len(answering))
    return [*beats, nerve_beat(battle, caller, target, check, battle.rules.siege_confused_by, where)]


def attacks_beat(
    battle: Battle, caller: Fighter, target: Fighter, units: Sequence[Fighter], where: Where
) -> Beat:
    """All attack at once, so that their damage is marked together; then the counter. Source: BF-13."""

    def owe(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        return {"owed": columns["owed"] + outcome}

    def owe_back(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        return {"total": outcome}

    def pay(columns: Columns) -> dict[str, Ints]:
        paid = hurt(battle, target)(columns, columns["owed"])
        return {**paid, **hurt(battle, caller)({**columns, **paid}, columns["total"])}

    steps: list[Action] = []
    for fighter in units:
        able = every(is_open, battle.acts(fighter))
        blow = plain_manner(fighter, battle.rules, flanking=True).blow
        steps += strike(battle, fighter, target, replace(blow, rule="BF-13"), able, deal=owe)
    paid = [Change("all at once", pay), cleared("owed", "total")]
    if caller.unit.ranged and not battle.rules.siege_counters_shots:
        back: list[Action] = []
    elif battle.rules.counter_timing == "together":
        steps += counter(battle, target, caller, is_open, deal=owe_back)
        back = []
    else:
        back = counter(battle, target, caller, every(is_open, battle.fights(target)))
    label = f"{' and '.join(fighter.name for fighter in units)} attack {target.name}"
    able = every(battle.acts(caller), battle.fights(target), where)
    return Beat(label, (*steps, *paid, *back, struck(battle, target)), STRUCK, able, quiet=True)


def refuse_few(answering: Sequence[Fighter]) -> None:
    """Raise `InputError` for a siege that too few units answer."""
    if len(answering) < LEAST_ANSWERS:
        raise InputError(
            f"--with: a siege needs at least {LEAST_ANSWERS} more units beside the caller, not "
            f"{len(answering)} (BF-13)"
        )


# -- the mode --------------------------------------------------------------------------------------
def siege_scene(matchup: Matchup) -> Scene:
    """A siege. Raises `InputError`. Source: BF-13."""
    us, them = pair(matchup)
    others = several(matchup, "with", OURS)
    battle = battle_of(matchup.rules, [us, *others, them], morales=True)
    start = battle.start("shaken", "confused", "morale")
    return Scene(battle, start, siege_beats(battle, us, them, others))


def siege(matchup: Matchup) -> Play:
    """The play of a siege. Source: BF-13, BF-14."""
    scene = siege_scene(matchup)
    battle, them = scene.battle, scene.fighter("defender")
    return scene.play(
        told(scene, "damage", "attacker.damage", "morale"),
        {
            **told(scene, "destroyed", "rout"),
            "holds": partial(holds, battle, them),
            "shaken": lambda columns: battle.shaken(them, columns) & ~battle.confused(them, columns),
            **told(scene, "confused", "attacker.destroyed"),
        },
    )


def holds(battle: Battle, fighter: Fighter, columns: Columns) -> Mask:
    """Whether it is there, neither shaken nor confused."""
    upset = battle.shaken(fighter, columns) | battle.confused(fighter, columns)
    return battle.fights(fighter)(columns) & ~upset
