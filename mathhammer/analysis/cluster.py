"""The same sweep on Dask distributed: batches, fed as they come back; a dead worker loses nothing."""

from __future__ import annotations

import gc
import logging
import pickle
import queue
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mathhammer.analysis.pool import cores
from mathhammer.analysis.sweep import Row, Sweep
from mathhammer.core.errors import InputError
from mathhammer.core.version import VERSION

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local"
REACH_SECONDS = 10
SETTLE_SECONDS = 1.0  # Dask does not start a worker again that dies while it is being started
LOOK_SECONDS = 2.0  # so long nothing has come back: are there workers?
BATCH_SECONDS = 1.0  # a round trip through the scheduler costs some milliseconds
MOST_BATCH = 500
MOST_TRIES = 3  # of a matchup that is lost again and again
AHEAD = 2  # batches that wait for each worker, so that none is idle

OWN = {  # settings of a cluster that is started here
    "distributed.scheduler.allowed-failures": 0,  # what is lost is tried again by `_Feed`
    "distributed.worker.profile.enabled": False,  # looks at every stack a hundred times a second
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 2**27,  # small tables come and go
}


@lru_cache(maxsize=2)
def _loaded(data: bytes) -> Sweep:
    sweep: Sweep = pickle.loads(data)
    return sweep


def answer_batch(data: bytes, batch: list[int], version: str) -> tuple[list[Row], float]:
    """Rows of a batch of a pickled sweep, and the seconds they took. Runs on a worker.

    The sweep comes with every batch: as data that batches depend on it would draw them to where it lies.
    """
    if version != VERSION:
        raise InputError(f"a worker of the cluster has mathhammer {VERSION}, but this is {version}")
    sweep, began = _loaded(data), time.perf_counter()
    thresholds = gc.get_threshold()
    gc.set_threshold(100_000)  # a matchup makes many objects and no garbage in circles
    try:
        return [sweep.answer(index) for index in batch], time.perf_counter() - began
    finally:
        gc.set_threshold(*thresholds)


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
    with dask.config.set({"distributed.comm.timeouts.connect": f"{REACH_SECONDS}s", **OWN}):
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
    """A few batches ahead for each worker; what comes back makes room for more.

    What is lost with a worker is tried again, each matchup for itself. What is lost a second time waits until
    it is alone on the cluster, as a worker that dies takes its neighbours' work along.
    """

    def __init__(self, client: Client, sweep: Sweep, todo: Sequence[int]) -> None:
        self._client = client
        self._data = pickle.dumps(sweep)
        self._todo = list(reversed(todo))
        self._lost: dict[int, int] = {}
        self._suspects: list[int] = []
        self._each: float | None = None
        self._flying: dict[Any, list[int]] = {}
        self._landed: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def rows(self) -> Generator[list[Row], None, None]:
        """Finished batches as they come. Raises `InputError` where no worker is left."""
        while self._fill():
            future = self._next_landed()
            batch = self._flying.pop(future.key)
            try:
                rows, seconds = future.result()
            except InputError:
                raise
            except Exception as error:  # whatever way the cluster has of losing it
                rows = self._lost_rows(batch, error)
            else:
                each = seconds / len(batch)
                self._each = each if self._each is None else 0.7 * self._each + 0.3 * each
            if rows:
                yield list(rows)

    def _fill(self) -> bool:
        """Send what there is room for; whether anything is on its way."""
        wide = AHEAD * max(1, len(self._client.ncores()))
        while self._todo and len(self._flying) < wide:
            self._send(self._next_batch(wide))
        if self._suspects and not self._flying:
            time.sleep(SETTLE_SECONDS)
            self._send([self._suspects.pop()])
        return bool(self._flying)

    def _next_batch(self, wide: int) -> list[int]:
        size = 1 if self._each is None else int(BATCH_SECONDS / max(self._each, 1e-6))
        size = max(1, min(size, -(-len(self._todo) // wide), MOST_BATCH))
        batch = self._todo[-size:]
        del self._todo[-size:]
        return batch[::-1]

    def _send(self, batch: list[int]) -> None:
        future = self._client.submit(answer_batch, self._data, batch, VERSION, pure=False)
        self._flying[future.key] = batch
        future.add_done_callback(self._landed.put)

    def _next_landed(self) -> Any:
        """The next batch that came back, or was lost."""
        alone = 0
        while True:
            try:
                return self._landed.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                alone = 0 if self._client.scheduler_info()["workers"] else alone + 1
                if alone * LOOK_SECONDS > REACH_SECONDS:
                    raise InputError("--cluster: no worker is left; what is finished is safe") from None

    def _lost_rows(self, batch: list[int], error: Exception) -> list[Row]:
        """Nothing, as it is tried again; or the failure of what was lost though it was alone."""
        failed = []
        for index in batch:
            self._lost[index] = self._lost.get(index, 0) + 1
            if self._lost[index] == 1:
                self._send([index])
            elif self._lost[index] < MOST_TRIES:
                self._suspects.append(index)
            else:
                failed.append(Row(index, failed=f"the cluster gave it up ({type(error).__name__})"))
        return failed
