"""Brute force: distributions by listing every combination of values, and small random distributions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod

import pytest
from hypothesis import strategies as st

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Pmf

Chances = dict[int, float]


def listed(dice: Sequence[Pmf], image: Callable[[tuple[int, ...]], int]) -> Chances:
    """The distribution of `image` of independent dice, one combination at a time."""
    chances: Chances = {}
    for shown in product(*dice):
        value = image(tuple(face for face, _ in shown))
        chances[value] = chances.get(value, 0.0) + prod(chance for _, chance in shown)
    return chances


def assert_same(pmf: Pmf, chances: Mapping[int, float], within: float = 1e-12) -> None:
    """The two are one distribution; nothing is possible in one of them only."""
    assert dict(pmf) == pytest.approx(dict(chances), abs=within, rel=0)


def pmfs(*, most: int = 6, low: int = -3, high: int = 3) -> st.SearchStrategy[Pmf]:
    """Random distributions of up to `most` cells, impossible cells anywhere among them."""
    cells = st.lists(st.integers(0, 9), min_size=1, max_size=most).filter(any)
    return st.builds(
        lambda offset, parts: Pmf(offset, [part / sum(parts) for part in parts]),
        st.integers(low, high),
        cells,
    )


def chains(states: int) -> st.SearchStrategy[Law]:
    """Random laws from states `0 .. states - 1` to the same states."""
    row = st.lists(st.integers(0, 9), min_size=states, max_size=states).filter(any)
    return st.lists(row, min_size=states, max_size=states).map(
        lambda rows: Law.of([Pmf(0, [part / sum(parts) for part in parts]) for parts in rows])
    )
