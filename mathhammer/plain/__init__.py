"""Plain questions, of no game: dice, charge rolls, scatter, morale. What is listed before anything loads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mathhammer.core.game import Game

ID = "plain"
MODES = {
    "dice": "any dice expression: its distribution, percentiles and odds",
    "charge": "a charge roll with re-rolls: the chance, and which dice to roll again",
    "scatter": "a template that drifts: does it stay, and which bases does it touch",
    "morale": "a morale roll in the plain forms: pass, waver, fail, and how long it lasts",
}
EXAMPLES = {
    "dice": "dice '2d6 >= 9'",
    "charge": "charge 9 --reroll any",
    "scatter": "scatter --skill 4 --template 3 --bases 5x2",
    "morale": "morale 8 --modifier -1 --reroll",
}


def load() -> Game:
    """The record (imports the modes)."""
    from mathhammer.plain.game import GAME

    return GAME
