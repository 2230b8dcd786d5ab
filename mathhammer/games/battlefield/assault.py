"""An attack action: in the open, inside a melee, or into one from outside. Source: BF-01, BF-14, BF-15."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Change, Columns, Mask, Step, cleared, rows
from mathhammer.games.battlefield.checks import Term, kept
from mathhammer.games.battlefield.profile import Unit
from mathhammer.games.battlefield.ruleset import Rules
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
    inverted,
    is_open,
)
from mathhammer.games.battlefield.volleys import (
    Blow,
    Portion,
    Shot,
    counter,
    hurt,
    same_dice,
    strike,
    weapon_rolls,
)

STRUCK = ("stands", "destroyed")


@dataclass(frozen=True)
class Manner:
    """How a unit attacks: its blow in the open, what it adds to counters at it, whether it is countered."""

    blow: Blow
    exposed: tuple[Term, ...] = ()
    countered: bool = True


def flanking_terms(flanking: bool, unit: Unit, rules: Rules) -> tuple[Term, ...]:
    """The bonus of a unit's active attacks on a flanked one. Source: BF-14."""
    if not flanking or (unit.ranged and not rules.flank_shots):
        return ()
    return kept(Term("flanking", rules.flank_attack))


def plain_manner(fighter: Fighter, rules: Rules, *, flanking: bool = False) -> Manner:
    """An ordinary attack action. Source: BF-01."""
    blow = Blow(weapon_rolls(fighter.unit, rules), bonus=flanking_terms(flanking, fighter.unit, rules))
    return Manner(blow, countered=not fighter.unit.ranged)


def attack_beat(
    battle: Battle,
    actor: Fighter,
    target: Fighter,
    manner: Manner,
    *,
    label: str = "",
    where: Where = None,
) -> Beat:
    """One attack action, whatever the state it is done in. Source: BF-01, BF-15."""
    steps = assault(battle, actor, target, manner)
    return Beat(
        label or f"{actor.name} attacks {target.name}",
        (*steps, struck(battle, target)),
        STRUCK,
        every(battle.acts(actor), battle.fights(target), within_reach(battle, actor, target), where),
        quiet=True,
    )


def within_reach(battle: Battle, actor: Fighter, target: Fighter) -> Where:
    """States in which it may attack: a unit in a melee attacks only those in it. Source: BF-01."""
    if not battle.melees:
        return None
    inside, together = battle.inside(actor), battle.together(actor, target)
    return lambda columns: ~inside(columns) | together(columns)


def struck(battle: Battle, target: Fighter) -> Change:
    """How the attack came out: the target stands, or is destroyed."""

    def note(columns: Columns) -> dict[str, Ints]:
        return {"last": (columns["open"] * (1 + battle.destroyed(target, columns))).astype(np.int32)}

    return Change(f"{target.name} struck", note)


def assault(battle: Battle, actor: Fighter, target: Fighter, manner: Manner) -> list[Action]:
    """The steps of an attack in the open, and of those that a melee makes different."""
    if not battle.melees:
        return exchange(battle, actor, target, manner, is_open)
    inside = replace(manner.blow, rolls=battle.rules.inside_rolls, ratio=False, inside=True)
    out = every(is_open, inverted(battle.inside(actor)))
    return [
        *exchange(battle, actor, target, manner, every(out, inverted(battle.inside(target)))),
        *strike(battle, actor, target, inside, every(is_open, battle.together(actor, target))),
        *_from_outside(battle, actor, target, manner, every(out, battle.inside(target))),
    ]


def exchange(
    battle: Battle, actor: Fighter, target: Fighter, manner: Manner, where: Masked, answers: Where = None
) -> list[Action]:
    """An attack and its counter, where the target may answer, in the ruleset's order. Source: BF-01."""
    answered = every(where, answers)
    if manner.countered and battle.rules.counter_timing == "together":
        return _together(battle, target, actor, manner, where, answered)
    blow = strike(battle, actor, target, manner.blow, where)
    if not manner.countered:
        return blow
    return [*blow, *counter(battle, target, actor, every(answered, battle.fights(target)), manner.exposed)]


