"""`Law`: composition, tables, backward and forward, chains, the guide tables that single trials use."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathhammer.core import laws
from mathhammer.core.cache import LAWS
from mathhammer.core.dice import opposed, thresholds
from mathhammer.core.laws import Law, Table, Value, stacked
from mathhammer.core.pmf import Floats, Pmf
from mathhammer.kernels.pools import pool, successes
from tests.core.brute import assert_same, chains, pmfs

STATES = 4
D6 = Pmf.die(6)
states = st.integers(0, STATES - 1)
three = st.tuples(chains(STATES), chains(STATES), chains(STATES))


def close(a: Pmf, b: Pmf) -> None:
    """Equal to within rounding."""
    assert_same(a, dict(b), within=1e-12)


# -- rows and composition ------------------------------------------------------------------------
@given(chains(STATES), chains(STATES), pmfs(), pmfs(), st.integers(0, 6))
def test_rows_sum_to_one(a: Law, b: Law, ours: Pmf, theirs: Pmf, key: int) -> None:
    made = [
        pool(ours),
        opposed(ours, theirs),
        thresholds(ours, (0, 2)),
        Law.constant(ours),
        pool(ours).shifted(2),
    ]
    rows = [law.row(key) for law in made] + [(a @ b).row(key % STATES), a.steps(5).row(key % STATES)]
    for row in rows:
        assert row.probs.sum() == pytest.approx(1.0, abs=1e-12)


@given(three, states)
def test_composition_is_associative(chain: tuple[Law, Law, Law], key: int) -> None:
    a, b, c = chain
    close(((a @ b) @ c).row(key), (a @ (b @ c)).row(key))


@given(chains(STATES), chains(STATES), states)
def test_composition_is_the_sum_over_what_lies_between(a: Law, b: Law, key: int) -> None:
    chances = {
        last: sum(chance * b.row(between)[last] for between, chance in a.row(key)) for last in range(STATES)
    }
    assert_same((a @ b).row(key), {last: chance for last, chance in chances.items() if chance > 0})


@given(chains(STATES), st.integers(0, 7), states)
def test_steps_are_repeated_composition(law: Law, n: int, key: int) -> None:
    repeated = Law(("nothing yet",), Pmf.point)
    for _ in range(n):
        repeated = repeated @ law
    close(law.steps(n).row(key), repeated.row(key))


@given(chains(STATES), pmfs(low=0), states)
def test_composition_without_a_table_is_the_same(a: Law, die: Pmf, key: int) -> None:
    """Where the table would be large, rows are mixed one by one."""
    composed = {}
    for cells in (2**20, 0):
        LAWS.clear()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(laws, "DENSE_CELLS", cells)
            composed[cells] = (a @ pool(die)).row(key)
    close(composed[0], composed[2**20])


def test_two_stages_of_dice_are_one_law() -> None:
    """Hits then damage of 9 dice is a pool of dice that do both."""
    both = pool(successes(3)) @ pool(successes(4))
    close(both.row(9), Pmf(0, [2 / 3, 1 / 3]).times(9))


@pytest.mark.parametrize("worst", [0, 1])
def test_cuts_of_composed_laws_add(worst: int) -> None:
    """The first law's cut and the worst one that may follow."""
    first = Pmf(0, [0.51, 0.49], 1e-7)
    then = [Pmf(0, [0.52, 0.48], 1e-6 if row == worst else 0.0) for row in range(2)]
    assert (Law.constant(first) @ Law.of(then)).row(0).cut == pytest.approx(1.1e-6)


def test_laws_that_differ_in_what_is_cut_are_two_laws() -> None:
    """Asked for after a law with the same chances and nothing cut, a law still says its own cut."""
    chances = [0.53, 0.47]
    assert Law.of([Pmf(0, chances)]).row(0).cut == 0.0
    assert Law.of([Pmf(0, chances, 1e-6)]).row(0).cut == 1e-6


# -- backward ------------------------------------------------------------------------------------
worths = st.lists(st.floats(-100, 100), min_size=STATES, max_size=STATES)


@given(chains(STATES), worths, states)
def test_backward_is_the_forward_expectation(law: Law, worth: list[float], key: int) -> None:
    expected = sum(chance * worth[outcome] for outcome, chance in law.row(key))
    assert (law @ Value(0, np.array(worth)))(key) == pytest.approx(expected, abs=1e-9)


@given(chains(STATES), chains(STATES), worths, states)
def test_backward_through_two_laws_is_backward_twice(a: Law, b: Law, worth: list[float], key: int) -> None:
    value = Value(0, np.array(worth))
    between = Value(0, b.backward(value, range(STATES)))
    assert ((a @ b) @ value)(key) == pytest.approx((a @ between)(key), abs=1e-9)


def test_the_mean_is_the_backward_value_of_the_outcome_itself() -> None:
    hits = pool(successes(3))
    assert hits.backward(Value(0, np.arange(11.0)), [0, 3, 10]) == pytest.approx([0, 2, 20 / 3])


