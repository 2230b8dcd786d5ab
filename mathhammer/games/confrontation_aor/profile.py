"""The unit: fighters of one profile, and groups of fighters with characteristics of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from mathhammer.core.profiles import Frozen, Profile

Category = Literal["infantry", "light-cavalry", "heavy-cavalry", "creature", "war-machine", "titan"]
RoleWord = Literal[
    "incarnate",
    "commander",
    "standard",
    "musician",
    "magician",
    "faithful",
    "crew",
]


def _listed_words(value: object) -> object:
    """Several words in one text, such as incarnate+commander, as they are written in a change."""
    return [word.strip() for word in value.split("+")] if isinstance(value, str) else value


Characteristic = Annotated[int, Field(ge=0, le=30)]
Dice = Annotated[int, Field(ge=0, le=20)]
Centimetres = Annotated[float, Field(ge=0, le=100, multiple_of=0.5)]
Radius = Annotated[float, Field(ge=0.1, le=10)]
Wounds = Annotated[int, Field(ge=1, le=40)]
Millimetres = Annotated[int, Field(ge=10, le=200)]
Roles = Annotated[list[RoleWord], Field(max_length=10), BeforeValidator(_listed_words)]
Place = Annotated[list[Annotated[float, Field(ge=-500, le=500)]], Field(min_length=2, max_length=2)]
RANKS = "ranks"  # the group of those with the unit's own profile
MOST_GROUPS = 6
MOST_FIGHTERS = 100


class Group(Frozen):
    """Fighters of the unit whose characteristics differ; what is left out is the unit's. Source: AOR-11."""

    count: int = Field(default=1, ge=1, le=MOST_FIGHTERS, description="fighters")
    category: Category | None = None
    movement: Centimetres | None = None
    attack: Characteristic | None = None
    dice: Dice | None = None
    strength: Characteristic | None = None
    defence: Characteristic | None = None
    resilience: Characteristic | None = None
    wounds: Wounds | None = None
    damage: Annotated[int, Field(ge=0, le=39)] = 0
    courage: Characteristic | None = None
    fear: Characteristic | None = None
    authority: Characteristic | None = None
    power: Characteristic | None = None
    ranged: Characteristic | None = None
    ranged_dice: Dice | None = None
    ranged_strength: Characteristic | None = None
    perforating: bool | None = None
    area: Radius | None = None
    fervor: Characteristic | None = None
    energy: Characteristic | None = None
    base: Millimetres | None = None
    roles: Roles | None = None


@dataclass(frozen=True)
class Fighters:
    """A group as it stands: how many, and every characteristic that they have."""

    name: str
    count: int
    category: Category
    movement: float
    attack: int
    dice: int
    strength: int
    defence: int
    resilience: int
    wounds: int
    damage: int
    courage: int | None
    fear: int | None
    authority: int
    power: int | None
    ranged: int | None
    ranged_dice: int
    ranged_strength: int
    perforating: bool
    area: float | None
    fervor: int | None
    energy: int | None
    base: int
    roles: frozenset[str]

    @property
    def shoots(self) -> bool:
        """Whether they are marksmen. Source: AOR-07."""
        return self.ranged is not None and self.ranged_dice > 0

    @property
    def radius(self) -> float:
        """Radius of a base, cm."""
        return self.base / 20

    @cached_property
    def card(self) -> Fighters:
        """Their characteristics alone: who shares a card fights as one group. Source: AOR-11."""
        return replace(self, name="", count=0, damage=0, roles=frozenset())

    @property
    def breaks_away(self) -> bool:
        """Whether they leave contact without loss. Source: AOR-29."""
        return self.category in ("light-cavalry", "heavy-cavalry", "titan")


