"""Courage, Fear, rout, flight and rally. Source: AOR-06, AOR-14, AOR-21 to AOR-25, AOR-29.

Columns beside those of a side, where a mode needs them: `X.immune` the highest Fear that it has resisted
(plus 1; 0 for none), `X.feared` whether a fearsome unit charged it this round, `X.broken` whether it has been
in rout at some time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Action, Change, Columns, Mask, Step, put
from mathhammer.games.confrontation_aor.profile import Unit
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.side import NO_FEAR, Number, Side
from mathhammer.games.confrontation_aor.throws import MOST_DIFFERENCE, single

Where = Callable[[Columns], Mask]
SPAN = 2 * MOST_DIFFERENCE + 1
WORDS = ("fails", "passes")
UNTESTED = 2
CREATURES = ("creature",)  # who never test at half
COURAGE = 1  # difficulty of the test at half and of the rally
HARDER = 2  # engaged with more Power; charged by, or engaged with, a fearsome unit


def courage_law(rules: Rules) -> Law:
    """Whether a Courage test passes; the key is made by `courage_key`. Source: AOR-02, AOR-03."""
    table = rules.resolution_table
    one, two = single(1, table), single(2, table)
    return Law(
        ("courage", table), lambda key: (two if key >= SPAN else one).row(key % SPAN - MOST_DIFFERENCE)
    )


def courage_key(side: Side, difficulty: Number, commands: bool, rules: Rules) -> Number:
    """Action value - difficulty, and whether a commander rolls two dice. Source: AOR-03, AOR-25."""

    def key(columns: Columns) -> Ints:
        value = side.morale(columns, rules.courage_value_of == "ranks") - difficulty(columns)
        clipped = np.clip(value, -MOST_DIFFERENCE, MOST_DIFFERENCE) + MOST_DIFFERENCE
        two = side.commanded(columns) if commands else np.zeros(len(clipped), dtype=np.bool_)
        found: Ints = (clipped + SPAN * two).astype(np.int32)
        return found

    return key


# -- Fear at contact -------------------------------------------------------------------------------
def fear_steps(active: Side, target: Side, where: Where, rules: Rules) -> list[Action]:
    """The Courage test that an assault brings, by whoever has less Fear; the loser routs. Source: AOR-06."""
    if not (active.is_fearsome or target.is_fearsome):
        return []
    every = rules.commander_dice == "all_courage"
    steps: list[Action] = []
    for own, enemy in ((active, target), (target, active)):
        if not enemy.is_fearsome:
            continue
        difficulty = _fear_of(enemy, rules)
        steps.append(
            Step(
                f"{own.name}: courage against fear",
                courage_law(rules),
                courage_key(own, difficulty, every, rules),
                _faces_fear(own, difficulty),
                _must_face(own, enemy, where, rules),
                otherwise=UNTESTED,
                rule="AOR-06",
                words=WORDS,
            )
        )
    return steps


def immunity(side: Side, enemy: Side) -> dict[str, int]:
    """The column for the Fear that a side has resisted, where there is any."""
    return {f"{side.name}.immune": 0} if enemy.is_fearsome else {}


def _fear_of(side: Side, rules: Rules) -> Callable[[Columns], Ints]:
    ranks_only = rules.fear_value_of == "ranks"
    return lambda columns: side.fear(columns, ranks_only)


def _must_face(own: Side, enemy: Side, where: Where, rules: Rules) -> Where:
    """Rows where the side has less Fear than the enemy, is not in rout, and not immune."""

    def must(columns: Columns) -> Mask:
        theirs, ours = _fear_of(enemy, rules)(columns), _fear_of(own, rules)(columns)
        immune = columns[f"{own.name}.immune"] > theirs
        found: Mask = where(columns) & (ours < theirs) & (columns[own.rout] == 0) & ~immune
        return found

    return must


def _faces_fear(own: Side, fear: Callable[[Columns], Ints]) -> Callable[[Columns, Ints], dict[str, Ints]]:
    """Failing routs; resisting makes immune to that Fear and lower."""
    immune = f"{own.name}.immune"

    def face(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        resisted = np.maximum(columns[immune], fear(columns) + 1)
        return breaks(own, columns, outcome == 0) | put(columns, outcome == 1, {immune: resisted})

    return face


def breaks(side: Side, columns: Columns, where: Mask) -> dict[str, Ints]:
    """The columns of a side that falls into rout in some rows; where it matters, that it ever did. AOR-22."""
    told = [side.rout, *([side.broken] if side.broken in columns else [])]
    return put(columns, where, dict.fromkeys(told, 1))


def frightens(side: Side, rules: Rules) -> Where:
    """Rows where a side has Fear."""
    return lambda columns: _fear_of(side, rules)(columns) != NO_FEAR


# -- Courage at activation, rally ------------------------------------------------------------------
def at_half(side: Side, rules: Rules) -> Where:
    """Rows where the unit has fallen to half of its number at the start. Source: AOR-21, AOR-29."""
    low = halved(side.unit, rules)
    return lambda columns: low(side.number(columns)) & ~side.is_of(CREATURES, columns, rules)


def halved(unit: Unit, rules: Rules) -> Callable[[Ints], Mask]:
    """Whether so many fighters that are left are half of the number at the start. Source: AOR-21."""
    start, below = unit.started, rules.half_strength == "below"

    def low(left: Ints) -> Mask:
        found: Mask = (2 * left < start if below else 2 * left <= start) & (left > 0)
        return found

    return low


def courage_step(own: Side, difficulty: Number, where: Where, rules: Rules) -> Step:
    """The Courage test at activation; failing routs. Source: AOR-21."""

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        return breaks(own, columns, outcome == 0)

    half = at_half(own, rules)
    return Step(
        f"{own.name}: courage at half",
        courage_law(rules),
        courage_key(own, difficulty, True, rules),
        update,
        lambda columns: where(columns) & (columns[own.rout] == 0) & half(columns),
        otherwise=1,
        rule="AOR-21",
        words=WORDS,
    )


def rally_step(own: Side, enemy: Side, where: Where, rules: Rules) -> Step:
    """The test that ends a rout, in rows where the side is in one. Source: AOR-23."""

    def difficulty(columns: Columns) -> Ints:
        engaged = columns["engaged"] == 1
        harder = engaged & stronger(enemy, own)(columns)
        feared = engaged & frightens(enemy, rules)(columns)
        found: Ints = (COURAGE + HARDER * harder + HARDER * feared).astype(np.int32)
        return found

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        return put(columns, outcome == 1, {own.rout: 0})

    return Step(
        f"{own.name}: rally",
        courage_law(rules),
        courage_key(own, difficulty, rules.commander_dice == "all_courage", rules),
        update,
        where,
        otherwise=0,
        rule="AOR-23",
        words=WORDS,
    )


def stronger(enemy: Side, own: Side) -> Where:
    """Rows where the enemy has more Power."""
    return lambda columns: enemy.power(columns) > own.power(columns)


# -- leaving contact -------------------------------------------------------------------------------
def lost_in_contact(side: Side, columns: Columns, keeps: bool = True) -> dict[str, Ints]:
    """The damage columns once the members in contact are lost, but for those that break away.

    Source: AOR-14, AOR-22, AOR-29.
    """
    changed: dict[str, Ints] = {}
    for i, (group, touches) in enumerate(zip(side.groups, side.touching(columns), strict=True)):
        if not (group.breaks_away and keeps):
            column = side.column(i)
            gone = (columns[column] // group.wounds + touches) * group.wounds
            changed |= put(columns, touches > 0, {column: gone})
    return changed


def wiped_out(side: Side) -> dict[str, int]:
    """Damage that leaves nobody."""
    return {side.column(i): group.count * group.wounds for i, group in enumerate(side.groups)}


def whole_change(name: str, changed: Callable[[Columns], dict[str, Ints]], where: Where) -> Change:
    """A change of columns in some rows only."""
    return Change(name, lambda columns: put(columns, where(columns), changed(columns)))
