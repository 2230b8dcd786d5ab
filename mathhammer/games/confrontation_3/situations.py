"""What is known besides the fighters: one frozen model a mode. Descriptions become option help."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from mathhammer.core.profiles import Frozen, Text

Modifier = Annotated[int, Field(ge=-20, le=20)]
Wounded = Literal["none", "light", "serious", "critical"]
Winner = Literal["roll", "attacker", "defender"]


class Fights(Frozen):
    """Options that every melee shares."""

    split: Text | None = Field(
        default=None,
        description="attack/defence dice that the attacker places, such as 1/1 (best if not given)",
    )
    enemy_split: Text | None = Field(
        default=None, description="the same of the enemy; of several with commas, - for the best: 1/1,-"
    )
    objective: Text = Field(
        default="net",
        description="what the attacker plays for, the enemy against: net (kill less being killed), kill, "
        "survive, wounds, or weights such as kill=1,killed=-1,wounds=0.1,taken=-0.1",
    )
    play: Literal["best", "simple"] = Field(
        default="best", description="best play of both sides, or simple: half attack, dice spent at once"
    )
    initiative: Winner = Field(default="roll", description="who wins the first initiative (C3-3.6)")
    charged: Literal["none", "attacker", "defender"] = Field(
        default="none", description="who has the token of a charge (C3-2.9)"
    )
    attacker_wound: Wounded = Field(default="none", description="wound that the attacker has before")
    attacker_stunned: bool = Field(default=False, description="the attacker is stunned")
    attacker_afraid: bool = Field(default=False, description="the attacker is afraid (C3-2.16)")
    defender_wound: Wounded = Field(default="none", description="wound that the defender has before")
    defender_stunned: bool = Field(default=False, description="the defender is stunned")
    defender_afraid: bool = Field(default=False, description="the defender is afraid (C3-2.16)")
    rounds: int = Field(default=1, ge=1, le=10, description="rounds; the objective counts at the end")


class Placement(Fights):
    """The dice of one against one."""


class Duel(Fights):
    """One against one, from the first contact on."""

    contact: Literal["made", "engage", "charge"] = Field(
        default="made", description="they are in contact, or the attacker engages or charges (C3-2.6, C3-2.7)"
    )
    distance: Text | None = Field(
        default=None, description="centimetres to the target: 25, or an estimate 20..30 or 25~3 (C3-2.8)"
    )
    flying: bool = Field(default=False, description="the attacker comes in flight")
    unseen: bool = Field(
        default=False,
        description="the attacker does not see the target when he moves off: he cannot charge, only engage "
        "(C3-2.7); no number changes",
    )
    activated: bool = Field(
        default=False,
        description="the defender was activated before: he stays when afraid (C3-2.15); if not, and afraid "
        "before, he may recover before the melee (C3-2.18)",
    )

    @model_validator(mode="after")
    def _moves(self) -> Duel:
        for name in ("distance", "flying", "unseen", "activated"):
            if getattr(self, name) and self.contact == "made":
                raise ValueError(
                    f"{name} and contact: with contact made nobody moves; contact is engage or charge"
                )
        if self.unseen and self.contact == "charge":
            raise ValueError(
                "unseen and contact: a charge needs its target in sight (C3-2.7); contact is engage"
            )
        if self.contact == "charge" and self.charged != "none":
            raise ValueError("charged and contact: a charge gives the token by itself; give one of them")
        return self


class Fray(Fights):
    """One, the attacker, against several: the defender and those of --with."""

    listed_order: bool = Field(
        default=False, description="the enemies attack in the order listed (else in the best order for them)"
    )
    named: Annotated[int, Field(ge=1, le=4)] | None = Field(
        default=None,
        description="which enemy rolls initiative: 1 is the defender (the best INI if not given)",
    )


class Shoot(Frozen):
    """One shot."""

    range: Literal["short", "medium", "long"] | None = Field(
        default=None, description="range band (C3-2.5); short if no distance is given"
    )
    distance: Text | None = Field(
        default=None, description="centimetres to the target: 25, or an estimate 20..30 or 25~3"
    )
    moved: bool = Field(default=False, description="the shooter has moved")
    cover: bool = Field(default=False, description="the target is partly hidden (rule shooting_cover)")
    size: bool = Field(default=False, description="the target's size counts (rule shooting_size)")
    height: bool = Field(default=False, description="a difference in height counts (rule shooting_height)")
    modifier: Modifier = Field(default=0, description="other modifiers: +1 is harder")
    damage_mod: Modifier = Field(
        default=0, description="other modifiers to the damage roll: +1 is worse for it"
    )
    attacker_wound: Wounded = Field(default="none", description="wound that the shooter has")
    attacker_stunned: bool = Field(default=False, description="the shooter is stunned")
    defender_wound: Wounded = Field(default="none", description="wound that the target has before")
    defender_stunned: bool = Field(default=False, description="the target is stunned before")

    @model_validator(mode="after")
    def _one_distance(self) -> Shoot:
        if self.range is not None and self.distance is not None:
            raise ValueError("range and distance: give one of them, the distance tells the other")
        return self


class Fear(Frozen):
    """The attacker comes into contact with the defender."""

    contact: Literal["engage", "charge"] = Field(
        default="engage", description="how he comes (C3-2.6, C3-2.7)"
    )
    activated: bool = Field(
        default=False, description="the defender was activated before: he stays when afraid (C3-2.15)"
    )
    defender_afraid: bool = Field(default=False, description="the defender is afraid before (C3-2.17)")


class Test(Frozen):
    """A characteristic test."""

    __test__ = False  # not a test of pytest's

    characteristic: Literal["ini", "att", "str", "def", "res", "aim", "cou", "fear", "dis"] = Field(
        default="cou", description="what is tested"
    )
    difficulty: Annotated[int, Field(ge=-50, le=100)] | None = Field(
        default=None, description="d6 + characteristic must reach it"
    )
    against: Literal["ini", "att", "str", "def", "res", "aim", "cou", "fear", "dis"] | None = Field(
        default=None,
        description="an opposed roll: what the other fighter rolls with (as tested if not given); "
        "att against def is an attack (C3-3.10)",
    )
    modifier: Modifier = Field(default=0, description="added to the roll")
    dice: Annotated[int, Field(ge=1, le=6)] = Field(default=1, description="dice thrown; the highest counts")


class Discipline(Frozen):
    """Two sides roll discipline."""

    modifier: Modifier = Field(default=0, description="added to the attacker's roll")
