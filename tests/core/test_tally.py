"""`Tally`: parts add up to the whole, also where the joint distribution is dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from operator import iadd

import numpy as np
import pytest

from mathhammer.core import tally as module
from mathhammer.core.engine import Engine
from mathhammer.core.steps import Play
from mathhammer.core.tally import Marginals, Tally
from tests.core.plays import (
    REGIMES,
    brawl,
    disagreements,
    distributions,
    exact,
    impose,
    joint,
    scatter,
    simulated,
)

CHUNKS = [(1, 20_000), (2, 30_000), (3, 10_000)]
plays = pytest.mark.parametrize("play", [brawl(3), brawl(6), scatter(sides=6)], ids=["3", "6", "scatter"])


def chunks(play: Play) -> list[Tally]:
    """Three tallies of one play, from different streams, with stages."""
    return [Engine(play, explain=True).simulate(trials, [seed]) for seed, trials in CHUNKS]


def added(tallies: Sequence[Tally]) -> Tally:
    """The sum of tallies."""
    return reduce(iadd, tallies[1:], tallies[0])


@plays
def test_tallies_of_chunks_add_in_everything(play: Play) -> None:
    """Joint, marginals at the end and by round, and stages are the sums over the chunks."""
    parts = chunks(play)
    whole = added(chunks(play))
    assert joint(whole) == sum((Counter(joint(part)) for part in parts), Counter())
    for i, (name, seen) in enumerate(distributions(play, whole)):
        each = [list(distributions(play, part))[i][1] for part in parts]
        assert seen == sum(map(Counter, each), Counter()), name
    for at, stage in whole.stages.items():
        together: Counter[int] = sum((Counter(part.stages[at]) for part in parts), Counter())
        assert stage == pytest.approx(together)


@plays
def test_a_sum_of_chunks_is_like_one_run(play: Play) -> None:
    """The same total, the same places, and as near to exact as one run of all trials."""
    whole, one = added(chunks(play)), Engine(play, explain=True).simulate(60_000, [4])
    assert sum(joint(whole).values()) == sum(joint(one).values()) == 60_000
    assert whole.stages.keys() == one.stages.keys()
    assert [name for name, _ in distributions(play, whole)] == [name for name, _ in distributions(play, one)]
    assert disagreements(play, whole, exact(play)) == []
    assert whole.cuts == one.cuts


def test_a_sum_of_chunks_is_told_apart_from_an_altered_play() -> None:
    other = brawl(3, easier=1)
    assert "joint" in disagreements(other, added(chunks(brawl(3))), exact(other))


def test_cuts_of_chunks_are_the_worst_and_losses_add() -> None:
    one, other = Tally(0), Tally(0)
    one.cuts, one.lost = {0: 1e-9, 1: 4e-9}, 1e-12
    other.cuts, other.lost = {1: 2e-9, 2: 8e-9}, 2e-12
    one += other
    assert one.cuts == {0: 1e-9, 1: 4e-9, 2: 8e-9}
    assert one.cut == pytest.approx(13e-9 + 3e-12, rel=1e-12)


# -- without the joint distribution --------------------------------------------------------------
@pytest.mark.parametrize("regime", REGIMES)
def test_marginals_stay_right_where_the_joint_is_dropped(
    regime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = scatter(sides=6)
    impose(monkeypatch, **REGIMES[regime])
    kept = simulated(play, 20_000)
    monkeypatch.setattr(module, "JOINT_STATES", 5)
    monkeypatch.setattr(module, "PENDING", 3)
    dropped = simulated(play, 20_000)
    assert kept.joint is not None
    assert dropped.joint is None
    assert list(distributions(play, dropped)) == list(distributions(play, kept))


@pytest.mark.parametrize("without", [(0,), (1,), (2,), (0, 1), (0, 1, 2)])
def test_sums_with_and_without_a_joint_keep_every_trial(
    without: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chunk by chunk, some have dropped their joint distribution before they are added."""
    play, tallies = brawl(6), []
    for i, (seed, trials) in enumerate(CHUNKS):
        with monkeypatch.context() as patched:
            if i in without:
                patched.setattr(module, "JOINT_STATES", 2)
            tallies.append(simulated(play, trials, seed))
    assert [tally.joint is None for tally in tallies] == [i in without for i in range(3)]
    whole = added([simulated(play, trials, seed) for seed, trials in CHUNKS])
    assert list(distributions(play, added(tallies))) == list(distributions(play, whole))


