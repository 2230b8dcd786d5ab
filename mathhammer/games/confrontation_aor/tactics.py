"""Tactics: their conditions, tests and effects. One per unit and round. Source: AOR-15 to AOR-20."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mathhammer.core.errors import InputError
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Columns, Mask, Step
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.side import Side
from mathhammer.games.confrontation_aor.throws import single

Where = Callable[[Columns], Mask]
LEAST_STRENGTH = 7  # Kill Them All
LONGER = 10  # cm that Get a Move On adds to a run


@dataclass(frozen=True)
class Tactic:
    """A tactic: the characteristic whose best value in the unit is tested, and against what."""

    name: str
    characteristic: str
    difficulty: int
    rule: str


TACTICS = {
    tactic.name: tactic
    for tactic in (
        Tactic("cry-havoc", "attack", 6, "AOR-15"),
        Tactic("fall-back", "strength", 6, "AOR-16"),
        Tactic("lightning-strike", "authority", 6, "AOR-17"),
        Tactic("i-have-the-power", "mystic", 3, "AOR-18"),
        Tactic("get-a-move-on", "authority", 4, "AOR-19"),
        Tactic("kill-them-all", "strength", 6, "AOR-20"),
    )
}


def tactic_step(own: Side, name: str, where: Where, rules: Rules) -> Step:
    """The test of a tactic, in rows where its condition holds; `X.tactic` says whether it passed.

    No bonus dice: they could not change it. Source: AOR-15 to AOR-20.
    """
    tactic = TACTICS[name]

    def key(columns: Columns) -> Ints:
        return (best_value(own, tactic.characteristic, columns) - tactic.difficulty).astype(np.int32)

    return Step(
        f"{own.name}: {name}",
        single(1, rules.resolution_table),
        key,
        lambda columns, outcome: {f"{own.name}.tactic": outcome},
        where,
        otherwise=0,
        rule=tactic.rule,
        words=("fails", "passes"),
    )


def best_value(own: Side, characteristic: str, columns: Columns) -> Ints:
    """The best value of a characteristic among those left; Authority may be lent. Source: AOR-22, AOR-24."""
    if characteristic == "mystic":
        values = [max(group.fervor or 0, group.energy or 0) for group in own.groups]
    else:
        values = [getattr(group, characteristic) for group in own.groups]
    found = own.best(values, columns)
    if characteristic == "authority" and own.staff:
        found = np.maximum(found, own.staff.authority).astype(np.int32)
    return found


def most_value(own: Side, characteristic: str) -> int:
    """The best value while all are there; Authority may be lent. Source: AOR-24."""
    values = [int(getattr(group, characteristic) or 0) for group in own.groups]
    lent = own.staff.authority if own.staff and characteristic == "authority" else 0
    return max(*values, lent)


def strong_enough(own: Side) -> Where:
    """Rows where the lowest Strength among those left allows Kill Them All. Source: AOR-20."""
    weak = [int(group.strength < LEAST_STRENGTH) for group in own.groups]
    return lambda columns: own.best(weak, columns) == 0


def refuse_kill_them_all(own: Side) -> None:
    """Raises `InputError` where the unit as it is may never call it. Source: AOR-20."""
    weakest = min(own.groups, key=lambda group: group.strength)
    if weakest.strength < LEAST_STRENGTH:
        option = "--defender-tactic" if own.name == "defender" else "--tactic"
        raise InputError(
            f"{option} kill-them-all: the lowest Strength is {LEAST_STRENGTH} or more; {own.unit.label()} "
            f"has {weakest.strength} (AOR-20)"
        )
