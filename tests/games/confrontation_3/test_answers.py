"""What an answer says beside its numbers: options as they are typed, notes, tables and their headings."""

from __future__ import annotations

from typing import Any

import pytest

import mathhammer
from tests.cli.conftest import run

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
