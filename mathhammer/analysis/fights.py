"""`Fights`: teams of a list against enemies as a grid, each fight a question.

Of a team one unit goes first, and the others strike together with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mathhammer.analysis.fields import first_role, target_role
from mathhammer.analysis.grid import Grid
from mathhammer.analysis.question import Question, situated
from mathhammer.analysis.units import Choice
from mathhammer.core.errors import InputError
from mathhammer.core.game import Mode, Placed, Role

Team = tuple[int, ...]  # places in the list, ascending


def two_sides(mode: Mode) -> tuple[Role, Role]:
    """The role of the list, and that of the enemies. Raises `InputError` for modes without two sides."""
    first, target = first_role(mode), target_role(mode)
    if first is None or target is None:
        raise InputError(f"army: {mode.name} has no two sides")
    return first, target


def helper_role(mode: Mode) -> Role | None:
    """The role of those that strike together with the first one."""
    first, _ = two_sides(mode)
    return next((role for role in mode.roles if role.many and role.joins == first.name), None)


def own_words(placed: Placed, helper: Role | None) -> dict[str, Any]:
    """What the words of a unit set that is not so by default."""
    if helper is None:
        return {}
    return {name: value for name, value in placed.placing.items() if value != helper.defaults.get(name)}


def cost(choice: Choice) -> int | None:
    """What a unit costs; None where neither the roster nor the profile says."""
    if choice.points is not None:
        return choice.points
    points = next(iter(choice.units.values()))[0].points
    return None if points is None else int(points)


def ordered_team(listed: Sequence[Choice], team: Team, helper: Role | None, ruleset: str) -> list[int]:
    """Who goes first: a unit without words of its own, then the dearest."""

    def key(place: int) -> tuple[int, int, int]:
        choice = listed[place]
        return len(own_words(choice.units[ruleset][0], helper)), -(cost(choice) or 0), place

    return sorted(team, key=key)


@dataclass(frozen=True)
class Fights(Grid):
    """Some teams against some enemies: a grid without axes, whose matchups are listed."""

    listed: tuple[Choice, ...] = ()
    enemies: tuple[Choice, ...] = ()
    pairs: tuple[tuple[Team, int], ...] = ()

    def __len__(self) -> int:
        return len(self.pairs)

    def name(self, index: int) -> str:
        """A fight in words."""
        team, enemy = self.pairs[index]
        return f"{' + '.join(self.listed[place].label for place in team)} against {self.enemies[enemy].label}"

    def question(self, index: int) -> Question:
        """The fight as a question."""
        team, enemy = self.pairs[index]
        (first, target), helper = two_sides(self.mode), helper_role(self.mode)
        order = ordered_team(self.listed, team, helper, self.ruleset)
        leader, *others = (self.listed[place].units[self.ruleset][0] for place in order)
        units: dict[str, tuple[Placed, ...]] = {role.name: () for role in self.mode.roles}
        units[first.name] = (Placed(leader.unit),)
        units[target.name] = tuple(Placed(one.unit) for one in self.enemies[enemy].units[self.ruleset])
        if helper is not None:
            units[helper.name] = tuple(others)
        situation, rules = self._situation(leader, helper), self.rulesets[self.ruleset]
        return Question(self.game, self.mode, units, situation, rules, self.ruleset)

    def _situation(self, leader: Placed, helper: Role | None) -> Any:
        """The options; the words that place the first unit stand for those of the same name."""
        words = own_words(leader, helper)
        own = {name: words[name] for name in self.mode.situation.model_fields if name in words}
        return situated(self.mode, {**self.situation, **own})

    @cached_property
    def content(self) -> dict[str, Any]:
        """All that decides the answers, as plain data."""
        return {
            "game": self.game.id,
            "mode": self.mode_name,
            "situation": dict(self.situation),
            "rules": self.rulesets[self.ruleset].values.model_dump(mode="json"),
            "listed": [choice.content(self.ruleset) for choice in self.listed],
            "enemies": [choice.content(self.ruleset) for choice in self.enemies],
            "pairs": self.pairs,
        }

    def heading(self) -> str:
        """One line."""
        units, enemies = len(self.listed), len(self.enemies)
        sizes = f"{units} unit{'s' * (units > 1)} against {enemies} enem{'ies' if enemies > 1 else 'y'}"
        return f"{self.game.title} {self.mode_name}: a list of {sizes}"
