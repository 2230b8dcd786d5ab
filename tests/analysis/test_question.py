"""From what a user writes to a checked question: units, situation, rules, and what decides the stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from mathhammer.analysis.question import Question, UnitSpec, ask, find_unit, parse_rules
from mathhammer.core.errors import InputError
from mathhammer.core.game import Placed
from mathhammer.games import load
from tests.inputs import unit_toml, units_toml

KOW = load("kow")


def question(
    attacker: UnitSpec = "orc-ax",
    defender: UnitSpec = "knights",
    beside: Sequence[UnitSpec] = (),
    situation: Mapping[str, Any] | None = None,
    **rules: Any,
) -> Question:
    """A melee; `rules` are what `ask` takes of rulesets."""
    units = {"attacker": [attacker], "defender": [defender], "with": beside}
    return ask(KOW, "melee", units, situation or {}, **rules)


def lines(error: pytest.ExceptionInfo[InputError]) -> str:
    return "\n".join(error.value.lines)


# -- units -----------------------------------------------------------------------------------------
def test_units_are_found_by_id_file_and_object(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(unit_toml(name="Mine"))
    for spec in (str(path), f"{path}#mine", find_unit(KOW, str(path)), Placed(find_unit(KOW, str(path)))):
        assert question(spec).units["attacker"][0].unit.name == "Mine"
    assert question("orc-ax").units["attacker"][0].unit.name == "Orc Ax"


def test_changes_apply_to_ids_and_files_alike(tmp_path: Path) -> None:
    path = tmp_path / "army.toml"
    path.write_text(units_toml({"name": "Red"}, {"name": "Blue"}))
    for spec in ("orc-ax", f"{path}#blue"):
        unit: Any = find_unit(KOW, f"{spec},at=24,rules.brutal=1,name=Changed")
        assert (unit.at, unit.rules.brutal, unit.name) == (24, 1, "Changed")
        assert unit.de == find_unit(KOW, spec).model_dump()["de"]


def test_a_file_is_read_anew_each_time(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    for at in (5, 6):
        path.write_text(unit_toml(at=at))
        assert find_unit(KOW, str(path)).model_dump()["at"] == at


def test_the_ruleset_narrows_an_ambiguous_id() -> None:
    assert question("zombie", ruleset="2").units["attacker"][0].unit.model_dump()["edition"] == 2
    assert question("zombie", ruleset="3").units["attacker"][0].unit.model_dump()["edition"] == 3
    with pytest.raises(InputError, match="zombie-2, zombie-3"):
        question("zombie", ruleset="4")


def test_units_beside_are_placed_by_their_words() -> None:
    placed = question(beside=["knights@flank", "orc-ax@rear@hindered", "orc-ax"]).units["with"]
    assert [dict(p.placing) for p in placed] == [
        {"facing": "flank", "hindered": False},
        {"facing": "rear", "hindered": True},
        {"facing": "front", "hindered": False},
    ]


@pytest.mark.parametrize("missing", ["attacker", "defender"])
def test_a_unit_that_is_missing_is_told(missing: str) -> None:
    units = {"attacker": ["orc-ax"], "defender": ["knights"]}
    del units[missing]
    with pytest.raises(InputError, match=missing):
        ask(KOW, "melee", units, {})


# -- situation and rules ---------------------------------------------------------------------------
def test_a_situation_is_checked_and_its_defaults_filled() -> None:
    situation = question(situation={"facing": "rear", "damage_before": 3}).situation.model_dump()
    assert (situation["facing"], situation["damage_before"], situation["hindered"]) == ("rear", 3, False)


@pytest.mark.parametrize(
    ("situation", "words"),
    [
        ({"facin": "rear"}, ["'facin'", "facing"]),
        ({"facing": "top"}, ["facing", "'top'", "front, flank, rear"]),
        ({"facing": "top", "rallying": 9}, ["facing", "rallying", "9", "from 0 to 5"]),
        ({"distance": -1}, ["distance", "-1", "from 0 to 200"]),
    ],
)
def test_a_wrong_situation_is_told(situation: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        question(situation=situation)
    assert all(word in lines(caught) for word in words)


def test_rules_go_shipped_then_file_then_settings(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text("flank_factor = 3\nrear_factor = 4\n")
    asked = question(rules_file=str(path), rules={"rear_factor": 5})
    values = asked.ruleset.values
    assert (values.flank_factor, values.rear_factor, values.cover_soft) == (3, 5, 1)
    origins = {key: asked.ruleset.provenance[key] for key in ("flank_factor", "rear_factor", "cover_soft")}
    assert [origins[key].origin for key in origins] == ["user", "user", "text"]
    assert str(path) in origins["flank_factor"].note
    assert "--rule" in origins["rear_factor"].note
    assert question().ruleset.values.flank_factor == 2


def test_settings_are_read_as_fields() -> None:
    assert parse_rules(["a=1", " b = x ", "c=true", "d=-"]) == {"a": 1, "b": "x", "c": True, "d": None}
    assert parse_rules([]) == {}


@pytest.mark.parametrize("setting", ["", "a", "a=", "=1", " =1"])
def test_a_setting_that_says_nothing_is_told(setting: str) -> None:
    with pytest.raises(InputError, match=r"rules .*key=value"):
        parse_rules([setting])


def test_a_setting_said_twice_is_told() -> None:
    with pytest.raises(InputError, match="flank_factor is set twice"):
        parse_rules(["flank_factor=1", "flank_factor=1"])


def test_an_unknown_ruleset_is_told_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"edition '7' .* 1, 2, 3, 4"):
        question(ruleset="7")


# -- what decides the stream -----------------------------------------------------------------------
BASE = question()


@pytest.mark.parametrize(
    "same",
    [
        question("orc-ax,name=Others"),
        question("orc-ax,source=nowhere"),
        question("orc-ax,edition=2"),
        question(situation={"facing": "front"}),
        question(rules={"flank_factor": 2}),
    ],
)
def test_names_sources_and_written_defaults_do_not_change_the_stream(same: Question) -> None:
    assert same.content == BASE.content
    assert same.entropy(3) == BASE.entropy(3)


@pytest.mark.parametrize(
    "other",
    [
        question("orc-ax,at=11"),
        question("orc-ax,rules.elite=true"),
        question("knights", "orc-ax"),
        question(beside=["orc-ax"]),
        question(situation={"facing": "flank"}),
        question(rules={"flank_factor": 3}),
        question(ruleset="2"),
        ask(KOW, "fight", {"attacker": ["orc-ax"], "defender": ["knights"]}, {}),
    ],
)
def test_whatever_decides_the_answer_changes_the_stream(other: Question) -> None:
    assert other.entropy(3) != BASE.entropy(3)
    assert other.entropy(3)[0] == BASE.entropy(3)[0] == 3


def test_the_stream_of_a_question_stays_the_same() -> None:
    """Equal in every process: no hash of Python's own is in it."""
    assert BASE.entropy(0) == [0, *BASE.entropy(1)[1:]]
    assert all(0 <= word < 2**32 for word in BASE.entropy(0)[1:])
    assert len(BASE.entropy(0)) == 9


