"""Pictures of a sweep: curves over a number, bars over names, heat maps, in panels over a third axis."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from mathhammer.analysis.grid import Axis, Grid
from mathhammer.analysis.plots import BLACK, BLUE, ORANGE, VERMILION, picture_type, rounded
from mathhammer.analysis.sweep import Table, by_strength
from mathhammer.core.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mathhammer.analysis.army import Army
    from mathhammer.analysis.compare import Comparison
    from mathhammer.analysis.needs import Need, Needs, Worth

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
STILL = 0.2  # a curve that changes by less, in percent, is level
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
    title = drawn.suptitle(_title(table, width * columns), fontsize=10, x=0.01, ha="left")
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


def _label(table: Table, wanted: int) -> str:
    asked = table.sweep.wanted[wanted]
    return f"chance of {asked.name} (%)" if asked.is_chance else asked.name


def _title(table: Table, width: float) -> str:
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
    axes.set(xlabel=_axis_name(axis), ylabel=_label(table, wanted))
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
    _unframed(axes)


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
    axes.set(yticks=range(len(heights)), yticklabels=labels, xlabel=_label(table, wanted))
    if table.sweep.wanted[wanted].is_chance:
        axes.set_xlim(0, 110)
    axes.invert_yaxis()
    _unframed(axes)


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
    axes.figure.colorbar(image, ax=axes, label=_label(table, wanted), shrink=0.8)
    turned = 90 if max(map(len, across.labels)) > 3 and len(columns) > 4 else 0
    axes.set_xticks(range(len(columns)), [across.labels[j] for j in columns], fontsize=7, rotation=turned)
    axes.set_yticks(range(len(rows)), [up.labels[i] for i in rows], fontsize=7)
    axes.set(xlabel=_axis_name(across), ylabel=_axis_name(up))
    if max(cells.shape) <= NUMBERED:
        _numbers(axes, cells, chance)


def _numbers(axes: Axes, cells: Any, chance: bool) -> None:
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


def _axis_name(axis: Axis) -> str:
    return axis.name.replace("_", " ")


def _unframed(axes: Axes) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def comparison_figure(comparison: Comparison) -> Figure:
    """Bars by candidate: all targets together, and each target on its own."""
    lines, targets = comparison.lines, comparison.targets
    several = len(targets) > 1
    height = 1.6 + 0.42 * len(lines)
    drawn = picture_type()(figsize=(7.5 + 5.5 * several, max(3.2, height)), layout="constrained")
    bars = drawn.add_subplot(1, 1 + several, 1)
    _candidates(bars, comparison)
    if several:
        _by_target(drawn.add_subplot(1, 2, 2, sharey=bars), comparison)
    bars.set_ylim(len(lines) - 0.5, -0.5)  # of both: a candidate's bar stands beside its cells
    title = drawn.suptitle(_title(comparison.table, 7.5 + 5.5 * several), fontsize=10, x=0.01, ha="left")
    title.set_parse_math(False)
    return drawn


def _candidates(axes: Axes, comparison: Comparison) -> None:
    lines, wanted = comparison.lines, comparison.wanted[0]
    scale = 100 if wanted.is_chance else 1
    values = [scale * line.values[0] for line in lines]
    axes.barh(range(len(lines)), values, color=BLUE, height=0.6)
    for place, (line, value) in enumerate(zip(lines, values, strict=True)):
        high = value
        if interval := line.intervals[0]:
            axes.plot(
                [scale * end for end in interval], [place, place], color=BLACK, lw=3, solid_capstyle="butt"
            )
            high = scale * interval[1]
        cost = f"; {line.points:g} points" if line.points else ""
        axes.annotate(
            f"{value:.1f}{cost}", (high, place), (4, 0), textcoords="offset points", va="center", fontsize=8
        )
    together = "all targets, by their weights" if len(comparison.targets) > 1 else ""
    axes.set_yticks(range(len(lines)), [line.label for line in lines], fontsize=8)
    axes.set(
        xlabel=_label(comparison.table, 0),
        title=together,
    )
    axes.title.set_fontsize(9)
    axes.set_xlim(0, 135 if wanted.is_chance else 1.35 * max(values, default=1.0))
    if wanted.is_chance:
        axes.set_xticks(range(0, 101, 20))
    _unframed(axes)


def _by_target(axes: Axes, comparison: Comparison) -> None:
    table, chance = comparison.table, comparison.wanted[0].is_chance
    whole = [
        c
        for c in comparison.candidates
        if all(table.value(comparison.index(c, t)) is not None for t in comparison.targets)
    ]
    cells = np.array(
        [[table.value(comparison.index(c, t)) or 0.0 for t in comparison.targets] for c in whole]
    )
    cells = cells * (100 if chance else 1)
    image = axes.imshow(cells, cmap="cividis", aspect="auto", vmin=0, vmax=100 if chance else None)
    axes.figure.colorbar(image, ax=axes, label=_label(table, 0), aspect=20 + len(whole))
    names = [
        f"{comparison.target_label(t)} ({w:.0%})"
        for t, w in zip(comparison.targets, comparison.weights, strict=True)
    ]
    axes.set_xticks(
        range(len(names)), names, fontsize=7, rotation=90 if max(map(len, names)) * len(names) > 60 else 0
    )
    axes.set_yticks(range(len(whole)), [line.label for line in comparison.lines], fontsize=8)
    axes.set_title("each target, with its weight", fontsize=9)
    if len(names) <= NUMBERED:
        _numbers(axes, cells, chance)


def check_needs(grid: Grid, unknown: int) -> None:
    """Raises `InputError` for what is looked for in more ways than a picture takes."""
    axis, ways = grid.axes[unknown], len(grid) // len(grid.axes[unknown])
    if axis.numeric and ways > MOST_CURVES:
        raise InputError(f"--plot: {ways} curves, more than {MOST_CURVES}; vary less")
    if not axis.numeric and (ways > 1 or len(axis) > MOST_BARS):
        told = "one thing that varies" if ways > 1 else f"{MOST_BARS} values"
        raise InputError(f"--plot: {axis.name} has names, of which a picture takes {told}; see sweep --plot")


def needs_figure(found: Needs) -> Figure:
    """The chance over the values that were tried, with what is needed."""
    check_needs(found.sweep.grid, found.unknown)
    axis, table = found.axis, found.table
    across = axis.numeric
    drawn = picture_type()(figsize=(9, 4.8 if across else 1.8 + 0.26 * len(axis)), layout="constrained")
    axes = drawn.add_subplot()
    (_tried if across else _tried_names)(axes, found)
    mark: dict[str, Any] = {
        "color": BLACK,
        "lw": 1,
        "ls": (0, (6, 3)),
        "label": f"needed: {100 * found.chance:g}%",
    }
    (axes.axhline if across else axes.axvline)(100 * found.chance, **mark)
    beside: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    axes.legend(frameon=False, fontsize=8, **(beside if across else {"loc": "lower right"}))
    _unframed(axes)
    drawn.suptitle(_title(table, 9), fontsize=10, x=0.01, ha="left").set_parse_math(False)
    return drawn


def _tried(axes: Axes, found: Needs) -> None:
    """A curve for each answer through the values that were tried, the one that just does it marked."""
    axis, numbers, moving = found.axis, found.axis.numbers or (), list[float]()
    for number, need in enumerate(found.answers):
        style, colour = STYLES[number % len(STYLES)]
        points = [(numbers[at], 100 * chance) for at, chance in found.tried(need)]
        ways = zip(found.others, need.labels, strict=True)
        label = ", ".join([*(f"{other.name} {value}" for other, value in ways), _answer(need)])
        across, up = [x for x, _ in points], [y for _, y in points]
        axes.plot(across, up, style, color=colour, ms=4, lw=1.4, label=label)
        if need.kind in ("at least", "at most"):
            just = numbers[axis.labels.index(need.value)]
            axes.plot([just], [100 * need.chance], "o", ms=11, mfc="none", color=colour)
        moving += [x for a, b in pairwise(points) if abs(a[1] - b[1]) > STILL for x in (a[0], b[0])]
    tried = f"{_axis_name(axis)} (marks: what was tried)"
    axes.set(xlabel=tried, ylabel=_label(found.table, 0), ylim=(-2, 102))
    if moving:  # not the long ends where nothing changes
        edge = 0.03 * (max(moving) - min(moving))
        axes.set_xlim(min(moving) - edge, max(moving) + edge)
    axes.grid(alpha=0.25)


def _answer(need: Need) -> str:
    told = {"none": "none does it", "all": "all do it", "only": "some do it"}
    return told.get(need.kind, f"{need.kind} {need.value}")


def _tried_names(axes: Axes, found: Needs) -> None:
    tried = found.tried(found.answers[0])
    order = sorted(tried, key=lambda pair: -pair[1])
    heights = [100 * chance for _, chance in order]
    does = [chance >= found.chance for _, chance in order]
    axes.barh(range(len(order)), heights, color=[BLUE if one else "#BBBBBB" for one in does], height=0.65)
    for place, value in enumerate(heights):
        axes.annotate(
            f"{value:.1f}", (value, place), (4, 0), textcoords="offset points", va="center", fontsize=8
        )
    axes.set_yticks(range(len(order)), [found.axis.labels[at] for at, _ in order], fontsize=8)
    axes.set(xlabel=_label(found.table, 0), xlim=(0, 110), ylim=(len(order) - 0.5, -0.5))


def worth_figure(found: Worth) -> Figure:
    """What each step adds, the most first, by whose step it is."""
    from matplotlib.patches import Patch

    steps = found.steps[:MOST_BARS]
    groups = list(dict.fromkeys(step.group for step in steps))
    colours = dict(zip(groups, [BLUE, ORANGE, GREEN, PURPLE, SKY] * len(groups), strict=False))
    drawn = picture_type()(figsize=(9, max(2.4, 1.6 + 0.26 * len(steps))), layout="constrained")
    axes = drawn.add_subplot()
    gains = [100 * step.gain for step in steps]
    axes.barh(range(len(steps)), gains, color=[colours[step.group] for step in steps], height=0.65)
    for place, (step, gain) in enumerate(zip(steps, gains, strict=True)):
        told = f"+{gain:.2f}" + (f"; {step.worth:.1f} points" if step.worth is not None else "")
        axes.annotate(told, (gain, place), (4, 0), textcoords="offset points", va="center", fontsize=8)
    names = [f"{step.name} {step.was} to {step.now}" for step in steps]
    axes.set_yticks(range(len(steps)), names, fontsize=8)
    now = f"now {100 * found.base.values[0]:.2f}%"
    axes.set(xlabel=f"added to the {_label(found.table, 0)}, {now}", xlim=(0, 1.25 * max(gains, default=1.0)))
    axes.invert_yaxis()
    shown = [Patch(color=colours[group], label=group) for group in groups]
    axes.legend(handles=shown, frameon=False, fontsize=8, loc="lower right")
    _unframed(axes)
    drawn.suptitle(_title(found.table, 9), fontsize=10, x=0.01, ha="left").set_parse_math(False)
    return drawn


def army_figure(army: Army) -> Figure:
    """Who takes on whom in the best plan, and how many enemies that ends."""
    plan = army.best
    drawn = picture_type()(figsize=(13, max(4.2, 1.8 + 0.45 * len(plan.fights))), layout="constrained")
    left, right = drawn.subplots(1, 2)
    chances = [100 * fight.chance for fight in plan.fights]
    left.barh(range(len(chances)), chances, color=BLUE, height=0.6)
    for place, (fight, value) in enumerate(zip(plan.fights, chances, strict=True)):
        text = f"{value:.1f}; {fight.points} points"
        left.annotate(text, (value, place), (4, 0), textcoords="offset points", va="center", fontsize=8)
    names = [f"{fight.enemy}\nby {' + '.join(fight.team)}" for fight in plan.fights]
    left.set_yticks(range(len(names)), names, fontsize=8)
    left.set(xlim=(0, 140), xticks=range(0, 101, 20), xlabel=_label(army.table, 0), title="who takes on whom")
    left.invert_yaxis()
    numbers, tail = list(range(len(army.campaign.enemies) + 1)), 0.0
    chance = [100 * plan.pmf[n] for n in numbers]
    right.bar(numbers, chance, color=SKY, width=0.8, label="exactly so many")
    tails = []
    for value in reversed(chance):
        tail += value
        tails.append(tail)
    right.plot(numbers, tails[::-1], "o-", color=BLACK, label="at least so many")
    right.set(xlabel=f"enemies: {army.wanted.name}", ylabel="chance (%)", ylim=(0, 105), title="how many")
    right.set_xticks(numbers)
    right.legend(frameon=False, fontsize=8)
    for axes in (left, right):
        axes.title.set_fontsize(9)
        _unframed(axes)
    heading = f"{army.table.sweep.grid.heading()}; {plan.points} of {army.campaign.budget} points"
    title = drawn.suptitle(
        "\n".join([heading, *_title(army.table, 13).split("\n")[1:]]), fontsize=10, x=0.01, ha="left"
    )
    title.set_parse_math(False)
    return drawn
