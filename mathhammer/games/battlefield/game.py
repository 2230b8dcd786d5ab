"""The game's record: modes with their roles, measures and events, the ruleset, and notes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

from mathhammer.core.game import Event, Game, Matchup, Measure, Mode, Role
from mathhammer.games.battlefield import (
    ID,
    MODES,
    TITLE,
    attack,
    brawl,
    charge,
    check,
    lob,
    lure,
    pictures,
    plan,
    push,
    scenes,
    siege,
    situations,
    swap,
)
from mathhammer.games.battlefield.nerve import flank_morale
from mathhammer.games.battlefield.profile import Unit
from mathhammer.games.battlefield.ruleset import Rules
from mathhammer.games.battlefield.volleys import scale_of

ATTACKER = Role("attacker", "the unit that acts")
DEFENDER = Role("defender", "the unit that it acts on")
SIDES = {"ours": {"side": scenes.OURS}, "theirs": {"side": scenes.THEIRS}}

DAMAGE = Measure("damage", "defender", "points", "damage on the defender")
COUNTER = Measure("attacker.damage", "attacker", "points", "damage on the attacker, by counters")
MORALE = Measure("morale", "defender", "steps", "where the defender stands on the morale track")
DESTROYED = Event("destroyed", "defender", "the defender has no soldiers left", rare=True)
ROUT = Event("rout", "defender", "its morale is at the ruleset's threshold to rout", rare=True)
SHAKEN = Event("shaken", "defender", "the defender is shaken", rare=True)
CONFUSED = Event("confused", "defender", "the defender is confused", rare=True)
LOST = Event("attacker.destroyed", "attacker", "the attacker has no soldiers left", rare=True)


def one_more(name: str, about: str, heading: str = "") -> Role:
    """A role that one unit may take."""
    return Role(name, about, many=True, heading=heading)


def of_kind(*kinds: str) -> Any:
    """Whether a check is of one of these kinds."""
    return lambda situation: situation.kind in kinds


def ordered(*orders: str) -> Any:
    """Whether a charge has one of these orders."""
    return lambda situation: situation.order in orders


def notes(matchup: Matchup, ruleset: str) -> list[str]:
    """Footnotes on how damage is counted, and on what has no effect here."""
    situation, rules = matchup.situation, matchup.rules
    lines = []
    if rules.half_rounding == "exact":
        scale = scale_in(matchup)
        lines.append(f"half_rounding=exact: damage is counted in 1/{scale} of a point")
    if change := morale_change(situation, rules):
        lines.append(f"the morale of {matchup.unit('defender').name} changes by {change:+d} (BF-14)")
        if all(at is None for at in (rules.shaken_at, rules.confused_at, rules.rout_at)):
            lines.append("no shaken_at, confused_at or rout_at is set, so nobody routs by morale")
    if isinstance(situation, situations.Attack) and situation.actions == 2:
        unit = matchup.unit("attacker")
        lines += [f"{unit.name} reload in the second action (BF-01)"] if unit.weapon == "firearm" else []
    return lines + (plan.plan_notes(matchup) if isinstance(situation, situations.Plan) else [])


def morale_change(situation: Any, rules: Rules) -> int:
    """What a siege, or standing flanked for a turn, does to the defender's morale. Source: BF-13, BF-14."""
    if isinstance(situation, situations.Besiege):
        return siege.siege_morale(rules)
    return flank_morale(getattr(situation, "flank", "none"), rules)


def scale_in(matchup: Matchup) -> int:
    """The part of a point that damage is counted in."""
    if isinstance(matchup.situation, situations.Attack):
        return attack.attack_scene(matchup).battle.scale
    return scale_of(matchup.rules)


