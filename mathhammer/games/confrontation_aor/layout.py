"""Who stands where when an area weapon lands: the bases of the formation, and of friends near it.

Places are in cm, as the shooter sees them: x to the right, y away from it. A formation that the tool lays out
has its fighter 1 at 0,0. Source: AOR-10.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mathhammer.core.checks import shown
from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.pmf import Floats, Ints
from mathhammer.games.confrontation_aor.profile import Category, Fighters, Unit
from mathhammer.games.confrontation_aor.situations import Area

Point = tuple[float, float]
OVERLAP = 0.1  # cm that bases may overlap: places are measured by hand
FURTHEST = 1000.0  # cm
MOST_FRIENDS = 100


@dataclass(frozen=True)
class Kind:
    """Fighters who are alike under a template: of one group, with the same wounds left.

    group: the group's place in the unit, None for friends. left: wounds left of each. count: how many.
    """

    name: str
    group: int | None
    resilience: int
    left: int
    category: Category
    count: int

    @property
    def titan(self) -> bool:
        """Whether ordinary attacks do nothing to them. Source: AOR-29."""
        return self.category == "titan"


@dataclass(frozen=True)
class Formation:
    """The bases: those of the target first, then those of friends.

    centres: (bases, 2), radii: (bases,), in cm. kinds: who they are. kind: (bases,), the kind of each base.
    aim: the base aimed at. number: fighters of the target.
    """

    centres: Floats
    radii: Floats
    kinds: tuple[Kind, ...]
    kind: Ints
    aim: int
    number: int

    @property
    def groups(self) -> int:
        """How many groups the target has."""
        return 1 + max(kind.group for kind in self.kinds if kind.group is not None)

    def size(self, group: int) -> int:
        """How many fighters a group of the target has."""
        return sum(kind.count for kind in self.kinds if kind.group == group)


def formation_of(matchup: Matchup) -> Formation:
    """The bases of a matchup. Raises `InputError` for places that cannot be. Source: AOR-10.

    Friends are fighters of the attacker's unit: unwounded ones of its first group that is no war machine.
    """
    target, situation = matchup.unit("defender"), matchup.situation
    friends = _friends(situation.friends)
    centres = [*places(target, situation), *friends]
    groups = [(i, group) for i, group in enumerate(target.fighters)]
    standing = [(kind, group.radius) for i, group in groups for kind in kinds_of(i, group)]
    if friends:
        friend = friend_of(matchup.unit("attacker"))
        kind = Kind("friends", None, friend.resilience, friend.wounds, friend.category, len(friends))
        standing.append((kind, friend.radius))
    counts = [kind.count for kind, _ in standing]
    radii = np.repeat([radius for _, radius in standing], counts)
    _refuse_overlap(np.array(centres), radii, target.number)
    return Formation(
        centres=np.array(centres, dtype=np.float64),
        radii=radii,
        kinds=tuple(kind for kind, _ in standing),
        kind=np.repeat(np.arange(len(standing)), counts).astype(np.int32),
        aim=_aimed(situation.aim, target),
        number=target.number,
    )


def kinds_of(index: int, group: Fighters) -> list[Kind]:
    """A group: its first fighter by itself where it is wounded, then the others. Source: AOR-13."""
    of = group.category
    hurt = Kind(f"wounded {group.name}", index, group.resilience, group.wounds - group.damage, of, 1)
    fresh = Kind(group.name, index, group.resilience, group.wounds, of, group.count - bool(group.damage))
    return [kind for kind in ([hurt] if group.damage else []) + [fresh] if kind.count]


def friend_of(unit: Unit) -> Fighters:
    """What a friend is: a fighter of the attacker's first group that is no war machine, else of its first."""
    others = [group for group in unit.fighters if group.category != "war-machine"]
    return (others or list(unit.fighters))[0]


# -- places --------------------------------------------------------------------------------------
def places(unit: Unit, situation: Area) -> list[Point]:
    """The centres of a unit's bases, as given, or in files and ranks: front rank first, left to right.

    Bases of different size stand apart as the largest do. Source: AOR-10.
    """
    if unit.positions:
        _refuse_layout(unit, situation)
        return [(x, y) for x, y in unit.positions]
    files = situation.files or math.ceil(math.sqrt(unit.number))
    if files > unit.number:
        raise InputError(
            f"--files is at most the {unit.number} fighters of {unit.label()}, not {files} (AOR-10)"
        )
    step = max(group.base for group in unit.fighters) / 10 + situation.spacing
    return [(i % files * step, i // files * step) for i in range(unit.number)]


def _refuse_layout(unit: Unit, situation: Area) -> None:
    """Where the unit has places of its own there is nothing to lay out."""
    given = [("--files", situation.files), ("--spacing", situation.spacing)]
    wrong = [
        f"{option} lays out a unit without positions; {unit.label()} has them: leave out {value:g} (AOR-10)"
        for option, value in given
        if value
    ]
    if wrong:
        raise InputError(*wrong)


def _aimed(aim: int, unit: Unit) -> int:
    if aim > unit.number:
        raise InputError(f"--aim is a fighter of {unit.label()}, from 1 to {unit.number}, not {aim} (AOR-10)")
    return aim - 1


def _friends(text: str) -> list[Point]:
    words = text.split()
    if len(words) > MOST_FRIENDS:
        raise InputError(f"--friends: up to {MOST_FRIENDS} places, not {len(words)}")
    return [_point(word) for word in words]


def _point(word: str) -> Point:
    try:
        x, y = (float(part) for part in word.split(","))
    except ValueError:
        raise InputError(f"--friends: a place is x,y in cm such as 2.5,-3, not {shown(word)}") from None
    if not (math.isfinite(x) and math.isfinite(y) and max(abs(x), abs(y)) <= FURTHEST):
        raise InputError(f"--friends: places are within {FURTHEST:g} cm, not {shown(word)}")
    return x, y


def _refuse_overlap(centres: Floats, radii: Floats, number: int) -> None:
    """Bases do not stand on each other. Raises `InputError` for the pair that overlaps most."""
    apart = centres[:, None] - centres
    over = radii[:, None] + radii - np.hypot(apart[..., 0], apart[..., 1])
    np.fill_diagonal(over, -np.inf)
    first, second = sorted(divmod(int(over.argmax()), len(radii)))
    if len(radii) > 1 and over[first, second] > OVERLAP + 1e-9:
        option = "--friends" if second >= number else "positions of the defender"
        raise InputError(
            f"{option}: bases overlap by 1 mm at most, not by {10 * over[first, second]:.3g} mm as"
            f" {_called(first, number)} and {_called(second, number)} do (AOR-10)"
        )


def _called(base: int, number: int) -> str:
    return f"fighter {base + 1}" if base < number else f"friend {base - number + 1}"


def depths(formation: Formation, away: float) -> Floats:
    """How far each base is from the shooter beside the others, cm along its line of sight. Source: AOR-09."""
    bearing = math.radians(away)
    along: Sequence[float] = (math.sin(bearing), math.cos(bearing))
    found: Floats = formation.centres @ np.array(along)
    return found
