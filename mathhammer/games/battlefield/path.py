"""The way of a charge: how far, and past whom. Source: BF-02, BF-08, BF-17."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mathhammer.core.errors import InputError
from mathhammer.games.battlefield.profile import Unit
from mathhammer.games.battlefield.ruleset import Rules
from mathhammer.games.battlefield.state import Fighter

BESIDE = 1  # cells from the cell before the target to its own, beside the unit behind


@dataclass(frozen=True)
class Path:
    """The way of a charge: cells charged, cells in enemies' zones, who is behind, who is ahead, how far."""

    cells: int
    order: str = "attack"
    zones: int = 0
    behind: Fighter | None = None
    ahead: Fighter | None = None
    gap: int = 0
    blocked: bool = False  # nothing can be pushed into the cell behind
    flanking: bool = False
    once: bool = False  # no second break through


def speed(unit: Unit, rules: Rules) -> int:
    """Cells of one move action. Source: BF-17."""
    if unit.move is not None:
        return unit.move
    if unit.mount != "none":
        return rules.move_light if unit.mount == "light" else rules.move_heavy
    slow = unit.heavy_armour or unit.weapon == "heavy-crossbow"
    return rules.move_slow if slow else rules.move_foot


def reach(unit: Unit, zones: int, rules: Rules) -> int:
    """Cells that a charge may cover: twice the move, less what zones cost. Source: BF-02, BF-17."""
    far = 2 * speed(unit, rules)
    return far - zones * (rules.zone_cost - 1) if zones else far


def refuse_path(unit: Unit, path: Path, rules: Rules) -> None:
    """Raise `InputError` with a line for each thing that the rules do not let this charge do."""
    lines = [*_who_charges(unit, path), *_how_far(unit, path, rules), *_who_follows(unit, path, rules)]
    if lines:
        raise InputError(*lines)


def _who_charges(unit: Unit, path: Path) -> Iterator[str]:
    if unit.ranged:
        yield f"{unit.name} cannot charge with a {unit.weapon}: only melee weapons charge (BF-02)"
    if path.order == "break-through" and not unit.cavalry:
        yield f"--order break-through is for cavalry: {unit.name} on foot cannot ride through (BF-08)"
    if path.order == "attack-break-in" and not unit.cavalry:
        yield f"--order attack-break-in is for cavalry: {unit.name} on foot breaks in instead (BF-02)"
    if path.zones and not (unit.cavalry and unit.training.fast_riding):
        yield f"--zones is 0, not {path.zones}: only cavalry with training.fast_riding passes them (BF-17)"


def _how_far(unit: Unit, path: Path, rules: Rules) -> Iterator[str]:
    far = reach(unit, path.zones, rules)
    if path.cells > far:
        yield f"--cells is at most {far} for {unit.name}, twice its move less zones, not {path.cells} (BF-17)"
    elif path.order == "break-through" and path.cells + rules.through_cells > far:
        yield (
            f"--cells is at most {far - rules.through_cells} to break through, not {path.cells}: "
            f"the way through takes {rules.through_cells} of {far} cells (BF-08)"
        )


def _who_follows(unit: Unit, path: Path, rules: Rules) -> Iterator[str]:
    behind = path.behind if path.order != "push" else None
    if path.order != "break-through" and (path.ahead is not None or behind is not None):
        yield f"--ahead, and --behind without a push, go with --order break-through, not {path.order} (BF-08)"
        return
    if path.ahead is None:
        return
    if path.behind is not None and not follows_up(unit, path, BESIDE, rules):
        yield (
            "--ahead beyond --behind needs a second break through: heavy cavalry with training.follow_up, "
            "and cells left (BF-08)"
        )
    elif cells_to_ahead(path, rules) > reach(unit, path.zones, rules):
        yield (
            f"--ahead is met after {cells_to_ahead(path, rules)} cells, but {unit.name} has "
            f"{reach(unit, path.zones, rules)} (BF-08)"
        )


def counted(path: Path, further: int, rules: Rules) -> int:
    """Cells that count in a check after a break through, so many cells further on. Source: BF-08."""
    if rules.follow_up_cells == "since":
        return further
    return path.cells + (further if rules.follow_up_cells == "all" else 0)


def follows_up(unit: Unit, path: Path, further: int, rules: Rules) -> bool:
    """Whether it breaks through once more, so many cells further on: trained, mounted. Source: BF-08."""
    if path.once or not unit.training.follow_up or unit.mount != "heavy":
        return False
    return path.cells + further + rules.through_cells <= reach(unit, path.zones, rules)


def cells_to_ahead(path: Path, rules: Rules) -> int:
    """Cells ridden until the enemy ahead is met. Source: BF-08."""
    return path.cells + rules.through_cells + (0 if path.behind is None else BESIDE) + path.gap
