"""Single trials: every trial of an ensemble once, drawn from the law, masked, in little memory."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathhammer.core import flat
from mathhammer.core.ensemble import Ensemble
from mathhammer.core.laws import Law, stacked
from mathhammer.core.pmf import Pmf
from mathhammer.core.steps import Step
from mathhammer.kernels.pools import pool, successes
from tests.oracle import agrees

DRAWS = 60_000

LAWS = {
    "pool": pool(successes(4)),
    "pool of an altered die": pool(successes(4, bonus="chain")),
    "sum of dice": pool(Pmf.die(6)),
    "wide": Law.constant(Pmf.die(300)),
    "with impossible cells": Law.of([Pmf(-2, [0.5, 0.0, 0.0, 0.25, 0.25, 0.0])] * 40),
    "many narrow rows": stacked([pool(successes(need)) for need in range(2, 7)], stride=8),
}
laws = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS.keys())


def keys(rng: np.random.Generator) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """A key for each draw, 0 to 30."""
    return rng.integers(0, 31, DRAWS, dtype=np.int32)


def drawn(law: Law, seed: int) -> Counter[tuple[int, int]]:
    """How often each pair of key and outcome came."""
    rng = np.random.default_rng(seed)
    given_keys = keys(rng)
    return Counter(zip(given_keys.tolist(), flat.draw(law, given_keys, rng).tolist(), strict=True))


def expected(law: Law) -> dict[tuple[int, int], float]:
    """The chance of each pair of key and outcome."""
    return {(key, outcome): chance / 31 for key in range(31) for outcome, chance in law.row(key)}


@laws
def test_draws_come_from_the_row_of_each_key(law: Law) -> None:
    assert agrees(drawn(law, 11), expected(law))


@pytest.mark.parametrize("need", [3, 4, 5])
def test_draws_are_told_apart_from_a_law_of_one_die_more_or_one_pip_easier(need: int) -> None:
    seen = drawn(pool(successes(need)), 11)
    assert not agrees(seen, expected(pool(successes(need - 1))))
    fewer = {(key, outcome): count for (key, outcome), count in seen.items() if key < 30}
    more = {
        (key, hits): p for (key, hits), p in expected(pool(successes(need)).shifted(1)).items() if key < 30
    }
    assert not agrees(fewer, {pair: chance * 31 / 30 for pair, chance in more.items()})


@laws
def test_no_draw_is_impossible(law: Law) -> None:
    for seed in range(5):
        assert set(drawn(law, seed)) <= set(expected(law))


def test_draws_of_few_trials_are_whole_blocks_of_bits_too() -> None:
    """Random words hold four draws: counts that four does not divide."""
    for n in range(1, 10):
        assert (
            len(flat.draw(pool(successes(3)), np.full(n, 5, dtype=np.int32), np.random.default_rng(n))) == n
        )


def test_a_block_of_draws_from_a_wide_law_takes_little_memory() -> None:
    """2^16 draws hold some arrays of 2^16 numbers (here up to 32), not one of so many for each outcome."""
    law, rng = Law.constant(Pmf.die(1000)), np.random.default_rng(1)
    given_keys = np.zeros(flat.BLOCK, dtype=np.int32)
    flat.draw(law, given_keys, rng)
    tracemalloc.start()
    try:
        flat.draw(law, given_keys, rng)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 32 * 8 * flat.BLOCK


# -- blocks --------------------------------------------------------------------------------------
@given(st.lists(st.integers(1, 30), min_size=1, max_size=12), st.integers(1, 25))
def test_blocks_hold_each_trial_once_in_the_order_of_the_rows(weights: list[int], size: int) -> None:
    rows = np.arange(len(weights), dtype=np.int32)
    held = Ensemble({"a": rows, "b": rows * 2}, np.array(weights, dtype=np.int64))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(flat, "BLOCK", size)
        blocks = list(flat.blocks(held))
    assert np.concatenate([block["a"] for block in blocks]).tolist() == np.repeat(rows, weights).tolist()
    assert all((block["b"] == 2 * block["a"]).all() for block in blocks)
    assert [flat.trials(block) for block in blocks[:-1]] == [size] * (len(blocks) - 1)
    assert 1 <= flat.trials(blocks[-1]) <= size
    assert all((flat.ones(block) == 1).all() for block in blocks)


def test_a_row_of_many_trials_is_many_blocks() -> None:
    held = Ensemble({"a": np.array([7], dtype=np.int32)}, np.array([2 * flat.BLOCK + 5], dtype=np.int64))
    assert [flat.trials(block) for block in flat.blocks(held)] == [flat.BLOCK, flat.BLOCK, 5]


# -- steps ---------------------------------------------------------------------------------------
COLUMNS = {"a": np.arange(12, dtype=np.int32) % 3, "b": np.arange(12, dtype=np.int32)}
REMEMBER = Law.of([Pmf.point(10), Pmf.point(11), Pmf.point(12)])


def test_a_step_takes_each_trial_through_its_own_row() -> None:
    after = flat.advance(COLUMNS, Step("c", REMEMBER, "a", "c"), np.random.default_rng(1))
    assert after["c"].tolist() == (COLUMNS["a"] + 10).tolist()
    assert after["b"] is COLUMNS["b"]


@pytest.mark.parametrize("least", [0, 1, 3])
def test_a_masked_step_states_its_outcome_elsewhere(least: int) -> None:
    """Where the step applies to all trials, to some, and to none."""
    masked = Step("c", REMEMBER, "a", "c", lambda columns: columns["a"] >= least, otherwise=99)
    after = flat.advance(COLUMNS, masked, np.random.default_rng(1))
    assert after["c"].tolist() == [10 + a if a >= least else 99 for a in COLUMNS["a"].tolist()]
    assert after["c"].dtype == np.int32


def test_an_update_sees_the_columns_and_the_outcome() -> None:
    added = Step("c", REMEMBER, "a", lambda columns, outcome: {"b": columns["b"] + outcome})
    after = flat.advance(COLUMNS, added, np.random.default_rng(1))
    assert after["b"].tolist() == (COLUMNS["b"] + COLUMNS["a"] + 10).tolist()
    assert set(after) == {"a", "b"}
