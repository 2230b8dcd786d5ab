"""`Ensemble`: merging against brute force, dividing, blocks, what may not be lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathhammer.core import ensemble
from mathhammer.core.ensemble import Ensemble, Exact, Simulated, grouped, key_of, merged
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Pmf
from mathhammer.core.steps import Change, Step
from tests.core.plays import impose

ROOM = 10**9  # a limit that no test meets
State = tuple[int, ...]

small, middling, vast = st.integers(-3, 3), st.integers(-(10**4), 10**4), st.integers(-(2**31), 2**31 - 1)


def made_of(rows: Sequence[State], weights: Sequence[int]) -> Ensemble:
    """An ensemble of columns a, b, c with these rows."""
    columns = np.array(rows, dtype=np.int32).T
    return Ensemble(dict(zip("abc", columns, strict=True)), np.array(weights, dtype=np.int64))


def rows_of(held: Ensemble) -> list[tuple[State, float]]:
    """Each row with its weight."""
    rows = zip(*(column.tolist() for column in held.columns.values()), strict=True)
    return list(zip(rows, held.weights.tolist(), strict=True))


def populations(value: st.SearchStrategy[int]) -> st.SearchStrategy[list[tuple[State, int]]]:
    """Rows that often come twice, with weights from 1 to 10^12."""
    state: st.SearchStrategy[State] = st.tuples(value, value, value)
    few = st.lists(state, min_size=1, max_size=5)
    return few.flatmap(
        lambda rows: st.lists(st.tuples(st.sampled_from(rows), st.integers(1, 10**12)), min_size=1)
    )


@pytest.mark.parametrize("dense", [0, 2**12], ids=["sorting", "counting"])
@given(st.one_of(populations(small), populations(middling), populations(vast)))
def test_merging_gathers_equal_states_and_keeps_every_trial(
    dense: int, population: list[tuple[State, int]]
) -> None:
    """By counting, by sorting, and by whole rows where the key space is beyond 62 bits."""
    expected: Counter[State] = Counter()
    for row, weight in population:
        expected[row] += weight
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ensemble, "DENSE", dense)
        held = merged([made_of([row], [weight]) for row, weight in population])
    assert len(held) == len(expected)
    assert dict(rows_of(held)) == expected
    assert held.weights.dtype == np.int64


@given(st.one_of(populations(small), populations(vast)))
def test_rows_without_weights_are_one_trial_each(population: list[tuple[State, int]]) -> None:
    rows = [row for row, _ in population]
    assert dict(rows_of(grouped(made_of(rows, [1] * len(rows)).columns, None))) == Counter(rows)


def test_merging_keeps_large_counts_exactly() -> None:
    """Two odd counts near 10^12 whose sum single precision would round."""
    held = merged([made_of([(0, 0, 0)], [10**12 - 1]), made_of([(0, 0, 0)], [10**12 - 2])])
    assert rows_of(held) == [((0, 0, 0), 2 * 10**12 - 3)]


# -- starting, changing, taking parts ------------------------------------------------------------
def test_everything_starts_in_one_state() -> None:
    trials = Ensemble.start({"a": 3, "b": -1}, Simulated(10**12, np.random.default_rng(1)))
    chances = Ensemble.start({"a": 3, "b": -1}, Exact())
    assert rows_of(trials) == [((3, -1), 10**12)]
    assert rows_of(chances) == [((3, -1), 1.0)]


def test_a_change_merges_what_it_makes_alike() -> None:
    held = made_of([(0, 1, 0), (1, 1, 0), (2, 2, 0)], [5, 6, 7])
    halved = held.changed(Change("halve", lambda columns: {"a": columns["a"] // 2}))
    assert dict(rows_of(halved)) == {(0, 1, 0): 11, (1, 2, 0): 7}


def test_parts_make_up_the_whole() -> None:
    held = made_of([(i, 0, 0) for i in range(5)], [1, 2, 3, 4, 5])
    odd = held.columns["a"] % 2 == 1
    assert rows_of(held.part(odd)) == [((1, 0, 0), 2), ((3, 0, 0), 4)]
    assert sorted(rows_of(held.part(odd)) + rows_of(held.part(~odd))) == rows_of(held)
    assert rows_of(held.part(slice(1, 3))) == [((1, 0, 0), 2), ((2, 0, 0), 3)]


@pytest.mark.parametrize(
    "key", [2, "b", lambda columns: columns["a"] + 2], ids=["constant", "column", "function"]
)
def test_a_key_is_a_constant_a_column_or_a_function(key: int) -> None:
    held = made_of([(0, 2, 0), (0, 2, 1)], [1, 1])
    assert key_of(Step("s", Law.constant(Pmf.die(6)), key, "c"), held.columns).tolist() == [2, 2]


# -- advancing -----------------------------------------------------------------------------------
SKEWED = Law.of([Pmf.point(0), Pmf(0, [0.25, 0.75]), Pmf(0, [0.5, 0.0, 0.5])])
step = Step("c", SKEWED, "a", "c", lambda columns: columns["b"] > 0, otherwise=7)
HELD = [(0, 1, 0), (1, 1, 0), (2, 1, 0), (2, 0, 0), (1, 0, 0)]
ADVANCED = {(0, 1, 0): 8, (1, 1, 0): 2, (1, 1, 1): 6, (2, 1, 0): 4, (2, 1, 2): 4, (2, 0, 7): 8, (1, 0, 7): 8}


@pytest.mark.parametrize("cells", [1, 4, 2**18])
def test_a_step_divides_each_row_by_its_law_whatever_the_block(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    impose(monkeypatch, BLOCK_CELLS=cells)
    held = Ensemble(made_of(HELD, [1] * 5).columns, np.full(5, 8.0))
    done, rest = held.advance(step, Exact(), ROOM)
    assert rest is None
    assert dict(rows_of(done)) == ADVANCED


@given(st.lists(st.integers(1, 10**12), min_size=5, max_size=5), st.integers(0, 99))
def test_a_step_loses_and_invents_no_trial(weights: list[int], seed: int) -> None:
    """Trials stay with the state they come from, and go where the law allows."""
    done, _ = made_of(HELD, weights).advance(step, Simulated(1, np.random.default_rng(seed)), ROOM)
    after: Counter[tuple[int, int]] = Counter()
    for (a, b, _c), count in rows_of(done):
        after[a, b] += int(count)
    assert after == {(a, b): weight for (a, b, _c), weight in zip(HELD, weights, strict=True)}
    assert {state for state, _ in rows_of(done)} <= set(ADVANCED)


def test_past_the_limit_a_step_gives_back_the_rows_not_done(monkeypatch: pytest.MonkeyPatch) -> None:
    impose(monkeypatch, BLOCK_CELLS=40)
    many = made_of([(i, 1, 0) for i in range(100)], [6] * 100)
    dice = Step("c", Law.constant(Pmf.die(6)), 0, "c")
    done, rest = many.advance(dice, Simulated(1, np.random.default_rng(1)), 50)
    assert rest is not None
    assert 50 < len(done) <= 90
    untouched = {state for state, _ in rows_of(rest)}
    assert untouched == set(list(zip(range(100), [1] * 100, [0] * 100, strict=True))[-len(rest) :])
    assert int(done.weights.sum()) + int(rest.weights.sum()) == 600


def test_an_update_changes_only_the_columns_it_names() -> None:
    held = made_of([(5, 6, 0)], [1])
    done, _ = held.advance(
        Step("s", Law.constant(Pmf.point(3)), 0, lambda columns, outcome: {"b": columns["a"] * outcome}),
        Exact(),
        ROOM,
    )
    assert rows_of(done) == [((5, 15, 0), 1)]


# -- the two populations -------------------------------------------------------------------------
def test_an_exact_population_multiplies() -> None:
    table, rows = SKEWED.choose(np.array([2, 1], dtype=np.int32))
    divided = Exact().split(np.array([0.5, 0.25]), table, rows)
    assert divided.tolist() == [[0.25, 0.0, 0.25], [0.0625, 0.1875, 0.0]]


@pytest.mark.parametrize("rows", [1, 3000])
def test_only_large_exact_divisions_leave_parts_out_and_they_say_so(rows: int) -> None:
    """Parts below 1e-16 of a few states stay; of thousands they go, and their sum is kept in `lost`."""
    population = Exact()
    table, index = Law.constant(Pmf(0, [1 - 1e-14, 1e-14])).choose(np.zeros(rows, dtype=np.int32))
    divided = population.split(np.full(rows, 1e-3), table, index)
    assert divided.sum() + population.lost == pytest.approx(rows * 1e-3, abs=1e-15)
    assert population.lost == pytest.approx(0.0 if rows == 1 else rows * 1e-17)


def test_a_simulated_population_divides_by_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole numbers that sum to what was there, in proportion: each within seven deviations."""
    table, rows = Law.constant(Pmf.die(6)).choose(np.zeros(50, dtype=np.int32))
    counts = Simulated(1, np.random.default_rng(3)).split(np.full(50, 60_000, dtype=np.int64), table, rows)
    assert counts.dtype == np.int64
    assert (counts.sum(axis=1) == 60_000).all()
    assert np.abs(counts - 10_000).max() < 7 * 92
    assert len(np.unique(counts, axis=0)) == 50
