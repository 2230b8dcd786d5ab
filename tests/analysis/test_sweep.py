"""Sweeps: rows are single answers, failures are told by name, workers change nothing, memory is bounded."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import mathhammer
from mathhammer.analysis import execute as execute_module
from mathhammer.analysis import pool as pool_module
from mathhammer.analysis.execute import Interrupted, execute
from mathhammer.analysis.files import kept
from mathhammer.analysis.over import make_grid
from mathhammer.analysis.pool import Batches, NoWorkerError, Pool
from mathhammer.analysis.sweep import Row, Sweep, Table
from mathhammer.analysis.wanted import Wanted, chances, everything, main_event
from mathhammer.core.errors import InputError
from tests.analysis import broken
from tests.analysis.sweeps import DAMAGE, KOW, ROUT, UNITS, sweep

HIT = Wanted("event", "hit")


def trouble(size: int, **situation: Any) -> Sweep:
    grid = make_grid(broken.load(), "trouble", {}, situation, {"n": range(size)})
    return Sweep(grid, (HIT,))


def values(table: Table) -> list[float | None]:
    return [table.value(i) for i in range(len(table))]


# -- rows ------------------------------------------------------------------------------------------
def test_a_row_is_the_single_answer_to_the_last_bit() -> None:
    asked = (ROUT, Wanted("at_least", "damage", 6), DAMAGE)
    table = execute(sweep({"at": "17..19", "facing": "flank"}, wanted=asked))
    for index in range(3):
        alone = mathhammer.exact(
            "kow", "melee", f"ogre-warriors,at={17 + index}", "foot-guard", facing="flank"
        )
        row = table.rows[index]
        assert row
        assert row.values == (alone.probability("rout"), alone.at_least("damage", 6), alone.mean("damage"))
        assert row.assumed == tuple(sorted(record["key"] for record in alone.assumptions))


def test_a_simulated_row_is_the_single_answer_with_the_same_seed() -> None:
    table = execute(sweep({"at": "17..19"}, engine="simulate", trials=5000, seed=9))
    alone = mathhammer.simulate(
        "kow", "melee", "ogre-warriors,at=18", "foot-guard", trials=5000, seed=9, engine="simulate"
    )
    row = table.rows[1]
    assert row
    assert (row.source, row.values[0]) == ("simulated", alone.probability("rout"))
    assert table.interval(row, 0) == alone.interval("rout")
    assert table.interval(row, 1) is None


def test_past_the_exact_limit_a_row_is_simulated_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mathhammer.core.engine.EXACT_ROWS", 2)
    monkeypatch.setattr("mathhammer.core.ensemble.BLOCK_CELLS", 1)
    asked: dict[str, Any] = {"mode": "fight", "wanted": (Wanted("event", "defender.rout"),), "trials": 1000}
    table = execute(sweep({"turns": "1..2"}, **asked))
    assert [row.source for row in table.done] == ["simulated", "simulated"]
    assert {"defender.rout low", "defender.rout high", "source"} <= set(next(iter(table.records())))
    refused = execute(sweep({"turns": "1..2"}, engine="exact", **asked))
    assert all("--engine simulate" in row.failed for row in refused.failed)


def test_matchups_that_fail_are_told_and_the_rest_goes_on() -> None:
    table = execute(sweep({"waver": "12..15", "rout": "13,14"}))
    assert [table.sweep.grid.name(row.index) for row in table.failed] == [
        "attacker.waver=14, attacker.rout=13",
        "attacker.waver=15, attacker.rout=13",
        "attacker.waver=15, attacker.rout=14",
    ]
    assert len(table.done) == 5
    assert all("waver is at most rout" in row.failed for row in table.failed)
    assert [record["failed"] is None for record in table.records()].count(True) == 5


def test_a_matchup_that_breaks_does_not_break_the_others() -> None:
    table = execute(trouble(5, breaks=3))
    assert values(table) == [0.0, 0.001, 0.002, None, 0.004]
    assert table.failed[0].failed == "ZeroDivisionError: nothing goes into nothing"


def test_what_is_wanted_by_name() -> None:
    melee = KOW.mode("melee")
    assert main_event(melee) == ROUT
    assert main_event(KOW.mode("fight")).of == "defender.rout"
    assert [w.name for w in chances(melee, ["waver"], ["damage=3"])] == ["waver", "damage>=3"]
    situation = make_grid(KOW, "melee", UNITS, {}, {}).question(0).situation
    assert [w.name for w in everything(melee, situation)][:3] == ["rout", "steady", "waver"]
    with pytest.raises(InputError) as caught:
        chances(melee, ["rut"], ["damge=3", "damage", "damage=x"])
    assert len(caught.value.lines) == 4


# -- tables ----------------------------------------------------------------------------------------
def test_a_matrix_can_be_sorted_by_strength() -> None:
    table = mathhammer.sweep("kow", "melee", "orc-ax,knights,ogre-warriors", "foot-guard,ghoul", event="rout")
    plain, ordered = table.matrix(), table.matrix(ordered=True)
    assert list(plain.index) == ["orc-ax", "knights", "ogre-warriors"]
    assert list(ordered.index) == ["ogre-warriors", "knights", "orc-ax"]
    assert list(ordered.columns) == ["ghoul", "foot-guard"]
    cells = [frame["ghoul"].tolist()[1] for frame in (ordered, plain)]
    assert cells == [table.value(3)] * 2
    with pytest.raises(InputError, match="two axes"):
        mathhammer.sweep("kow", "melee", "orc-ax", "ghoul", event="rout").matrix()
    with pytest.raises(InputError, match="waver"):
        table.matrix("waver")


def test_a_frame_has_typed_values() -> None:
    frame = mathhammer.sweep("kow", "melee", "orc-ax", "ghoul", over={"at": "6..8", "hindered": "*"}).frame()
    assert frame["attacker.at"].tolist() == [6, 6, 7, 7, 8, 8]
    assert frame["hindered"].tolist() == [False, True] * 3
    assert frame["rout"].between(0, 1).all()


# -- workers ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("engine", ["exact", "simulate"])
def test_one_two_and_five_workers_give_the_same_bytes(engine: Any, tmp_path: Path) -> None:
    made = sweep({"at": "6..24", "defender.de": "3,4,5", "facing": "front,flank"}, engine=engine, trials=2000)
    files = []
    for workers in (1, 2, 5):
        for kind in ("csv", "jsonl"):
            kept(made, tmp_path / f"{workers}.{kind}", workers=workers)
        files.append([(tmp_path / f"{workers}.{kind}").read_bytes() for kind in ("csv", "jsonl")])
    assert files[0] == files[1] == files[2]
    assert len(files[0][0].splitlines()) == len(made.grid) + 1
    assert not list(tmp_path.glob("*.part"))


def test_a_pool_is_started_only_where_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []

    def watched(sweep: Sweep, todo: list[int], *rest: Any) -> Any:
        started.append(len(todo))
        return ([sweep.answer(index)] for index in todo)

    monkeypatch.setattr(execute_module, "cores", lambda: 2)
    monkeypatch.setattr(execute_module, "pooled", lambda *args: _closing(watched(*args)))
    execute(trouble(40))
    assert started == []
    monkeypatch.setattr(execute_module, "POOL_SECONDS", 0.0)
    monkeypatch.setattr(execute_module, "TRY", 0.02)
    table = execute(trouble(40, seconds=0.01))
    assert 30 <= started[0] < 40
    assert len(table.done) == 40


def _closing(batches: Any) -> Any:
    yield from batches


def test_batches_shrink_to_the_end_and_hold_everything_once() -> None:
    batches = Batches(range(1000), 2, 0.004)
    taken = []
    while batch := batches.take():
        taken.append(batch)
    assert [index for batch in taken for index in batch] == list(range(1000))
    assert len(taken[0]) == 50
    assert len(taken[-1]) == 1


def test_a_worker_killed_from_outside_loses_nothing() -> None:
    """One of two is killed while it works; its batch is done again by another one."""
    made = trouble(60, seconds=0.02)
    pool = Pool(made, range(60), 2, 0.02)
    rows: list[Row] = []
    for batch in pool.rows():
        if not rows:
            os.kill(next(iter(pool._running.values())).process.pid, signal.SIGKILL)
        rows += batch
    assert sorted(row.index for row in rows) == list(range(60))
    assert not [row for row in rows if row.failed]


def test_a_matchup_that_kills_its_worker_once_is_done_again(tmp_path: Path) -> None:
    table = execute(trouble(12, dies=5, once=str(tmp_path / "died")), workers=2)
    assert (tmp_path / "died").exists()
    assert values(table) == values(execute(trouble(12), workers=1))


def test_a_matchup_that_always_kills_its_worker_fails_alone() -> None:
    table = execute(trouble(12, dies=5), workers=2)
    (row,) = table.failed
    assert (row.index, "twice killed by signal 9" in row.failed) == (5, True)
    assert len(table.done) == 11


def test_where_no_process_can_be_started_the_rest_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise NoWorkerError("no")

    monkeypatch.setattr(pool_module.Pool, "_start", refuse)
    assert len(execute(trouble(9), workers=3).done) == 9


def test_ctrl_c_leaves_what_is_finished_and_no_process() -> None:
    made = trouble(400, seconds=0.01)
    before = set(threading.enumerate())
    old = signal.signal(signal.SIGINT, signal.default_int_handler)

    def stop(done: int, of: int, left: float) -> None:
        if done >= 20:
            signal.raise_signal(signal.SIGINT)

    try:
        with pytest.raises(Interrupted) as caught:
            execute(made, workers=2, progress=stop)
    finally:
        signal.signal(signal.SIGINT, old)
    table = caught.value.table
    assert 20 <= len(table.done) < 400
    assert table.missing == 400 - len(table.done)
    assert set(threading.enumerate()) <= before


def test_progress_tells_how_many_are_done_of_how_many() -> None:
    calls: list[tuple[int, int, float]] = []
    execute(trouble(20), progress=lambda done, of, left: calls.append((done, of, left)))
    assert [done for done, _, _ in calls] == list(range(1, 21))
    assert all(of == 20 and left >= 0 for _, of, left in calls)
    assert calls[-1][2] == 0


@pytest.mark.parametrize("workers", [0, -1, 257, "two", 1.5])
def test_workers_out_of_range_are_told(workers: Any) -> None:
    with pytest.raises(InputError, match="workers is a whole number from 1 to 256"):
        execute(trouble(2), workers=workers)


MEASURED = """
import resource
from mathhammer.analysis.execute import execute
from tests.analysis.test_sweep import trouble
execute(trouble(1000), workers=1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert len(execute(trouble(10_000), workers=1).done) == 10_000
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told in other units")
def test_memory_is_bounded_over_ten_thousand_matchups() -> None:
    """Beside the 64 MB that laws may take, ten thousand matchups take what their rows do: below 16 MB."""
    done = subprocess.run([sys.executable, "-c", MEASURED], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < (64 + 16) * 1024


# -- fingerprints ----------------------------------------------------------------------------------
def test_a_fingerprint_is_of_all_that_decides_the_rows() -> None:
    base = sweep({"at": "6..9"})
    assert base.fingerprint() == sweep({"at": "6..9"}).fingerprint()
    others = [
        sweep({"at": "6..10"}),
        sweep({"at": "6..9"}, {**UNITS, "defender": "ghoul"}),
        sweep({"at": "6..9"}, situation={"facing": "flank"}),
        sweep({"at": "6..9"}, wanted=(ROUT,)),
        sweep({"at": "6..9"}, trials=10),
        sweep({"at": "6..9"}, seed=1),
        sweep({"at": "6..9"}, engine="exact"),
    ]
    assert len({base.fingerprint(), *(other.fingerprint() for other in others)}) == 8


def test_records_are_json() -> None:
    table = execute(sweep({"at": "6..7"}, engine="simulate", trials=10))
    assert len([json.loads(json.dumps(record, allow_nan=False)) for record in table.records()]) == 2
