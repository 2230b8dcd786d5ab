"""Units for these tests, and the same units for the referee."""

from __future__ import annotations

from typing import Any

from mathhammer.games.confrontation_aor.profile import Fighters, Unit
from tests.literal import confrontation_aor as literal

# Names of fields that the referee spells otherwise.
NAMES = {
    "dice": "attack_dice",
    "ranged": "ranged_attack",
}


def unit(**fields: Any) -> Unit:
    """A unit of plain fighters with some fields set."""
    plain = {"name": "Unit", "movement": 10, "attack": 4, "strength": 4, "defence": 4, "resilience": 4}
    courage = {} if "fear" in fields else {"courage": 4}
    return Unit.model_validate({**plain, **courage, "power": 1, **fields})


def referees(made: Unit, staff: literal.Staff | None = None) -> literal.Unit:
    """The unit as the referee has it."""
    groups = [literal.Group(profile(group), group.count, group.damage) for group in made.fighters]
    return literal.Unit(tuple(groups), start=made.start, staff=staff)


def profile(group: Fighters) -> literal.Profile:
    """One group's card as the referee has it."""
    same = ("movement", "attack", "strength", "defence", "resilience", "wounds", "courage", "fear")
    more = ("authority", "ranged_strength", "perforating", "fervor", "energy")
    fields: dict[str, Any] = {name: getattr(group, name) for name in (*same, *more)}
    told = {name: value for name, value in fields.items() if value is not None or name in ("courage", "fear")}
    return literal.Profile(
        name=group.name,
        **told,
        power=group.power or 0,
        attack_dice=group.dice,
        ranged_attack=group.ranged or 0,
        ranged_dice=group.ranged_dice if group.ranged is not None else 0,
        area=group.area or 0.0,
        radius=group.radius,
        roles=tuple(sorted(group.roles)),
        category=group.category.replace("-", "_"),
    )
