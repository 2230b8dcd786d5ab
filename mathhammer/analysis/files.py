"""Rows of a sweep in files: CSV or JSON lines, whole or not at all, with a journal meanwhile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mathhammer.analysis.execute import Told, execute
from mathhammer.analysis.journal import Journal
from mathhammer.analysis.sweep import Sweep, Table
from mathhammer.core.errors import InputError
from mathhammer.core.files import whole_file

OUT_KINDS = ("csv", "jsonl")


def check_out(path: Path) -> None:
    """A name that says how rows are written. Raises `InputError`."""
    if path.suffix.lstrip(".").lower() not in OUT_KINDS:
        raise InputError(f"--out {path}: the name ends in .csv or .jsonl")


def kept(
    sweep: Sweep,
    out: Path,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    resume: bool = False,
    progress: Told | None = None,
) -> Table:
    """The table of a sweep, its rows in a file. What is finished is safe in `FILE.part` until all is."""
    check_out(out)
    journal = Journal(out, sweep)
    table = execute(
        sweep, workers=workers, cluster=cluster, journal=journal, resume=resume, progress=progress
    )
    write_rows(table, out)
    journal.remove()
    return table


def write_rows(table: Table, path: Path) -> None:
    """All rows in a file, whole or not at all."""
    with whole_file(path) as file:
        if path.suffix.lower() == ".csv":
            write_csv(table.records(), file)
        else:
            write_json(table.records(), file)


def write_csv(records: Any, file: Any) -> None:
    """Rows as CSV with a head."""
    import csv

    writer = None
    for record in records:
        if writer is None:
            writer = csv.DictWriter(file, fieldnames=list(record), lineterminator="\n")
            writer.writeheader()
        writer.writerow(record)


def write_json(records: Any, file: Any) -> None:
    """Rows as JSON, one a line."""
    for record in records:
        file.write(json.dumps(record, allow_nan=False) + "\n")
