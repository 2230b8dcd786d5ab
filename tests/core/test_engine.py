"""The engine: exact is the limit of simulated, nothing is lost or invented, limits hold.

Each statistical test is fixed by its seed and has a false-failure rate of 1e-6 a distribution; its twin
shows that the same sample is told apart from a slightly altered play.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from mathhammer.core import engine
from mathhammer.core.engine import Engine
from mathhammer.core.ensemble import Exact, Weights
from mathhammer.core.errors import ExactLimitError
from mathhammer.core.flat import SECONDS_A_DRAW
from mathhammer.core.laws import Law, Table
from mathhammer.core.pmf import Pmf
from mathhammer.core.steps import Action, Change, Columns, Mark, Mask, Play, Step
from mathhammer.core.tally import Tally
from mathhammer.kernels.pools import pool, successes
from tests.core.plays import (
    MOST_DAMAGE,
    REGIMES,
    brawl,
    disagreements,
    distributions,
    exact,
    impose,
    joint,
    rolls,
    scatter,
    simulated,
    spy,
)

TRIALS = 60_000
SEEDS = range(8)
FAIR = Law.constant(Pmf.die(6))
COIN = Law.constant(Pmf(0, [0.5, 0.5]))

regimes = pytest.mark.parametrize("regime", REGIMES)
alterations = pytest.mark.parametrize(
    "altered", [{"more_dice": 1}, {"easier": 1}], ids=["one die more", "one pip easier"]
)


# -- exact = the limit of simulated --------------------------------------------------------------
@regimes
@pytest.mark.parametrize("seed", SEEDS)
def test_simulated_agrees_with_exact(seed: int, regime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Joint, marginals and rounds of random plays, however the population is held."""
    impose(monkeypatch, **REGIMES[regime])
    play = brawl(seed)
    assert disagreements(play, simulated(play, TRIALS, seed), exact(play)) == []


