"""Running a sweep: here, on all cores, or on a cluster; with a journal; rows in order at the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import closing

from mathhammer.analysis.journal import Journal
from mathhammer.analysis.pool import NoWorkerError, cores, pooled
from mathhammer.analysis.sweep import Row, Sweep, Table, ordered
from mathhammer.core.errors import InputError

POOL_SECONDS = 3.0  # below this a pool costs more than it saves
MOST_WORKERS = 256
TRY = 0.25  # seconds of matchups that are run here before it is decided


Told = Callable[[int, int, float], None]  # done, of how many, seconds left by estimate


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in a sweep; `table` has the rows that were finished."""

    def __init__(self, table: Table) -> None:
        super().__init__()
        self.table = table


def execute(
    sweep: Sweep,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    journal: Journal | None = None,
    resume: bool = False,
    progress: Told | None = None,
) -> Table:
    """The table of a sweep; the same to the last byte whatever the workers, their number and their order.

    workers: processes; by default as many as cores, and none where it takes less than a few seconds.
    cluster: the address of a Dask scheduler, or "local". journal: where finished rows are kept meanwhile.
    Raises `InputError`, and `Interrupted` with what is finished.
    """
    check_workers(workers)
    rows = _begun(journal, resume)
    known = {row.index for row in rows}
    todo = [index for index in range(len(sweep.grid)) if index not in known]
    clock = _Clock(len(todo), len(sweep.grid), progress)
    try:
        with closing(_answers(sweep, todo, workers, cluster)) as batches:
            for batch in batches:
                if journal is not None:
                    journal.add(batch)
                rows += batch
                clock.tick(len(batch))
    except KeyboardInterrupt:
        if journal is not None:  # a row may be on disk already and not yet among these
            journal.close()
            rows = journal.resume()
        raise Interrupted(Table(sweep, ordered(rows, len(sweep.grid)))) from None
    finally:
        if journal is not None:
            journal.close()
    return Table(sweep, ordered(rows, len(sweep.grid)))


def _begun(journal: Journal | None, resume: bool) -> list[Row]:
    """The rows that are there already. Raises `InputError`."""
    if journal is None:
        return []
    if resume:
        return journal.resume()
    journal.begin()
    return []


def check_workers(workers: object) -> None:
    """A number of processes. Raises `InputError`."""
    if workers is not None and (not isinstance(workers, int) or not 1 <= workers <= MOST_WORKERS):
        raise InputError(f"--workers is a whole number from 1 to {MOST_WORKERS}, not {workers!r}")


class _Clock:
    """How long the rest takes, by the pace since the first batch (what starts it up is left out)."""

    def __init__(self, todo: int, of: int, progress: Told | None) -> None:
        self._todo, self._of, self._progress = todo, of, progress
        self._done = 0
        self._first = (time.monotonic(), 0)

    def tick(self, done: int) -> None:
        """So many more are done."""
        now = time.monotonic()
        began, before = self._first
        if not self._done:
            self._first = (now, done)
        self._done += done
        if self._progress is not None:
            pace = (now - began) / (self._done - before)
            self._progress(self._of - self._todo + self._done, self._of, pace * (self._todo - self._done))


def _answers(
    sweep: Sweep, todo: list[int], workers: int | None, cluster: str | None
) -> Generator[list[Row], None, None]:
    """Batches of rows from wherever they are worked out."""
    if cluster is not None:
        from mathhammer.analysis.cluster import clustered

        yield from clustered(sweep, todo, cluster, workers)
        return
    if workers is None or workers == 1:
        done, seconds = 0, 0.0
        patient = workers == 1 or cores() == 1
        began = time.perf_counter()
        while done < len(todo) and (patient or seconds < TRY or _is_short(seconds, done, len(todo))):
            yield [sweep.answer(todo[done])]
            done += 1
            seconds = time.perf_counter() - began
        todo = todo[done:]
        workers, each = cores(), seconds / done if done else None
    else:
        each = None
    if todo:
        yield from _pooled_or_here(sweep, todo, workers, each)


def _is_short(seconds: float, done: int, of: int) -> bool:
    return seconds / done * (of - done) < POOL_SECONDS


def _pooled_or_here(
    sweep: Sweep, todo: list[int], workers: int, each: float | None
) -> Generator[list[Row], None, None]:
    """By a pool; where no process can be started, the rest here."""
    left = dict.fromkeys(todo)
    try:
        with closing(pooled(sweep, todo, workers, each)) as batches:
            for batch in batches:
                for row in batch:
                    del left[row.index]
                yield batch
    except NoWorkerError:
        for index in list(left):
            yield [sweep.answer(index)]
