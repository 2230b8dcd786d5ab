"""Integer programs with many columns, of which each group takes a few at most, solved to proof.

HiGHS solves the relaxation. What a column costs against it (its reduced cost) is what a solution with it
loses at least. So all solutions within a small loss are few columns put together: they are gone through group
by group, and the best of them is the best of all. Where they are too many, HiGHS divides and bounds.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.errors import InputError
from mathhammer.core.pmf import Floats

Whole = NDArray[np.int64]

SCALE = 1e4  # HiGHS stops at gaps of 1e-6 of what it maximises
SECONDS = 60.0
CLOSE = 0.004  # the first loss that is tried, as a share of what the relaxation reaches
MOST_STATES = 400_000  # parts of solutions held at once
FIRST = 300  # columns that the relaxation is begun with, and that are added at once
RESIDUE = 1e-9  # rounding


@dataclass(frozen=True)
class Relaxation:
    """The relaxation under some bounds: what nothing surpasses, and the prices of groups and columns."""

    reach: float
    groups: Floats
    columns: Floats


class Program:
    """Maximise the sum of gains of columns that together use no more than the bounds.

    gains: shape (n,), above 0. uses: shape (n, m), whole numbers of 0 or more. groups: shape (n,), from 0.
    sizes: how many columns each group takes at most, shape (groups,); it may take one more than once.
    Bounds, shape (m,), are given with each question, as the same columns are asked many times.
    """

    def __init__(self, gains: Floats, uses: Whole, groups: Whole, sizes: Whole) -> None:
        self._gains, self._uses, self._groups, self._sizes = gains, uses, groups, sizes
        self._count = len(sizes)
        self._known: dict[bytes, Relaxation] = {}

    def bound(self, bounds: Whole) -> float:
        """What no choice surpasses."""
        return self._relaxed(bounds).reach

    def best(self, bounds: Whole, least: float = 0.0) -> tuple[int, ...]:
        """The columns of the best choice, ascending, one as often as it is taken; none if none gains `least`.

        Raises `InputError` where it takes too long.
        """
        relaxed = self._relaxed(bounds)
        most = relaxed.reach - least
        loss = min(most, CLOSE * relaxed.reach)
        while most >= -RESIDUE:
            states = self._within(relaxed, loss, bounds)
            if states is None:
                return self._divided(relaxed, loss, most, bounds)
            left = most
            if len(states):
                values = self._values(states)
                left = relaxed.reach - float(values.max())
                if left <= loss + RESIDUE:
                    return tuple(sorted(int(column) for column in states[values.argmax()] if column >= 0))
            if loss >= most:
                break
            loss = min(left, 2 * loss, most)
        return ()

    def _values(self, states: Whole) -> Floats:
        gains = np.append(self._gains, 0.0)  # the last one: no column
        values: Floats = gains[states].sum(axis=1)
        return values

    # -- going through ---------------------------------------------------------------------------
    def _within(self, relaxed: Relaxation, loss: float, bounds: Whole) -> Whole | None:
        """Every choice that loses no more, shape (k, sum of sizes): columns or -1; None: too many."""
        states = np.zeros((1, 0), dtype=np.int64)
        used, lost = np.zeros((1, self._uses.shape[1]), dtype=np.int64), np.zeros(1)
        for group in self._fewest_first(relaxed, loss):
            columns, prices = self._offered(relaxed, group, loss)
            first = np.zeros(len(lost), dtype=np.int64)  # of a group each column comes after the one before
            for _ in range(self._sizes[group]):
                counts = np.searchsorted(prices, loss - lost + RESIDUE, side="right") - first
                counts = np.maximum(0, counts)
                if counts.sum() > MOST_STATES:
                    return None
                origin = np.repeat(np.arange(len(lost)), counts)
                place = np.arange(len(origin)) - np.repeat(np.cumsum(counts) - counts - first, counts)
                now = used[origin] + np.vstack([self._uses, np.zeros_like(self._uses[:1])])[columns[place]]
                fits = (now <= bounds).all(axis=1)
                origin, first = origin[fits], place[fits]
                used, lost = now[fits], lost[origin] + prices[first]
                states = np.column_stack([states[origin], columns[first]])
        return states

    def _fewest_first(self, relaxed: Relaxation, loss: float) -> list[int]:
        """The groups, those with the fewest columns that cost no more first."""
        able = np.bincount(self._groups[relaxed.columns <= loss], minlength=self._count)
        return [int(group) for group in np.argsort(able * self._sizes, kind="stable")]

    def _offered(self, relaxed: Relaxation, group: int, loss: float) -> tuple[Whole, Floats]:
        """The columns of a group that cost no more, and none (-1), with their prices, the least first."""
        own = np.flatnonzero((self._groups == group) & (relaxed.columns <= loss))
        columns = np.append(own, -1)
        prices = np.append(np.maximum(0.0, relaxed.columns[own]), relaxed.groups[group])
        order = np.argsort(prices, kind="stable")
        return columns[order], prices[order]

    # -- the relaxation --------------------------------------------------------------------------
    def _relaxed(self, bounds: Whole) -> Relaxation:
        """Worked out on a few columns; those that would better it are added until there are none."""
        key = bounds.tobytes()
        if key not in self._known:
            near = next(reversed(self._known.values()), None)
            order = np.argsort(-self._gains if near is None else near.columns, kind="stable")
            kept = np.sort(order[:FIRST])
            while True:
                relaxed = self._linear(kept, bounds)
                outside = relaxed.columns.copy()
                outside[kept] = 0.0
                worst = np.argsort(outside, kind="stable")[:FIRST]
                wrong = worst[outside[worst] < -RESIDUE]
                if not len(wrong):
                    break
                kept = np.union1d(kept, wrong)
            self._known[key] = relaxed
        return self._known[key]

    def _linear(self, kept: Any, bounds: Whole) -> Relaxation:
        from scipy.optimize import linprog

        limits = np.append(self._sizes, bounds).astype(float)
        rows, free = self._matrix(kept), (0, None)
        with quiet():
            found = linprog(-self._gains[kept], rows, limits, bounds=free, method="highs")
        if found.status != 0:
            raise InputError(f"army: the solver gave up ({found.message.partition('.')[0]})")
        dual = np.maximum(0.0, -found.ineqlin.marginals)
        columns = dual[self._groups] + self._uses @ dual[self._count :] - self._gains
        return Relaxation(float(dual @ limits), dual[: self._count], columns)

    def _matrix(self, kept: Any) -> Any:
        """Groups and uses of some columns, sparse, shape (groups + m, columns)."""
        from scipy.sparse import csr_array, hstack

        groups = csr_array(
            (np.ones(len(kept)), (np.arange(len(kept)), self._groups[kept])), shape=(len(kept), self._count)
        )
        return hstack([groups, csr_array(self._uses[kept].astype(float))]).T.tocsr()

    # -- dividing --------------------------------------------------------------------------------
    def _divided(self, relaxed: Relaxation, loss: float, most: float, bounds: Whole) -> tuple[int, ...]:
        """By HiGHS, on the columns within a loss that grows until its choice is proven to be the best."""
        while True:
            kept = np.flatnonzero(relaxed.columns <= loss + RESIDUE)
            chosen = self._solved(kept, bounds)
            left = relaxed.reach - float(self._gains[list(chosen)].sum())
            if left <= loss + RESIDUE or loss >= most:
                return chosen if left <= most + RESIDUE else ()
            loss = min(left, 4 * loss, most)

    def _solved(self, kept: Any, bounds: Whole) -> tuple[int, ...]:
        from scipy.optimize import Bounds, LinearConstraint, milp

        limits = np.append(self._sizes, bounds).astype(float)
        with quiet():
            found = milp(
                -SCALE * self._gains[kept],
                integrality=np.ones(len(kept)),
                bounds=Bounds(0, self._sizes[self._groups[kept]]),
                constraints=LinearConstraint(self._matrix(kept), -np.inf, limits),
                options={"mip_rel_gap": 0.0, "time_limit": SECONDS},
            )
        if found.status != 0 or found.x is None:
            raise InputError("army: no list is proven best in time; fewer units or a smaller --team help")
        return tuple(np.repeat(kept, np.rint(found.x).astype(np.int64)).tolist())


@contextmanager
def quiet() -> Iterator[None]:
    """HiGHS has lines that it prints whatever it is told: they do not reach standard output."""
    try:
        kept = os.dup(1)
    except OSError:  # nothing is there to keep clean
        yield
        return
    try:
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), 1)
        yield
    finally:
        with suppress(OSError, AttributeError, TypeError):  # what C has buffered goes with it
            ctypes.CDLL(None).fflush(None)
        os.dup2(kept, 1)
        os.close(kept)
