"""`Comparison`: candidates side by side over the targets that they are expected to meet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from mathhammer.analysis.fields import first_role, target_role
from mathhammer.analysis.grid import Grid
from mathhammer.analysis.notebook import Framed, titled
from mathhammer.analysis.statistics import Z95, wilson
from mathhammer.analysis.sweep import Row, Sweep, Table
from mathhammer.analysis.units import Choice
from mathhammer.analysis.wanted import Wanted, lasting_loss
from mathhammer.core.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PER_POINTS = 100
SAME = 1e-12  # sums of exact chances that differ by less are equal

Parts = list[tuple[float, Row]]  # rows with their weights


@dataclass(frozen=True)
class Loss:
    """What a side loses on average: the chance that it is gone, times its points."""

    role: str
    wanted: Wanted


@dataclass(frozen=True)
class Line:
    """One candidate over all targets, weighted.

    values: the wanted numbers. difference: of the first number to the first candidate's, with its interval
    where it is simulated. losses: points by role, as far as costs are known. rank: by the first number.
    """

    label: str
    points: float | None
    values: tuple[float, ...]
    intervals: tuple[tuple[float, float] | None, ...]
    difference: float
    difference_interval: tuple[float, float] | None
    losses: dict[str, float]
    rank: int
    best_at: int

    @property
    def per_points(self) -> float | None:
        """The first number for each 100 points."""
        return None if not self.points else PER_POINTS * self.values[0] / self.points


@dataclass(frozen=True, repr=False)
class Comparison(Framed):
    """The table of a comparison: the sweep behind it, and a line for each candidate."""

    table: Table
    wanted: tuple[Wanted, ...]
    losses: tuple[Loss, ...]

    @property
    def grid(self) -> Grid:
        """The grid of all candidates by all targets."""
        return self.table.sweep.grid

    @cached_property
    def target_axes(self) -> list[int]:
        """Places of the axes that are met, not chosen: those of the target's role."""
        role = target_role(self.grid.mode)
        return [i for i, axis in enumerate(self.grid.axes) if role and axis.target.role == role.name]

    @cached_property
    def candidate_axes(self) -> list[int]:
        """Places of the other axes."""
        return [i for i in range(len(self.grid.axes)) if i not in self.target_axes]

    @cached_property
    def candidates(self) -> list[tuple[int, ...]]:
        """Places on the candidates' axes."""
        return list(product(*(range(len(self.grid.axes[i])) for i in self.candidate_axes)))

    @cached_property
    def targets(self) -> list[tuple[int, ...]]:
        """Places on the targets' axes."""
        return list(product(*(range(len(self.grid.axes[i])) for i in self.target_axes)))

    @cached_property
    def weights(self) -> list[float]:
        """How much each target counts; together 1. Raises `InputError` where all weights are 0."""
        raw = [
            math.prod(
                _weight(self.grid.axes[axis].values[place])
                for axis, place in zip(self.target_axes, target, strict=True)
            )
            for target in self.targets
        ]
        total = math.fsum(raw)
        if total <= 0:
            raise InputError("weights: all are 0, so nothing is met")
        return [weight / total for weight in raw]

    def index(self, candidate: Sequence[int], target: Sequence[int]) -> int:
        """The matchup of a candidate and a target."""
        places = [0] * len(self.grid.axes)
        for axis, place in [
            *zip(self.candidate_axes, candidate, strict=True),
            *zip(self.target_axes, target, strict=True),
        ]:
            places[axis] = place
        return self.grid.index(places)

    def label(self, candidate: Sequence[int]) -> str:
        """A candidate's name: its units as they are, other values with the name of what varies."""
        parts = [
            axis.labels[place]
            if axis.target.kind == "units" and axis.target.role == self._own
            else f"{axis.name} {axis.labels[place]}"
            for axis, place in zip((self.grid.axes[i] for i in self.candidate_axes), candidate, strict=True)
        ]
        fixed = self.grid.fixed.get(self._own)
        return ", ".join(parts) or (fixed.label if fixed else "as asked")

    def target_label(self, target: Sequence[int]) -> str:
        """A target's name."""
        axes = [self.grid.axes[i] for i in self.target_axes]
        if not axes:
            role = target_role(self.grid.mode)
            return self.grid.fixed[role.name].label if role else "as asked"
        parts = [
            axis.labels[place] if axis.target.kind == "units" else f"{axis.name} {axis.labels[place]}"
            for axis, place in zip(axes, target, strict=True)
        ]
        return ", ".join(parts)

    @property
    def _own(self) -> str:
        role = first_role(self.grid.mode)
        return role.name if role else ""

    # -- numbers ---------------------------------------------------------------------------------
    @cached_property
    def lines(self) -> list[Line]:
        """A line for each candidate, in the order given; those with a failed matchup are left out."""
        whole = [candidate for candidate in self.candidates if self._rows(candidate) is not None]
        if not whole:
            return []
        firsts = [self._weighted(candidate, 0) for candidate in whole]
        lines = [self._line(candidate, whole[0]) for candidate in whole]
        return [
            replace(
                line,
                rank=1 + sum(other > mine + SAME for other in firsts),
                best_at=sum(self._is_best(candidate, target, whole) for target in self.targets),
            )
            for line, candidate, mine in zip(lines, whole, firsts, strict=True)
        ]

    def _line(self, candidate: tuple[int, ...], first: tuple[int, ...]) -> Line:
        count = range(len(self.wanted))
        return Line(
            label=self.label(candidate),
            points=self._points(candidate),
            values=tuple(self._weighted(candidate, at) for at in count),
            intervals=tuple(self._interval(candidate, at) for at in count),
            difference=self._weighted(candidate, 0) - self._weighted(first, 0),
            difference_interval=None if candidate == first else self._difference(candidate, first),
            losses=self._losses(candidate),
            rank=0,
            best_at=0,
        )

    def _rows(self, candidate: tuple[int, ...]) -> list[Row] | None:
        rows = [self.table.rows[self.index(candidate, target)] for target in self.targets]
        there = [row for row in rows if row is not None and not row.failed]
        return there if len(there) == len(rows) else None

    def _parts(self, candidate: tuple[int, ...]) -> Parts:
        return list(zip(self.weights, self._rows(candidate) or [], strict=True))

    def _weighted(self, candidate: tuple[int, ...], at: int) -> float:
        return math.fsum(weight * row.values[at] for weight, row in self._parts(candidate))

    def _bounds(self, row: Row, at: int) -> tuple[float, float]:
        value = row.values[at]
        if row.source == "exact":
            return value, value
        if self.wanted[at].is_chance:
            return wilson(value, self.table.sweep.trials)
        half = Z95 * (row.errors[at] or 0.0)
        return value - half, value + half

    def _interval(self, candidate: tuple[int, ...], at: int) -> tuple[float, float] | None:
        return self._around(self._parts(candidate), at)

    def _difference(self, one: tuple[int, ...], other: tuple[int, ...]) -> tuple[float, float] | None:
        """Newcombe's interval of a difference, from both Wilson intervals; none where both are exact."""
        against = [(-weight, row) for weight, row in self._parts(other)]
        return self._around([*self._parts(one), *against], 0)

    def _around(self, parts: Parts, at: int) -> tuple[float, float] | None:
        """The 95% interval of a weighted sum: what the intervals of its parts reach, added as squares.

        None where all of them are exact.
        """
        if all(row.source == "exact" for _, row in parts):
            return None
        value = math.fsum(weight * row.values[at] for weight, row in parts)
        below, above = [0.0], [0.0]
        for weight, row in self._independent(parts):
            low, high = (weight * (bound - row.values[at]) for bound in self._bounds(row, at))
            below.append(min(low, high))
            above.append(max(low, high))
        return value - math.hypot(*below), value + math.hypot(*above)

    def _independent(self, parts: Parts) -> Parts:
        """Rows of equal questions have the same trials, whatever their names: each once, with all weight."""
        weights: dict[tuple[int, ...], float] = {}
        rows = {self._trials(row.index): row for _, row in parts}
        for weight, row in parts:
            trials = self._trials(row.index)
            weights[trials] = weights.get(trials, 0.0) + weight
        return [(weight, rows[trials]) for trials, weight in weights.items()]

    def _trials(self, index: int) -> tuple[int, ...]:
        """What a matchup's trials are drawn by."""
        if index not in self._seeds:
            self._seeds[index] = tuple(self.grid.question(index).entropy(self.table.sweep.seed))
        return self._seeds[index]

    @cached_property
    def _seeds(self) -> dict[int, tuple[int, ...]]:
        return {}

    def between(self, one: int, other: int) -> tuple[float, tuple[float, float] | None]:
        """The difference of two lines (by place), with its interval."""
        whole = [candidate for candidate in self.candidates if self._rows(candidate) is not None]
        a, b = whole[one], whole[other]
        return self._weighted(a, 0) - self._weighted(b, 0), self._difference(a, b)

    def _is_best(
        self, candidate: tuple[int, ...], target: tuple[int, ...], whole: list[tuple[int, ...]]
    ) -> bool:
        values = {other: self.table.value(self.index(other, target), 0) or 0.0 for other in whole}
        return values[candidate] >= max(values.values()) - SAME

    # -- points ----------------------------------------------------------------------------------
    def _points(self, candidate: tuple[int, ...]) -> float | None:
        """The cost of the candidate's side: its unit and those that join it."""
        index, own = self.index(candidate, self.targets[0]), first_role(self.grid.mode)
        if own is None:
            return None
        side = [role for role in self.grid.mode.roles if role is own or role.joins == own.name]
        costs = [self.grid.points(index, role.name) for role in side]
        return None if None in costs else float(sum(cost for cost in costs if cost is not None))

    def _losses(self, candidate: tuple[int, ...]) -> dict[str, float]:
        found: dict[str, float] = {}
        for loss in self.losses:
            at = self.table.sweep.wanted.index(loss.wanted)
            costs = [self.grid.points(self.index(candidate, target), loss.role) for target in self.targets]
            if None not in costs:
                parts = zip(self._parts(candidate), costs, strict=True)
                found[loss.role] = math.fsum(
                    weight * row.values[at] * (cost or 0) for (weight, row), cost in parts
                )
        return found

    # -- whole -----------------------------------------------------------------------------------
    def records(self) -> list[dict[str, Any]]:
        """A flat row for each candidate."""
        return [self._record(line) for line in self.lines]

    def _record(self, line: Line) -> dict[str, Any]:
        record: dict[str, Any] = {"candidate": line.label, "points": line.points}
        for at, wanted in enumerate(self.wanted):
            record[wanted.name] = line.values[at]
            if self.table.simulated:
                record[f"{wanted.name} low"], record[f"{wanted.name} high"] = line.intervals[at] or (
                    None,
                    None,
                )
        record |= {"difference": line.difference}
        if self.table.simulated:
            record["difference low"], record["difference high"] = line.difference_interval or (None, None)
        losses = {f"{loss.role} loses points": line.losses.get(loss.role) for loss in self.losses}
        per = {f"per {PER_POINTS} points": line.per_points}
        return record | per | losses | {"best against": line.best_at, "rank": line.rank}

    def plot(self) -> Figure:
        """Bars of the first number for each candidate, all targets together and each on its own."""
        from mathhammer.analysis.decided import comparison_figure

        return comparison_figure(self)

    def __repr__(self) -> str:
        return f"Comparison({self.grid.heading()})"

    def _repr_html_(self) -> str:
        from mathhammer.analysis.words import comparison_words

        return titled(self.grid.heading(), self.frame(), comparison_words(self))


def _weight(value: Any) -> float:
    return 1.0 if not isinstance(value, Choice) or value.weight is None else value.weight


def comparison_sweep(sweep: Sweep) -> tuple[Sweep, tuple[Loss, ...]]:
    """The sweep with the chances that tell what each side loses, beside what was wanted."""
    mode = sweep.grid.mode
    losses = [Loss(role.name, found) for role in mode.roles if (found := lasting_loss(mode, role.name))]
    wanted = dict.fromkeys([*sweep.wanted, *(loss.wanted for loss in losses)])
    return replace(sweep, wanted=tuple(wanted)), tuple(losses)