def _together(
    battle: Battle, target: Fighter, actor: Fighter, manner: Manner, where: Masked, answered: Masked
) -> list[Action]:
    """The counter is rolled in the state before the blow, and marked after it."""
    back = counter(battle, target, actor, answered, manner.exposed, _owe)
    blow = strike(battle, actor, target, manner.blow, where)
    return [*back, *blow, Change("counter", partial(_pay, battle, actor))]


def _owe(columns: Columns, outcome: Ints) -> dict[str, Ints]:
    """Damage that is marked later."""
    return {"owed": columns["owed"] + outcome}


def _pay(battle: Battle, actor: Fighter, columns: Columns) -> dict[str, Ints]:
    """The damage owed is marked."""
    return {**hurt(battle, actor)(columns, columns["owed"]), "owed": np.zeros_like(columns["owed"])}


# -- into a melee ----------------------------------------------------------------------------------
def _from_outside(
    battle: Battle, actor: Fighter, target: Fighter, manner: Manner, where: Masked
) -> list[Action]:
    if actor.unit.ranged:
        return shared_volley(battle, actor, target, manner.blow, where)
    enemies = [target, *(f for f in battle.friends(target))]
    outside = replace(manner, blow=replace(manner.blow, rolls=battle.rules.outside_rolls, rule="BF-15"))
    uncovered = _friends_confused(battle, actor, target)
    if len(enemies) == 1:
        return exchange(battle, actor, target, outside, where, uncovered)
    drawn: list[Action] = [
        pick_enemy(battle, target, enemies, where),
        Change("who is struck", partial(_settle_pick, battle, target, enemies, where)),
    ]
    if battle.rules.random_enemy_draw == "roll":
        return _roll_by_roll(battle, actor, enemies, outside, drawn, uncovered)
    steps = drawn
    for number, enemy in enumerate(enemies, start=1):
        picked = every(is_open, holding("pick", number))
        steps += exchange(battle, actor, enemy, outside, picked, uncovered)
    return [*steps, cleared("pick")]


def _roll_by_roll(
    battle: Battle,
    actor: Fighter,
    enemies: Sequence[Fighter],
    manner: Manner,
    drawn: Sequence[Action],
    uncovered: Masked,
) -> list[Action]:
    """An enemy drawn for each roll, all before the first; each struck may counter once. Source: BF-15."""
    blow, columns = manner.blow, [enemy.column("struck") for enemy in enemies]
    steps: list[Action] = [cleared(*columns)]
    for _ in range(blow.rolls):
        steps += [*drawn, Change("struck", partial(_count, columns))]
    blows, back = list[Action](), list[Action]()
    for enemy, column in zip(enemies, columns, strict=True):
        for rolls in range(1, blow.rolls + 1):
            some = every(is_open, holding(column, rolls))
            blows += strike(battle, actor, enemy, replace(blow, rolls=rolls), some)
        any_ = every(is_open, inverted(holding(column, 0)), uncovered)
        back += counter(battle, enemy, actor, any_, manner.exposed, _owe)
    both = [*back, *blows] if battle.rules.counter_timing == "together" else [*blows, *back]
    return [*steps, *both, Change("counters", partial(_pay, battle, actor)), cleared("pick", *columns)]


def _count(names: Sequence[str], columns: Columns) -> dict[str, Ints]:
    """One roll more at the enemy that was drawn."""
    picked = ((number, name) for number, name in enumerate(names, start=1))
    return {name: (columns[name] + (columns["pick"] == number)).astype(np.int32) for number, name in picked}


def pick_enemy(battle: Battle, target: Fighter, enemies: Sequence[Fighter], where: Masked) -> Step:
    """Which enemy in the cell is struck, drawn evenly. Source: BF-15."""

    def number(columns: Columns) -> Ints:
        there = sum(ints(_there(battle, target, enemy, columns)) for enemy in enemies)
        return np.maximum(there, 1).astype(np.int32)

    law = Law(("one of", len(enemies)), lambda n: Pmf(0, [1 / n] * n))
    return Step(f"which enemy beside {target.name}", law, number, "pick", where, rule="BF-15")


def _there(battle: Battle, target: Fighter, enemy: Fighter, columns: Columns) -> Mask:
    """States in which an enemy is in the target's melee (the target itself always is)."""
    if enemy.name == target.name:
        return np.ones(rows(columns), dtype=np.bool_)
    return battle.beside(enemy, target)(columns)


