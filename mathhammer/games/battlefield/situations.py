"""What a user says of a question beside the units: one model for each mode."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PrivateAttr, field_serializer

from mathhammer.core.files import read_toml
from mathhammer.core.profiles import Frozen

Direction = Literal["top", "top-right", "right", "bottom-right", "bottom", "bottom-left", "left", "top-left"]
Kind = Literal[
    "attack",
    "break-in",
    "break-through",
    "disrupt",
    "rally",
    "disengage",
    "push",
    "gale",
    "lure",
    "lob",
    "swap",
    "siege",
]
Order = Literal["attack", "disrupt", "disrupt+attack", "disengage", "disengage+attack", "help", "hold"]
Flank = Literal["none", "flanked", "surrounded"]
Cells = Annotated[int, Field(ge=0, le=40)]


class Attack(Frozen):
    """One or two attack actions. Source: BF-01, BF-14 to BF-16."""

    actions: Annotated[int, Field(ge=1, le=2)] = Field(default=1, description="attack actions of the turn")
    move: Annotated[int, Field(ge=0, le=2)] = Field(
        default=0, description="cells moved between two attack actions (BF-16)"
    )
    flank: Flank = Field(default="none", description="how the defender stands (BF-14)")
    in_melee: bool = Field(default=False, description="attacker and defender are in a melee with each other")
    confused: bool = Field(default=False, description="the attacker is confused")
    defender_confused: bool = Field(default=False, description="the defender is confused")


class Charge(Frozen):
    """A charge. Source: BF-02, BF-03, BF-07, BF-08, BF-17."""

    cells: Annotated[int, Field(ge=1, le=40)] | None = Field(
        default=None, description="cells charged (default: one move, or what leaves room to break through)"
    )
    order: Literal["attack", "break-in", "push", "attack-break-in", "break-through"] = Field(
        default="attack", description="what the charge does, and then tries"
    )
    zones: Annotated[int, Field(ge=0, le=10)] = Field(
        default=0, description="cells of the way in other enemies' zones (fast riding, BF-17)"
    )
    gap: Cells = Field(default=0, description="free cells between the cell behind and --ahead")
    blocked: bool = Field(default=False, description="nothing can be pushed into the cell behind (BF-07)")
    once: bool = Field(default=False, description="no second break through (BF-08)")
    flank: Flank = Field(default="none", description="how the defender stands (BF-14)")


class Push(Frozen):
    """A push without a charge. Source: BF-07."""

    blocked: bool = Field(default=False, description="nothing can be pushed into the cell behind")


class Lure(Frozen):
    """Drawing a unit out. Source: BF-10."""

    stay: bool = Field(default=False, description="the lurer stays and is in melee, instead of stepping back")


class Lob(Frozen):
    """Lobbed fire. Source: BF-11."""

    second: Direction | None = Field(
        default=None, description="cover two cells: the other one, as seen from the target"
    )


class Besiege(Frozen):
    """A siege. Source: BF-13, BF-14."""


class Swap(Frozen):
    """Another weapon in hand. Source: BF-12."""

    drop: bool = Field(default=False, description="drop the weapon in hand: one action instead of two")
    quick: bool = Field(default=False, description="try to save an action (needs training.quick_swap)")
    in_melee: bool = Field(default=False, description="in a melee")


class Melee(Frozen):
    """Rounds of a melee. Source: BF-01, BF-04 to BF-06."""

    rounds: Annotated[int, Field(ge=1, le=12)] = Field(default=3, description="rounds, two actions each")
    order: Order = Field(
        default="attack", description="what the attacker does each round, both actions or first+second"
    )
    defender_order: Order = Field(default="attack", description="what the defender does each round")
    targets: Literal["first", "split"] = Field(
        default="first", description="whom two attacks strike: the first enemy, or the first two"
    )
    no_rally: bool = Field(default=False, description="confused units do not try to rally")
    waive: bool = Field(default=False, description="the enemy lets those go who disengage (BF-06)")
    confused: bool = Field(default=False, description="the attacker starts confused, by the defender")
    defender_confused: bool = Field(default=False, description="the defender starts so, by the attacker")


class Plan(Frozen):
    """A plan file. Source: BF-00 to BF-17."""

    file: str = Field(
        description="a TOML file of [[units]] (id, side = ours or theirs, unit) and [[actions]] in order "
        "(do, unit, target, round, if ...); do is attack, charge, break-in, push, disrupt, rally, help, "
        "disengage, lure, lob, besiege, swap, reload, flanked or surrounded",
        json_schema_extra={"positional": True},
    )

    _text: str = PrivateAttr("")

    def model_post_init(self, context: Any) -> None:
        """The file is read once, here: what it holds later is another question. Raises `InputError`."""
        read_toml(Path(self.file))
        self._text = Path(self.file).read_text(encoding="utf-8-sig")

    @property
    def text(self) -> str:
        """What the file held when it was asked about."""
        return self._text

    @field_serializer("file", when_used="json")
    def _content(self, file: str) -> str:
        """What decides the answer is what the file holds, not its name."""
        return "sha256:" + hashlib.sha256(self._text.encode()).hexdigest()


class Check(Frozen):
    """One check. Source: BF-00."""

    kind: Kind = Field(description="which check", json_schema_extra={"positional": True})
    cells: Cells = Field(default=0, description="cells charged (break-in, break-through, push, attack)")
    rounds: Annotated[int, Field(ge=0, le=20)] = Field(
        default=0, description="rounds passed since the disruption (rally)"
    )
    into_melee: bool = Field(default=False, description="into a melee that goes on (break-in)")
    in_melee: bool = Field(default=False, description="in a melee (swap)")
    quick: bool = Field(default=False, description="a quick swap (swap in a melee)")
    helped: bool = Field(default=False, description="a friend helped (rally)")
    flanking: bool = Field(default=False, description="on a flanked unit (attack)")
    two_cells: bool = Field(default=False, description="covering two cells (lob)")
    into_another: bool = Field(default=False, description="into another unit behind (push)")
    several: bool = Field(default=False, description="against one of several enemies (disengage)")
    units: Annotated[int, Field(ge=3, le=9)] | None = Field(
        default=None, description="units taking part (siege; 3 by default)"
    )
    modifier: Annotated[int, Field(ge=-40, le=40)] = Field(default=0, description="anything else, added")
    dc: Annotated[int, Field(ge=-20, le=80)] | None = Field(
        default=None, description="the DC, instead of the one that the rules give"
    )
