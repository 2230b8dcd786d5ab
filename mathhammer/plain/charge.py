"""`charge`: a roll that must reach a distance, with re-rolls that are decided by the best policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Columns, Play, Step
from mathhammer.kernels.choices import Dice, May, best, chance, habits, left
from mathhammer.kernels.estimates import estimate
from mathhammer.plain.grammar import Pool, parse
from mathhammer.plain.situations import Charge

MOST_DICE, MOST_SIDES = 4, 20
MOST_POLICIES = 25_000  # rolls times distances that choices are solved for


def charge(matchup: Matchup) -> Play:
    """The play of one or several charge rolls against the same distance. Raises `InputError`."""
    situation: Charge = matchup.situation
    dice, needs = pool_of(situation.dice), estimate(situation.needed, "needed")
    if len(dice.rolls()) * len(list(needs)) > MOST_POLICIES and situation.reroll != "none":
        raise InputError(
            "--reroll: so many dice and distances at once are more than this does; give one distance"
        )
    final = final_law(dice, situation.reroll, needs, situation.movement)
    rolls = len(dice.rolls())
    steps = [
        Step("distance", Law.constant(needs), 0, "need"),
        Step("roll", Law(("rolls", dice), lambda _: Pmf(0, list(dice.rolls().values()))), 0, "roll"),
        Step("after re-rolls", final, _stacked(needs.offset, rolls), _first_total(situation.movement)),
    ]
    for unit in range(2, situation.units + 1):
        steps.append(Step(f"unit {unit}", made_law(dice, situation, needs), "need", _one_more))
    units = situation.units
    return Play(
        start={"need": 0, "roll": 0, "total": 0, "made": 0},
        actions=steps,
        measures={"total": "total", "units": "made"},
        events={
            "charges": lambda c: c["total"] >= c["need"],
            "any_charges": lambda c: c["made"] > 0,
            "all_charge": lambda c: c["made"] == units,
        },
    )


def only_pool(text: str, hint: str) -> Pool:
    """The one pool that a text writes. Raises `InputError`."""
    question = parse(text)
    sign, term = question.left.terms[0]
    plain = not (question.operator or len(question.left.terms) > 1 or question.left.stages)
    if not plain or sign < 0 or not isinstance(term, Pool):
        raise InputError(f"--dice {text!r}: one pool such as 2d6 or 3d6kl2; {hint}")
    return term


def pool_of(text: str) -> Dice:
    """The dice of a charge. Raises `InputError` for what is not a small pool."""
    term = only_pool(text, "movement has its own option")
    if term.explode is not None or term.again or term.count:
        raise InputError(f"--dice {text!r}: plain dice such as 2d6 or 3d6kl2; re-rolls are --reroll")
    if term.dice > MOST_DICE or term.sides > MOST_SIDES:
        raise InputError(f"--dice {text!r}: at most {MOST_DICE} dice of at most {MOST_SIDES} sides")
    return Dice(term.dice, term.sides, term.keep or term.dice, term.lowest)


def final_law(dice: Dice, may: May, needs: Pmf, movement: int) -> Law:
    """The total after re-rolls, keyed by distance and roll. The distance is known when dice are chosen."""
    listed = list(dice.rolls())
    policies: dict[int, Callable[[tuple[int, ...]], tuple[int, ...]]] = {}

    def make(key: int) -> Pmf:
        need, roll = needs.offset + key // len(listed), listed[key % len(listed)]
        policy = policies.setdefault(need, best(dice, may, need - movement))
        return dice.after(roll, policy(roll))

    return Law(("after re-rolls", dice, may, needs, movement), make)


def made_law(dice: Dice, situation: Charge, needs: Pmf) -> Law:
    """Whether one more unit gets there, keyed by distance."""

    def make(need: int) -> Pmf:
        short = need - situation.movement
        p = min(1.0, chance(dice, best(dice, situation.reroll, short), short))
        return Pmf(0, [1 - p, p])

    return Law(("made", dice, situation.reroll, situation.movement), make)


def _stacked(least: int, rolls: int) -> Callable[[Columns], Ints]:
    return lambda columns: ((columns["need"] - least) * rolls + columns["roll"]).astype(np.int32)


def _first_total(movement: int) -> Callable[[Columns, Ints], dict[str, NDArray[np.int32]]]:
    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        total = (outcome + movement).astype(np.int32)
        made = (total >= columns["need"]).astype(np.int32)
        return {"total": total, "made": made, "roll": np.zeros_like(made)}

    return update


def _one_more(columns: Columns, outcome: Ints) -> dict[str, Ints]:
    return {"made": columns["made"] + outcome}


def tables(matchup: Matchup, pmfs: dict[str, dict[int, float]]) -> dict[str, list[dict[str, Any]]]:
    """The best policy, roll by roll, for the likeliest distance; and simple habits beside it."""
    situation: Charge = matchup.situation
    dice, needs = pool_of(situation.dice), estimate(situation.needed, "needed")
    if situation.reroll == "none":
        return {}
    likeliest = max(needs, key=lambda pair: pair[1])[0]
    short = likeliest - situation.movement
    policy = best(dice, situation.reroll, short)
    rows = [_row(dice, roll, policy(roll), short) for roll in dice.rolls() if policy(roll)]
    named = [("best policy", policy), *habits(dice, situation.reroll, short)]
    return {
        f"best_policy_at_{likeliest}": rows,
        f"habits_at_{likeliest}": [
            {"habit": name, "chance": chance(dice, habit, short)} for name, habit in named
        ],
    }


def _row(dice: Dice, roll: tuple[int, ...], again: tuple[int, ...], need: int) -> dict[str, Any]:
    written = {"roll": _faces(roll), "roll again": _faces(again), "keep": _faces(left(roll, again)) or "-"}
    return {**written, "chance": dice.after(roll, again).at_least(need)}


def _faces(roll: tuple[int, ...]) -> str:
    return " ".join(map(str, roll))