LARGE = """
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Pmf
law = Law.sums(Pmf.die(6)) @ Law("sums", lambda key: Pmf.die(20).times(key % 50 + 1))
print(law.row(600).probs.tobytes().hex())
"""


def test_a_large_mixture_is_the_same_to_the_bit_on_one_core_and_on_two() -> None:
    """Workers run on one thread each, the caller on as many as there are (one core shows no difference)."""
    told = {
        subprocess.run(
            [sys.executable, "-c", LARGE],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(told) == 1
    assert len(told.pop()) > 1000


@pytest.mark.parametrize("value", [Value(0, np.zeros(3)), Value(1, np.zeros(9))], ids=["short", "late"])
def test_a_value_that_misses_an_outcome_is_an_error(value: Value) -> None:
    with pytest.raises(KeyError, match="not all outcomes"):
        (pool(successes(3)) @ value)(5)


# -- tables, keys --------------------------------------------------------------------------------
def assert_rows(table: Table, rows: list[Pmf]) -> None:
    """Row i of the table has the cells of rows[i], and nothing else."""
    for cells, row in zip(table.probs, rows, strict=True):
        assert {table.offset + i: p for i, p in enumerate(cells.tolist()) if p > 0} == dict(row)


@given(st.lists(pmfs(), min_size=1, max_size=6), st.integers(-3, 3))
def test_tables_equal_rows(rows: list[Pmf], first: int) -> None:
    law = Law.of(rows, first)
    table = law.table(first, first + len(rows) - 1)
    assert (table.first, table.cut) == (first, max(row.cut for row in rows))
    assert_rows(table, rows)


@given(pmfs(), st.lists(st.integers(0, 12), min_size=1, max_size=8))
def test_choose_finds_the_row_of_each_key(die: Pmf, keys: list[int]) -> None:
    table, rows = pool(die).choose(np.array(keys, dtype=np.int32))
    for key, row in zip(keys, rows.tolist(), strict=True):
        assert dict(zip(range(table.offset, table.offset + table.width), table.probs[row], strict=True)) == {
            value: pool(die).row(key)[value] for value in range(table.offset, table.offset + table.width)
        }


def test_keys_far_apart_make_a_table_of_those_rows_only() -> None:
    made: list[int] = []

    def make(key: int) -> Pmf:
        made.append(key)
        return Pmf.point(key % 7)

    keys = np.array([5, 1_000_000, 5, 20], dtype=np.int32)
    table, rows = Law(("far apart",), make).choose(keys)
    assert sorted(made) == [5, 20, 1_000_000]
    assert [table.offset + int(table.probs[row].argmax()) for row in rows] == [5, 1_000_000 % 7, 5, 6]


def test_a_key_without_a_row_is_an_error() -> None:
    with pytest.raises(KeyError, match="no row for 3"):
        Law.of([D6, D6], first=1).row(3)


@given(st.lists(st.lists(pmfs(), min_size=3, max_size=3), min_size=1, max_size=3), st.integers(0, 2))
def test_stacked_laws_are_chosen_by_the_high_part_of_the_key(rows: list[list[Pmf]], key: int) -> None:
    law = stacked([Law.of(held) for held in rows], stride=3)
    assert [law.row(3 * i + key) for i in range(len(rows))] == [held[key] for held in rows]


@given(pmfs(), st.integers(0, 4), st.integers(0, 4))
def test_a_shifted_law_has_its_keys_moved(die: Pmf, key: int, by: int) -> None:
    assert pool(die).shifted(by).row(key) == pool(die).row(key + by)


def test_a_constant_law_has_no_regard_for_its_key() -> None:
    assert {Law.constant(D6).row(key) for key in (-5, 0, 10**6)} == {D6}


def test_laws_built_alike_are_one_law() -> None:
    """Equal keys make equal laws, whatever function makes the rows; others differ."""
    assert pool(Pmf.die(6)) @ pool(Pmf(0, [0.5, 0.5])) == pool(Pmf.die(6)) @ pool(Pmf(0, [0.5, 0.5]))
    assert len({pool(D6), pool(Pmf.die(6)), pool(Pmf.die(8)), pool(D6).shifted(1)}) == 3
    assert pool(D6) != D6


# -- what is drawn from ----------------------------------------------------------------------------
@given(st.lists(pmfs(), min_size=1, max_size=5))
def test_ordered_rows_end_with_the_likeliest_outcome(rows: list[Pmf]) -> None:
    table = Table(0, rows)
    swapped, best = table.ordered
    assert (swapped[:, -1] == table.probs.max(axis=1)).all()
    assert (np.sort(swapped, axis=1) == np.sort(table.probs, axis=1)).all()
    assert (table.probs[np.arange(len(rows)), best] == swapped[:, -1]).all()


def test_ordered_rows_never_hold_more_than_one() -> None:
    """A cell of 1.0000000000000002 makes numpy's multinomial raise."""
    assert Table(0, [Pmf(0, [0.0, 1.0000000000000002, 0.0])]).ordered[0].max() == 1.0


class Script:
    """Stands for a generator: the same sixteen random bits for each draw in turn, then one fraction."""

    def __init__(self, bits: list[int], fraction: float) -> None:
        self.bits = np.array(bits, dtype="<u2")
        self.fraction = fraction
        self.bit_generator = SimpleNamespace(random_raw=lambda words: self._raw(words))

    def _raw(self, words: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
        return np.resize(self.bits, 4 * words).view("<u8")

    def random(self, n: int) -> Floats:
        """The fraction, n times."""
        return np.full(n, self.fraction)


def scripted(table: Table, row: int, bits: list[int], fraction: float) -> list[int]:
    """The columns that the guide of `table` draws for one row, by these random bits."""
    rng = cast(np.random.Generator, Script(bits, fraction))
    return [int(column) for column in table.guide.draw(np.full(len(bits), row, dtype=np.int32), rng)]


GUIDED = {
    "one row": [D6],
    "ends impossible": [Pmf(0, [0.0, 0.3, 0.0, 0.7, 0.0, 0.0])],
    "sum below one": [Pmf(0, [0.1] * 10 + [0.0] * 3)],
    "cell above one": [Pmf(0, [0.0, 1.0000000000000002, 0.0])],
    "an end between two bits": [Pmf(0, [2**-13, 0.0, 1 - 2**-13])],
    "narrow and wide": [Pmf.point(2), Pmf.die(20), Pmf(0, [1 / 3] * 3)],
    "many rows": [pool(successes(4)).row(dice) for dice in range(40)],
    "254 columns": [Pmf.die(254)],
    "255 columns": [Pmf.die(255)],
    "300 columns": [Pmf.die(300), Pmf.die(2)],
}
LAST = float(np.nextafter(1.0, 0.0))


@pytest.mark.parametrize("rows", GUIDED.values(), ids=GUIDED.keys())
@pytest.mark.parametrize("fraction", [0.0, 0.5, 1 - 2**-20])
def test_a_guide_table_is_the_inverse_of_the_summed_chances(rows: list[Pmf], fraction: float) -> None:
    """For each pattern of random bits the guide answers what a search through the sums answers."""
    table = Table(0, rows)
    bits = [*range(0, 2**16, 2**4), 2**16 - 1]
    points = ((np.array(bits) >> (16 - table.guide.bits)) + fraction) / 2**table.guide.bits
    for row in {0, len(rows) // 2, len(rows) - 1}:
        possible = np.flatnonzero(table.probs[row])
        found = np.searchsorted(np.cumsum(table.probs[row])[possible], points, side="right")
        expected = possible[np.minimum(found, len(possible) - 1)]
        assert scripted(table, row, bits, fraction) == expected.tolist()


@pytest.mark.parametrize("rows", GUIDED.values(), ids=GUIDED.keys())
def test_the_first_and_last_random_numbers_give_possible_outcomes(rows: list[Pmf]) -> None:
    table = Table(0, rows)
    for row, pmf in enumerate(rows):
        possible = [value for value, _ in pmf]
        assert scripted(table, row, [0], 0.0) == [possible[0] - table.offset]
        assert scripted(table, row, [2**16 - 1], LAST) == [possible[-1] - table.offset]


def test_a_guide_table_knows_more_than_65535_outcomes() -> None:
    wide = 70_000
    table = Table(0, [Pmf(0, np.full(wide, 1 / wide))])
    assert scripted(table, 0, [2**16 - 1], LAST) == [wide - 1]


def test_a_table_says_the_bytes_of_all_the_forms_it_is_drawn_from() -> None:
    """The store of laws is bounded by what tables say of themselves."""
    table = Table(0, [Pmf.die(20)] * 128)
    guide, ordered = table.guide, table.ordered
    held = [table.probs, *ordered, guide.cdf, guide.cells]
    assert table.nbytes >= sum(array.nbytes for array in held)


@pytest.mark.parametrize("keys", [[0, 1, 2], [0, 3], [-1, 0]])
def test_a_key_without_a_row_is_never_drawn(keys: list[int]) -> None:
    """Also where it lies between keys that have one; those have their rows."""
    law = stacked([Law.of([Pmf.die(6)]), Law.of([Pmf.die(4)])], 2)
    table, rows = law.choose(np.array([0, 2, 0], dtype=np.int32))
    assert table.probs[rows].sum(axis=1) == pytest.approx(1)
    with pytest.raises(KeyError, match="no row"):
        law.choose(np.array(keys, dtype=np.int32))


def test_a_law_without_any_row_says_so() -> None:
    with pytest.raises(KeyError, match="no row for any of the keys 4 to 5"):
        Table(4, [None, None])
