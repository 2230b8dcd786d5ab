"""What units do in a melee: disrupt, rally, help, disengage. Source: BF-04 to BF-06."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Change, Columns, Mask, cleared, put, rows
from mathhammer.games.battlefield.checks import Check, Term, kept, law_of, plain_law
from mathhammer.games.battlefield.outnumber import FOUR_TIMES, TWICE, over
from mathhammer.games.battlefield.state import (
    Action,
    Battle,
    Beat,
    Fighter,
    Masked,
    Where,
    every,
    holding,
    ints,
    is_open,
    noted,
)
from mathhammer.games.battlefield.volleys import mood_terms

DISRUPTS = ("keeps order", "confused")
RALLIES = ("stays confused", "rallies")
LEAVES = ("stays in melee", "breaks away")
HELPS = ("helps",)
MOST_AGE = 30  # rounds after which a DC to rally falls no further


# -- confusion, as one column ------------------------------------------------------------------------
def confusion(battle: Battle, disruptor: Fighter) -> int:
    """The column's value of a unit that this one has just confused."""
    return 1 + [f.name for f in battle.fighters].index(disruptor.name)


def _disruptor(battle: Battle, column: Ints) -> Ints:
    return np.maximum(column - 1, 0) % len(battle.fighters)


def _age(battle: Battle, column: Ints) -> Ints:
    return np.maximum(column - 1, 0) // len(battle.fighters)


def ageing(battle: Battle, side: int) -> Change:
    """A round has passed for the confused units of a side. Source: BF-05."""
    number = len(battle.fighters)
    most = {f.column("confused"): oldest(battle, f) for f in battle.fighters if f.side == side}

    def older(columns: Columns) -> dict[str, Ints]:
        changed = {}
        for name, age in most.items():
            grows = (columns[name] > 0) & (_age(battle, columns[name]) < age)
            changed[name] = (columns[name] + number * grows).astype(np.int32)
        return changed

    return Change("a round passes", older)


