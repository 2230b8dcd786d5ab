"""Answers as pandas tables, and as the last line of a notebook cell."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from mathhammer.analysis.statistics import mean, mean_error, wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd

    from mathhammer.analysis.result import Result

_CELL = "text-align:right;padding:2px 12px"


def html(result: Result) -> str:
    """A heading, a table of events and means, exact beside simulated, and the assumptions."""
    question = result.question
    heads = "".join(f'<th style="{_CELL}">{head}</th>' for head in ["", *_columns(result)])
    rows = [_row(name, _event(result, name)) for name in result.events]
    rows += [_row(f"mean {name}", _measure(result, name)) for name in result.measures]
    facts = [question.ruleset.title] + (
        [f"{result.trials:,} trials, seed {result.seed}"] if result.simulated else []
    )
    return (
        f"<div><b>{escape(question.heading())}</b><br><small>{escape('; '.join(facts))}</small>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>{_notes(result)}</div>"
    )


class Framed:
    """An answer that can be told in flat rows of plain data."""

    def records(self) -> Iterable[dict[str, Any]]:
        """The rows, all with the same keys."""
        raise NotImplementedError

    def frame(self) -> pd.DataFrame:
        """The rows as a pandas table."""
        import pandas as pd

        return pd.DataFrame(list(self.records()))


def titled(title: str, frame: pd.DataFrame, lines: Sequence[str]) -> str:
    """A table under a title, with lines beneath; long ones are cut in the middle."""
    below = "".join(f"<small>{escape(line)}</small><br>" for line in lines)
    return f"<div><b>{escape(title)}</b>{frame.to_html(index=False, max_rows=30)}{below}</div>"


def _columns(result: Result) -> list[str]:
    return (["exact"] if result.exact else []) + (["simulated", "95% interval"] if result.simulated else [])


def _row(label: str, cells: list[str]) -> str:
    inner = "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in [label, *cells])
    return f"<tr>{inner}</tr>"


def _event(result: Result, name: str) -> list[str]:
    cells = [f"{result.probability(name, 'exact'):.4%}"] if result.exact else []
    if result.simulated:
        p = result.probability(name, "simulated")
        low, high = wilson(p, result.trials)
        cells += [f"{p:.4%}", f"{low:.4%} to {high:.4%}"]
    return cells


def _measure(result: Result, name: str) -> list[str]:
    cells = [f"{result.mean(name, 'exact'):.4f}"] if result.exact else []
    if result.simulated:
        pmf = result.pmf(name, "simulated")
        cells += [f"{mean(pmf):.4f}", f"standard error {mean_error(pmf, result.trials):.1g}"]
    return cells


def _notes(result: Result) -> str:
    lines = [f"{a['origin']}: {a['key']} = {a['value']}. {a['note']}" for a in result.assumptions]
    return "".join(f"<small>{escape(line)}</small><br>" for line in [*lines, *result.notes])
