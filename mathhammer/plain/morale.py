"""`morale`: a roll against a value, with exceptions and a third result, turn after turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Action, Columns, Mark, Play, Step
from mathhammer.kernels.morale import rerolled, two_dice_test
from mathhammer.plain.charge import only_pool
from mathhammer.plain.dice import pool_pmf
from mathhammer.plain.situations import Morale

PASS, WAVER, FAIL = 0, 1, 2
TURNS, HALF = "expected turns until it fails", "turns until half have failed"
RESULTS = ("passes", "wavers", "fails")


def morale(matchup: Matchup) -> Play:
    """The play: one roll a turn until it fails. The first turn's result is kept apart."""
    situation: Morale = matchup.situation
    law = morale_law(situation)
    actions: list[Action] = []
    for turn in range(1, situation.turns + 1):
        actions.append(Step("morale", law, 0, _first if turn == 1 else "now", words=RESULTS))
        actions.append(Mark(turn))
    return Play(
        start={"now": PASS, "first": PASS},
        actions=actions,
        measures={},
        events={
            "passes": lambda c: c["first"] == PASS,
            "wavers": lambda c: c["first"] == WAVER,
            "fails": lambda c: c["first"] == FAIL,
            "failed_by_then": lambda c: c["now"] == FAIL,
        },
        finished=lambda c: c["now"] == FAIL,
    )


def _first(columns: Columns, outcome: Ints) -> dict[str, Ints]:
    return {"now": outcome, "first": outcome}


def morale_law(situation: Morale) -> Law:
    """The result of one turn's roll (the key is not used)."""
    key = ("plain morale", situation)
    if situation.double_one or situation.double_six:
        law = two_dice_test(key, lambda first, second, _: _doubles(first, second, situation))
    else:
        law = Law(key, lambda _: _pool(situation.dice).map(lambda total: grade(total, situation)))
    return rerolled(law, frozenset({WAVER, FAIL})) if situation.reroll else law


def _pool(text: str) -> Pmf:
    return pool_pmf(only_pool(text, "bonuses have an option"), text)


def _doubles(first: int, second: int, situation: Morale) -> int:
    if first == second == 1 and situation.double_one:
        return PASS
    if first == second == 6 and situation.double_six:
        return FAIL
    return grade(first + second, situation)


def grade(total: int, situation: Morale) -> int:
    """The result of a total: it passes, or fails by some amount."""
    value = situation.value + situation.modifier
    short = value - total if situation.high else total - value
    if short <= 0:
        return PASS
    return WAVER if situation.waver is not None and short < situation.waver else FAIL


def tables(matchup: Matchup, pmfs: dict[str, dict[int, float]]) -> dict[str, list[dict[str, Any]]]:
    """How long it lasts: the expected turns until it fails, and the turn by which half have failed."""
    fails = morale_law(matchup.situation).row(0)[FAIL]
    if fails == 0:
        return {"lasts": [{TURNS: None, HALF: None}]}
    half = 1 if fails >= 0.5 else int(np.ceil(np.log(0.5) / np.log1p(-fails) - 1e-12))
    return {"lasts": [{TURNS: 1 / fails, HALF: half}]}
