"""Checks: every wrong field in one line, in words: where, field, what is allowed, what was given."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, BeforeValidator, Field, field_validator, model_validator

from mathhammer.core.checks import allowed, alternatives, checked, shown, submodel, words, wrong_field
from mathhammer.core.errors import InputError
from mathhammer.core.profiles import Frozen


def unmarked(value: object) -> object:
    """'4+' is '4': a reader in front of a checked number."""
    return value.removesuffix("+") if isinstance(value, str) else value


class Inner(Frozen):
    """A table within."""

    level: int = Field(default=0, ge=0, le=5)
    phase: bool | Literal["melee", "ranged"] = False


class Outer(Frozen):
    """A table with a field of each kind."""

    number: int = Field(default=3, ge=2, le=6)
    least: int = Field(default=3, ge=1)
    most: float = Field(default=0.5, le=1)
    score: Annotated[Annotated[int, Field(ge=2, le=6)], BeforeValidator(unmarked)] = 4
    maybe: Annotated[int, Field(ge=1)] | None = None
    kind: Literal["foot", "horse"] = "foot"
    name: str = Field(default="A", min_length=1, max_length=8)
    many: tuple[int, ...] = ()
    sure: bool = True
    inner: Inner = Inner()

    @field_validator("least")
    @classmethod
    def _no_seven(cls, value: int) -> int:
        if value == 7:
            raise ValueError("seven is right out, not 7")
        return value

    @model_validator(mode="after")
    def _ascends(self) -> Outer:
        if self.least > self.number + 100:
            raise ValueError(f"least is at most number + 100, not {self.least}")
        return self


def lines(**fields: Any) -> list[str]:
    """What is told of these fields."""
    with pytest.raises(InputError) as caught:
        checked(Outer, fields, "here")
    assert all(line.startswith("here: ") for line in caught.value.lines)
    return [line.removeprefix("here: ") for line in caught.value.lines]


def test_what_is_right_is_a_model() -> None:
    assert checked(Outer, {"number": 5, "inner": {"level": 2}}, "here").inner.level == 2


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("number", 7, "number is a whole number from 2 to 6, not 7"),
        ("number", "x", "number is a whole number from 2 to 6, not 'x'"),
        ("number", [3], "number is a whole number from 2 to 6, not [3]"),
        ("score", 7, "score is a whole number from 2 to 6, not 7"),
        ("score", "7+", "score is a whole number from 2 to 6, not '7"),
        ("least", 0, "least is a whole number of at least 1, not 0"),
        ("most", 2.5, "most is a number of at most 1, not 2.5"),
        ("maybe", 0, "maybe is a whole number of at least 1, not 0"),
        ("kind", "boat", "kind is one of foot, horse, not 'boat'"),
        ("name", 3, "name is a text"),
        ("many", 3, "many is a list, not 3"),
        ("sure", "perhaps", "sure is true or false, not 'perhaps'"),
        ("inner", 3, "inner is a table of fields, not 3"),
        ("least", 7, "least: seven is right out, not 7"),
        ("least", 500, "least is at most number + 100, not 500"),
        ("numbr", 3, "numbr is not a field; did you mean number?"),
        ("two words", 3, "two words is not a field; there is number, least,"),
    ],
)
def test_a_wrong_field_is_told_in_words(field: str, value: Any, line: str) -> None:
    (told,) = lines(**{field: value})
    assert told.startswith(line)


@pytest.mark.parametrize("value", ["", "x" * 9])
def test_the_length_of_a_text_is_told(value: str) -> None:
    (told,) = lines(name=value)
    assert "1" in told
    assert "8" in told
    assert repr(value) in told


def test_a_field_within_a_table_is_told_by_its_path() -> None:
    assert lines(inner={"level": 9}) == ["inner.level is a whole number from 0 to 5, not 9"]
    assert lines(inner={"phase": 3}) == ["inner.phase is true or false or one of melee, ranged, not 3"]
    assert lines(inner={"lvl": 3})[0].startswith("inner.lvl is not a field; ")
    assert "level" in lines(inner={"lvl": 3})[0]


def test_every_wrong_field_is_told_once() -> None:
    told = lines(number=7, kind="boat", inner={"level": 9, "phase": 3}, x=1)
    assert [line.split()[0] for line in told] == ["number", "kind", "inner.level", "inner.phase", "x"]


def test_what_is_no_table_is_told() -> None:
    with pytest.raises(InputError, match="here: expected a table of fields, not 3"):
        checked(Outer, 3, "here")


def test_a_missing_field_is_told_with_what_it_takes() -> None:
    class Needs(BaseModel):
        dice: int = Field(ge=1, le=9)

    with pytest.raises(InputError, match=r"^here: dice is missing \(a whole number from 1 to 9\)$"):
        checked(Needs, {}, "here")


@pytest.mark.parametrize("key", ["", " ", "a.b", "two\nlines", "tab\t", "é", "0", "a" * 5000])
def test_any_unknown_key_is_told_in_one_line(key: str) -> None:
    for fields in ({key: 1}, {"inner": {key: 1}}):
        (told,) = lines(**fields)
        assert "not a field" in told
        assert "\n" not in told


def test_a_deep_table_is_told_in_one_line() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"x": deep}
    for field in ("number", "kind", "inner"):
        (told,) = lines(**{field: deep})
        assert field in told
        assert len(told) < 300


def test_a_long_value_is_shown_shortened() -> None:
    assert shown("x") == "'x'"
    assert len(shown("x" * 1000)) == 60
    assert shown("x" * 1000).endswith("...")
    assert len(shown(10**5000)) <= 60


def test_what_a_field_takes_is_said_in_words() -> None:
    assert allowed(Outer, "kind") == "one of foot, horse"
    assert allowed(Outer, "nothing") == allowed(None, "kind") == "something else"
    assert words({"const": "foot"}, {}) == "'foot'"
    assert words({"$ref": "#/$defs/A"}, {"A": {"type": "string"}}) == "a text"


@pytest.mark.parametrize(
    ("lengths", "words_of_it"),
    [
        ({}, "a text"),
        ({"minLength": 2}, "a text of at least 2 characters"),
        ({"maxLength": 9}, "a text of 0 to 9 characters"),
        ({"minLength": 2, "maxLength": 9}, "a text of 2 to 9 characters"),
    ],
)
def test_how_long_a_text_may_be_is_said(lengths: dict[str, int], words_of_it: str) -> None:
    assert words({"type": "string", **lengths}, {}) == words_of_it


def test_a_field_is_wrong_by_itself_or_not() -> None:
    data = {"number": 7, "inner": {"level": 9}, "kind": "foot"}
    assert (
        wrong_field(Outer, data, ("number",), "here") == "here: number is a whole number from 2 to 6, not 7"
    )
    inner = wrong_field(Outer, data, ("inner", "level"), "here")
    assert inner == "here: inner.level is a whole number from 0 to 5, not 9"
    assert wrong_field(Outer, data, ("kind",), "here") is None
    assert wrong_field(Outer, {"least": 500}, ("least",), "here") is None  # with number, not by itself
    assert wrong_field(Outer, {}, ("number",), "here") is None


class Open(Frozen):
    """A table whose number never reaches its limits."""

    share: float = Field(default=0.5, gt=0, lt=2)
    paces: int = Field(default=4, multiple_of=2, ge=0)


@pytest.mark.parametrize(
    ("model", "field", "value", "others"),
    [
        (Outer, "number", 3, [2, 4]),
        (Outer, "number", 6, [5]),
        (Outer, "number", 2, [3]),
        (Outer, "maybe", 1, [2]),
        (Outer, "kind", "foot", ["horse"]),
        (Outer, "sure", True, [False]),
        (Outer, "name", "A", []),
        (Outer, "inner", Inner(), []),
        (Inner, "phase", False, [True, "melee", "ranged"]),
        (Open, "share", 0.5, [1.5]),
        (Open, "share", 1.0, []),
        (Open, "paces", 4, [2, 6]),
    ],
)
def test_the_nearest_other_values_of_a_field(
    model: type[Frozen], field: str, value: Any, others: list[Any]
) -> None:
    assert alternatives(model, field, value) == others


def test_the_model_within_a_field_is_found() -> None:
    assert submodel(Outer, "inner") is Inner
    assert submodel(Outer, "number") is None
    assert submodel(Outer, "nothing") is None


class Renamed(Frozen):
    """A table with a field that code has to call by another name than files do."""

    defence: int = Field(alias="def", ge=0, le=20)
    inner: Inner = Field(default=Inner(), alias="in")


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ({}, "here: def is missing (a whole number from 0 to 20)"),
        ({"def": "x"}, "here: def is a whole number from 0 to 20, not 'x'"),
        ({"def": 1, "defence": 1}, "here: defence is not a field; did you mean def?"),
        ({"def": 1, "zzz": 1}, "here: zzz is not a field; there is def, in"),
        ({"def": 1, "in": {"level": 9}}, "here: in.level is a whole number from 0 to 5, not 9"),
    ],
)
def test_fields_are_told_by_the_names_that_files_have_for_them(data: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError) as told:
        checked(Renamed, data, "here")
    assert told.value.lines == (line,)
