"""Values as a user writes them: `6..30`, `0.5..3..0.5`, `3,4,6`, `front,flank`, `*` for all there are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from mathhammer.core.checks import submodel
from mathhammer.core.errors import InputError
from mathhammer.core.profiles import plain

MOST_VALUES = 10_000
NUMBER = r"-?\d{1,9}(?:\.\d{1,6})?"
RANGE = re.compile(rf"({NUMBER})\.\.({NUMBER})(?:\.\.({NUMBER}))?")


def parse_values(text: str, where: str, *, as_text: bool = False) -> list[Any]:
    """The values that a text lists, in its order. Raises `InputError` for ranges that are none.

    as_text: the field takes text, so numbers stay as they are written. Values that hold commas themselves are
    divided by semicolons.
    """
    parts = [part.strip() for part in text.split(";" if ";" in text else ",")]
    if not all(parts):
        raise InputError(f"{where}: give values, such as 3,4,5 or 6..30, not {text!r}")
    values = [value for part in parts for value in _part(part, where, as_text)]
    twice = [value for i, value in enumerate(values) if value in values[:i] and len(values) < 200]
    if twice:
        raise InputError(f"{where}: {told(twice[0])} is given twice")
    return values


def _part(part: str, where: str, as_text: bool) -> list[Any]:
    if ".." in part:
        return _range(part, where, as_text)
    if as_text:
        return [part]
    return [float(part) if re.fullmatch(NUMBER, part) and "." in part else plain(part)]


def _range(part: str, where: str, as_text: bool) -> list[Any]:
    match = RANGE.fullmatch(part)
    if match is None:
        if as_text:
            return [part]
        raise InputError(f"{where}: {part!r} is no range; write from..to or from..to..step, such as 6..30")
    low, high, step = (Decimal(number or "1") for number in match.groups())
    if step <= 0:
        raise InputError(f"{where}: the step of {part!r} is above 0")
    if high < low:
        raise InputError(f"{where}: {part!r} holds nothing; write {match[2]}..{match[1]}")
    count = int((high - low) / step) + 1
    if count > MOST_VALUES:
        raise InputError(f"{where}: {part!r} holds {count:,} values; at most {MOST_VALUES:,} are taken")
    numbers = [low + i * step for i in range(count)]
    values = [
        int(n) if n == n.to_integral_value() and "." not in part.replace("..", " ") else float(n)
        for n in numbers
    ]
    return [told(value) for value in values] if as_text else values


def told(value: object) -> str:
    """A value as it is typed."""
    if value is None:
        return "-"
    return str(value).lower() if isinstance(value, bool) else str(value)


def all_values(model: type[BaseModel], path: Sequence[str], where: str) -> list[Any]:
    """All that a field takes: the words of a choice, true and false, a bounded range of whole numbers."""
    schema = field_schema(model, path)
    values = _taken(schema)
    if not values or len(values) > MOST_VALUES:
        raise InputError(
            f"{where}: takes too many values to go through all; give some, such as {where}=6..30"
        )
    return values


def field_schema(model: type[BaseModel], path: Sequence[str]) -> Mapping[str, Any]:
    """The JSON schema of a field, its definitions under `$defs`."""
    for part in path[:-1]:
        inner = submodel(model, part)
        assert inner is not None
        model = inner
    whole = model.model_json_schema(by_alias=False)
    found: Mapping[str, Any] = {**whole["properties"][path[-1]], "$defs": whole.get("$defs", {})}
    return found


def _taken(schema: Mapping[str, Any]) -> list[Any]:
    """Values in the schema's order; nothing where they are not bounded."""
    if "$ref" in schema:
        return _taken({**schema["$defs"][schema["$ref"].split("/")[-1]], "$defs": schema["$defs"]})
    if "anyOf" in schema:
        options = [
            _taken({**option, "$defs": schema["$defs"]})
            for option in schema["anyOf"]
            if option.get("type") != "null"
        ]
        return [value for option in options for value in option]
    if "enum" in schema:
        return list(schema["enum"])
    if "const" in schema:
        return [schema["const"]]
    if schema.get("type") == "boolean":
        return [False, True]
    low, high = schema.get("minimum"), schema.get("maximum")
    if schema.get("type") == "integer" and low is not None and high is not None and high - low <= MOST_VALUES:
        return list(range(low, high + 1))
    return []


def takes_text(model: type[BaseModel], path: Sequence[str]) -> bool:
    """Whether a field holds text that is not one of a few words (so that 7..9 may be such a text)."""
    schema = field_schema(model, path)
    return schema.get("type") == "string" and "enum" not in schema
