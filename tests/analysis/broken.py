"""A game whose matchups may break, end their process, or take long: what a sweep must live through."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from pydantic import Field

from mathhammer.core.game import Event, Game, Matchup, Measure, Mode
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Pmf
from mathhammer.core.profiles import Frozen, Profile
from mathhammer.core.steps import Play, Step

FOLDER = Path(__file__).parents[2] / "mathhammer" / "plain"


class NoRules(Frozen):
    """None."""


class Trouble(Frozen):
    """What happens in a matchup."""

    n: int = Field(default=0, ge=0, le=10**6)
    breaks: int = Field(default=-1, description="the n that raises")
    dies: int = Field(default=-1, description="the n that ends its process")
    once: str = Field(default="", description="a file: where it is there, nothing dies again")
    seconds: float = Field(default=0.0, ge=0)


def play(matchup: Matchup) -> Play:
    """P(hit) is n in a thousand, unless trouble comes first."""
    situation: Trouble = matchup.situation
    time.sleep(situation.seconds)
    if situation.n == situation.breaks:
        raise ZeroDivisionError("nothing goes into nothing")
    if situation.n == situation.dies and not (situation.once and Path(situation.once).exists()):
        if situation.once:
            Path(situation.once).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    chance = (situation.n % 1000) / 1000
    step = Step("hit", Law.constant(Pmf(0, [1 - chance, chance])), 0, "hit")
    return Play({"hit": 0}, [step], {"hits": "hit"}, {"hit": lambda columns: columns["hit"] == 1})


def load() -> Game:
    """The game."""
    return Game(
        id="plain",
        title="Trouble",
        unit=Profile,
        rules=NoRules,
        modes={
            "trouble": Mode(
                name="trouble",
                about="trouble",
                roles=(),
                situation=Trouble,
                play=play,
                measures=(Measure("hits", "all", "hits", "hits"),),
                events=(Event("hit", "all", "a hit"),),
                summary="{n}",
            )
        },
        folder=FOLDER,
        home="tests.analysis.broken",
        ruleset_option="ruleset",
        ruleset_files={"plain": "plain.toml"},
        default_ruleset="plain",
    )
