"""What is reported of wounds: events that are "at least", and levels as rows of tables. Source: C3-3.18."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mathhammer.core.steps import Columns, Mask
from mathhammer.games.confrontation_3.wounds import DEAD, LEVELS, States

LEVEL_EVENTS = {"light": 1, "serious": 2, "critical": 3, "killed": DEAD}


def at_least(states: States, column: str, level: int) -> Callable[[Columns], Mask]:
    """Whether a fighter's wound is at least of a level."""

    def reached(columns: Columns) -> Mask:
        found: Mask = states.wound(columns[column]) >= level
        return found

    return reached


def by_level(pmf: Mapping[int, float]) -> dict[str, float]:
    """Chances of each wound, by name."""
    return {name: pmf.get(level, 0.0) for level, name in enumerate(LEVELS)}
