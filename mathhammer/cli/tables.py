"""Sweeps on the terminal: rows with bars, matrices, summaries of what is too large, footnotes."""

from __future__ import annotations

from collections.abc import Iterable

from mathhammer.analysis.sweep import Row, Table
from mathhammer.analysis.words import aims
from mathhammer.cli.layout import Block, Grid, Line
from mathhammer.cli.render import ORIGINS, bar, percent
from mathhammer.core.errors import InputError

MOST_ROWS = 60
MOST_COLUMNS = 9
MOST_NOTES = 5
MOST_LOOKED_AT = 2000  # matchups whose notes are gathered


def sweep_blocks(table: Table, *, ordered: bool) -> list[Block]:
    """The whole answer of a sweep."""
    body = _body(table, ordered)
    return [
        Line(table.sweep.grid.heading(), "bold"),
        source_line(table),
        Line(""),
        *body,
        *ends(table),
        *footnotes(table),
    ]


def source_line(table: Table) -> Line:
    """By which rules, and how the numbers were got."""
    rulesets = list(table.sweep.grid.rulesets.values())
    title = rulesets[0].title if len(rulesets) == 1 else f"{len(rulesets)} rulesets"
    if not table.simulated:
        return Line(f"{title}; exact", "dim")
    simulated = sum(row.source == "simulated" for row in table.done)
    which = "" if simulated == len(table.done) else f"{simulated:,} of {len(table.done):,} rows "
    return Line(f"{title}; {which}simulated, {table.sweep.trials:,} trials, seed {table.sweep.seed}", "dim")


def _body(table: Table, ordered: bool) -> list[Block]:
    sizes = [len(axis) for axis in table.sweep.grid.axes]
    one = len(table.sweep.wanted) == 1
    if len(sizes) == 2 and min(sizes) > 1 and one and sizes[1] <= MOST_COLUMNS and sizes[0] <= MOST_ROWS:
        return _matrix(table, ordered)
    if len(sizes) == 2 and min(sizes) > 1 and len(table.rows) > MOST_ROWS:
        return _summary(table, ordered)
    return _list(table, ordered)


def number(table: Table, value: float | None, wanted: int) -> str:
    """A number of a table as it is shown."""
    if value is None:
        return "-"
    return percent(value) if table.sweep.wanted[wanted].is_chance else f"{value:.3f}"


def _list(table: Table, ordered: bool) -> list[Block]:
    """A row for each matchup; intervals where it is simulated; a bar for the first number."""
    rows = table.done
    if ordered:
        rows = sorted(rows, key=lambda row: -row.values[0])
    shown = rows[:MOST_ROWS]
    top = max(row.values[0] for row in rows) or 1.0
    axes = table.sweep.grid.axes
    cells = [
        [*table.sweep.grid.labels(row.index), *_numbers(table, row), bar(row.values[0] / top)]
        for row in shown
    ]
    heads = [*(axis.name for axis in axes), *_heads(table), ""]
    more = (
        [Line(f"... and {len(rows) - len(shown):,} more (--csv, --json and --out have all)")]
        if len(rows) > len(shown)
        else []
    )
    left = frozenset([*(i for i, axis in enumerate(axes) if not axis.numeric), len(heads) - 1])
    return [Grid(heads, cells, left=left, styles={len(heads) - 1: "cyan"}), *more]


def _heads(table: Table) -> list[str]:
    heads: list[str] = []
    for wanted in table.sweep.wanted:
        heads.append(wanted.name)
        if table.simulated:
            heads.append("95% interval" if wanted.is_chance else "std error")
    return heads


def _numbers(table: Table, row: Row) -> list[str]:
    cells: list[str] = []
    for at in range(len(table.sweep.wanted)):
        cells.append(number(table, row.values[at], at))
        if table.simulated:
            cells.append(_error(table, row, at))
    return cells


def _error(table: Table, row: Row, at: int) -> str:
    if row.source == "exact":
        return "exact"
    if interval := table.interval(row, at):
        return f"{percent(interval[0])} to {percent(interval[1])}"
    return f"{row.errors[at]:.1g}"


def _matrix(table: Table, ordered: bool) -> list[Block]:
    rows, columns, cells = table.cells(ordered=ordered)
    first, second = table.sweep.grid.axes
    shown = [[row, *(number(table, cell, 0) for cell in line)] for row, line in zip(rows, cells, strict=True)]
    title = Line(f"{table.sweep.wanted[0].name}: {first.name} down, {second.name} across", "bold")
    return [title, Grid([first.name, *columns], shown, left=frozenset({0}), styles={0: "bold"})]


