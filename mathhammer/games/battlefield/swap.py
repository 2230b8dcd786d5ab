"""Taking another weapon in hand. Source: BF-12."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Change, Columns, Mask, Play, Read, put
from mathhammer.games.battlefield.checks import Check, Term, kept, plain_law
from mathhammer.games.battlefield.profile import Unit
from mathhammer.games.battlefield.ruleset import Rules
from mathhammer.games.battlefield.scenes import OURS, Scene, is_set
from mathhammer.games.battlefield.situations import Swap
from mathhammer.games.battlefield.state import Battle, Beat, Fighter, Where, every, holding, ints, noted

PUT_AWAY, DROPPED = 2, 1  # actions of a swap
CHECKED = ("fails", "passes")
SAVES = ("saves nothing", "saves an action")
QUICKLY, AS_USUAL = 1, 2  # how the check of a swap was passed
SWAPS = ("action lost", "swapped")


@dataclass(frozen=True)
class Way:
    """How a weapon is swapped: dropped or put away, quickly or not, in a melee or not."""

    drop: bool = False
    quick: bool = False
    in_melee: bool = False

    @property
    def actions(self) -> int:
        """Actions that it takes when none is saved."""
        return DROPPED if self.drop else PUT_AWAY


def swap_check(battle: Battle, fighter: Fighter, way: Way) -> Check:
    """The check of a swap, to save an action or to do it at all. Source: BF-12."""
    rules, unit = battle.rules, fighter.unit
    alone = way.in_melee and rules.melee_swap_bonus == "command"
    dc = rules.swap_dc
    if way.in_melee:
        dc = rules.swap_quick_melee_dc if way.quick else rules.swap_melee_dc
    terms = kept(
        Term(f"command of {unit.name}", unit.command),
        Term(f"soldiers of {unit.name}", 0 if alone else unit.soldiers),
        Term("swap in a melee" if way.in_melee else "swap", dc, against=True),
    )
    return Check(f"{fighter.name} swaps weapons", "BF-12", terms)


def refuse_way(unit: Unit, way: Way, rules: Rules) -> None:
    """Raise `InputError` for a quick swap by the untrained."""
    if way.quick and not unit.training.quick_swap:
        raise InputError(f"--quick: {unit.name} has no training.quick_swap, which saves an action (BF-12)")


def swap_beats(battle: Battle, fighter: Fighter, way: Way, *, where: Where = None) -> list[Beat]:
    """The tries of a swap, and whether the other weapon is in hand. Raises `InputError`. Source: BF-12.

    Saving an action has as many tries as the swap takes actions; a failure in a melee loses the action, or
    by the ruleset leaves the usual check.
    """
    refuse_way(fighter.unit, way, battle.rules)
    able = every(battle.acts(fighter), where)
    tries = way.actions if way.quick else 1 if way.in_melee else 0
    again = every(holding(fighter.column("passed"), 0), able)
    usual = way.quick and way.in_melee and battle.rules.failed_quick_swap == "plain"
    beats = [_try(battle, fighter, way, again if n else able, costs=not usual) for n in range(tries)]
    if usual:
        beats.append(_try(battle, fighter, replace(way, quick=False), again))
    return [*beats, _done(fighter, way, able)]


def _try(battle: Battle, fighter: Fighter, way: Way, where: Where, *, costs: bool = True) -> Beat:
    """One check; costs: whether failing it takes an action (in a melee)."""
    column, tries = fighter.column("passed"), fighter.column("spent")
    value = QUICKLY if way.quick else AS_USUAL

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        failed = put(columns, outcome == 0, {tries: columns[tries] + costs})
        return noted(columns, outcome, failed | put(columns, outcome == 1, {column: value}))

    words = SAVES if way.quick else CHECKED
    return swap_check(battle, fighter, way).beat(plain_law(battle.rules), update, words, where)


def _done(fighter: Fighter, way: Way, where: Where) -> Beat:
    """What the tries come to: whether the weapon is in hand, an action saved, and actions spent.

    Until here `spent` counts the tries that failed: each costs its action in a melee, none elsewhere. A
    second swap brings the first weapon back.
    """
    names = [fighter.column(what) for what in ("swapped", "saved", "spent", "passed")]

    def update(columns: Columns) -> dict[str, Ints]:
        open_, passed = columns["open"], columns[names[3]]
        swapped = ints(passed > 0) if way.in_melee else np.ones_like(passed)
        saved = ints(passed == QUICKLY)
        lost = columns[names[2]] if way.in_melee else np.zeros_like(passed)
        spent = lost + swapped * (way.actions - saved)
        in_hand = columns[names[0]] ^ swapped
        values = dict(zip(names, (in_hand, saved, spent, np.zeros_like(passed)), strict=True))
        return {**put(columns, open_ == 1, values), "last": open_ * (1 + swapped)}

    label = f"{fighter.name} swaps weapons"
    return Beat(label, (Change(label, update),), SWAPS, where, quiet=True)


# -- the mode --------------------------------------------------------------------------------------
def swap_scene(matchup: Matchup) -> Scene:
    """A swap of weapons. Raises `InputError`. Source: BF-12."""
    situation: Swap = matchup.situation
    us = Fighter("attacker", OURS, matchup.unit("attacker"))
    battle = Battle((us,), matchup.rules)
    way = Way(situation.drop, situation.quick, situation.in_melee)
    start = battle.start("passed", "swapped", "saved", "spent")
    return Scene(battle, start, swap_beats(battle, us, way))


def swap(matchup: Matchup) -> Play:
    """The play of a swap. Source: BF-12."""
    scene = swap_scene(matchup)
    us = scene.fighter("attacker")
    full = Way(drop=matchup.situation.drop).actions

    def cheaper(columns: Columns) -> Mask:
        mask: Mask = (columns[us.column("swapped")] > 0) & (columns[us.column("spent")] < full)
        return mask

    events: dict[str, Read] = {what: is_set(us, what) for what in ("swapped", "saved")}
    return scene.play({"actions": us.column("spent")}, events | {"cheaper": cheaper})
