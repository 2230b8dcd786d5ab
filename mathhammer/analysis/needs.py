"""The inverse question: what a field must be for a chance; and the worth of one step of each field."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, Literal

from mathhammer.analysis.fields import Target, first_role, model_of, paths
from mathhammer.analysis.grid import Axis, Grid
from mathhammer.analysis.notebook import Framed, titled
from mathhammer.analysis.ranges import told
from mathhammer.analysis.statistics import newcombe
from mathhammer.analysis.sweep import Row, Sweep, Table, ordered, reasons
from mathhammer.analysis.wanted import Wanted
from mathhammer.analysis.words import aims
from mathhammer.core.errors import InputError
from mathhammer.core.profiles import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_COST = 1_000_000
ALL = 24  # so few values are all tried
PROBES = 15  # of more, so many between the ends show whether the chance goes one way only
LEVEL = 1e-12  # exact chances that differ by less are equal
FELT = 1e-9  # a step that changes the chance by less does nothing


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
        from mathhammer.analysis.maps import needs_figure

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


# -- the worth of a point --------------------------------------------------------------------------
@dataclass(frozen=True)
class Step:
    """One step of a field, in the direction that helps.

    gain: what it adds to the chance. worth: points that so much chance costs at the unit's own rate (its
    points for its chance); None where that is not known, and where the step makes its own unit weaker.
    cost: what the step costs, if that was told.
    """

    group: str
    name: str
    was: str
    now: str
    chance: float
    gain: float
    worth: float | None
    cost: float | None
    weakens: bool = False

    @property
    def per_point(self) -> float | None:
        """Gain for each point of its cost."""
        return None if not self.cost else self.gain / self.cost


@dataclass(frozen=True, repr=False)
class Worth(Framed):
    """The worth of one step of each field, by what it adds to the chance, the most first."""

    sweep: Sweep
    base: Row
    steps: list[Step]

    @property
    def wanted(self) -> Wanted:
        """What the chance is of."""
        return self.sweep.wanted[0]

    @property
    def table(self) -> Table:
        """The one matchup."""
        return Table(self.sweep, [self.base])

    def plot(self) -> Figure:
        """What each step adds, the most first."""
        from mathhammer.analysis.maps import worth_figure

        return worth_figure(self)

    def records(self) -> list[dict[str, Any]]:
        """A flat row for each step."""
        return [
            {
                "of": step.group,
                "field": step.name,
                "from": step.was,
                "to": step.now,
                self.wanted.name: step.chance,
                "gain": step.gain,
                "worth points": step.worth,
                "cost": step.cost,
                "gain per point": step.per_point,
                "weakens": step.weakens,
            }
            for step in self.steps
        ]

    def __repr__(self) -> str:
        most = [f", most {step.name} {step.was} to {step.now} (+{step.gain:.4g})" for step in self.steps[:1]]
        told = f"{self.wanted.name} {self.base.values[0]:.4g}; {len(self.steps)} steps help"
        return f"Worth({told}{''.join(most)})"

    def _repr_html_(self) -> str:
        title = f"{self.wanted.name} {self.base.values[0]:.4%}: {self.sweep.grid.heading()}"
        return titled(title, self.frame(), aims(self.table))


def worth(sweep: Sweep, costs: Mapping[str, float] | None = None) -> Worth:
    """What one step of each number or yes-or-no of the units and options adds to the chance.

    sweep: of one matchup. costs: points that a step costs, by field. Raises `InputError`.
    """
    if len(sweep.grid) != 1:
        raise InputError("the worth of a point is asked of one matchup; give --over with --chance for many")
    base = sweep.answer(0)
    if base.failed:
        raise InputError(*base.failed.split("; "))
    unused = _checked_costs(costs)
    found = [_step(sweep, base, target, was, now, unused) for target, was, now in _steps(sweep.grid)]
    if unused:
        raise InputError(
            *(f"--cost {name}: no step of that name helps, or there is no such field" for name in unused)
        )
    kept: dict[tuple[str, str], Step] = {}
    for step in sorted((step for step in found if step is not None), key=lambda step: -step.gain):
        kept.setdefault((step.group, step.name), step)
    return Worth(sweep, base, list(kept.values()))


def _checked_costs(costs: object) -> dict[str, float]:
    if costs is not None and not isinstance(costs, Mapping):
        raise InputError(f"--cost: give points by field, such as {{'at': 5}}, not {costs!r}")
    found = dict(costs or {})
    for name, points in found.items():
        if not isinstance(points, int | float) or isinstance(points, bool) or not 0 < points < MOST_COST:
            raise InputError(f"--cost {name}: points above 0 and below {MOST_COST:,}, not {points!r}")
    return found


def _steps(grid: Grid) -> Iterator[tuple[Target, Any, Any]]:
    """Every field that has a number or a yes-or-no, with its value and each neighbouring one."""
    question = grid.question(0)
    for role in grid.mode.roles:
        units = question.units[role.name]
        if role.many:
            continue
        unit = units[0].unit
        for path in paths(type(unit)):
            target = Target("field", path, role.name, tuple(path.split(".")))
            yield from _around(target, _value(unit, path))
    for name in grid.mode.situation.model_fields:
        yield from _around(Target("situation", name, path=(name,)), getattr(question.situation, name))


def _value(unit: Any, path: str) -> Any:
    for part in path.split("."):
        unit = getattr(unit, part)
    return unit


def _around(target: Target, value: Any) -> Iterator[tuple[Target, Any, Any]]:
    if isinstance(value, bool):
        yield target, value, not value
    elif isinstance(value, int):
        yield target, value, value + 1
        yield target, value, value - 1


def _step(
    sweep: Sweep, base: Row, target: Target, was: Any, now: Any, costs: dict[str, float]
) -> Step | None:
    """What a step adds; None where it is not allowed, or does not help (beyond noise, where simulated)."""
    grid = replace(sweep.grid, axes=(*sweep.grid.axes, Axis(target, (now,))))
    row = replace(sweep, grid=grid).answer(0)
    if row.failed or row.values[0] - base.values[0] <= _noise(sweep, base, row):
        return None
    gain = row.values[0] - base.values[0]
    role = first_role(grid.mode)
    own = target.kind == "field" and role is not None and target.role == role.name
    path = ".".join(target.path)
    weaker = target.kind == "field" and _weakens(model_of(grid.game, grid.mode, target), path, was, now)
    points = sweep.grid.points(0, target.role) if own and not weaker else None
    rate = points * gain / base.values[0] if points and base.values[0] > FELT else None
    name = path if own or not target.role else f"{target.role}.{path}"
    cost = costs.pop(name, None) or costs.pop(f"{target.role}.{path}", None)
    of = target.role or "options"
    return Step(of, name, told(was), told(now), row.values[0], gain, rate, cost, weaker)


def _weakens(model: Any, path: str, was: Any, now: Any) -> bool:
    """Whether a step makes a unit the worse one by its profile's own sense."""
    return bool((now > was) == (path in model.lower_is_better))


def _noise(sweep: Sweep, base: Row, row: Row) -> float:
    """What a gain must pass to be one."""
    if "simulated" not in (base.source, row.source):
        return FELT
    gain = row.values[0] - base.values[0]
    return gain - newcombe(row.values[0], base.values[0], sweep.trials)[0]
