"""A comparison on the terminal: a line for each candidate, and what the numbers say."""

from __future__ import annotations

from mathhammer.analysis.compare import PER_POINTS, Comparison, Line
from mathhammer.analysis.wanted import Wanted
from mathhammer.analysis.words import comparison_words
from mathhammer.cli.layout import Block, Grid, folded
from mathhammer.cli.layout import Line as Text
from mathhammer.cli.render import percent
from mathhammer.cli.tables import footnotes, source_line

WIDTH = 100
MOST_TARGETS = 9


def comparison_blocks(comparison: Comparison) -> list[Block]:
    """The whole answer of a comparison."""
    blocks: list[Block] = [Text(comparison.grid.heading(), "bold"), source_line(comparison.table), Text("")]
    blocks += [_main(comparison), *_targets(comparison)]
    words = " ".join(comparison_words(comparison))
    blocks += [Text(""), *map(Text, folded(words, WIDTH, indent=""))] if words else []
    return [*blocks, *footnotes(comparison.table, aimed=False)]


def _main(comparison: Comparison) -> Grid:
    """Candidates by number, difference, points and rank; columns that nothing is known for are left out."""
    lines = comparison.lines
    costed = any(line.points is not None for line in lines)
    lossy = [loss.role for loss in comparison.losses if all(loss.role in line.losses for line in lines)]
    heads = [*(["points"] if costed else []), *_heads(comparison), "difference"]
    heads += ["95% interval"] if comparison.table.simulated else []
    heads += [f"per {PER_POINTS} points"] * costed + [f"{role} loses" for role in lossy] + ["rank"]
    rows = [[line.label, *_cells(comparison, line, costed, lossy)] for line in lines]
    return Grid(["", *heads], rows, left=frozenset({0}), styles={0: "bold"})


def _heads(comparison: Comparison) -> list[str]:
    names = [
        [wanted.name, *(["95% interval"] if comparison.table.simulated else [])]
        for wanted in comparison.wanted
    ]
    return [head for pair in names for head in pair]


def _cells(comparison: Comparison, line: Line, costed: bool, lossy: list[str]) -> list[str]:
    cells = [] if not costed else ["-" if line.points is None else f"{line.points:g}"]
    first = comparison.wanted[0]
    for at, wanted in enumerate(comparison.wanted):
        cells.append(_number(wanted, line.values[at]))
        if comparison.table.simulated:
            cells.append(_span(wanted, line.intervals[at]))
    is_first = line is comparison.lines[0]
    cells.append("" if is_first else _signed(first, line.difference))
    if comparison.table.simulated:
        cells.append("" if is_first else _span(first, line.difference_interval, signed=True))
    if costed:
        cells.append("-" if line.per_points is None else _number(first, line.per_points))
    return [*cells, *(f"{line.losses[role]:.1f} points" for role in lossy), str(line.rank)]


def _number(wanted: Wanted, value: float) -> str:
    return percent(value) if wanted.is_chance else f"{value:.3f}"


def _signed(wanted: Wanted, value: float) -> str:
    return f"{100 * value:+.2f}" if wanted.is_chance else f"{value:+.3f}"


def _span(wanted: Wanted, interval: tuple[float, float] | None, *, signed: bool = False) -> str:
    if interval is None:
        return "exact"
    show = _signed if signed else _number
    return f"{show(wanted, interval[0])} to {show(wanted, interval[1])}"


def _targets(comparison: Comparison) -> list[Block]:
    """Each target on its own, with its weight."""
    targets = comparison.targets
    if not 1 < len(targets) <= MOST_TARGETS:
        return []
    names = [comparison.target_label(target) for target in targets]
    wanted = comparison.wanted[0]
    whole = [
        c for c in comparison.candidates if comparison.label(c) in {line.label for line in comparison.lines}
    ]
    rows = [
        [
            comparison.label(c),
            *(_number(wanted, comparison.table.value(comparison.index(c, t)) or 0.0) for t in targets),
        ]
        for c in whole
    ]
    rows.append(["weight", *(f"{weight:.0%}" for weight in comparison.weights)])
    return [
        Text(f"\n{wanted.name} against each target", "bold"),
        Grid(["", *names], rows, left=frozenset({0})),
    ]
