"""The game's record: modes with their roles, measures and events, rulesets, and notes on units."""

from __future__ import annotations

from pathlib import Path

from mathhammer.core.game import Event, Game, Measure, Mode, Role
from mathhammer.games.confrontation_aor import ID, MODES, TITLE, area_picture, area_tables, mystics, trial
from mathhammer.games.confrontation_aor.area import area
from mathhammer.games.confrontation_aor.assault import assault
from mathhammer.games.confrontation_aor.fight import fight
from mathhammer.games.confrontation_aor.notes import notes
from mathhammer.games.confrontation_aor.profile import Unit
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.shoot import shoot
from mathhammer.games.confrontation_aor.situations import Area, Assault, Fight, Mystic, Shoot, Test

ATTACKER = Role("attacker", "the unit that is activated")
DEFENDER = Role("defender", "the unit that it meets")
STAFF_WORDS = {"unseen": {"sees": False}, "far": {"near": False}, "rout": {"rout": True}}
STAFF_DEFAULTS = {"sees": True, "near": True, "rout": False}
STAFFS = tuple(
    Role(
        f"{side}_staff",
        f"a war staff that the {side} may use, as UNIT@word: unseen, far (over 30 cm), rout; nearest first",
        many=True,
        words=STAFF_WORDS,
        defaults=STAFF_DEFAULTS,
    )
    for side in ("attacker", "defender")
)


def both(name: str, unit: str, about: str, brief: bool = False) -> tuple[Measure, Measure]:
    """A measure of either side."""
    return (
        Measure(f"attacker.{name}", "attacker", unit, f"{about} of the attacker", brief),
        Measure(f"defender.{name}", "defender", unit, f"{about} of the defender", brief),
    )


LOST = (
    Measure("kills", "defender", "fighters", "fighters that the defender loses"),
    Measure("damage", "defender", "points", "damage that the defender takes"),
    Measure("models_left", "defender", "fighters", "fighters that the defender has left", brief=True),
    Measure("wounds_left", "defender", "points", "damage that those left can still take", brief=True),
)
AT_HALF = Event("at_half", "defender", "it is at half: courage is due (AOR-21)", rare=True)
DESTROYED = Event("destroyed", "defender", "nobody of the defender is left", quiet=True)


