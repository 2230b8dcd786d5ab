"""Rulesets: every number or choice of a game as data with an origin, and the view that notes what is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, cast, get_args

from pydantic import BaseModel

from mathhammer.core.checks import checked
from mathhammer.core.errors import InputError, gathered, refuse_unknown
from mathhammer.core.files import read_toml

Origin = Literal["text", "public", "assumed", "user"]
ORIGINS: tuple[str, ...] = get_args(Origin)

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True)
class Provenance:
    """Where one field's value comes from."""

    origin: str
    note: str
    rule: str = ""


@dataclass(frozen=True)
class Ruleset(Generic[R]):
    """Values of a game's rules, and the provenance of each."""

    title: str
    values: R
    provenance: Mapping[str, Provenance]

    def overridden(self, changes: Mapping[str, Any], where: str) -> Ruleset[R]:
        """The ruleset with the user's values; raises `InputError` for unknown fields and bad values."""
        if not changes:
            return self
        strange = [key for key in changes if key not in self.provenance]
        known = {key: value for key, value in changes.items() if key in self.provenance}
        _, values = gathered(
            lambda: refuse_unknown(f"{where}: rule", strange, self.provenance),
            lambda: checked(type(self.values), {**self.values.model_dump(), **known}, where),
        )
        own = {key: replace(self.provenance[key], origin="user", note=f"set by {where}") for key in changes}
        return Ruleset(self.title, values, {**self.provenance, **own})


def load_ruleset(model: type[R], path: Path) -> Ruleset[R]:
    """A shipped ruleset file: `title`, and `[fields.NAME]` tables of value, origin, note and rule."""
    data = read_toml(path)
    fields = data["fields"]
    values = checked(model, {name: field["value"] for name, field in fields.items()}, str(path))
    provenance = {
        name: Provenance(field["origin"], field["note"], field.get("rule", ""))
        for name, field in fields.items()
    }
    return Ruleset(data["title"], values, provenance)


def user_rules(path: Path, option: str = "ruleset", name: str | None = None) -> dict[str, Any]:
    """A user's ruleset file: plain `key = value` lines (a shipped file's [fields] tables work too).

    A file may say which shipped ruleset it belongs to; that must be the one that is played (`option`).
    """
    data = read_toml(path)
    if name is not None and str(data.get(option, name)) != name:
        raise InputError(
            f"{path}: is of {option} {data[option]}, but {name} is played; add --{option} {data[option]}"
        )
    own = {key: value for key, value in data.items() if key not in ("title", "edition", option, "fields")}
    fields = data.get("fields", own)
    if not isinstance(fields, dict):
        raise InputError(f"{path}: fields is a table")
    if "fields" in data and own:
        raise InputError(f"{path}: {next(iter(own))!r} beside fields; write rules in one place")
    if not fields:
        raise InputError(f"{path}: sets no rules")
    return {
        name: value["value"] if isinstance(value, dict) and "value" in value else value
        for name, value in fields.items()
    }


class RecordingView:
    """A ruleset that notes which of its fields are read. It reads like the model that it stands for."""

    def __init__(self, values: BaseModel) -> None:
        self._values = values
        self._read: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._values, name)
        self._read.add(name)
        return value


def recording(values: R) -> tuple[R, set[str]]:
    """A view that reads like `values`, and the set that gathers the names of the fields read."""
    view = RecordingView(values)
    return cast(R, view), view._read
