"""`Sweep`: a grid with the numbers wanted of each matchup, and the `Table` of its rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mathhammer.analysis.grid import Grid
from mathhammer.analysis.notebook import Framed, titled
from mathhammer.analysis.question import SITUATION
from mathhammer.analysis.result import Result, Source
from mathhammer.analysis.run import DEFAULT_SEED, DEFAULT_TRIALS, run
from mathhammer.analysis.statistics import wilson
from mathhammer.analysis.wanted import Wanted
from mathhammer.core.errors import ExactLimitError, InputError
from mathhammer.core.version import VERSION

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

SweepEngine = Literal["auto", "exact", "simulate"]


@dataclass(frozen=True)
class Row:
    """One matchup's numbers, in the order of what was wanted; or why there are none.

    errors: standard errors of simulated means. assumed: rules without a source that the answer leaned on.
    """

    index: int
    source: Source = "exact"
    values: tuple[float, ...] = ()
    errors: tuple[float | None, ...] = ()
    assumed: tuple[str, ...] = ()
    failed: str = ""


@dataclass(frozen=True)
class Sweep:
    """What is asked of every matchup of a grid.

    engine: "auto" is exact, and simulated where the exact answer passes the engine's limit.
    """

    grid: Grid
    wanted: tuple[Wanted, ...]
    engine: SweepEngine = "auto"
    trials: int = DEFAULT_TRIALS
    seed: int = DEFAULT_SEED

    def fingerprint(self) -> str:
        """A hash of all that decides the rows: equal fingerprints are the same sweep by the same version."""
        simulated = [] if self.engine == "exact" else [self.trials, self.seed]
        told = [self.grid.content, [w.name for w in self.wanted], self.engine, simulated, VERSION]
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()

    def answer(self, index: int) -> Row:
        """The row of one matchup, whatever happens in it."""
        try:
            result, source = self.result(index)
            numbers = [wanted.read(result, source) for wanted in self.wanted]
        except InputError as error:
            return Row(index, failed="; ".join(line.removeprefix(f"{SITUATION}: ") for line in error.typed))
        except Exception as error:  # one matchup that breaks is told, and the others go on
            return Row(index, failed=f"{type(error).__name__}: {error}")
        values, errors = zip(*numbers, strict=True) if numbers else ((), ())
        assumed = tuple(sorted(record["key"] for record in result.assumptions))
        return Row(index, source, values, errors if source == "simulated" else (), assumed)

    def result(self, index: int) -> tuple[Result, Source]:
        """The whole answer of one matchup, and which numbers of it count. Raises `InputError`."""
        question = self.grid.question(index)
        if self.engine != "simulate":
            try:
                return run(question, engine="exact"), "exact"
            except ExactLimitError:
                if self.engine == "exact":
                    raise
        return run(question, trials=self.trials, seed=self.seed, engine="simulate"), "simulated"


@dataclass(frozen=True, repr=False)
class Table(Framed):
    """The rows of a sweep, by matchup; None for those that were not run."""

    sweep: Sweep
    rows: list[Row | None] = field(default_factory=list)

    # -- rows ------------------------------------------------------------------------------------
    @property
    def done(self) -> list[Row]:
        """Rows with numbers."""
        return [row for row in self.rows if row is not None and not row.failed]

    @property
    def failed(self) -> list[Row]:
        """Rows that failed."""
        return [row for row in self.rows if row is not None and row.failed]

    @property
    def missing(self) -> int:
        """How many matchups were not run."""
        return sum(row is None for row in self.rows)

    @property
    def simulated(self) -> bool:
        """Whether some numbers are simulated."""
        return any(row.source == "simulated" for row in self.done)

    @property
    def assumed(self) -> list[str]:
        """Rules without a source, or set by the user, that some answer leaned on."""
        return sorted({key for row in self.done for key in row.assumed})

    def value(self, index: int, wanted: int = 0) -> float | None:
        """One number; None where the matchup failed or was not run."""
        row = self.rows[index]
        return None if row is None or row.failed else row.values[wanted]

    def interval(self, row: Row, wanted: int) -> tuple[float, float] | None:
        """The 95% Wilson interval of a simulated chance; None for exact ones and means."""
        if row.source == "exact" or not self.sweep.wanted[wanted].is_chance:
            return None
        return wilson(row.values[wanted], self.sweep.trials)

    # -- whole -----------------------------------------------------------------------------------
    def records(self) -> Iterator[dict[str, Any]]:
        """Each row as flat plain data: the axes, the numbers, and what is simulated with its error."""
        simulated, failed = self.simulated, bool(self.failed)
        for row in self.rows:
            if row is not None:
                yield self._record(row, simulated, failed)

    def _record(self, row: Row, simulated: bool, failed: bool) -> dict[str, Any]:
        grid = self.sweep.grid
        record: dict[str, Any] = {
            axis.name: _plain(axis.values[place], axis.labels[place])
            for axis, place in zip(grid.axes, grid.places(row.index), strict=True)
        }
        for at, wanted in enumerate(self.sweep.wanted):
            record[wanted.name] = row.values[at] if row.values else None
            if simulated and wanted.is_chance:
                interval = self.interval(row, at) if row.values else None
                record[f"{wanted.name} low"], record[f"{wanted.name} high"] = interval or (None, None)
            elif simulated:
                record[f"{wanted.name} error"] = row.errors[at] if row.errors else None
        if simulated:
            record["source"] = row.source if row.values else None
        return record | ({"failed": row.failed or None} if failed else {})

    def matrix(self, wanted: str | None = None, *, ordered: bool = False) -> pd.DataFrame:
        """One number as a table of the first axis by the second (two axes only).

        ordered: rows and columns by their means, the strongest first.
        """
        import pandas as pd

        rows, columns, cells = self.cells(self.number(wanted), ordered=ordered)
        first, second = self.sweep.grid.axes
        table = pd.DataFrame(cells, rows, columns, dtype=float)
        return table.rename_axis(index=first.name, columns=second.name)

    def cells(
        self, wanted: int = 0, *, ordered: bool = False
    ) -> tuple[list[str], list[str], list[list[float | None]]]:
        """The matrix as labels of rows, labels of columns, and rows of numbers."""
        if len(self.sweep.grid.axes) != 2:
            raise InputError(f"a matrix has two axes, not {len(self.sweep.grid.axes)}")
        first, second = self.sweep.grid.axes
        rows, columns = list(range(len(first))), list(range(len(second)))
        cells = [[self.value(self.sweep.grid.index((i, j)), wanted) for j in columns] for i in rows]
        if ordered:
            rows = by_strength(cells)
            columns = by_strength([list(column) for column in zip(*cells, strict=True)])
        chosen = [[cells[i][j] for j in columns] for i in rows]
        return [first.labels[i] for i in rows], [second.labels[j] for j in columns], chosen

    def number(self, name: str | None) -> int:
        """The place of a wanted number by its name; the first by default."""
        names = [wanted.name for wanted in self.sweep.wanted]
        if name is not None and name not in names:
            from mathhammer.core.errors import unknown

            raise unknown("number", name, names)
        return 0 if name is None else names.index(name)

    def plot(self, *wanted: str | None, ordered: bool = False) -> Figure:
        """Curves, bars or a heat map, by what varies, of each number that is named; the first by default."""
        from mathhammer.analysis.maps import figure

        return figure(self, *(self.number(name) for name in wanted or [None]), ordered=ordered)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Table({self.sweep.grid.heading()}: {len(self.done)} of {len(self.rows)} rows)"

    def _repr_html_(self) -> str:
        return titled(self.sweep.grid.heading(), self.frame(), [])


def _plain(value: Any, label: str) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else label


def by_strength(lines: Sequence[Sequence[float | None]]) -> list[int]:
    """Places of lines by the mean of what they hold, the highest first; equal ones in their order."""

    def mean(line: Sequence[float | None]) -> float:
        there = [value for value in line if value is not None]
        return sum(there) / len(there) if there else float("-inf")

    return sorted(range(len(lines)), key=lambda at: -mean(lines[at]))


def reasons(rows: Iterable[Row]) -> list[str]:
    """Why rows failed, each reason once."""
    return list(dict.fromkeys(line for row in rows for line in row.failed.split("; ")))


def pack(row: Row) -> list[Any]:
    """A row as plain data for a journal."""
    return [row.index, row.source, row.values, row.errors, row.assumed, row.failed]


def unpack(data: Sequence[Any]) -> Row:
    """A row from plain data. Raises `ValueError` for what is none."""
    index, source, values, errors, assumed, failed = data
    if not isinstance(index, int) or source not in ("exact", "simulated") or not isinstance(failed, str):
        raise ValueError("no row")
    return Row(index, source, tuple(values), tuple(errors), tuple(assumed), failed)


def ordered(rows: Iterable[Row], size: int) -> list[Row | None]:
    """Rows at their places."""
    placed: list[Row | None] = [None] * size
    for row in rows:
        placed[row.index] = row
    return placed
