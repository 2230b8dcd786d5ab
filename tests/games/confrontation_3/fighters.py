"""Fighters for tests, by their characteristics alone."""

from __future__ import annotations

from typing import Any

from mathhammer.core.rulesets import Ruleset
from mathhammer.games import load
from mathhammer.games.confrontation_3.profile import Fighter
from mathhammer.games.confrontation_3.ruleset import Rules

PLAIN: dict[str, Any] = {
    "name": "plain",
    "ini": 3,
    "att": 4,
    "str": 6,
    "def": 4,
    "res": 6,
    "cou": 5,
    "dis": 3,
}


def fighter(**fields: Any) -> Fighter:
    """A fighter who is plain but for the fields given."""
    return Fighter.model_validate({**PLAIN, **fields})


def fearsome(value: int, **fields: Any) -> Fighter:
    """A plain fighter who inspires fear."""
    return fighter(cou=None, fear=value, **fields)


def rules(**changes: Any) -> Rules:
    """The shipped rules, with changes."""
    shipped: Ruleset[Rules] = load("c3").ruleset("3")
    return shipped.values.model_copy(update=changes)
