"""What a side plays for: one number of the end, by the wounds of all. The other side wants the opposite."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from mathhammer.core.errors import InputError, unknown
from mathhammer.core.pmf import Floats
from mathhammer.games.confrontation_3.wounds import DEAD, States

ROUNDING = 1e-14
QUANTITIES = ("kill", "killed", "wounds", "taken")
PRESETS: dict[str, tuple[float, float, float, float]] = {
    "net": (1, -1, 0, 0),
    "kill": (1, 0, 0, 0),
    "survive": (0, -1, 0, 0),
    "wounds": (0, 0, 1, -1),
}


@dataclass(frozen=True)
class Objective:
    """Weights of: enemies killed, being killed, levels of wounds dealt, levels taken (killed is level 4)."""

    kill: float
    killed: float
    wounds: float
    taken: float

    @property
    def tells_kills(self) -> bool:
        """Whether the enemies killed follow from the value and P(killed), so that they need no counting."""
        return self.kill != 0 and self.wounds == self.taken == 0

    def kills(self, value: float, killed: float) -> float:
        """The enemies killed, where the value tells them."""
        kills = (value - self.killed * killed) / self.kill
        return kills if kills > ROUNDING else 0.0

    def worth(self, states: States, fighters: int) -> Floats:
        """The objective by the states of the lone fighter and all enemies, shape (states, ..., states)."""
        level = states.wound(np.arange(states.count, dtype=np.int32)).astype(np.float64)
        dead = (level == DEAD).astype(np.float64)
        total = _along(self.killed * dead + self.taken * level, 0, fighters)
        for enemy in range(1, fighters):
            total = total + _along(self.kill * dead + self.wounds * level, enemy, fighters)
        return total


def _along(values: Floats, axis: int, axes: int) -> Floats:
    shape = [1] * axes
    shape[axis] = len(values)
    return values.reshape(shape)


def objective(text: str) -> Objective:
    """A preset, or weights such as `kill=1,killed=-0.5`. Raises `InputError`."""
    if text in PRESETS:
        return Objective(*PRESETS[text])
    if "=" not in text:
        raise unknown("--objective", text, PRESETS)
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name not in QUANTITIES or name in weights:
            why = "is there twice" if name in weights else f"is none of {', '.join(QUANTITIES)}"
            raise InputError(f"--objective {text!r}: {name!r} {why}")
        if not re.fullmatch(r"[+-]?\d{1,3}(\.\d{1,6})?", value, re.ASCII):
            raise InputError(f"--objective {text!r}: {name} is a number from -999 to 999, not {value!r}")
        weights[name] = float(value)
    return Objective(*(weights.get(name, 0.0) for name in QUANTITIES))
