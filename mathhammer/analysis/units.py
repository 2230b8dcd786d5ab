"""Lists of units as a user writes them: `knights,at=20,zombie-2:3`, `*`, `*-horde`, `file.toml`, a roster.

`:3` counts (how often it is met, how many there are or may be taken, by what is asked), `:w3` is a weight.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from mathhammer.analysis.question import UnitSpec, placed_unit
from mathhammer.core.checks import checked, shown
from mathhammer.core.errors import InputError, gathered
from mathhammer.core.files import read_toml
from mathhammer.core.game import Game, Placed, Role
from mathhammer.core.profiles import Catalogue, Frozen, Profile, read_units

COUNTED = re.compile(r"(.*[^:]):(w?)(-?\d+(?:\.\d+)?)")
Counts = Literal["weight", "most", "number"]
LIMITS: Mapping[Counts, tuple[str, int, int]] = {
    "weight": ("a weight is a number", 0, 1000),
    "most": ("how many may be taken is a whole number", 1, 100),
    "number": ("how many are met is a whole number", 1, 20),
}


@dataclass(frozen=True)
class Choice:
    """A unit (or, in a role that takes many, a list of units) that may fill a role.

    units: by the name of the ruleset that is played, as an id may mean another profile in another one.
    weight: how much it counts, or how many of it may be taken; None where it was not said.
    points: its cost where a roster says one that is not the profile's.
    """

    label: str
    units: Mapping[str, tuple[Placed, ...]]
    weight: float | None = None
    points: int | None = None

    def content(self, ruleset: str) -> list[dict[str, Any]]:
        """What of its units decides an answer, as plain data."""
        return [placed.content() for placed in self.units[ruleset]]


class Entry(Frozen):
    """One entry of a roster file."""

    unit: str = Field(min_length=1, description="an id, file.toml or file.toml#id, with changes after commas")
    weight: float = Field(
        default=1.0, ge=0, le=1000, description="how much it counts, or how often it is met"
    )
    most: int = Field(default=1, ge=0, le=100, description="how many may be taken")
    number: int = Field(default=1, ge=1, le=20, description="how many of it stand there, each for itself")
    points: int | None = Field(default=None, ge=0, le=100_000, description="its cost, if not the profile's")


@dataclass(frozen=True)
class _Written:
    """A unit as it was written, before it is found."""

    spec: UnitSpec
    label: str
    weight: float | None = None
    most: float | None = None
    points: int | None = None
    number: int = 1


def choices(
    game: Game,
    role: Role,
    given: str | Sequence[UnitSpec],
    rulesets: Iterable[str],
    *,
    counts: Counts = "weight",
    again: bool = False,
) -> tuple[Choice, ...]:
    """The units that a text or a list names, each found under every ruleset that is played.

    counts: what the number after a colon is here. again: the same unit may be there again.
    Raises `InputError`.
    """
    specs = split_units(given) if isinstance(given, str) else list(given)
    written = [one for spec in specs for one in _written(game, role, spec, counts)]
    found = gathered(*(lambda w=w: _found(game, role, w, list(rulesets), counts) for w in written))
    if again:
        found = [choice for choice, one in zip(found, written, strict=True) for _ in range(one.number)]
    labels = [choice.label for choice in found]
    twice = next((label for i, label in enumerate(labels) if label in labels[:i]), None)
    if twice is not None and not again:
        raise InputError(f"{role.name}: {twice} is given twice")
    return tuple(_numbered(found))


def _numbered(listed: list[Choice]) -> Iterator[Choice]:
    """The same unit again is told apart by a number."""
    seen: dict[str, int] = {}
    for choice in listed:
        seen[choice.label] = seen.get(choice.label, 0) + 1
        number = seen[choice.label]
        yield choice if number == 1 else replace(choice, label=f"{choice.label} ({number})")


def split_units(text: str) -> list[str]:
    """A list of units after commas; a part with '=' is a change of the unit before it."""
    specs: list[str] = []
    for part in text.split(","):
        if "=" in part and specs:
            specs[-1] += f",{part}"
        else:
            specs.append(part.strip())
    return specs


def _written(game: Game, role: Role, spec: UnitSpec, counts: Counts) -> list[_Written]:
    """One written unit as those that it stands for: a pattern's, a file's, or itself."""
    if not isinstance(spec, str):
        unit = spec.unit if isinstance(spec, Placed) else spec
        return [_Written(spec, unit.label() if isinstance(unit, Profile) else shown(spec))]
    spec, told = _counted(spec, counts)
    body, at, words = spec.partition("@")
    name, comma, changes = body.partition(",")
    rest = comma + changes + at + words
    if "*" in name or "?" in name:
        base = [_Written(one + rest, one + rest) for one in _matching(game, name)]
    elif name.lower().endswith(".toml"):
        base = _in_file(game, name, rest)
    else:
        base = [_Written(spec, spec.rpartition("#")[2])]
    return [replace(one, **told) for one in base]


def _counted(spec: str, counts: Counts) -> tuple[str, dict[str, Any]]:
    """A unit without the numbers after it (`:3`, `:w2`), and these by what they are. Raises `InputError`."""
    whole, told = spec, dict[str, Any]()
    while match := COUNTED.fullmatch(spec):
        spec, kind = match[1], "weight" if match[2] else counts
        if counts == "most" and match[2]:
            raise InputError(f"{whole}: a weight goes with what is met; here write how many: {spec}:2")
        if kind in told:
            raise InputError(f"{whole}: its {kind} is given twice")
        told[kind] = _number(whole, kind, float(match[3]))
    return spec, told


def _number(where: str, kind: Counts, value: float) -> float:
    """A number after a colon. Raises `InputError` where it is none that may stand there."""
    about, low, high = LIMITS[kind]
    if not low <= value <= high or (kind != "weight" and value != int(value)):
        raise InputError(f"{where}: {about} from {low} to {high:,}, not {value:g}")
    return value if kind == "weight" else int(value)


def _matching(game: Game, pattern: str) -> list[str]:
    found = [unit_id for unit_id in game.catalogue.ids() if fnmatchcase(unit_id, pattern)]
    if not found:
        raise InputError(
            f"units: {pattern!r} fits none of {len(game.catalogue.ids())} units; mathhammer units {game.id}"
        )
    return found


def _in_file(game: Game, path: str, rest: str) -> list[_Written]:
    """Every unit of a file of units, or the entries of a roster."""
    data = read_toml(Path(path))
    if "roster" in data:
        return _in_roster(path, data, rest)
    entries = read_units(Path(path))
    if len(entries) == 1 and "units" not in data:
        return [_Written(path + rest, Path(path).stem + rest)]
    ids = Catalogue(game.unit, entries).ids()
    return [_Written(f"{path}#{one}{rest}", one + rest) for one in ids]


def _in_roster(path: str, data: Mapping[str, Any], rest: str) -> list[_Written]:
    entries = data["roster"]
    strange = [key for key in data if key != "roster"]
    if strange:
        raise InputError(f"{path}: {strange[0]!r} beside roster; a roster file has [[roster]] only")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError(f"{path}: roster is a list of tables, written [[roster]]")
    found = gathered(
        *(lambda i=i, e=e: checked(Entry, e, f"{path}: roster[{i}]") for i, e in enumerate(entries, start=1))
    )
    return [_entry(path, entry, rest) for entry in found]


def _entry(path: str, entry: Entry, rest: str) -> _Written:
    spec, label = _beside(path, entry.unit) + rest, entry.unit.rpartition("#")[2] + rest
    return _Written(spec, label, float(entry.weight), entry.most, entry.points, entry.number)


def _beside(path: str, unit: str) -> str:
    """A unit of a roster: its file stands where the roster stands."""
    reference = unit.partition(",")[0].partition("#")[0]
    if reference.lower().endswith(".toml") and not Path(reference).is_absolute():
        return str(Path(path).parent / unit)
    return unit


def _found(game: Game, role: Role, one: _Written, rulesets: list[str], counts: Counts) -> Choice:
    spec = one.spec
    if isinstance(spec, str) and "@" in spec and not role.many:
        raise InputError(f"{role.name} {spec}: words after '@' belong to roles that take many units")
    units = _by_ruleset(game, role, spec, rulesets)
    return Choice(one.label, units, one.most if counts == "most" else one.weight, one.points)


def _by_ruleset(game: Game, role: Role, spec: UnitSpec, rulesets: list[str]) -> dict[str, tuple[Placed, ...]]:
    """A unit as each ruleset finds it. Raises `InputError`: what is wrong by some only names them."""
    units: dict[str, tuple[Placed, ...]] = {}
    wrong: dict[str, tuple[str, ...]] = {}
    for name in rulesets:
        try:
            units[name] = (placed_unit(game, role, spec, name),)
        except InputError as error:
            wrong[name] = error.typed
    if len(wrong) == len(rulesets) and len(set(wrong.values())) == 1:
        raise InputError(*wrong[rulesets[0]])
    if wrong:
        told = f"--{game.ruleset_option}"
        raise InputError(*(f"{told} {name}: {line}" for name, lines in wrong.items() for line in lines))
    return units
