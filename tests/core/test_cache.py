"""`ByteCache`: bounded in bytes, least recently used first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakSet

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mathhammer.core.cache import LAWS, ByteCache
from mathhammer.core.laws import Table
from mathhammer.core.pmf import Pmf
from mathhammer.kernels.pools import pool


@dataclass(frozen=True)
class Thing:
    """Something with a size."""

    nbytes: int


class Maker:
    """Makes things of one size and notes each making."""

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        self.made: list[str] = []

    def __call__(self, name: str) -> Callable[[], Thing]:
        """What makes the thing of this name."""

        def make() -> Thing:
            self.made.append(name)
            return Thing(self.nbytes)

        return make


def room_for(things: int, nbytes: int) -> ByteCache:
    """A cache that holds just so many things."""
    return ByteCache(things * (nbytes + ByteCache.OVERHEAD))


def test_a_value_is_made_once_and_then_kept() -> None:
    cache, maker = room_for(4, 600), Maker(600)
    assert cache.get("a", maker("a")) is cache.get("a", maker("a"))
    assert maker.made == ["a"]


def test_the_least_recently_used_goes_first() -> None:
    cache, maker = room_for(4, 600), Maker(600)
    for name in "abcd":
        cache.get(name, maker(name))
    cache.get("a", maker("a"))
    cache.get("e", maker("e"))
    maker.made.clear()
    for name in "acde":
        cache.get(name, maker(name))
    assert maker.made == []
    cache.get("b", maker("b"))
    assert maker.made == ["b"]


def test_too_large_a_value_is_given_but_not_kept() -> None:
    cache, maker = room_for(4, 600), Maker(4000)
    assert cache.get("a", maker("a")) == Thing(4000)
    assert cache.held == 0
    cache.get("a", maker("a"))
    assert maker.made == ["a", "a"]


def test_clear_forgets_everything() -> None:
    cache, maker = room_for(4, 600), Maker(600)
    cache.get("a", maker("a"))
    cache.clear()
    assert cache.held == 0
    cache.get("a", maker("a"))
    assert maker.made == ["a", "a"]


@given(st.integers(0, 20_000), st.lists(st.tuples(st.integers(0, 9), st.integers(0, 6000)), max_size=60))
def test_it_stays_within_its_bytes_whatever_is_asked(limit: int, asked: list[tuple[int, int]]) -> None:
    """What is held never passes the limit, and is the sum over what is still there."""
    cache = ByteCache(limit)
    sizes: dict[int, int] = {}
    for key, nbytes in asked:
        sizes[key] = cache.get(key, lambda nbytes=nbytes: Thing(nbytes)).nbytes  # type: ignore[misc]
        assert 0 <= cache.held <= limit
    there = [key for key in sizes if _is_there(cache, key)]
    assert cache.held == sum(sizes[key] + ByteCache.OVERHEAD for key in there)


def _is_there(cache: ByteCache, key: int) -> bool:
    """Whether a key is held, asked so that nothing changes: the stand-in is too large to keep."""
    return cache.get(key, lambda: Thing(10**9)).nbytes < 10**9


def test_a_value_may_ask_the_cache_for_others_while_it_is_made() -> None:
    cache, maker = room_for(8, 600), Maker(600)

    def outer() -> Thing:
        return Thing(cache.get("inner", maker("inner")).nbytes)

    assert cache.get("outer", outer) == Thing(600)
    assert cache.held == 2 * (600 + ByteCache.OVERHEAD)


def test_the_store_of_laws_stays_within_its_bytes_over_many_laws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows and tables of laws go to the one store, which forgets the oldest and makes them anew alike."""
    LAWS.clear()
    monkeypatch.setattr(LAWS, "limit", 400_000)
    first = pool(Pmf.die(6)).table(0, 20).probs.copy()
    for sides in range(2, 60):
        pool(Pmf.die(sides)).table(0, 10)
        assert 0 < LAWS.held <= LAWS.limit
    assert (pool(Pmf.die(6)).table(0, 20).probs == first).all()


def test_the_store_of_laws_stays_within_its_bytes_when_its_tables_are_drawn_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The forms that counts and single trials are drawn from are held with a table, and weigh too."""
    LAWS.clear()
    monkeypatch.setattr(LAWS, "limit", 2**21)
    alive: WeakSet[Table] = WeakSet()
    for sides in range(2, 60):
        table = pool(Pmf.die(sides)).table(0, 10)
        arrays = [table.probs, *table.ordered, table.guide.cdf, table.guide.cells]
        weight = sum(array.nbytes for array in arrays)
        assert table.nbytes >= weight
        alive.add(table)
        del table, arrays
        assert sum(table.nbytes for table in alive) <= LAWS.limit + weight
