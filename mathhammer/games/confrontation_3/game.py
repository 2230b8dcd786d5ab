"""The game's record: modes with their roles, measures and events, and notes on what is not modelled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mathhammer.core.game import Event, Game, Measure, Mode, Role
from mathhammer.games.confrontation_3 import ID, MODES, TITLE
from mathhammer.games.confrontation_3.checks import discipline, fear, tested
from mathhammer.games.confrontation_3.duel import duel, placement
from mathhammer.games.confrontation_3.fray import fray
from mathhammer.games.confrontation_3.notes import aim, notes
from mathhammer.games.confrontation_3.pictures import draw_placement
from mathhammer.games.confrontation_3.profile import Fighter
from mathhammer.games.confrontation_3.ruleset import Rules
from mathhammer.games.confrontation_3.shoot import shoot
from mathhammer.games.confrontation_3.situations import Discipline, Duel, Fear, Fray, Placement, Shoot, Test
from mathhammer.games.confrontation_3.tables import (
    HEADS,
    duel_captions,
    duel_tables,
    fear_tables,
    fray_tables,
)

ATTACKER = Role("attacker", "the fighter whose chances are asked for")
DEFENDER = Role("defender", "his enemy")
ENEMIES = Role(
    "with",
    "another enemy of a fray, as UNIT@word: afraid, charged, stunned, light, serious, critical",
    many=True,
    words={
        "afraid": {"afraid": True},
        "charged": {"charged": True},
        "stunned": {"stunned": True},
        "light": {"wound": "light"},
        "serious": {"wound": "serious"},
        "critical": {"wound": "critical"},
    },
    defaults={"afraid": False, "charged": False, "stunned": False, "wound": ""},
)
OPPONENT = Role("with", "another fighter, for an opposed roll", many=True)


def never(situation: Any) -> bool:
    """For what is only there to make tables of."""
    return False


def wound(name: str, side: str) -> Measure:
    """The wound of a fighter."""
    return Measure(
        f"{name}.wound", side, "levels", "wound: 0 unhurt, 1 light, 2 serious, 3 critical, 4 killed"
    )


def in_one_round(situation: Any) -> bool:
    """Whether only one round is asked for."""
    return getattr(situation, "rounds", 1) == 1


def wound_events(prefix: str, side: str) -> tuple[Event, ...]:
    """Wounds as "at least"; on the terminal the distribution of the wound says the ones between."""
    return (
        Event(f"{prefix}stunned", side, "was stunned at some time", when=in_one_round),
        Event(f"{prefix}light", side, "has at least a light wound", when=never),
        Event(f"{prefix}serious", side, "has at least a serious wound", when=never),
        Event(f"{prefix}critical", side, "has at least a critical wound", when=never),
        Event(f"{prefix}killed", side, "is killed"),
    )


FIRST = Event("attacker.initiative", "attacker", "the attacker wins the first initiative", quiet=True)
BOTH_WOUNDS = (
    wound("attacker", "attacker"),
    wound("defender", "defender"),
    Measure("outcome", "both", "code", "5 x the attacker's wound + the defender's", when=never),
)
FIGHTS = Event("fights", "both", "they come to blows", quiet=True)
WITHOUT_FIGHT = (
    Event("falls_short", "attacker", "the attacker does not reach the target", rare=True),
    Event("cancelled", "attacker", "the attacker is afraid and goes back to his start", rare=True),
    Event("flees", "defender", "the defender runs", rare=True),
)
MELEE_EVENTS = (
    FIRST,
    *wound_events("attacker.", "attacker"),
    *wound_events("defender.", "defender"),
)

GAME = Game(
    id=ID,
    title=TITLE,
    unit=Fighter,
    rules=Rules,
    modes={
        "placement": Mode(
            name="placement",
            about=MODES["placement"],
            roles=(ATTACKER, DEFENDER),
            situation=Placement,
            play=placement,
            measures=BOTH_WOUNDS,
            events=(FIGHTS, *MELEE_EVENTS),
            tables=duel_tables,
            captions=duel_captions,
            heads=HEADS,
            picture=draw_placement,
            summary="{attacker} places dice against {defender}",
            aim=aim,
        ),
        "duel": Mode(
            name="duel",
            about=MODES["duel"],
            roles=(ATTACKER, DEFENDER),
            situation=Duel,
            play=duel,
            measures=BOTH_WOUNDS,
            events=(FIGHTS, *WITHOUT_FIGHT, *MELEE_EVENTS),
            tables=duel_tables,
            captions=duel_captions,
            heads=HEADS,
            summary="{attacker} against {defender}",
            aim=aim,
        ),
        "fray": Mode(
            name="fray",
            about=MODES["fray"],
            roles=(ATTACKER, DEFENDER, ENEMIES),
            situation=Fray,
            play=fray,
            measures=(
                Measure("kills", "enemies", "fighters", "enemies killed"),
                wound("attacker", "attacker"),
                *(
                    Measure(f"{name}.wound", "enemies", "levels", "wound of an enemy", when=never)
                    for name in ("defender", "second", "third", "fourth")
                ),
            ),
            events=(
                FIRST,
                *wound_events("attacker.", "attacker"),
                Event("any_killed", "enemies", "at least one enemy is killed"),
                Event("all_killed", "enemies", "all enemies are killed"),
            ),
            tables=fray_tables,
            heads={**HEADS, "enemy has initiative": "enemies have initiative"},
            summary="{attacker} alone against {defender}",
            aim=aim,
        ),
        "shoot": Mode(
            name="shoot",
            about=MODES["shoot"],
            roles=(ATTACKER, DEFENDER),
            situation=Shoot,
            play=shoot,
            measures=(wound("defender", "defender"),),
            events=(
                Event("reaches", "attacker", "the target is in range", quiet=True),
                Event("hits", "attacker", "the shot hits"),
                *wound_events("", "defender"),
            ),
            summary="{attacker} shoots at {defender}",
        ),
        "fear": Mode(
            name="fear",
            about=MODES["fear"],
            roles=(ATTACKER, DEFENDER),
            situation=Fear,
            play=fear,
            measures=(),
            events=(
                Event("fights", "both", "it comes to a melee"),
                Event("cancelled", "attacker", "the attacker is afraid and goes back to his start"),
                Event("flees", "defender", "the defender runs"),
                Event("attacker.afraid", "attacker", "the attacker is afraid"),
                Event("defender.afraid", "defender", "the defender is afraid"),
                Event("recovers", "both", "somebody is afraid, and recovers when he is next activated"),
            ),
            tables=fear_tables,
            summary="{attacker} comes into contact with {defender}",
        ),
        "test": Mode(
            name="test",
            about=MODES["test"],
            roles=(ATTACKER, OPPONENT),
            situation=Test,
            play=tested,
            measures=(),
            events=(
                Event("succeeds", "attacker", "the test succeeds, or the opposed roll is won"),
                Event("ties", "both", "the opposed roll is tied", when=lambda s: s.difficulty is None),
                Event("fails", "attacker", "the test fails, or the opposed roll is lost"),
            ),
            summary="{attacker} tests {characteristic}",
        ),
        "discipline": Mode(
            name="discipline",
            about=MODES["discipline"],
            roles=(ATTACKER, DEFENDER),
            situation=Discipline,
            play=discipline,
            measures=(),
            events=(
                Event("attacker.wins", "attacker", "the attacker's side wins the roll"),
                Event("defender.wins", "defender", "the defender's side wins the roll"),
            ),
            summary="{attacker} and {defender} roll discipline",
        ),
    },
    folder=Path(__file__).parent,
    home="mathhammer.games.confrontation_3",
    ruleset_option="edition",
    ruleset_files={"3": "edition-3.toml"},
    default_ruleset="3",
    notes=notes,
)
