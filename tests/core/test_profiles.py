"""Units: ids that find them, tables from files, changes as they are written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, ValidationError

from mathhammer.core.errors import InputError
from mathhammer.core.profiles import (
    MOST_UNITS,
    Catalogue,
    Frozen,
    Profile,
    make_unit,
    overlaid,
    parse_changes,
    plain,
    read_units,
    slug,
)


class Traits(Frozen):
    """Special rules of a toy unit."""

    fierce: int = Field(default=0, ge=0, le=5)
    swift: bool = False


class Toy(Profile):
    """A unit that no game has."""

    qualifiers: ClassVar[tuple[str, ...]] = ("size", "edition")
    described_only: ClassVar[frozenset[str]] = frozenset({"name", "source", "edition"})

    size: str | None = None
    edition: int | None = None
    dice: int = Field(ge=1, le=100)
    rules: Traits = Traits()


def toy(name: str, size: str | None = None, edition: int | None = None) -> dict[str, Any]:
    fields = {"name": name, "size": size, "edition": edition, "dice": 3}
    return {field: value for field, value in fields.items() if value is not None}


def catalogue(*tables: Mapping[str, Any]) -> Catalogue[Toy]:
    return Catalogue(Toy, [(f"units[{i}]", table) for i, table in enumerate(tables, start=1)])


OGRES = [
    toy("Ogre", "regiment", 1),
    toy("Ogre", "regiment", 3),
    toy("Ogre", "horde", 3),
    toy("Orc Ax", "horde", 1),
]


# -- ids -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("Ogre Warriors", "ogre-warriors"),
        ("  Écorcheurs, d'Or ", "ecorcheurs-dor"),
        ("3", "3"),
        ("食", "unit"),
        ("", "unit"),
        ("Großes Übel", "grosses-ubel"),
    ],
)
def test_slug(text: str, id_: str) -> None:
    assert slug(text) == id_


def test_ids_are_as_short_as_they_can_be() -> None:
    assert catalogue(*OGRES).ids() == ["ogre-1", "ogre-regiment-3", "ogre-horde", "orc-ax"]


@pytest.mark.parametrize(
    ("unit_id", "number"),
    [
        ("orc-ax", 3),
        ("Orc Ax", 3),
        ("orc-ax-horde", 3),
        ("orc-ax-1", 3),
        ("orc-ax-horde-1", 3),
        ("ogre-1", 0),
        ("ogre-horde", 2),
        ("ogre-horde-3", 2),
        ("ogre-regiment-1", 0),
    ],
)
def test_any_form_between_the_name_and_the_full_id_finds_the_unit(unit_id: str, number: int) -> None:
    where, table = catalogue(*OGRES).raw(unit_id, {})
    assert table is OGRES[number]
    assert where == f"units[{number + 1}]"


def test_preference_narrows_what_fits_several() -> None:
    ogres = catalogue(*OGRES)
    assert ogres.raw("ogre", {"edition": 1})[1] is OGRES[0]
    assert ogres.raw("ogre-regiment", {"edition": 3})[1] is OGRES[1]
    with pytest.raises(InputError, match=r"'ogre' fits several: ogre-regiment-3, ogre-horde$"):
        ogres.raw("ogre", {"edition": 3})
    with pytest.raises(InputError, match=r"'ogre' fits several: ogre-1, ogre-regiment-3, ogre-horde$"):
        ogres.raw("ogre", {"edition": 7})
    assert ogres.raw("orc-ax", {"edition": 7})[1] is OGRES[3]


def test_a_full_id_wins_over_a_short_one() -> None:
    """The unit that has no size can be named, though its name is short for another."""
    plain_, horde = toy("Ogre"), toy("Ogre", "horde")
    both = catalogue(plain_, horde)
    assert both.raw(both.ids()[0], {})[1] is plain_
    assert both.raw("ogre-horde", {})[1] is horde


def test_an_unknown_id_names_the_nearest() -> None:
    with pytest.raises(InputError, match="'ogr-1' is not known; did you mean ogre-1"):
        catalogue(*OGRES).raw("ogr-1", {})


def test_an_unknown_id_names_what_several_share_where_one_is_preferred() -> None:
    with pytest.raises(InputError, match="did you mean ogre or"):
        catalogue(*OGRES).raw("ogr", {"edition": 1})
    with pytest.raises(InputError) as caught:
        catalogue(*OGRES).raw("ogr", {"edition": 7})  # there `ogre` fits several
    assert "mean ogre or" not in str(caught.value)
    with pytest.raises(InputError, match=f"there is {', '.join(catalogue(*OGRES).ids())}$"):
        catalogue(*OGRES).raw("zzzzzz", {"edition": 1})


def test_two_units_that_nothing_tells_apart_are_refused() -> None:
    with pytest.raises(InputError, match=r"^units\[2\]: .*'ogre'.* twice"):
        catalogue(toy("Ogre", "horde"), toy("ogre", "Horde"))


def whole_id(table: Mapping[str, Any]) -> str:
    """Name, size and edition of a toy in one id."""
    return slug(" ".join(str(table[field]) for field in ("name", "size", "edition") if field in table))


NAMES = st.sampled_from(["Ogre", "Ogre Horde", "Orc", "ogre 1"])
TOYS = st.builds(toy, NAMES, st.sampled_from([None, "horde", "troop"]), st.sampled_from([None, 1, 2]))


@given(st.lists(TOYS, min_size=1, max_size=6, unique_by=whole_id))
def test_every_listed_id_finds_its_own_unit(tables: list[dict[str, Any]]) -> None:
    units = catalogue(*tables)
    assert len(set(units.ids())) == len(tables)
    assert [table for _, table in units.tables()] == tables
    for unit_id, table in units.tables():
        assert units.raw(unit_id, {})[1] is table


# -- files -----------------------------------------------------------------------------------------
def test_a_file_has_one_unit_or_a_list_of_them(tmp_path: Path) -> None:
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text('name = "A"\ndice = 3\n')
    two.write_text('[[units]]\nname = "A"\n[[units]]\nname = "B"\n')
    assert read_units(one) == [(str(one), {"name": "A", "dice": 3})]
    assert read_units(two) == [(f"{two}: units[1]", {"name": "A"}), (f"{two}: units[2]", {"name": "B"})]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("units = 3", "[[units]]"),
        ("units = [1]", "[[units]]"),
        ("[units]\nname = 'A'", "[[units]]"),
        ("units = []", "no units"),
        ("x = 1\n[[units]]\nname = 'A'", "'x'"),
        ("[[units]]\n" * (MOST_UNITS + 1), "5,001 units; at most 5,000"),
    ],
    ids=range(6),
)
def test_a_file_that_is_neither_is_told_by_name(tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        read_units(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert why in str(caught.value)


# -- changes ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("dice=3", {"dice": 3}),
        (" dice = 3 , size = horde ", {"dice": 3, "size": "horde"}),
        ("rules.fierce=1,rules.swift=true", {"rules": {"fierce": 1, "swift": True}}),
        ("size=-", {"size": None}),
        ("name=a=b", {"name": "a=b"}),
        ("a.b.c=1", {"a": {"b": {"c": 1}}}),
    ],
)
def test_changes_are_read_as_nested_fields(text: str, changes: dict[str, Any]) -> None:
    assert parse_changes(text) == changes


@pytest.mark.parametrize(
    "text", ["", "dice", "dice=", "=3", ",dice=3", "dice=3,", "dice=3,dice=4", "a=1,a.b=2", "a.b=2,a=1"]
)
def test_a_change_that_says_nothing_or_twice_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="unit change"):
        parse_changes(text)


WRITTEN = {
    **dict.fromkeys(["true", "Yes", "on"], True),
    **dict.fromkeys(["false", "no", "OFF"], False),
    "-": None,
    "none": "none",
    "24": 24,
    "-3": -3,
    "+3": 3,
    "4+": "4+",
    "1.5": 1.5,
    "1.5e3": "1.5e3",
    "d6": "d6",
    "": "",
}


@pytest.mark.parametrize(("text", "value"), WRITTEN.items())
def test_written_values_are_read_plainly(text: str, value: object) -> None:
    read = plain(text)
    assert read == value
    assert type(read) is type(value)


def test_changes_are_laid_over_a_table_and_leave_it_as_it_was() -> None:
    table = {"dice": 3, "rules": {"fierce": 1, "swift": True}}
    assert overlaid(table, {"dice": 4, "rules": {"fierce": 2}}) == {
        "dice": 4,
        "rules": {"fierce": 2, "swift": True},
    }
    assert overlaid({"dice": 3}, {"rules": {"swift": True}}) == {"dice": 3, "rules": {"swift": True}}
    assert overlaid({"rules": 3}, {"rules": {"swift": True}}) == {"rules": {"swift": True}}
    assert table == {"dice": 3, "rules": {"fierce": 1, "swift": True}}


# -- units -----------------------------------------------------------------------------------------
def test_a_unit_is_made_from_a_table_and_changes() -> None:
    unit = make_unit(Toy, toy("Ogre", "horde"), {"dice": 9, "rules": {"fierce": 2}}, "here")
    assert (unit.name, unit.dice, unit.rules.fierce, unit.rules.swift) == ("Ogre", 9, 2, False)
    assert unit.label() == "Ogre"
    assert unit.source


def test_every_wrong_field_of_a_unit_is_told() -> None:
    with pytest.raises(InputError) as caught:
        make_unit(Toy, toy("Ogre"), {"dice": 0, "size": 3, "rules": {"fierce": 9}, "dicee": 1}, "here")
    lines = sorted(caught.value.lines)
    assert all(line.startswith("here: ") for line in lines)
    assert [line.split()[1] for line in lines] == ["dice", "dicee", "rules.fierce", "size"]


def test_a_unit_is_never_changed() -> None:
    unit = make_unit(Toy, toy("Ogre"), {}, "here")
    with pytest.raises(InputError, match="never changed"):
        unit.dice = 4  # type: ignore[misc]
    with pytest.raises(ValidationError):
        unit.rules.fierce = 4  # type: ignore[misc]
    assert hash(unit) == hash(make_unit(Toy, toy("Ogre"), {}, "there"))


def test_the_content_of_a_unit_leaves_out_what_only_describes_it() -> None:
    content = make_unit(Toy, toy("Ogre", "horde", 1), {}, "here").content()
    assert content == {"size": "horde", "dice": 3, "rules": {"fierce": 0, "swift": False}}
