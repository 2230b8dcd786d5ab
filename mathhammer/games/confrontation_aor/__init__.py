"""Confrontation, The Age of the Rag'Narok: unit battles on one table of d6 tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mathhammer.core.game import Game

ID = "aor"
TITLE = "Confrontation: The Age of the Rag'Narok"
ABOUT = "units charge, shoot and break each other: attack and Strength tests, fear, courage, rout and rally"
MODES = {
    "assault": "one activation: reach, fear, charge, tactic, strike, losses",
    "shoot": "one activation's volleys: ranged tests, Strength tests, losses",
    "area": "one area weapon over a formation: drift, radius, who is covered, who falls",
    "fight": "alternating activations over rounds: strikes, courage, rout, flight, rally, the objective",
    "test": "any single test: action value, difficulty, dice, the best kept, a re-roll",
    "mystic": "mana or faith over rounds, and a ritual or communion with exaltation and an enemy who cancels",
}
EXAMPLES = (
    ("aor assault heavy-infantry conscripts", "one charge: who is lost, do they run"),
    ("aor area field-gun conscripts --distance 25", "where the shell lands and whom it kills"),
    ("aor fight heavy-infantry conscripts", "who breaks whom, round by round"),
    ("aor shoot marksmen conscripts --distance 25", "one volley, and whether courage is due"),
    ("aor test --action 5 --difficulty 3 --dice 4", "any single test"),
    ("aor mystic magicians --cost 8 --wanted 0.9", "how much exaltation a ritual needs"),
)


def load() -> Game:
    """The game's record (imports the rules)."""
    from mathhammer.games.confrontation_aor.game import GAME

    return GAME
