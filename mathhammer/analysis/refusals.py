"""What is refused before anything runs: options and values wrong by themselves, too many matchups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mathhammer.analysis.fields import Target, model_of, units_of
from mathhammer.analysis.grid import Axis, Grid, laid_over
from mathhammer.analysis.question import SITUATION
from mathhammer.analysis.units import Choice
from mathhammer.core.checks import wrong_field
from mathhammer.core.errors import InputError, gathered, refuse_unknown
from mathhammer.core.game import Mode

MOST_MATCHUPS = 1_000_000
MOST_TOLD = 3  # wrong values of one thing


def refuse_size(grid: Grid) -> None:
    """More matchups than are run. Raises `InputError`."""
    if len(grid) > MOST_MATCHUPS:
        sizes = " x ".join(f"{axis.name} {len(axis):,}" for axis in grid.axes)
        raise InputError(f"{sizes} are {len(grid):,} matchups; at most {MOST_MATCHUPS:,} are run")


def refuse_situation(mode: Mode, given: Mapping[str, Any], varied: Iterable[str] = ()) -> None:
    """Options that are wrong by themselves, or missing though nothing varies them. Raises `InputError`."""
    fields = mode.situation.model_fields
    strange = [name for name in given if name not in fields]
    known = {name: value for name, value in given.items() if name in fields}
    missing = [name for name, info in fields.items() if info.is_required() and name not in {*known, *varied}]
    lines = (wrong_field(mode.situation, known, [name], SITUATION) for name in [*known, *missing])
    gathered(
        lambda: refuse_unknown(f"{mode.name}: option", strange, fields),
        lambda: _refuse(lines),
    )


def refuse_values(grid: Grid, axis: Axis) -> None:
    """Values that are wrong by themselves. Raises `InputError`."""
    target = axis.target
    if target.kind in ("units", "ruleset"):
        return
    model, base, where = model_of(grid.game, grid.mode, target), _base(grid, target), f"--over {axis.name}"
    tables = (laid_over(base, ((target.path, value),)) for value in axis.values)
    _refuse(wrong_field(model, table, target.path, where) for table in tables)


def _refuse(lines: Iterable[str | None]) -> None:
    """Raise the lines there are, at most so many."""
    told = [line for line in lines if line is not None]
    if told:
        raise InputError(*told[:MOST_TOLD])


def _base(grid: Grid, target: Target) -> dict[str, Any]:
    """What a value is laid over: a unit of the role, the options, or the rules."""
    if target.kind == "situation":
        return dict(grid.situation)
    if target.kind == "rule":
        return dict(grid.rulesets[grid.ruleset].values.model_dump())
    firsts = (axis.values[0] for axis in grid.axes if axis.target == units_of(target.role))
    choice = next((value for value in firsts if isinstance(value, Choice)), grid.fixed.get(target.role))
    units = choice.units[grid.ruleset] if choice else ()
    if not units:
        raise InputError(f"--over {target.name}: there is no unit in {target.role}")
    return dict(units[0].unit.model_dump())
