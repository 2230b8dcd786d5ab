"""Sweeps that several tests run, and plays that break or take long, as a game of their own."""

from __future__ import annotations

from typing import Any

from mathhammer.analysis.over import make_grid
from mathhammer.analysis.sweep import Sweep
from mathhammer.analysis.wanted import Wanted
from mathhammer.games import load

KOW = load("kow")
ROUT = Wanted("event", "rout")
DAMAGE = Wanted("mean", "damage")
UNITS = {"attacker": "ogre-warriors", "defender": "foot-guard"}


def sweep(
    over: dict[str, Any] | None = None,
    units: dict[str, Any] | None = None,
    wanted: tuple[Wanted, ...] = (ROUT, DAMAGE),
    mode: str = "melee",
    situation: dict[str, Any] | None = None,
    **rest: Any,
) -> Sweep:
    """A sweep of Kings of War."""
    return Sweep(make_grid(KOW, mode, units or UNITS, situation or {}, over or {}), wanted, **rest)
