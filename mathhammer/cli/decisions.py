"""The table of decision commands: what each does, and its options; and a command from a line of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import Parameter
from typing import get_args

from mathhammer.analysis.campaign import Goal
from mathhammer.analysis.sweep import SweepEngine
from mathhammer.cli import decide
from mathhammer.cli.given import Given
from mathhammer.cli.modes import question_parameters, with_signature
from mathhammer.cli.options import SEED, flag, repeated, rules_options, text, word
from mathhammer.core.game import Game, Mode

Act = Callable[[Game, Mode, Given], None]

OVER = repeated(
    "over",
    "FIELD=VALUES",
    "What varies: at=6..30, defender.de=3,4,5, facing=front,flank, defender='*'. May be given again.",
)
EVENT = repeated("event", "NAME", "The chance of this event. May be given again.")
AT_LEAST = repeated("at-least", "MEASURE=K", "The chance of at least K, such as damage=4.")
MEAN = repeated("mean", "MEASURE", "The mean of this measure. May be given again.")
SORT = flag("sort", "Sort by strength: rows, and columns of a matrix.")
PLOT = text("plot", "FILE.png|svg|pdf", "Also draw a picture into a file.")
CHANCE = text("chance", "P", "The chance that is needed, such as 0.8 or 80%.")
COST = repeated("cost", "FIELD=POINTS", "What a step of a field costs, such as at=5.")
BUDGET = text("budget", "POINTS", "Points that the list may cost.")
GOAL = word(
    "goal", get_args(Goal), "The most weight of enemies (default), their number, or the best worst case."
)
TEAM = text("team", "1|2|3", "How many units may strike together (default 3).", "3")
ON = [
    text("workers", "N", "Processes (default: one a core where it takes seconds)."),
    text("cluster", "ADDRESS|local", "Run on a Dask cluster; local starts one."),
]
RUNNING = [
    text("out", "FILE.csv|jsonl", "Write the rows into a file, safe as they come."),
    flag("resume", "Go on with what an interrupted --out FILE has finished."),
    *ON,
]
NUMBERS = [
    text("trials", "N", "Trials where it is simulated, 1 to 1e12 (default 1e6)."),
    SEED,
    word(
        "engine",
        get_args(SweepEngine),
        "Which numbers (default auto: exact, simulated where exact passes its limit).",
    ),
]
OUTPUT = [flag("json", "Write JSON, a row a line."), flag("csv", "Write CSV, a row for each matchup.")]

VERBS: dict[str, tuple[Act, str, list[Parameter]]] = {
    "sweep": (
        decide.sweep,
        "Many matchups at once: units, fields, options and rules over values and ranges.",
        [OVER, EVENT, AT_LEAST, MEAN, SORT, PLOT, *RUNNING],
    ),
    "compare": (
        decide.compare,
        "Candidates side by side, against the targets that are expected: units are lists, such as "
        "knights,ogre-warriors,at=24, and a target's weight follows a colon, such as zombie-2:3.",
        [OVER, EVENT, AT_LEAST, MEAN, PLOT, *ON],
    ),
    "needs": (
        decide.needs,
        "What a field must be for a chance: the least value, or the cheapest unit (--over at, --over "
        "attacker='*', --over with=0..4 for so many of them). Without --over: what one step of each field "
        "adds.",
        [OVER, CHANCE, EVENT, AT_LEAST, COST, PLOT],
    ),
    "army": (
        decide.army,
        "Which list under a budget, and who takes on whom. The first argument is what may be taken "
        "(knights:2 is up to two of them), the second what is met (zombie-2:3 is three of them, each to be "
        "met; trolls:w2 counts twice). Both may be .toml files: of units, or of [[roster]] tables with "
        "unit, most, number, weight, points.",
        [BUDGET, GOAL, TEAM, EVENT, AT_LEAST, PLOT, *ON],
    ),
}


def command(verb: str, game: Game, mode_name: str) -> Callable[..., None]:
    """The function behind `mathhammer VERB GAME MODE`."""
    mode = game.mode(mode_name)
    act, about, options = VERBS[verb]
    question = map(_optional, question_parameters(game, mode))
    parameters = [*question, *options, *NUMBERS, *rules_options(game), *OUTPUT]
    names = ", ".join(event.name for event in mode.events)
    measures = ", ".join(measure.name for measure in mode.measures)
    told = f"{about}\n\nIn {mode.name}: {mode.about}. Measures {measures or 'none'}; events {names}."
    return with_signature(partial(act, game, mode), parameters, told)


def _optional(parameter: Parameter) -> Parameter:
    """Arguments may be left out where `--over` gives them."""
    positional = parameter.kind is Parameter.POSITIONAL_OR_KEYWORD
    return parameter.replace(default=None) if positional else parameter
