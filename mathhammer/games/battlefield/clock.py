"""When an action of a plan takes place: its condition, the weapons in hand, and the actions left.

All of that is asked once, when the action begins. Where a quick swap may save an action, the actions that the
unit has left are a column, `NAME.time`, as they differ by state; below 0 they are owed by the next turn.
Source: BF-12, BF-13, BF-17.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Change, Columns, constant, rows
from mathhammer.games.battlefield.plan_file import Ordered, PlanFile
from mathhammer.games.battlefield.state import Beat, Where, holding, ints
from mathhammer.games.battlefield.timing import TURN, cost, least

GOES = "goes"  # the number of the view that the running action is seen in, from 1; 0 where it is not done


def timed(plan: PlanFile) -> list[str]:
    """The units whose actions left differ by state."""
    swaps = (ordered.action for ordered in plan.actions if ordered.action.do == "swap")
    return sorted({action.unit for action in swaps if action.quick})


def clock_start(plan: PlanFile) -> dict[str, int]:
    """The columns of all that, and what they start with."""
    return {GOES: 0} | {time_of(name): TURN for name in timed(plan)}


def time_of(name: str) -> str:
    """The column of the actions that a unit has left."""
    return f"{name}.time"


def rounds_begin(plan: PlanFile, number: int) -> list[Beat]:
    """What the rounds that begin before an action give to the units: two actions, less what is owed."""
    passed = plan.actions[number].round - plan.actions[number - 1].round if number else 0
    names = [time_of(name) for name in timed(plan)]

    def begin(columns: Columns) -> dict[str, Ints]:
        left = {name: columns[name] for name in names}
        for _ in range(passed):
            left = {name: (TURN + np.minimum(time, 0)).astype(np.int32) for name, time in left.items()}
        return left

    return [Beat("", (Change("a round begins", begin),), ())] if passed and names else []


@dataclass(frozen=True)
class Going:
    """One action: the states in which each view of it is done, and whether its unit's time is a column."""

    ordered: Ordered
    views: Sequence[Where]
    timed: Sequence[str]

    @property
    def asks(self) -> bool:
        """Whether there is anything to ask."""
        return bool(len(self.views) > 1 or self.views[0] is not None or self._time or self._answer)

    @property
    def _time(self) -> str | None:
        name = self.ordered.action.unit
        return time_of(name) if name in self.timed and cost(self.ordered) else None

    @property
    def _answer(self) -> list[str]:
        called = self.ordered.action.answering if self.ordered.action.do == "besiege" else ()
        return [time_of(name) for name in called if name in self.timed]

    def where(self, view: int) -> Where:
        """The states in which the action is done in this view."""
        return holding(GOES, view + 1) if self.asks else None

    def begins(self) -> list[Beat]:
        """Asks in which view it is done, and takes its time."""
        return [Beat("", (Change("asked", self._begin),), ())] if self.asks else []

    def ends(self) -> list[Beat]:
        """A swap takes what it took in the end; those who answered a siege lose an action."""
        return [Beat("", (Change("done", self._end),), ())] if self.asks else []

    def _begin(self, columns: Columns) -> dict[str, Ints]:
        goes = constant(0, rows(columns))
        for number, where in enumerate(self.views, start=1):
            here = np.ones(len(goes), dtype=np.bool_) if where is None else where(columns)
            goes = np.where((goes == 0) & here, number, goes).astype(np.int32)
        if self._time is None:
            return {GOES: goes}
        left, takes = columns[self._time], 0 if self.ordered.action.do == "swap" else cost(self.ordered)
        goes = goes * ints(left >= least(self.ordered))
        return {GOES: goes, self._time: (left - takes * (goes > 0)).astype(np.int32)}

    def _end(self, columns: Columns) -> dict[str, Ints]:
        done = columns[GOES] > 0
        changed = {GOES: constant(0, len(done))}
        if self._time and self.ordered.action.do == "swap":
            spent = columns[f"{self.ordered.action.unit}.spent"]
            changed[self._time] = (columns[self._time] - spent * done).astype(np.int32)
        return changed | {name: columns[name] - ints(done) for name in self._answer}
