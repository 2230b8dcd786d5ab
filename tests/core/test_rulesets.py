"""Rulesets: overriding, errors that name the field and what is allowed, and the view that notes reads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from mathhammer.core.errors import InputError
from mathhammer.core.profiles import Frozen
from mathhammer.core.rulesets import Provenance, Ruleset, load_ruleset, recording, user_rules


class Rules(Frozen):
    """A little game's rules."""

    flank_factor: Annotated[int, Field(ge=1, le=5)]
    bonus_die: Literal["none", "once", "chain"]
    rally: bool


VALUES = {"flank_factor": 2, "bonus_die": "chain", "rally": True}
SHIPPED = Ruleset(
    "Shipped",
    Rules.model_validate(VALUES),
    {
        "flank_factor": Provenance("text", "page 3", "T-01"),
        "bonus_die": Provenance("assumed", "most defensible", "T-02"),
        "rally": Provenance("public", "a page"),
    },
)

FILE = """
title = "Shipped"
[fields.flank_factor]
value = 2
origin = "text"
note = "page 3"
rule = "T-01"
[fields.bonus_die]
value = "chain"
origin = "assumed"
note = "most defensible"
rule = "T-02"
[fields.rally]
value = true
origin = "public"
note = "a page"
"""


def wrong(changes: dict[str, Any]) -> tuple[str, ...]:
    """The lines that these changes are refused with."""
    with pytest.raises(InputError) as caught:
        SHIPPED.overridden(changes, "--rule")
    assert all(line.startswith("rules: ") and "\n" not in line for line in caught.value.lines)
    return caught.value.lines


# -- overriding ----------------------------------------------------------------------------------
def test_an_override_changes_its_field_and_whose_it_is() -> None:
    changed = SHIPPED.overridden({"bonus_die": "none"}, "--rule")
    assert changed.values == Rules.model_validate({**VALUES, "bonus_die": "none"})
    assert changed.provenance["bonus_die"] == Provenance("user", "set by --rule", "T-02")
    assert changed.provenance["flank_factor"] == SHIPPED.provenance["flank_factor"]


def test_the_shipped_ruleset_stays_as_it_is() -> None:
    SHIPPED.overridden({"flank_factor": 3}, "--rule")
    assert SHIPPED.values == Rules.model_validate(VALUES)
    assert SHIPPED.provenance["flank_factor"].origin == "text"


def test_no_changes_are_the_same_ruleset() -> None:
    assert SHIPPED.overridden({}, "--rule") is SHIPPED


def test_a_value_that_is_the_shipped_one_is_the_users_all_the_same() -> None:
    assert SHIPPED.overridden({"flank_factor": 2}, "f.toml").provenance["flank_factor"].origin == "user"


def test_later_overrides_win() -> None:
    twice = SHIPPED.overridden({"flank_factor": 3, "rally": False}, "f.toml").overridden(
        {"flank_factor": 4}, "--rule"
    )
    assert (twice.values.flank_factor, twice.values.rally) == (4, False)
    assert [twice.provenance[key].note for key in ("flank_factor", "rally")] == [
        "set by --rule",
        "set by f.toml",
    ]


# -- mistakes ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("key", "meant"), [("flank_facter", "flank_factor"), ("bonus", "bonus_die"), ("raly", "rally")]
)
def test_an_unknown_field_names_the_nearest(key: str, meant: str) -> None:
    (line,) = wrong({key: 1})
    assert repr(key) in line
    assert line.endswith(f"did you mean {meant}?")


