"""What a rule hands to the engine: steps, changes and round marks, and the play that they make up.

A step says which columns choose the row of the law, the law, where it applies, and how the outcome changes
the columns. It says nothing of rows, merging or memory: the engine owns the population.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints

Columns: TypeAlias = Mapping[str, Ints]
Mask: TypeAlias = NDArray[np.bool_]
Key: TypeAlias = int | str | Callable[[Columns], Ints]
Update: TypeAlias = str | Callable[[Columns, Ints], Mapping[str, Ints]]
Read: TypeAlias = str | Callable[[Columns], NDArray[np.generic]]


# -- columns -------------------------------------------------------------------------------------
def rows(columns: Columns) -> int:
    """How many rows there are."""
    return len(next(iter(columns.values())))


def constant(value: int, rows: int) -> Ints:
    """A column of one value, held once."""
    return np.ndarray((rows,), np.int32, np.array(value, dtype=np.int32), 0, (0,))


def always(value: int) -> Callable[[Columns], Ints]:
    """What is the same in every row, to be read as a measure or an event."""
    return lambda columns: constant(value, rows(columns))


def put(columns: Columns, where: Mask, changed: Mapping[str, int | Ints]) -> dict[str, Ints]:
    """The changed columns in some rows, as they were in the others."""
    return {
        name: np.where(where, value, columns[name]).astype(np.int32, copy=False)
        for name, value in changed.items()
    }


# -- actions -------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Stage:
    """A part of a step that `--explain` shows: its name, its rule, the law from the step's key to it.

    words: what the outcomes 0, 1, ... are called, when they are not amounts.
    """

    name: str
    rule: str
    law: Law
    round: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """One random step.

    key: a constant, a column, or a function of the columns, that chooses the law's row.
    update: the column that takes the outcome, or a function from columns and outcomes to changed columns.
    where: rows the step applies to (all by default); elsewhere the outcome is `otherwise`.
    words: what the outcomes 0, 1, ... are called, when they are not amounts.
    passing: only the next step reads the outcome, so the engine may fuse the two laws.
    """

    name: str
    law: Law
    key: Key
    update: Update
    where: Callable[[Columns], Mask] | None = None
    otherwise: int = 0
    rule: str = ""
    words: tuple[str, ...] = ()
    passing: bool = False
    stages: tuple[Stage, ...] = ()

    def recorded(self, round_: int) -> Step:
        """The step with the stages that it records."""
        return self._with(self.law, self.key, (Stage(self.name, self.rule, self.law, round_, self.words),))

    def after(self, before: Step) -> Step:
        """This step with the passing one before it composed into its law."""
        later = (Stage(s.name, s.rule, before.law @ s.law, s.round, s.words) for s in self.stages)
        return self._with(before.law @ self.law, before.key, (*before.stages, *later))

    def _with(self, law: Law, key: Key, stages: tuple[Stage, ...]) -> Step:
        return Step(
            self.name,
            law,
            key,
            self.update,
            self.where,
            self.otherwise,
            self.rule,
            self.words,
            self.passing,
            stages,
        )


@dataclass(frozen=True)
class Change:
    """A change of columns that needs no dice."""

    name: str
    update: Callable[[Columns], Mapping[str, Ints]]

    def then(self, after: Change) -> Change:
        """Both changes at once."""

        def update(columns: Columns) -> Mapping[str, Ints]:
            first = self.update(columns)
            return {**first, **after.update({**columns, **first})}

        return Change(f"{self.name}; {after.name}", update)


def cleared(*columns: str, name: str = "end") -> Change:
    """These columns are 0 again: what was only needed until here."""
    return Change(name, lambda c: dict.fromkeys(columns, constant(0, rows(c))))


@dataclass(frozen=True)
class Mark:
    """The end of a round (from 1): measures and events are counted here."""

    round: int


Action: TypeAlias = Step | Change | Mark


@dataclass(frozen=True)
class Play:
    """A whole question for the engine.

    start: the columns of the one state that everything starts from.
    finished: states that no later step touches (they are counted and leave).
    measures, events: what is read at the end; an event is 0 or 1.
    beside: plays of further measures that are too many to be kept jointly with these: of all that is read
    only the distribution of each by itself is kept then.
    exact_rows: a limit of states for the exact way below the engine's, for plays of many steps.
    """

    start: Mapping[str, int]
    actions: Sequence[Action]
    measures: Mapping[str, Read]
    events: Mapping[str, Read]
    finished: Callable[[Columns], Mask] | None = None
    beside: Sequence[Play] = ()
    exact_rows: int = 2**31

    @property
    def reads(self) -> dict[str, Read]:
        """Measures and events together."""
        return {**self.measures, **self.events}

    def read(self, columns: Columns) -> dict[str, Ints]:
        """The measures and events of each row."""
        return {
            name: np.asarray(columns[read] if isinstance(read, str) else read(columns), dtype=np.int32)
            for name, read in self.reads.items()
        }


def fused(actions: Sequence[Action]) -> list[Action]:
    """The same actions with every passing step composed into the next one where that is possible.

    Changes that follow each other are one.
    """
    plan: list[Action] = []
    round_ = 1
    for action in actions:
        if isinstance(action, Mark):
            round_ = action.round + 1
        if isinstance(action, Step):
            action = action.recorded(round_)
            while plan and _fits(before := plan[-1], action):
                assert isinstance(before, Step)
                plan.pop()
                action = action.after(before)
        if isinstance(action, Change) and plan and isinstance(before := plan[-1], Change):
            plan.pop()
            action = before.then(action)
        plan.append(action)
    return plan


def _fits(before: Action, step: Step) -> bool:
    if not (isinstance(before, Step) and before.passing and before.update == before.name):
        return False
    return step.key == before.name and step.where is before.where
