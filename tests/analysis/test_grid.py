"""Grids: what varies is found by name, each point is the question asked alone, errors are told."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import mathhammer
from mathhammer import plain
from mathhammer.analysis.fields import find_target, first_role, names, target_role
from mathhammer.analysis.grid import Grid
from mathhammer.analysis.over import make_grid
from mathhammer.analysis.refusals import MOST_MATCHUPS
from mathhammer.analysis.units import split_units
from mathhammer.core.errors import InputError
from mathhammer.games import load
from tests.inputs import SOUND, unit_toml, units_toml

KOW = load("kow")
MELEE = KOW.mode("melee")
UNITS = {"attacker": "ogre-warriors", "defender": "foot-guard"}


def grid(over: dict[str, Any], units: dict[str, Any] | None = None, **rest: Any) -> Grid:
    situation = rest.pop("situation", {})
    return make_grid(KOW, rest.pop("mode", "melee"), units or UNITS, situation, over, **rest)


def told(over: dict[str, Any], units: dict[str, Any] | None = None, **rest: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        grid(over, units, **rest)
    return list(caught.value.lines)


# -- names -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "kind", "shown"),
    [
        ("at", "field", "attacker.at"),
        ("attacker.at", "field", "attacker.at"),
        ("defender.rules.phalanx", "field", "defender.rules.phalanx"),
        ("rules.crushing_strength", "field", "attacker.rules.crushing_strength"),
        ("with.at", "field", "with.at"),
        ("facing", "situation", "facing"),
        ("damage-before", "situation", "damage_before"),
        ("situation.inspiring", "situation", "inspiring"),
        ("rule.inspiring", "rule", "rule.inspiring"),
        ("flank_factor", "rule", "rule.flank_factor"),
        ("edition", "ruleset", "edition"),
        ("defender", "units", "defender"),
        ("with", "units", "with"),
    ],
)
def test_a_name_finds_what_it_means(name: str, kind: str, shown: str) -> None:
    target = find_target(KOW, MELEE, name)
    assert (target.kind, target.name) == (kind, shown)


def test_every_listed_name_means_something() -> None:
    shared = {"inspiring", "rallying", "dread"}  # an option and a rule
    assert shared <= set(names(KOW, MELEE))
    assert all(find_target(KOW, MELEE, name) for name in names(KOW, MELEE) if name not in shared)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("att", ["'att'", "at"]),
        ("defender.dee", ["defender.dee", "defender.de"]),
        ("inspiring", ["situation.inspiring", "rule.inspiring"]),
        ("points", ["'points'"]),
        ("name", ["'name'"]),
        ("qqqqqqqq", ["'qqqqqqqq'"]),
        ("rules", ["'rules'"]),
    ],
)
def test_unknown_and_ambiguous_names_are_told(name: str, words: list[str]) -> None:
    (line,) = told({name: "1..2"})
    assert all(word in line for word in words), line


def test_roles_of_modes() -> None:
    first, target = first_role(MELEE), target_role(MELEE)
    assert first
    assert target
    assert (first.name, target.name) == ("attacker", "defender")
    charge = plain.load().mode("charge")
    assert (first_role(charge), target_role(charge)) == (None, None)


# -- each point is the single question -------------------------------------------------------------
def test_a_point_is_the_question_that_would_be_asked_alone() -> None:
    made = grid(
        {
            "at": "20..22",
            "defender.de": "4,5",
            "facing": "front,flank",
            "rule.flank_factor": "2,3",
            "edition": "1,2",
        },
        {"attacker": "ogre-warriors", "defender": "foot-guard,knights", "with": "orc-ax@flank"},
    )
    index = made.index([1, 2, 1, 1, 0, 1])
    assert made.name(index) == (
        "defender=knights, attacker.at=22, defender.de=5, facing=flank, rule.flank_factor=2, edition=2"
    )
    alone = mathhammer.question(
        "kow",
        "melee",
        "ogre-warriors-2,at=22",
        "knights,de=5",
        with_=["orc-ax@flank"],
        facing="flank",
        edition=2,
        rules={"flank_factor": 2},
    )
    assert made.question(index).content == alone.content
    assert made.question(index).entropy(7) == alone.entropy(7)


def test_an_id_is_read_by_the_edition_that_is_played() -> None:
    made = grid({"edition": "1,2"})
    names = [unit.edition for i in range(2) for unit in [made.question(i).matchup(None).unit("attacker")]]
    assert names == [1, 2]


def test_an_id_that_some_editions_do_not_tell_apart_is_told_with_them() -> None:
    units = {"attacker": "ogre-warriors,nobody", "defender": "foot-guard"}
    lines = told({"edition": "1..3"}, units)
    assert [line.partition(";")[0].partition(" (")[0] for line in lines] == [
        "edition 3: unit 'ogre-warriors' fits several: ogre-warriors-regiment-3, ogre-warriors-horde-3",
        "unit 'nobody' is not known",
    ]
    (line,) = told({"edition": "3"}, {**units, "attacker": "ogre-warriors"})
    assert line.startswith("unit 'ogre-warriors' fits several")


def test_places_and_indices_are_inverse() -> None:
    made = grid({"at": "6..8", "facing": "*", "defender.de": "3,4"})
    assert made.shape == (3, 3, 2)
    assert [made.index(made.places(i)) for i in range(len(made))] == list(range(18))
    assert made.labels(0) == ("6", "front", "3")


def test_copies_of_a_list() -> None:
    made = grid({"with": "0..2"}, {**UNITS, "with": "knights@flank"})
    assert [len(made.question(i).units["with"]) for i in range(3)] == [0, 1, 2]
    assert [made.points(i, "with") for i in range(3)] == [0, 175, 350]


def test_a_role_that_takes_many_over_units() -> None:
    made = grid({"with": "knights@flank,orc-ax"})
    placed = [made.question(i).units["with"] for i in range(2)]
    assert [[p.placing["facing"] for p in units] for units in placed] == [["flank"], ["front"]]


def test_values_from_python() -> None:
    ogres = mathhammer.unit("kow", "ogre-warriors")
    made = grid(
        {"at": range(6, 8), "facing": None}, {"attacker": [ogres, "knights,at=9"], "defender": "ghoul"}
    )
    assert made.shape == (2, 2, 3)
    assert made.axes[0].labels == ("Ogre Warriors regiment", "knights,at=9")


def test_a_grid_is_the_same_in_another_process() -> None:
    made = grid({"at": "6..8", "defender": "*"})
    again = pickle.loads(pickle.dumps(made))
    assert again.content == made.content
    assert again.question(40).content == made.question(40).content


def test_points_are_those_of_the_profile_after_changes() -> None:
    made = grid({"at": "6,7"}, {"attacker": "knights,points=123", "defender": "foot-guard"})
    assert (made.points(1, "attacker"), made.points(1, "defender"), made.points(1, "with")) == (123, 115, 0)


# -- lists of units --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "specs"),
    [
        ("knights", ["knights"]),
        ("knights,orc-ax", ["knights", "orc-ax"]),
        ("knights,at=9,orc-ax", ["knights,at=9", "orc-ax"]),
        ("knights,at=9,me=4@flank,orc-ax:2", ["knights,at=9,me=4@flank", "orc-ax:2"]),
    ],
)
def test_lists_are_parted_after_changes(text: str, specs: list[str]) -> None:
    assert split_units(text) == specs


def test_patterns_and_weights() -> None:
    made = grid({}, {"attacker": "ogre-warriors-*,at=9", "defender": "foot-guard:3,ghoul:0.5"})
    assert [label.endswith(",at=9") for label in made.axes[0].labels] == [True] * 4
    assert [choice.weight for choice in made.axes[1].values] == [3, 0.5]


def test_all_units() -> None:
    assert len(grid({"defender": "*"})) == len(KOW.catalogue.ids())
    assert len(grid({"defender": None})) == len(KOW.catalogue.ids())


def test_units_of_files(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(unit_toml())
    (tmp_path / "two.toml").write_text(units_toml(SOUND, {**SOUND, "name": "Other"}))
    (tmp_path / "roster.toml").write_text(
        '[[roster]]\nunit = "knights"\nweight = 2\n\n[[roster]]\nunit = "two.toml#other"\npoints = 77\n'
    )
    made = grid({}, {"attacker": f"{tmp_path}/two.toml,at=3", "defender": f"{tmp_path}/roster.toml"})
    assert made.axes[0].labels == ("test-unit,at=3", "other,at=3")
    assert made.axes[1].labels == ("knights", "other")
    assert [choice.weight for choice in made.axes[1].values] == [2, 1]
    assert [made.points(i, "defender") for i in range(2)] == [175, 77]
    alone = grid({}, {"attacker": f"{tmp_path}/one.toml", "defender": f"{tmp_path}/two.toml#other"})
    assert len(alone) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[roster]]\nunit = "knigts"\n', ["'knigts'", "knights"]),
        ('[[roster]]\nunit = "knights"\nweigth = 2\n', ["roster[1]", "weigth", "weight"]),
        ('[[roster]]\nunit = "knights"\nweight = -2\n', ["roster[1]", "weight", "-2"]),
        ("[[roster]]\nmost = 2\n", ["roster[1]", "unit is missing"]),
        ('[roster]\nunit = "knights"\n', ["[[roster]]"]),
        ('name = "x"\n[[roster]]\nunit = "knights"\n', ["'name'", "roster"]),
        ('[[roster]]\nunit = "knights"\n[[roster]]\nunit = "knights"\n', ["knights", "twice"]),
    ],
)
def test_rosters_with_mistakes(text: str, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "roster.toml").write_text(text)
    lines = told({}, {**UNITS, "defender": f"{tmp_path}/roster.toml"})
    assert all(any(word in line for line in lines) for word in words), lines


# -- mistakes --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({"at": "0..2"}, ["attacker.at", "0", "from 1 to 1000"]),
        ({"at": "many"}, ["attacker.at", "'many'", "a whole number"]),
        ({"facing": "side"}, ["facing", "'side'", "front, flank, rear"]),
        ({"rule.flank_factor": "9"}, ["rule.flank_factor", "9", "from 1 to 5"]),
        ({"edition": "4..5"}, ["'5'", "1, 2, 3, 4"]),
        ({"with.at": "3"}, ["with.at", "no unit"]),
        ({"defender": "zzz"}, ["'zzz'"]),
        ({"defender": "zz*"}, ["'zz*'", "39"]),
        ({"defender": "foot-guard@flank"}, ["'@'"]),
        ({"at": []}, ["attacker.at", "no values"]),
        ({"at": "6..9", "attacker.at": "3"}, ["attacker.at", "twice"]),
        ({"at": "1..1000", "sp": "0..30", "rout": "1..60"}, ["1,860,000", f"{MOST_MATCHUPS:,}"]),
    ],
)
def test_mistakes_are_told_in_one_line(over: dict[str, Any], words: list[str]) -> None:
    (line,) = told(over)
    assert all(word in line for word in words), line


def test_every_mistake_is_told() -> None:
    lines = told(
        {"at": "0"}, {"attacker": "knigts", "defender": "ghul"}, situation={"facing": "x"}, rules={"a": 1}
    )
    assert [any(word in line for line in lines) for word in ("knigts", "ghul", "facing", "'a'")] == [True] * 4


def test_a_missing_unit_and_a_missing_option_are_told() -> None:
    (line,) = told({}, {"attacker": "knights"})
    assert "defender is missing" in line
    with pytest.raises(InputError, match="needed is missing"):
        make_grid(plain.load(), "charge", {}, {}, {})


def test_values_that_only_fail_together_wait_for_their_matchup() -> None:
    made = grid({"waver": "12..16", "rout": "13..16"})
    assert made.question(0)
    with pytest.raises(InputError, match="waver is at most rout"):
        made.question(made.index([4, 0]))


@pytest.mark.parametrize("order", [("waver", "defender.waver"), ("defender.waver", "waver")])
def test_of_two_units_that_are_wrong_the_one_that_varies_first_is_told(order: tuple[str, str]) -> None:
    made = grid({name: [30] for name in order})
    role = made.axes[0].target.role
    with pytest.raises(InputError, match=f"^{role}: waver is at most rout, not 30"):
        made.question(0)


def test_plain_questions_vary_too() -> None:
    made = make_grid(plain.load(), "charge", {}, {}, {"needed": "7..9", "reroll": "*"})
    assert made.shape == (3, 4)
    assert made.axes[0].numeric
    assert not made.axes[1].numeric
