"""The fighter: MOV INI ATT STR DEF RES AIM COU or FEAR, DIS, in the game's own words."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from mathhammer.core.profiles import Profile


def _none(value: object) -> object:
    """'-' is none."""
    return None if isinstance(value, str) and value.strip() in ("-", "none") else value


def _decimal(value: object) -> object:
    """'17.5' as a change on the command line is a number."""
    if isinstance(value, str) and re.fullmatch(r"\d{1,3}\.\d{1,2}", value.strip(), re.ASCII):
        return float(value)
    return _none(value)


Value = Annotated[int, Field(ge=0, le=30)]
OptionalValue = Annotated[Annotated[int, Field(ge=0, le=30)] | None, BeforeValidator(_none)]
Move = Annotated[float, Field(ge=0, le=100), BeforeValidator(_decimal)]
OptionalMove = Annotated[Annotated[float, Field(ge=0, le=100)] | None, BeforeValidator(_decimal)]

WRITTEN = {"strength": "str", "defence": "def"}  # fields whose own name means something else in Python


class Fighter(Profile):
    """A fighter. Centimetres; '-' or left out: he does not have it. Source: C3-2.5, C3-2.11, C3-3.17."""

    described_only: ClassVar[frozenset[str]] = frozenset({"name", "source", "points", "power", "weapon"})

    mov: Move = Field(default=10, description="movement, centimetres")
    fly: OptionalMove = Field(default=None, description="movement in flight, centimetres")
    ini: Value = Field(description="initiative")
    att: Value = Field(description="attack")
    strength: Value = Field(alias="str", description="strength")
    defence: Value = Field(alias="def", description="defence")
    res: Value = Field(description="resilience")
    aim: OptionalValue = Field(default=None, description="aim; '-': cannot shoot")
    cou: OptionalValue = Field(default=None, description="courage (a fighter has courage or fear)")
    fear: OptionalValue = Field(default=None, description="fear that he inspires")
    dis: OptionalValue = Field(default=None, description="discipline")
    power: OptionalValue = Field(default=None, description="power of a magician; no rule here uses it")
    leadership: bool = Field(default=False, description="two dice in discipline rolls, the higher counts")
    weapon: str | None = Field(default=None, max_length=40, description="what he shoots with")
    weapon_str: OptionalValue = Field(default=None, description="strength of the weapon that he shoots with")
    ranges: str | None = Field(default=None, description="its ranges in centimetres, such as 20-35-45")
    points: int | None = Field(default=None, ge=0, le=10_000)

    @model_validator(mode="after")
    def _sound(self) -> Fighter:
        if self.cou is not None and self.fear is not None:
            raise ValueError(
                f"cou and fear: a fighter has one of them, not cou {self.cou} and fear {self.fear}"
            )
        if self.ranges is not None and self.bands is None:
            raise ValueError(f"ranges ascend, short-medium-long, such as 20-35-45, not {self.ranges!r}")
        return self

    @property
    def bands(self) -> tuple[int, int, int] | None:
        """Short, medium and long range in centimetres; None where they are not known. Source: C3-2.5."""
        match = re.fullmatch(r"(\d{1,3})-(\d{1,3})-(\d{1,3})", self.ranges or "", re.ASCII)
        if not match:
            return None
        short, medium, long = map(int, match.groups())
        return (short, medium, long) if 0 < short < medium < long else None

    @property
    def courage(self) -> int | None:
        """What he tests against fear with: Courage, or a lower Fear in its place. Source: C3-2.11."""
        return self.cou if self.cou is not None else self.fear

    @model_serializer(mode="wrap")
    def _in_the_games_words(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {WRITTEN.get(name, name): value for name, value in handler(self).items()}
