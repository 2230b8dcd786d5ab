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
from mathhammer.core.steps import Action, Columns, Mask, Play, Read, Step, always
from mathhammer.games.confrontation_aor.area_losses import each_steps
from mathhammer.games.confrontation_aor.area_pooled import pooled_steps
from mathhammer.games.confrontation_aor.blast import NOWHERE, WAYS, Places, Shot, places_of, shot_of
from mathhammer.games.confrontation_aor.morale import CREATURES, halved
from mathhammer.games.confrontation_aor.profile import Unit
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.side import is_of
from mathhammer.games.confrontation_aor.throws import NEVER, words

DIRECTIONS = tuple(f"direction {way}" for way in range(1, WAYS + 1))  # the first is along the bearing


def area(matchup: Matchup) -> Play:
    """The play of one shot. Raises `InputError`. Source: AOR-07, AOR-08, AOR-10, AOR-13, AOR-29."""
    shot, rules = shot_of(matchup), matchup.rules
    unit, pooled = matchup.unit("defender"), rules.area_damage == "pooled"
    mixed = _mixed(unit, rules)
    places = places_of(shot, by_base=mixed and pooled)
    target = np.array([kind.group is not None for kind in shot.formation.kinds])
    covered = (places.counts * target).sum(axis=1).astype(np.int32)
    away = matchup.situation.away
    losses = pooled_steps(shot, places, rules, away) if pooled else each_steps(shot, places, rules)
    return Play(
        start=_start(shot) | ({"others": 0} if mixed else {}),
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
            "at_half": _at_half(unit, rules),
        },
    )


def _mixed(unit: Unit, rules: Rules) -> bool:
    """Whether the unit is of creatures once all the others have fallen. Source: AOR-29."""
    creatures = {group.category == "creature" for group in unit.fighters}
    return len(creatures) > 1 and rules.category_of == "all"


def _at_half(unit: Unit, rules: Rules) -> Read:
    """Rows where courage is due: the unit has fallen to half, and is none of creatures. Source: AOR-21."""
    if is_of(unit, CREATURES, rules):
        return always(0)
    half, mixed = halved(unit, rules), _mixed(unit, rules)
    others = sum(group.count for group in unit.fighters if group.category not in CREATURES)

    def at_half(columns: Columns) -> Mask:
        low = half((unit.number - columns["kills"]).astype(np.int32))
        return low & (columns["others"] < others) if mixed else low

    return at_half


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
