"""A siege: those around a unit attack it together, then its nerve is tested. Source: BF-13, BF-14."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mathhammer.core.errors import InputError
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Change, Columns
from mathhammer.games.battlefield.assault import attack_beat, plain_manner
from mathhammer.games.battlefield.charge import NERVE, nerve_update
from mathhammer.games.battlefield.checks import Check, Term, kept, nerve_law
from mathhammer.games.battlefield.melee import rally_terms
from mathhammer.games.battlefield.ruleset import Rules
from mathhammer.games.battlefield.state import Battle, Beat, Fighter, Where, every, is_open

LEAST_ANSWERS = 2


def flank_morale(flank: str, rules: Rules) -> int:
    """What standing flanked or surrounded for a turn does to morale. Source: BF-14."""
    if flank == "none":
        return 0
    if flank == "flanked":
        return rules.flank_morale
    return rules.surrounded_morale + (0 if rules.surrounded_instead else rules.flank_morale)


def siege_morale(rules: Rules) -> int:
    """What a siege does to its target's morale in a turn. Source: BF-13, BF-14."""
    surrounded = flank_morale("surrounded", rules)
    return rules.siege_morale + (surrounded if rules.siege_adds else 0)


def morale_beat(
    battle: Battle, target: Fighter, change: int, *, where: Where = None, round_: int = 1
) -> Beat:
    """A change of morale, and whether the ruleset's threshold makes the unit rout. Source: BF-14."""
    column = target.column("morale")

    def lower(columns: Columns) -> dict[str, Ints]:
        morale = (columns[column] + change * columns["open"]).astype(columns[column].dtype)
        routs = battle.routed(target, {**columns, column: morale})
        return {column: morale, "last": (columns["open"] * (1 + routs)).astype(columns[column].dtype)}

    label = f"morale of {target.name} {change:+d}"
    able = every(battle.fights(target), where)
    return Beat(label, (Change(label, lower),), ("stays", "routs"), able, round_, quiet=True)


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
    round_: int = 1,
) -> list[Beat]:
    """All attacks, the counter at the caller alone, morale, the test. Raises `InputError`. Source: BF-13."""
    refuse_few(answering)
    beats = []
    for fighter in (caller, *answering):
        manner = plain_manner(fighter, battle.rules, flanking=True)
        if fighter is not caller:
            manner = replace(manner, countered=False)
        beats.append(attack_beat(battle, fighter, target, manner, where=where, round_=round_))
    beats.append(morale_beat(battle, target, siege_morale(battle.rules), where=where, round_=round_))
    check = siege_check(battle, target, 1 + len(answering))
    law = nerve_law(battle.rules.siege_confused_by, battle.rules)
    step = check.step(law, nerve_update(battle, caller, target), is_open, NERVE)
    able = every(battle.fights(target), where)
    return [*beats, Beat(check.name, (step,), NERVE, able, round_)]


def refuse_few(answering: Sequence[Fighter]) -> None:
    """Raise `InputError` for a siege that too few units answer."""
    if len(answering) < LEAST_ANSWERS:
        raise InputError(
            f"--with: a siege needs at least {LEAST_ANSWERS} more units beside the caller, not "
            f"{len(answering)} (BF-13)"
        )
