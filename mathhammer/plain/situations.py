"""What the plain questions ask: one frozen model each. Fields marked positional are arguments."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic.config import JsonDict

from mathhammer.core.profiles import Frozen, Text

POSITIONAL: JsonDict = {"positional": True}
Whole = Annotated[int, Field(ge=-100, le=100)]


class Dice(Frozen):
    """Any dice."""

    expression: Text = Field(
        description="such as 2d6+3, best(3d6), 12d6>=4 (count), '2d6 >= 9' (compare), '20d6>=3 -> d6>=4' "
        "(each success rolls on); after dice: kh2 or kl2 keep the highest or lowest two, dh1 or dl1 drop "
        "one, ! throws another die for each highest face (!1: once), rr1 re-rolls 1s, rr<3#2 at most two "
        "dice below 3",
        json_schema_extra=POSITIONAL,
    )


class Charge(Frozen):
    """A charge roll."""

    needed: Text = Field(
        description="what the roll must reach: 9, or an estimate 7..9 or 8~1.5", json_schema_extra=POSITIONAL
    )
    dice: Text = Field(
        default="2d6", description="2d6, 3d6kl2 (drop the highest), 3d6kh2 (keep two), d6, ..."
    )
    movement: Annotated[int, Field(ge=0, le=100)] = Field(default=0, description="added to the roll")
    reroll: Literal["none", "one", "all", "any"] = Field(
        default="none", description="what may be rolled again, once: one die, the whole roll, any of the dice"
    )
    units: Annotated[int, Field(ge=1, le=20)] = Field(
        default=1, description="so many units charge, each by its own roll"
    )


class Scatter(Frozen):
    """A template that drifts."""

    die: Literal["scatter", "always"] = Field(
        default="scatter", description="scatter: 2 of 6 faces stay on target; always: it always drifts"
    )
    distance: Text = Field(default="2d6", description="dice of the drift, or artillery (2 4 6 8 10 misfire)")
    skill: Annotated[int, Field(ge=0, le=30)] = Field(default=0, description="taken from the drift")
    directions: Literal["any", "six", "eight"] = Field(default="any", description="ways that it can drift")
    template: Annotated[float, Field(gt=0, le=100)] = Field(
        default=3.0, description="diameter of the template, inches"
    )
    base: Annotated[float, Field(gt=0, le=500)] = Field(
        default=25.0, description="diameter of a base, millimetres"
    )
    bases: str = Field(default="5x2", description="files x ranks, or centres in inches: '0,0 1,0 2,0.5'")
    gap: Annotated[float, Field(ge=0, le=100)] = Field(
        default=0.0, description="inches between bases of a block"
    )
    aim: Text = Field(
        default="middle", description="middle, a base's number (front rank first), or x,y in inches"
    )


class Morale(Frozen):
    """A morale roll."""

    value: Annotated[int, Field(ge=1, le=40)] = Field(
        description="what the roll is compared with", json_schema_extra=POSITIONAL
    )
    dice: Text = Field(default="2d6", description="2d6, 3d6, 3d6kl2 (best two to stay low), 3d6kh2, ...")
    high: bool = Field(default=False, description="the roll must reach the value (else: not exceed it)")
    modifier: Whole = Field(default=0, description="added to the value")
    reroll: bool = Field(default=False, description="a failed roll is thrown again once")
    double_one: bool = Field(default=False, description="two dice: a double 1 always passes")
    double_six: bool = Field(default=False, description="two dice: a double 6 always fails")
    waver: Annotated[int, Field(ge=1, le=20)] | None = Field(
        default=None, description="failing by less than this only wavers: a third result"
    )
    turns: Annotated[int, Field(ge=1, le=50)] = Field(default=6, description="turns that are counted")

    @model_validator(mode="after")
    def _doubles_of_two_dice(self) -> Morale:
        if (self.double_one or self.double_six) and self.dice.replace(" ", "").lower() != "2d6":
            raise ValueError(f"double_one and double_six are of dice 2d6, not {self.dice}")
        return self
