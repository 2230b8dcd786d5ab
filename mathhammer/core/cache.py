"""One store for rows and tables of laws, bounded in bytes: the least recently used goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar


class Sized(Protocol):
    """Something that knows how many bytes it holds."""

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        ...


T = TypeVar("T", bound=Sized)


class ByteCache:
    """A least-recently-used map whose values together stay within `limit` bytes."""

    OVERHEAD = 400  # bytes of keys and objects that an entry costs beside its arrays

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = 0
        self._entries: OrderedDict[Hashable, tuple[Sized, int]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value under `key`, made on first use; too large a value is returned but not kept."""
        entry = self._entries.get(key)
        if entry is not None:
            self._entries.move_to_end(key)
            return entry[0]  # type: ignore[return-value]
        value = make()
        self._keep(key, value, value.nbytes + self.OVERHEAD)
        return value

    def _keep(self, key: Hashable, value: Sized, size: int) -> None:
        if size > self.limit // 4 or key in self._entries:
            return
        self._entries[key] = (value, size)
        self.held += size
        self._shrink()

    def weigh_again(self, key: Hashable) -> None:
        """A value has grown (a table, when it is first drawn from)."""
        if key in self._entries:
            value, size = self._entries[key]
            now = value.nbytes + self.OVERHEAD
            self._entries[key] = (value, now)
            self.held += now - size
            self._shrink()

    def _shrink(self) -> None:
        while self.held > self.limit:
            _, (_, freed) = self._entries.popitem(last=False)
            self.held -= freed

    def clear(self) -> None:
        """Forget everything (for measuring with cold laws)."""
        self._entries.clear()
        self.held = 0


LAWS = ByteCache(64 * 2**20)
