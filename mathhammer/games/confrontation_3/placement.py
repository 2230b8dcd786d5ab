"""Placing the dice: the loser of the initiative commits, the winner answers. Source: C3-3.7, C3-3.8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.pmf import Floats
from mathhammer.games.confrontation_3.exchange import LONE, Dice, combat_dice, fitted, splits
from mathhammer.games.confrontation_3.solver import TIE, Sides

Index = NDArray[np.intp]
Split = tuple[Dice, ...]  # of every fighter of a side; the dead have no dice


@dataclass(frozen=True)
class Wanted:
    """Splits that the user fixes: of the lone fighter, and of each of the several; None: the best."""

    lone: Dice | None = None
    several: tuple[Dice | None, ...] = ()


@dataclass(frozen=True)
class Options:
    """The splits that both sides may choose from while some of the enemies live, fewest attack dice first."""

    lone: list[Dice]
    several: list[Split]


def options(sides: Sides, living: tuple[bool, ...], wanted: Wanted) -> Options:
    """What both sides may do. Source: C3-3.4, C3-3.7, C3-2.16."""
    lone = _options(combat_dice(sum(living)), sides.lone.limited, wanted.lone)
    theirs = [
        _options(combat_dice(1), body.limited, dice) if lives else [(0, 0)]
        for body, lives, dice in zip(sides.several, living, _each(wanted, sides), strict=True)
    ]
    several = sorted(product(*theirs), key=lambda split: (sum(attack for attack, _ in split), split))
    return Options(lone, several)


def _each(wanted: Wanted, sides: Sides) -> tuple[Dice | None, ...]:
    return wanted.several or (None,) * len(sides.several)


def _options(dice: int, limited: bool, wanted: Dice | None) -> list[Dice]:
    return splits(dice, limited) if wanted is None else [fitted(wanted, dice, limited)]


@dataclass(frozen=True)
class Placed:
    """The choice of both sides by state: indices into the options, and what it is worth (channels first)."""

    worth: Floats
    lone: Index
    several: Index
    answers: list[tuple[Floats, Index]]  # by the loser's option: what it is worth, and the best answer to it


def place(values: Sequence[Sequence[Floats]], winner: int) -> Placed:
    """Best play of both: `values[i][j]` by the lone fighter's option i and the several's option j.

    Ties go to fewer attack dice. Source: C3-3.7, C3-3.8.
    """
    columns = list(zip(*values, strict=True))
    if winner == LONE:
        answers = [best(column, 1) for column in columns]
        worth, several = best([answer for answer, _ in answers], -1)
        lone = _picked([index for _, index in answers], several)
    else:
        answers = [best(row, -1) for row in values]
        worth, lone = best([answer for answer, _ in answers], 1)
        several = _picked([index for _, index in answers], lone)
    return Placed(worth, lone, several, answers)


def best(offers: Sequence[Floats], sign: int) -> tuple[Floats, Index]:
    """The best of several values by state, and which it is: for sign -1 the lowest. Ties go to the first."""
    worth = offers[0].copy()
    index = np.zeros(worth.shape[1:], dtype=np.intp)
    for number, offer in enumerate(offers[1:], start=1):
        better = sign * (offer[0] - worth[0]) > TIE
        np.copyto(worth, offer, where=better)
        index[better] = number
    return worth, index


def _picked(indices: list[Index], by: Index) -> Index:
    picked: Index = np.take_along_axis(np.stack(indices), by[None], axis=0)[0]
    return picked


def written(dice: Dice) -> str:
    """A split as it is written: attack/defence."""
    return f"{dice[0]}/{dice[1]}"