@regimes
@alterations
@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_sample_is_told_apart_from_an_altered_play(
    seed: int, altered: dict[str, int], regime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The power of the test above."""
    impose(monkeypatch, **REGIMES[regime])
    other = brawl(seed, **altered)  # type: ignore[arg-type]
    assert "joint" in disagreements(other, simulated(brawl(seed), TRIALS, seed), exact(other))


def test_the_same_sample_is_told_apart_from_another_outcome_elsewhere() -> None:
    """What a step states where it does not apply is seen too."""
    assert "joint" in disagreements(brawl(1), simulated(brawl(1, shift=1), TRIALS), exact(brawl(1)))


def test_states_that_do_not_merge_go_flat_and_agree_with_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the engine's own limits: masks, changes, marks and finished states, trial by trial."""
    spied = spy(monkeypatch)
    sample = simulated(scatter(), TRIALS)
    assert spied.flat > 0
    assert disagreements(scatter(), sample, exact(scatter())) == []


@alterations
def test_a_flat_sample_is_told_apart_from_an_altered_play(altered: dict[str, int]) -> None:
    other = scatter(**altered)  # type: ignore[arg-type]
    assert "joint" in disagreements(other, simulated(scatter(), TRIALS), exact(other))


def test_states_that_merge_stay_grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    spied = spy(monkeypatch)
    simulated(brawl(0), 10**6)
    assert (spied.flat, spied.splits) == (0, 0)


@regimes
def test_the_regimes_are_what_they_say(regime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts come of splits, flat ones of flat draws, in the plays that the tests around this one run."""
    impose(monkeypatch, **REGIMES[regime])
    spied = spy(monkeypatch)
    for seed in SEEDS:
        simulated(brawl(seed), TRIALS, seed)
    assert (spied.flat > 10, spied.splits > 10) == ("flat" in regime, "parts" in regime)


@regimes
def test_the_plays_that_do_not_merge_agree_in_every_regime(
    regime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = scatter(sides=6)
    impose(monkeypatch, **REGIMES[regime])
    assert disagreements(play, simulated(play, TRIALS, 5), exact(play)) == []


# -- conservation ----------------------------------------------------------------------------------
@pytest.mark.parametrize("trials", [1, 2, 10, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("seed", SEEDS)
def test_counts_sum_to_the_trials_exactly(seed: int, trials: int) -> None:
    assert_conserved(brawl(seed), trials)


@regimes
@pytest.mark.parametrize("trials", [1, 2, 10, 10**5])
@pytest.mark.parametrize("play", [brawl(3), scatter(sides=6)], ids=["brawl", "scatter"])
def test_counts_sum_to_the_trials_in_every_regime(
    play: Play, trials: int, regime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    impose(monkeypatch, **REGIMES[regime])
    assert_conserved(play, trials)


def assert_conserved(play: Play, trials: int) -> None:
    """Every distribution of a simulated tally holds each trial once."""
    tally = simulated(play, trials)
    for name, seen in [*distributions(play, tally), ("joint", joint(tally))]:
        assert sum(seen.values()) == trials, name
        assert all(isinstance(count, int) and count > 0 for count in seen.values()), name


@pytest.mark.parametrize("play", [*map(brawl, SEEDS), scatter()], ids=[*map(str, SEEDS), "scatter"])
def test_exact_probabilities_sum_to_one(play: Play) -> None:
    tally = exact(play)
    for name, known in [*distributions(play, tally), ("joint", joint(tally))]:
        assert sum(known.values()) == pytest.approx(1.0, abs=1e-9), name
        assert min(known.values()) > 0, name


def test_exact_is_the_law_itself() -> None:
    """One step of a law gives its row, to the bit; two kept steps give the products."""
    assert exact(rolls(pool(successes(3)).shifted(9))).at_end("outcome") == dict(pool(successes(3)).row(9))
    two = exact(rolls(FAIR, times=2, keep=True))
    assert two.at_end("outcome") == pytest.approx(dict(Pmf.die(6)))


def test_what_an_exact_division_leaves_out_is_in_the_cut() -> None:
    """Where many states are divided at once, parts below 1e-16 go, and are counted as cut."""
    rare = Law.constant(Pmf(0, [1 - 1e-15, 1e-15]))
    many = Law.constant(Pmf.die(100))
    tally = exact(Play({"a": 0, "b": 0, "c": 0}, _thrice(many, rare), {"c": "c", "a": "a"}, {}))
    assert sum(tally.at_end("c").values()) + tally.cut == pytest.approx(1.0, abs=1e-12)
    assert tally.lost == pytest.approx(1e-15, rel=1e-6)
    assert set(tally.at_end("c")) == {0}


def _thrice(many: Law, rare: Law) -> list[Step]:
    return [Step("a", many, 0, "a"), Step("b", many, 0, "b"), Step("c", rare, 0, "c")]


# -- nothing impossible ----------------------------------------------------------------------------
TRAPS = {
    "a cell above one": Pmf(0, [0.0, 1.0000000000000002, 0.0, 0.0]),
    "zeros at the end": Pmf(0, [1 / 3, 1 / 3, 1 / 3, 0.0, 0.0]),
    "zeros at both ends": Pmf(0, [0.0, 0.7, 0.2, 0.1, 0.0]),
    "zeros between": Pmf(0, [0.1, 0.0, 0.0, 0.9, 0.0, 0.0]),
    "a sum below one": Pmf(0, [0.1] * 10 + [0.0] * 5),
    "a sum of 49ths": Pmf(0, [1 / 49] * 49 + [0.0]),
    "rare first, then zeros": Pmf(0, [1e-9, 1 - 1e-9, 0.0]),
}
traps = pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS.keys())


@traps
@pytest.mark.parametrize("trials", [10, 10**12])
def test_no_impossible_outcome_of_counts(trap: Pmf, trials: int) -> None:
    """Each trap as it is, and beside a wide row that gives it a table with more empty cells."""
    wide = Law.of([trap, Pmf.die(60)])
    for seed in range(40):
        for law in (Law.constant(trap), wide):
            seen = simulated(rolls(law), trials, seed).at_end("outcome")
            assert set(seen) <= set(dict(trap))
            assert sum(seen.values()) == trials


@traps
def test_no_impossible_outcome_of_single_trials(trap: Pmf, monkeypatch: pytest.MonkeyPatch) -> None:
    impose(monkeypatch, **REGIMES["flat"])
    spied = spy(monkeypatch)
    for law in (Law.constant(trap), Law.of([trap, Pmf.die(60)])):
        assert set(simulated(rolls(law), 300_000).at_end("outcome")) <= set(dict(trap))
    assert spied.flat == 10


@regimes
@pytest.mark.parametrize("seed", SEEDS)
def test_no_impossible_end_of_a_play(seed: int, regime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is counted is possible exactly, and stays within its cap."""
    play = brawl(seed)
    possible = exact(play)
    impose(monkeypatch, **REGIMES[regime])
    seen = simulated(play, 10**4, seed)
    assert set(joint(seen)) <= set(joint(possible))
    assert max(seen.at_end("damage")) <= MOST_DAMAGE


# -- streams -----------------------------------------------------------------------------------------
@regimes
def test_equal_entropy_gives_equal_tallies(regime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    impose(monkeypatch, **REGIMES[regime])
    play = scatter(sides=6)
    first, second = simulated(play, TRIALS, 7), simulated(play, TRIALS, 7)
    assert joint(first) == joint(second)
    assert list(distributions(play, first)) == list(distributions(play, second))


@regimes
def test_different_entropy_gives_different_tallies(regime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    impose(monkeypatch, **REGIMES[regime])
    assert len({tuple(sorted(joint(simulated(brawl(2), TRIALS, seed)).items())) for seed in range(5)}) == 5


@regimes
def test_the_store_of_laws_has_no_part_in_the_answer(regime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cold laws and warm ones, in any order, give the same tally."""
    impose(monkeypatch, **REGIMES[regime])
    warm = joint(simulated(brawl(4), TRIALS))
    simulated(scatter(sides=6), 100)
    monkeypatch.setattr("mathhammer.core.cache.LAWS.limit", 0)
    assert joint(simulated(brawl(4), TRIALS)) == warm


def test_blocks_have_streams_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were two blocks of flat trials drawn from one stream, the halves of a run would be equal."""
    impose(monkeypatch, **REGIMES["flat"])
    monkeypatch.setattr("mathhammer.core.flat.BLOCK", 500)
    for trials in (1000, 2000):
        assert any(count % (trials // 500) for count in joint(simulated(brawl(0), trials)).values())


def test_no_two_parts_or_blocks_share_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each stream of a run is spawned by a path of its own; each part has one, and each flat block."""
    impose(monkeypatch, **REGIMES["parts, then flat"])
    monkeypatch.setattr("mathhammer.core.flat.BLOCK", 500)
    spied = spy(monkeypatch)
    paths: list[tuple[int, ...]] = []
    seeded = np.random.SeedSequence

    def watched(entropy: list[int], spawn_key: tuple[int, ...]) -> np.random.SeedSequence:
        paths.append(spawn_key)
        return seeded(entropy, spawn_key=spawn_key)

    monkeypatch.setattr(np.random, "SeedSequence", watched)
    simulated(scatter(sides=6), TRIALS)
    assert min(spied.splits, spied.flat) > 10
    assert sum(2 not in path for path in paths) == 1 + spied.splits
    assert len(set(paths)) == len(paths)


# -- limits ------------------------------------------------------------------------------------------
def test_past_the_exact_limit_there_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    impose(monkeypatch, EXACT_ROWS=1000, BLOCK_CELLS=500)
    with pytest.raises(ExactLimitError) as caught:
        exact(scatter())
    assert caught.value.lines == (
        "exact: this question passes 1,000 states at once; engine simulate answers it",
    )


def test_a_play_may_have_a_lower_limit_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    impose(monkeypatch, EXACT_ROWS=2000, BLOCK_CELLS=500)
    with pytest.raises(ExactLimitError, match="passes 700 states at once"):
        exact(replace(scatter(), exact_rows=700))
    with pytest.raises(ExactLimitError, match="passes 2,000 states at once"):
        exact(replace(scatter(), exact_rows=3000))


def test_at_the_exact_limit_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of just the most states that there are at once is enough; half of it is not."""
    impose(monkeypatch, BLOCK_CELLS=500)
    spied = spy(monkeypatch)
    exact(scatter())
    impose(monkeypatch, EXACT_ROWS=max(spied.rows))
    assert sum(exact(scatter()).at_end("w").values()) == pytest.approx(1.0)
    impose(monkeypatch, EXACT_ROWS=max(spied.rows) // 2)
    with pytest.raises(ExactLimitError):
        exact(scatter())


@pytest.mark.parametrize(("rows", "cells"), [(60, 40), (500, 256), (2000, 300)])
def test_no_ensemble_of_a_long_run_is_larger_than_the_limit_and_a_block(
    rows: int, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """10^12 trials that spread over 8,000 states are held in parts of the limit, plus the block in hand."""
    impose(monkeypatch, SIMULATED_ROWS=rows, BLOCK_CELLS=cells)
    spied = spy(monkeypatch)
    tally = simulated(scatter(), 10**12)
    assert spied.splits > 0
    assert spied.flat == 0
    assert max(spied.rows) <= rows + cells
    assert sum(joint(tally).values()) == 10**12


def test_no_exact_ensemble_is_larger_than_the_limit_and_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    impose(monkeypatch, EXACT_ROWS=1000, BLOCK_CELLS=500)
    spied = spy(monkeypatch)
    with pytest.raises(ExactLimitError):
        exact(scatter())
    assert max(spied.rows) <= 1500


def test_a_block_expands_to_no_more_cells_than_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the row of the highest key is narrower than others."""
    cells: list[int] = []

    class Watched(Exact):
        def split(self, weights: Weights, table: Table, rows: NDArray[np.integer]) -> Weights:
            cells.append(len(rows) * table.width)
            return super().split(weights, table, rows)

    impose(monkeypatch, BLOCK_CELLS=200)
    monkeypatch.setattr(engine, "Exact", Watched)
    narrowing = Law.of([Pmf.die(50)] * 100 + [Pmf.point(1)])
    exact(
        Play(
            start={"key": 0, "outcome": 0},
            actions=[
                Step("key", Law.constant(Pmf.die(100)), 0, "key"),
                Step("o", narrowing, "key", "outcome"),
            ],
            measures={"outcome": "outcome"},
            events={},
        )
    )
    assert max(cells) <= 200


# -- masks, finished, changes ----------------------------------------------------------------------
def _heads(columns: Columns) -> Mask:
    heads: Mask = columns["coin"] == 1
    return heads


def _coin_then(*actions: Action, finished: bool = False) -> Play:
    """A coin in column `coin`, then the actions; heads, which is 1, may be finished."""
    return Play(
        start={"coin": 0, "die": 0},
        actions=[Step("coin", COIN, 0, "coin"), *actions],
        measures={"die": "die"},
        events={"coin": "coin"},
        finished=_heads if finished else None,
    )


masked = Step("die", FAIR, 0, "die", _heads, otherwise=9)


def test_a_masked_step_states_its_outcome_elsewhere() -> None:
    known = joint(exact(_coin_then(masked)))
    assert known == pytest.approx({(9, 0): 0.5} | {(face, 1): 1 / 12 for face in range(1, 7)})


@regimes
@pytest.mark.parametrize("where", ["nowhere", "everywhere"])
def test_masks_that_hold_nowhere_or_everywhere(
    where: str, regime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    impose(monkeypatch, **REGIMES[regime])
    step = Step(
        "die", FAIR, 0, "die", lambda columns: columns["coin"] >= 2 * (where == "nowhere"), otherwise=9
    )
    for tally in (exact(_coin_then(step)), simulated(_coin_then(step), 1000)):
        assert set(tally.at_end("die")) == ({9} if where == "nowhere" else set(range(1, 7)))


@regimes
def test_the_key_of_a_row_that_a_step_does_not_apply_to_is_never_looked_up(
    regime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law has a row for tails only; heads, where the step does not apply, would be an error."""
    impose(monkeypatch, **REGIMES[regime])
    law = Law.of([Pmf.die(6)])
    play = _coin_then(Step("die", law, "coin", "die", lambda columns: columns["coin"] == 0))
    assert exact(play).at_end("die") == pytest.approx({0: 0.5} | dict.fromkeys(range(1, 7), 1 / 12))
    assert set(simulated(play, 1000).at_end("die")) == set(range(7))


@regimes
def test_finished_states_meet_no_later_step(regime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    impose(monkeypatch, **REGIMES[regime])
    play = _coin_then(Mark(1), Step("die", FAIR, 0, "die"), Mark(2), finished=True)
    for tally in (exact(play), simulated(play, 1000)):
        assert {die for die, coin in joint(tally) if coin == 1} == {0}
        assert set(tally.at_round(0, "die")) == {0}
        assert set(tally.at_round(1, "die")) == set(range(7))


@pytest.mark.parametrize("regime", ["grouped", "flat"])
def test_states_that_a_change_finishes_meet_no_later_step(
    regime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    impose(monkeypatch, **REGIMES[regime])
    flip = Change("flip", lambda columns: {"coin": 1 - columns["coin"]})
    play = _coin_then(flip, Step("die", FAIR, 0, "die"), finished=True)
    for tally in (exact(play), simulated(play, 1000)):
        assert set(tally.at_end("die")) == {0}


@pytest.mark.parametrize("regime", ["grouped", "flat"])
def test_a_state_that_is_finished_from_the_start_meets_no_step(
    regime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    impose(monkeypatch, **REGIMES[regime])
    play = Play({"die": 0}, [Step("die", FAIR, 0, "die")], {"die": "die"}, {}, lambda c: c["die"] == 0)
    for tally in (exact(play), simulated(play, 1000)):
        assert set(tally.at_end("die")) == {0}


@regimes
def test_a_change_and_a_mark_see_what_came_before_them(regime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    impose(monkeypatch, **REGIMES[regime])
    double = Change("double", lambda columns: {"die": 2 * columns["die"]})
    play = _coin_then(Step("die", FAIR, 0, "die"), Mark(1), double, Mark(2))
    for tally in (exact(play), simulated(play, 1000)):
        assert set(tally.at_round(0, "die")) == {1, 2, 3, 4, 5, 6}
        assert set(tally.at_round(1, "die")) == set(tally.at_end("die")) == {2, 4, 6, 8, 10, 12}


def test_a_change_merges_the_states_that_it_makes_alike() -> None:
    forget = Change("forget", lambda columns: {"coin": np.zeros_like(columns["coin"])})
    assert joint(exact(_coin_then(forget))) == {(0, 0): 1.0}


# -- stages and cuts -------------------------------------------------------------------------------
@pytest.mark.parametrize("play", [brawl, lambda seed, passing: scatter(sides=8, passing=passing)])
def test_fusing_changes_no_answer(play: Callable[..., Play]) -> None:
    fused, apart = play(5, passing=True), play(5, passing=False)
    assert sum(isinstance(action, Step) for action in Engine(fused).actions) < sum(
        isinstance(action, Step) for action in Engine(apart).actions
    )
    for (name, one), (_, other) in zip(
        distributions(fused, exact(fused)), distributions(apart, exact(apart)), strict=True
    ):
        assert one == pytest.approx(other, abs=1e-12), name
    assert joint(exact(fused)) == pytest.approx(joint(exact(apart)), abs=1e-12)


@dataclass(frozen=True)
class Met:
    """A recorded stage: the share of the population that met it, and the mean outcome over everybody."""

    name: str
    round: int
    share: float
    mean: float


def stages(play: Play, trials: int = 0) -> list[Met]:
    """The recorded stages of a run (trials 0: exact)."""
    machine = Engine(play, explain=True)
    if trials:
        machine.simulate(trials, [1])
    else:
        machine.exact()
    per = 1 / trials if trials else 1.0
    return [
        Met(stage.name, stage.round, per * sum(seen.values()), per * sum(x * p for x, p in seen.items()))
        for stage, seen in machine.stages()
    ]


def near(seen: list[Met], known: list[Met], share: float, mean: float) -> bool:
    """Whether two records have the same stages, met by as many, with means alike, within tolerances."""
    return len(seen) == len(known) and all(
        (one.name, one.round) == (other.name, other.round)
        and abs(one.share - other.share) <= share
        and abs(one.mean - other.mean) <= mean
        for one, other in zip(seen, known, strict=True)
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_recorded_stages_are_the_same_fused_or_not(seed: int) -> None:
    assert near(stages(brawl(seed)), stages(brawl(seed, passing=False)), 1e-12, 1e-12)


SAMPLED = 1 / TRIALS**0.5  # times a standard deviation: a standard error
seed_and_regime = pytest.mark.parametrize(
    ("seed", "regime"), [(seed, regime) for seed in (3, 6) for regime in REGIMES]
)


@seed_and_regime
def test_simulated_stages_come_near_the_exact_ones(
    seed: int, regime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within six standard errors (deviations are below 1/2 for shares, 2 for means)."""
    known = stages(brawl(seed))
    impose(monkeypatch, **REGIMES[regime])
    assert near(stages(brawl(seed), TRIALS), known, 6 * 0.5 * SAMPLED, 6 * 2 * SAMPLED)


@alterations
@seed_and_regime
def test_simulated_stages_are_told_apart_from_those_of_an_altered_play(
    altered: dict[str, int], seed: int, regime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = stages(brawl(seed, **altered))  # type: ignore[arg-type]
    impose(monkeypatch, **REGIMES[regime])
    assert not near(stages(brawl(seed), TRIALS), other, 6 * 0.5 * SAMPLED, 6 * 2 * SAMPLED)


def test_nothing_is_recorded_unless_asked() -> None:
    machine = Engine(brawl(0))
    machine.exact()
    assert machine.stages() == []


@pytest.mark.parametrize("run", [exact, lambda play: simulated(play, 1000)], ids=["exact", "simulated"])
@regimes
def test_cuts_of_the_laws_met_add_up(
    run: Callable[[Play], Tally], regime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    impose(monkeypatch, **REGIMES[regime])
    chain = successes(4, bonus="chain")
    assert chain.cut > 0
    assert run(rolls(pool(chain).shifted(3), times=2)).cut == pytest.approx(6 * chain.cut)


def test_the_cut_is_that_of_the_worst_row_met() -> None:
    """Also where the row with the cut is not the row of the highest key."""
    cut = Law.of([Pmf(0, [0.25, 0.75], 1e-6), Pmf(0, [0.75, 0.25])])
    assert exact(_coin_then(Step("die", cut, "coin", "die"))).cut == pytest.approx(1e-6)


# -- telling how long --------------------------------------------------------------------------------
def told(monkeypatch: pytest.MonkeyPatch, slow: float) -> list[tuple[float, float]]:
    """What the progress of a flat run tells, where runs over `slow` seconds are long."""
    impose(monkeypatch, **REGIMES["flat"])
    monkeypatch.setattr(engine, "SLOW_SECONDS", slow)
    heard: list[tuple[float, float]] = []
    Engine(brawl(0), progress=lambda share, left: heard.append((share, left))).simulate(200_000, [1])
    return heard


def test_a_long_run_says_so_before_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = told(monkeypatch, slow=0.0)
    draws = sum(isinstance(action, Step) for action in Engine(brawl(0)).actions)
    assert heard[0] == pytest.approx((0.0, 200_000 * draws * SECONDS_A_DRAW))


def test_a_short_run_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, slow=10.0) == []


def test_the_share_done_grows_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that moves two seconds a look, every block is told."""
    clock = iter(range(0, 10**6, 2))
    monkeypatch.setattr("mathhammer.core.engine.time.monotonic", lambda: float(next(clock)))
    shares = [share for share, _ in told(monkeypatch, slow=1.0)]
    assert len(shares) == -(-200_000 // 2**16)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


@pytest.mark.parametrize("run", ["exact", "simulate"])
def test_a_run_that_stays_whole_tells_the_share_of_its_actions(
    run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With that clock every action is told; the time left is that of the rest at the same pace."""
    clock = iter(range(0, 10**6, 2))
    monkeypatch.setattr("mathhammer.core.engine.time.monotonic", lambda: float(next(clock)))
    heard: list[tuple[float, float]] = []
    machine = Engine(scatter(), progress=lambda share, left: heard.append((share, left)))
    _ = machine.exact() if run == "exact" else machine.simulate(10**12, [1])
    count = len(machine.actions)
    shares = [at / count for at in range(1, count + 1)]
    lefts = [2 * (count - at) for at in range(1, count + 1)]
    assert 2 * count > engine.SLOW_SECONDS
    assert [share for share, _ in heard] == pytest.approx(shares)
    assert [left for _, left in heard] == pytest.approx(lefts)


@pytest.mark.parametrize(
    "play",
    [scatter(sides=6), replace(scatter(sides=6), finished=None)],
    ids=["states leave", "states stay to the end"],
)
def test_the_share_of_a_run_in_parts_is_that_of_its_trials(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first split on (nothing is told while none is done); that of its actions would fall back."""
    clock = iter(range(0, 10**6, 20))
    monkeypatch.setattr("mathhammer.core.engine.time.monotonic", lambda: float(next(clock)))
    impose(monkeypatch, **REGIMES["parts"])
    shares: list[float] = []
    Engine(play, progress=lambda share, left: shares.append(share)).simulate(TRIALS, [1])
    assert len(shares) > 100
    assert shares[1:] == sorted(shares[1:])
    assert 0.9 < shares[-1] <= 1.0
