"""Pictures of a result: the distribution, 'at least k', and the events, in colours and in black and white."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mathhammer.analysis.statistics import at_least, mean, wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mathhammer.analysis.result import Result

# Okabe and Ito's colours, told apart by colour-blind readers; lightness and hatching tell them apart in grey.
BLUE, ORANGE, BLACK = "#0072B2", "#E69F00", "#000000"
TAIL = 2e-4  # ends of the distribution that weigh less are left out of the picture


def figure(result: Result, measure: str | None = None) -> Figure:
    """A figure with the measure's distribution, its 'at least k', and the chances of the events.

    measure: the mode's first that varies, by default. Raises `InputError` for an unknown measure.
    """
    from matplotlib.figure import Figure

    name = measure or next((m for m in result.measures if len(result.pmf(m)) > 1), result.measures[0])
    low, high = _window(result.pmf(name))
    drawn = Figure(figsize=(10, 6.4), layout="constrained")
    grid = drawn.add_gridspec(2, 2, width_ratios=(3, 2))
    _distribution(drawn.add_subplot(grid[0, 0]), result, name, low, high)
    _tail(drawn.add_subplot(grid[1, 0]), result, name, low, high)
    _events(drawn.add_subplot(grid[:, 1]), result)
    drawn.suptitle(_title(result), fontsize=11, x=0.01, ha="left")
    return drawn


def _title(result: Result) -> str:
    facts = [result.question.ruleset.title]
    if result.simulated:
        facts.append(f"{result.trials:,} trials, seed {result.seed}")
    return f"{result.question.heading()}\n{'; '.join(facts)}{_assumed(result)}"


def _assumed(result: Result) -> str:
    keys = [a["key"] for a in result.assumptions if a["origin"] == "assumed"]
    return f"\nassumed: {', '.join(keys)}" if keys else ""


def _window(pmf: dict[int, float]) -> tuple[int, int]:
    """The values that are drawn: all but ends that weigh next to nothing."""
    values = list(pmf)
    low, high = 0, len(values) - 1
    while low < high and math.fsum(pmf[v] for v in values[: low + 1]) < TAIL:
        low += 1
    while high > low and math.fsum(pmf[v] for v in values[high:]) < TAIL:
        high -= 1
    return values[low], values[high]


def _unit(result: Result, name: str) -> str:
    record = next(m for m in result.question.mode.measures if m.name == name)
    return f"{name} ({record.unit})"


def _distribution(axes: Axes, result: Result, name: str, low: int, high: int) -> None:
    """Bars: simulated with its interval; dots: exact."""
    values = range(low, high + 1)
    if result.simulated:
        pmf = result.pmf(name, "simulated")
        heights = [100 * pmf.get(v, 0.0) for v in values]
        axes.bar(values, heights, width=0.85, color=ORANGE, label="simulated, with 95% interval")
        axes.errorbar(values, heights, yerr=_errors(result, pmf, values), fmt="none", ecolor=BLACK, capsize=2)
    if result.exact:
        pmf = result.pmf(name, "exact")
        axes.plot(
            values, [100 * pmf.get(v, 0.0) for v in values], "o", color=BLUE, ms=5, mec="white", label="exact"
        )
    centre = mean(result.pmf(name))
    axes.axvline(centre, color=BLACK, ls="--", lw=1, label=f"mean {centre:.2f}")
    axes.set(title=f"Distribution of {name}", xlabel=_unit(result, name), ylabel="chance (%)")
    _finish(axes)


def _errors(result: Result, pmf: dict[int, float], values: range) -> list[list[float]]:
    """Distances from each bar to the ends of its Wilson interval, in percent."""
    bounds = [(pmf.get(v, 0.0), *wilson(pmf.get(v, 0.0), result.trials)) for v in values]
    return [
        [100 * max(0.0, p - low) for p, low, _ in bounds],
        [100 * max(0.0, high - p) for p, _, high in bounds],
    ]


def _tail(axes: Axes, result: Result, name: str, low: int, high: int) -> None:
    """P(at least k) as steps; each dot belongs to its k."""
    tails = at_least(result.pmf(name))
    values = [v for v in tails if low <= v <= high]
    heights = [100 * tails[v] for v in values]
    axes.plot(values, heights, "o-", color=BLUE, ms=4)
    for value, height in zip(values, heights, strict=True):
        if len(values) <= 25:
            axes.annotate(
                f"{height:.0f}", (value, height), (0, 5), textcoords="offset points", ha="center", fontsize=7
            )
    axes.set(
        title=f"At least k {name}", xlabel=f"k ({_unit(result, name)})", ylabel="chance (%)", ylim=(0, 112)
    )
    _finish(axes, legend=False)


def _events(axes: Axes, result: Result) -> None:
    """One bar an event, with its number; the simulated interval as a whisker."""
    names = [
        e.name for e in result.question.mode.events if not (e.quiet and result.probability(e.name) > 1 - 1e-9)
    ]
    chances = [100 * result.probability(name) for name in names]
    bars = axes.barh(names, chances, color=BLUE, height=0.55)
    if result.simulated:
        for i, name in enumerate(names):
            low, high = result.interval(name)
            axes.plot([100 * low, 100 * high], [i, i], color=BLACK, lw=3, solid_capstyle="butt")
    axes.bar_label(bars, labels=[f"{chance:.1f}%" for chance in chances], padding=4)
    axes.set(
        title="Events" + ("; black: 95% interval" if result.simulated else ""),
        xlabel="chance (%)",
        xlim=(0, 118),
    )
    axes.set_xticks(range(0, 101, 20))
    axes.invert_yaxis()
    _finish(axes, legend=False)


def _finish(axes: Axes, legend: bool = True) -> None:
    from matplotlib.ticker import MaxNLocator

    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.title.set_fontsize(10)
    axes.title.set_horizontalalignment("center")
    if legend:
        axes.legend(frameon=False, fontsize=8)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
