"""The `area` mode: one area weapon over a formation, step by step.

The distance gives the score that the ranged dice need; failures drift the template, successes widen it; a die
gives the direction; those covered take their Strength tests, kind by kind. Before the Strength tests all
that is left of the shot is its place: how many of each kind it covers, with how many tests. Source: AOR-10.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Action, Columns, Mask, Play, Step, always
from mathhammer.games.confrontation_aor.area_losses import each_steps
from mathhammer.games.confrontation_aor.area_pooled import pooled_steps
from mathhammer.games.confrontation_aor.blast import NOWHERE, WAYS, Places, Shot, places_of, shot_of
from mathhammer.games.confrontation_aor.morale import halved
from mathhammer.games.confrontation_aor.throws import NEVER, words

DIRECTIONS = tuple(f"direction {way}" for way in range(1, WAYS + 1))  # the first is along the bearing


def area(matchup: Matchup) -> Play:
    """The play of one shot. Raises `InputError`. Source: AOR-07, AOR-08, AOR-10, AOR-13, AOR-29."""
    shot, rules = shot_of(matchup), matchup.rules
    places = places_of(shot)
    target = np.array([kind.group is not None for kind in shot.formation.kinds])
    covered = (places.counts * target).sum(axis=1).astype(np.int32)
    pooled = rules.area_damage == "pooled"
    creatures = [group.category == "creature" for group in matchup.unit("defender").fighters]
    half = halved(matchup.unit("defender"), rules)
    losses = pooled_steps(shot, places, rules) if pooled else each_steps(shot, places, rules)

    def at_half(columns: Columns) -> Mask:
        return half((shot.formation.number - columns["kills"]).astype(np.int32))

    return Play(
        start=_start(shot),
        actions=[*throw_steps(shot, places), *losses],
        measures={
            "kills": "kills",
            "covered": lambda c: covered[c["place"]],
            "damage": "damage",
            "drift": "drift",
            "friends_lost": "friends_lost",
        },
        events={
            "stays": lambda c: (c["drift"] == 0) & (c["lost"] == 0),
            "lost": "lost",
            "hits_any": lambda c: c["kills"] > 0,
            "destroyed": lambda c: c["kills"] == shot.formation.number,
            "at_half": at_half if any(not creature for creature in creatures) else always(0),
        },
    )


def _start(shot: Shot) -> dict[str, int]:
    names = ("drift", "successes", "place", "fallen", "kills", "damage", "friends_lost")
    needed = shot.needed.offset
    return {**dict.fromkeys(names, 0), "needed": needed, "lost": int(shot.lost and needed == NEVER)}


# -- the throw -----------------------------------------------------------------------------------
def throw_steps(shot: Shot, places: Places) -> list[Action]:
    """Distance where it is a guess, ranged tests, direction. Source: AOR-07, AOR-10."""
    known = len(list(shot.needed)) == 1
    needs = words(shot.needed.offset) if known else "what the distance needs"
    steps: list[Action] = [] if known else [_distance_step(shot)]
    return [
        *steps,
        Step(
            f"ranged tests failed on {needs}, cm of drift",
            shot.failures,
            "needed",
            "drift",
            _falls,
            rule="AOR-10",
        ),
        Step(
            f"ranged tests passed, counted to {shot.most}",
            shot.successes,
            lambda c: c["drift"] * shot.scores + c["needed"] - shot.needed.offset,
            "successes",
            _falls,
            rule="AOR-10",
        ),
        Step(
            "direction",
            Law.constant(Pmf(0, [1 / WAYS] * WAYS)),
            0,
            _lands(shot, places),
            lambda c: c["drift"] > 0,
            rule="AOR-10",
            words=DIRECTIONS,
        ),
    ]


def _distance_step(shot: Shot) -> Step:
    """What a ranged die needs at the distance that turns out. Source: AOR-07."""

    def turns_out(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        return {"needed": outcome, "lost": (shot.lost & (outcome == NEVER)).astype(np.int32)}

    told = tuple(words(needed) for needed in range(NEVER + 1))
    return Step("a ranged die needs", Law.constant(shot.needed), 0, turns_out, rule="AOR-07", words=told)


def _falls(columns: Columns) -> Mask:
    """Rows where there is a template. Source: AOR-10."""
    falls: Mask = columns["lost"] == 0
    return falls


def _lands(shot: Shot, places: Places) -> Callable[[Columns, Ints], dict[str, Ints]]:
    """Where it falls, as a place; the throw is forgotten."""

    def land(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        drift = np.minimum(columns["drift"], shot.furthest)
        at = places.at[columns["successes"], drift, outcome]
        nothing = np.zeros_like(columns["needed"])
        return {
            "place": np.where(_falls(columns), at, NOWHERE).astype(np.int32),
            "successes": nothing,
            "needed": nothing,
        }

    return land
