"""`Campaign`: what is asked of an army: the units that may be taken, the enemies, the budget, the goal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations_with_replacement, product
from typing import Any, Literal, get_args

from mathhammer.analysis.fights import Fights, Team, cost, helper_role, ordered_team, two_sides
from mathhammer.analysis.grid import Grid
from mathhammer.analysis.question import UnitSpec, missing, ruled, ruleset_named
from mathhammer.analysis.refusals import refuse_situation
from mathhammer.analysis.units import Choice, choices
from mathhammer.core.errors import InputError, gathered
from mathhammer.core.game import Game, Mode, Role

Goal = Literal["weight", "number", "worst"]
MOST_TEAM = 3
MOST_BUDGET = 1_000_000
MOST_FIGHTS = 200_000  # teams times enemies


@dataclass(frozen=True)
class Campaign:
    """What is asked: the units that may be taken (weight: how many of each) at what cost, against whom.

    grid: what all fights share.
    """

    grid: Grid
    listed: tuple[Choice, ...]
    enemies: tuple[Choice, ...]
    costs: tuple[int, ...]
    budget: int
    goal: Goal = "weight"
    team: int = MOST_TEAM

    @cached_property
    def most(self) -> list[int]:
        """How many of each unit may be taken (one, where nothing was said)."""
        return [1 if choice.weight is None else int(choice.weight) for choice in self.listed]

    @cached_property
    def weights(self) -> list[float]:
        """How much each enemy counts."""
        if self.goal != "weight":
            return [1.0] * len(self.enemies)
        return [1.0 if choice.weight is None else choice.weight for choice in self.enemies]

    @cached_property
    def alike(self) -> list[list[int]]:
        """The places of enemies, those together that have equal profiles and count the same."""
        groups: dict[tuple[int, float], list[int]] = {}
        for enemy, counts in enumerate(zip(self._enemy_kinds, self.weights, strict=True)):
            groups.setdefault(counts, []).append(enemy)
        return list(groups.values())

    def price(self, team: Team) -> int:
        """What a team costs."""
        return sum(self.costs[place] for place in team)

    @property
    def largest(self) -> int:
        """How many units may fight one enemy: one, where the mode has none that strike together."""
        return self.team if self._helper else 1

    # -- teams and fights ------------------------------------------------------------------------
    @cached_property
    def teams(self) -> list[Team]:
        """Every team that the list and the budget allow, the smaller ones first."""
        places = range(len(self.listed))
        return [
            team
            for count in range(1, self.largest + 1)
            for team in combinations_with_replacement(places, count)
            if self.price(team) <= self.budget and all(team.count(one) <= self.most[one] for one in set(team))
        ]

    def pairs(self) -> Iterator[tuple[Team, int]]:
        """Every team with every enemy."""
        return product(self.teams, range(len(self.enemies)))

    def fights(self) -> Fights:
        """The fights that differ: units and enemies with equal profiles stand for each other."""
        distinct: dict[tuple[Any, ...], tuple[Team, int]] = {}
        for pair in self.pairs():
            distinct.setdefault(self.key(*pair), pair)
        if len(distinct) > MOST_FIGHTS:
            told = f"{len(distinct):,} different fights; at most {MOST_FIGHTS:,} are run"
            raise InputError(f"{told} (a smaller --team helps)")
        shared = {field.name: getattr(self.grid, field.name) for field in fields(self.grid)}
        return Fights(**shared, listed=self.listed, enemies=self.enemies, pairs=tuple(distinct.values()))

    def key(self, team: Team, enemy: int) -> tuple[Any, ...]:
        """Equal for fights with equal profiles."""
        first, *rest = (self._kinds[place] for place in self.ordered(team))
        return first, tuple(sorted(rest)), self._enemy_kinds[enemy]

    def ordered(self, team: Team) -> list[int]:
        """A team, the unit that goes first at its head."""
        return ordered_team(self.listed, team, self._helper, self.grid.ruleset)

    @cached_property
    def _helper(self) -> Role | None:
        return helper_role(self.grid.mode)

    @cached_property
    def _kinds(self) -> list[int]:
        return _kinds(self.listed, self.grid.ruleset)

    @cached_property
    def _enemy_kinds(self) -> list[int]:
        return _kinds(self.enemies, self.grid.ruleset)

    def refuse_budget(self) -> None:
        """Raises `InputError` where the budget allows nothing."""
        able = [points for points, most in zip(self.costs, self.most, strict=True) if most]
        if not able or min(able) > self.budget:
            least = f"the cheapest unit costs {min(able)}" if able else "no unit may be taken"
            raise InputError(f"--budget {self.budget}: allows nothing, {least}")


def _kinds(listed: Sequence[Choice], ruleset: str) -> list[int]:
    """A number for each distinct profile."""
    seen: dict[str, int] = {}
    told = (json.dumps(choice.content(ruleset), sort_keys=True) for choice in listed)
    return [seen.setdefault(content, len(seen)) for content in told]


# -- from what a user writes -----------------------------------------------------------------------
def make_campaign(
    game: Game,
    mode: str,
    listed: str | Sequence[UnitSpec],
    enemies: str | Sequence[UnitSpec],
    situation: Mapping[str, Any],
    *,
    budget: int,
    goal: Goal = "weight",
    team: int = MOST_TEAM,
    ruleset: str | None = None,
    rules_file: str | None = None,
    rules: Mapping[str, Any] | None = None,
) -> Campaign:
    """A checked campaign. Raises `InputError` with a line for each wrong thing."""
    _check_limits(budget, goal, team)
    record = game.mode(mode)
    sides = two_sides(record)
    name = ruleset_named(game, ruleset)
    mine, theirs, values, _ = gathered(
        lambda: choices(game, _listed_role(record), listed, [name], counts="most", again=True),
        lambda: choices(game, sides[1], enemies, [name], counts="number", again=True),
        lambda: ruled(game, name, rules_file, rules),
        lambda: refuse_situation(record, situation),
    )
    for role, found in zip(sides, (mine, theirs), strict=True):
        if not found:
            raise missing(game, role, "units")
    grid = Grid(game, mode, (), {}, dict(situation), {name: values}, name)
    campaign = Campaign(grid, mine, theirs, _costs(mine), budget, goal, team)
    campaign.refuse_budget()
    return campaign


def _check_limits(budget: object, goal: object, team: object) -> None:
    """Raises `InputError` for a budget, a goal or a size of teams that is none."""
    lines = []
    for name, value, high in (("budget", budget, MOST_BUDGET), ("team", team, MOST_TEAM)):
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= high:
            lines.append(f"--{name} is a whole number from 1 to {high:,}, not {value!r}")
    if goal not in get_args(Goal):
        lines.append(f"--goal is one of {', '.join(get_args(Goal))}, not {goal!r}")
    if lines:
        raise InputError(*lines)


def _listed_role(mode: Mode) -> Role:
    """The first role, as that of a list: of many, with the words of those that strike together with it."""
    (first, _), helper = two_sides(mode), helper_role(mode)
    return replace(first, many=True, words=helper.words, defaults=helper.defaults) if helper else first


def _costs(listed: Sequence[Choice]) -> tuple[int, ...]:
    """What each unit costs. Raises `InputError` where that is not known."""
    found = [cost(choice) for choice in listed]
    unknown = [choice.label for choice, points in zip(listed, found, strict=True) if points is None]
    if unknown:
        raise InputError(
            f"points are not known of {', '.join(unknown[:5])}; a .toml file in place of the list says "
            f"them: [[roster]], unit = '{unknown[0]}', points = 100"
        )
    return tuple(points for points in found if points is not None)
