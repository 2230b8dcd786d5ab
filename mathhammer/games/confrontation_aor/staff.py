"""War staffs: who may use one, and what it lends. Source: AOR-24."""

from __future__ import annotations

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup, Placed
from mathhammer.games.confrontation_aor.profile import Fighters, Unit
from mathhammer.games.confrontation_aor.side import Staff


def staff_of(matchup: Matchup, role: str) -> Staff | None:
    """The staff that a side may use, of those listed from the nearest on. Source: AOR-24."""
    placed = matchup.units.get(role, ())
    for place, found in enumerate(map(_lent, placed), 1):
        if found or (place < len(placed) and matchup.rules.nearest_staff == "any"):
            return found
    return None


def _lent(placed: Placed) -> Staff | None:
    unit = placed.unit
    assert isinstance(unit, Unit)
    incarnate = incarnate_of(unit)
    standard, musician = unit.has("standard"), unit.has("musician")
    if not (standard or musician):
        raise InputError(
            f"{unit.label()}: a war staff has a musician or a standard bearer beside its incarnate (AOR-24)"
        )
    if placed.placing.get("rout"):
        return None
    sees, near = placed.placing.get("sees", True), placed.placing.get("near", True)
    if (standard and not sees) or (musician and not near):
        return None
    courage = incarnate.courage if incarnate.courage is not None else incarnate.fear
    return Staff(courage or 0, incarnate.authority)


def incarnate_of(unit: Unit) -> Fighters:
    """The incarnate of a staff. Raises `InputError` where there is none."""
    for group in unit.fighters:
        if "incarnate" in group.roles or "commander" in group.roles:
            return group
    raise InputError(f"{unit.label()}: a war staff is led by an incarnate; give it that role (AOR-24)")
