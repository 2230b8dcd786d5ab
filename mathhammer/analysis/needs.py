"""The inverse question: what a field must be for a chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, Literal

from mathhammer.analysis.fields import Target
from mathhammer.analysis.grid import Axis
from mathhammer.analysis.notebook import Framed, titled
from mathhammer.analysis.sweep import Row, Sweep, Table, ordered, reasons
from mathhammer.analysis.words import aims
from mathhammer.core.errors import InputError
from mathhammer.core.profiles import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALL = 24  # so few values are all tried
PROBES = 15  # of more, so many between the ends show whether the chance goes one way only
LEVEL = 1e-12  # exact chances that differ by less are equal


@dataclass(frozen=True)
class Need:
    """What does it, for one combination of what else varies.

    kind: "at least" and "at most" a value; "only" the values listed, which follow no order; "all"; "none".
    value: the one nearest to not doing it; chance: what it gives. beyond: the next value, which does not do
    it, with its chance. best: the value with the highest chance. failed: why some could not be asked.
    """

    labels: tuple[str, ...]
    kind: Literal["at least", "at most", "only", "all", "none"]
    value: str
    chance: float
    beyond: tuple[str, float] | None
    best: tuple[str, float]
    doing: tuple[str, ...]
    tried: int
    failed: str = ""
    points: float | None = None


@dataclass(frozen=True, repr=False)
class Needs(Framed):
    """The answers, one for each combination of what else varies beside the unknown."""

    sweep: Sweep
    unknown: int
    chance: float
    answers: list[Need]
    rows: list[Row] = field(default_factory=list)

    @property
    def axis(self) -> Axis:
        """What is looked for."""
        return self.sweep.grid.axes[self.unknown]

    @property
    def others(self) -> list[Axis]:
        """What else varies."""
        return [axis for place, axis in enumerate(self.sweep.grid.axes) if place != self.unknown]

    @property
    def table(self) -> Table:
        """The matchups that were asked, at their places."""
        return Table(self.sweep, ordered(self.rows, len(self.sweep.grid)))

    def tried(self, need: Need) -> list[tuple[int, float]]:
        """The values that were asked for an answer, by place, ascending, each with its chance."""
        grid, found = self.sweep.grid, []
        for row in sorted((row for row in self.rows if not row.failed), key=lambda row: row.index):
            labels, places = list(grid.labels(row.index)), grid.places(row.index)
            del labels[self.unknown]
            if tuple(labels) == need.labels:
                found.append((places[self.unknown], row.values[0]))
        return found

    def plot(self) -> Figure:
        """The chance over the values that were tried, with what is needed."""
        from mathhammer.analysis.decided import needs_figure

        return needs_figure(self)

    def records(self) -> Iterator[dict[str, Any]]:
        """A flat row for each answer."""
        wanted = self.sweep.wanted[0].name
        for need in self.answers:
            row = {axis.name: label for axis, label in zip(self.others, need.labels, strict=True)}
            yield row | {
                "field": self.axis.name,
                "needs": need.kind,
                "value": plain(need.value) if need.kind != "none" else None,
                wanted: need.chance if need.kind != "none" else None,
                "best value": plain(need.best[0]),
                f"best {wanted}": need.best[1],
                "points": need.points,
                "tried": need.tried,
            }

    def __repr__(self) -> str:
        one = self.answers[0]
        told = {"none": "none does", "all": "all do", "only": f"only {', '.join(one.doing)}"}
        answer = told.get(one.kind, f"{one.kind} {one.value}")
        answer = answer if len(self.answers) == 1 else f"{len(self.answers)} answers"
        return f"Needs({self.axis.name} for {self.sweep.wanted[0].name} >= {self.chance:g}: {answer})"

    def _repr_html_(self) -> str:
        asked = f"{self.sweep.wanted[0].name} of {self.chance:.4g} or more"
        return titled(
            f"{asked}: {self.sweep.grid.heading()}", self.frame(), aims(Table(self.sweep, [*self.rows]))
        )


def needs(sweep: Sweep, unknown: Target, chance: float) -> Needs:
    """The least (or, of what harms, the most) value of one axis with a chance of at least `chance` (0 to 1).

    Numbers are looked for by bisection, which is checked: where the chance does not go one way only over
    values spread from end to end, every value is tried. Names are all tried. Raises `InputError` where
    nothing could be asked.
    """
    check_chance(chance)
    grid = sweep.grid
    place = next(i for i, axis in enumerate(grid.axes) if axis.target == unknown)
    others = [range(len(axis)) for i, axis in enumerate(grid.axes) if i != place]
    answers, rows = [], []
    for combination in product(*others):
        search = _Search(sweep, place, combination)
        answers.append(search.answer(chance))
        rows += list(search.rows.values())
    if all(row.failed for row in rows):
        raise InputError(*reasons(rows))
    return Needs(sweep, place, chance, answers, rows)


def check_chance(chance: object) -> None:
    """A chance that can be asked for. Raises `InputError`."""
    if not isinstance(chance, int | float) or isinstance(chance, bool) or not 0 < chance <= 1:
        raise InputError(f"--chance is above 0 and up to 1 (or 100%), not {chance!r}")


class _Search:
    """The chance by the place of a value on the unknown axis, asked when it is needed."""

    def __init__(self, sweep: Sweep, place: int, combination: Sequence[int]) -> None:
        self._sweep = sweep
        self._axis = sweep.grid.axes[place]
        self._index: Callable[[int], int] = lambda at: sweep.grid.index(
            (*combination[:place], at, *combination[place:])
        )
        self._labels = tuple(
            axis.labels[at]
            for axis, at in zip(
                (a for i, a in enumerate(sweep.grid.axes) if i != place), combination, strict=True
            )
        )
        self.rows: dict[int, Row] = {}

    def chance(self, at: int) -> float | None:
        """P at a place; None where it cannot be asked."""
        if at not in self.rows:
            self.rows[at] = self._sweep.answer(self._index(at))
        row = self.rows[at]
        return None if row.failed else row.values[0]

    def answer(self, least: float) -> Need:
        """What is needed."""
        count = len(self._axis)
        if self._axis.numeric and count > ALL and self._narrowed(least) and self._one_way():
            return self._told(least, list(self.rows))
        for at in range(count):
            self.chance(at)
        return self._told(least, list(range(count)))

    def _narrowed(self, least: float) -> bool:
        """Probes from end to end, then bisection between the two that the threshold lies between."""
        count = len(self._axis)
        probes = sorted({round(i * (count - 1) / (PROBES + 1)) for i in range(PROBES + 2)})
        if any(self.chance(at) is None for at in probes) or not self._one_way():
            return False
        for low, high in pairwise(probes):
            if self._does(low, least) != self._does(high, least):
                return self._bisected(low, high, least)
        return True

    def _bisected(self, low: int, high: int, least: float) -> bool:
        does_low = self._does(low, least)
        while high - low > 1:
            middle = (low + high) // 2
            if self.chance(middle) is None:
                return False
            if self._does(middle, least) == does_low:
                low = middle
            else:
                high = middle
        return True

    def _does(self, at: int, least: float) -> bool:
        chance = self.chance(at)
        return chance is not None and chance >= least - LEVEL

    def _one_way(self) -> bool:
        """Whether all that was asked rises, or all falls."""
        found = [self.chance(at) for at in sorted(self.rows)]
        steps = [b - a for a, b in pairwise(found) if a is not None and b is not None]
        return all(step >= -LEVEL for step in steps) or all(step <= LEVEL for step in steps)

    def _told(self, least: float, places: list[int]) -> Need:
        places = sorted(places)
        asked = [at for at in places if self.chance(at) is not None]
        failures = [self.rows[at].failed for at in places if self.rows[at].failed]
        if not asked:
            return Need(self._labels, "none", "", 0.0, None, ("", 0.0), (), len(places), failures[0])
        doing = [at for at in asked if self._does(at, least)]
        best = max(asked, key=lambda at: self.chance(at) or 0.0)
        kind, at, beyond = self._boundary(asked, doing)
        return Need(
            labels=self._labels,
            kind=kind,
            value=self._axis.labels[at] if doing else "",
            chance=self.chance(at) or 0.0,
            beyond=None if beyond is None else (self._axis.labels[beyond], self.chance(beyond) or 0.0),
            best=(self._axis.labels[best], self.chance(best) or 0.0),
            doing=tuple(self._axis.labels[one] for one in self._by_cost(doing)),
            tried=len(self.rows),
            failed=failures[0] if failures else "",
            points=self._points(at) if doing else None,
        )

    def _boundary(self, asked: list[int], doing: list[int]) -> tuple[Any, int, int | None]:
        """The kind of answer, the place that just does it, and the one next to it that does not."""
        if not doing:
            return "none", asked[0], None
        if not self._axis.numeric:
            return ("all" if len(doing) == len(asked) else "only"), self._by_cost(doing)[0], None
        if len(doing) == len(asked):
            falls = (self.chance(asked[0]) or 0.0) > (self.chance(asked[-1]) or 0.0) + LEVEL
            return "all", asked[-1] if falls else asked[0], None
        first, last = asked.index(doing[0]), asked.index(doing[-1])
        if last - first + 1 != len(doing) or (first > 0 and last < len(asked) - 1):
            return "only", doing[0], None
        return ("at least", doing[0], asked[first - 1]) if first else ("at most", doing[-1], asked[last + 1])

    def _by_cost(self, places: list[int]) -> list[int]:
        """Units by their cost, the cheapest first (unknown ones last); other values as they are."""
        if self._axis.target.kind != "units" or self._axis.numeric:
            return places
        costs = {at: self._points(at) for at in places}
        return sorted(places, key=lambda at: (costs[at] is None, costs[at] or 0.0, -(self.chance(at) or 0.0)))

    def _points(self, at: int) -> float | None:
        """What the side that varies costs with this value."""
        role = self._axis.target.role
        if not role:
            return None
        points = self._sweep.grid.points(self._index(at), role)
        return None if points is None else float(points)
