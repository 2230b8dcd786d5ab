"""Kings of War: whole units, dice to hit and to damage, then nerve. What is listed before anything loads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mathhammer.core.game import Game

ID = "kow"
TITLE = "Kings of War"
ABOUT = "units strike or shoot, damage adds up, 2d6 + damage tests nerve; editions 1 to 4"
MODES = {
    "melee": "one charge, or several against one unit, then its nerve test",
    "shoot": "one volley, then the target's nerve test",
    "fight": "turns alternate, both sides strike, to a rout or the last turn",
}
EXAMPLES = (
    ("kow melee ogre-warriors foot-guard --facing flank", "do the ogres break them in the flank?"),
    ("kow fight knights orc-ax --turns 6", "who breaks whom, turn by turn"),
    ("kow shoot elf-bowmen ghoul --cover soft --distance 20", "one volley, and whether they waver"),
)


def load() -> Game:
    """The game's record (imports the rules)."""
    from mathhammer.games.kings_of_war.game import GAME

    return GAME
