"""Dask: the same rows as here, a worker killed in mid-run changes nothing, what cannot be reached is told."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import socket
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mathhammer.analysis.cluster import answer_batch
from mathhammer.analysis.execute import execute
from mathhammer.analysis.files import kept
from mathhammer.core.errors import InputError
from mathhammer.core.version import VERSION
from tests.analysis.sweeps import sweep
from tests.analysis.test_sweep import trouble, values

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # Dask and tornado warn of their own streams and loops


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two worker processes with nannies, as a user has them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
        ) as started:
            yield started


def test_rows_are_those_of_this_process_to_the_byte(cluster: Any, tmp_path: Path) -> None:
    made = sweep({"at": "6..20", "defender.de": "3,4,5", "facing": "front,flank"})
    kept(made, tmp_path / "here.csv", workers=1)
    kept(made, tmp_path / "there.csv", cluster=cluster.scheduler_address)
    assert (tmp_path / "here.csv").read_bytes() == (tmp_path / "there.csv").read_bytes()


def test_a_worker_killed_in_mid_run_changes_nothing(cluster: Any) -> None:
    made = trouble(120, seconds=0.02)
    killed: list[int] = []

    def kill(done: int, of: int, left: float) -> None:
        if not killed and done > 5:
            pid = next(iter(cluster.workers.values())).process.process.pid
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)

    table = execute(made, cluster=cluster.scheduler_address, progress=kill)
    assert killed
    assert values(table) == values(execute(trouble(120), workers=1))


def test_a_matchup_that_kills_every_worker_fails_alone() -> None:
    table = execute(trouble(8, dies=3), cluster="local", workers=2)
    assert [row.index for row in table.failed] == [3]
    assert "gave it up" in table.failed[0].failed
    assert len(table.done) == 7


def test_a_matchup_that_breaks_is_told(cluster: Any) -> None:
    table = execute(trouble(6, breaks=2), cluster=cluster.scheduler_address)
    assert [(row.index, row.failed) for row in table.failed] == [
        (2, "ZeroDivisionError: nothing goes into nothing")
    ]


def test_an_interrupted_run_goes_on_elsewhere(cluster: Any, tmp_path: Path) -> None:
    made = trouble(60, seconds=0.01)

    def stop(done: int, of: int, left: float) -> None:
        if done >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept(made, tmp_path / "rows.csv", cluster=cluster.scheduler_address, progress=stop)
    assert len((tmp_path / "rows.csv.part").read_text().splitlines()) > 10
    kept(made, tmp_path / "rows.csv", workers=1, resume=True)
    kept(made, tmp_path / "again.csv", workers=1)
    assert (tmp_path / "rows.csv").read_bytes() == (tmp_path / "again.csv").read_bytes()


def test_local_starts_one() -> None:
    assert values(execute(trouble(6), cluster="local", workers=1)) == values(execute(trouble(6), workers=1))


@pytest.mark.parametrize("address", ["nonsense", "tcp://nowhere.invalid:1", "", "foo://x:1"])
def test_addresses_that_cannot_be_reached_are_told(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mathhammer.analysis.cluster.REACH_SECONDS", 1)
    with pytest.raises(InputError) as caught:
        execute(trouble(2), cluster=address)
    (line,) = caught.value.lines
    assert line.startswith(f"cluster {address}: cannot be reached")
    assert "tcp://HOST:PORT, or local" in line


def test_a_port_where_no_cluster_is_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mathhammer.analysis.cluster.REACH_SECONDS", 1)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(InputError, match="cannot be reached"):
        execute(trouble(2), cluster=f"tcp://127.0.0.1:{port}")


def test_a_worker_of_another_version_is_refused() -> None:
    assert answer_batch(pickle.dumps(trouble(2)), [1], VERSION)[0] == [trouble(2).answer(1)]
    with pytest.raises(InputError, match=r"mathhammer .* but this is 0\.0"):
        answer_batch(pickle.dumps(trouble(2)), [1], "0.0")