GAME = Game(
    id=ID,
    title=TITLE,
    unit=Unit,
    rules=Rules,
    modes={
        "assault": Mode(
            name="assault",
            about=MODES["assault"],
            roles=(ATTACKER, DEFENDER, *STAFFS),
            situation=Assault,
            play=assault,
            measures=(
                *LOST,
                Measure(
                    "attacker.losses",
                    "attacker",
                    "fighters",
                    "fighters that the attacker loses",
                    when=lambda s: s.tactic == "kill-them-all",
                ),
            ),
            events=(
                Event("reaches", "attacker", "the assault gets there (AOR-04)", quiet=True),
                Event("charges", "attacker", "the assault is a charge (AOR-05)"),
                Event("rout", "defender", "the defender is in rout before the blows (AOR-06)", rare=True),
                DESTROYED,
                AT_HALF,
                Event("attacker.rout", "attacker", "the attacker is in rout (AOR-06)", rare=True),
                Event("tactic", "attacker", "the tactic's test passes", when=lambda s: s.tactic != "none"),
            ),
            summary="{attacker} assault {defender}",
        ),
        "shoot": Mode(
            name="shoot",
            about=MODES["shoot"],
            roles=(ATTACKER, DEFENDER, STAFFS[0]),
            situation=Shoot,
            play=shoot,
            measures=LOST,
            events=(
                DESTROYED,
                AT_HALF,
                Event("tactic", "attacker", "the tactic's test passes", when=lambda s: s.tactic != "none"),
            ),
            summary="{attacker} shoot at {defender}",
        ),
        "area": Mode(
            name="area",
            about=MODES["area"],
            roles=(ATTACKER, DEFENDER),
            situation=Area,
            play=area,
            measures=(
                Measure("kills", "defender", "fighters", "fighters that the defender loses"),
                Measure("covered", "defender", "fighters", "fighters of the defender under the template"),
                Measure(
                    "damage", "defender", "points", "damage taken, no more than the wounds left", brief=True
                ),
                Measure("drift", "attacker", "cm", "how far the template drifts", brief=True),
                Measure(
                    "friends_lost",
                    "attacker",
                    "fighters",
                    "friends lost under the template",
                    when=lambda s: bool(s.friends),
                ),
            ),
            events=(
                Event("stays", "attacker", "the template stays on its target"),
                Event("lost", "attacker", "an automatic failure: the shot is lost (AOR-10)", rare=True),
                Event("hits_any", "defender", "somebody of the defender falls"),
                DESTROYED,
                AT_HALF,
            ),
            tables=area_tables.tables,
            picture=area_picture.picture,
            summary="{attacker} shell {defender}, aimed at fighter {aim}",
        ),
        "fight": Mode(
            name="fight",
            about=MODES["fight"],
            roles=(ATTACKER, DEFENDER, *STAFFS),
            situation=Fight,
            play=fight,
            measures=(
                *both("losses", "fighters", "fighters lost"),
                *both("wounds_left", "points", "damage that those left can still take,", brief=True),
                *both("power_left", "Power", "Power left", brief=True),
            ),
            events=(
                Event("attacker.destroyed", "attacker", "nobody of the attacker is left"),
                Event("defender.destroyed", "defender", "nobody of the defender is left"),
                Event("attacker.rout", "attacker", "the attacker is in rout at that time", rare=True),
                Event("defender.rout", "defender", "the defender is in rout at that time", rare=True),
                Event("attacker.broken", "attacker", "the attacker has been in rout at some time", rare=True),
                Event("defender.broken", "defender", "the defender has been in rout at some time", rare=True),
                Event(
                    "attacker.holds_objective",
                    "attacker",
                    "the attacker controls the objective (AOR-30)",
                    when=lambda s: s.objective,
                ),
                Event(
                    "defender.holds_objective",
                    "defender",
                    "the defender controls the objective (AOR-30)",
                    when=lambda s: s.objective,
                ),
            ),
            summary="{attacker} against {defender}, {rounds:round}",
        ),
        "test": Mode(
            name="test",
            about=MODES["test"],
            roles=(),
            situation=Test,
            play=trial.trial,
            measures=(
                Measure(
                    "successes",
                    "tester",
                    "dice",
                    "dice that succeed",
                    when=lambda s: not s.keep_best and s.kind != trial.AUTHORITY_ROLL,
                ),
            ),
            events=(
                Event("passes", "tester", "one success at least; or the first commander's roll is higher"),
            ),
            tables=trial.tables,
            summary="{kind} test, {action} against {difficulty}",
        ),
        "mystic": Mode(
            name="mystic",
            about=MODES["mystic"],
            roles=(Role("attacker", "the unit with magicians or faithful"),),
            situation=Mystic,
            play=mystics.mystic,
            measures=(
                Measure("pool", "attacker", "points", "points before the rite, or before a round's spending"),
                Measure("left", "attacker", "points", "points afterwards", brief=True),
            ),
            events=(
                Event("cast", "attacker", "the pool pays the cost and the exaltation"),
                Event("cancelled", "attacker", "an enemy pays to cancel it", when=lambda s: s.enemy_pool > 0),
                Event("succeeds", "attacker", "it is cast, not cancelled, and its test passes"),
                Event(
                    "power",
                    "attacker",
                    "I Have the Power passes (AOR-18)",
                    quiet=True,
                    when=lambda s: s.tactic != "none",
                ),
            ),
            tables=mystics.tables,
            summary="{attacker}: a rite of cost {cost} against {difficulty}, after {rounds:control phase}",
        ),
    },
    folder=Path(__file__).parent,
    home="mathhammer.games.confrontation_aor",
    ruleset_option="ruleset",
    ruleset_files={"default": "default.toml", "no-bonus-dice": "no-bonus-dice.toml"},
    default_ruleset="default",
    notes=notes,
)
