"""The unit: Sp Me Ra De At Ne and special rules, in the game's own words."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from mathhammer.core.dice import roll
from mathhammer.core.profiles import Frozen, Profile

MOST_BLAST = 36
NAMED_PHASE = Literal["melee", "ranged"]
RANGES = {"bow": 24, "crossbow": 24, "rifle": 24, "pistol": 12, "javelin": 12, "thrown": 12}  # KOW-09, inches


def _score(value: object) -> object:
    """'4+' is 4, '-' and 'none' are None."""
    if isinstance(value, str):
        text = value.strip().removesuffix("+")
        return None if text in ("-", "none") else int(text) if text.isascii() and text.isdecimal() else value
    return value


Score = Annotated[int, Field(ge=2, le=6), BeforeValidator(_score)]
OptionalScore = Annotated[Annotated[int, Field(ge=2, le=6)] | None, BeforeValidator(_score)]
OptionalNerve = Annotated[Annotated[int, Field(ge=1, le=60)] | None, BeforeValidator(_score)]
Strength = Annotated[int, Field(ge=0, le=5)]


class UnitRules(Frozen):
    """Special rules of a unit; those an edition does not have are footnoted. Source: KOW-07."""

    crushing_strength: Strength = Field(default=0, description="+n to damage in melee")
    thunderous_charge: Strength = Field(default=0, description="+n to damage in a charge")
    piercing: Strength = Field(default=0, description="+n to damage by shooting")
    elite: bool | NAMED_PHASE = Field(default=False, description="re-rolls to hit")
    vicious: bool | NAMED_PHASE = Field(default=False, description="re-rolls to damage")
    blast: int | str = Field(default=1, description="each hit becomes this many: a number or dice such as d3")
    breath: int = Field(default=0, ge=0, le=100, description="dice of a breath attack")
    regeneration: int = Field(default=0, description="the n of n+, 2 to 6; 0: none")
    iron_resolve: int = Field(default=0, ge=0, le=10, description="heals n when steady")
    lifeleech: int = Field(default=0, ge=0, le=20, description="heals what it deals, up to n")
    inspiring: bool = False
    very_inspiring: bool = False
    stealthy: bool = False
    phalanx: bool = False
    ensnare: bool = False
    headstrong: bool = False
    fearless: bool = False
    shattering: bool = False
    dread: bool = False
    brutal: int = Field(default=0, ge=0, le=5, description="+n to the enemy's nerve roll in melee")
    individual: bool = False
    duelist: bool = False
    big_shield: bool = False
    flyer: bool = False

    @field_validator("blast")
    @classmethod
    def _dice(cls, value: int | str) -> int | str:
        pmf = roll(str(value))
        if pmf.offset < 1 or pmf.last > MOST_BLAST:
            raise ValueError(f"blast makes 1 to {MOST_BLAST} hits of each, not {value!r}")
        return value

    @field_validator("regeneration")
    @classmethod
    def _heals(cls, value: int) -> int:
        if value != 0 and not 2 <= value <= 6:
            raise ValueError(
                f"regeneration is the n of n+, a whole number from 2 to 6 (0: none), not {value}"
            )
        return value


class Unit(Profile):
    """A unit. Scores are the n of n+; inches; points. Source: KOW-01 to KOW-09."""

    lower_is_better: ClassVar[frozenset[str]] = frozenset({"me", "ra", "rules.regeneration"})
    qualifiers: ClassVar[tuple[str, ...]] = ("size", "edition")
    described_only: ClassVar[frozenset[str]] = frozenset({"name", "source", "points", "edition"})

    size: Literal["troop", "regiment", "horde", "legion", "individual"] | None = None
    edition: int | None = Field(default=None, ge=1, le=4, description="edition the profile is from")
    kind: Literal["infantry", "large-infantry", "cavalry", "large-cavalry", "monster", "war-engine"] = (
        "infantry"
    )
    sp: int = Field(default=5, ge=0, le=30, description="speed, inches")
    me: Score = Field(description="melee score")
    ra: OptionalScore = Field(default=None, description="ranged score; left out or '-': none")
    de: Score = Field(description="defence score")
    at: int = Field(ge=1, le=1000, description="attacks (dice)")
    waver: OptionalNerve = Field(default=None, description="nerve that wavers; left out or '-': never")
    rout: int = Field(ge=1, le=60, description="nerve that routs (edition 4: the one value)")
    points: int | None = Field(default=None, ge=0, le=10_000)
    weapon: Literal["bow", "crossbow", "rifle", "pistol", "javelin", "thrown"] | None = None
    range: int | None = Field(default=None, ge=1, le=100, description="range in inches, if not the weapon's")
    rules: UnitRules = UnitRules()

    @model_validator(mode="after")
    def _nerve_ascends(self) -> Unit:
        if self.waver is not None and self.waver > self.rout:
            raise ValueError(f"waver is at most rout, not {self.waver} with rout {self.rout}")
        return self

    @property
    def reach(self) -> int | None:
        """Range of its shooting in inches, if known. Source: KOW-09."""
        return self.range if self.range is not None else RANGES.get(self.weapon or "")

    @property
    def inspired(self) -> bool:
        """Whether its own rule lets it re-roll. Source: KOW-06."""
        return self.rules.inspiring or self.rules.very_inspiring

    def content(self) -> dict[str, Any]:
        """As every unit's; a unit without `waver` is read by its edition, so that one counts there."""
        edition = {"edition": self.edition} if self.waver is None else {}
        return super().content() | edition

    def label(self) -> str:
        """Name with size."""
        return f"{self.name} {self.size}" if self.size else self.name
