"""`Army`: which list under a budget, and who takes on whom, in names.

Every team of one to three units fights one enemy, fights are independent, and each unit strikes once. The
chances of all fights are exact (or simulated) answers; the list is found by integer programming.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mathhammer.analysis.campaign import Campaign
from mathhammer.analysis.columns import Column, Columns, gaining
from mathhammer.analysis.fights import Fights
from mathhammer.analysis.lists import Counts, Lists, Solution
from mathhammer.analysis.notebook import Framed, titled
from mathhammer.analysis.sweep import Table
from mathhammer.analysis.wanted import Wanted
from mathhammer.core.errors import InputError
from mathhammer.core.pmf import Pmf

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TIE = 1e-6  # values of lists that differ by less are equal: the solver is no finer

Named = tuple[tuple[str, int], ...]  # units by name, how many of each


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
    taken: Named
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
    instead: Named


@dataclass(frozen=True, repr=False)
class Army(Framed):
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

    def plot(self) -> Figure:
        """The fights of the best plan, and how many enemies it ends."""
        from mathhammer.analysis.decided import army_figure

        return army_figure(self)

    def __repr__(self) -> str:
        taken = ", ".join(f"{count} {name}" for name, count in self.best.taken)
        points = f"{self.best.points} of {self.campaign.budget} points"
        return f"Army({taken}; {points}; {self.wanted.name} {self.best.value:.4g} by {self.campaign.goal})"

    def _repr_html_(self) -> str:
        from mathhammer.analysis.words import missed, unspent

        taken = ", ".join(f"{count} {name}" for name, count in self.best.taken)
        words = [f"best list: {taken}; {self.best.points} of {self.campaign.budget} points"]
        words += filter(None, [unspent(self), missed(self)])
        return titled(f"{self.table.sweep.grid.heading()}: {self.best.value:.4f}", self.frame(), words)


# -- from chances to plans -------------------------------------------------------------------------
def plan_army(campaign: Campaign, table: Table) -> Army:
    """The best list and its plan, from the chances of all fights. Raises `InputError`."""
    columns = gaining(campaign, _chances(campaign, table))
    lists = Lists(columns)
    best = lists.best({})
    if best is None:
        wanted = table.sweep.wanted[0].name
        raise InputError(
            f"--budget {campaign.budget}: no team gains anything by the chance of {wanted} "
            "(--event asks for another)"
        )
    less = [(place, lists.best({place: count - 1})) for place, count in best.taken]
    others = lists.others(best)
    return Army(
        campaign,
        table,
        _plan(columns, best),
        [_plan(columns, found) for found in others],
        [_swap(columns, best, place, found) for place, found in less if found is not None],
    )


def _chances(campaign: Campaign, table: Table) -> dict[tuple[Any, ...], float]:
    """The chances of all fights that were answered, by their key."""
    fights = table.sweep.grid
    assert isinstance(fights, Fights)
    values = ((campaign.key(*pair), table.value(index)) for index, pair in enumerate(fights.pairs))
    return {key: value for key, value in values if value is not None}


def _plan(columns: Columns, solution: Solution) -> Plan:
    """A solution in names."""
    free = [iter(alike) for alike in columns.campaign.alike]  # enemies that are alike, in their order
    met = {next(free[column.group]): column for column in (columns.listed[i] for i in solution.columns)}
    fights = tuple(_fight(columns.campaign, met[enemy], enemy) for enemy in sorted(met))
    taken = _named(columns.campaign, solution.taken)
    return Plan(fights, solution.value, taken, sum(fight.points for fight in fights))


def _fight(campaign: Campaign, column: Column, enemy: int) -> Fight:
    team = tuple(campaign.listed[place].label for place in campaign.ordered(column.team))
    return Fight(team, campaign.enemies[enemy].label, campaign.price(column.team), column.chance)


def _swap(columns: Columns, best: Solution, place: int, found: Solution) -> Swap:
    had = dict(best.taken)
    more = tuple((one, count - had.get(one, 0)) for one, count in found.taken if count > had.get(one, 0))
    without, instead = columns.campaign.listed[place].label, _named(columns.campaign, more)
    return Swap(without, _plan(columns, found), best.value - found.value, instead)


def _named(campaign: Campaign, counts: Counts) -> Named:
    return tuple((campaign.listed[place].label, count) for place, count in counts)
