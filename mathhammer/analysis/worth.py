"""The worth of one step of each field, in chance and in points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mathhammer.analysis.fields import Target, first_role, model_of, paths
from mathhammer.analysis.grid import Axis, Grid
from mathhammer.analysis.notebook import Framed, titled
from mathhammer.analysis.ranges import told
from mathhammer.analysis.statistics import newcombe
from mathhammer.analysis.sweep import Row, Sweep, Table
from mathhammer.analysis.wanted import Wanted
from mathhammer.analysis.words import aims
from mathhammer.core.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_COST = 1_000_000
FELT = 1e-9  # a step that changes the chance by less does nothing


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
        from mathhammer.analysis.decided import worth_figure

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
