"""The Python interface: questions by name or by object, and errors that name what is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

import mathhammer
from mathhammer import InputError, Question, Result, exact, question, simulate, unit
from mathhammer.core.game import Placed
from mathhammer.core.profiles import Profile
from mathhammer.games.kings_of_war.profile import Unit, UnitRules
from tests.inputs import unit_toml

MATCH = ("kow", "melee", "orc-ax", "knights")


# -- answers ---------------------------------------------------------------------------------------
def test_simulate_gives_both_kinds_of_numbers_and_exact_one() -> None:
    assert simulate(*MATCH, trials=10).sources == ["simulated", "exact"]
    assert simulate(*MATCH, trials=10, engine="simulate").sources == ["simulated"]
    assert exact(*MATCH).sources == ["exact"]
    assert simulate(*MATCH, trials=10).pmf("damage") == exact(*MATCH).pmf("damage")


def test_the_example_of_the_package_works() -> None:
    result = mathhammer.simulate("kow", "melee", "ogre-warriors", "foot-guard", facing="flank")
    assert isinstance(result, Result)
    assert 0 < result.probability("rout") < 1
    assert len(result.frame()) > 10
    assert result.plot().axes


def test_trials_seed_and_engine_are_those_asked_for() -> None:
    result = simulate(*MATCH, trials=10**9, seed=1)
    assert (result.trials, result.seed) == (10**9, 1)
    assert result.to_json() == simulate(*MATCH, trials=10**9, seed=1).to_json()
    assert result.to_json() != simulate(*MATCH, trials=10**9, seed=2).to_json()


def test_a_question_can_be_asked_before_it_is_answered() -> None:
    asked = question(*MATCH, facing="flank", edition=3, rules={"flank_factor": 3})
    assert isinstance(asked, Question)
    assert (asked.ruleset_name, asked.ruleset.values.flank_factor) == ("3", 3)
    assert asked.situation.model_dump()["facing"] == "flank"


def test_explain_records_the_stages() -> None:
    assert [stage["stage"] for stage in exact(*MATCH, explain=True).stages()][:3] == [
        "dice",
        "hits on 4+",
        "damage on 5+",
    ]
    assert exact(*MATCH).stages() == []


def test_rules_come_from_a_file_and_settings(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text("flank_factor = 3\n")
    base = exact(*MATCH, facing="flank").mean("damage")
    assert exact(*MATCH, facing="flank", rules_file=str(path)).mean("damage") == pytest.approx(1.5 * base)
    both = exact(*MATCH, facing="flank", rules_file=str(path), rules={"flank_factor": 1})
    assert both.mean("damage") == pytest.approx(base / 2)


@pytest.mark.parametrize("beside", ["knights@flank", ["knights@flank"], ("knights@flank",)])
def test_units_beside_are_given_one_or_many(beside: Any) -> None:
    alone, both = exact(*MATCH), exact(*MATCH, with_=beside)
    assert both.mean("damage") > 2 * alone.mean("damage")
    assert len(both.question.units["with"]) == 1


def test_units_beside_may_be_objects() -> None:
    knights = unit("kow", "knights")
    by_name = exact(*MATCH, with_=["knights@flank", "knights"]).pmf("damage")
    assert exact(*MATCH, with_=[Placed(knights, {"facing": "flank"}), knights]).pmf("damage") == by_name
    assert exact(*MATCH, with_=knights).pmf("damage") == exact(*MATCH, with_="knights").pmf("damage")


# -- units -----------------------------------------------------------------------------------------
def test_a_unit_object_answers_as_its_id_does() -> None:
    assert exact("kow", "melee", unit("kow", "orc-ax"), "knights").pmf("damage") == exact(*MATCH).pmf(
        "damage"
    )


def test_units_come_from_ids_files_and_changes(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(unit_toml(name="Mine", me="5+"))
    for spec in (str(path), f"{path}#mine", f"{path},at=10"):
        assert unit("kow", spec).model_dump()["me"] == 5
    changed = unit("kow", "orc-ax,at=24,rules.brutal=1").model_dump()
    assert (changed["at"], changed["rules"]["brutal"]) == (24, 1)


def test_a_unit_can_be_built_by_hand() -> None:
    ogres = Unit(name="Ours", me=3, de=5, at=18, waver=15, rout=17, rules=UnitRules(crushing_strength=1))
    assert exact("kow", "melee", ogres, "foot-guard").mean("damage") == pytest.approx(18 * 4 / 6 * 3 / 6)
    assert ogres.model_copy(update={"at": 9}).at == 9


def test_units_are_frozen_and_tell_every_wrong_field_at_once() -> None:
    orcs = unit("kow", "orc-ax")
    with pytest.raises(InputError):
        orcs.name = "Changed"  # type: ignore[misc]
    with pytest.raises(ValidationError) as caught:
        Unit(name="", me=7, de=4, at=0, rout=9)
    assert {str(detail["loc"][0]) for detail in caught.value.errors()} == {"name", "me", "at"}


# -- errors ----------------------------------------------------------------------------------------
WRONG: list[tuple[tuple[Any, ...], dict[str, Any], list[str]]] = [
    (("kwo", "melee", "orc-ax", "knights"), {}, ["game", "'kwo'", "kow"]),
    (("kow", "mele", "orc-ax", "knights"), {}, ["mode", "'mele'", "melee"]),
    (("kow", "melee", "orc-axe", "knights"), {}, ["unit", "'orc-axe'", "orc-ax"]),
    (("kow", "melee", "orc-ax"), {}, ["2 units", "attacker, defender", "1"]),
    (("kow", "melee", "orc-ax", "knights", "zombie-2"), {}, ["2 units", "3"]),
    (MATCH, {"facin": "flank"}, ["'facin'", "facing"]),
    (MATCH, {"facing": "side"}, ["facing", "'side'", "front, flank, rear"]),
    (MATCH, {"edition": 9}, ["edition", "'9'", "1, 2, 3, 4"]),
    (MATCH, {"rules": {"flank_factr": 1}}, ["'flank_factr'", "flank_factor"]),
    (MATCH, {"rules": {"flank_factor": 9}}, ["flank_factor", "9", "from 1 to 5"]),
    (MATCH, {"rules_file": "missing.toml"}, ["missing.toml", "no such file"]),
    (MATCH, {"with_": "knights@side"}, ["'side'", "knights@side"]),
    (MATCH, {"trials": 0}, ["trials", "0", "1 to 1e12"]),
    (MATCH, {"trials": 1.5}, ["trials", "1.5", "a whole number"]),
    (MATCH, {"seed": -1}, ["seed", "-1", "a whole number"]),
    (MATCH, {"engine": "fast"}, ["engine", "'fast'", "both, simulate, exact"]),
]


@pytest.mark.parametrize(("args", "options", "words"), WRONG)
def test_a_mistake_is_told_with_what_is_allowed(
    args: tuple[Any, ...], options: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(InputError) as caught:
        simulate(*args, **options)
    assert all(word in str(caught.value) for word in words), str(caught.value)


@pytest.mark.parametrize("wrong", [3, None, ["orc-ax"], Profile(name="of no game")])
def test_what_is_no_unit_of_the_game_is_refused_where_it_is_asked(wrong: Any) -> None:
    with pytest.raises((InputError, TypeError)):
        question("kow", "melee", wrong, "knights")
    with pytest.raises((InputError, TypeError)):
        question("kow", "melee", "orc-ax", "knights", with_=[wrong])


@pytest.mark.parametrize(
    ("spec", "words"), [("zombie", "zombie-2, zombie-3"), ("orc-axe", "orc-ax"), ("", "''")]
)
def test_a_unit_that_cannot_be_found_is_told(spec: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        unit("kow", spec)


# -- the package -----------------------------------------------------------------------------------
def test_the_package_lists_what_it_gives() -> None:
    assert set(dir(mathhammer)) == set(mathhammer.__all__)
    assert all(getattr(mathhammer, name) is not None for name in mathhammer.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        mathhammer.nothing  # noqa: B018


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, mathhammer; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert not set(done.stdout.split()) & {"numpy", "pandas", "matplotlib", "pydantic", "typer", "rich"}


# -- decisions -------------------------------------------------------------------------------------
MELEE = ("kow", "melee", "ogre-warriors", "foot-guard")
ARMY = ("kow", "melee", "knights:2", "ghoul")


@pytest.mark.parametrize("over", ["at=30..45", ["at=30..45"], {"at": "30..45"}, {"at": np.arange(30, 46)}])
def test_what_varies_may_be_written_as_on_the_command_line(over: Any) -> None:
    table = mathhammer.sweep(*MELEE, over=over, event="rout")
    assert [axis.labels for axis in table.sweep.grid.axes] == [tuple(map(str, range(30, 46)))]
    assert mathhammer.needs(*MELEE, over=over, chance=0.5).answers[0].value == "39"


@pytest.mark.parametrize("kind", [float, np.int64, np.float64])
def test_trials_and_seed_may_be_any_whole_numbers(kind: type, tmp_path: Path) -> None:
    """Also where rows are kept in a file meanwhile: it is the same sweep, with the same rows."""
    asked: dict[str, Any] = {"over": "at=3..4", "event": "rout", "engine": "simulate"}
    seed = 7 if kind is float else np.int64(7)
    plain = mathhammer.sweep("kow", "melee", "knights", "ghoul", trials=1000, seed=7, **asked)
    other = mathhammer.sweep(
        "kow", "melee", "knights", "ghoul", trials=kind(1000), seed=seed, out=tmp_path / "rows.csv", **asked
    )
    assert other.sweep.fingerprint() == plain.sweep.fingerprint()
    assert list(other.records()) == list(plain.records())
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


def test_a_name_alone_stands_for_all_its_values_where_one_is_looked_for() -> None:
    assert mathhammer.needs(*MELEE, over="at", chance=0.5).answers[0].value == "39"


@pytest.mark.parametrize(
    ("verb", "units", "options", "words"),
    [
        ("sweep", MELEE, {"over": 5}, ["over 5", "at=6..30"]),
        ("sweep", MELEE, {"over": "at"}, ["over 'at'", "field=values"]),
        ("sweep", MELEE, {"over": ["at=1", "at=2"]}, ["over", "at", "twice"]),
        ("sweep", MELEE, {"over": {"at": 14}}, ["over attacker.at", "[3, 4]", "14"]),
        ("sweep", MELEE, {"over": {"at": {"a": 1}}}, ["over attacker.at", "'6..30'", "{'a': 1}"]),
        ("sweep", MELEE, {"over": {5: [1]}}, ["'5'", "field"]),
        ("sweep", MELEE, {"over": {"edition": []}}, ["over edition", "no values"]),
        ("sweep", MELEE, {"event": 5}, ["event", "name", "5"]),
        ("sweep", MELEE, {"mean": 5}, ["mean", "name", "5"]),
        ("sweep", MELEE, {"at_least": 5}, ["at_least", "{'damage': 4}", "5"]),
        ("worth", MELEE, {"costs": 5}, ["costs", "{'at': 5}", "5"]),
        ("worth", MELEE, {"costs": {"at": "x"}}, ["costs at", "above 0", "'x'"]),
        ("worth", MELEE, {"costs": {"at": 0}}, ["costs at", "above 0", "not 0"]),
        ("army", ARMY, {"budget": 500, "goal": "x"}, ["goal", "weight, number, worst", "'x'"]),
        ("army", ARMY, {"budget": 500, "team": 5}, ["team", "from 1 to 3", "5"]),
        ("army", ARMY, {"budget": 500, "team": 0}, ["team", "from 1 to 3", "0"]),
        ("army", ARMY, {"budget": "500"}, ["budget", "whole number", "'500'"]),
        ("army", ("kow", "melee", 5, "ghoul"), {"budget": 500}, ["units", "text", "list", "5"]),
        *(
            (verb, units, {**rest, "event": "rout", "at_least": {"damage": 3}}, [verb, "one chance"])
            for verb, units, rest in (
                ("army", ARMY, {"budget": 500}),
                ("needs", MELEE, {"over": "at", "chance": 0.5}),
                ("worth", MELEE, {}),
            )
        ),
    ],
)
def test_wrong_decisions_are_told_in_one_line(verb: str, units: Any, options: Any, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        getattr(mathhammer, verb)(*units, **options)
    (line,) = caught.value.lines
    assert all(word in line for word in words), line


def test_answers_tell_what_they_are() -> None:
    army = mathhammer.army(*ARMY, budget=500)
    assert repr(army) == "Army(2 knights; 350 of 500 points; rout 0.9831 by weight)"
    found = mathhammer.needs(*MELEE, over="at=30..45", chance=0.5)
    assert repr(found) == "Needs(attacker.at for rout >= 0.5: at least 39)"
    worth = repr(mathhammer.worth(*MELEE))
    assert worth.startswith("Worth(rout 0.06835; 13 steps help, most rules.blast 1 to 2 (+0.37")


def test_a_unit_is_never_changed() -> None:
    giants: Any = mathhammer.unit("kow", "ogre-warriors")
    with pytest.raises(InputError, match=r"^Ogre Warriors: a unit is never changed; .*'ID,at=\.\.\.'\)$"):
        giants.at = 5
    with pytest.raises(InputError, match="never changed"):
        del giants.at
    assert giants.at == 18
