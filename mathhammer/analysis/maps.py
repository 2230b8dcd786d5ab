"""Pictures of a sweep: curves over a number, bars over names, heat maps, in panels over a third axis."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mathhammer.analysis.grid import Axis, Grid
from mathhammer.analysis.plots import BLACK, BLUE, ORANGE, VERMILION, picture_type, rounded
from mathhammer.analysis.sweep import Table, by_strength
from mathhammer.core.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GREEN, SKY, PURPLE = "#009E73", "#56B4E9", "#CC79A7"
STYLES = [
    ("o-", BLUE),
    ("s--", VERMILION),
    ("^:", BLACK),
    ("D-.", ORANGE),
    ("v-", GREEN),
    ("P--", SKY),
    ("X:", PURPLE),
    ("*-.", "#777777"),
]
MOST_CURVES, MOST_PANELS, MOST_BARS, MOST_SIDE = len(STYLES), 6, 60, 120
NUMBERED = 24  # heat maps up to so many rows and columns have their numbers in the cells


@dataclass(frozen=True)
class Plan:
    """How a sweep is drawn: the axes (by place) across, up, and of the panels."""

    kind: str  # curves, bars, heat
    across: int | None
    up: tuple[int, ...]
    panels: tuple[int, ...]


def plan(grid: Grid, numbers: int = 1) -> Plan:
    """The picture that so many numbers of a grid make. Raises `InputError` where that is too much for one."""
    made = _planned(grid)
    panels = numbers * _many(grid, made.panels)
    if numbers > 1 and panels > MOST_PANELS:
        told = f"{numbers} numbers make {panels} panels, more than {MOST_PANELS}"
        raise InputError(f"--plot: {told}; ask for fewer with --event, --at-least and --mean")
    return made


def _planned(grid: Grid) -> Plan:
    live = [place for place, axis in enumerate(grid.axes) if len(axis) > 1]
    numeric = [place for place in live if grid.axes[place].numeric and len(grid.axes[place]) > 2]
    if numeric:
        across = max(numeric, key=lambda place: len(grid.axes[place]))
        rest = tuple(place for place in live if place != across)
        if _many(grid, rest) <= MOST_CURVES:
            return Plan("curves", across, rest, ())
        if len(rest) > 1 and _many(grid, rest[:1]) <= MOST_PANELS and _many(grid, rest[1:]) <= MOST_CURVES:
            return Plan("curves", across, rest[1:], rest[:1])
    if len(live) <= 1:
        return _checked(grid, Plan("bars", None, tuple(live), ()))
    by_size = sorted(live, key=lambda place: -len(grid.axes[place]))[:2]
    up, across = sorted(by_size)
    return _checked(grid, Plan("heat", across, (up,), tuple(place for place in live if place not in by_size)))


def _many(grid: Grid, places: Sequence[int]) -> int:
    return int(np.prod([len(grid.axes[place]) for place in places], initial=1))


def _checked(grid: Grid, made: Plan) -> Plan:
    panels = _many(grid, made.panels)
    if panels > MOST_PANELS:
        names = " x ".join(grid.axes[place].name for place in made.panels)
        raise InputError(f"--plot: {names} make {panels} panels, more than {MOST_PANELS}; vary less")
    most = MOST_BARS if made.kind == "bars" else MOST_SIDE
    for place in (*made.up, *([made.across] if made.across is not None else [])):
        if len(grid.axes[place]) > most:
            raise InputError(
                f"--plot: {grid.axes[place].name} has {len(grid.axes[place])} values; a picture takes {most}"
            )
    return made


def figure(table: Table, *wanted: int, ordered: bool = False) -> Figure:
    """The picture of some of the wanted numbers, each in its panels. ordered: names go by strength."""
    made = plan(table.sweep.grid, len(wanted))
    panels = [(one, panel) for one in wanted for panel in _combinations(table.sweep.grid, made.panels)]
    width, height = _size(table.sweep.grid, made)
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    drawn = picture_type()(figsize=(width * columns, height * rows + 0.7), layout="constrained")
    for number, (one, panel) in enumerate(panels, start=1):
        axes = drawn.add_subplot(rows, columns, number)
        {"curves": _curves, "bars": _bars, "heat": _heat}[made.kind](axes, table, one, made, panel, ordered)
        if panel:
            axes.set_title(_named(table.sweep.grid, panel), fontsize=9)
    title = drawn.suptitle(title_of(table, width * columns), fontsize=10, x=0.01, ha="left")
    title.set_parse_math(False)
    return drawn


def _size(grid: Grid, made: Plan) -> tuple[float, float]:
    if made.kind == "curves":
        return 7.0 + 2.0 * (_many(grid, made.up) > 3), 4.4
    if made.kind == "bars":
        return 7.0, 1.2 + 0.26 * _many(grid, made.up)
    assert made.across is not None
    across, up = len(grid.axes[made.across]), len(grid.axes[made.up[0]])
    return 3.6 + 0.3 * across, 2.4 + 0.24 * up


def _combinations(grid: Grid, places: Sequence[int]) -> list[dict[int, int]]:
    """Every choice of a value for these axes."""
    found: list[dict[int, int]] = [{}]
    for place in places:
        found = [{**one, place: value} for one in found for value in range(len(grid.axes[place]))]
    return found


def _named(grid: Grid, chosen: dict[int, int]) -> str:
    return ", ".join(
        f"{grid.axes[place].name} {grid.axes[place].labels[value]}" for place, value in chosen.items()
    )


def _cell(table: Table, wanted: int, chosen: dict[int, int]) -> float:
    """A number in percent, or a mean; not a number where there is none."""
    places = [chosen.get(place, 0) for place in range(len(table.sweep.grid.axes))]
    value = table.value(table.sweep.grid.index(places), wanted)
    if value is None:
        return float("nan")
    return 100 * value if table.sweep.wanted[wanted].is_chance else value


def label_of(table: Table, wanted: int) -> str:
    """The axis of a wanted number."""
    asked = table.sweep.wanted[wanted]
    return f"chance of {asked.name} (%)" if asked.is_chance else asked.name


def title_of(table: Table, width: float) -> str:
    """What was asked, folded to a picture so many inches wide, and by which rules."""
    sweep = table.sweep
    lines = textwrap.wrap(sweep.grid.heading(), int(14 * width))
    facts = [next(iter(sweep.grid.rulesets.values())).title] if len(sweep.grid.rulesets) == 1 else []
    if table.simulated:
        facts.append(f"{sweep.trials:,} trials, seed {sweep.seed}")
    if table.assumed:
        facts.append("assumed: " + ", ".join(table.assumed))
    return "\n".join(lines + textwrap.wrap("; ".join(facts), int(14 * width)))


def _curves(axes: Axes, table: Table, wanted: int, made: Plan, panel: dict[int, int], ordered: bool) -> None:
    grid = table.sweep.grid
    assert made.across is not None
    axis = grid.axes[made.across]
    for number, chosen in enumerate(_combinations(grid, made.up)):
        heights = [_cell(table, wanted, {**panel, **chosen, made.across: i}) for i in range(len(axis))]
        style, colour = STYLES[number % len(STYLES)]
        axes.plot(axis.numbers or (), heights, style, color=colour, ms=4, lw=1.4, label=_named(grid, chosen))
    axes.set(xlabel=axis_name(axis), ylabel=label_of(table, wanted))
    if table.sweep.wanted[wanted].is_chance:
        axes.set_ylim(-2, 102)
    if made.up:
        beside = len(axes.lines) > 3
        place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)} if beside else {}
        axes.legend(frameon=False, fontsize=8, **place)
    if all(number == int(number) for number in axis.numbers or ()):
        from matplotlib.ticker import MaxNLocator

        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.25)
    unframed(axes)


def _bars(axes: Axes, table: Table, wanted: int, made: Plan, panel: dict[int, int], ordered: bool) -> None:
    grid = table.sweep.grid
    chosen = _combinations(grid, made.up)
    heights = [_cell(table, wanted, {**panel, **one}) for one in chosen]
    labels = [_named(grid, one).partition(" ")[2] for one in chosen]
    order = _by_strength(np.array(heights)) if ordered else range(len(heights))
    heights, labels = [heights[i] for i in order], [labels[i] for i in order]
    axes.barh(range(len(heights)), heights, color=BLUE, height=0.65)
    for place, value in enumerate(heights):
        if value == value:
            axes.annotate(
                f"{value:.1f}", (value, place), (4, 0), textcoords="offset points", va="center", fontsize=8
            )
    axes.set(yticks=range(len(heights)), yticklabels=labels, xlabel=label_of(table, wanted))
    if table.sweep.wanted[wanted].is_chance:
        axes.set_xlim(0, 110)
    axes.invert_yaxis()
    unframed(axes)


def _heat(axes: Axes, table: Table, wanted: int, made: Plan, panel: dict[int, int], ordered: bool) -> None:
    grid = table.sweep.grid
    assert made.across is not None
    across, up = grid.axes[made.across], grid.axes[made.up[0]]
    cells = np.array(
        [
            [_cell(table, wanted, {**panel, made.up[0]: i, made.across: j}) for j in range(len(across))]
            for i in range(len(up))
        ]
    )
    rows, columns = list(range(len(up))), list(range(len(across)))
    if ordered:
        rows, columns = _by_strength(cells), _by_strength(cells.T)
        cells = cells[rows][:, columns]
    chance = table.sweep.wanted[wanted].is_chance
    image = axes.imshow(cells, cmap="cividis", aspect="auto", vmin=0, vmax=100 if chance else None)
    axes.figure.colorbar(image, ax=axes, label=label_of(table, wanted), shrink=0.8)
    turned = 90 if max(map(len, across.labels)) > 3 and len(columns) > 4 else 0
    axes.set_xticks(range(len(columns)), [across.labels[j] for j in columns], fontsize=7, rotation=turned)
    axes.set_yticks(range(len(rows)), [up.labels[i] for i in rows], fontsize=7)
    axes.set(xlabel=axis_name(across), ylabel=axis_name(up))
    if max(cells.shape) <= NUMBERED:
        numbered(axes, cells, chance)


def numbered(axes: Axes, cells: Any, chance: bool) -> None:
    """The number in each cell, dark on light and light on dark."""
    size = 6 if max(cells.shape) > 12 else 8
    top = 100 if chance else np.nanmax(cells)
    for (i, j), value in np.ndenumerate(cells):
        if value == value:
            colour = "black" if value > 0.55 * top else "white"
            axes.text(
                j,
                i,
                rounded(value) if chance else f"{value:.1f}",
                ha="center",
                va="center",
                fontsize=size,
                color=colour,
            )


def _by_strength(cells: Any) -> list[int]:
    """Rows (or single numbers) by their mean, the strongest first."""
    rows = [[None if value != value else float(value) for value in np.atleast_1d(row)] for row in cells]
    return by_strength(rows)


def axis_name(axis: Axis) -> str:
    """What varies, in words."""
    return axis.name.replace("_", " ")


def unframed(axes: Axes) -> None:
    """Without lines above and on the right."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
