"""A side as columns: the damage on each of its groups, from which all that it has left follows.

Column `attacker.ranks` is the damage on the ranks of the attacker; `attacker.rout` says whether the side
is in rout. Source: AOR-09, AOR-11, AOR-13.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mathhammer.core.errors import InputError
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Columns, Mask
from mathhammer.games.confrontation_aor.profile import Fighters, Unit, alike
from mathhammer.games.confrontation_aor.ruleset import Rules

Number = Callable[[Columns], Ints]
NO_FEAR = -1


@dataclass(frozen=True)
class Staff:
    """A war staff that a unit may use: what it lends. Source: AOR-24."""

    courage: int
    authority: int


@dataclass(frozen=True)
class Side:
    """A unit in a role. contact: how many of it may touch the enemy (None: all)."""

    name: str
    unit: Unit
    contact: int | None = None
    staff: Staff | None = None

    @property
    def groups(self) -> tuple[Fighters, ...]:
        """Its groups from the front to the back."""
        return self.unit.fighters

    @cached_property
    def profiles(self) -> list[list[int]]:
        """The places of its groups, those of one profile together: they fight as one. Source: AOR-11."""
        return alike(self.groups)

    def named(self, profile: int) -> str:
        """The groups of one profile by name."""
        return "+".join(self.groups[i].name for i in self.profiles[profile])

    def column(self, group: int) -> str:
        """The column with the damage on a group."""
        return f"{self.name}.{self.groups[group].name}"

    @property
    def rout(self) -> str:
        """The column that says whether it is in rout."""
        return f"{self.name}.rout"

    @property
    def broken(self) -> str:
        """The column, where a mode has it, that says whether it has been in rout at some time."""
        return f"{self.name}.broken"

    @property
    def start(self) -> dict[str, int]:
        """Its columns before anything happens."""
        damage = {self.column(i): group.damage for i, group in enumerate(self.groups)}
        return {**damage, self.rout: 0}

    # -- what is left ----------------------------------------------------------------------------
    def alive(self, columns: Columns) -> list[Ints]:
        """Fighters left, by group. Source: AOR-13."""
        return [
            group.count - columns[self.column(i)] // group.wounds
            if group.wounds > 1
            else group.count - columns[self.column(i)]
            for i, group in enumerate(self.groups)
        ]

    def number(self, columns: Columns) -> Ints:
        """Fighters left."""
        return _total(self.alive(columns))

    def there(self, columns: Columns) -> Mask:
        """Whether anybody is left."""
        return above(self.number(columns), 0)

    def in_rout(self, columns: Columns) -> Mask:
        """Whether those who are left are in rout."""
        found: Mask = columns[self.rout] == 1
        return found & self.there(columns)

    def wounds_left(self, columns: Columns) -> Ints:
        """Damage that those left can still take."""
        whole = sum(group.count * group.wounds for group in self.groups)
        return (whole - _total([columns[self.column(i)] for i in range(len(self.groups))])).astype(np.int32)

    def power(self, columns: Columns) -> Ints:
        """Total Power of those left. Source: AOR-05, AOR-30."""
        pairs = zip(self.alive(columns), self.groups, strict=True)
        return _total([left * (group.power or 0) for left, group in pairs])

    def suffered(self, columns: Columns) -> Ints:
        """Damage taken since the start of the question."""
        before = sum(group.damage for group in self.groups)
        return (_total([columns[self.column(i)] for i in range(len(self.groups))]) - before).astype(np.int32)

    def reach(self, rules: Rules) -> int:
        """cm of an assault of all its fighters: twice the Movement of the unit. Source: AOR-04."""
        return max(self._ways) if self._fastest(rules) else min(self._ways)

    def reach_left(self, columns: Columns, rules: Rules) -> Ints:
        """The same, of those left."""
        if self._fastest(rules) or len(set(self._ways)) == 1:
            return self.best(self._ways, columns)
        return (-self.best([-way for way in self._ways], columns, -10_000)).astype(np.int32)

    @cached_property
    def _ways(self) -> list[int]:
        """cm of an assault, by group."""
        return [round(2 * group.movement) for group in self.groups]

    def _fastest(self, rules: Rules) -> bool:
        """Whether it goes as far as its fastest fighters, where they differ."""
        return len(set(self._ways)) > 1 and rules.mixed_movement == "fastest"

    def losses(self, columns: Columns) -> Ints:
        """Fighters lost."""
        return (self.unit.number - self.number(columns)).astype(np.int32)

    @property
    def toll(self) -> dict[str, Number]:
        """What a mode reports of those who are struck."""
        return {
            "kills": self.losses,
            "damage": self.suffered,
            "models_left": self.number,
            "wounds_left": self.wounds_left,
        }

    # -- the best value among those left ---------------------------------------------------------
    def best(self, values: Sequence[int | None], columns: Columns, none: int = 0) -> Ints:
        """The highest value of the groups that have somebody left; `none` where no such group has one."""
        if len(self.groups) == 1:
            only = none if values[0] is None else values[0]
            return np.full(len(columns[self.rout]), only, dtype=np.int32)
        found = np.full(len(columns[self.rout]), none, dtype=np.int32)
        for value, left in zip(values, self.alive(columns), strict=True):
            if value is not None:
                found = np.where(left > 0, np.maximum(found, value), found)
        return found.astype(np.int32)

    def morale(self, columns: Columns, ranks_only: bool = False) -> Ints:
        """Action value of a Courage test: the best Courage or Fear left, or a lent one.

        Source: AOR-06, AOR-21, AOR-23, AOR-24.
        """
        values = [group.courage if group.courage is not None else group.fear for group in self.groups]
        if ranks_only:
            found = np.full(len(columns[self.rout]), self._of_ranks(values), dtype=np.int32)
        else:
            found = self.best(values, columns)
        return np.maximum(found, self.staff.courage).astype(np.int32) if self.staff else found

    def fear(self, columns: Columns, ranks_only: bool = False) -> Ints:
        """The Fear with which it frightens, NO_FEAR for none; never a lent one. Source: AOR-06, AOR-24."""
        values = [group.fear for group in self.groups]
        if ranks_only:
            value = self._of_ranks(values)
            values = [NO_FEAR if value is None else value] * len(self.groups)
        return self.best(values, columns, NO_FEAR)

    def _of_ranks(self, values: Sequence[int | None]) -> int | None:
        """The value of the most numerous profile."""
        largest = max(self.profiles, key=lambda groups: sum(self.groups[i].count for i in groups))
        return values[largest[0]]

    @cached_property
    def is_fearsome(self) -> bool:
        """Whether any of its fighters has Fear."""
        return any(group.fear is not None for group in self.groups)

    def commanded(self, columns: Columns) -> Mask:
        """Whether the commander is with it. Source: AOR-25."""
        return above(self.best([int("commander" in group.roles) for group in self.groups], columns), 0)

    def is_of(self, categories: Sequence[str], columns: Columns, rules: Rules) -> Mask:
        """Whether the unit, with those left, is of these categories. Source: AOR-29."""
        if len({group.category in categories for group in self.groups}) > 1 and rules.category_of == "all":
            others = [int(group.category not in categories) for group in self.groups]
            return ~above(self.best(others, columns), 0)
        return np.full(len(columns[self.rout]), is_of(self.unit, categories, rules), dtype=np.bool_)

    # -- who touches -----------------------------------------------------------------------------
    def touching(self, columns: Columns) -> list[Ints]:
        """Fighters in contact, by group: the first of those left. Source: AOR-11."""
        alive = self.alive(columns)
        if self.contact is None:
            return alive
        room = np.full(len(columns[self.rout]), self.contact, dtype=np.int32)
        found = []
        for left in alive:
            touches = np.minimum(left, room)
            room = room - touches
            found.append(touches)
        return found


def is_of(unit: Unit, categories: Sequence[str], rules: Rules) -> bool:
    """Whether a unit is of these categories while nobody is lost. Source: AOR-29."""
    of = sum(group.count for group in unit.fighters if group.category in categories)
    return of == unit.number or (of > 0 and rules.category_of == "most" and 2 * of > unit.number)


def refuse_crewless(unit: Unit) -> None:
    """Raises `InputError` where a war machine is to be activated without crew. Source: AOR-29."""
    machine = any(group.category == "war-machine" for group in unit.fighters)
    if machine and not unit.has("crew"):
        raise InputError(f"{unit.label()}: a war machine is not activated without crew (AOR-29)")


def crewed(side: Side, columns: Columns) -> Mask:
    """Whether a side may be activated: a war machine only with crew. Source: AOR-29."""
    machine = side.best([int(group.category == "war-machine") for group in side.groups], columns)
    crew = side.best([int("crew" in group.roles) for group in side.groups], columns)
    return ~above(machine, 0) | above(crew, 0)


def _total(parts: Sequence[Ints]) -> Ints:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total.astype(np.int32, copy=False)


def above(values: Ints, least: int) -> Mask:
    """Where values are above one."""
    found: Mask = values > least
    return found