class Unit(Profile):
    """A unit: its fighters' characteristics, then groups with their own. Source: AOR-11, AOR-13, AOR-29."""

    described_only: ClassVar[frozenset[str]] = frozenset({"name", "source", "points"})
    lower_is_better: ClassVar[frozenset[str]] = frozenset({"damage"})

    count: int = Field(default=1, ge=0, le=MOST_FIGHTERS, description="fighters with this profile")
    category: Category = "infantry"
    movement: Centimetres = Field(description="cm of a walk; an assault goes twice as far")
    attack: Characteristic = Field(description="action value of the attack test")
    dice: Dice = Field(default=1, description="attack dice of each fighter")
    strength: Characteristic = Field(description="action value of the Strength test in melee")
    defence: Characteristic = Field(description="difficulty of the enemy's attack test")
    resilience: Characteristic = Field(description="difficulty of the enemy's Strength test")
    wounds: Wounds = Field(default=1, description="damage that removes a fighter (structure of a machine)")
    damage: int = Field(default=0, ge=0, le=39, description="damage already on the first fighter")
    courage: Characteristic | None = Field(default=None, description="Courage; a fighter has this or Fear")
    fear: Characteristic | None = Field(default=None, description="Fear; a fighter has this or Courage")
    authority: Characteristic = 0
    power: Characteristic | None = Field(default=None, description="Power of each fighter")
    ranged: Characteristic | None = Field(default=None, description="ranged attack; left out: no marksmen")
    ranged_dice: Dice = Field(default=1, description="ranged dice of each marksman")
    ranged_strength: Characteristic = Field(default=0, description="Strength of the ranged weapon")
    perforating: bool = Field(default=False, description="one shot may kill several")
    area: Radius | None = Field(default=None, description="area of effect, cm")
    fervor: Characteristic | None = Field(default=None, description="Fervor of the faithful")
    energy: Characteristic | None = Field(default=None, description="Energy of the magicians")
    base: Millimetres = Field(default=25, description="diameter of a base, mm")
    roles: Roles = Field(default=[], description="what the fighters of this profile are")
    groups: Annotated[dict[str, Group], Field(max_length=MOST_GROUPS - 1)] = Field(
        default={}, description="fighters with characteristics of their own"
    )
    order: Annotated[list[str], BeforeValidator(_listed_words)] = Field(
        default=[], description="groups from the front: nearest to the enemy first"
    )
    start: int | None = Field(default=None, ge=1, le=200, description="fighters at the start of the game")
    points: int | None = Field(default=None, ge=0, le=10_000)
    positions: Annotated[list[Place], Field(max_length=200)] = Field(
        default=[], description="centres of the bases in cm, x to the right, y away from the shooter"
    )

    @model_validator(mode="after")
    def _whole(self) -> Unit:
        for problem in self._problems():
            raise ValueError(problem)
        return self

    def _problems(self) -> list[str]:
        """What only the unit as a whole shows."""
        names = [*([RANKS] if self.count else []), *self.groups]
        found = [] if names else ["count is 0 and there are no groups: a unit has a fighter at least"]
        if RANKS in self.groups:
            found.append(f"groups: {RANKS!r} is the name of the fighters with the unit's own profile")
        if self.order and sorted(self.order) != sorted(names):
            found.append(f"order names each of {', '.join(names)} once, not {', '.join(self.order)} (AOR-11)")
        for group in self.fighters if not found else ():
            found += _problems_of(group)
        if not found and self.start is not None and self.start < self.number:
            found.append(
                f"start is at least the {self.number} fighters that are left, not {self.start} (AOR-21)"
            )
        if not found and self.positions and len(self.positions) != self.number:
            found.append(
                f"positions: one place for each of the {self.number} fighters, not {len(self.positions)}"
            )
        if not found and self.number > MOST_FIGHTERS:
            found.append(f"a unit has {MOST_FIGHTERS} fighters at most, not {self.number}")
        return found

    @cached_property
    def fighters(self) -> tuple[Fighters, ...]:
        """The groups from the front to the back. Source: AOR-09, AOR-11."""
        own = self.model_dump(exclude={"name", "source", "groups", "order", "start", "points", "positions"})
        groups = {RANKS: Fighters(RANKS, **_listed(own))} if self.count else {}
        for name, group in self.groups.items():
            groups[name] = Fighters(name, **_listed(_laid_over(own, group.model_dump())))
        return tuple(groups[name] for name in self.order or groups)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Unit:
        """A copy with other values, whose groups follow from them and not from what it was copied from."""
        copied = super().model_copy(update=update, deep=deep)
        copied.__dict__.pop("fighters", None)
        return copied

    @property
    def number(self) -> int:
        """Fighters that are left."""
        return sum(group.count for group in self.fighters)

    @property
    def started(self) -> int:
        """Fighters at the start of the game. Source: AOR-21."""
        return self.start or self.number

    @property
    def fear_value(self) -> int | None:
        """The highest Fear among its fighters. Source: AOR-06."""
        return max((group.fear for group in self.fighters if group.fear is not None), default=None)

    def has(self, role: str) -> bool:
        """Whether some fighters of it have a role."""
        return any(role in group.roles for group in self.fighters)


def alike(groups: Sequence[Fighters]) -> list[list[int]]:
    """The places of groups of one profile together, in the order of their first. Source: AOR-11."""
    found: dict[Fighters, list[int]] = {}
    for place, group in enumerate(groups):
        found.setdefault(group.card, []).append(place)
    return list(found.values())


def _laid_over(own: dict[str, Any], group: dict[str, Any]) -> dict[str, Any]:
    """The unit's characteristics with a group's own laid over them; Courage and Fear exclude each other."""
    said = {name: value for name, value in group.items() if value is not None}
    if "courage" in said or "fear" in said:
        own = {**own, "courage": None, "fear": None}
    return {**own, "roles": [], **said}


def _listed(fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, "roles": frozenset(fields["roles"])}


def _problems_of(group: Fighters) -> list[str]:
    of = "" if group.name == RANKS else f"groups.{group.name}: "
    found = []
    if (group.courage is None) == (group.fear is None):
        both = "both: courage=-,fear=4 takes one away" if group.courage is not None else "none of them"
        found.append(f"{of}a fighter has courage or fear, not {both} (AOR-06)")
    if group.damage >= group.wounds:
        found.append(
            f"{of}damage is below the {group.wounds} wounds of a fighter, not {group.damage} (AOR-13)"
        )
    if group.area is not None and not group.shoots:
        found.append(f"{of}area needs a ranged attack with dice (AOR-10)")
    return found
