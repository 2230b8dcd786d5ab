"""A result on the terminal: what was asked, the chances, the distribution with bars, footnotes."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from mathhammer.analysis.result import CERTAIN, Result
from mathhammer.analysis.statistics import at_least, mean, mean_error, percentile, sd, wilson, window
from mathhammer.cli.layout import Block, Grid, Line, folded, write

NARROW = 2e-4  # intervals that are no wider are told with two digits more
RARE = 5e-4  # tails that weigh less are drawn together into one row
BAR = 30
PAGE = 110  # columns that a table or a footnote takes before it is turned or folded
# where the rules come from that no text states, in words
ORIGINS = {"assumed": "assumed, the rule text does not say", "user": "set by you"}
MOST_ROWS, BINS = 60, 40  # longer distributions are drawn in bins


def show(result: Result, more: Sequence[Block] = ()) -> None:
    """Write the whole answer; `more` before the footnotes."""
    write(blocks(result, more))


def blocks(result: Result, more: Sequence[Block] = ()) -> list[Block]:
    """The whole answer: heading, chances, distributions, rounds, stages, what is `more`, footnotes."""
    shown: list[Block] = [
        Line(result.question.heading(), "bold"),
        _source_line(result),
        Line(""),
        _chances(result),
    ]
    for name in result.shown_measures:
        shown += _distribution(result, name)
    if result.rounds:
        shown += _by_round(result)
    heads = result.question.mode.heads
    for name, rows in result.tables.items():
        caption = result.captions.get(name, "")
        title = name.replace("_", " ") + (f": {caption}" if caption else "")
        shown += _table(
            title, [{heads.get(column, column): cell for column, cell in row.items()} for row in rows]
        )
    if stages := result.stages():
        shown += _stages(stages)
    return [*shown, *more, *(Line(line) for line in _footnotes(result))]


def _source_line(result: Result) -> Line:
    line = result.question.ruleset.title
    if result.simulated:
        line += f"; {result.trials:,} trial{'s' if result.trials > 1 else ''}, seed {result.seed}"
    return Line(line, "dim")


def percent(p: float, digits: int = 2) -> str:
    """A probability in percent, with the digits that it needs to be read; never 0% or 100% unless it is."""
    if p <= 0:
        return "0%"
    if p > 1 - CERTAIN:
        return "100%"
    if p < 5e-5:
        return f"{100 * p:.1e}%"
    return ">99.99%" if p >= 1 - 5e-5 else f"{100 * p:.{digits}f}%"


def _chances(result: Result) -> Grid:
    heads = [""] + (["exact"] if result.exact else [])
    if result.simulated:
        heads += ["simulated", "95% interval"]
    rows = [_chance_row(result, name) for name in result.telling_events]
    rows += [_mean_row(result, name) for name in result.told_measures]
    return Grid(heads, rows, left=frozenset({0, 3 if result.exact else 2}), styles={0: "bold"})


def _chance_row(result: Result, name: str) -> list[str]:
    """The chances of an event, with digits enough to tell the ends of the interval apart."""
    chances = [result.probability(name, source) for source in reversed(result.sources)]
    if not result.simulated:
        return [name, *map(percent, chances)]
    low, high = wilson(chances[-1], result.trials)
    digits = 2 if high - low > NARROW else 4
    told = [percent(p, digits) for p in (*chances, low, high)]
    return [name, *told[:-2], f"{told[-2]} to {told[-1]}"]


def _mean_row(result: Result, name: str) -> list[str]:
    row = [f"mean {name}"]
    if result.exact:
        row.append(f"{result.mean(name, 'exact'):.3f}")
    if result.simulated:
        pmf = result.pmf(name, "simulated")
        row += [f"{mean(pmf):.3f}", f"standard error {mean_error(pmf, result.trials):.1g}"]
    return row


def _distribution(result: Result, name: str) -> list[Block]:
    pmf = result.pmf(name)
    rows, tails = _binned(_gathered(pmf)), at_least(pmf)
    top = max(p for _, _, p in rows)
    below = [max(0.0, 1 - tails[value]) for _, value, _ in rows]
    cells = [
        [label, percent(p), percent(tails[value]), percent(min(1.0, less + p)), bar(p / top)]
        for (label, value, p), less in zip(rows, below, strict=True)
    ]
    heading = Line(
        f"\n{name}: mean {mean(pmf):.2f}, standard deviation {sd(pmf):.2f}, {_spread(pmf)}", "bold"
    )
    heads = [name, "chance", "at least", "at most", ""]
    return [heading, Grid(heads, cells, left=frozenset({4}), styles={4: "cyan"})]


def _spread(pmf: Mapping[int, float]) -> str:
    return f"4 times in 5 between {percentile(pmf, 0.1)} and {percentile(pmf, 0.9)}"


def _gathered(pmf: Mapping[int, float]) -> list[tuple[str, int, float]]:
    """Rows (label, value for 'at least', chance), rare tails drawn together."""
    values = sorted(pmf)
    low, high = window(pmf, RARE)
    rows = [(str(v), v, pmf[v]) for v in values[low : high + 1]]
    if low > 1:
        rows.insert(
            0, (f"{values[0]}..{values[low - 1]}", values[0], math.fsum(pmf[v] for v in values[:low]))
        )
    elif low:
        rows.insert(0, (str(values[0]), values[0], pmf[values[0]]))
    rest = values[high + 1 :]
    if rest:
        label = str(rest[0]) if len(rest) == 1 else f"{rest[0]}..{rest[-1]}"
        rows.append((label, rest[0], math.fsum(pmf[v] for v in rest)))
    return rows


def _binned(rows: list[tuple[str, int, float]]) -> list[tuple[str, int, float]]:
    """Long distributions in about BINS rows of equally many values."""
    if len(rows) <= MOST_ROWS:
        return rows
    size = -(-len(rows) // BINS)
    groups = [rows[i : i + size] for i in range(0, len(rows), size)]
    return [(_label(group), group[0][1], math.fsum(p for _, _, p in group)) for group in groups]


def _label(group: list[tuple[str, int, float]]) -> str:
    """From the first value of the first row to the last value of the last one."""
    first, last = group[0][0].split("..")[0], group[-1][0].split("..")[-1]
    return first if first == last else f"{first}..{last}"


def bar(share: float) -> str:
    """A bar of up to BAR cells, in eighths where the terminal can show them."""
    if not _unicode():
        return "#" * round(share * BAR)
    eighths = round(share * BAR * 8)
    return "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]


def _unicode() -> bool:
    return "utf" in (sys.stdout.encoding or "").lower()


def _by_round(result: Result) -> list[Block]:
    """Chances and means at the end of each round, from the exact numbers where there are any.

    A row for each round, or a column for each where that is less wide than the page would need.
    """
    numbers = range(1, result.rounds + 1)
    columns = [["round", *map(str, numbers)]]
    for name in result.telling_events:
        columns.append([name, *(percent(result.probability_by_round(name, round_)) for round_ in numbers)])
    for name in result.shown_measures:
        means = (f"{result.mean_by_round(name, round_):.2f}" for round_ in numbers)
        columns.append([f"mean {name}", *means])
    heads, *rows = zip(*columns, strict=True)
    upright = Grid(heads, rows)
    lying = Grid(columns[0], columns[1:], left=frozenset({0}))
    chosen = upright if upright.width <= PAGE or upright.width <= lying.width else lying
    return [Line("\nby the end of each round", "bold"), chosen]


def _table(title: str, rows: list[dict[str, Any]]) -> list[Block]:
    """A table of the mode; long ones are cut, with a word that JSON has them whole."""
    if not rows:
        return []
    cells = [[_cell(name, value) for name, value in row.items()] for row in rows[:MOST_ROWS]]
    words = frozenset(i for i, value in enumerate(rows[0].values()) if isinstance(value, str))
    more = [Line(f"... and {len(rows) - MOST_ROWS} more (--json has all)")] if len(rows) > MOST_ROWS else []
    return [Line(f"\n{title}", "bold"), Grid(list(rows[0]), cells, left=words), *more]


def _cell(name: str, value: object) -> str:
    if value is None:
        return "never"
    if isinstance(value, float):
        return percent(value) if name.split()[0] in ("chance", "share") else f"{value:.4g}"
    return str(value)


def _stages(stages: list[dict[str, Any]]) -> list[Block]:
    several = len({stage["round"] for stage in stages}) > 1
    rows = [
        [stage["stage"], stage["rule"], percent(stage["share"]), _outcome(stage)]
        + ([f"round {stage['round']}"] if several else [])
        for stage in stages
    ]
    heads = ["stage", "rule", "rolled in", "result"] + (["when"] if several else [])
    return [
        Line("\nstages, as expected before the dice fall", "bold"),
        Grid(heads, rows, left=frozenset({0, 1, 3, 4})),
    ]


def _outcome(stage: Mapping[str, Any]) -> str:
    if "chances" in stage:
        return ", ".join(f"{word} {percent(p)}" for word, p in stage["chances"].items())
    spread = f", standard deviation {stage['sd']:.2f}" if stage["sd"] > 1e-6 else ""
    return f"mean {stage['mean']:.3f}{spread}"


def _footnotes(result: Result) -> list[str]:
    lines: list[str] = []
    for origin, words in ORIGINS.items():
        keys = [f"{a['key']}={word(a['value'])}" for a in result.assumptions if a["origin"] == origin]
        if keys:
            lines.append(f"{words}: {', '.join(keys)}")
    lines += [f"note: {note}" for note in result.notes]
    return ["", *(part for line in lines for part in folded(line, PAGE))] if lines else []


def word(value: object) -> str:
    """A rule's value as it is typed."""
    if value is None:
        return "-"
    return str(value).lower() if isinstance(value, bool) else str(value)
