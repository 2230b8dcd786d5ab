"""The same sweep on Dask distributed: batches, fed as they come back; a dead worker loses nothing."""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mathhammer.analysis.pool import cores
from mathhammer.analysis.sweep import Row, Sweep
from mathhammer.core.errors import InputError
from mathhammer.core.version import VERSION

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local"
REACH_SECONDS = 10
BATCH_SECONDS = 1.0  # a round trip through the scheduler costs some milliseconds
MOST_BATCH = 500
AHEAD = 2  # batches that wait for each worker, so that none is idle


def answer_batch(sweep: Sweep, batch: list[int], version: str) -> tuple[list[Row], float]:
    """Rows of a batch, and the seconds they took. Runs on a worker."""
    if version != VERSION:
        raise InputError(f"a worker of the cluster has mathhammer {VERSION}, but this is {version}")
    began = time.perf_counter()
    return [sweep.answer(index) for index in batch], time.perf_counter() - began


def clustered(
    sweep: Sweep, todo: Sequence[int], address: str, workers: int | None = None
) -> Generator[list[Row], None, None]:
    """Rows of these matchups from a cluster, in batches, in no order.

    address: of a Dask scheduler, such as tcp://10.0.0.1:8786, or "local" for one that is started here (with
    so many workers, else one a core). Raises `InputError` where it cannot be reached.
    """
    with _client(address, workers) as client:
        yield from _Feed(client, sweep, todo).rows()


@contextmanager
def _client(address: str, workers: int | None) -> Iterator[Client]:
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise InputError("--cluster needs Dask: pip install 'mathhammer[cluster]'") from None
    for name in ("distributed", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with dask.config.set({"distributed.comm.timeouts.connect": f"{REACH_SECONDS}s"}):
        if address != LOCAL:
            with _reached(address) as client:
                yield client
            return
        with (
            LocalCluster(
                n_workers=workers or cores(),
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client


@contextmanager
def _reached(address: str) -> Iterator[Client]:
    from distributed import Client

    try:
        client = Client(address, timeout=REACH_SECONDS)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        why = " ".join(str(error).split()).partition(" after ")[0] or type(error).__name__
        raise InputError(
            f"--cluster {address}: cannot be reached ({why}); give tcp://HOST:PORT, or local"
        ) from None
    with client:
        if not client.scheduler_info()["workers"]:
            raise InputError(f"--cluster {address}: has no workers")
        yield client


class _Feed:
    """A few batches ahead for each worker; what comes back makes room for more."""

    def __init__(self, client: Client, sweep: Sweep, todo: Sequence[int]) -> None:
        self._client = client
        self._sweep = client.scatter(sweep, broadcast=True, hash=False)
        self._todo = list(reversed(todo))
        self._each: float | None = None
        self._batches: dict[Any, list[int]] = {}

    def rows(self) -> Generator[list[Row], None, None]:
        """Finished batches as they come."""
        from distributed import as_completed

        coming = as_completed()
        self._fill(coming)
        for future in coming:
            batch = self._batches.pop(future.key)
            yield self._landed(coming, future, batch)
            future.release()
            self._fill(coming)

    def _fill(self, coming: Any) -> None:
        wide = AHEAD * max(1, len(self._client.ncores()))
        while self._todo and len(self._batches) < wide:
            coming.add(self._submit(self._next(wide)))

    def _next(self, wide: int) -> list[int]:
        size = 1 if self._each is None else int(BATCH_SECONDS / max(self._each, 1e-6))
        size = max(1, min(size, -(-len(self._todo) // wide), MOST_BATCH))
        batch = self._todo[-size:]
        del self._todo[-size:]
        return batch[::-1]

    def _submit(self, batch: list[int]) -> Any:
        future = self._client.submit(answer_batch, self._sweep, batch, VERSION, pure=False)
        self._batches[future.key] = batch
        return future

    def _landed(self, coming: Any, future: Any, batch: list[int]) -> list[Row]:
        """The rows of a batch; one that killed its workers is tried again, matchup by matchup."""
        if future.status == "finished":
            rows, seconds = future.result()
            self._each = (
                seconds / len(batch) if self._each is None else 0.7 * self._each + 0.3 * seconds / len(batch)
            )
            return list(rows)
        error = future.exception() if future.status == "error" else None
        if isinstance(error, InputError):
            raise error
        if len(batch) == 1:
            return [Row(batch[0], failed=f"the cluster gave it up ({type(error).__name__})")]
        for index in batch:
            coming.add(self._submit([index]))
        return []
