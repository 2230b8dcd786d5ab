"""The ranged dice of an area weapon: failures drift it, successes widen it. Source: AOR-02, AOR-10."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Floats, Pmf, binomial
from mathhammer.games.confrontation_aor.throws import NEVER
from mathhammer.kernels.pools import Bonus, pool, successes


@lru_cache(maxsize=64)
def endings(needed: int, bonus: Bonus, bonus_drifts: bool) -> tuple[float, Pmf, Pmf]:
    """One die with its bonus dice: the chance that a failure is among those that drift, and its successes in
    that case and in the other. Source: AOR-02, AOR-10.
    """
    die = successes(needed, bonus=bonus)
    fails, six = (min(needed, NEVER) - 1) / 6, 1 / 6
    whole, failed = np.zeros(die.last + 1), np.zeros(die.last + 1)
    whole[die.offset :] = die.probs
    failed[0] = fails
    if bonus_drifts:
        links = np.arange(1, len(failed) - 1 if bonus == "chain" else 2)
        links = links[links < len(failed)]
        failed[links] = fails * six**links
    held = np.maximum(whole - failed, 0.0)
    return float(failed.sum()), _given(failed, die.cut), _given(held, die.cut)


def _given(cells: Floats, cut: float) -> Pmf:
    """The distribution in a case; 0 where the case never comes about."""
    total = float(cells.sum())
    return Pmf(0, cells / total, cut) if total > 0 else Pmf.point(0)


@lru_cache(maxsize=64)
def failures_law(dice: int, bonus: Bonus, bonus_drifts: bool) -> Law:
    """How many dice count as failed, keyed by the score needed."""

    def make(needed: int) -> Pmf:
        return binomial(dice, min(1.0, endings(needed, bonus, bonus_drifts)[0]))

    return Law(("area failures", dice, bonus, bonus_drifts), make)


@lru_cache(maxsize=64)
def successes_law(dice: int, ends: tuple[tuple[Pmf, Pmf], ...], most: int) -> Law:
    """Successes up to `most`, keyed by failures * len(ends) + i.

    ends[i]: the successes of a die that counts as failed, and of another.
    """

    def make(key: int) -> Pmf:
        failures, which = divmod(key, len(ends))
        if failures > dice:
            raise KeyError(f"{dice} dice cannot fail {failures} times")
        failed, held = ends[which]
        return (pool(failed, most).row(failures) + pool(held, most).row(dice - failures)).capped(most)

    return Law(("area successes", dice, ends, most), make)