def test_a_field_like_none_lists_all() -> None:
    (line,) = wrong({"zzz": 1})
    assert line == "rules: rule 'zzz' is not known; there is flank_factor, bonus_die, rally"


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("flank_factor", 9, "flank_factor is a whole number from 1 to 5, not 9"),
        ("flank_factor", "many", "flank_factor is a whole number from 1 to 5, not 'many'"),
        ("flank_factor", 1.5, "flank_factor is a whole number from 1 to 5, not 1.5"),
        ("bonus_die", "twice", "bonus_die is one of none, once, chain, not 'twice'"),
        ("rally", "perhaps", "rally is true or false, not 'perhaps'"),
        ("rally", None, "rally is true or false, not '-'"),
    ],
)
def test_a_wrong_value_names_field_value_and_what_is_allowed(key: str, value: object, line: str) -> None:
    assert wrong({key: value}) == (f"rules: {line}",)


def test_every_wrong_value_has_its_line() -> None:
    lines = wrong({"flank_factor": 0, "bonus_die": "twice", "rally": False})
    assert [line.split()[1] for line in lines] == ["flank_factor", "bonus_die"]


def test_every_unknown_field_has_its_line() -> None:
    lines = wrong({"flank_facter": 1, "zzz": 2})
    assert len(lines) == 2


def test_values_are_never_changed_in_place() -> None:
    with pytest.raises(ValueError, match="frozen"):
        SHIPPED.values.rally = False  # type: ignore[misc]


# -- files ---------------------------------------------------------------------------------------
@pytest.fixture
def shipped_file(tmp_path: Path) -> Path:
    """The shipped ruleset as a file."""
    path = tmp_path / "shipped.toml"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_a_shipped_file_is_values_and_where_they_come_from(shipped_file: Path) -> None:
    assert load_ruleset(Rules, shipped_file) == SHIPPED


def test_a_shipped_file_is_checked(shipped_file: Path) -> None:
    shipped_file.write_text(FILE.replace("value = 2", "value = 20"), encoding="utf-8")
    with pytest.raises(
        InputError, match=r"shipped\.toml: flank_factor is a whole number from 1 to 5, not 20"
    ):
        load_ruleset(Rules, shipped_file)


def test_a_users_file_is_plain_lines(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('title = "Ours"\nedition = 3\nbonus_die = "none"\nrally = false\n', encoding="utf-8")
    assert user_rules(path) == {"bonus_die": "none", "rally": False}


def test_a_shipped_file_works_as_a_users_file(shipped_file: Path) -> None:
    assert user_rules(shipped_file) == VALUES


def test_a_users_file_whose_fields_are_no_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("fields = 3\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"own\.toml: fields is a table"):
        user_rules(path)


def test_a_users_file_of_another_ruleset_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("edition = 3\nrally = false\n", encoding="utf-8")
    assert user_rules(path, "edition", "3") == user_rules(path, "edition") == {"rally": False}
    with pytest.raises(InputError, match=r"own\.toml: is of edition 3, but 2 is played; add edition 3"):
        user_rules(path, "edition", "2")


def test_a_field_without_a_value_in_a_users_file_is_refused_as_a_value(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[fields.rally]\nnote = "a page"\n', encoding="utf-8")
    (line,) = wrong(user_rules(path))
    assert line.startswith("rules: rally is true or false, not ")


# -- the view that notes what is read ------------------------------------------------------------
def test_a_view_notes_what_is_read_and_only_that() -> None:
    rules, read = recording(SHIPPED.values)
    assert read == set()
    assert rules.flank_factor == 2
    assert read == {"flank_factor"}
    assert (rules.rally, rules.flank_factor) == (True, 2)
    assert read == {"flank_factor", "rally"}


def test_views_note_apart() -> None:
    (one, read), (other, also) = recording(SHIPPED.values), recording(SHIPPED.values)
    assert (one.rally, other.bonus_die) == (True, "chain")
    assert (read, also) == ({"rally"}, {"bonus_die"})


def test_a_field_that_is_not_there_is_an_error_and_not_noted() -> None:
    rules, read = recording(SHIPPED.values)
    with pytest.raises(AttributeError, match="morale"):
        rules.morale  # type: ignore[attr-defined]  # noqa: B018
    assert read == set()
