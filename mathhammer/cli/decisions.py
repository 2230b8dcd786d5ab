"""The table of decision commands: what each does, and its options."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter
from typing import Any

from mathhammer.cli import decide
from mathhammer.core.game import Game, Mode

Act = Callable[[Game, Mode, dict[str, Any]], None]

VERBS: dict[str, tuple[Act, str, list[Parameter]]] = {
    "sweep": (
        decide.sweep,
        "Many matchups at once: units, fields, options and rules over values and ranges.",
        [decide.OVER, decide.EVENT, decide.AT_LEAST, decide.MEAN, decide.SORT, decide.PLOT, *decide.RUNNING],
    ),
    "compare": (
        decide.compare,
        "Candidates side by side, against the targets that are expected: units are lists, such as "
        "knights,ogre-warriors,at=24, and a target's weight follows a colon, such as zombie-2:3.",
        [decide.OVER, decide.EVENT, decide.AT_LEAST, decide.MEAN, decide.PLOT, *decide.ON],
    ),
    "needs": (
        decide.needs,
        "What a field must be for a chance: the least value, or the cheapest unit (--over at, --over "
        "attacker='*', --over with=0..4 for so many of them). Without --over: what one step of each field "
        "adds.",
        [decide.OVER, decide.CHANCE, decide.EVENT, decide.AT_LEAST, decide.COST],
    ),
    "army": (
        decide.army,
        "Which list under a budget, and who takes on whom. The first argument is what may be taken "
        "(knights:2 is up to two of them), the second what is met (zombie-2:3 counts three times); "
        "both may be files.",
        [decide.BUDGET, decide.GOAL, decide.TEAM, decide.EVENT, decide.AT_LEAST, decide.PLOT, *decide.ON],
    ),
}
