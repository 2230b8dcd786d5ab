"""Completion in the shell, through the variables that bash sets."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from mathhammer import plain
from mathhammer.cli.app import DECISIONS
from mathhammer.games import cards, load

SECONDS = 30


def completed(line: str) -> list[str]:
    """What bash is offered for the last word of a line (a blank at its end starts a new word)."""
    words = line.split(" ")
    environment = {
        **os.environ,
        "_MATHHAMMER_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "mathhammer"], env=environment, capture_output=True, text=True, timeout=SECONDS
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_games_and_commands_are_completed() -> None:
    assert set(completed("mathhammer ")) == {*cards(), *plain.MODES, *DECISIONS, "games", "units", "rules"}
    assert set(completed("mathhammer sweep ")) == {*cards(), *plain.MODES}
    assert completed("mathhammer army kow m") == ["melee"]


def test_modes_are_completed() -> None:
    assert completed("mathhammer kow ") == list(cards()["kow"].MODES)
    assert completed("mathhammer kow m") == ["melee"]


@pytest.mark.parametrize(
    "line", ["melee og", "melee orc-ax og", "shoot orc-ax og", "melee orc-ax knights --with og"]
)
def test_unit_names_are_completed_in_every_role(line: str) -> None:
    ids = load("kow").catalogue.ids()
    assert completed(f"mathhammer kow {line}") == [name for name in ids if name.startswith("og")]


def test_options_and_their_values_are_completed() -> None:
    assert completed("mathhammer kow melee orc-ax knights --fac") == ["--facing"]
    assert completed("mathhammer kow melee orc-ax knights --facing f") == ["front", "flank"]
    assert completed("mathhammer kow melee orc-ax knights --edition ") == ["1", "2", "3", "4"]


def test_games_are_completed_after_units() -> None:
    assert completed("mathhammer units k") == ["kow"]


def test_what_is_unknown_completes_to_nothing() -> None:
    assert completed("mathhammer kow melee zzz") == []
    assert completed("mathhammer zzz x") == []
