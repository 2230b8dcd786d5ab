"""Confrontation 3: single fighters, opposed rolls, wounds that weaken, and dice placed before each melee."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mathhammer.core.game import Game

ID = "c3"
TITLE = "Confrontation 3"
ABOUT = "fighters duel: attack and defence dice placed by the best play, every hit goes to a wound table"
MODES = {
    "placement": "how to place the dice of one melee: each split, the best answer to it, what it is worth",
    "duel": "one against one: charge, fear, initiative, placement, exchanges, over several rounds",
    "fray": "one against up to four in one melee",
    "shoot": "one shot: range, modifiers, then the wound",
    "fear": "who holds when they come into contact, and who recovers",
    "test": "one characteristic test, against a difficulty or another fighter",
    "discipline": "the discipline roll of two sides",
}
EXAMPLES = (
    ("c3 placement wolfen-prowler griffin-magistrate", "how should both place their dice?"),
    ("c3 duel wolfen-prowler griffin-magistrate --contact charge --rounds 3", "who wins, from the charge on"),
    ("c3 fray wolfen-prowler alahan-paladin --with sylvan-animae", "one against two, best play"),
    ("c3 shoot griffin-magistrate wolfen-prowler --range medium --moved", "one shot and its wound"),
    ("c3 fear wolfen-prowler alahan-paladin --activated", "who is afraid of whom?"),
    ("c3 test griffin-magistrate --characteristic cou --difficulty 8", "a Courage test"),
    ("c3 discipline alahan-paladin wolfen-prowler", "who wins the discipline roll?"),
)


def load() -> Game:
    """The game's record (imports the rules)."""
    from mathhammer.games.confrontation_3.game import GAME

    return GAME
