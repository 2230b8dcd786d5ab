"""What is known at the table besides the units: one frozen model a mode. Docstrings become option help."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from mathhammer.core.profiles import Frozen, Text

Contact = Annotated[int, Field(ge=1, le=100)]
Files = Annotated[int, Field(ge=1, le=50)]
Centimetres = Annotated[int, Field(ge=0, le=1000)]


Distance = Annotated[Text, Field(max_length=20)]
Tactic = Literal["none", "cry-havoc", "kill-them-all", "fall-back", "get-a-move-on"]


class Touching(Frozen):
    """Who may touch whom in a melee (AOR-11)."""

    contact: Contact | None = Field(
        default=None, description="attackers that may touch; left out: all, or those that the fronts allow"
    )
    defender_contact: Contact | None = Field(default=None, description="defenders that may touch")
    files: Files | None = Field(default=None, description="front of the attacker, in fighters")
    defender_files: Files | None = Field(default=None, description="front of the defender, in fighters")


class Assault(Touching):
    """One activation: reach, fear, charge, tactic, strike, losses."""

    distance: Distance = Field(
        default="0", description="cm to the target: known, or an estimate such as 18..24 or 20~2 (AOR-04)"
    )
    engaged: bool = Field(default=False, description="the units touch already: never a charge (AOR-04)")
    tactic: Literal["none", "cry-havoc", "kill-them-all"] = Field(
        default="none", description="the attacker's tactic: none, cry-havoc (AOR-15), kill-them-all (AOR-20)"
    )
    split: str = Field(
        default="",
        max_length=200,
        description="dice set against a group, such as ranks:leader=3; the others strike the first one",
    )
    defender_rout: bool = Field(default=False, description="the defender is in rout already")
    resisted: Annotated[int, Field(ge=0, le=30)] | None = Field(
        default=None, description="the highest Fear that the defender has resisted before (AOR-06)"
    )
    attacker_resisted: Annotated[int, Field(ge=0, le=30)] | None = Field(
        default=None, description="the highest Fear that the attacker has resisted before"
    )


class Shoot(Frozen):
    """The volleys of one activation, each profile of marksmen by itself."""

    distance: Distance = Field(
        default="0", description="cm between the leaders: known, or an estimate such as 18..24 (AOR-07)"
    )
    interference: bool = Field(default=False, description="something stands between: difficulty +2")
    seeing: Contact | None = Field(default=None, description="marksmen that see the target; left out: all")
    engaged: bool = Field(default=False, description="the shooter is engaged, so that it is not free")
    target_engaged: bool = Field(default=False, description="the target is engaged: it may not be shot at")
    tactic: Literal["none", "lightning-strike"] = Field(
        default="none", description="lightning-strike: it has run, and shoots where the test passes (AOR-17)"
    )


class Area(Frozen):
    """One area weapon over a formation whose fighters have places."""

    distance: Distance = Field(default="0", description="cm between the leaders: known, or an estimate")
    interference: bool = Field(default=False, description="something stands between: difficulty +2")
    aim: Annotated[int, Field(ge=1, le=200)] = Field(
        default=1, description="the fighter aimed at, counted from 1, front rank first, left to right"
    )
    files: Files | None = Field(default=None, description="fighters in a rank; left out: about a square")
    spacing: Annotated[float, Field(ge=0, le=20)] = Field(
        default=0.0, description="cm between bases: 0 close formation, more for a scattered one"
    )
    away: Annotated[int, Field(ge=-180, le=180)] = Field(
        default=0,
        description="degrees by which the shot is turned clockwise: 0 at the front, 90 from the left",
    )
    friends: str = Field(
        default="",
        max_length=400,
        description="places of friends near them in cm, such as '0,-3 2.5,-3'; fighter 1 is at 0,0",
    )


class Fight(Touching):
    """Alternating activations over rounds, the attacker first."""

    rounds: int = Field(default=6, ge=1, le=20, description="rounds")
    distance: Distance = Field(default="0", description="cm between the sides at the start, or an estimate")
    engaged: bool = Field(default=False, description="they touch already, with no assault behind them")
    edge: Centimetres | None = Field(
        default=None, description="cm from the attacker to the edge behind it; left out: far"
    )
    defender_edge: Centimetres | None = Field(
        default=None, description="cm from the defender to the edge behind it; left out: far"
    )
    tactic: Tactic = Field(default="none", description="what the attacker calls whenever it may")
    defender_tactic: Tactic = Field(default="none", description="what the defender calls whenever it may")
    leaves: Literal["never", "half", "always"] = Field(
        default="never", description="when the attacker leaves a melee: never, once at half, always (AOR-14)"
    )
    defender_leaves: Literal["never", "half", "always"] = Field(
        default="never", description="when the defender leaves a melee"
    )
    waits: Literal["nobody", "attacker", "defender"] = Field(
        default="nobody", description="who stays out of reach until the other comes; nobody: both come nearer"
    )
    objective: bool = Field(default=False, description="they fight for an objective (AOR-30)")


class Test(Frozen):
    """One test, without units."""

    action: Annotated[int, Field(ge=0, le=30)] = Field(default=4, description="action value")
    difficulty: Annotated[int, Field(ge=0, le=30)] = Field(default=4, description="difficulty")
    dice: Annotated[int, Field(ge=1, le=200)] = Field(default=1, description="dice thrown, each by itself")
    keep_best: bool = Field(default=False, description="one die is kept, the best; no bonus dice (AOR-03)")
    reroll: bool = Field(default=False, description="with the re-roll of a charge (AOR-05)")
    kind: Literal[
        "attack",
        "ranged",
        "strength",
        "titan",
        "courage",
        "authority",
        "fervor",
        "energy",
        "authority-roll",
    ] = Field(
        default="attack",
        description="what is tested; titan: Strength by a mystic effect; authority-roll: both commanders",
    )
    cards: Annotated[int, Field(ge=0, le=50)] = Field(
        default=0, description="ability cards that a titan gives up, each cancels one test (AOR-29)"
    )

    @model_validator(mode="after")
    def _one_throw(self) -> Test:
        if self.reroll and (self.kind != "attack" or self.keep_best):
            what = "a die that is kept" if self.keep_best else f"kind {self.kind}"
            raise ValueError(f"reroll: a charge throws attack dice again (AOR-05), not those of {what}")
        if self.cards and self.kind != "titan":
            raise ValueError(f"cards: only a titan gives up ability cards (AOR-29), not kind {self.kind}")
        if self.cards and self.keep_best:
            raise ValueError("cards: each cancels a test of its own (AOR-29), not one die of keep_best")
        if self.kind == "authority-roll" and (self.dice > 1 or self.keep_best):
            raise ValueError(
                "kind authority-roll is one die of each commander (AOR-25): no dice, no keep_best"
            )
        return self


class Mystic(Frozen):
    """A magician's mana or a faithful's faith over rounds, then one ritual or communion."""

    rounds: int = Field(default=3, ge=1, le=20, description="control phases before the ritual")
    pool: Annotated[int, Field(ge=0, le=300)] = Field(default=0, description="points at the start")
    spend: Annotated[int, Field(ge=0, le=300)] = Field(
        default=0, description="points spent on other effects each round but the last"
    )
    cost: Annotated[int, Field(ge=0, le=300)] = Field(default=5, description="points that it costs")
    difficulty: Annotated[int, Field(ge=0, le=30)] = Field(default=4, description="difficulty of the test")
    exaltation: Annotated[int, Field(ge=0, le=100)] = Field(
        default=0, description="further points, each one more die (AOR-28)"
    )
    enemy_pool: Annotated[int, Field(ge=0, le=300)] = Field(
        default=0, description="points of an enemy in sight who may cancel it (AOR-28)"
    )
    wanted: Annotated[float, Field(gt=0, lt=1)] = Field(
        default=0.9, description="the chance for which the fewest exaltation points are looked up"
    )
    rite: Literal["ritual", "communion"] | None = Field(
        default=None, description="by a magician or a faithful; left out: what the unit has"
    )
    tactic: Literal["none", "i-have-the-power"] = Field(
        default="none",
        description="i-have-the-power: collect at once in the last round, not in its control phase (AOR-18)",
    )

    @model_validator(mode="after")
    def _affordable(self) -> Mystic:
        if self.cost + self.exaltation > 300:
            raise ValueError(f"cost and exaltation are 300 at most, not {self.cost + self.exaltation}")
        return self
