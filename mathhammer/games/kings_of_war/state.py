"""The columns that every mode shares, by side: `damage` on the unit, `struck` this phase, `nerve`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Columns, Mask, Read
from mathhammer.games.kings_of_war.healing import leeched
from mathhammer.games.kings_of_war.nerve import ROUT, STEADY, WAVER


def start(defender_damage: int, attacker_damage: int) -> dict[str, int]:
    """Before the first strike."""
    return {"defender.struck": 0, "defender.damage": defender_damage, "defender.nerve": STEADY} | {
        "attacker.damage": attacker_damage
    }


def dealt(
    target: str, striker: str, leech: int, *, amount: bool = True, later: bool = False
) -> Callable[[Columns, Ints], dict[str, Ints]]:
    """The update that marks damage on a side, and heals the striker by Lifeleech. Source: KOW-A-lifeleech.

    later: what is leeched is only noted, in `striker.leech`.
    amount: `struck` counts this phase's damage; otherwise it says only whether there was any (fewer states).
    """
    struck, damage, own = f"{target}.struck", f"{target}.damage", f"{striker}.damage"

    def mark(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        phase = columns[struck] + outcome
        phase = phase if amount else np.minimum(phase, 1)
        changed = {struck: phase, damage: columns[damage] + outcome}
        if leech and later:
            changed[f"{striker}.leech"] = columns[f"{striker}.leech"] + np.minimum(outcome, leech)
        elif leech:
            changed[own] = leeched(columns[own], outcome, leech)
        return changed

    return mark


def is_nerve(side: str, result: int) -> Callable[[Columns], Mask]:
    """Whether a side's last test had this result."""
    column = f"{side}.nerve"
    return lambda columns: columns[column] == result


def nerve_events(side: str) -> dict[str, Read]:
    """The three results as events. Source: KOW-05."""
    return {"steady": is_nerve(side, STEADY), "waver": is_nerve(side, WAVER), "rout": is_nerve(side, ROUT)}
