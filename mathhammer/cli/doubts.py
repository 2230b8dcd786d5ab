"""How far other readings of the assumed rules move an answer, as a table on the terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mathhammer.cli.layout import Block, Grid, Line, folded
from mathhammer.cli.progress import sweep_progress
from mathhammer.cli.render import PAGE, percent, word

if TYPE_CHECKING:
    from mathhammer.analysis.readings import Readings
    from mathhammer.analysis.result import Result


def read_otherwise(result: Result) -> Readings:
    """The other readings of a result, with progress on stderr where they take long."""
    from mathhammer.analysis.readings import other_readings

    began = time.monotonic()
    with sweep_progress("readings") as told:
        return other_readings(
            result, lambda done, of: told(done, of, (time.monotonic() - began) * (of / max(1, done) - 1))
        )


def blocks(readings: Readings) -> list[Block]:
    """The readings that move something, each with the numbers then; and what moves nothing."""
    lines: list[Block] = [Line("\nunder other readings of the assumed rules, one at a time", "bold")]
    if readings.moving:
        lines += _grids(readings)
    if readings.idle:
        lines += map(Line, folded(f"no other reading moves it: {', '.join(readings.idle)}", PAGE))
    if readings.untold:
        lines += map(
            Line,
            folded(f"not tried, as any text or table may stand there: {', '.join(readings.untold)}", PAGE),
        )
    lines += [Line(f"{r.key}={word(r.value)} is refused: {r.refused}") for r in readings.others if r.refused]
    if not readings.others and not readings.untold:
        lines = [Line("\nno assumed rule bears on this answer", "bold")]
    return lines


def _grids(readings: Readings) -> list[Block]:
    """The answer as asked and under each reading; columns that the page has no room for stand below."""
    answers = [("as asked", "", readings.result)]
    answers += [(r.key, word(r.value), r.result) for r in readings.moving if r.result]
    numbers = [readings.numbers(result) for _, _, result in answers]
    first = [["rule", *(rule for rule, _, _ in answers)], ["reading", *(value for _, value, _ in answers)]]
    pages: list[list[list[str]]] = []
    for name in readings.names:
        column = _column(name, name in readings.result.events, [told[name] for told in numbers])
        if pages and _made([*first, *pages[-1], column]).width <= PAGE:
            pages[-1].append(column)
        else:
            pages.append([column])
    return [block for page in pages for block in (Line(""), _made([*first, *page]))][1:]


def _column(name: str, is_event: bool, numbers: list[float]) -> list[str]:
    if is_event:
        return [name, *map(percent, numbers)]
    return [f"mean {name}", *(f"{number:.3f}" for number in numbers)]


def _made(columns: list[list[str]]) -> Grid:
    heads, *rows = zip(*columns, strict=True)
    return Grid(heads, rows, left=frozenset({0, 1}))
