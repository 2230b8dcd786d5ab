"""Matchups on all cores: processes that are given batches, and whose death loses nothing.

Each worker is a process of its own program, so nothing of the caller is needed in it (no `__main__` guard, no
fork beside threads). Which worker answers what never changes a row.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import suppress

from mathhammer.analysis.sweep import Row, Sweep

BATCH_SECONDS = 0.2
MOST_BATCH = 64
START = "import sys; sys.path[:] = {path!r}; from mathhammer.analysis.worker import main; main()"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class NoWorkerError(RuntimeError):
    """No process could be started."""


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Batches:
    """The matchups to be done, handed out in batches of about BATCH_SECONDS, smaller towards the end."""

    def __init__(self, todo: Sequence[int], workers: int, seconds: float | None) -> None:
        self._todo = list(reversed(todo))
        self._workers = workers
        self._seconds = seconds
        self._again: list[int] = []
        self._lock = threading.Lock()

    def take(self) -> list[int]:
        """The next batch; empty when none is left."""
        with self._lock:
            if self._again:
                return [self._again.pop()]
            size = 1 if self._seconds is None else int(BATCH_SECONDS / max(self._seconds, 1e-6))
            fair = -(-len(self._todo) // (2 * self._workers))
            size = max(1, min(size, fair, MOST_BATCH))
            batch = self._todo[-size:]
            del self._todo[-size:]
            return batch[::-1]

    def give_back(self, batch: list[int]) -> None:
        """What a dead worker had in hand, to be done one by one."""
        with self._lock:
            self._again += batch

    def measured(self, seconds: float, matchups: int) -> None:
        """How long a batch took."""
        with self._lock:
            each = seconds / matchups
            self._seconds = each if self._seconds is None else 0.7 * self._seconds + 0.3 * each


class Worker:
    """One process."""

    def __init__(self, sweep: bytes) -> None:
        code = START.format(path=[entry or os.getcwd() for entry in sys.path])
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **ONE_THREAD},
            start_new_session=True,  # Ctrl-C is the caller's to answer
        )
        assert self.process.stdin
        assert self.process.stdout
        self._in, self._out = self.process.stdin, self.process.stdout
        self._in.write(sweep)
        self._in.flush()

    def ready(self) -> bool:
        """Wait until it has read the sweep; False where it could not."""
        try:
            return bool(pickle.load(self._out) == "ready")
        except (EOFError, OSError, pickle.UnpicklingError):
            return False

    def answer(self, batch: list[int]) -> list[Row] | None:
        """The rows of a batch; None when the process has died."""
        try:
            pickle.dump(batch, self._in)
            self._in.flush()
            rows: list[Row] = pickle.load(self._out)
        except (EOFError, OSError, pickle.UnpicklingError):
            return None
        return rows

    def stop(self) -> None:
        """End it now."""
        self.process.kill()
        for stream in (self._in, self._out):
            with suppress(OSError):  # it died with something unread
                stream.close()
        self.process.wait()


class Pool:
    """Workers, a thread each that feeds them, and the rows that come back."""

    def __init__(self, sweep: Sweep, todo: Sequence[int], workers: int, seconds: float | None = None) -> None:
        """seconds: what a matchup takes, if that is known."""
        self._sweep = pickle.dumps(sweep)
        self._count = max(1, min(workers, len(todo)))
        self._left = len(todo)
        self._batches = Batches(todo, self._count, seconds)
        self._rows: queue.SimpleQueue[list[Row] | Exception] = queue.SimpleQueue()
        self._deaths: dict[int, int] = {}
        self._running: dict[int, Worker] = {}
        self._stopped = False
        self._lock = threading.Lock()

    def rows(self) -> Generator[list[Row], None, None]:
        """Finished batches as they come. Raises `NoWorkerError`; ends the processes however it is left."""
        threads = [threading.Thread(target=self._feed, args=(n,), daemon=True) for n in range(self._count)]
        try:
            for thread in threads:
                thread.start()
            while self._left:
                batch = self._rows.get()
                if isinstance(batch, Exception):
                    raise batch
                self._left -= len(batch)
                yield batch
        finally:
            self._stop()
            for thread in threads:
                thread.join()

    def _feed(self, number: int) -> None:
        """One worker's life: batches until there are none; a new process when it dies."""
        try:
            while not self._stopped and self._left and self._serve(number):
                pass
        except Exception as error:  # told where the rows are awaited
            self._rows.put(error)

    def _serve(self, number: int) -> bool:
        """Feed one process; whether another one is needed in its place."""
        worker = self._start(number)
        try:
            while not self._stopped:
                batch = self._batches.take()
                if not batch:
                    if self._idle():
                        return False
                    continue
                began = time.perf_counter()
                rows = worker.answer(batch)
                if rows is None:
                    self._died(batch, worker)
                    return True
                self._batches.measured(time.perf_counter() - began, len(batch))
                self._rows.put(rows)
            return False
        finally:
            worker.stop()

    def _idle(self) -> bool:
        """Nothing is left to take: whether all is done (another worker's batch may still come back)."""
        time.sleep(0.01)
        return not self._left

    def _start(self, number: int) -> Worker:
        try:
            worker = Worker(self._sweep)
        except OSError as error:
            raise NoWorkerError(str(error)) from None
        with self._lock:
            self._running[number] = worker
            if self._stopped:
                worker.process.kill()
        if not worker.ready() and not self._stopped:
            worker.stop()
            raise NoWorkerError("a worker process ended before it began")
        return worker

    def _died(self, batch: list[int], worker: Worker) -> None:
        """Its batch is done again, one by one; what kills a worker twice has failed."""
        if self._stopped:
            return
        if len(batch) == 1:
            self._deaths[batch[0]] = self._deaths.get(batch[0], 0) + 1
            if self._deaths[batch[0]] > 1:
                code = worker.process.wait()
                why = f"killed by signal {-code}" if code < 0 else f"ended with code {code}"
                self._rows.put([Row(batch[0], failed=f"the process that answered it was twice {why}")])
                return
        self._batches.give_back(batch)

    def _stop(self) -> None:
        with self._lock:
            self._stopped = True
            for worker in self._running.values():
                worker.process.kill()


def pooled(
    sweep: Sweep, todo: Sequence[int], workers: int, seconds: float | None = None
) -> Generator[list[Row], None, None]:
    """Rows of these matchups by so many processes, in batches, in no order."""
    return Pool(sweep, todo, workers, seconds).rows()
