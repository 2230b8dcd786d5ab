"""Turns and actions of a plan: two actions a unit a turn, and what may span turns. Source: BF-13, BF-17."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mathhammer.core.errors import InputError
from mathhammer.games.battlefield.plan_file import KINDS, Ordered, PlanFile
from mathhammer.games.battlefield.state import Fighter

TURN = 2  # actions of a unit in a turn
WHOLE = {"charge"}  # takes both actions of one turn; others may span two turns


def check_turns(plan: PlanFile, fighters: Mapping[str, Fighter]) -> None:
    """Raise `InputError` with a line for each action that a unit has no time for."""
    lines = [*_sides(plan, fighters), *_budgets(plan, fighters), *_loading(plan, fighters)]
    if lines:
        raise InputError(*lines)


def _known(plan: PlanFile, fighters: Mapping[str, Fighter]) -> Iterator[Ordered]:
    """Actions of units that there are (the others are told of elsewhere)."""
    return (ordered for ordered in plan.actions if ordered.action.unit in fighters)


def _sides(plan: PlanFile, fighters: Mapping[str, Fighter]) -> Iterator[str]:
    """Each side has one turn a round: its actions stand together."""
    seen: list[tuple[int, int]] = []
    for ordered in _known(plan, fighters):
        turn = ordered.round, fighters[ordered.action.unit].side
        if turn in seen and seen[-1] != turn:
            yield f"{ordered.where}: its side's turn in round {turn[0]} is over; say round = {turn[0] + 1}"
        if turn not in seen:
            seen.append(turn)


def cost(ordered: Ordered) -> int:
    """Actions that an action takes: of a swap one less when the weapon is dropped. Source: BF-12."""
    if ordered.action.do == "swap":
        return 1 if ordered.action.drop else 2
    return KINDS[ordered.action.do][1]


def least(ordered: Ordered) -> int:
    """Actions that must be left in the turn for it to begin. Source: BF-02, BF-17."""
    takes = cost(ordered)
    return takes if ordered.action.do in WHOLE else min(1, takes)


def _budgets(plan: PlanFile, fighters: Mapping[str, Fighter]) -> Iterator[str]:
    """Two actions a turn; a siege takes the next action of those who answer; a quick swap may save one.

    What is saved is counted here as if it were sure; `clock` asks in which states it was. Below 0 the actions
    left of a unit are owed by its next turn.
    """
    left = dict.fromkeys(fighters, TURN)
    now = plan.actions[0].round
    for ordered in _known(plan, fighters):
        for _ in range(ordered.round - now):
            left = {name: TURN + min(0, time) for name, time in left.items()}
        now, action = ordered.round, ordered.action
        has, takes = max(0, left[action.unit]), cost(ordered)
        if has < least(ordered):
            yield (
                f"{ordered.where}: {action.unit} has {has} of {TURN} actions left in round {now}, "
                f"and {action.do} takes {takes} (BF-02, BF-17)"
            )
            continue
        left[action.unit] -= takes - (action.do == "swap" and action.quick)
        for name in action.answering if action.do == "besiege" else ():
            if name in left:
                left[name] -= 1


def _loading(plan: PlanFile, fighters: Mapping[str, Fighter]) -> Iterator[str]:
    """A firearm is loaded at first, and again after an action of reloading. Source: BF-01.

    A swap in a melee, or with a condition, may not be done: either weapon may be in hand then.
    """
    empty: set[str] = set()
    hands = {name: {fighter.unit.weapon} for name, fighter in fighters.items()}
    for ordered in _known(plan, fighters):
        action, unit = ordered.action, fighters[ordered.action.unit].unit
        firearm = "firearm" in hands[action.unit]
        if action.do == "swap" and unit.spare is not None:
            both = {unit.weapon, unit.spare}
            sure = not action.in_melee and action.condition is None and hands[action.unit] != both
            hands[action.unit] = both - hands[action.unit] if sure else both
        if action.do == "reload":
            if not firearm:
                yield f"{ordered.where}: {action.unit} has no firearm to reload (BF-01)"
            empty.discard(action.unit)
        if action.do == "attack" and firearm:
            if action.unit in empty:
                yield f"{ordered.where}: {action.unit} has to reload before it shoots again (BF-01)"
            empty.add(action.unit)
