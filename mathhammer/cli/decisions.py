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
}
