"""The records that a game is made of. A game is data: modes, unit and situation types, rulesets, files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from mathhammer.core.errors import unknown
from mathhammer.core.files import read_toml
from mathhammer.core.profiles import Catalogue, Profile, read_units
from mathhammer.core.rulesets import Ruleset, load_ruleset
from mathhammer.core.steps import Play

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Measure:
    """A number that a mode reports: its name, whose it is, its unit, and what it says.

    when: for which situations it is worth a line on the terminal. brief: its mean is enough there.
    """

    name: str
    side: str
    unit: str
    about: str
    brief: bool = False
    when: Callable[[Any], bool] = lambda situation: True


@dataclass(frozen=True)
class Event:
    """Something that happens or not: its name, whose it is, and what it says.

    quiet: not worth a line on the terminal while it is certain; rare: nor while it cannot happen.
    when: for which situations it is.
    """

    name: str
    side: str
    about: str
    quiet: bool = False
    rare: bool = False
    when: Callable[[Any], bool] = lambda situation: True


@dataclass(frozen=True)
class Role:
    """A part that a unit plays in a mode.

    many: any number of units, given by an option `--name UNIT@word@word`; otherwise one positional unit.
    words: what may follow '@', and the fields it sets, such as {"flank": {"facing": "flank"}}.
    defaults: the fields where no word sets them.
    joins: the role that these units strike together with (so that an army can make teams of them).
    heading: how the units of many are told in a heading, '{}' for them; their role and name by default.
    """

    name: str
    about: str
    many: bool = False
    words: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    joins: str = ""
    heading: str = ""


@dataclass(frozen=True)
class Placed:
    """A unit in a role, with the fields that its words set."""

    unit: Profile
    placing: Mapping[str, Any] = field(default_factory=dict)

    def content(self) -> dict[str, Any]:
        """What of it decides an answer, as plain data."""
        return {**self.unit.content(), **self.placing}

    @property
    def points(self) -> int | None:
        """What the profile says that it costs; None in games without costs, or where it does not say."""
        return getattr(self.unit, "points", None)


@dataclass(frozen=True)
class Matchup:
    """What a mode's function gets: units by role, the situation, and the recording view of the rules."""

    units: Mapping[str, tuple[Placed, ...]]
    situation: Any
    rules: Any

    def unit(self, role: str) -> Any:
        """The one unit of a role."""
        return self.units[role][0].unit


# Further tables of a mode, by name, as lists of rows: from the matchup and the pmf of each measure and event.
Tables = Callable[[Matchup, dict[str, dict[int, float]]], dict[str, list[dict[str, Any]]]]


@dataclass(frozen=True)
class Mode:
    """One kind of question of a game.

    captions: what the titles of some tables go on with. heads: how some columns of tables are headed on a
    page; those that begin with "chance" are told in percent. picture: draws into axes of its own what no
    distribution shows. aim: what the sides decide for, by the situation and the name of a number, where that
    is another one: then a stronger unit need not have more of it.
    """

    name: str
    about: str
    roles: tuple[Role, ...]
    situation: type[BaseModel]
    play: Callable[[Matchup], Play]
    measures: tuple[Measure, ...]
    events: tuple[Event, ...]
    summary: str = (
        ""  # one line with {role} names and situation fields, {order:words}, {rounds:round}, for headings
    )
    tables: Tables = lambda matchup, pmfs: {}
    captions: Callable[[Matchup], Mapping[str, str]] = lambda matchup: {}
    heads: Mapping[str, str] = field(default_factory=dict)
    picture: Callable[[Matchup, Axes], None] | None = None
    aim: Callable[[Any, str], str] = lambda situation, wanted: ""


@dataclass(frozen=True)
class Game:
    """A game: its modes, unit type, rules type, and the folder with its data files.

    ruleset_option: the command line option that picks a shipped ruleset, e.g. "edition".
    home: the package, whose `load()` gives this record.
    prefer: unit fields that an ambiguous id is narrowed by, from the chosen ruleset's name.
    """

    id: str
    title: str
    unit: type[Profile]
    rules: type[BaseModel]
    modes: Mapping[str, Mode]
    folder: Path
    home: str
    ruleset_option: str
    ruleset_files: Mapping[str, str]
    default_ruleset: str
    prefer: Callable[[str], Mapping[str, object]] = lambda ruleset: {}
    notes: Callable[[Matchup, str], list[str]] = lambda matchup, ruleset: []

    def __reduce__(self) -> tuple[Callable[[str], Game], tuple[str]]:
        """A game is pickled by the name of its package, which holds functions that cannot be."""
        return _load, (self.home,)

    def mode(self, name: str) -> Mode:
        """A mode by name; raises `InputError` with the nearest ones."""
        if name not in self.modes:
            raise unknown(f"{self.id}: mode", name, self.modes)
        return self.modes[name]

    @cached_property
    def catalogue(self) -> Catalogue[Profile]:
        """All shipped units."""
        files = sorted((self.folder / "units").glob("*.toml"))
        return Catalogue(self.unit, [entry for file in files for entry in read_units(file)])

    @cached_property
    def _rulesets(self) -> dict[str, Ruleset[Any]]:
        return {}

    def ruleset(self, name: str) -> Ruleset[Any]:
        """A shipped ruleset; raises `InputError` with the names there are."""
        if name not in self.ruleset_files:
            raise unknown(f"--{self.ruleset_option}", name, self.ruleset_files)
        if name not in self._rulesets:
            path = self.folder / "rulesets" / self.ruleset_files[name]
            self._rulesets[name] = load_ruleset(self.rules, path)
        return self._rulesets[name]

    def rule_titles(self) -> dict[str, str]:
        """Rule ID -> title, from the game's rules.toml."""
        return {rule["id"]: rule["title"] for rule in read_toml(self.folder / "rules.toml")["rules"]}


def is_positional(info: FieldInfo) -> bool:
    """Whether a field of a situation is given by its place on the command line, without an option's name."""
    return isinstance(info.json_schema_extra, dict) and bool(info.json_schema_extra.get("positional"))


def _load(home: str) -> Game:
    game: Game = import_module(home).load()
    return game