GAME = Game(
    id=ID,
    title=TITLE,
    unit=Unit,
    rules=Rules,
    modes={
        "check": Mode(
            name="check",
            about=MODES["check"],
            roles=(ATTACKER, DEFENDER),
            situation=situations.Check,
            play=check.check,
            measures=(
                Measure(
                    "margin",
                    "attacker",
                    "points",
                    "by how much the total exceeds the DC",
                    when=lambda s: False,
                ),
            ),
            events=(
                Event("success", "attacker", "the check passes"),
                Event("by_10", "attacker", "it passes by 10", when=of_kind("push")),
                Event("shaken", "defender", "the test fails, by little", when=of_kind("gale", "siege")),
                Event("confused", "defender", "the test fails by so much", when=of_kind("gale", "siege")),
            ),
            tables=check.tables,
            summary="check {kind}: {attacker} and {defender}",
        ),
        "attack": Mode(
            name="attack",
            about=MODES["attack"],
            roles=(
                ATTACKER,
                DEFENDER,
                one_more("second", "the target of the second action, if another", "then {}"),
                Role(
                    "inside",
                    "another unit in the defender's melee, as UNIT@ours or UNIT@theirs "
                    "(the default); @confused may follow",
                    many=True,
                    words={**SIDES, "confused": {"confused": True}},
                    defaults={"side": scenes.THEIRS, "confused": False},
                ),
            ),
            situation=situations.Attack,
            play=attack.attack,
            measures=(
                DAMAGE,
                COUNTER,
                Measure("others.damage", "defender", "points", "damage on its other units"),
                Measure("friends.damage", "attacker", "points", "damage on the attacker's friends"),
                MORALE,
            ),
            events=(DESTROYED, ROUT, SHAKEN, CONFUSED, LOST),
            summary="{attacker} attack {defender}",
        ),
        "charge": Mode(
            name="charge",
            about=MODES["charge"],
            roles=(
                ATTACKER,
                DEFENDER,
                one_more("behind", "an enemy in the cell behind the defender", "{} behind"),
                one_more("ahead", "an enemy met when riding on", "{} ahead"),
            ),
            situation=situations.Charge,
            play=charge.charge,
            measures=(
                DAMAGE,
                COUNTER,
                Measure("others.damage", "defender", "points", "damage on the units behind"),
                MORALE,
            ),
            events=(
                DESTROYED,
                ROUT,
                Event(
                    "break_through",
                    "attacker",
                    "it breaks through the defender, who stands",
                    when=ordered("break-through"),
                ),
                Event("second_break_through", "attacker", "and through the next, behind or ahead", rare=True),
                Event(
                    "melee",
                    "attacker",
                    "it is in melee with the defender",
                    when=ordered("break-in", "attack-break-in", "break-through"),
                ),
                Event("behind.melee", "attacker", "it is in melee with the unit behind", rare=True),
                Event("ahead.melee", "attacker", "it is in melee with the unit ahead", rare=True),
                Event("pushed", "defender", "the defender is pushed back", when=ordered("push"), rare=True),
                Event("unformed", "defender", "it is out of formation", when=ordered("push"), rare=True),
                SHAKEN,
                CONFUSED,
                Event(
                    "repelled",
                    "attacker",
                    "the defender stands, and the attacker before it",
                    when=ordered("break-in", "attack-break-in", "break-through", "push"),
                ),
                LOST,
            ),
            tables=scenes.tree_table(charge.charge_scene),
            picture=pictures.tree_picture(charge.charge_scene),
            summary="{attacker} charge {defender} to {order:words}",
        ),
        "melee": Mode(
            name="melee",
            about=MODES["melee"],
            roles=(
                ATTACKER,
                DEFENDER,
                Role(
                    "with",
                    "another unit in the cell, as UNIT@ours (the default) or UNIT@theirs; its order may "
                    "follow: @attack, @disrupt, @disrupt+attack, @disengage, @help, @hold",
                    many=True,
                    words=SIDES | {order: {"order": order} for order in get_args(situations.Order)},
                    defaults={"side": scenes.OURS, "order": "attack"},
                ),
            ),
            situation=situations.Melee,
            play=brawl.brawl,
            measures=(
                Measure("damage", "defender", "points", "damage on the defender's side"),
                Measure("attacker.damage", "attacker", "points", "damage on the attacker's side"),
            ),
            events=(
                CONFUSED,
                Event("free", "defender", "the defender has broken away", rare=True),
                DESTROYED,
                Event("attacker.confused", "attacker", "the attacker is confused", rare=True),
                Event("attacker.free", "attacker", "the attacker has broken away", rare=True),
                LOST,
            ),
            tables=brawl.brawl_tables,
            summary="{attacker} and {defender} in melee for {rounds:round}",
        ),
        "push": Mode(
            name="push",
            about=MODES["push"],
            roles=(
                ATTACKER,
                DEFENDER,
                one_more("behind", "a unit in the cell behind the defender", "{} behind"),
            ),
            situation=situations.Push,
            play=push.push,
            measures=(),
            events=(
                Event("pushed", "defender", "the defender is pushed back", when=lambda s: not s.blocked),
                Event("unformed", "defender", "the defender is out of formation"),
                Event("behind.unformed", "defender", "so is the unit behind", rare=True),
                Event("holds", "defender", "it stands, in formation"),
            ),
            tables=scenes.tree_table(push.push_scene),
            summary="{attacker} push {defender}",
        ),
        "lure": Mode(
            name="lure",
            about=MODES["lure"],
            roles=(ATTACKER, DEFENDER),
            situation=situations.Lure,
            play=lure.lure,
            measures=(COUNTER,),
            events=(
                Event("lured", "defender", "it enters the attacker's cell"),
                Event("melee", "attacker", "and is in melee there", when=lambda s: s.stay),
                LOST,
            ),
            summary="{attacker} lure {defender}",
        ),
        "lob": Mode(
            name="lob",
            about=MODES["lob"],
            roles=(
                ATTACKER,
                DEFENDER,
                Role(
                    "beside",
                    "a unit, friend or foe, in a cell around the defender, as UNIT@top, UNIT@left",
                    many=True,
                    words={word: {"direction": word} for word in lob.ROUND},
                    defaults={"direction": "top"},
                ),
            ),
            situation=situations.Lob,
            play=lob.lob,
            measures=(
                DAMAGE,
                Measure("beside.damage", "defender", "points", "damage on units in other cells"),
                Measure("wasted", "attacker", "points", "damage that falls on empty cells"),
            ),
            events=(
                Event("on_target", "attacker", "the volley lands where it was aimed"),
                Event("scatters", "attacker", "half of it lands in another cell"),
                DESTROYED,
            ),
            tables=lob.lob_tables,
            picture=pictures.lob_picture,
            summary="{attacker} lob at {defender}",
        ),
        "besiege": Mode(
            name="besiege",
            about=MODES["besiege"],
            roles=(ATTACKER, DEFENDER, one_more("with", "a unit that answers; two or more are needed")),
            situation=situations.Besiege,
            play=siege.siege,
            measures=(DAMAGE, COUNTER, MORALE),
            events=(
                DESTROYED,
                ROUT,
                Event("holds", "defender", "the test leaves it as it was"),
                Event("shaken", "defender", "the test shakes it"),
                Event("confused", "defender", "the test confuses it"),
                LOST,
            ),
            summary="{attacker} besiege {defender}",
        ),
        "swap": Mode(
            name="swap",
            about=MODES["swap"],
            roles=(Role("attacker", "the unit that swaps weapons"),),
            situation=situations.Swap,
            play=swap.swap,
            measures=(Measure("actions", "attacker", "actions", "actions that it costs, or loses"),),
            events=(
                Event("swapped", "attacker", "the other weapon is in hand"),
                Event("saved", "attacker", "a try to save an action passes", when=lambda s: s.quick),
                Event(
                    "cheaper",
                    "attacker",
                    "it costs less than without a try: no action was lost before",
                    when=lambda s: s.quick and s.in_melee,
                ),
            ),
            summary="{attacker} swap weapons",
        ),
        "plan": Mode(
            name="plan",
            about=MODES["plan"],
            roles=(),
            situation=situations.Plan,
            play=plan.plan,
            measures=(
                Measure("damage", "theirs", "points", "damage on all of theirs"),
                Measure("ours.damage", "ours", "points", "damage on all of ours"),
            ),
            events=(
                Event("lost", "theirs", "at least one of theirs is destroyed or routs", rare=True),
                Event("confused", "theirs", "at least one of theirs is confused", rare=True),
                Event("melee", "ours", "at least one of ours is in a melee", rare=True),
                Event("ours.lost", "ours", "at least one of ours is destroyed or routs", rare=True),
                Event("ours.confused", "ours", "at least one of ours is confused", rare=True),
            ),
            tables=plan.tables,
            picture=pictures.tree_picture(plan.plan_scene),
            summary="plan {file}",
        ),
    },
    folder=Path(__file__).parent,
    home="mathhammer.games.battlefield",
    ruleset_option="ruleset",
    ruleset_files={"battlefield": "battlefield.toml"},
    default_ruleset="battlefield",
    notes=notes,
)
