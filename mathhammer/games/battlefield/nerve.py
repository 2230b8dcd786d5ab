"""Nerve: tests that shake or confuse a unit, and its morale. Source: BF-09, BF-13, BF-14."""

from __future__ import annotations

from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Change, Columns, put
from mathhammer.games.battlefield.checks import Check, nerve_law
from mathhammer.games.battlefield.melee import confusion
from mathhammer.games.battlefield.ruleset import Rules
from mathhammer.games.battlefield.state import Battle, Beat, Fighter, Where, every, noted

NERVE = ("confused", "shaken", "steady")


def nerve_beat(
    battle: Battle, actor: Fighter, target: Fighter, check: Check, confused_from: int, where: Where
) -> Beat:
    """A test of nerve: failing it shakes the target, by so much confuses it. Source: BF-09, BF-13."""
    shaken, confused = target.column("shaken"), target.column("confused")
    value = confusion(battle, actor)

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        marked = put(columns, outcome == 1, {shaken: 1}) | put(columns, outcome == 0, {confused: value})
        return noted(columns, outcome, marked)

    able = every(battle.fights(target), where)
    return check.beat(nerve_law(confused_from, battle.rules), update, NERVE, able)


# -- morale ----------------------------------------------------------------------------------------
def flank_morale(flank: str, rules: Rules) -> int:
    """What standing flanked or surrounded for a turn does to morale. Source: BF-14."""
    if flank == "none":
        return 0
    if flank == "flanked":
        return rules.flank_morale
    return rules.surrounded_morale + (0 if rules.surrounded_instead else rules.flank_morale)


def morale_beat(battle: Battle, target: Fighter, change: int, *, where: Where = None) -> Beat:
    """A change of morale, and whether the ruleset's threshold makes the unit rout. Source: BF-14."""
    column = target.column("morale")

    def lower(columns: Columns) -> dict[str, Ints]:
        morale = (columns[column] + change * columns["open"]).astype(columns[column].dtype)
        routs = battle.routed(target, {**columns, column: morale})
        return {column: morale, "last": (columns["open"] * (1 + routs)).astype(columns[column].dtype)}

    label = f"morale of {target.name} {change:+d}"
    able = every(battle.fights(target), where)
    return Beat(label, (Change(label, lower),), ("stays", "routs"), able, quiet=True)


def flank_beats(battle: Battle, target: Fighter, flank: str) -> list[Beat]:
    """What standing so for a turn does to it, if anything. Source: BF-14."""
    change = flank_morale(flank, battle.rules)
    return [morale_beat(battle, target, change)] if change else []
