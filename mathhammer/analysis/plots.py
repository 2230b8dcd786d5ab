"""Pictures of a result: the distribution, 'at least k', and the events, in colours and in black and white."""

from __future__ import annotations

import math
import textwrap
import warnings
from typing import TYPE_CHECKING, Any

from mathhammer.analysis.statistics import at_least, mean, wilson, window

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from mathhammer.analysis.result import Result

# Okabe and Ito's colours, told apart by colour-blind readers; lightness and hatching tell them apart in grey.
LIGHT = "#BFD9EA"
BLUE, ORANGE, VERMILION, BLACK = "#0072B2", "#E69F00", "#D55E00", "#000000"
WIDE_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "WenQuanYi Micro Hei",
    "Microsoft YaHei",
    "SimHei",
    "PingFang SC",
    "Hiragino Sans",
    "Arial Unicode MS",
)
CERTAIN = 1e-9
LETTERS = 12  # of a title to an inch
MOST_LABELS, MOST_BARS, MOST_TICKS = 25, 100, 10
MOST_STEPS = (
    400  # of more values several are drawn together: of steps finer than a dot only peaks would be seen
)
TAIL = 2e-4  # ends of the distribution that weigh less are left out of the picture


def figure(result: Result, measure: str | None = None) -> Figure:
    """A figure with each measure's distribution above its 'at least k', and the chances of the events beside.

    measure: only this one; by default those that vary (at most two). Raises `InputError` for an unknown one.
    """
    names = [measure] if measure else result.shown_measures[:2] or result.measures[:1]
    picture, events = result.question.mode.picture, result.telling_events
    beside = (3 if picture or not names else 2) if picture or events or not names else 0
    drawn = picture_type()(figsize=(2.5 * beside + 5 * len(names), 6.4), layout="constrained")
    widths = [3] * len(names) + [beside] * bool(beside)
    grid = drawn.add_gridspec(2, len(widths), width_ratios=widths)
    for column, name in enumerate(names):
        values = _values(result, name)
        _distribution(drawn.add_subplot(grid[0, column]), result, name, values)
        _tail(drawn.add_subplot(grid[1, column]), result, name, values)
    if picture:
        matchup = result.question.matchup(result.question.ruleset.values)
        picture(matchup, drawn.add_subplot(grid[:, -1]))
    elif beside:
        draw = _events_by_round if result.rounds > 1 else _events
        draw(drawn.add_subplot(grid[:, -1]), result)
    told = _wrapped(_title(result), drawn.get_figwidth())
    title = drawn.suptitle(told, fontsize=11, x=0.01, ha="left", fontfamily=_fonts())
    title.set_parse_math(False)
    return drawn


def _fonts() -> list[str]:
    """matplotlib's own font, then those installed that have Chinese, Japanese and Korean names."""
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return ["DejaVu Sans", *(name for name in WIDE_FONTS if name in installed)]


def picture_type() -> type[Figure]:
    """matplotlib's figure, shown as a picture in a notebook also where pyplot was never imported."""
    from io import BytesIO

    from matplotlib.figure import Figure

    class Picture(Figure):
        def savefig(self, *args: Any, **settings: Any) -> None:
            """As matplotlib's; a character that no font has is drawn as a box, without a word."""
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Glyph")
                super().savefig(*args, **settings)

        def _repr_png_(self) -> bytes:
            data = BytesIO()
            self.savefig(data, format="png", dpi=100)
            return data.getvalue()

    return Picture


def _title(result: Result) -> str:
    facts = [result.question.ruleset.title]
    if result.simulated:
        facts.append(f"{result.trials:,} trials, seed {result.seed}")
    return f"{result.question.heading()}\n{'; '.join(facts)}{_assumed(result)}"


def _wrapped(text: str, inches: float) -> str:
    """The lines of a title, cut at blanks where they are longer than a picture is wide."""
    width = int(LETTERS * inches)
    lines = [textwrap.wrap(line, width, break_long_words=False) or [""] for line in text.splitlines()]
    return "\n".join(part for parts in lines for part in parts)


def _assumed(result: Result) -> str:
    keys = [row["key"] for row in result.assumed]
    return f"\nassumed: {', '.join(keys)}" if keys else ""


def _values(result: Result, name: str) -> range:
    """The values that are drawn: all but ends that weigh next to nothing, in the steps that are possible."""
    pmf = result.pmf(name)
    values = sorted(pmf)
    low, high = window(pmf, TAIL)
    step = math.gcd(*(value - values[low] for value in values[low : high + 1])) or 1
    return range(values[low], values[high] + 1, step)


def _unit(result: Result, name: str) -> str:
    record = next(m for m in result.question.mode.measures if m.name == name)
    return f"{name} ({record.unit})"


def _distribution(axes: Axes, result: Result, name: str, values: range) -> None:
    """Bars: simulated with its interval; dots: exact. Long distributions: steps and a line."""
    if result.simulated:
        _simulated(axes, result, name, values)
    if result.exact:
        pmf = result.pmf(name, "exact")
        if not result.simulated and len(values) <= MOST_BARS:
            axes.bar(values, [100 * pmf.get(v, 0.0) for v in values], width=0.85 * values.step, color=LIGHT)
        style = {"ls": "-"} if len(values) > MOST_BARS else {"ls": "", "marker": "o", "ms": 5, "mec": "white"}
        axes.plot(*_steps(pmf, values), color=BLUE, label="exact", **style)
    centre = mean(result.pmf(name))
    axes.axvline(centre, ymax=0.88, color=BLACK, ls="--", lw=1, label=f"mean {centre:.2f}")
    axes.set(title=f"Distribution of {name}", xlabel=_unit(result, name), ylabel=_chance(values))
    axes.set_ylim(0, 1.2 * axes.get_ylim()[1])  # room for the legend above the bars
    axes.legend(frameon=False, fontsize=7, loc="upper center", ncols=3)
    _finish(axes, values)


