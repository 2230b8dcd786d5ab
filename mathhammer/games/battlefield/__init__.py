"""Battlefield mode: units of soldiers on a grid, d20 checks. What is listed before anything loads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mathhammer.core.game import Game

ID = "battlefield"
TITLE = "Battlefield mode"
ABOUT = "units of soldiers on a grid; almost everything is d20 + modifiers against a DC"
MODES = {
    "check": "any one check, with all that goes into it listed",
    "attack": "one or two attack actions, and the counter-attack; also into a melee",
    "charge": "a charge and what follows: damage, break-in, push, break through, a second one",
    "melee": "rounds in one cell: attack, disrupt, rally, help, disengage; several units a side",
    "push": "pushing a unit back a cell, into what is behind it",
    "lure": "drawing a unit out of its cell",
    "lob": "bows shot high, at one or two cells: where the damage lands",
    "besiege": "several units around one attack it together, then its nerve is tested",
    "swap": "taking another weapon in hand: how many actions it costs",
    "plan": "a list of actions of both sides from a file, run as one tree",
}
EXAMPLES = (
    ("battlefield charge heavy-cavalry pikes --cells 4", "what a charge of lances leaves of the pikes"),
    (
        "battlefield charge heavy-cavalry pikes --cells 4 --order break-through",
        "through the pikes, in melee with them, or repelled?",
    ),
    ("battlefield check heavy-cavalry pikes break-in --cells 4", "one check, every modifier listed"),
    ("battlefield attack archers pikes --inside levy-spears@ours", "shots into a melee hit friends too"),
    ("battlefield melee levy-spears pikes --with archers@theirs --rounds 6", "who bleeds whom, by round"),
    ("battlefield push heavy-infantry levy-spears --behind archers", "two units thrown into one cell?"),
    ("battlefield lure skirmishers heavy-infantry", "do they take the bait?"),
    ("battlefield lob archers levy-spears", "where a lobbed volley lands"),
    ("battlefield besiege halberdiers pikes --with levy-spears --with archers", "surrounded by three"),
    ("battlefield swap archers --quick", "bows away, blades out: is an action saved?"),
    ("battlefield plan turn.toml", "a turn of both sides from a file, as one tree"),
)


def load() -> Game:
    """The game's record (imports the rules)."""
    from mathhammer.games.battlefield.game import GAME

    return GAME
