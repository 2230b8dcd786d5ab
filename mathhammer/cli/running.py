"""Running a sweep from the command line, and writing what comes of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from mathhammer.analysis.execute import Interrupted, execute
from mathhammer.analysis.files import write_csv, write_json, write_rows
from mathhammer.analysis.journal import Journal
from mathhammer.analysis.sweep import Sweep, Table, reasons
from mathhammer.cli.given import Given
from mathhammer.cli.progress import sweep_progress
from mathhammer.core.errors import InputError
from mathhammer.core.files import shown_path

if TYPE_CHECKING:
    from mathhammer.cli.layout import Block

MOST_TOLD = 5  # matchups that failed, and distinct reasons
FAILED = 1


def run_table(sweep: Sweep, given: Given, workers: int | None, out: Path | None = None) -> Table:
    """The table, finished rows safe meanwhile; what is finished is written also when it is interrupted."""
    journal = None if out is None else Journal(out, sweep)
    cluster, resume = given["cluster"], bool(given.get("resume"))
    with _telling_what_is_kept(journal):
        with sweep_progress() as told:
            table = execute(
                sweep, workers=workers, cluster=cluster, journal=journal, resume=resume, progress=told
            )
        if out is not None and journal is not None:
            if table.done:
                write_rows(table, out)
            journal.remove()
    if not table.done:
        raise failure(table)
    if out is not None:
        print(f"rows: {out}", file=sys.stderr)
    return table


@contextmanager
def _telling_what_is_kept(journal: Journal | None) -> Iterator[None]:
    """Ctrl-C says what is finished, and where it is kept how to go on."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        done = "what is finished is"
        if counted := isinstance(stopped, Interrupted):
            table = stopped.table
            done = f"{len(table) - table.missing:,} of {len(table):,} matchups are"
        if journal is not None and journal.path.exists():
            where = shown_path(journal.path)
            stopped.args = (f"{done} in {where}; the same command with --resume goes on",)
        elif counted:
            stopped.args = (f"{done} done",)
        raise


def failure(table: Table) -> InputError:
    """An error for a table of which nothing is left, with the first reasons."""
    return InputError(*reasons(table.failed)[:MOST_TOLD])


def show(given: Given, records: Callable[[], Any], blocks: Callable[[], Sequence[Block]]) -> None:
    """The answer on standard output, as it was asked for."""
    if given["as_json"]:
        write_json(records(), sys.stdout)
    elif given["as_csv"]:
        write_csv(records(), sys.stdout)
    else:
        from mathhammer.cli.layout import write

        write(blocks())


def tell_failures(table: Table) -> None:
    """Matchups that failed, by name on standard error; the exit code then says so."""
    if not table.failed:
        return
    for row in table.failed[:MOST_TOLD]:
        print(f"mathhammer: {table.sweep.grid.name(row.index)}: {row.failed}", file=sys.stderr)
    more = len(table.failed) - MOST_TOLD
    if more > 0:
        print(f"mathhammer: and {more:,} more failed of {len(table):,} matchups", file=sys.stderr)
    raise typer.Exit(FAILED)