def _settle_pick(
    battle: Battle, target: Fighter, enemies: Sequence[Fighter], where: Masked, columns: Columns
) -> dict[str, Ints]:
    """From the place drawn among those in the cell to the enemy's number, 0 for none.

    It is told before anyone is struck: an enemy who falls leaves the cell, and the places would move up.
    """
    before, picked = (np.zeros(rows(columns), dtype=np.int32) for _ in range(2))
    for number, enemy in enumerate(enemies, start=1):
        there = _there(battle, target, enemy, columns)
        picked = np.where(there & (columns["pick"] == before), number, picked)
        before = before + ints(there)
    return {"pick": (picked * where(columns)).astype(np.int32)}


def _friends_confused(battle: Battle, actor: Fighter, target: Fighter) -> Masked:
    """States in which no friend in the melee is free to cover an attack from outside. Source: BF-15."""

    def mask(columns: Columns) -> Mask:
        alone = np.ones(rows(columns), dtype=np.bool_)
        for friend in battle.friends(actor):
            alone &= ~battle.beside(friend, target)(columns) | battle.confused(friend, columns)
        return alone

    return mask


def shared_volley(battle: Battle, actor: Fighter, target: Fighter, blow: Blow, where: Masked) -> list[Action]:
    """Shots into a melee: each unit inside takes its own damage times its share. Source: BF-15."""
    shots: list[Shot] = []
    for shot in (target, *bystanders(battle, actor, target)):
        inside = every(_crowded, None if shot is target else battle.beside(shot, target))
        bonus = blow.bonus if counts_bonus(battle, actor, shot, blow) else ()
        who = f"{actor.name} shoots {shot.name} in the melee"
        named = replace(blow, rule="BF-15", bonus=bonus, who=who)
        shots.append(Shot(shot, named, inside, share(battle, shot)))
    return [crowding(battle, actor, target, where), *shoot(battle, actor, shots), cleared("total")]


def shoot(battle: Battle, actor: Fighter, shots: Sequence[Shot]) -> list[Action]:
    """Damage on each unit shot at: of rolls of its own, or of the same dice for all. Source: BF-15."""
    if battle.rules.melee_shooting_rolls == "shared" and all(battle.marks(shot.target) for shot in shots):
        return same_dice(battle, actor, shots, _crowded)
    return [
        step
        for shot in shots
        for step in strike(battle, actor, shot.target, shot.blow, shot.where, portion=shot.portion)
    ]


def counts_bonus(battle: Battle, actor: Fighter, shot: Fighter, blow: Blow) -> bool:
    """Whether what flanking adds counts against this unit, a friend perhaps. Source: BF-14, BF-15."""
    return bool(blow.bonus) and (shot.side != actor.side or battle.rules.flank_friends)


def bystanders(battle: Battle, actor: Fighter, target: Fighter) -> list[Fighter]:
    """Who may be hit beside the unit that is shot at."""
    return [f for f in battle.fighters if f.name not in (actor.name, target.name)]


def _crowded(columns: Columns) -> Mask:
    """States in which shots go into a melee: told before anyone is struck, as those struck may fall."""
    mask: Mask = columns["total"] > 0
    return mask


def crowding(battle: Battle, actor: Fighter, target: Fighter, where: Masked = is_open) -> Change:
    """Counts the soldiers in the cell of a unit that is shot at, before anyone is struck. Source: BF-15.

    The count is 0 in states in which the shots do not go there.
    """
    others = bystanders(battle, actor, target)
    battle.read(target, *others)

    def add_up(columns: Columns) -> dict[str, Ints]:
        total = battle.left(target, columns)
        for other in others:
            total = total + battle.left(other, columns) * ints(_there(battle, target, other, columns))
        return {"total": (total * where(columns)).astype(np.int32)}

    return Change("soldiers in the melee", add_up)


def share(battle: Battle, fighter: Fighter) -> Portion:
    """A unit's part of all soldiers in the melee, by state. Source: BF-15."""
    return lambda columns: (battle.left(fighter, columns), np.maximum(columns["total"], 1))
