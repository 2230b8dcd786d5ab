"""What can vary in a question, found by name: units of a role, their fields, options, rules, the ruleset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from mathhammer.core.checks import submodel
from mathhammer.core.errors import InputError, unknown
from mathhammer.core.game import Game, Mode, Role
from mathhammer.core.profiles import Profile

Kind = Literal["units", "field", "situation", "rule", "ruleset"]


@dataclass(frozen=True)
class Target:
    """Something that varies: `name` as it is shown; a unit's field has a role and a path."""

    kind: Kind
    name: str
    role: str = ""
    path: tuple[str, ...] = ()


def units_of(role: str) -> Target:
    """The units of a role as what varies."""
    return Target("units", role, role)


def first_role(mode: Mode) -> Role | None:
    """The role whose units' fields need no prefix (None in modes without units)."""
    return next((role for role in mode.roles if not role.many), mode.roles[0] if mode.roles else None)


def target_role(mode: Mode) -> Role | None:
    """The role of those that something is done to: the first single one after the first role."""
    return next((role for role in mode.roles if not role.many and role is not first_role(mode)), None)


def find_target(game: Game, mode: Mode, name: str) -> Target:
    """What `name` means. Raises `InputError` for unknown names and for those that mean several things."""
    text = name.strip().replace("-", "_")
    head, _, rest = text.partition(".")
    roles = {role.name for role in mode.roles}
    if text in roles:
        return units_of(text)
    if head in roles and rest:
        return _field(game, mode, head, rest)
    if head == "situation" and rest in mode.situation.model_fields:
        return Target("situation", rest, path=(rest,))
    if head == "rule" and rest in game.rules.model_fields:
        return Target("rule", text, path=(rest,))
    return _bare(game, mode, text)


def _bare(game: Game, mode: Mode, text: str) -> Target:
    """A name without a prefix: the ruleset, an option, a field of the first role's unit, or a rule."""
    if text == game.ruleset_option and len(game.ruleset_files) > 1:
        return Target("ruleset", text)
    meanings: dict[str, Target] = {}
    role = first_role(mode)
    if text in mode.situation.model_fields:
        meanings[f"situation.{text}"] = Target("situation", text, path=(text,))
    if role and has_field(game.unit, text.split(".")):
        meanings[f"{role.name}.{text}"] = Target(
            "field", f"{role.name}.{text}", role.name, tuple(text.split("."))
        )
    if text in game.rules.model_fields:
        meanings[f"rule.{text}"] = Target("rule", f"rule.{text}", path=(text,))
    if len(meanings) > 1:
        raise InputError(f"{text!r} means several things here; write {' or '.join(meanings)}")
    if not meanings:
        raise unknown(f"{mode.name}: field", text, names(game, mode), "a unit's field, an option or a rule")
    return next(iter(meanings.values()))


def _field(game: Game, mode: Mode, role: str, path: str) -> Target:
    parts = path.split(".")
    if not has_field(game.unit, parts):
        raise unknown(
            f"{mode.name}: field", f"{role}.{path}", [f"{role}.{field}" for field in paths(game.unit)]
        )
    return Target("field", f"{role}.{path}", role, tuple(parts))


def model_of(game: Game, mode: Mode, target: Target) -> type[BaseModel]:
    """The model that says what a field, an option or a rule takes."""
    return {"field": game.unit, "situation": mode.situation, "rule": game.rules}[target.kind]


def has_field(model: type[BaseModel], path: list[str]) -> bool:
    """Whether a unit has this field."""
    return ".".join(path) in paths(model)


def paths(model: type[BaseModel]) -> list[str]:
    """The dotted paths of all fields that hold a value; not those that only describe a unit."""
    idle = model.described_only if issubclass(model, Profile) else frozenset()
    return [path for path in _paths(model, "") if path not in idle]


def _paths(model: type[BaseModel], prefix: str) -> Iterator[str]:
    for field in model.model_fields:
        inner = submodel(model, field)
        if inner is None:
            yield prefix + field
        else:
            yield from _paths(inner, f"{prefix}{field}.")


def names(game: Game, mode: Mode) -> list[str]:
    """All names that may vary in a mode, prefixed where two things share one."""
    role = first_role(mode)
    units = paths(game.unit) if role else []
    ruleset = [game.ruleset_option] if len(game.ruleset_files) > 1 else []
    beyond = [f"{other.name}.{path}" for other in mode.roles for path in units if other is not role]
    return [
        *units,
        *mode.situation.model_fields,
        *(role.name for role in mode.roles),
        *ruleset,
        *game.rules.model_fields,
        *beyond,
    ]
