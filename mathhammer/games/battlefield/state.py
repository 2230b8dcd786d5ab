"""What a state holds: columns by fighter, who still fights, how many soldiers are left, and masks.

A fighter's columns are `NAME.damage` and so on; only those that a question can change are there. `open` says
in which states the running action takes place, `last` how it came out (0: it did not take place).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Change, Columns, Mask, Step, cleared, constant, rows
from mathhammer.games.battlefield.ledger import ALWAYS, Ledger, due, settled
from mathhammer.games.battlefield.profile import Unit
from mathhammer.games.battlefield.ruleset import Rules

NOT_ROLLED = -1  # the outcome of a step in states that it does not apply to
ENDLESS = 2**30
SCRATCH = ("open", "last", "pick", "owed", "total", "busy")  # 0 again when an action is done
Masked = Callable[[Columns], Mask]
Where = Masked | None
Action = Step | Change


def is_open(columns: Columns) -> Mask:
    """States in which the running action takes place."""
    mask: Mask = columns["open"] == 1
    return mask


def every(first: Masked, *others: Where) -> Masked:
    """States that all masks hold in; None is always."""
    asked = [first, *(where for where in others if where is not None)]
    if len(asked) == 1:
        return first

    def mask(columns: Columns) -> Mask:
        result = asked[0](columns)
        for where in asked[1:]:
            result = result & where(columns)
        return result

    return mask


def inverted(where: Masked) -> Masked:
    """States that the mask does not hold in."""
    return lambda columns: ~where(columns)


def holding(column: str, value: int) -> Masked:
    """States in which a column has this value."""

    def mask(columns: Columns) -> Mask:
        holds: Mask = columns[column] == value
        return holds

    return mask


def ints(mask: Mask) -> Ints:
    """A mask as a column."""
    return mask.astype(np.int32)


@dataclass(frozen=True)
class Fighter:
    """A unit in the battle: its name in columns, its side (0 or 1), and what it is."""

    name: str
    side: int
    unit: Unit

    def column(self, what: str) -> str:
        """The name of one of its columns."""
        return f"{self.name}.{what}"


@dataclass(frozen=True)
class Beat:
    """One part of a battle that may come out in several ways.

    where: states in which it takes place. words: what `last` = 1, 2, ... are called.
    """

    label: str
    steps: tuple[Action, ...]
    words: tuple[str, ...]
    where: Where = None
    folds: tuple[str, ...] = ()  # units whose marked damage goes into their side's sum here
    quiet: bool = False  # worth no word where it comes out in one way only
    line: str = ""  # where the action that it is a part of is written

    @property
    def opening(self) -> Change:
        """Marks the states in which it takes place; `last` starts anew."""
        return Change(self.label, self._open)

    def _open(self, columns: Columns) -> dict[str, Ints]:
        number = rows(columns)
        open_ = constant(1, number) if self.where is None else ints(self.where(columns))
        return {"open": open_, "last": constant(0, number)}

    @property
    def actions(self) -> list[Action]:
        """All of it, for the engine."""
        return without_merges([self.opening, *self.steps])


def without_merges(actions: Sequence[Action]) -> list[Action]:
    """The same with each change made part of the action before it: states are merged less often."""
    fused: list[Action] = []
    for action in actions:
        if isinstance(action, Change) and fused:
            fused[-1] = _then(fused[-1], action)
        else:
            fused.append(action)
    return fused


def _then(before: Action, change: Change) -> Action:
    if isinstance(before, Change):
        first = before.update
        return Change(before.name, lambda columns: _both(columns, first(columns), change))
    update = before.update

    def both(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        changed = {update: outcome} if isinstance(update, str) else update(columns, outcome)
        return _both(columns, changed, change)

    return replace(before, update=both)


def _both(columns: Columns, changed: Mapping[str, Ints], change: Change) -> dict[str, Ints]:
    return {**changed, **change.update({**columns, **changed})}


def folding(fighters: Sequence[Fighter]) -> Beat:
    """The damage of units that no rule reads any more goes into their side's sum."""

    def fold(columns: Columns) -> dict[str, Ints]:
        changed: dict[str, Ints] = {}
        for fighter in fighters:
            own, sum_ = fighter.column("damage"), settled(fighter.side)
            changed[sum_] = changed.get(sum_, columns[sum_]) + columns[own]
            changed[own] = np.zeros_like(columns[own])
        return changed

    names = tuple(fighter.name for fighter in fighters)
    return Beat("", (Change("no longer read", fold),), (), folds=names)


CLOSING = cleared("open", "last")


