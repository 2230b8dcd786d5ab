"""Bad input of this game: one clear line each, naming the option, the field, or file, line and column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mathhammer
from mathhammer import InputError
from mathhammer.games.confrontation_3.objective import objective
from mathhammer.games.confrontation_3.wounds import wound_table
from tests.games.confrontation_3.fighters import fighter

PROWLER, MAGISTRATE, PALADIN = "wolfen-prowler", "griffin-magistrate", "alahan-paladin"
CASES: list[tuple[str, list[str], dict[str, Any], str]] = [
    (
        "shoot",
        [PALADIN, PROWLER],
        {},
        "attacker: Alahan Paladin has no aim ('-'), so he cannot shoot (C3-2.5)",
    ),
    (
        "duel",
        [f"{PROWLER},cou=5", MAGISTRATE],
        {},
        "wolfen-prowler: cou and fear: a fighter has one of them, not cou 5 and fear 5",
    ),
    (
        "duel",
        [f"{PROWLER},cou=-,fear=-", "wolfen-penitent"],
        {"contact": "engage"},
        "attacker: Wolfen Prowler has neither cou nor fear, so he cannot test (C3-2.10)",
    ),
    (
        "duel",
        [PROWLER, MAGISTRATE],
        {"split": "2/1"},
        "split 2/1: adds up to 3, but the attacker has 2 combat dice (C3-3.4)",
    ),
    (
        "placement",
        [PROWLER, MAGISTRATE],
        {"enemy_split": "all"},
        "enemy_split is attack/defence dice such as 1/1, not 'all'",
    ),
    (
        "fray",
        [PROWLER, MAGISTRATE],
        {"with_": [PALADIN], "enemy_split": "1/1"},
        "enemy_split is 2 splits with commas, such as 1/1,-, not '1/1'",
    ),
    (
        "fray",
        [PROWLER, MAGISTRATE],
        {"with_": [PALADIN] * 4},
        "with_: a fray is one against up to 4 (C3-3.2), so up to 3 beside the defender, not 4",
    ),
    (
        "fray",
        [PROWLER, MAGISTRATE],
        {"with_": [PALADIN], "named": 3},
        "named is from 1 to 2, the number of enemies, not 3",
    ),
    ("fray", [PROWLER, MAGISTRATE], {"named": 3}, "named is 1: there is one enemy, not 3"),
    (
        "fray",
        [PROWLER, MAGISTRATE],
        {"with_": [f"{PALADIN}@afraid,charged"]},
        f"with_ {PALADIN}@afraid,charged: several words are given as @afraid@charged",
    ),
    (
        "fray",
        [PROWLER, MAGISTRATE],
        {"with_": [f"{PALADIN}:2@afraid"]},
        f"with_ {PALADIN}:2@afraid: copies are given by repeating with_",
    ),
    (
        "placement",
        [PROWLER, MAGISTRATE],
        {"objective": "glory"},
        "objective 'glory' is not known; there is net, kill, survive, wounds",
    ),
    (
        "placement",
        [PROWLER, MAGISTRATE],
        {"objective": "kill=1,deaths=2"},
        "objective 'kill=1,deaths=2': 'deaths' is none of kill, killed, wounds, taken",
    ),
    (
        "duel",
        [PROWLER, MAGISTRATE],
        {"rules": {"wound_table": "mine.txt"}},
        "wound_table is placeholder or a file.csv, not 'mine.txt'",
    ),
    (
        "duel",
        [PROWLER, MAGISTRATE],
        {"rules": {"wound_table": "nowhere.csv"}},
        "nowhere.csv: no such file",
    ),
    (
        "duel",
        [PROWLER, MAGISTRATE],
        {"contact": "engage", "flying": True},
        "flying: Wolfen Prowler has no movement in flight (fly)",
    ),
    (
        "test",
        [f"{PROWLER},fear=-"],
        {"characteristic": "cou", "difficulty": 5},
        "attacker: Wolfen Prowler has no cou ('-'), so he cannot test it",
    ),
    (
        "test",
        [MAGISTRATE],
        {},
        "difficulty and with_: give one of them: a number to reach, or another fighter",
    ),
    (
        "test",
        [PROWLER],
        {"with_": [MAGISTRATE, PALADIN]},
        "with_: a test is opposed by one fighter",
    ),
    (
        "discipline",
        ["ardokath", MAGISTRATE],
        {},
        "attacker: Ardokath has no dis ('-'), so he cannot test it",
    ),
    (
        "duel",
        [f"{PROWLER},def=99", MAGISTRATE],
        {},
        "wolfen-prowler: def is a whole number from 0 to 30, not 99",
    ),
    (
        "duel",
        [f"{PROWLER},defence=3", MAGISTRATE],
        {},
        "wolfen-prowler: defence is not a field; did you mean def?",
    ),
]


@pytest.mark.parametrize(("mode", "units", "options", "line"), CASES, ids=[case[3][:40] for case in CASES])
def test_one_clear_line(mode: str, units: list[str], options: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError) as told:
        mathhammer.exact("c3", mode, *units, **options)
    assert told.value.lines == (line,)


def test_best_play_of_four_is_refused_with_the_reason_and_the_way_out() -> None:
    with pytest.raises(InputError) as told:
        mathhammer.exact("c3", "fray", PROWLER, MAGISTRATE, with_=[PALADIN] * 3)
    (line,) = told.value.lines
    assert "4 enemies have 59,049 joint states" in line
    assert line.endswith("play simple answers it with fixed habits")
    fixed = mathhammer.exact("c3", "fray", PROWLER, MAGISTRATE, with_=[PALADIN] * 3, play="simple")
    assert 0 < fixed.probability("attacker.killed") < 1


def test_stuns_that_add_up_are_refused_for_three() -> None:
    asked: dict[str, Any] = {"with_": [PALADIN] * 2, "rules": {"stun_stacks": True}}
    with pytest.raises(InputError, match="stuns that add up"):
        mathhammer.exact("c3", "fray", PROWLER, MAGISTRATE, **asked)
    mathhammer.exact("c3", "fray", PROWLER, MAGISTRATE, with_=[PALADIN], rules={"stun_stacks": True})


# -- the wound table -------------------------------------------------------------------------------
GOOD = [f"{location},,3,light\n{location},4,,killed\n" for location in range(1, 7)]
WRONG = {
    "location,from,to,wund\n": "line 1: the first line is location,from,to,wound",
    "1,,3,lite\n": "line 2, column wound: 'lite' is not known; did you mean light?",
    "7,,3,light\n": "line 2, column location: is a number from 1 to 6, not '7'",
    "1,one,3,light\n": "line 2, column from: is a whole number or blank (open), not 'one'",
    "1,,3.5,light\n": "line 2, column to: is a whole number or blank (open), not '3.5'",
    "1,3\n": "line 2: has 2 columns, not 4 (location,from,to,wound)",
    "1,3,2,light\n": "line 2, column to: is at least 3, not 2",
    "1,,2,light\n": "line 3, column from: location 1 has no line for severity 3",
    "1,,5,light\n": "line 3, column from: location 1, severities 4 to 5 are in line 2 too",
    "1,0,3,light\n": "line 2, column from: location 1 has no line for severities up to -1",
}


@pytest.mark.parametrize("first", WRONG, ids=[line[:30] for line in WRONG.values()])
def test_a_wound_table_with_a_mistake_is_told_by_file_line_and_column(first: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    head = "" if first.startswith("location") else "location,from,to,wound\n"
    path.write_text(head + first + "1,4,,killed\n" + "".join(GOOD[1:]))
    with pytest.raises(InputError) as told:
        wound_table(str(path))
    assert told.value.lines == (f"{path} {WRONG[first]}",)


def test_open_ends_that_are_missing_are_told(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("location,from,to,wound\n1,,9,light\n" + "".join(GOOD[1:5]))
    with pytest.raises(InputError) as told:
        wound_table(str(path))
    assert told.value.lines == (
        f"{path} line 2, column to: location 1 has no line for severities from 10",
        f"{path}: location 6 has no line for any severity",
    )


def test_an_empty_table_is_told(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("# nothing\n")
    with pytest.raises(InputError, match="the first line is location,from,to,wound"):
        wound_table(str(path))


def test_a_users_table_is_played_and_said(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("location,from,to,wound\n" + "".join(GOOD))
    asked: dict[str, Any] = {"rules": {"wound_table": str(path), "double_six": "table"}}
    result = mathhammer.exact("c3", "duel", fighter(), fighter(), **asked)
    told = {entry["key"]: entry for entry in result.assumptions}
    assert told["wound_table"]["origin"] == "user"
    assert result.pmf("defender.wound").keys() == {0, 1, 4}
    shipped = mathhammer.exact("c3", "duel", fighter(), fighter())
    assert {"key": "wound_table", "origin": "assumed"}.items() <= next(
        entry for entry in shipped.assumptions if entry["key"] == "wound_table"
    ).items()


def test_weights_of_an_objective() -> None:
    found = objective("kill=1, killed=-0.5")
    assert (found.kill, found.killed, found.wounds, found.taken) == (1, -0.5, 0, 0)
    for bad in ("kill=1,kill=2", "kill=x", "kill="):
        with pytest.raises(InputError, match="objective"):
            objective(bad)


def test_a_table_that_is_no_csv_is_told(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text('location,from,to,wound\n"' + "x" * 200_000 + '"\n')
    with pytest.raises(InputError, match="is not CSV"):
        wound_table(str(path))


# -- notes -----------------------------------------------------------------------------------------
def notes(mode: str, *units: str, **options: Any) -> str:
    return "; ".join(mathhammer.exact("c3", mode, *units, **options).notes)


def test_what_the_text_names_without_rules_is_said_where_it_matters() -> None:
    told = notes("duel", PROWLER, MAGISTRATE, contact="charge", rounds=2)
    for missing in ("sustained defence", "counter-attack", "pursuit", "shooting while charging"):
        assert missing in told
    assert "pursuit" not in notes("placement", PROWLER, MAGISTRATE)
    assert "shooting_cover" in notes("shoot", PROWLER, MAGISTRATE, cover=True)
    assert "nobody tests" in notes("fear", MAGISTRATE, PALADIN)


def test_a_fixed_split_that_fear_forbids_is_refused() -> None:
    asked: dict[str, Any] = {"attacker_afraid": True, "split": "2/0"}
    with pytest.raises(mathhammer.InputError, match="who is afraid has at most as many attack dice"):
        notes("placement", PROWLER, MAGISTRATE, **asked)
    assert "fear" not in notes("placement", PROWLER, MAGISTRATE, split="2/0")
    assert "half attack" in notes("fray", PROWLER, MAGISTRATE, play="simple")
    kept = notes("fray", PROWLER, MAGISTRATE, with_=[PALADIN], split="2/1", rounds=2)
    assert "keeps its attack dice first" in kept
