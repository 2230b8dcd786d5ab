"""The best list, with fewer of some units, and the best other lists: one integer program asked many times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from mathhammer.analysis.columns import Columns
from mathhammer.analysis.goals import THRIFT, BestWorst, Largest

ALTERNATIVES = 2

Counts = tuple[tuple[int, int], ...]  # (place in the list, how many), places ascending
Branch = tuple[float, Counts]  # what lists under limits reach at most, and the limits


@dataclass(frozen=True)
class Solution:
    """What was found: the columns chosen, under limits on how many of some units are taken."""

    columns: tuple[int, ...]
    value: float
    taken: Counts
    limits: Counts


class Lists:
    """The best list under any limits: one team an enemy; units and budget kept."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._known: dict[Counts, Solution | None] = {}

    @cached_property
    def _goal(self) -> Largest:
        return (BestWorst if self._columns.campaign.goal == "worst" else Largest)(self._columns)

    def best(self, limits: Mapping[int, int]) -> Solution | None:
        """The best list with at most so many of some units; None where nothing is gained."""
        key = tuple(sorted(limits.items()))
        if key not in self._known:
            self._known[key] = self._solved(limits, key)
        return self._known[key]

    def _solved(self, limits: Mapping[int, int], key: Counts) -> Solution | None:
        if not self._columns.listed:
            return None
        chosen = self._goal.best(self._columns.bounds(limits))
        if not chosen:
            return None
        used = [place for column in chosen for place in self._columns.listed[column].team]
        taken = tuple((place, used.count(place)) for place in sorted(set(used)))
        return Solution(chosen, self._goal.value(chosen), taken, key)

    # -- other lists -----------------------------------------------------------------------------
    def others(self, best: Solution) -> list[Solution]:
        """The best lists that lack something of the best one, each lacking something of those before it.

        Every such list takes fewer of some unit than the best one does, so the branches together hold them
        all; a branch whose best list is told is divided once more in the same way. Branches are solved when
        their bound is the highest one left.
        """
        told: list[Solution] = []
        branches = list(self._divided(best))
        while len(told) < ALTERNATIVES and (found := self._highest(branches)) is not None:
            if all(found.taken != one.taken for one in told):
                told.append(found)
            branches += self._divided(found)
        return told

    def _divided(self, solution: Solution) -> Iterator[Branch]:
        """Lists under the same limits that lack something of this one."""
        for place, count in solution.taken:
            limits = {**dict(solution.limits), place: count - 1}
            yield self._goal.reach(self._columns.bounds(limits)), tuple(sorted(limits.items()))

    def _highest(self, branches: list[Branch]) -> Solution | None:
        """The best solution of all branches, its branch taken out; None when nothing is left."""
        while branches:
            branch = max(branches)
            branches.remove(branch)
            found = self.best(dict(branch[1]))
            if found is None:
                continue
            if all(found.value >= reach - THRIFT for reach, _ in branches):
                return found
            branches.append((found.value, branch[1]))
        return None
