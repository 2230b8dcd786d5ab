"""The game's record: modes with their roles, measures and events, editions, and notes on profiles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mathhammer.core.game import Event, Game, Matchup, Measure, Mode, Role
from mathhammer.games.kings_of_war import ID, MODES, TITLE
from mathhammer.games.kings_of_war.fight import fight
from mathhammer.games.kings_of_war.healing import lifeleech
from mathhammer.games.kings_of_war.melee import charge_reaches, chargers_of, melee
from mathhammer.games.kings_of_war.profile import Unit
from mathhammer.games.kings_of_war.ruleset import Rules
from mathhammer.games.kings_of_war.shoot import in_range, shoot
from mathhammer.games.kings_of_war.situations import Fight, Melee, Shoot

ATTACKER = Role("attacker", "the unit that charges or shoots")
DEFENDER = Role("defender", "the unit that is struck")
WITH = Role(
    "with",
    "another charger, as UNIT@facing: front, flank, rear; @hindered may follow",
    many=True,
    words={
        "front": {"facing": "front"},
        "flank": {"facing": "flank"},
        "rear": {"facing": "rear"},
        "hindered": {"hindered": True},
    },
    defaults={"facing": "front", "hindered": False},
    joins="attacker",
)

DAMAGE = Measure("damage", "defender", "points", "damage that the strike deals")
DAMAGE_AFTER = Measure("damage_after", "defender", "points", "damage on the unit afterwards")
LEECHED = Measure("attacker.damage_after", "attacker", "points", "damage on the attacker afterwards")
RESULTS = (
    Event("steady", "defender", "the nerve test leaves it steady (or none was due)"),
    Event("waver", "defender", "the nerve test leaves it wavering"),
    Event("rout", "defender", "the nerve test routs it"),
)

# What each special rule needs of an edition: without it the rule does nothing, which is footnoted.
NEEDS: dict[str, Callable[[Rules], bool]] = {
    "thunderous_charge": lambda rules: rules.thunderous,
    "iron_resolve": lambda rules: rules.iron_resolve != "none",
    "lifeleech": lambda rules: rules.lifeleech != "none",
    "brutal": lambda rules: rules.brutal != "none",
    "ensnare": lambda rules: rules.ensnare > 0,
    "shattering": lambda rules: rules.shattering > 0,
    "dread": lambda rules: rules.dread > 0,
    "duelist": lambda rules: rules.duelist_factor > 1,
}


def _without_effect(unit: Unit, matchup: Matchup) -> list[str]:
    """What a unit has or is asked to do that this question leaves without effect."""
    lines = []
    later = [name for name in ("regeneration", "headstrong") if getattr(unit.rules, name)]
    if later and not isinstance(matchup.situation, Fight):
        lines.append(f"{unit.label()}: {' and '.join(later)} count in its own turn, so in a fight only")
    striker = (
        unit is matchup.unit("attacker") and unit.rules.individual and not matchup.rules.individual_flanks
    )
    if striker and not isinstance(matchup.situation, Shoot) and matchup.situation.facing != "front":
        lines.append(f"{unit.label()} is an Individual: striking a {matchup.situation.facing} adds no dice")
    return lines


def _too_far(matchup: Matchup) -> list[str]:
    """Who does not get there, so that nothing comes of it. Source: KOW-09."""
    situation, attacker = matchup.situation, matchup.unit("attacker")
    if isinstance(situation, Shoot) and not in_range(attacker, situation):
        return [f"{attacker.label()} shoots {attacker.reach} inches, not {situation.distance} (KOW-09)"]
    if not isinstance(situation, Melee):
        return []
    double = f", {situation.difficult} of them double" if situation.difficult else ""
    way = f"{situation.distance} inches{double}"
    return [
        f"{unit.label()} charges {2 * unit.sp} inches at most: over {way} it does not strike (KOW-09)"
        for unit, _ in chargers_of(matchup)
        if not charge_reaches(unit, situation)
    ]


def _idle_damage(matchup: Matchup) -> list[str]:
    """Damage on a charger that changes nothing but what it has afterwards. Source: KOW-05."""
    situation, attacker, rules = matchup.situation, matchup.unit("attacker"), matchup.rules
    if not isinstance(situation, Melee) or not situation.attacker_damage_before:
        return []
    if lifeleech(attacker, rules) or rules.devastated:
        return []
    return [f"--attacker-damage-before changes nothing: {attacker.label()} heals none, and strikes as before"]


def notes(matchup: Matchup, edition: str) -> list[str]:
    """Footnotes on profiles of other editions, and on special rules that this edition does not have."""
    lines: list[str] = []
    for unit in dict.fromkeys(placed.unit for role in matchup.units.values() for placed in role):
        assert isinstance(unit, Unit)
        if unit.edition is not None and str(unit.edition) != edition:
            lines.append(
                f"{unit.label()} is a profile of edition {unit.edition}, played by edition {edition}: "
                f"--edition {unit.edition} plays it by its own"
            )
        if unit.edition == 4 and matchup.rules.nerve_values == "two":
            lines.append(f"{unit.label()} has one nerve value, read as -/{unit.rout} here: it never wavers")
        if unit.waver is not None and matchup.rules.nerve_values == "one":
            lines.append(
                f"{unit.label()} has two nerve values, of which the one to rout, {unit.rout}, is read here"
            )
        lines += _without_effect(unit, matchup)
        idle = [name for name, has in NEEDS.items() if getattr(unit.rules, name) and not has(matchup.rules)]
        if idle:
            listed = ", ".join(name.replace("_", " ").title() for name in idle)
            lines.append(f"{unit.label()}: edition {edition} has no {listed}, so it does nothing here")
    return list(dict.fromkeys([*lines, *_too_far(matchup), *_idle_damage(matchup)]))


GAME = Game(
    id=ID,
    title=TITLE,
    unit=Unit,
    rules=Rules,
    modes={
        "melee": Mode(
            name="melee",
            about=MODES["melee"],
            roles=(ATTACKER, DEFENDER, WITH),
            situation=Melee,
            play=melee,
            measures=(DAMAGE, DAMAGE_AFTER, LEECHED),
            events=(*RESULTS, Event("reaches", "attacker", "the attacker's charge gets there", quiet=True)),
            summary="{attacker} charge {defender} in the {facing}",
        ),
        "shoot": Mode(
            name="shoot",
            about=MODES["shoot"],
            roles=(ATTACKER, DEFENDER),
            situation=Shoot,
            play=shoot,
            measures=(DAMAGE, DAMAGE_AFTER),
            events=(*RESULTS, Event("reaches", "attacker", "the target is in range", quiet=True)),
            summary="{attacker} shoot at {defender}",
        ),
        "fight": Mode(
            name="fight",
            about=MODES["fight"],
            roles=(ATTACKER, DEFENDER),
            situation=Fight,
            play=fight,
            measures=(
                Measure("attacker.damage", "attacker", "points", "damage on the attacker at the end"),
                Measure("defender.damage", "defender", "points", "damage on the defender at the end"),
            ),
            events=(
                Event("attacker.rout", "attacker", "the attacker has routed"),
                Event("defender.rout", "defender", "the defender has routed"),
            ),
            summary="{attacker} charge {defender}, {turns:turn} each",
        ),
    },
    folder=Path(__file__).parent,
    home="mathhammer.games.kings_of_war",
    ruleset_option="edition",
    ruleset_files={str(n): f"edition-{n}.toml" for n in range(1, 5)},
    default_ruleset="1",
    prefer=lambda edition: {"edition": int(edition)},
    notes=notes,
)
