"""`Tally`: what is kept of a run. Tallies of parts, chunks and workers add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from mathhammer.core.ensemble import Ensemble, Weights, grouped, merged
from mathhammer.core.pmf import Floats, Ints

JOINT_STATES = 2**20  # distinct end states kept; past it only the marginals are
PENDING = 2**18  # rows gathered before they are merged


@dataclass
class Frequencies:
    """How much of the population has each combination of some columns, gathered lazily."""

    parts: list[Ensemble] = field(default_factory=list)
    _settled: bool = False

    def add(self, columns: Mapping[str, Ints], weights: Weights | None, *, distinct: bool = False) -> None:
        """Count these rows too (weights None: each row is one trial). distinct: no combination is twice."""
        self._settled = distinct and not self.parts
        self.parts.append(Ensemble(columns, weights) if weights is not None else grouped(columns, None))
        if len(self.parts) > 1 and sum(map(len, self.parts)) > PENDING:
            self.settle()

    def settle(self) -> Ensemble | None:
        """All that was counted, each combination once; None when nothing was."""
        if self.parts and not self._settled:
            self.parts = [merged(self.parts)]
            self._settled = True
        return self.parts[0] if self.parts else None


class Marginals:
    """The distribution of each measure and event on its own."""

    def __init__(self) -> None:
        self.by_name: dict[str, Frequencies] = {}
        self._waiting: list[tuple[Mapping[str, Ints], Weights]] = []
        self._rows = 0

    def add(self, reads: Mapping[str, Ints], weights: Weights | None) -> None:
        """Count these rows too (weights None: each row is one trial)."""
        if weights is None:
            small = {name: grouped({name: column}, None) for name, column in reads.items()}
            self._count(small)
            return
        self._waiting.append((reads, weights))
        self._rows += len(weights)
        if self._rows > PENDING:
            self._count_waiting()

    def _count_waiting(self) -> None:
        """Rows wait until there are many: a name is then merged once for all of them."""
        waiting, self._waiting, self._rows = self._waiting, [], 0
        for name in waiting[0][0] if waiting else ():
            parts = [Ensemble({name: reads[name]}, weights) for reads, weights in waiting]
            self._count({name: merged(parts)})

    def _count(self, small: Mapping[str, Ensemble]) -> None:
        for name, part in small.items():
            self.by_name.setdefault(name, Frequencies()).add(part.columns, part.weights, distinct=True)

    def update(self, other: Marginals) -> None:
        """Count what another one counted."""
        other._count_waiting()
        for name, frequencies in other.by_name.items():
            mine = self.by_name.setdefault(name, Frequencies())
            for part in frequencies.parts:
                mine.add(part.columns, part.weights)

    def get(self, name: str) -> dict[int, int | float]:
        """Value -> weight of one measure or event, ascending."""
        self._count_waiting()
        settled = self.by_name[name].settle() if name in self.by_name else None
        if settled is None:
            return {}
        order = np.argsort(settled.columns[name], kind="stable")
        return dict(zip(settled.columns[name][order].tolist(), settled.weights[order].tolist(), strict=True))


class Tally:
    """Joint end states, marginals by round, and the recorded stages of one population.

    rounds: how many round marks the play has. `moving[i]` counts what was alive at mark i, `settled[i]`
    what finished before mark i and stays as it is from there on.
    """

    def __init__(self, rounds: int) -> None:
        self.joint: Frequencies | None = Frequencies()
        self._end = Marginals()
        self.moving = [Marginals() for _ in range(rounds)]
        self.settled = [Marginals() for _ in range(rounds)]
        self.stages: dict[tuple[int, int], dict[int, float]] = {}
        self.cuts: dict[int, float] = {}
        self.lost = 0.0

    @property
    def cut(self) -> float:
        """Probability folded where endless tails are cut (each law's worst row), or left out as nothing."""
        return sum(self.cuts.values()) + self.lost

    def finish(self, reads: Mapping[str, Ints], weights: Weights | None, next_mark: int) -> None:
        """Count states that no later step touches; `next_mark` is the first round mark still to come."""
        if self.joint is None:
            self._end.add(reads, weights)
        else:
            self.joint.add(reads, weights)
            if len(self.joint.parts[0]) > JOINT_STATES:
                self._drop_joint()
        if next_mark < len(self.settled):
            self.settled[next_mark].add(reads, weights)

    def _drop_joint(self) -> None:
        """Too many distinct end states: only their marginals are kept from here on."""
        for part in self.joint.parts if self.joint else ():
            self._end.add(part.columns, part.weights)
        self.joint = None

    def set_beside(self, other: Tally) -> None:
        """Keep the marginals of another play too: no joint distribution is left."""
        for tally in (self, other):
            if tally.joint is not None:
                tally._drop_joint()
        self._end.update(other._end)
        self.lost += other.lost
        after = 1 + max(self.cuts, default=-1)
        self.cuts.update({after + at: cut for at, cut in other.cuts.items()})

    def at_end(self, name: str) -> dict[int, int | float]:
        """Value -> weight of one measure or event at the end."""
        if self.joint is None:
            return self._end.get(name)
        states = self.joint.settle()
        if states is None:
            return {}
        marginals = Marginals()
        marginals.add({name: states.columns[name]}, states.weights)
        return marginals.get(name)

    def record(self, at: tuple[int, int], offset: int, weights: Floats) -> None:
        """Add the weights of the outcomes `offset`, `offset + 1`, ... of a stage."""
        stage = self.stages.setdefault(at, {})
        for value, weight in enumerate(weights.tolist(), start=offset):
            if weight:
                stage[value] = stage.get(value, 0.0) + weight

    def at_round(self, mark: int, name: str) -> dict[int, int | float]:
        """Value -> weight of one measure or event at round mark `mark` (from 0)."""
        total = Marginals()
        total.update(self.moving[mark])
        for settled in self.settled[: mark + 1]:
            total.update(settled)
        return total.get(name)

    def __iadd__(self, other: Tally) -> Tally:
        if other.joint is None:
            self._drop_joint()
            self._end.update(other._end)
        for part in other.joint.parts if other.joint else ():
            self.finish(part.columns, part.weights, len(self.settled))
        for mine, theirs in zip(self.moving + self.settled, other.moving + other.settled, strict=True):
            mine.update(theirs)
        for at, stage in other.stages.items():
            for value, weight in stage.items():
                self.record(at, value, np.array([weight]))
        self.lost += other.lost
        for step, cut in other.cuts.items():
            self.cuts[step] = max(cut, self.cuts.get(step, 0.0))
        return self