def _simulated(axes: Axes, result: Result, name: str, values: range) -> None:
    pmf = result.pmf(name, "simulated")
    places, heights = _steps(pmf, values)
    if len(values) > MOST_BARS:
        axes.fill_between(places, heights, step="mid", color=ORANGE, label="simulated")
        return
    axes.bar(values, heights, width=0.85 * values.step, color=ORANGE, label="simulated, with 95% interval")
    axes.errorbar(values, heights, yerr=_errors(result, pmf, values), fmt="none", ecolor=BLACK, capsize=2)


def _together(values: range) -> int:
    """How many values one step stands for."""
    return -(-len(values) // MOST_STEPS)


def _chance(values: range) -> str:
    together = _together(values)
    return "chance (%)" if together == 1 else f"chance of {together} values together (%)"


def _steps(pmf: dict[int, float], values: range) -> tuple[list[float], list[float]]:
    """The middles of steps, and their chances in percent."""
    parts = [values[i : i + _together(values)] for i in range(0, len(values), _together(values))]
    return [(part[0] + part[-1]) / 2 for part in parts], [
        100 * sum(pmf.get(v, 0.0) for v in part) for part in parts
    ]


def _errors(result: Result, pmf: dict[int, float], values: range) -> list[list[float]]:
    """Distances from each bar to the ends of its Wilson interval, in percent."""
    bounds = [(pmf.get(v, 0.0), *wilson(pmf.get(v, 0.0), result.trials)) for v in values]
    return [
        [100 * max(0.0, p - low) for p, low, _ in bounds],
        [100 * max(0.0, high - p) for p, _, high in bounds],
    ]


def _tail(axes: Axes, result: Result, name: str, values: range) -> None:
    """P(at least k), from the least k that is not certain; each dot belongs to its k."""
    tails = {value: 100 * p for value, p in at_least(result.pmf(name)).items() if value in values}
    shown = {value: p for value, p in tails.items() if p < 100 * (1 - CERTAIN)} or tails
    axes.plot(list(shown), list(shown.values()), "o-" if len(shown) <= MOST_BARS else "-", color=BLUE, ms=4)
    labels = [rounded(height) for height in shown.values()] if len(shown) <= MOST_LABELS else []
    for i, (label, place) in enumerate(zip(labels, shown.items(), strict=False)):
        if i == 0 or label not in (">99", "<1") or label != labels[i - 1]:
            axes.annotate(label, place, (0, 5), textcoords="offset points", ha="center", fontsize=7)
    axes.set(
        title=f"At least k {name}", xlabel=f"k, {_unit(result, name)}", ylabel="chance (%)", ylim=(0, 112)
    )
    _finish(axes, values)


def rounded(percent: float) -> str:
    """Whole percents that never claim 0 or 100 for what is neither."""
    if 0 < percent < 0.5:
        return "<1"
    return ">99" if 99.5 <= percent < 100 else f"{percent:.0f}"


def _percent(percent: float) -> str:
    """With one digit behind the point, never 0 or 100 for what is neither."""
    if 0 < percent < 0.05:
        return "<0.1%"
    return ">99.9%" if 99.95 <= percent < 100 * (1 - CERTAIN) else f"{percent:.1f}%"


def _events(axes: Axes, result: Result) -> None:
    """One bar an event, with its number; the simulated interval as a whisker."""
    names = result.telling_events
    chances = [100 * result.probability(name) for name in names]
    axes.barh(names, chances, color=BLUE, height=0.55)
    for i, (name, chance) in enumerate(zip(names, chances, strict=True)):
        low, high = result.interval(name) if result.simulated else (chance / 100, chance / 100)
        axes.plot([100 * low, 100 * high], [i, i], color=BLACK, lw=3, solid_capstyle="butt")
        axes.annotate(
            _percent(chance), (max(chance, 100 * high), i), (5, 0), textcoords="offset points", va="center"
        )
    title = "Events" + ("; black: 95% interval" if result.simulated else "")
    axes.set(title=title, xlabel="chance (%)", xlim=(0, 118), xticks=range(0, 101, 20))
    axes.invert_yaxis()
    _finish(axes)


def _events_by_round(axes: Axes, result: Result) -> None:
    """The chance that each event has come about by the end of each round, as curves of their own."""
    rounds = list(range(1, result.rounds + 1))
    lines, colours = ("-", "--", ":", "-."), (BLUE, VERMILION, BLACK, ORANGE)
    styles = [(mark + lines[i % 4], colours[i % 4]) for i, mark in enumerate("os^DvPX*")]
    for i, name in enumerate(result.telling_events):
        chances = [100 * result.probability_by_round(name, mark) for mark in rounds]
        style, colour = styles[i % len(styles)]
        axes.plot(rounds, chances, style, color=colour, label=f"{name} ({_percent(chances[-1])} in the end)")
    axes.set(title="Events by the end of each round", xlabel="round", ylabel="chance (%)", ylim=(0, 105))
    axes.legend(frameon=False, fontsize=8, loc="best")
    _finish(axes, range(1, result.rounds + 1))


def _finish(axes: Axes, values: range | None = None) -> None:
    """No frame; where the axis counts, ticks at some of the values."""
    from matplotlib.ticker import MaxNLocator

    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.title.set_fontsize(10)
    axes.title.set_horizontalalignment("center")
    if values and values.step > 1:
        axes.set_xticks(values[:: -(-len(values) // MOST_TICKS)])
    elif values:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
