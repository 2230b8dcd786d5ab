"""Units for tests, by their characteristics alone; and short questions about them."""

from __future__ import annotations

from typing import Any

import mathhammer
from mathhammer.games import load
from mathhammer.games.battlefield.profile import Unit
from mathhammer.games.battlefield.ruleset import Rules

PLAIN: dict[str, Any] = {"name": "plain", "attack": 5, "defence": 15, "number": 300}


def unit(**fields: Any) -> Unit:
    """A unit that is plain but for the fields given."""
    return Unit.model_validate({**PLAIN, **fields})


def rules(**changes: Any) -> Rules:
    """The shipped rules, with changes."""
    values: Rules = load("battlefield").ruleset("battlefield").values
    return values.model_copy(update=changes)


def asked(mode: str, *units: Any, **options: Any) -> mathhammer.Result:
    """The exact answer to a question of this game."""
    return mathhammer.exact("battlefield", mode, *units, **options)
