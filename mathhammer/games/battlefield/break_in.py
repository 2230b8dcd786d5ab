"""Breaking in: a check that brings a unit into a melee with another. Source: BF-03."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from mathhammer.core.errors import InputError
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Change, Columns, Mask, cleared, put, rows
from mathhammer.games.battlefield.checks import Check, Term, kept, plain_law
from mathhammer.games.battlefield.profile import Formation, Unit
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
    noted,
)
from mathhammer.games.battlefield.volleys import counter, mood_terms

BREAKS_IN = ("kept out", "in melee")


# -- what a charge adds ----------------------------------------------------------------------------
def charge_attack(unit: Unit, rules: Rules) -> int:
    """Attack that a charge adds for its turn. Source: BF-02."""
    return rules.charge_attack + (rules.charge_cavalry_attack if unit.cavalry else 0)


def cell_bonus(unit: Unit, rules: Rules) -> int:
    """What each cell charged adds to a break-in or push. Source: BF-02."""
    if unit.mount == "none":
        return rules.charge_cell
    return rules.charge_cell_light if unit.mount == "light" else rules.charge_cell_heavy


def charge_terms(unit: Unit, cells: int, rules: Rules, *, per_cell: bool = True) -> tuple[Term, ...]:
    """What a charge over so many cells adds to a check (none over 0). Source: BF-02, BF-08."""
    if not cells:
        return ()
    attack = charge_attack(unit, rules) if rules.charge_bonus_in_checks else 0
    bonus = cells * cell_bonus(unit, rules) if per_cell else 0
    return kept(Term("charging", attack), Term(f"{cells} cell{'s' * (cells > 1)} charged", bonus))


def exposed_terms(charger: Unit, enemy: Unit, rules: Rules) -> tuple[Term, ...]:
    """What makes it easier to hit a charging unit back. Source: BF-02, BF-03."""
    return kept(
        Term("charging lowers defence", rules.charge_defence, against=True),
        Term("long arms against cavalry", math.floor(anti_cavalry(charger, enemy, rules))),
    )


def anti_cavalry(charger: Unit, enemy: Unit, rules: Rules) -> Fraction:
    """Attack that spears, halberds and pikes gain against charging cavalry, averaged. Source: BF-03."""
    share = enemy.share("spear", "halberd", "pike") if charger.cavalry else Fraction(0)
    return share * rules.anti_cavalry_attack if share else share


def met_terms(charger: Unit, enemy: Unit, rules: Rules) -> tuple[Term, ...]:
    """The enemy's melee attack as a charge meets it. Source: BF-03, BF-08."""
    return kept(
        Term(f"melee attack of {enemy.name}", enemy.attack, against=True),
        Term("long arms against cavalry", anti_cavalry(charger, enemy, rules), against=True),
    )


# -- the check -------------------------------------------------------------------------------------
Orders = Mapping[Formation, int]


def formation_terms(battle: Battle, target: Fighter, orders: Orders) -> tuple[Term, ...]:
    """What the target's formation adds to a DC while it holds. Source: BF-03, BF-07, BF-08."""
    formation = target.unit.formation
    value = orders.get(formation, 0)
    words = f"{formation.replace('-', ' ')} order"
    return (Term(words, _while_formed(battle, target, value), against=True),) if value else ()


def _while_formed(battle: Battle, target: Fighter, value: int) -> int | Callable[[Columns], Ints]:
    if not battle.nerves:
        return value
    return lambda columns: value * ints(~battle.unformed(target, columns))


def long_arms(charger: Unit, enemy: Unit, spears: int, pikes: int) -> tuple[Term, ...]:
    """Spears, halberds and pikes against charging cavalry, averaged over the unit. Source: BF-03, BF-08."""
    if not charger.cavalry:
        return ()
    average = enemy.share("spear", "halberd") * spears + enemy.share("pike") * pikes
    return kept(Term("spears, halberds, pikes", average, against=True))


def break_in_check(battle: Battle, actor: Fighter, target: Fighter, cells: int, *, into_melee: bool) -> Check:
    """The check to break in; `cells` charged, 0 without a charge. Source: BF-03."""
    rules, own, enemy = battle.rules, actor.unit, target.unit
    arms = long_arms(own, enemy, rules.break_in_spears, rules.break_in_pikes) if cells else ()
    met = Term(f"melee attack of {enemy.name}", enemy.attack, against=True)
    orders: Orders = {"dense": rules.break_in_dense, "loose": rules.break_in_loose}
    terms = kept(
        Term(f"melee attack of {own.name}", own.attack),
        *mood_terms(battle, actor),
        *charge_terms(own, cells, rules),
        Term("training", rules.break_in_training if own.training.break_in else 0),
        Term("into a melee", rules.break_in_melee if into_melee else 0),
        Term("break-in", rules.break_in_base, against=True),
        *(met_terms(own, enemy, rules) if cells else (met,)),
        *mood_terms(battle, target, against=True),
        *formation_terms(battle, target, orders),
        *arms,
    )
    return Check(f"{actor.name} breaks in to {target.name}", "BF-03", terms)