def oldest(battle: Battle, fighter: Fighter) -> int:
    """Rounds after which rallying is certain against whomever, so that more of them make no difference."""
    falls = battle.rules.rally_falls
    if falls <= 0:
        return MOST_AGE if falls else 0
    firmest = max(enemy.unit.firmness for enemy in battle.other(fighter))
    over = battle.rules.rally_base + firmest - fighter.unit.firmness - 1
    return min(MOST_AGE, max(0, -(-over // falls)))


# -- disrupt and rally -------------------------------------------------------------------------------
def disrupt_check(battle: Battle, actor: Fighter, target: Fighter) -> Check:
    """The check to disrupt. Source: BF-04."""
    terms = kept(
        Term(f"attack of {actor.unit.name}", actor.unit.attack),
        *mood_terms(battle, actor),
        Term("disrupt", battle.rules.disrupt_base, against=True),
        Term(f"attack of {target.unit.name}", target.unit.attack, against=True),
        *mood_terms(battle, target, against=True),
    )
    return Check(f"{actor.name} disrupts {target.name}", "BF-04", terms)


def disrupt_beat(battle: Battle, actor: Fighter, target: Fighter, *, where: Where = None) -> Beat:
    """One try to disrupt, which also renews a confusion. Source: BF-04, BF-05."""
    column, value = target.column("confused"), confusion(battle, actor)

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        return noted(columns, outcome, put(columns, outcome == 1, {column: value}))

    able = every(battle.acts(actor), battle.fights(target), battle.together(actor, target), where)
    return disrupt_check(battle, actor, target).beat(plain_law(battle.rules), update, DISRUPTS, able)


def rally_terms(fighter: Fighter) -> tuple[Term, ...]:
    """What a unit rallies with. Source: BF-05."""
    unit = fighter.unit
    return (Term(f"command of {unit.name}", unit.command), Term(f"soldiers of {unit.name}", unit.soldiers))


def rally_check(battle: Battle, fighter: Fighter) -> Check:
    """The check to rally: against whoever disrupted it, easier by the round. Source: BF-05."""
    column, help_column = fighter.column("confused"), fighter.column("rally_help")
    firmness = np.array([f.unit.firmness for f in battle.fighters], dtype=np.int32)
    falls, help_ = battle.rules.rally_falls, battle.rules.rally_help

    def enemy(columns: Columns) -> Ints:
        return firmness[_disruptor(battle, columns[column])]

    terms = kept(
        *rally_terms(fighter),
        Term("a friend's help", lambda c: help_ * c[help_column]),
        Term("rally", battle.rules.rally_base, against=True),
        Term("command + soldiers of the disruptor", enemy, against=True),
        Term("rounds passed", lambda c: -falls * _age(battle, c[column]), against=True),
    )
    return Check(f"{fighter.name} rallies", "BF-05", terms)


def rally_beat(battle: Battle, fighter: Fighter, *, where: Where = None) -> Beat:
    """One try to rally in a melee; it uses up a friend's help. Source: BF-05."""
    column, help_column = fighter.column("confused"), fighter.column("rally_help")

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        tried = outcome >= 0
        changed = put(columns, outcome == 1, {column: 0}) | put(columns, tried, {help_column: 0})
        return noted(columns, outcome, changed)

    def disrupted(columns: Columns) -> Mask:
        mask: Mask = columns[column] > 0
        return mask

    able = every(battle.fights(fighter), battle.inside(fighter), disrupted, where)
    return rally_check(battle, fighter).beat(plain_law(battle.rules), update, RALLIES, able)


def help_beat(battle: Battle, actor: Fighter, friend: Fighter, how: str, *, where: Where = None) -> Beat:
    """An action that helps a friend's next try. Source: BF-05, BF-06.

    how: "rally" or "disengage"; to disengage it lends its attack, of several helpers the highest counts.
    """
    number = confusion(battle, actor)
    lower = [0, *(confusion(battle, f) for f in battle.fighters if f.unit.attack < actor.unit.attack)]

    def update(columns: Columns) -> dict[str, Ints]:
        open_ = is_open(columns)
        if how == "rally":
            column = friend.column("rally_help")
            return {**put(columns, open_, {column: 1}), "last": ints(open_)}
        column = friend.column("lent")
        better = open_ & np.isin(columns[column], lower)
        return {**put(columns, better, {column: number}), "last": ints(open_)}

    able = every(battle.acts(actor), battle.fights(friend), battle.together(actor, friend), where)
    label = f"{actor.name} helps {friend.name}"
    return Beat(label, (Change(label, update),), HELPS, able, quiet=True)


# -- disengage ---------------------------------------------------------------------------------------
def disengage_check(battle: Battle, actor: Fighter, enemy: Fighter, *, opposed: bool) -> Check:
    """The check to get away from one enemy. Source: BF-06."""
    rules = battle.rules
    bigger = ((TWICE, rules.disengage_over_twice), (FOUR_TIMES, rules.disengage_over_four))
    numbers = not opposed or rules.multi_disengage_numbers
    terms = kept(
        Term(f"attack of {actor.unit.name}, or of a helper", _lent_attack(battle, actor)),
        *mood_terms(battle, actor),
        Term("disengage", 0 if opposed else rules.disengage_base, against=True),
        Term(f"attack of {enemy.unit.name}", enemy.unit.attack, against=True),
        *mood_terms(battle, enemy, against=True),
        *([over(battle, enemy, actor, bigger, against=True)] if numbers else []),
    )
    return Check(f"{actor.name} breaks away from {enemy.name}", "BF-06", terms, opposed)


def _lent_attack(battle: Battle, actor: Fighter) -> Callable[[Columns], Ints]:
    """Its own attack, or that of the friend who helps, whichever is higher."""
    column, own = actor.column("lent"), actor.unit.attack
    values = np.array([own, *(max(own, f.unit.attack) for f in battle.fighters)], dtype=np.int32)
    return lambda columns: values[columns[column]]


def disengage_beat(battle: Battle, actor: Fighter, *, waived: bool = False, where: Where = None) -> Beat:
    """One try to leave a melee: one check against each enemy in it, all to be won. Source: BF-06."""
    label = f"{actor.name} disengages"
    steps = () if waived else _disengage_steps(battle, actor)
    able = every(battle.acts(actor), battle.inside(actor), where)
    return Beat(label, (*steps, _leave(actor), cleared("pick", "total")), LEAVES, able)


def _leave(actor: Fighter) -> Change:
    """Out of the melee where no check failed; a friend's help is used up."""
    cell, lent, left = actor.column("melee"), actor.column("lent"), actor.column("free")

    def update(columns: Columns) -> dict[str, Ints]:
        tried = is_open(columns)
        away = tried & (columns["total"] == 0)
        changed = put(columns, away, {cell: 0, left: 1}) | put(columns, tried, {lent: 0})
        return {**changed, "last": ints(tried) + ints(away)}

    return Change(f"{actor.name} leaves", update)


def _disengage_steps(battle: Battle, actor: Fighter) -> tuple[Action, ...]:
    """A check against each enemy inside; `pick` counts them, `total` the checks that fail."""
    enemies = battle.other(actor)

    def count(columns: Columns) -> dict[str, Ints]:
        there = [ints(battle.beside(enemy, actor)(columns)) for enemy in enemies]
        return {"pick": np.minimum(np.sum(there, axis=0), 2).astype(np.int32)}

    steps: list[Action] = [Change("enemies in the melee", count)]
    for enemy in enemies:
        steps += _against(battle, actor, enemy, several=False)
        if len(enemies) > 1:
            steps += _against(battle, actor, enemy, several=True)
    return tuple(steps)


def _against(battle: Battle, actor: Fighter, enemy: Fighter, *, several: bool) -> list[Action]:
    opposed = several and battle.rules.multi_disengage == "opposed"
    check = disengage_check(battle, actor, enemy, opposed=opposed)
    number = holding("pick", 2 if several else 1)

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        return {"total": (columns["total"] + (outcome == 0)).astype(np.int32)}

    where = every(is_open, number, battle.beside(enemy, actor))
    return [check.step(law_of(check, battle.rules), update, where, LEAVES)]


def nth_enemy(battle: Battle, fighter: Fighter, enemy: Fighter, n: int) -> Masked:
    """States in which this is the n-th (from 0) of the enemies in the fighter's melee, in order."""

    def mask(columns: Columns) -> Mask:
        before = np.zeros(rows(columns), dtype=np.int32)
        for other in battle.other(fighter):
            there = battle.beside(other, fighter)(columns)
            if other.name == enemy.name:
                turn: Mask = before == n
                return there & turn
            before = before + ints(there)
        raise AssertionError(enemy)

    return mask
