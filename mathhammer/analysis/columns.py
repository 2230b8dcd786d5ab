"""What the integer program of an army chooses from: a column for each team that gains something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from mathhammer.analysis.campaign import Campaign
from mathhammer.analysis.fights import Team
from mathhammer.analysis.program import Whole
from mathhammer.core.pmf import Floats

NOTHING = 1e-9  # what adds less to a chance is left out


@dataclass(frozen=True)
class Column:
    """A team against an enemy of some group of enemies that are alike, with its chance."""

    team: Team
    group: int
    chance: float


@dataclass(frozen=True)
class Columns:
    """All columns of a campaign, also as arrays, shape (columns,)."""

    campaign: Campaign
    listed: tuple[Column, ...]

    @cached_property
    def chances(self) -> Floats:
        """The chance of each."""
        return np.array([column.chance for column in self.listed])

    @cached_property
    def groups(self) -> Whole:
        """The group of enemies of each."""
        return np.array([column.group for column in self.listed], dtype=np.int64)

    @cached_property
    def sizes(self) -> Whole:
        """How many enemies there are in each group."""
        return np.array([len(alike) for alike in self.campaign.alike], dtype=np.int64)

    @cached_property
    def uses(self) -> Whole:
        """What each takes of every unit and of the budget, shape (columns, units + 1)."""
        units = range(len(self.campaign.listed))
        rows = [[*map(c.team.count, units), self.campaign.price(c.team)] for c in self.listed]
        return np.array(rows, dtype=np.int64)

    @cached_property
    def prices(self) -> Floats:
        """What each costs, as a share of the budget."""
        shares: Floats = self.uses[:, -1] / self.campaign.budget
        return shares

    def bounds(self, limits: Mapping[int, int]) -> Whole:
        """How much there is of every unit and of the budget, with at most so many of some units."""
        most = [min(limit, limits.get(place, limit)) for place, limit in enumerate(self.campaign.most)]
        return np.array([*most, self.campaign.budget], dtype=np.int64)

    def enough(self, least: float) -> Whole:
        """Places of columns with such a chance of which no part has it too."""
        able = {(c.team, c.group): place for place, c in enumerate(self.listed) if c.chance >= least}
        lean = [
            place
            for (team, group), place in able.items()
            if not any((part, group) in able for part in parts_of(team))
        ]
        return np.array(lean, dtype=np.int64)


def parts_of(team: Team) -> set[Team]:
    """A team without one of its units."""
    return {team[:i] + team[i + 1 :] for i in range(len(team))} - {()}


def gaining(campaign: Campaign, chances: Mapping[tuple[Any, ...], float]) -> Columns:
    """Teams that gain something; not those that a smaller part of them does as well as. chances: by key."""
    return Columns(campaign, tuple(_gaining(campaign, chances)))


def _gaining(campaign: Campaign, chances: Mapping[tuple[Any, ...], float]) -> Iterator[Column]:
    best: dict[tuple[Team, int], float] = {}
    for team, (group, alike) in product(campaign.teams, enumerate(campaign.alike)):
        chance = chances.get(campaign.key(team, alike[0]), 0.0)
        without = max((best[part, group] for part in parts_of(team)), default=0.0)
        best[team, group] = max(chance, without)
        if chance > without + NOTHING and campaign.weights[alike[0]] > 0:
            yield Column(team, group, chance)
