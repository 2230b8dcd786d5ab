"""Damage on a whole unit, or on some of its groups, allocated so as to kill most. Source: AOR-09, AOR-12."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Columns
from mathhammer.games.confrontation_aor.side import Side


def allocated(
    side: Side,
    columns: Columns,
    damage: Ints,
    most_kills: int | None = None,
    rest: bool = True,
    among: Mapping[int, Ints | int] | None = None,
    nearest: bool = False,
) -> dict[str, Ints]:
    """The damage columns afterwards: whoever needs least dies first, the nearest among equals.

    nearest: the nearest dies first, whatever it needs. What kills nobody more stays on the next one. After
    `most_kills` the rest wounds the next one, down to one wound left (`rest`), or is lost. A titan suffers
    nothing. among: the groups that may suffer (None: all), each with the most damage that it may have
    afterwards.
    """
    whole = {i: group.count * group.wounds for i, group in enumerate(side.groups)}
    taken = {i: most for i, most in (among or whole).items() if side.groups[i].category != "titan"}
    if most_kills is None and len(taken) == 1:
        return {side.column(i): suffered(columns[side.column(i)], damage, most) for i, most in taken.items()}
    state = _Volley(damage, most_kills, rest)
    damages = {i: columns[side.column(i)].astype(np.int64) for i in taken}
    for i, size in _order(side, taken, nearest):
        damages[i] = state.kill(damages[i], taken[i], side.groups[i].wounds, size)
    return {side.column(i): value.astype(np.int32) for i, value in damages.items()}


def _order(side: Side, groups: Iterable[int], nearest: bool) -> list[tuple[int, int]]:
    """Groups from the front, with the damage that their fighters need, in the order in which they die."""
    every = [(i, size) for i in groups for size in range(1, side.groups[i].wounds + 1)]
    return every if nearest else sorted(every, key=lambda found: found[1])


def suffered(before: Ints, damage: Ints, most: Ints | int) -> Ints:
    """The damage on a group: one fighter's wounds before the next, the rest is lost. Source: AOR-13."""
    found: Ints = np.minimum(before + damage, np.maximum(most, before)).astype(np.int32)
    return found


class _Volley:
    """Damage that is still to be allocated, by row, and how many may still die."""

    def __init__(self, damage: Ints, most_kills: int | None, rest: bool) -> None:
        self.damage = damage.astype(np.int64)
        self.kills = np.full(len(damage), 10**6 if most_kills is None else most_kills, dtype=np.int64)
        self.rest = rest

    def kill(self, damage: NDArray[np.int64], most: Ints | int, wounds: int, size: int) -> NDArray[np.int64]:
        """The damage on a group, up to `most`, after its fighters that need exactly `size`."""
        hurt = damage % wounds
        wounded = (hurt > 0) & (wounds - hurt == size) & (damage < most)
        damage = self._on(damage, wounded.astype(np.int64), size)
        if wounds != size:
            return damage
        fresh = np.maximum(most // wounds - -(-damage // wounds), 0)
        return self._on(damage, fresh, size)

    def _on(self, damage: NDArray[np.int64], fighters: NDArray[np.int64], size: int) -> NDArray[np.int64]:
        dead = np.minimum(np.minimum(fighters, self.damage // size), self.kills)
        self.damage = self.damage - dead * size
        self.kills = self.kills - dead
        left = (fighters > dead) & (self.damage > 0)
        most = np.where(self.kills > 0, size - 1, size - 1 if self.rest else 0)
        stays = np.where(left, np.minimum(self.damage, most), 0)
        self.damage = np.where(left, 0, self.damage)
        added: NDArray[np.int64] = damage + dead * size + stays
        return added
