"""The record of the plain questions: modes without units or rulesets of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mathhammer.core.game import Event, Game, Matchup, Measure, Mode
from mathhammer.core.profiles import Frozen, Profile
from mathhammer.kernels.estimates import estimate
from mathhammer.plain import ID, MODES, charge, dice, morale, scatter, situations
from mathhammer.plain.grammar import parse

SHARES = (5, 10, 25, 50, 75, 90, 95)  # in a hundred, of the table of percentiles


class NoRules(Frozen):
    """Plain dice have no rules beside what the question says."""


def dice_tables(matchup: Matchup, pmfs: dict[str, dict[int, float]]) -> dict[str, list[dict[str, Any]]]:
    """Percentiles of the result, and the odds of a comparison."""
    rows = percentiles(pmfs["result"])
    holds = pmfs["holds"].get(1, 0.0)
    if 0 < holds < 1 - 1e-12:
        return {
            "odds": [{"holds": f"1 in {1 / holds:.4g}", "fails": f"1 in {1 / (1 - holds):.4g}"}],
            "percentiles": rows,
        }
    return {"percentiles": rows}


def percentiles(pmf: dict[int, float]) -> list[dict[str, Any]]:
    """The first values up to which so many in a hundred results lie, from value -> probability, ascending."""
    values, up_to = list(pmf), np.cumsum(list(pmf.values()))
    firsts = np.searchsorted(up_to, [share / 100 - 1e-12 for share in SHARES])
    return [{"percentile": share, "result": values[i]} for share, i in zip(SHARES, firsts, strict=True)]


def several(situation: situations.Charge) -> bool:
    """Whether more than one unit charges."""
    return situation.units > 1


def notes(matchup: Matchup, ruleset: str) -> list[str]:
    """How a question was read, where it could be read otherwise."""
    situation = matchup.situation
    if isinstance(situation, situations.Dice):
        return dice.readings(situation.expression)
    if not isinstance(situation, situations.Charge) or situation.reroll == "none":
        return []
    if len(list(estimate(situation.needed, "needed"))) > 1:
        return ["the distance is taken to be known when the dice to roll again are chosen"]
    return []


def compared(situation: situations.Dice) -> bool:
    """Whether the expression is a comparison."""
    return parse(situation.expression).operator is not None


GAME = Game(
    id=ID,
    title="Plain dice",
    unit=Profile,
    rules=NoRules,
    modes={
        "dice": Mode(
            name="dice",
            about=MODES["dice"],
            roles=(),
            situation=situations.Dice,
            play=dice.dice,
            measures=(
                Measure("result", "left", "points", "what the expression gives (its left side)"),
                Measure("against", "right", "points", "the right side of a comparison", when=compared),
            ),
            events=(
                Event("holds", "left", "the comparison holds (certain where there is none)", when=compared),
            ),
            tables=dice_tables,
            summary="{expression}",
        ),
        "charge": Mode(
            name="charge",
            about=MODES["charge"],
            roles=(),
            situation=situations.Charge,
            play=charge.charge,
            measures=(
                Measure("total", "first unit", "inches", "what the first unit's roll comes to"),
                Measure("units", "all units", "units", "how many units get there", when=several),
            ),
            events=(
                Event("charges", "first unit", "the first unit gets there"),
                Event("any_charges", "all units", "at least one unit gets there", when=several),
                Event("all_charge", "all units", "every unit gets there", when=several),
            ),
            tables=charge.tables,
            summary="a charge of {needed} on {dice}, re-roll {reroll}",
        ),
        "scatter": Mode(
            name="scatter",
            about=MODES["scatter"],
            roles=(),
            situation=situations.Scatter,
            play=scatter.scatter,
            measures=(
                Measure("distance", "template", "inches", "how far it drifts"),
                Measure("touched", "target", "bases", "how many bases it touches"),
            ),
            events=(
                Event("stays", "template", "it stays on its target"),
                Event(
                    "misfire",
                    "template",
                    "the artillery die misfires",
                    when=lambda s: s.distance == "artillery",
                ),
                Event("touches", "target", "it touches one base at least"),
            ),
            tables=scatter.tables,
            picture=scatter.picture,
            summary="a template of {template} inches over {bases} bases, drift {distance} less {skill}",
        ),
        "morale": Mode(
            name="morale",
            about=MODES["morale"],
            roles=(),
            situation=situations.Morale,
            play=morale.morale,
            measures=(),
            events=(
                Event("passes", "unit", "the first roll passes"),
                Event("wavers", "unit", "the first roll wavers", when=lambda s: s.waver is not None),
                Event("fails", "unit", "the first roll fails"),
                Event("failed_by_then", "unit", "a roll has failed by the last turn"),
            ),
            tables=morale.tables,
            summary="morale {value} on {dice}",
        ),
    },
    folder=Path(__file__).parent,
    home="mathhammer.plain",
    ruleset_option="ruleset",
    ruleset_files={"plain": "plain.toml"},
    default_ruleset="plain",
    notes=notes,
)
