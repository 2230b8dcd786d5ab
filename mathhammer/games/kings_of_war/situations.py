"""What is known at the table besides the units: one frozen model a mode. Docstrings become option help."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from mathhammer.core.profiles import Frozen

Facing = Literal["front", "flank", "rear"]
Damage = Annotated[int, Field(ge=0, le=200)]
Modifier = Annotated[int, Field(ge=-10, le=10)]
Inches = Annotated[int, Field(ge=0, le=200)]


class Strikes(Frozen):
    """Options that melee and shooting share."""

    damage_before: Damage = Field(default=0, description="damage already on the defender")
    inspiring: bool = Field(
        default=False, description="the defender is inspired: a rout is re-rolled (KOW-06)"
    )
    rallying: Annotated[int, Field(ge=0, le=5)] = Field(
        default=0, description="Rallying (n) near the defender"
    )
    hit_mod: Modifier = Field(default=0, description="other modifiers to hit: +1 is easier")
    damage_mod: Modifier = Field(default=0, description="other modifiers to damage: +1 is easier")
    nerve_mod: Modifier = Field(
        default=0, description="other modifiers to the nerve roll: +1 is worse for it"
    )


class Melee(Strikes):
    """One charge, or several chargers against one unit."""

    facing: Facing = Field(default="front", description="where the attacker strikes (KOW-01)")
    hindered: bool = Field(
        default=False, description="all chargers are hindered; also by a defended obstacle"
    )
    disordered: bool = Field(default=False, description="the attackers are disordered: no Thunderous Charge")
    dread: bool = Field(default=False, description="an enemy with Dread is near the defender")
    attacker_damage_before: Damage = Field(default=0, description="damage already on the attacker")
    distance: Inches | None = Field(
        default=None, description="inches to the target, or to the obstacle that it stands behind (KOW-09)"
    )
    difficult: Inches = Field(
        default=0, description="inches of that through difficult terrain, which cost double"
    )

    @model_validator(mode="after")
    def _path(self) -> Melee:
        _check_path(self.distance, self.difficult)
        return self


class Shoot(Strikes):
    """One volley or breath."""

    cover: Literal["none", "soft", "hard"] = Field(default="none", description="cover of the target (KOW-02)")
    order: Literal["halt", "turn", "advance", "back", "double"] = Field(
        default="halt", description="the shooter's order; no order is halt (KOW-09)"
    )
    distance: Inches | None = Field(
        default=None, description="inches to the target: range and long range follow"
    )
    long_range: bool = Field(default=False, description="over half the weapon's range")
    facing: Facing = Field(default="front", description="where the shots come from (only a Big Shield cares)")
    breath: bool = Field(default=False, description="use the breath attack")
    volleys: int = Field(
        default=1, ge=1, le=10, description="volleys of so many units like this one, before the nerve test"
    )
    attacker_damage_before: Damage = Field(
        default=0, description="damage already on the shooter (edition 4: above its nerve, half the dice)"
    )
    disordered: bool = Field(default=False, description="the shooter is disordered, so that it cannot shoot")
    wavering: bool = Field(
        default=False, description="the shooter is wavering, so that it cannot shoot (KOW-08)"
    )

    @model_validator(mode="after")
    def _one_distance(self) -> Shoot:
        if self.long_range and self.distance is not None:
            raise ValueError("long_range and distance: give one of them, the distance tells the other")
        return self


class Fight(Frozen):
    """Turns alternate, the attacker charges first (KOW-08)."""

    turns: int = Field(default=6, ge=1, le=20, description="turns of each side")
    facing: Facing = Field(default="front", description="where the attacker's first charge strikes")
    hindered: bool = Field(default=False, description="the attacker's first charge is hindered")
    damage_before: Damage = Field(default=0, description="damage already on the defender")
    attacker_damage_before: Damage = Field(default=0, description="damage already on the attacker")
    inspiring: bool = Field(default=False, description="the defender is inspired")
    attacker_inspiring: bool = Field(default=False, description="the attacker is inspired")
    dread: bool = Field(default=False, description="an enemy with Dread is near the defender")
    rallying: Annotated[int, Field(ge=0, le=5)] = Field(
        default=0, description="Rallying (n) near the defender"
    )
    attacker_rallying: Annotated[int, Field(ge=0, le=5)] = Field(
        default=0, description="Rallying (n) near the attacker"
    )


def _check_path(distance: int | None, difficult: int) -> None:
    if difficult > (distance or 0):
        raise ValueError(f"difficult is at most the distance, not {difficult} of {distance or 'no distance'}")
