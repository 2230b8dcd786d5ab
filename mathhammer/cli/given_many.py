"""What was typed after `sweep`, `compare`, `needs` or `army`, as checked values; errors as in `given`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast, get_args

from mathhammer.analysis.campaign import Campaign, Goal, make_campaign
from mathhammer.analysis.execute import check_workers
from mathhammer.analysis.fights import two_sides
from mathhammer.analysis.files import check_out
from mathhammer.analysis.grid import Grid
from mathhammer.analysis.needs import check_chance
from mathhammer.analysis.over import Over, make_grid, over_of
from mathhammer.analysis.sweep import SweepEngine
from mathhammer.analysis.wanted import Wanted, chances, means
from mathhammer.cli.given import (
    Given,
    as_typed,
    numbers_given,
    refuse_place,
    role_given,
    rules_given,
    situation_given,
)
from mathhammer.core.errors import InputError, gathered
from mathhammer.core.game import Game, Mode
from mathhammer.core.profiles import plain


# -- what is asked ---------------------------------------------------------------------------------
def grid_given(game: Game, mode: Mode, given: Given, over: Over) -> Grid:
    """The grid (a positional option must be given also where it varies)."""
    varied = {name.removeprefix("situation.").replace("-", "_") for name in over}
    units = {role.name: role_given(role, given) for role in mode.roles}
    situation = situation_given(mode, given)
    left = {name: value for name, value in situation.items() if name not in varied}
    with as_typed(mode, once=True):
        return make_grid(game, mode.name, units, left, over, **rules_given(given))


def campaign_given(game: Game, mode: Mode, given: Given, *, budget: int, goal: Goal, team: int) -> Campaign:
    """The list, the enemies and the budget."""
    sides = two_sides(mode)
    listed, enemies = (role_given(role, given) for role in sides)
    _refuse_helpers([role.name for role in mode.roles if role not in sides and role_given(role, given)])
    limits: dict[str, Any] = {"budget": budget, "goal": goal, "team": team}
    situation = situation_given(mode, given)
    with as_typed(mode, once=True):
        return make_campaign(game, mode.name, listed, enemies, situation, **limits, **rules_given(given))


def _refuse_helpers(taken: Sequence[str]) -> None:
    if taken:
        told = "army makes the teams itself; words such as @flank go with units of the list"
        raise InputError(f"--{taken[0]}: {told}")


def over_given(given: Given, *, bare: bool = False) -> Over:
    """`--over field=values` settings. bare: a field alone stands for all its values."""
    return over_of(given["over"], bare=bare)


def wanted_given(mode: Mode, given: Given) -> tuple[Wanted, ...]:
    """The numbers that were asked for; none where nothing was."""
    asked, averages = gathered(
        lambda: chances(mode, given["event"] or [], given["at_least"] or []),
        lambda: means(mode, given.get("mean") or []),
    )
    return tuple(dict.fromkeys([*asked, *averages]))


# -- settings --------------------------------------------------------------------------------------
def sweep_numbers_given(given: Given) -> dict[str, Any]:
    """Engine, trials and seed."""
    word_given("engine", get_args(SweepEngine), given)
    return numbers_given(given)


def workers_given(given: Given) -> int | None:
    """How many processes."""
    if given["workers"] is None:
        return None
    workers = plain(given["workers"])
    check_workers(workers)
    if given["cluster"] is not None and given["cluster"] != "local":
        raise InputError("--workers does not go with --cluster ADDRESS: the cluster has its own")
    return cast(int, workers)


def out_given(given: Given) -> Path | None:
    """The output file."""
    if given["out"] is None:
        if given["resume"]:
            raise InputError("--resume goes with --out FILE, the file that was being written")
        return None
    path = Path(given["out"])
    check_out(path)
    refuse_place("--out", given["out"])
    return path


def chance_given(given: Given) -> float | None:
    """'0.8' or '80%' as a chance."""
    text = given["chance"]
    if text is None:
        return None
    try:
        chance = float(text.strip().removesuffix("%")) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        raise InputError(f"--chance is above 0 and up to 1, such as 0.8 or 80%, not {text!r}") from None
    check_chance(chance)
    return chance


def costs_given(given: Given) -> dict[str, float]:
    """`--cost field=points` settings."""
    costs: dict[str, float] = {}
    for setting in given["cost"] or []:
        name, _, number = setting.partition("=")
        try:
            costs[name.strip()] = float(number)
        except ValueError:
            raise InputError(f"--cost {setting!r}: write field=points, such as at=5") from None
        if not name.strip() or not 0 < costs[name.strip()] < 1e6:
            raise InputError(f"--cost {setting!r}: write field=points above 0, such as at=5")
    return costs


def whole_given(name: str, low: int, high: int, given: Given) -> int:
    """A whole number."""
    text = given[name]
    value = None if text is None else plain(text.replace(",", "").replace("_", ""))
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        told = "missing" if text is None else f"not {text!r}"
        raise InputError(f"--{name} is a whole number from {low:,} to {high:,}, {told}")
    return value


def word_given(name: str, known: Sequence[str], given: Given) -> Any:
    """One of a few words."""
    if given[name] not in known:
        raise InputError(f"--{name} is one of {', '.join(known)}, not {given[name]!r}")
    return given[name]
