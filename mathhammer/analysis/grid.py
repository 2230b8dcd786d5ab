"""`Grid`: a product of axes, each point of which is a question, made when it is asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

from mathhammer.analysis.fields import Target, units_of
from mathhammer.analysis.question import Question, situated
from mathhammer.analysis.ranges import told
from mathhammer.analysis.units import Choice
from mathhammer.core.checks import checked
from mathhammer.core.errors import InputError, gathered
from mathhammer.core.game import Game, Mode, Placed
from mathhammer.core.profiles import Profile, overlaid
from mathhammer.core.rulesets import Ruleset

Changes = tuple[tuple[tuple[str, ...], Any], ...]  # fields by path, with the value that each takes


@dataclass(frozen=True)
class Axis:
    """One thing that varies, and the values that it takes; those of units are `Choice`s.

    In a role that takes many units, whole numbers are how often the given list stands there.
    """

    target: Target
    values: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The name in heads of tables."""
        return self.target.name

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Each value as it is shown."""
        return tuple(value.label if isinstance(value, Choice) else told(value) for value in self.values)

    @cached_property
    def numbers(self) -> tuple[float, ...] | None:
        """The values as numbers, where they are ascending numbers (or texts that are); else None."""
        if self.target.kind == "ruleset" or any(isinstance(value, bool | Choice) for value in self.values):
            return None
        try:
            numbers = tuple(float(value) for value in self.values)
        except (TypeError, ValueError):
            return None
        return numbers if all(a < b for a, b in pairwise(numbers)) else None

    @property
    def numeric(self) -> bool:
        """Whether the values are ascending numbers."""
        return self.numbers is not None

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Grid:
    """All combinations of the axes' values, the first axis slowest. It can be sent to other processes.

    fixed: the units of roles that do not vary. rulesets: by name, those that are played.
    """

    game: Game
    mode_name: str
    axes: tuple[Axis, ...]
    fixed: Mapping[str, Choice]
    situation: Mapping[str, Any]
    rulesets: Mapping[str, Ruleset[Any]]
    ruleset: str

    @property
    def mode(self) -> Mode:
        """The mode that is asked about."""
        return self.game.mode(self.mode_name)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each axis has."""
        return tuple(len(axis) for axis in self.axes)

    def __len__(self) -> int:
        return math.prod(self.shape)

    def places(self, index: int) -> tuple[int, ...]:
        """The place on each axis of a matchup."""
        places: list[int] = []
        for size in reversed(self.shape):
            index, place = divmod(index, size)
            places.append(place)
        return tuple(reversed(places))

    def index(self, places: Sequence[int]) -> int:
        """The matchup at these places."""
        index = 0
        for size, place in zip(self.shape, places, strict=True):
            index = index * size + place
        return index

    def labels(self, index: int) -> tuple[str, ...]:
        """The value of each axis, as it is shown."""
        return tuple(axis.labels[place] for axis, place in zip(self.axes, self.places(index), strict=True))

    def name(self, index: int) -> str:
        """A matchup in words: `attacker=knights, facing=flank`."""
        pairs = zip(self.axes, self.labels(index), strict=True)
        return ", ".join(f"{axis.name}={label}" for axis, label in pairs) or "the one matchup"

    def question(self, index: int) -> Question:
        """The question of a matchup. Raises `InputError` where its values do not go together."""
        picked = self._picked(index)
        ruleset = next((value for target, value in picked.items() if target.kind == "ruleset"), self.ruleset)
        units, situation, rules = gathered(
            lambda: self._units(picked, ruleset),
            lambda: situated(self.mode, {**self.situation, **_of_kind("situation", picked)}),
            lambda: self.rulesets[ruleset].overridden(_of_kind("rule", picked), "--over"),
        )
        return Question(self.game, self.mode, units, situation, rules, ruleset)

    def _picked(self, index: int) -> dict[Target, Any]:
        """The value of each thing that varies."""
        places = zip(self.axes, self.places(index), strict=True)
        return {axis.target: axis.values[place] for axis, place in places}

    def _units(self, picked: Mapping[Target, Any], ruleset: str) -> dict[str, tuple[Placed, ...]]:
        units = {role: choice.units[ruleset] for role, choice in self.fixed.items()}
        changes: dict[str, Changes] = {}
        for target, value in picked.items():
            if target.kind == "units":
                copied = isinstance(value, int)
                units[target.role] = units[target.role] * value if copied else value.units[ruleset]
            elif target.kind == "field":
                changes[target.role] = (*changes.get(target.role, ()), (target.path, value))
        for role, own in changes.items():
            units[role] = tuple(_changed(placed, own, role) for placed in units[role])
        return {role.name: units[role.name] for role in self.mode.roles}

    def takes(self, target: Target, value: Any) -> bool:
        """Whether the units that a role has can have a value in one of their fields."""
        try:
            for placed in self.fixed[target.role].units[self.ruleset]:
                _changed_unit(placed.unit, ((target.path, value),), target.role)
        except InputError:
            return False
        return True

    def points(self, index: int, role: str) -> int | None:
        """What the units of a role cost in points; None where one of them does not say."""
        choice = self._picked(index).get(units_of(role), self.fixed.get(role))
        if isinstance(choice, Choice) and choice.points is not None:
            return choice.points
        costs = [placed.points for placed in self.question(index).units[role]]
        known = [points for points in costs if points is not None]
        return sum(known) if len(known) == len(costs) else None

    @cached_property
    def content(self) -> dict[str, Any]:
        """All that decides the answers, as plain data: equal contents are the same sweep."""
        return {
            "game": self.game.id,
            "mode": self.mode_name,
            "axes": [[axis.name, [_content(value) for value in axis.values]] for axis in self.axes],
            "fixed": {role: _content(choice) for role, choice in self.fixed.items()},
            "situation": dict(self.situation),
            "ruleset": self.ruleset,
            "rules": {name: rules.values.model_dump(mode="json") for name, rules in self.rulesets.items()},
        }

    def heading(self) -> str:
        """One line: the mode, what stays the same, and what varies."""
        fixed = [f"{role} {choice.label}" for role, choice in self.fixed.items() if choice.label]
        said = [f"{name} {told(value)}" for name, value in self.situation.items() if value is not False]
        over = [f"{axis.name} ({len(axis)})" for axis in self.axes]
        title, name = self.game.title, self.mode_name
        return f"{title}{'' if title.endswith(f' {name}') else f' {name}'}: " + "; ".join(
            [", ".join([*fixed, *said])] * bool(fixed or said) + [f"over {' x '.join(over)}"] * bool(over)
        )


def _of_kind(kind: str, picked: Mapping[Target, Any]) -> dict[str, Any]:
    return {target.path[0]: value for target, value in picked.items() if target.kind == kind}


def _content(value: Any) -> Any:
    if not isinstance(value, Choice):
        return value
    return {"label": value.label, "units": {name: value.content(name) for name in value.units}}


def _changed(placed: Placed, changes: Changes, role: str) -> Placed:
    return Placed(_changed_unit(placed.unit, changes, role), placed.placing)


@lru_cache(maxsize=4096)
def _changed_unit(unit: Profile, changes: Changes, where: str) -> Profile:
    return checked(type(unit), laid_over(unit.model_dump(), changes), where)


def laid_over(table: Mapping[str, Any], changes: Changes) -> dict[str, Any]:
    """A table of fields with changes, by path, laid over it."""
    for path, value in changes:
        nested = {path[-1]: value}
        for part in reversed(path[:-1]):
            nested = {part: nested}
        table = overlaid(table, nested)
    return dict(table)
