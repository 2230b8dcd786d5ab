"""What an answer says beside its numbers: options as they are typed, notes, tables and their headings."""

from __future__ import annotations

from typing import Any

import pytest

import mathhammer
from tests.cli.conftest import run
from tests.games.confrontation_3.fighters import fighter

PROWLER, MAGISTRATE, PALADIN = "wolfen-prowler", "griffin-magistrate", "alahan-paladin"


def exact(mode: str, *units: Any, **options: Any) -> mathhammer.Result:
    return mathhammer.exact("c3", mode, *units, **options)


# -- distances -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("game", "mode", "units", "options"),
    [
        ("c3", "shoot", [PROWLER, PALADIN], {}),
        ("c3", "duel", [PROWLER, PALADIN], {"contact": "charge"}),
        ("aor", "shoot", ["marksmen", "conscripts"], {}),
    ],
)
def test_a_distance_is_a_number_or_how_it_is_written(
    game: str, mode: str, units: list[str], options: dict[str, Any]
) -> None:
    for number, text in ((34.5, "34.5"), (30.0, "30")):
        answers = [
            mathhammer.exact(game, mode, *units, distance=distance, **options).to_dict()
            for distance in (number, text)
        ]
        assert answers[0] == answers[1]


def test_a_distance_between_is_typed_and_swept() -> None:
    assert "distance 34.5" in run("c3", "shoot", PROWLER, PALADIN, "--distance", "34.5").out
    table = run("sweep", "c3", "shoot", PROWLER, PALADIN, "--over", "distance=30,34.5", "--csv")
    assert table.code == 0
    assert "\n34.5,0.0138" in table.out


# -- tests -----------------------------------------------------------------------------------------
@pytest.mark.rule("C3-2.11")
def test_fear_stands_for_courage() -> None:
    """Of the fighter who tests, and of him who opposes him."""
    fearsome, brave = fighter(cou=None, fear=4), fighter(cou=4)
    chances = [exact("test", f, characteristic="cou", difficulty=8) for f in (fearsome, brave)]
    assert chances[0].probability("succeeds") == chances[1].probability("succeeds")
    assert any("has Fear 4, which stands for Courage (C3-2.11)" in note for note in chances[0].notes)
    assert not any("Fear" in note for note in chances[1].notes)
    opposed = [exact("test", fighter(), characteristic="cou", with_=[f]) for f in (fearsome, brave)]
    assert opposed[0].probability("succeeds") == opposed[1].probability("succeeds")
    assert "Fear" in "".join(opposed[0].notes)
    by_strength = exact("test", fearsome, characteristic="str", against="cou", with_=[brave])
    assert not any("Fear" in note for note in by_strength.notes)


# -- frays -----------------------------------------------------------------------------------------
def test_a_fray_says_that_it_has_no_contact_and_how_its_results_are_told() -> None:
    told = "; ".join(exact("fray", fighter(), fighter(), with_=[fighter()]).notes)
    for option in ("--charged", "--attacker-afraid", "--defender-afraid", "--with UNIT@charged@afraid"):
        assert option in told
    assert "begins in contact" not in "; ".join(exact("duel", fighter(), fighter()).notes)


def test_the_help_of_unseen_says_what_it_does() -> None:
    text = " ".join(run("c3", "duel", "--help").out.split())
    assert "he cannot charge, only engage (C3-2.7)" in text
