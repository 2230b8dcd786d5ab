"""Footnotes: what the text names without rules, where it would matter; options that change nothing here."""

from __future__ import annotations

from mathhammer.core.game import Matchup
from mathhammer.games.confrontation_3.contact import fear_test
from mathhammer.games.confrontation_3.situations import Duel, Fear, Fights, Fray, Shoot

AIMS = {
    "net": "kills less the chance of being killed",
    "kill": "kills",
    "survive": "not being killed",
    "wounds": "wounds dealt less wounds taken",
}
AIMED_AT = {"kill": ("defender.killed", "mean kills"), "survive": ("attacker.killed",)}


def aim(situation: Fights, wanted: str) -> str:
    """What dice are placed for, where it is not the number that is wanted."""
    goal = situation.objective
    if situation.play == "simple" or wanted in AIMED_AT.get(goal, ()):
        return ""
    return f"{AIMS.get(goal, goal)} (--objective {goal})"


def notes(matchup: Matchup, ruleset: str) -> list[str]:
    """What a reader should know of an answer."""
    situation = matchup.situation
    lines: list[str] = []
    if isinstance(situation, Fights):
        lines += _fight_notes(matchup, situation)
    if isinstance(situation, Duel | Fear) and situation.contact == "charge" and situation.defender_afraid:
        lines.append(
            "the defender is afraid and charged: he runs; leaving a melee has no rules in the text (C3-2.17)"
        )
    if isinstance(situation, Fear) and fear_test(matchup.unit("attacker"), matchup.unit("defender")) is None:
        lines.append("neither inspires more fear than the other: nobody tests (C3-2.10)")
    if isinstance(situation, Shoot):
        idle = [n for n in ("cover", "size", "height") if getattr(situation, n)]
        idle = [n for n in idle if getattr(matchup.rules, f"shooting_{n}") == 0]
        if idle:
            rules = ", ".join(f"shooting_{name}" for name in idle)
            lines.append(f"the text names {', '.join(idle)} without numbers: set {rules} with --rule")
    return lines


def _fight_notes(matchup: Matchup, situation: Fights) -> list[str]:
    lines = [_play_note(situation), _missing(matchup, situation)]
    if isinstance(situation, Fray) and situation.rounds > 1 and (situation.split or situation.enemy_split):
        lines.append("with fewer dice in later rounds a fixed split keeps its attack dice first")
    return lines


def _play_note(situation: Fights) -> str:
    if situation.play == "simple":
        return "simple play: splits as fixed, else half attack; dice spent at once; the first enemy first"
    if isinstance(situation, Fray):
        return "value: to the attacker, who is alone; the enemies want the opposite, as one"
    return "value: to the attacker; the defender wants the opposite"


def _missing(matchup: Matchup, situation: Fights) -> str:
    """What the text names without rules, of what could matter here."""
    missing = ["sustained defence", "counter-attack"]
    if situation.rounds > 1:
        missing += ["leaving the melee", "pursuit"]
    if isinstance(situation, Duel) and situation.contact == "charge" and matchup.unit("attacker").aim:
        missing.append("shooting while charging")
    return f"named in the text without rules, so not played: {', '.join(missing)}"