def _summary(table: Table, ordered: bool) -> list[Block]:
    """A line for each value of the first axis: its mean, best and worst over the second."""
    first, second = table.sweep.grid.axes
    rows = [_summed(table, i) for i in range(len(first))]
    if ordered:
        rows.sort(key=lambda row: -row[0])
    top = max(row[0] for row in rows) or 1.0
    heads = [first.name, f"{table.sweep.wanted[0].name}, mean", "most", "against", "least", "against", ""]
    cells = [[*row[1], bar(max(0.0, row[0]) / top)] for row in rows[:MOST_ROWS]]
    heads[3] = heads[5] = f"at {second.name}"
    whole = Line(
        f"each row: over all {len(second)} of {second.name}; --csv, --json and --out have all {len(table):,}",
        "dim",
    )
    return [Grid(heads, cells, left=frozenset({0, 3, 5, 6}), styles={0: "bold", 6: "cyan"}), whole]


def _summed(table: Table, i: int) -> tuple[float, list[str]]:
    first, second = table.sweep.grid.axes
    values = [(table.value(table.sweep.grid.index((i, j)), 0), j) for j in range(len(second))]
    there = [(value, j) for value, j in values if value is not None]
    if not there:
        return -1.0, [first.labels[i], "-", "-", "-", "-", "-"]
    mean = sum(value for value, _ in there) / len(there)
    (most, best), (least, worst) = max(there, key=lambda pair: pair[0]), min(there, key=lambda pair: pair[0])
    cells = [first.labels[i], number(table, mean, 0)]
    return mean, [
        *cells,
        number(table, most, 0),
        second.labels[best],
        number(table, least, 0),
        second.labels[worst],
    ]


def ends(table: Table) -> list[Block]:
    """In words: where the first number is highest and lowest."""
    rows = table.done
    if len(rows) < 2:
        return []
    high, low = max(rows, key=lambda row: row.values[0]), min(rows, key=lambda row: row.values[0])
    name, grid = table.sweep.wanted[0].name, table.sweep.grid
    if high.values[0] - low.values[0] < 1e-12:
        return [Line(f"\n{name} is the same everywhere: {number(table, high.values[0], 0)}")]
    return [
        Line(f"\nhighest {name}: {number(table, high.values[0], 0)} at {grid.name(high.index)}"),
        Line(f"lowest {name}: {number(table, low.values[0], 0)} at {grid.name(low.index)}"),
    ]


def footnotes(table: Table, *, aimed: bool = True, failures: bool = True) -> list[Block]:
    """The rules without a source that answers leaned on, and the distinct notes of the questions.

    aimed: with what the sides decide for, where it is something else than what was asked. failures: with a
    word on those that are listed on standard error.
    """
    failed = len(table.failed)
    told = f"{failed:,} matchup{'s' if failed > 1 else ''} failed (listed on standard error)"
    lines = [told] if failed and failures else []
    lines += assumed_lines(table)
    lines += [f"note: {aim}" for aim in aims(table)] if aimed else []
    notes = list(dict.fromkeys(notes_of(table, table.done[:MOST_LOOKED_AT])))
    lines += [f"note: {note}" for note in notes[:MOST_NOTES]]
    if more := len(notes) - MOST_NOTES if len(notes) > MOST_NOTES else 0:
        lines.append(f"and {more} more such note{'s' * (more > 1)}: a single matchup tells its own")
    return [Line(""), *map(Line, lines)] if lines else []


def assumed_lines(table: Table) -> list[str]:
    """Assumed and own rules, with their values."""
    rules = list(table.sweep.grid.rulesets.values())
    varied = {axis.target.path[0] for axis in table.sweep.grid.axes if axis.target.kind == "rule"}
    lines = []
    for origin, words in ORIGINS.items():
        told = []
        for key in table.assumed:
            if key in varied:
                continue
            values = {
                str(getattr(each.values, key)).lower()
                for each in rules
                if each.provenance[key].origin == origin
            }
            told += [f"{key}={'|'.join(sorted(values))}"] if values else []
        if told:
            lines.append(f"{words}: {', '.join(told)}")
    return lines


def notes_of(table: Table, rows: Iterable[Row]) -> Iterable[str]:
    """The footnotes of each matchup's question."""
    grid = table.sweep.grid
    for row in rows:
        try:
            question = grid.question(row.index)
        except InputError:
            continue
        yield from grid.game.notes(question.matchup(question.ruleset.values), question.ruleset_name)