def test_where_a_second_charger_stands_changes_the_stream() -> None:
    streams = [
        question(beside=[f"knights{word}"]).entropy(1) for word in ("", "@flank", "@rear", "@hindered")
    ]
    assert len({tuple(stream) for stream in streams}) == 4


# -- words -----------------------------------------------------------------------------------------
def test_the_heading_says_who_does_what_to_whom() -> None:
    asked = question(beside=["ogre-warriors@flank", "orc-ax"], situation={"facing": "rear"})
    assert asked.heading() == (
        "Orc Ax regiment charge Knights regiment in the rear, with Ogre Warriors regiment (flank), "
        "Orc Ax regiment (front)"
    )
    assert asked.heading() in repr(asked)


def test_the_heading_tells_what_was_changed_in_a_unit_but_not_what_its_label_tells() -> None:
    asked = question("orc-ax,name=Axes,at=24,rules.brutal=1", "knights,waver=-", beside=["knights,at=9@rear"])
    assert asked.heading().startswith(
        "Axes regiment (at 24, rules.brutal 1) charge Knights regiment (no waver) in the front, "
        "with Knights regiment (at 9, rear)"
    )


def test_a_number_in_a_heading_has_its_noun() -> None:
    units = {role: ["conscripts"] for role in ("attacker", "defender")}
    for rounds, said in ((1, "1 round"), (3, "3 rounds")):
        asked = ask(load("aor"), "fight", units, {"rounds": rounds})
        assert asked.heading() == f"Conscripts against Conscripts, {said}"


def test_braces_in_a_name_stay_braces() -> None:
    assert question("orc-ax,name={facing}").heading().startswith("{facing} regiment charge")


def test_an_unknown_mode_is_told_with_the_nearest() -> None:
    with pytest.raises(InputError, match="'mele' is not known; did you mean melee"):
        ask(KOW, "mele", {}, {})