Comparison = tuple[str, str, tuple[Fraction, ...]]  # two units, and the ratios between which it matters


@dataclass
class Battle:
    """All fighters, and the rules. The state itself is in the columns; this says how to read it.

    names: fighters by column name. A unit with other arms in hand is the same fighter with another unit.
    """

    fighters: tuple[Fighter, ...]
    rules: Rules
    scale: int = 1  # damage is counted in this part of a point
    grain: int = 1  # or in so many points at once, where all blows deal multiples of them
    until: Mapping[str, int] | None = None  # the last action that reads a unit's damage; None: all always
    now: int = 0  # the number of the action whose steps are made
    melees: bool = False  # whether there is, or may come, a melee
    nerves: bool = False  # whether there are, or may come, units shaken, confused or out of formation
    morales: bool = False  # whether morale changes
    ledger: Ledger = field(default_factory=Ledger)  # where untracked damage is noted
    readings: dict[str, int] = field(default_factory=dict)  # when a rule last reads a unit's number
    drawn: dict[str, int] = field(default_factory=dict)  # when a blow on it last differs by state
    deals: list[int] = field(default_factory=list)  # actions that deal damage at once
    compared: dict[Comparison, int] = field(default_factory=dict)  # when a ratio is last asked for

    def other(self, fighter: Fighter) -> list[Fighter]:
        """The enemies of a fighter, in order."""
        return [f for f in self.fighters if f.side != fighter.side]

    def friends(self, fighter: Fighter) -> list[Fighter]:
        """The friends of a fighter, in order, without itself."""
        return [f for f in self.fighters if f.side == fighter.side and f.name != fighter.name]

    # -- losses ----------------------------------------------------------------------------------
    def tracked(self, fighter: Fighter) -> bool:
        """Whether its damage is a column that rules read, at some time."""
        return self.until is None or fighter.name in self.until

    def marks(self, fighter: Fighter) -> bool:
        """Whether its damage is still marked at the action whose steps are made."""
        return self.until is None or self.until.get(fighter.name, -1) >= self.now

    def may_fall(self, fighter: Fighter) -> bool:
        """Whether it may be destroyed, so that it matters when."""
        return self.until is None or self.until.get(fighter.name, -1) == ALWAYS

    def read(self, *fighters: Fighter) -> None:
        """Note that a rule reads how many soldiers these units have left."""
        self.readings |= dict.fromkeys((fighter.name for fighter in fighters), self.now)

    def end(self, fighter: Fighter) -> int:
        """The damage, as it is counted, that destroys it. Source: BF-01."""
        cost = self.rules.soldiers_per_damage * self.grain
        return -(-fighter.unit.number * self.scale // cost) if cost else ENDLESS

    def points(self, fighter: Fighter, columns: Columns) -> Ints:
        """The damage marked on it, in scaled points up to its end, shape (rows,)."""
        marked = columns[fighter.column("damage")]
        if self.grain == 1:
            return marked
        cost = self.rules.soldiers_per_damage
        end = -(-fighter.unit.number // cost) if cost else ENDLESS
        return np.minimum(marked * self.grain, end).astype(np.int32)

    def left(self, fighter: Fighter, columns: Columns) -> Ints:
        """Soldiers left in each state, shape (rows,)."""
        if not self._hurt(fighter, columns):
            return constant(fighter.unit.number, rows(columns))
        lost = self.points(fighter, columns) * self.rules.soldiers_per_damage // self.scale
        return np.maximum(fighter.unit.number - lost, 0).astype(np.int32)

    def _hurt(self, fighter: Fighter, columns: Columns) -> bool:
        """Whether there are states in which damage is marked on it; else no rule on losses is asked."""
        return self.tracked(fighter) and bool(columns[fighter.column("damage")].any())

    def destroyed(self, fighter: Fighter, columns: Columns) -> Mask:
        """States in which it has no soldiers left."""
        if not self._hurt(fighter, columns):
            return np.zeros(rows(columns), dtype=np.bool_)
        mask: Mask = columns[fighter.column("damage")] >= self.end(fighter)
        return mask

    # -- nerve -----------------------------------------------------------------------------------
    @property
    def moods(self) -> bool:
        """Whether there are, or may come, units shaken or confused, by a test or by their morale."""
        return self.nerves or self._at("shaken") is not None or self._at("confused") is not None

    @property
    def moody(self) -> bool:
        """Whether units may become so, or stop being so, in the course of the battle."""
        return self.nerves or self.morales

    def morale(self, fighter: Fighter, columns: Columns) -> Ints:
        """Where it stands on the morale track. Source: BF-14."""
        return fighter.unit.morale + columns.get(fighter.column("morale"), np.zeros(rows(columns), np.int32))

    def routed(self, fighter: Fighter, columns: Columns) -> Mask:
        """States in which its morale makes it rout, if the ruleset says when. Source: BF-14."""
        return self._low(fighter, self._at("rout"), columns)

    def shaken(self, fighter: Fighter, columns: Columns) -> Mask:
        """States in which it is there, and shaken. Source: BF-14."""
        return self.fights(fighter)(columns) & self.upset(fighter, "shaken", columns)

    def confused(self, fighter: Fighter, columns: Columns) -> Mask:
        """States in which it is there, and confused. Source: BF-04, BF-14."""
        return self.fights(fighter)(columns) & self.upset(fighter, "confused", columns)

    def upset(self, fighter: Fighter, what: str, columns: Columns) -> Mask:
        """States in which a test or its morale shook or confused it, there or not. Source: BF-14."""
        return self.marked(fighter, what, columns) | self._low(fighter, self._at(what), columns)

    def marked(self, fighter: Fighter, what: str, columns: Columns) -> Mask:
        """States in which one of its columns, which need not be there, is not 0."""
        column = columns.get(fighter.column(what))
        if column is None:
            return np.zeros(rows(columns), dtype=np.bool_)
        mask: Mask = column > 0
        return mask

    def _at(self, what: str) -> int | None:
        """The ruleset's threshold of morale, if there is one."""
        at: int | None = getattr(self.rules, f"{what}_at")
        return at

    def _low(self, fighter: Fighter, at: int | None, columns: Columns) -> Mask:
        """States in which its morale is at a threshold, if there is one."""
        if at is None:
            return np.zeros(rows(columns), dtype=np.bool_)
        mask: Mask = self.morale(fighter, columns) <= at
        return mask

    def unformed(self, fighter: Fighter, columns: Columns) -> Mask:
        """States in which it is there, and out of formation. Source: BF-07."""
        return self.fights(fighter)(columns) & self.marked(fighter, "unformed", columns)

    def fights(self, fighter: Fighter) -> Masked:
        """States in which it is there: neither destroyed nor routed."""

        def mask(columns: Columns) -> Mask:
            return ~(self.destroyed(fighter, columns) | self.routed(fighter, columns))

        return mask

    def acts(self, fighter: Fighter) -> Masked:
        """States in which it is there and may do more than rally."""
        if not self.moods or self.rules.confused_acts:
            return self.fights(fighter)
        return every(self.fights(fighter), lambda columns: ~self.confused(fighter, columns))

    # -- melees ----------------------------------------------------------------------------------
    def cell(self, fighter: Fighter, columns: Columns) -> Ints:
        """The melee that it is in, 0 for none, shape (rows,)."""
        column = fighter.column("melee")
        return columns[column] if column in columns else np.zeros(rows(columns), dtype=np.int32)

    def inside(self, fighter: Fighter) -> Masked:
        """States in which it is in a melee: it is there to fight, and an enemy in its cell too."""
        there = self.fights(fighter)

        def mask(columns: Columns) -> Mask:
            faced = np.zeros(rows(columns), dtype=np.bool_)
            for enemy in self.other(fighter):
                faced |= self.beside(enemy, fighter)(columns)
            return faced & there(columns)

        return mask

    def together(self, a: Fighter, b: Fighter) -> Masked:
        """States in which both are in the same melee."""

        def mask(columns: Columns) -> Mask:
            same: Mask = self.cell(a, columns) == self.cell(b, columns)
            return same & (self.cell(a, columns) > 0)

        return mask

    def beside(self, a: Fighter, b: Fighter) -> Masked:
        """States in which a is in b's melee and there to fight."""
        return every(self.together(a, b), self.fights(a))

    # -- start -----------------------------------------------------------------------------------
    def start(self, *columns: str) -> dict[str, int]:
        """The first state: everyone whole, with these columns of each fighter beside damage."""
        state = dict.fromkeys(SCRATCH, 0) | {column(side): 0 for column in (due, settled) for side in (0, 1)}
        for fighter in self.fighters:
            state |= {fighter.column(what): 0 for what in ("damage", *columns)}
        return state


def noted(columns: Columns, outcome: Ints, changed: dict[str, Ints]) -> dict[str, Ints]:
    """The changed columns, with `last` telling how the action came out."""
    return {**changed, "last": np.where(outcome == NOT_ROLLED, columns["last"], outcome + 1).astype(np.int32)}
