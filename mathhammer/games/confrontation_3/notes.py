"""Footnotes: what the text names without rules, where it would matter; options that change nothing here."""

from __future__ import annotations

from mathhammer.core.game import Matchup
from mathhammer.games.confrontation_3.contact import ATTACKER, DEFENDER, FIGHTS, contact_of, fear_test
from mathhammer.games.confrontation_3.duel import duel_blows, reach_of
from mathhammer.games.confrontation_3.exchange import fitted
from mathhammer.games.confrontation_3.placement import written
from mathhammer.games.confrontation_3.profile import Fighter
from mathhammer.games.confrontation_3.shoot import OUT, band_pmf
from mathhammer.games.confrontation_3.situations import Duel, Fear, Fights, Fray, Shoot, Test

VALUES = {
    "duel": {
        "net": "the chance to kill less the chance of being killed",
        "kill": "the chance to kill",
        "survive": "0 less the chance of being killed",
        "wounds": "levels of wounds dealt less levels taken",
    }
}
VALUES["fray"] = VALUES["duel"] | {
    "net": "enemies killed less the chance of being killed",
    "kill": "enemies killed",
}

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
    elif isinstance(situation, Duel) and duel_blows(matchup).chance == 0:
        lines.append(f"they never come to blows: {_why_no_fight(matchup)}")
    if isinstance(situation, Fear) and fear_test(matchup.unit("attacker"), matchup.unit("defender")) is None:
        lines.append("neither inspires more fear than the other: nobody tests (C3-2.10)")
    if isinstance(situation, Test):
        lines += _fear_notes(matchup, situation)
    if isinstance(situation, Shoot):
        lines += _range_notes(matchup, situation)
        idle = [n for n in ("cover", "size", "height") if getattr(situation, n)]
        idle = [n for n in idle if getattr(matchup.rules, f"shooting_{n}") == 0]
        if idle:
            rules = ", ".join(f"shooting_{name}" for name in idle)
            lines.append(f"the text names {', '.join(idle)} without numbers: set {rules} with --rule")
    return lines


def _range_notes(matchup: Matchup, situation: Shoot) -> list[str]:
    """The range band where it is not told, and what lies beyond the last. Source: C3-2.5."""
    if situation.range is None and situation.distance is None:
        return ["short range, as neither --range nor --distance is given"]
    shooter: Fighter = matchup.unit(ATTACKER)
    if situation.distance is None or shooter.bands is None:
        return []
    beyond = band_pmf(shooter, situation)[OUT]
    if not beyond:
        return []
    sure = "out of range" if beyond == 1 else f"out of range {100 * beyond:.1f}% of the time"
    return [f"{sure}: the long range of {shooter.label()} ends at {shooter.bands[-1]} cm (C3-2.5)"]


def _why_no_fight(matchup: Matchup) -> str:
    """Of a duel that comes to no blows, without one who is charged while afraid."""
    situation: Duel = matchup.situation
    if reach_of(matchup) == 0:
        attacker: Fighter = matchup.unit(ATTACKER)
        far = 2 * ((attacker.fly if situation.flying else attacker.mov) or 0)
        return f"the target is out of reach, {situation.distance} cm where he moves up to {far:g} cm (C3-2.6)"
    test = contact_of(matchup).test
    if test is not None and test.who == ATTACKER:
        return "the attacker cannot pass the test of fear, and goes back to his start (C3-2.13)"
    return "the defender cannot pass the test of fear, and runs (C3-2.14)"


def _fear_notes(matchup: Matchup, situation: Test) -> list[str]:
    """Whose Fear stands for the Courage that is rolled with. Source: C3-2.11."""
    rolled = {"attacker": situation.characteristic, "with": situation.against or situation.characteristic}
    return [
        f"{fighter.label()} has Fear {fighter.fear}, which stands for Courage (C3-2.11)"
        for role, name in rolled.items()
        for fighter in (placed.unit for placed in matchup.units[role])
        if name == "cou" and isinstance(fighter, Fighter) and fighter.cou is None
    ]


def _fight_notes(matchup: Matchup, situation: Fights) -> list[str]:
    fought = not isinstance(situation, Duel) or duel_blows(matchup).chance > 0
    lines = [*([_play_note(situation)] if fought else []), _missing(matchup, situation)]
    lines += _limited_splits(matchup, situation)
    if isinstance(situation, Fray):
        lines.append(
            "a fray begins in contact: who was charged and who is afraid is given by --charged, "
            "--attacker-afraid, --defender-afraid and --with UNIT@charged@afraid"
        )
    if isinstance(situation, Fray) and situation.listed_order and situation.play == "best":
        lines.append("the enemies attack in the order listed, which no rule says, not in the best for them")
    if isinstance(situation, Fray) and situation.rounds > 1 and (situation.split or situation.enemy_split):
        lines.append("with fewer dice in later rounds a fixed split keeps its attack dice first")
    return lines


def _limited_splits(matchup: Matchup, situation: Fights) -> list[str]:
    """Fixed splits of enemies that fear does not let them place. Source: C3-2.16."""
    if situation.enemy_split is None or not matchup.rules.fear_limits_attack:
        return []
    lines = []
    for split, who, afraid in zip(situation.enemy_split.split(","), *_may_be_afraid(matchup), strict=True):
        attack, defence = map(int, split.split("/")) if "/" in split else (0, 0)
        placed = fitted((attack, defence), attack + defence, afraid)
        if placed[0] < attack:
            lines.append(
                f"--enemy-split {split.strip()}: while {who} is afraid he places {written(placed)} (C3-2.16)"
            )
    return lines


def _may_be_afraid(matchup: Matchup) -> tuple[list[str], list[bool]]:
    """The enemies, and whether each may be afraid as the melee begins."""
    situation: Fights = matchup.situation
    afraid = situation.defender_afraid
    if isinstance(situation, Duel):
        contact = contact_of(matchup)
        tests = contact.test is not None and contact.test.who == DEFENDER
        afraid = afraid or (tests and contact.fails == FIGHTS)
    others = matchup.units.get("with", ())
    names = [placed.unit.label() for placed in (*matchup.units[DEFENDER], *others)]
    return names, [afraid, *(bool(placed.placing["afraid"]) for placed in others)]


def _play_note(situation: Fights) -> str:
    if situation.play == "simple":
        idle = "" if situation.objective == "net" else "; --objective changes nothing"
        return (
            f"simple play: splits as fixed, else half attack; dice spent at once; the first enemy first{idle}"
        )
    side = "fray" if isinstance(situation, Fray) else "duel"
    what = VALUES[side].get(situation.objective, situation.objective)
    who = "the enemies together want" if isinstance(situation, Fray) else "the defender wants"
    return f"value: {what}, of the attacker; {who} the opposite"


def _missing(matchup: Matchup, situation: Fights) -> str:
    """What the text names without rules, of what could matter here."""
    missing = ["sustained defence", "counter-attack"]
    if situation.rounds > 1:
        missing += ["leaving the melee", "pursuit"]
    if isinstance(situation, Duel) and situation.contact == "charge" and matchup.unit("attacker").aim:
        missing.append("shooting while charging")
    return f"named in the text without rules, so not played: {', '.join(missing)}"
