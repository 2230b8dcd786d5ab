"""Which list under a budget, and who takes on whom: integer programming on exact chances.

Every team of one to three units fights one enemy, fights are independent, and each unit strikes once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mathhammer.analysis.fields import first_role, target_role
from mathhammer.analysis.grid import Grid
from mathhammer.analysis.notebook import titled
from mathhammer.analysis.program import Program, Whole
from mathhammer.analysis.question import Question, UnitSpec, ruled, ruleset_named, situated
from mathhammer.analysis.refusals import refuse_situation
from mathhammer.analysis.sweep import Table
from mathhammer.analysis.units import Choice, choices
from mathhammer.analysis.wanted import Wanted
from mathhammer.core.errors import InputError, gathered
from mathhammer.core.game import Game, Mode, Placed, Role
from mathhammer.core.pmf import Floats, Pmf

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Goal = Literal["weight", "number", "worst"]
MOST_TEAM = 3
MOST_FIGHTS = 200_000  # teams times enemies
NOTHING = 1e-9  # what adds less to a chance is left out
THRIFT = 1e-7  # among lists of equal value the cheaper one: what the whole budget counts
ALTERNATIVES = 2

Team = tuple[int, ...]  # places in the list, ascending
List = tuple[tuple[int, int], ...]  # (place in the list, how many are taken)


def helper_role(mode: Mode) -> Role | None:
    """The role of those that strike together with the first one (the first role itself, if it takes many)."""
    first = first_role(mode)
    if first is None or first.many:
        return first
    return next((role for role in mode.roles if role.many and role.joins == first.name), None)


@dataclass(frozen=True)
class Fights(Grid):
    """Every team against every distinct enemy: a grid without axes, whose matchups are listed."""

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
        """The fight as a question: the dearest unit of a team goes first, the others are with it."""
        team, enemy = self.pairs[index]
        first, target, helper = first_role(self.mode), target_role(self.mode), helper_role(self.mode)
        assert first is not None
        assert target is not None
        placed = [
            self.listed[place].units[self.ruleset][0]
            for place in ordered_team(self.listed, team, helper, self.ruleset)
        ]
        units: dict[str, tuple[Placed, ...]] = {role.name: () for role in self.mode.roles}
        units[target.name] = tuple(Placed(one.unit) for one in self.enemies[enemy].units[self.ruleset])
        if first.many:
            units[first.name] = tuple(placed)
        else:
            units[first.name] = (Placed(placed[0].unit),)
            if helper is not None:
                units[helper.name] = tuple(placed[1:])
        return Question(
            self.game,
            self.mode,
            units,
            self._situation(placed[0], helper),
            self.rulesets[self.ruleset],
            self.ruleset,
        )

    def _situation(self, first: Placed, helper: Role | None) -> Any:
        """The options; the words that place the first unit stand for those of the same name."""
        own = (
            {} if helper is None else {k: v for k, v in first.placing.items() if v != helper.defaults.get(k)}
        )
        fields = self.mode.situation.model_fields
        return situated(self.mode, {**self.situation, **{k: v for k, v in own.items() if k in fields}})

    @cached_property
    def content(self) -> dict[str, Any]:
        """All that decides the answers, as plain data."""
        return {
            "game": self.game.id,
            "mode": self.mode_name,
            "situation": dict(self.situation),
            "rules": self.rulesets[self.ruleset].values.model_dump(mode="json"),
            "listed": [_content(choice, self.ruleset) for choice in self.listed],
            "enemies": [_content(choice, self.ruleset) for choice in self.enemies],
            "pairs": self.pairs,
        }

    def heading(self) -> str:
        """One line."""
        sizes = f"a list of {len(self.listed)} units against {len(self.enemies)} enemies"
        return f"{self.game.title} {self.mode_name}: {sizes}"


def _content(choice: Choice, ruleset: str) -> list[dict[str, Any]]:
    return [{**placed.unit.content(), **placed.placing} for placed in choice.units[ruleset]]


def cost(choice: Choice) -> int | None:
    """What a unit costs; None where neither the roster nor the profile says."""
    if choice.points is not None:
        return choice.points
    points = getattr(next(iter(choice.units.values()))[0].unit, "points", None)
    return None if points is None else int(points)


def ordered_team(listed: Sequence[Choice], team: Team, helper: Role | None, ruleset: str) -> list[int]:
    """Who goes first: a unit without words of its own, then the dearest."""

    def key(place: int) -> tuple[int, int, int]:
        placing = listed[place].units[ruleset][0].placing
        own = sum(value != (helper.defaults if helper else {}).get(name) for name, value in placing.items())
        return own, -(cost(listed[place]) or 0), place

    return sorted(team, key=key)


# -- the fights ------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Campaign:
    """What is asked: the units that may be taken (weight: how many of each), the enemies, the budget."""

    grid: Grid
    listed: tuple[Choice, ...]
    enemies: tuple[Choice, ...]
    budget: int
    goal: Goal = "weight"
    team: int = MOST_TEAM

    @cached_property
    def costs(self) -> list[int]:
        """What each unit costs. Raises `InputError` where that is not known, or the budget allows nothing."""
        found = [cost(choice) for choice in self.listed]
        unknown = [choice.label for choice, points in zip(self.listed, found, strict=True) if points is None]
        if unknown:
            raise InputError(f"points are not known of {', '.join(unknown[:5])}; a roster file can say them")
        costs = [points for points in found if points is not None]
        able = [points for points, most in zip(costs, self.most, strict=True) if most]
        if not able or min(able) > self.budget:
            least = f"the cheapest unit costs {min(able)}" if able else "no unit may be taken"
            raise InputError(f"--budget {self.budget}: allows nothing, {least}")
        return costs

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
    def teams(self) -> list[Team]:
        """Every team that the list and the budget allow."""
        places = range(len(self.listed))
        size = self.team if helper_role(self.grid.mode) else 1
        return [
            team
            for count in range(1, size + 1)
            for team in combinations_with_replacement(places, count)
            if self.price(team) <= self.budget and all(team.count(one) <= self.most[one] for one in set(team))
        ]

    def price(self, team: Team) -> int:
        """What a team costs."""
        return sum(self.costs[place] for place in team)

    def fights(self) -> Fights:
        """The fights that differ: units and enemies with equal profiles stand for each other."""
        pairs = list(self._distinct().values())
        if len(pairs) > MOST_FIGHTS:
            raise InputError(
                f"{len(pairs):,} different fights; at most {MOST_FIGHTS:,} are run (a smaller --team helps)"
            )
        grid = self.grid
        return Fights(
            grid.game,
            grid.mode_name,
            (),
            {},
            grid.situation,
            grid.rulesets,
            grid.ruleset,
            self.listed,
            self.enemies,
            tuple(pairs),
        )

    def _distinct(self) -> dict[tuple[Any, ...], tuple[Team, int]]:
        distinct: dict[tuple[Any, ...], tuple[Team, int]] = {}
        for team in self.teams:
            for enemy in range(len(self.enemies)):
                distinct.setdefault(self.key(team, enemy), (team, enemy))
        return distinct

    def key(self, team: Team, enemy: int) -> tuple[Any, ...]:
        """Equal for fights with equal profiles."""
        order = ordered_team(self.listed, team, helper_role(self.grid.mode), self.grid.ruleset)
        first, *rest = (self._classes[place] for place in order)
        return first, tuple(sorted(rest)), self._enemy_classes[enemy]

    @cached_property
    def _classes(self) -> list[int]:
        return _classes(self.listed, self.grid.ruleset)

    @cached_property
    def _enemy_classes(self) -> list[int]:
        return _classes(self.enemies, self.grid.ruleset)


def two_sides(mode: Mode) -> tuple[Role, Role]:
    """The role of the list, and that of the enemies. Raises `InputError` for modes without two sides."""
    first, target = first_role(mode), target_role(mode)
    if first is None or target is None:
        raise InputError(f"army: {mode.name} has no two sides")
    return first, target


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
    taken: Sequence[str] = (),
    ruleset: str | None = None,
    rules_file: str | None = None,
    rules: Mapping[str, Any] | None = None,
) -> Campaign:
    """A checked campaign. taken: roles that were given units, which the teams fill. Raises `InputError`."""
    record = game.mode(mode)
    first, target = two_sides(record)
    if taken:
        raise InputError(
            f"--{taken[0]}: army makes the teams itself; words such as @flank go with units of the list"
        )
    name = ruleset_named(game, ruleset)
    helper = helper_role(record)
    words = replace(first, many=True, words=helper.words, defaults=helper.defaults) if helper else first
    mine, theirs, values, _ = gathered(
        lambda: choices(game, words, listed, [name], counts="most", again=True),
        lambda: choices(game, target, enemies, [name], again=True),
        lambda: ruled(game, name, rules_file, rules),
        lambda: refuse_situation(record, situation),
    )
    for role, found in ((first, mine), (target, theirs)):
        if not found:
            raise InputError(f"{role.name} is missing: give units, such as {game.catalogue.ids()[0]}")
    grid = Grid(game, mode, (), {}, dict(situation), {name: values}, name)
    campaign = Campaign(grid, mine, theirs, budget, goal, team)
    gathered(lambda: campaign.costs)
    return campaign


def _classes(listed: Sequence[Choice], ruleset: str) -> list[int]:
    """A number for each distinct profile."""
    seen: dict[str, int] = {}
    return [seen.setdefault(json.dumps(_content(c, ruleset), sort_keys=True), len(seen)) for c in listed]


# -- plans -----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Fight:
    """One team against one enemy."""

    team: tuple[str, ...]
    enemy: str
    points: int
    chance: float


@dataclass(frozen=True)
class Plan:
    """A list, and who takes on whom. value: what the goal counts. taken: how many of each unit."""

    fights: tuple[Fight, ...]
    value: float
    taken: tuple[tuple[str, int], ...]
    points: int

    @property
    def pmf(self) -> Pmf:
        """The number of enemies that the event happens to."""
        total = Pmf.point(0)
        for fight in self.fights:
            chance = min(1.0, max(0.0, fight.chance))
            total = total + Pmf(0, [1 - chance, chance])
        return total


@dataclass(frozen=True)
class Swap:
    """The best plan with one less of a unit: what that costs, and what comes in its place."""

    without: str
    plan: Plan
    loss: float
    instead: tuple[tuple[str, int], ...]


@dataclass(frozen=True, repr=False)
class Army:
    """The best plan, the best two other lists, and the price of each swap."""

    campaign: Campaign
    table: Table
    best: Plan
    alternatives: list[Plan]
    swaps: list[Swap]

    @property
    def wanted(self) -> Wanted:
        """What the plan aims at."""
        return self.table.sweep.wanted[0]

    def records(self) -> Iterator[dict[str, Any]]:
        """A flat row for each fight of each plan."""
        for number, plan in enumerate([self.best, *self.alternatives], start=1):
            for fight in plan.fights:
                yield {
                    "plan": number,
                    "value": plan.value,
                    "plan points": plan.points,
                    "enemy": fight.enemy,
                    "team": " + ".join(fight.team),
                    "points": fight.points,
                    self.wanted.name: fight.chance,
                }

    def frame(self) -> Any:
        """A pandas table, a row for each fight of each plan."""
        import pandas as pd

        return pd.DataFrame(list(self.records()))

    def plot(self) -> Figure:
        """The fights of the best plan, and how many enemies it ends."""
        from mathhammer.analysis.maps import army_figure

        return army_figure(self)

    def __repr__(self) -> str:
        return f"Army({self.campaign.grid.heading()}: {self.best.value:.4g} for {self.best.points} points)"

    def _repr_html_(self) -> str:
        taken = ", ".join(f"{count} {name}" for name, count in self.best.taken)
        words = [f"best list: {taken}; {self.best.points} of {self.campaign.budget} points"]
        return titled(f"{self.table.sweep.grid.heading()}: {self.best.value:.4f}", self.frame(), words)


def plan_army(campaign: Campaign, table: Table) -> Army:
    """The best list and its plan, from the chances of all fights. Raises `InputError`."""
    chances = {}
    fights = table.sweep.grid
    assert isinstance(fights, Fights)
    for index, (team, enemy) in enumerate(fights.pairs):
        value = table.value(index)
        if value is not None:
            chances[campaign.key(team, enemy)] = value
    solver = _Solver(campaign, chances)
    best = solver.solve({})
    if best is None:
        raise InputError(f"--budget {campaign.budget}: no team gains anything")
    swaps = [swap for place, count in best.taken if (swap := solver.swap(best, place, count))]
    others = _alternatives(solver, best)
    return Army(
        campaign,
        table,
        solver.plan(best),
        [solver.plan(found) for found in others],
        [_swap(solver, best, place, found) for place, found in swaps],
    )


def _swap(solver: _Solver, best: Solution, place: int, found: Solution) -> Swap:
    had, has = dict(best.taken), dict(found.taken)
    names = solver.campaign.listed
    instead = tuple(
        (names[one].label, count - had.get(one, 0)) for one, count in has.items() if count > had.get(one, 0)
    )
    return Swap(names[place].label, solver.plan(found), best.value - found.value, instead)


def _alternatives(solver: _Solver, best: Solution) -> list[Solution]:
    """The best lists that lack something of the best one, each lacking something of those before it.

    Every such list takes fewer of some unit than the best one does, so the branches together hold them all; a
    branch whose best list is told is divided once more in the same way. Branches are solved when their bound
    is the highest one left.
    """
    told: list[Solution] = []
    branches = _Branches(solver)
    branches.divide(best)
    while len(told) < ALTERNATIVES and (found := branches.highest()) is not None:
        if all(found.taken != one.taken for one in told):
            told.append(found)
        branches.divide(found)
    return told


class _Branches:
    """Parts of all lists, each under limits on some units, by what they may reach."""

    def __init__(self, solver: _Solver) -> None:
        self._solver = solver
        self._open: list[tuple[float, List]] = []

    def divide(self, solution: Solution) -> None:
        """Lists under the same limits that lack something of this one."""
        for place, count in solution.taken:
            limits = {**dict(solution.limits), place: count - 1}
            self._open.append((self._solver.bound(limits), tuple(sorted(limits.items()))))

    def highest(self) -> Solution | None:
        """The best solution of all that is open, taken out; None when nothing is left."""
        while self._open:
            reach, limits = max(self._open)
            self._open.remove((reach, limits))
            found = self._solver.solve(dict(limits))
            if found is None:
                continue
            if all(found.value >= other - THRIFT for other, _ in self._open):
                return found
            self._open.append((found.value, limits))
        return None


@dataclass(frozen=True)
class Solution:
    """What the solver found: the columns chosen, under limits on how many of some units are taken."""

    columns: tuple[int, ...]
    value: float
    taken: List
    limits: List


class _Solver:
    """The integer program: a column for each team and enemy; one team an enemy; units and budget kept."""

    def __init__(self, campaign: Campaign, chances: Mapping[tuple[Any, ...], float]) -> None:
        self.campaign = campaign
        self.columns = list(_columns(campaign, chances))
        self._known: dict[List, Solution | None] = {}
        self._top: int | None = None  # the level that the first question reached
        self._coverings: dict[float, tuple[Program, Whole] | None] = {}

    def swap(self, best: Solution, place: int, count: int) -> tuple[int, Solution] | None:
        """The best solution with one less of a unit; None where there is none."""
        found = self.solve({place: count - 1})
        return None if found is None else (place, found)

    def solve(self, limits: Mapping[int, int]) -> Solution | None:
        """The best columns with at most so many of some units; None where nothing is gained."""
        key: List = tuple(sorted(limits.items()))
        if key not in self._known:
            self._known[key] = self._solved(limits, key)
        return self._known[key]

    def _solved(self, limits: Mapping[int, int], key: List) -> Solution | None:
        if not self.columns:
            return None
        bounds = self._bounds(limits)
        chosen = self._best_worst(bounds) if self.campaign.goal == "worst" else self._largest.best(bounds)
        if not chosen:
            return None
        used = [place for column in chosen for place in self.columns[column].team]
        taken = tuple((place, used.count(place)) for place in sorted(set(used)))
        return Solution(chosen, self._value(chosen), taken, key)

    def bound(self, limits: Mapping[int, int]) -> float:
        """What no list under these limits surpasses."""
        if self.campaign.goal == "worst":
            found = self.solve(limits)
            return 0.0 if found is None else found.value
        return self._largest.bound(self._bounds(limits)) + THRIFT

    def _value(self, chosen: Sequence[int]) -> float:
        if self.campaign.goal == "worst":
            by_enemy = {self.columns[c].enemy: self.columns[c].chance for c in chosen}
            return min(by_enemy.get(enemy, 0.0) for enemy in range(len(self.campaign.enemies)))
        weights = self.campaign.weights
        return float(sum(weights[self.columns[c].enemy] * self.columns[c].chance for c in chosen))

    @cached_property
    def _uses(self) -> Whole:
        """What each column takes of every unit and of the budget, shape (columns, units + 1)."""
        units = range(len(self.campaign.listed))
        return np.array(
            [[*(c.team.count(place) for place in units), self.campaign.price(c.team)] for c in self.columns],
            dtype=np.int64,
        )

    def _bounds(self, limits: Mapping[int, int]) -> Whole:
        most = [min(limit, limits.get(place, limit)) for place, limit in enumerate(self.campaign.most)]
        return np.array([*most, self.campaign.budget], dtype=np.int64)

    @cached_property
    def _chances(self) -> Floats:
        return np.array([column.chance for column in self.columns])

    @cached_property
    def _enemies(self) -> Whole:
        return np.array([column.enemy for column in self.columns], dtype=np.int64)

    @cached_property
    def _prices(self) -> Floats:
        """What each column costs, as a share of the budget."""
        shares: Floats = self._uses[:, -1] / self.campaign.budget
        return shares

    @cached_property
    def _largest(self) -> Program:
        """The largest sum; of equal lists the cheaper one."""
        weights = np.array(self.campaign.weights)[self._enemies]
        return Program(weights * self._chances - THRIFT * self._prices, self._uses, self._enemies)

    def _best_worst(self, bounds: Whole) -> tuple[int, ...]:
        """The cheapest choice with the highest least chance that all enemies can have, by bisection."""
        low, high = -1, len(self._levels)  # low can be had (at first nothing is asked), high cannot
        best: tuple[int, ...] = ()
        middle = (low + high) // 2 if self._top is None else self._top
        while high - low > 1:
            found = self._covering(float(self._levels[middle]), bounds)
            if found:
                low, best = middle, found
            else:
                high = middle
            if middle == self._top:  # no list under limits surpasses the first one, which had none
                high = low + 1 if found else high
            middle = (low + high) // 2
        self._top = max(low, 0) if self._top is None else self._top
        return best or self._largest.best(bounds)

    @cached_property
    def _levels(self) -> Floats:
        return np.unique(self._chances)

    def _covering(self, least: float, bounds: Whole) -> tuple[int, ...]:
        """The cheapest choice with every enemy at `least`; empty where that cannot be."""
        if least not in self._coverings:
            kept = self._enough(least)
            gains = 2.0 - self._prices[kept]  # whoever leaves an enemy out cannot make up for it by thrift
            all_ = len(set(self._enemies[kept].tolist())) == len(self.campaign.enemies)
            self._coverings[least] = (
                (Program(gains, self._uses[kept], self._enemies[kept]), kept) if all_ else None
            )
        made = self._coverings[least]
        if made is None:
            return ()
        chosen = made[0].best(bounds, least=2.0 * len(self.campaign.enemies) - 1.0)
        return tuple(int(made[1][column]) for column in chosen)

    def _enough(self, least: float) -> Whole:
        """Columns with such a chance of which no part has it too."""
        have = {(c.team, c.enemy) for c in self.columns if c.chance >= least}
        return np.array(
            [
                at
                for at, c in enumerate(self.columns)
                if c.chance >= least and not any((part, c.enemy) in have for part in parts_of(c.team))
            ],
            dtype=np.int64,
        )

    def plan(self, solution: Solution) -> Plan:
        """A solution in names."""
        chosen = sorted((self.columns[i] for i in solution.columns), key=lambda column: column.enemy)
        fights = tuple(self._fight(column) for column in chosen)
        taken = tuple((self.campaign.listed[place].label, count) for place, count in solution.taken)
        return Plan(fights, solution.value, taken, sum(fight.points for fight in fights))

    def _fight(self, column: Column) -> Fight:
        campaign, names = self.campaign, self.campaign.listed
        order = ordered_team(names, column.team, helper_role(campaign.grid.mode), campaign.grid.ruleset)
        enemy, points = campaign.enemies[column.enemy].label, campaign.price(column.team)
        return Fight(tuple(names[place].label for place in order), enemy, points, column.chance)


def parts_of(team: Team) -> set[Team]:
    """A team without one of its units."""
    return {team[:i] + team[i + 1 :] for i in range(len(team))} - {()}


@dataclass(frozen=True)
class Column:
    """A team against an enemy, with its chance."""

    team: Team
    enemy: int
    chance: float


def _columns(campaign: Campaign, chances: Mapping[tuple[Any, ...], float]) -> Iterator[Column]:
    """Teams that gain something; not those that a smaller part of them does as well as."""
    best: dict[tuple[Team, int], float] = {}
    for team in campaign.teams:
        for enemy in range(len(campaign.enemies)):
            chance = chances.get(campaign.key(team, enemy), 0.0)
            without = max((best[part, enemy] for part in parts_of(team)), default=0.0)
            best[team, enemy] = max(chance, without)
            if chance > without + NOTHING and campaign.weights[enemy] > 0:
                yield Column(team, enemy, chance)
