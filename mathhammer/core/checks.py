"""Checking data against pydantic models, with the user's errors in words: field, value, what is allowed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from mathhammer.core.errors import InputError, nearest

M = TypeVar("M", bound=BaseModel)


def checked(model: type[M], data: object, where: str) -> M:
    """`data` as a `model`; raises `InputError` with one line for each wrong field, prefixed by `where`."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise InputError(*_lines(model, error, where)) from None


def wrong_field(model: type[BaseModel], data: object, field: Sequence[str], where: str) -> str | None:
    """The line for a field (its path) that is wrong by itself, whatever the others are; None if it is not.

    What only the model as a whole refuses, such as two fields that contradict each other, is not told.
    """
    try:
        model.model_validate(data)
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_context=True):
            path = _field_path(model, [part for part in detail["loc"] if isinstance(part, str)])
            if path == list(field):
                return f"{where}: {_line(model, path, detail)}"
    return None


def _lines(model: type[BaseModel], error: ValidationError, where: str) -> list[str]:
    found: dict[str, str] = {}
    for detail in error.errors(include_url=False, include_context=True):
        path = _field_path(model, [part for part in detail["loc"] if isinstance(part, str)])
        field = ".".join(path)
        found.setdefault(field, _line(model, path, detail))
    return [f"{where}: {line}" for line in found.values()]


def _field_path(model: type[BaseModel], path: list[str]) -> list[str]:
    """The part of a location that names fields (unions add the names of their members)."""
    kept: list[str] = []
    holder: Any = model
    for part in path:
        if not _holds_fields(holder):
            break
        kept.append(part)
        holder = _held(holder, part)
    return kept


def _holds_fields(kind: Any) -> bool:
    """Whether parts of a location below this type are named: a model, or a table of models."""
    return is_model(kind) or get_origin(kind) is dict


def is_model(kind: Any) -> bool:
    """Whether a type is a model."""
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _held(kind: Any, part: str) -> Any:
    """The type of a model's field, or of what a table holds."""
    if get_origin(kind) is dict:
        return get_args(kind)[1]
    info = kind.model_fields.get(written(kind).get(part, part))
    return info.annotation if info else None


def written(model: type[BaseModel]) -> dict[str, str]:
    """Each field's name as it is written (its alias where it has one), and the name that it has in code."""
    return {info.alias or name: name for name, info in model.model_fields.items()}


def submodel(model: type[BaseModel], field: str) -> type[BaseModel] | None:
    """The model that a field holds, if it holds one."""
    kind = _held(model, field)
    return kind if is_model(kind) else None


def _line(model: type[BaseModel], path: list[str], detail: ErrorDetails) -> str:
    field, kind = ".".join(_quoted(part) for part in path), detail["type"]
    owner: Any = model
    for part in path[:-1]:
        owner = _held(owner, part)
    if kind == "extra_forbidden":
        return _unknown_field(field, path[-1], owner)
    if kind == "missing":
        return f"{field} is missing ({allowed(owner, path[-1])})"
    if kind == "value_error":
        return (
            f"{field}: {detail['msg'].removeprefix('Value error, ')}"
            if field
            else str(detail["ctx"]["error"])
        )
    if not path:
        return f"expected a table of fields, not {shown(detail['input'])}"
    return f"{field} is {allowed(owner, path[-1])}, not {shown(detail['input'])}"


def _quoted(name: str) -> str:
    """A key as it is told: quoted where it could be misread."""
    return name if name.isprintable() and name.strip() else shown(name)


def _unknown_field(field: str, name: str, owner: Any) -> str:
    known = list(written(owner)) if is_model(owner) else []
    near = nearest(name, known)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there is {', '.join(known)}"
    return f"{field} is not a field; {hint}"


def shown(value: object) -> str:
    """A value as it is quoted in an error, on one line, however deep or long it is."""
    if value is None:
        return "'-'"
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        return f"a {type(value).__name__} too large to show"
    return text if len(text) <= 60 else text[:57] + "..."


def allowed(model: Any, field: str) -> str:
    """What a model's field takes, in words: 'a whole number from 2 to 6', 'one of front, flank, rear'."""
    if get_origin(model) is dict:
        return _KINDS["object"]
    if not is_model(model) or (name := written(model).get(field, field)) not in model.model_fields:
        return "something else"
    schema = model.model_json_schema(by_alias=False)
    told = schema["properties"][name]
    if is_left_out(model.model_fields[name]):
        told = {**told, "anyOf": [kind for kind in told["anyOf"] if kind.get("type") != "null"]}
    return words(told, schema.get("$defs", {}))


def is_left_out(info: FieldInfo) -> bool:
    """Whether a field is none only by being left out, and is not written as '-'."""
    members = get_args(info.annotation)
    marked = any(isinstance(part, BeforeValidator) for part in info.metadata)
    return info.default is None and type(None) in members and not marked


def alternatives(model: type[BaseModel], field: str, value: Any) -> list[Any]:
    """Other values that a field takes: other words, or one step down and up; none for texts and tables."""
    schema = model.model_json_schema(by_alias=False)
    found = _others(schema["properties"][field], schema.get("$defs", {}), value)
    return [other for other in dict.fromkeys(found) if other != value or type(other) is not type(value)]


def _others(schema: Mapping[str, Any], defs: Mapping[str, Any], value: Any) -> list[Any]:
    if "$ref" in schema:
        return _others(defs[schema["$ref"].split("/")[-1]], defs, value)
    if "anyOf" in schema:
        return [other for option in schema["anyOf"] for other in _others(option, defs, value)]
    if "enum" in schema:
        return list(schema["enum"])
    if schema.get("type") == "boolean":
        return [False, True]
    if schema.get("type") in ("integer", "number") and isinstance(value, int | float):
        step = schema.get("multipleOf", 1)
        return [other for other in (value - step, value + step) if _within(schema, other)]
    return [schema["const"]] if "const" in schema else []


def _within(schema: Mapping[str, Any], value: float) -> bool:
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    below, above = schema.get("exclusiveMinimum", -math.inf), schema.get("exclusiveMaximum", math.inf)
    return bool(low <= value <= high and below < value < above)


_KINDS = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table of fields",
    "null": "'-'",
}


def words(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    """A JSON schema of one field in words."""
    if "$ref" in schema:
        return words(defs[schema["$ref"].split("/")[-1]], defs)
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(words(option, defs) for option in schema["anyOf"]))
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    if "const" in schema:
        return repr(schema["const"])
    if "enum" in schema.get("items", {}):
        return f"a list, each {words(schema['items'], defs)}"
    step = f" in steps of {schema['multipleOf']}" if "multipleOf" in schema else ""
    return _KINDS.get(schema.get("type", ""), "a value") + _range(schema) + step + _length(schema)


def _length(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minLength"), schema.get("maxLength")
    if least is None and most is None:
        return ""
    return (
        f" of {least or 0} to {most} characters" if most is not None else f" of at least {least} characters"
    )


def _range(schema: Mapping[str, Any]) -> str:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if "exclusiveMinimum" in schema:
        return f" above {low}" + (f" and up to {high}" if high is not None else "")
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None:
        return f" of at least {low}"
    return f" of at most {high}" if high is not None else ""