def test_the_joint_goes_when_a_sum_has_too_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "JOINT_STATES", 150)
    monkeypatch.setattr(module, "PENDING", 20)
    columns = [{"a": np.arange(100 * i, 100 * (i + 1), dtype=np.int32)} for i in range(2)]
    one, other = Tally(0), Tally(0)
    for tally, column in zip((one, other), columns, strict=True):
        tally.finish(column, np.full(100, 3, dtype=np.int64), 0)
    assert one.joint is not None
    one += other
    assert one.joint is None
    assert one.at_end("a") == dict.fromkeys(range(200), 3)


@pytest.mark.parametrize("most", [0, 100], ids=["dropped before", "dropped then"])
def test_a_play_beside_another_leaves_what_each_reads_and_both_cuts(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cuts are of steps at places with gaps between them: not each step cuts a tail."""
    monkeypatch.setattr(module, "JOINT_STATES", most)
    one, other = Tally(0), Tally(0)
    one.finish(column(1, 2), np.array([0.25, 0.75]), 0)
    other.finish({"b": np.array([3, 5], dtype=np.int32)}, np.array([0.5, 0.5]), 0)
    one.cuts, one.lost, other.cuts, other.lost = {0: 1e-9, 3: 2e-9}, 1e-12, {1: 4e-9, 2: 8e-9}, 2e-12
    one.set_beside(other)
    assert one.joint is None
    assert (one.at_end("a"), one.at_end("b")) == ({1: 0.25, 2: 0.75}, {3: 0.5, 5: 0.5})
    assert one.cut == pytest.approx(15e-9 + 3e-12, rel=1e-12)


# -- rounds --------------------------------------------------------------------------------------
def column(*values: int) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.int32]]]:
    """One measure, `a`, with these values."""
    return {"a": np.array(values, dtype=np.int32)}


def test_what_finishes_counts_in_every_later_round() -> None:
    tally = Tally(3)
    tally.moving[0].add(column(1, 2), np.array([5, 5]))
    tally.finish(column(7), np.array([4]), next_mark=1)
    tally.moving[1].add(column(2), np.array([6]))
    tally.finish(column(9), np.array([1]), next_mark=2)
    tally.moving[2].add(column(3), np.array([5]))
    tally.finish(column(3), np.array([5]), next_mark=3)
    assert [tally.at_round(mark, "a") for mark in range(3)] == [
        {1: 5, 2: 5},
        {2: 6, 7: 4},
        {3: 5, 7: 4, 9: 1},
    ]
    assert tally.at_end("a") == {3: 5, 7: 4, 9: 1}


def test_single_trials_count_one_each() -> None:
    tally = Tally(1)
    tally.moving[0].add(column(4, 4, 2), None)
    tally.finish(column(4, 2, 2), None, 1)
    assert tally.at_round(0, "a") == {2: 1, 4: 2}
    assert tally.at_end("a") == {2: 2, 4: 1}


def test_an_empty_tally_has_no_values() -> None:
    tally = Tally(1)
    assert tally.at_end("a") == tally.at_round(0, "a") == {}


def test_many_small_parts_are_merged_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more rows wait than allowed, and none is lost."""
    monkeypatch.setattr(module, "PENDING", 10)
    tally = Tally(0)
    for i in range(100):
        tally.finish(column(i % 4), np.array([i]), 0)
        assert tally.joint is not None
        assert sum(map(len, tally.joint.parts)) <= 10
    assert tally.at_end("a") == {rest: sum(range(rest, 100, 4)) for rest in range(4)}


def test_no_more_rows_of_marginals_wait_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PENDING", 10)
    marginals = Marginals()
    for i in range(100):
        marginals.add(column(i % 4), np.array([i]))
        assert sum(len(weights) for _, weights in marginals._waiting) <= 10
    assert marginals.get("a") == {rest: sum(range(rest, 100, 4)) for rest in range(4)}
