"""Units: frozen models with a game's characteristics, shipped catalogues, users' files, changes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr, field_validator

from mathhammer.core.checks import checked
from mathhammer.core.errors import InputError, nearest, unknown
from mathhammer.core.files import read_toml

_DECIMAL = re.compile(r"-?\d{1,9}\.\d{1,9}", re.ASCII)
MOST_UNITS = 5000  # in one file
MOST_DEPTH = 3  # of a field in a change, such as rules.brutal


class Frozen(BaseModel):
    """A model that is never changed, with no fields but its own."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


def _written(value: object) -> object:
    """A number as it would be written: 25 for 25.0."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if number else value


Text = Annotated[str, BeforeValidator(_written)]  # a text; a number stands for what is written


class Profile(Frozen):
    """What every game's unit has. `qualifiers` are the fields that tell namesakes apart, in id order.

    lower_is_better: fields, such as "rules.regeneration", of which a lower number is the stronger one.
    """

    qualifiers: ClassVar[tuple[str, ...]] = ()
    described_only: ClassVar[frozenset[str]] = frozenset({"name", "source"})
    lower_is_better: ClassVar[frozenset[str]] = frozenset()

    name: str = Field(min_length=1, max_length=80, description="name shown")
    source: str = Field(default="the user's own", max_length=400, description="where the numbers come from")
    _changes: Mapping[str, Any] = PrivateAttr(default_factory=dict)

    @field_validator("name", "source")
    @classmethod
    def _readable(cls, value: str) -> str:
        if not value.isprintable() or not value.strip():
            raise ValueError(f"it is readable text on one line, not {value!r}")
        return value

    def content(self) -> dict[str, Any]:
        """The fields that decide an answer (names and sources left out)."""
        return self.model_dump(mode="json", exclude=set(self.described_only))

    def label(self) -> str:
        """Name with its qualifiers, for headings."""
        return self.name

    def changes(self) -> list[str]:
        """What was changed in the unit as it is listed, in words, but for what its label tells."""
        labelled = {*self.described_only, *self.qualifiers}
        return list(_in_words({f: value for f, value in self._changes.items() if f not in labelled}))

    def __setattr__(self, name: str, value: object) -> None:
        """Raises `InputError`: a unit is never changed, but for what it keeps to itself."""
        if name.startswith("_"):
            super().__setattr__(name, value)
            return
        raise InputError(
            f"{self.name}: a unit is never changed; make another one: unit(game, 'ID,{name}=...')"
        )

    def __delattr__(self, name: str) -> None:
        """Raises `InputError`: a unit is never changed."""
        self.__setattr__(name, None)

    def __hash__(self) -> int:
        """By content; fields may be lists and tables, which have no hash of their own."""
        return hash((type(self), self.model_dump_json()))


P = TypeVar("P", bound=Profile)


def slug(text: str) -> str:
    """'Ogre Warriors' -> 'ogre-warriors', "Captain's Staff" -> 'captains-staff'."""
    ascii_ = (
        unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode().replace("'", "")
    )
    return re.sub(r"[^a-z0-9]+", "-", ascii_).strip("-") or "unit"


class Catalogue(Generic[P]):
    """Raw unit tables under ids, checked when they are asked for.

    Ids are the name, then the qualifiers where they are needed to be unique; any form between the name
    and the full id finds the unit. Raises `InputError` for two units that nothing tells apart.
    """

    def __init__(self, model: type[P], tables: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        self.model = model
        self._tables: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self._forms: dict[str, list[str]] = {}
        listed = list(tables)
        nameless = [where for where, table in listed if "name" not in table]
        if nameless:
            raise InputError(*(f"{where}: name is missing (a text)" for where in nameless))
        entries = [(where, table, self._long_forms(table)) for where, table in listed]
        for _, _, forms in entries:
            for form in forms:
                self._forms.setdefault(form, []).append(forms[-1])
        self._ids: dict[str, str] = {}
        for where, table, forms in entries:
            if forms[-1] in self._tables:
                raise InputError(f"{where}: the name {table.get('name')!r} is there twice")
            self._tables[forms[-1]] = (where, table)
            unique = next((form for form in forms if len(self._forms[form]) == 1), forms[-1])
            self._ids[unique] = forms[-1]

    def _long_forms(self, table: Mapping[str, Any]) -> list[str]:
        """Name; name and first qualifier; ...; and name with single qualifiers; the full form last."""
        name = slug(str(table["name"]))
        marks = [slug(str(table[field])) for field in self.model.qualifiers if table.get(field) is not None]
        growing = ["-".join([name, *marks[:n]]) for n in range(len(marks) + 1)]
        single = ["-".join([name, mark]) for mark in marks[1:]]
        return list(dict.fromkeys([*growing[:-1], *single, growing[-1]]))

    def ids(self) -> list[str]:
        """The shortest unique ids, in file order."""
        return list(self._ids)

    def id_of(self, unit_id: str) -> str:
        """The id that `ids` lists for the unit that `unit_id` names in full."""
        return next(short for short, full in self._ids.items() if full == unit_id)

    def tables(self) -> Iterable[tuple[str, Mapping[str, Any]]]:
        """Pairs (id, raw table), in file order."""
        return ((short, self._tables[full][1]) for short, full in self._ids.items())

    def tables_with_places(self) -> Iterable[tuple[str, tuple[str, Mapping[str, Any]]]]:
        """Pairs (id, (where it stands, raw table)), in file order."""
        return ((short, self._tables[full]) for short, full in self._ids.items())

    def raw(
        self, unit_id: str, prefer: Mapping[str, object], where: str = "", hint: str = ""
    ) -> tuple[str, Mapping[str, Any]]:
        """Where the unit is from, and its table; several that fit are narrowed by `prefer`, else listed.

        Errors start with `where` (a file); `hint` says where units are listed.
        """
        if unit_id in self._ids:
            return self._tables[self._ids[unit_id]]
        fitting = self._fitting(slug(unit_id), prefer)
        if len(fitting) == 1:
            return self._tables[fitting[0]]
        if fitting:
            listed = ", ".join(self.id_of(full) for full in fitting)
            raise InputError(f"{where}unit {unit_id!r} fits several: {listed}")
        shared = [
            form for form, fit in self._forms.items() if len(fit) > len(self._fitting(form, prefer)) == 1
        ]
        known = list(dict.fromkeys([*self._ids, *shared]))
        raise unknown(f"{where}unit", unit_id, known if nearest(unit_id, known) else self._ids, hint)

    def _fitting(self, form: str, prefer: Mapping[str, object]) -> list[str]:
        """The units that a form may mean; of several those that are preferred, if any are."""
        fitting = self._forms.get(form, [])
        preferred = [full for full in fitting if self._prefers(full, prefer)] if len(fitting) > 1 else []
        return preferred or fitting

    def _prefers(self, full: str, prefer: Mapping[str, object]) -> bool:
        table = self._tables[full][1]
        return all(table.get(field) == value for field, value in prefer.items())


def read_units(path: Path) -> list[tuple[str, Mapping[str, Any]]]:
    """Raw unit tables of a TOML file: one unit at top level, or `[[units]]`, each with where it stands."""
    data = read_toml(path)
    if "units" not in data:
        return [(str(path), data)]
    units = data["units"]
    extra = [key for key in data if key != "units"]
    if extra:
        raise InputError(f"{path}: {extra[0]!r} beside units; a file has one unit, or [[units]] only")
    if not isinstance(units, list) or not all(isinstance(unit, dict) for unit in units):
        raise InputError(f"{path}: units is a list of tables, written [[units]]")
    if not units:
        raise InputError(f"{path}: holds no units")
    if len(units) > MOST_UNITS:
        raise InputError(f"{path}: holds {len(units):,} units; at most {MOST_UNITS:,} are read")
    return [(f"{path}: units[{i}]", unit) for i, unit in enumerate(units, start=1)]


def parse_changes(text: str) -> dict[str, Any]:
    """Changes after commas, `at=24,rules.brutal=1`, as nested fields. '-' stands for none."""
    changes: dict[str, Any] = {}
    for part in text.split(","):
        field, equals, value = part.partition("=")
        if not equals or not field.strip() or not value.strip():
            raise InputError(f"unit change {part!r}: write field=value, such as at=24")
        _put(changes, field.strip().split("."), plain(value.strip()), part)
    return changes


def _put(changes: dict[str, Any], path: list[str], value: object, part: str) -> None:
    if not all(path):
        raise InputError(f"unit change {part!r}: write field=value, such as at=24 or rules.brutal=1")
    if len(path) > MOST_DEPTH:
        raise InputError(f"unit change {part[:40]!r}...: fields are at most {MOST_DEPTH} deep")
    for name in path[:-1]:
        inner = changes.setdefault(name, {})
        if not isinstance(inner, dict):
            raise InputError(f"unit change {part!r}: {name} is changed twice")
        changes = inner
    if path[-1] in changes:
        raise InputError(f"unit change {part!r}: {path[-1]} is changed twice")
    changes[path[-1]] = value


def plain(text: str) -> object:
    """A written value as a plain one: true, false, '-' (none), a number, or the text itself."""
    word = text.lower()
    if word in ("true", "yes", "on"):
        return True
    if word in ("false", "no", "off"):
        return False
    if word == "-":
        return None
    try:
        return int(text)
    except ValueError:
        return float(text) if _DECIMAL.fullmatch(text) else text


def overlaid(table: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """`table` with changes laid over it, table by table."""
    result = dict(table)
    for field, value in changes.items():
        if isinstance(value, Mapping):
            inner = result.get(field)
            result[field] = overlaid(inner if isinstance(inner, Mapping) else {}, value)
        else:
            result[field] = value
    return result


def make_unit(model: type[P], table: Mapping[str, Any], changes: Mapping[str, Any], where: str) -> P:
    """A checked unit from its table and changes, which it keeps to tell them."""
    unit = checked(model, overlaid(table, changes), where)
    unit._changes = changes
    return unit


def _in_words(changes: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """`at 24`, `rules.brutal 1`, `no courage`."""
    for field, value in changes.items():
        if isinstance(value, Mapping):
            yield from _in_words(value, f"{path}{field}.")
        elif value is None or isinstance(value, bool):
            yield f"{path}{field}" if value else f"no {path}{field}"
        else:
            yield f"{path}{field} {value}"