def break_in_beat(
    battle: Battle,
    actor: Fighter,
    target: Fighter,
    cells: int = 0,
    *,
    where: Where = None,
    instead: Fighter | None = None,
    label: str = "",
) -> Beat:
    """One try to break in, and the one counter to it. Raises `InputError`. Source: BF-03.

    instead: the unit that it is in melee with when it fails.
    """
    refuse_ranged(actor.unit)
    tries = Tries(battle, actor, target, cells, instead)
    steps = tries.into_melee() if battle.melees else tries.alone(is_open)
    there = every(battle.acts(actor), battle.fights(target), inverted(battle.together(actor, target)), where)
    return Beat(label or f"{actor.name} breaks in to {target.name}", tuple(steps), BREAKS_IN, there)


def refuse_ranged(unit: Unit) -> None:
    """Raise `InputError` for a unit that holds no melee weapon. Source: BF-03."""
    if unit.ranged:
        raise InputError(f"{unit.name} cannot break in with a {unit.weapon}: only melee weapons do (BF-03)")


@dataclass(frozen=True)
class Tries:
    """A try to break in: who, at whom, after how many cells, and whom it is left with when it fails."""

    battle: Battle
    actor: Fighter
    target: Fighter
    cells: int
    instead: Fighter | None = None

    def one(self, tested: Fighter, where: Masked, *, into_melee: bool) -> list[Action]:
        """The check against one unit. Source: BF-03."""
        check = break_in_check(self.battle, self.actor, tested, self.cells, into_melee=into_melee)
        return [check.step(plain_law(self.battle.rules), self._enter, where, BREAKS_IN)]

    def countered(self, enemy: Fighter, where: Masked) -> list[Action]:
        """The counter of a unit, if it holds melee weapons. Source: BF-03."""
        if enemy.unit.ranged:
            return []
        exposed = exposed_terms(self.actor.unit, enemy.unit, self.battle.rules) if self.cells else ()
        return counter(self.battle, enemy, self.actor, where, exposed)

    def alone(self, where: Masked) -> list[Action]:
        """The check against a target that is in no melee, and its counter."""
        return [*self.one(self.target, where, into_melee=False), *self.countered(self.target, where)]

    def _enter(self, columns: Columns, outcome: Ints) -> dict[str, Ints]:
        changed = joined(self.battle, self.actor, self.target, columns, outcome == 1)
        if self.instead is not None:
            now = {**columns, **changed}
            changed = changed | joined(self.battle, self.actor, self.instead, now, outcome == 0)
        return noted(columns, outcome, changed)

    def into_melee(self) -> list[Action]:
        """The check is against the weakest enemy in the target's melee, if it is in one. Source: BF-03."""
        inside = self.battle.inside(self.target)
        steps: list[Action] = [Change("whom it meets", partial(self._first, self.weakest, inside))]
        steps += self.alone(every(is_open, holding("pick", 0)))
        for number, enemy in enumerate(self.weakest, start=1):
            steps += self.one(enemy, every(is_open, holding("pick", number)), into_melee=True)
        met, armed = inverted(holding("pick", 0)), self.counterers
        steps.append(Change("who counters", partial(self._first, armed, met)))
        for number, enemy in enumerate(armed, start=1):
            steps += self.countered(enemy, every(is_open, holding("pick", number)))
        return [*steps, cleared("pick")]

    @property
    def weakest(self) -> list[Fighter]:
        """The target and its friends, by their attack."""
        return sorted((self.target, *self.battle.friends(self.target)), key=lambda f: f.unit.attack)

    @property
    def counterers(self) -> list[Fighter]:
        """Those who may counter a break-in into their melee, the first of whom there does. Source: BF-03."""
        first = self.target if self.battle.rules.break_in_counter == "target" else self.weakest[0]
        everyone = [first, *(fighter for fighter in self.weakest if fighter is not first)]
        return [fighter for fighter in everyone if not fighter.unit.ranged]

    def _first(self, enemies: Sequence[Fighter], where: Masked, columns: Columns) -> dict[str, Ints]:
        """Which of the enemies is the first in the target's melee; 0 elsewhere."""
        pick, here = np.zeros(rows(columns), dtype=np.int32), where(columns)
        for number, enemy in enumerate(enemies, start=1):
            there = here & self.battle.beside(enemy, self.target)(columns) & (pick == 0)
            pick = np.where(there, number, pick).astype(np.int32)
        return {"pick": pick}


def joined(battle: Battle, actor: Fighter, target: Fighter, columns: Columns, where: Mask) -> dict[str, Ints]:
    """Both in one melee: the target's, or a new one. Source: BF-03."""
    cell = battle.cell(target, columns)
    cell = np.where(cell > 0, cell, _unused(battle, columns)).astype(np.int32)
    return put(columns, where, {f.column("melee"): cell for f in (actor, target)})


def _unused(battle: Battle, columns: Columns) -> Ints:
    """The lowest number that no melee has, in each state."""
    number = np.zeros(rows(columns), dtype=np.int32)
    for candidate in range(1, len(battle.fighters) + 1):
        used = np.zeros(rows(columns), dtype=np.bool_)
        for fighter in battle.fighters:
            used |= battle.cell(fighter, columns) == candidate
        number = np.where((number == 0) & ~used, candidate, number).astype(np.int32)
    return number
