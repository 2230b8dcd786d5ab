"""The unit: commander, soldiers, weapons, mount, formation and training, in the game's own words."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from mathhammer.core.dice import roll
from mathhammer.core.profiles import Frozen, Profile

Weapon = Literal[
    "blade",
    "spear",
    "halberd",
    "pike",
    "lance",
    "short-bow",
    "long-bow",
    "light-crossbow",
    "heavy-crossbow",
    "firearm",
]
Mount = Literal["none", "light", "heavy"]
Formation = Literal["none", "loose", "dense", "shield-and-spear"]
BOWS = ("short-bow", "long-bow")
RANGED = (*BOWS, "light-crossbow", "heavy-crossbow", "firearm")
MOST_DAMAGE = 500  # of one hit

Modifier = Annotated[int, Field(ge=-20, le=40)]


def damage_of(value: int | str | None) -> int | str | None:
    """A damage that is a whole number, dice, 'margin', or left out. Raises `ValueError` for others."""
    if value is None or value == "margin":
        return value
    if roll(str(value)).last > MOST_DAMAGE:
        raise ValueError(f"damage of one hit is at most {MOST_DAMAGE}, not {value!r}")
    return value


class Training(Frozen):
    """What the soldiers are trained in, and the commander's feats."""

    break_in: bool = Field(default=False, description="+4 to break in (BF-03)")
    push: bool = Field(default=False, description="+4 to push back (BF-07)")
    break_through: bool = Field(default=False, description="+4 to break through (BF-08)")
    gale: bool = Field(default=False, description="shakes what it broke through (BF-09)")
    follow_up: bool = Field(default=False, description="a second break through (BF-08)")
    lure: bool = Field(default=False, description="+4 to lure (BF-10)")
    lob: bool = Field(default=False, description="lobs without a check (BF-11)")
    moving_attack: bool = Field(default=False, description="moves two cells between attacks (BF-16)")
    quick_swap: bool = Field(default=False, description="may save an action when swapping weapons (BF-12)")
    fast_riding: bool = Field(default=False, description="rides through zones at double cost (BF-17)")


class Unit(Profile):
    """A unit of soldiers under a commander. Source: BF-00 to BF-17."""

    command: Modifier = Field(default=0, description="the commander's leadership")
    soldiers: Modifier = Field(default=0, description="fighting strength of the soldiers, added to command")
    attack: Modifier = Field(description="melee attack")
    shooting: Modifier | None = Field(default=None, description="attack when shooting, if not the same")
    defence: Annotated[int, Field(ge=0, le=60)] = Field(description="what attack rolls must reach")
    damage: int | str | None = Field(
        default=None, description="of one hit: a number, dice, or margin; left out: the ruleset's"
    )
    number: Annotated[int, Field(ge=1, le=20_000)] = Field(description="how many soldiers")
    morale: Modifier = Field(default=0, description="where it stands on the morale track")
    weapon: Weapon = Field(default="blade", description="weapon in hand")
    spare: Weapon | None = Field(default=None, description="the other weapon, for a swap")
    mix: dict[Weapon, Annotated[int, Field(ge=1, le=20_000)]] = Field(
        default={}, description="parts by weapon of a mixed unit, such as {pike = 2, blade = 1}"
    )
    mount: Mount = "none"
    heavy_armour: bool = Field(default=False, description="slows a unit on foot")
    move: Annotated[int, Field(ge=1, le=20)] | None = Field(
        default=None, description="cells an action, if not what mount, armour and weapon give"
    )
    formation: Formation = "none"
    bluff: Modifier = 0
    sense_motive: Modifier = 0
    training: Training = Training()

    described_only: ClassVar[frozenset[str]] = frozenset({"name", "source"})

    @field_validator("damage")
    @classmethod
    def _dice(cls, value: int | str | None) -> int | str | None:
        return damage_of(value)

    @model_validator(mode="after")
    def _weapons_fit(self) -> Unit:
        if self.mix and self.weapon not in self.mix:
            raise ValueError(f"mix has a part for the weapon in hand, {self.weapon}, or is left out")
        if self.spare == self.weapon:
            raise ValueError(f"spare is another weapon than the one in hand, {self.weapon}")
        return self

    @property
    def cavalry(self) -> bool:
        """Whether it is mounted."""
        return self.mount != "none"

    @property
    def ranged(self) -> bool:
        """Whether the weapon in hand shoots."""
        return self.weapon in RANGED

    @property
    def firmness(self) -> int:
        """Command + soldiers, the modifier of most checks of nerve. Source: BF-00."""
        return self.command + self.soldiers

    def share(self, *weapons: str) -> Fraction:
        """The part of the unit that holds one of these weapons. Source: BF-03."""
        parts = self.mix or {self.weapon: 1}
        held = sum(count for weapon, count in parts.items() if weapon in weapons)
        return Fraction(held, sum(parts.values()))

    def swapped(self) -> Unit:
        """The unit with its spare weapon in hand. Source: BF-12."""
        return self.model_copy(update={"weapon": self.spare, "spare": self.weapon, "mix": {}})
