"""Pictures of decisions: a comparison, what is needed, the worth of steps, an army."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from mathhammer.analysis.grid import Grid
from mathhammer.analysis.maps import (
    GREEN,
    MOST_BARS,
    MOST_CURVES,
    NUMBERED,
    PURPLE,
    SKY,
    STYLES,
    axis_name,
    label_of,
    numbered,
    title_of,
    unframed,
)
from mathhammer.analysis.plots import BLACK, BLUE, ORANGE, picture_type
from mathhammer.core.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mathhammer.analysis.army import Army
    from mathhammer.analysis.compare import Comparison
    from mathhammer.analysis.needs import Need, Needs
    from mathhammer.analysis.worth import Worth

HATCHES = ["", "///", "...", "xx", "--"]  # what colours say, for eyes and printers without them
STILL = 0.2  # a curve that changes by less, in percent, is level


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
    title = drawn.suptitle(title_of(comparison.table, 7.5 + 5.5 * several), fontsize=10, x=0.01, ha="left")
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
        xlabel=label_of(comparison.table, 0),
        title=together,
    )
    axes.title.set_fontsize(9)
    axes.set_xlim(0, 135 if wanted.is_chance else 1.35 * max(values, default=1.0))
    if wanted.is_chance:
        axes.set_xticks(range(0, 101, 20))
    unframed(axes)


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
    axes.figure.colorbar(image, ax=axes, label=label_of(table, 0), aspect=20 + len(whole))
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
        numbered(axes, cells, chance)


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
    unframed(axes)
    drawn.suptitle(title_of(table, 9), fontsize=10, x=0.01, ha="left").set_parse_math(False)
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
    tried = f"{axis_name(axis)} (marks: what was tried)"
    axes.set(xlabel=tried, ylabel=label_of(found.table, 0), ylim=(-2, 102))
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
    axes.set(xlabel=label_of(found.table, 0), xlim=(0, 110), ylim=(len(order) - 0.5, -0.5))


def worth_figure(found: Worth) -> Figure:
    """What each step adds, the most first, by whose step it is."""
    from matplotlib.patches import Patch

    steps = found.steps[:MOST_BARS]
    groups = list(dict.fromkeys(step.group for step in steps))
    colours = dict(zip(groups, [BLUE, ORANGE, GREEN, PURPLE, SKY] * len(groups), strict=False))
    drawn = picture_type()(figsize=(9, max(2.4, 1.6 + 0.26 * len(steps))), layout="constrained")
    axes = drawn.add_subplot()
    gains = [100 * step.gain for step in steps]
    hatches = dict(zip(groups, HATCHES * len(groups), strict=False))
    axes.barh(
        range(len(steps)),
        gains,
        color=[colours[step.group] for step in steps],
        hatch=[hatches[step.group] for step in steps],
        edgecolor="white",
        height=0.65,
    )
    for place, (step, gain) in enumerate(zip(steps, gains, strict=True)):
        told = f"+{gain:.2f}" + (f"; {step.worth:.1f} points" if step.worth is not None else "")
        axes.annotate(told, (gain, place), (4, 0), textcoords="offset points", va="center", fontsize=8)
    names = [f"{step.name} {step.was} to {step.now}" for step in steps]
    axes.set_yticks(range(len(steps)), names, fontsize=8)
    now = f"now {100 * found.base.values[0]:.2f}%"
    axes.set(
        xlabel=f"added to the {label_of(found.table, 0)}, {now}", xlim=(0, 1.25 * max(gains, default=1.0))
    )
    axes.invert_yaxis()
    shown = [
        Patch(facecolor=colours[group], hatch=hatches[group], edgecolor="white", label=group)
        for group in groups
    ]
    axes.legend(handles=shown, frameon=False, fontsize=8, loc="lower right")
    unframed(axes)
    drawn.suptitle(title_of(found.table, 9), fontsize=10, x=0.01, ha="left").set_parse_math(False)
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
    left.set(
        xlim=(0, 140), xticks=range(0, 101, 20), xlabel=label_of(army.table, 0), title="who takes on whom"
    )
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
        unframed(axes)
    heading = f"{army.table.sweep.grid.heading()}; {plan.points} of {army.campaign.budget} points"
    title = drawn.suptitle(
        "\n".join([heading, *title_of(army.table, 13).split("\n")[1:]]), fontsize=10, x=0.01, ha="left"
    )
    title.set_parse_math(False)
    return drawn
