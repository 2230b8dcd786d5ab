"""`plan`: actions of both sides, run as one tree. Source: BF-00 to BF-17."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import product
from typing import Any, cast

import numpy as np

from mathhammer.core.ensemble import Ensemble, Exact
from mathhammer.core.errors import ExactLimitError, InputError, gathered
from mathhammer.core.find import find_unit
from mathhammer.core.game import Matchup
from mathhammer.core.steps import Columns, Mask, Play, cleared
from mathhammer.games.battlefield import load
from mathhammer.games.battlefield.clock import Going, clock_start, rounds_begin, timed
from mathhammer.games.battlefield.conditions import condition
from mathhammer.games.battlefield.deeds import DEEDS, Doing
from mathhammer.games.battlefield.lob import LOBS
from mathhammer.games.battlefield.melee import (
    ageing,
    confusion,
)
from mathhammer.games.battlefield.plan_file import Entry, Ordered, PlanFile, read_plan
from mathhammer.games.battlefield.profile import Unit
from mathhammer.games.battlefield.ruleset import Rules
from mathhammer.games.battlefield.scenes import (
    OURS,
    THEIRS,
    Scene,
    Tables,
    planned,
    side_damage,
    signs,
    unit_row,
)
from mathhammer.games.battlefield.situations import Plan
from mathhammer.games.battlefield.state import (
    Battle,
    Beat,
    Fighter,
    Where,
    every,
    folding,
    holding,
)
from mathhammer.games.battlefield.timing import check_turns
from mathhammer.games.battlefield.trace import EXACT_ROWS, ROOT, UNITS_ROWS, Node, branch_rows, grow, played

NERVES = ("confused", "shaken", "unformed", "rally_help")
UPSETTING = {"disrupt", "besiege", "push", "flanked", "surrounded"}
SIDES = {"ours": OURS, "theirs": THEIRS}


# -- who is there ----------------------------------------------------------------------------------
def fighters_of(plan: PlanFile) -> list[Fighter]:
    """The units of a plan. Raises `InputError` with the line of each that is wrong."""
    return gathered(*(partial(_fighter, *each) for each in zip(plan.entries, plan.places, strict=True)))


def _fighter(entry: Entry, place: str) -> Fighter:
    try:
        unit = cast(Unit, find_unit(load(), entry.unit))
    except InputError as error:
        raise InputError(*(f"{place}: {line}" for line in error.typed)) from None
    return Fighter(entry.id, SIDES[entry.side], unit)


def done_in(plan: PlanFile) -> set[str]:
    """The kinds of action that a plan has."""
    return {ordered.action.do for ordered in plan.actions}


def columns_of(plan: PlanFile) -> set[str]:
    """The columns of each fighter that the actions need."""
    return {column for do in done_in(plan) for column in DEEDS[do].columns}


def start_of(plan: PlanFile, battle: Battle) -> dict[str, int]:
    """The first state, as the plan says."""
    needed = columns_of(plan) | set(NERVES if battle.nerves else ())
    start = battle.start("melee", *sorted(needed))
    start |= clock_start(plan) | (dict.fromkeys(LOBS, 0) if "lob" in done_in(plan) else {})
    for entry, fighter in zip(plan.entries, battle.fighters, strict=True):
        enemy = battle.other(fighter)[0]
        start[fighter.column("melee")] = entry.melee
        if entry.unformed:
            start[fighter.column("unformed")] = 1
        if entry.confused:
            start[fighter.column("confused")] = confusion(battle, enemy)
    return start


def flags_of(plan: PlanFile) -> dict[str, bool]:
    """What may change in the course of a plan, so that only such things are asked about."""
    done = done_in(plan)
    charges = {ordered.action.order for ordered in plan.actions if ordered.action.do == "charge"}
    moods = any(entry.confused or entry.unformed for entry in plan.entries)
    return {
        "melees": bool(
            any(entry.melee for entry in plan.entries)
            or done & {"break-in", "lure"}
            or charges & {"break-in", "attack-break-in", "break-through"}
        ),
        "nerves": moods or bool(done & UPSETTING or charges & {"push", "break-through"}),
        "morales": "morale" in columns_of(plan),
    }


# -- the whole -------------------------------------------------------------------------------------
def beats_of(plan: PlanFile, battle: Battle) -> list[Beat]:
    """All actions in order, with the turns' ends between. Raises `InputError`, all mistakes at once."""
    side_of = {fighter.name: fighter.side for fighter in battle.fighters}
    parts = gathered(*(partial(_action_beats, plan, battle, number) for number in range(len(plan.actions))))
    beats: list[Beat] = []
    for number, (ordered, part) in enumerate(zip(plan.actions, parts, strict=True)):
        beats += [*part, *_forgotten(battle, ordered, number)]
        side = side_of[ordered.action.unit]
        following = plan.actions[number + 1] if number + 1 < len(plan.actions) else None
        if battle.nerves and (following is None or _turn_ends(ordered, following, side_of, side)):
            beats.append(Beat("", (ageing(battle, side),), ()))
    return beats


def _forgotten(battle: Battle, ordered: Ordered, number: int) -> list[Beat]:
    """What nothing reads after this action: where a volley landed, and damage read for the last time."""
    beats = [Beat("", (cleared(*LOBS),), ())] if ordered.action.do == "lob" else []
    until = battle.until if battle.until is not None else {}
    unread = [f for f in battle.fighters if until.get(f.name, -1) <= number]
    return [*beats, folding(unread)] if battle.until else beats


def _turn_ends(now: Ordered, then: Ordered, side_of: Mapping[str, int], side: int) -> bool:
    return then.round > now.round or side_of.get(then.action.unit) != side


def _action_beats(plan: PlanFile, battle: Battle, number: int) -> list[Beat]:
    """The parts of one action, for each combination of weapons that its units may have in hand."""
    ordered = plan.actions[number]
    battle.now = number
    swappers = {before.action.unit for before in plan.actions[:number] if before.action.do == "swap"}
    seen = list(views(battle, sorted(swappers)))
    masks = [held for _, held in seen]
    if (asked := ordered.action.condition) is not None:
        masks = [every(condition(battle, asked, ordered.where), held) for held in masks]
    going = Going(ordered, masks, timed(plan))
    doings = [Doing(view, ordered, going.where(n)) for n, (view, _) in enumerate(seen)]
    parts = [replace(beat, line=ordered.where) for beat in _any_told(doings)]
    return [*rounds_begin(plan, number), *going.begins(), *parts, *going.ends()]


def _any_told(doings: Sequence[Doing]) -> list[Beat]:
    """The parts of an action in the views that the rules let it be done in. Raises `InputError` for none."""
    beats, errors = [], []
    for doing in doings:
        try:
            beats += _told(doing)
        except InputError as error:
            errors.append(error)
    if len(errors) == len(doings):
        raise errors[0]
    return beats


def _told(doing: Doing) -> list[Beat]:
    """The parts of an action; mistakes that the rules find name the line too."""
    where = doing.ordered.where
    try:
        return DEEDS[doing.action.do].beats(doing)
    except InputError as error:
        lines = [line if line.startswith(where) else f"{where}: {line}" for line in error.typed]
        raise InputError(*(line.replace("--", "") for line in lines)) from None


def views(battle: Battle, swappers: Sequence[str]) -> Iterator[tuple[Battle, Where]]:
    """The battle as it is for each combination of weapons in hand, and the states where it is so."""
    for held in product((0, 1), repeat=len(swappers)):
        hands = dict(zip(swappers, held, strict=True))
        fighters = tuple(
            replace(fighter, unit=fighter.unit.swapped()) if hands.get(fighter.name) else fighter
            for fighter in battle.fighters
        )
        masks = [holding(f"{name}.swapped", value) for name, value in hands.items()]
        yield replace(battle, fighters=fighters), every(masks[0], *masks[1:]) if masks else None


def plan_scene(matchup: Matchup) -> Scene:
    """The battle of a plan file. Raises `InputError` with the line of each mistake."""
    situation: Plan = matchup.situation
    return scene_of(situation.file, situation.text, matchup.rules)


def scene_of(file: str, text: str, rules: Rules) -> Scene:
    """The battle of a plan. Raises `InputError` with the line of each mistake."""
    plan = read_plan(file, text)
    fighters = fighters_of(plan)
    check_turns(plan, {fighter.name: fighter for fighter in fighters})
    return planned(rules, fighters, partial(beats_of, plan), partial(start_of, plan), flags_of(plan))


def plan(matchup: Matchup) -> Play:
    """The play of a plan."""
    scene = plan_scene(matchup)
    battle = scene.battle
    ours, theirs = ([f for f in battle.fighters if f.side == side] for side in (OURS, THEIRS))
    met = ours[0].column("melee")
    kept = signs(scene.start, battle.fighters, "confused") | {
        met: lambda columns: np.any([battle.inside(f)(columns) for f in ours], axis=0)
    }
    kept |= {name: name for name in (f.column("morale") for f in battle.fighters) if name in scene.start}
    return scene.play(
        {"damage": side_damage(scene, THEIRS), "ours.damage": side_damage(scene, OURS)},
        {
            "lost": partial(_any, battle, theirs, ("destroyed", "routed")),
            "confused": partial(_any, battle, theirs, ("confused",)),
            "melee": met,
            "ours.lost": partial(_any, battle, ours, ("destroyed", "routed")),
            "ours.confused": partial(_any, battle, ours, ("confused",)),
        },
        kept,
    )


def _any(battle: Battle, fighters: Sequence[Fighter], states: Sequence[str], columns: Columns) -> Mask:
    """Whether at least one of these units is in one of these states."""
    found = [getattr(battle, state)(fighter, columns) for fighter in fighters for state in states]
    mask: Mask = np.any(found, axis=0)
    return mask


# -- what came of it, part by part -----------------------------------------------------------------
@dataclass(frozen=True)
class Survey:
    """All branches, each unit as it stands in the end, and the lines of actions that never took place.

    branches: None where there are too many. units: None where even the states without them are too many.
    """

    branches: Sequence[Node] | None
    units: Sequence[dict[str, Any]] | None
    never: Sequence[str]


def tables(matchup: Matchup, pmfs: Any) -> Tables:
    """Every branch with its chance, unless there are too many; and each unit as it stands in the end."""
    found = survey_of(matchup.situation.file, matchup.situation.text, matchup.rules)
    branches = {} if found.branches is None else {"branches": branch_rows(found.branches)}
    return branches | ({} if found.units is None else {"units": [dict(row) for row in found.units]})


def plan_notes(matchup: Matchup) -> list[str]:
    """What the tables leave out, and actions that never took place."""
    found = survey_of(matchup.situation.file, matchup.situation.text, matchup.rules)
    lines = [f"{line} never took place" for line in found.never]
    if found.branches is None:
        left = "the branches and what becomes of each unit are" if found.units is None else "the branches are"
        most = UNITS_ROWS if found.units is None else EXACT_ROWS
        lines.append(f"{left} not told: there are more than {most:,} states at once")
    return lines


@lru_cache(maxsize=2)
def survey_of(file: str, text: str, rules: Rules) -> Survey:
    """A plan part by part: with its branches, or without them where there are too many."""
    scene = scene_of(file, text, rules)
    for branching in (True, False):
        try:
            return survey(scene, branching=branching)
        except ExactLimitError:
            continue
    return Survey(None, None, ())


def survey(scene: Scene, *, branching: bool = True) -> Survey:
    """A plan part by part. Raises `ExactLimitError`."""
    nodes, battle = [ROOT], scene.battle
    folded = dict.fromkeys((fighter.name for fighter in battle.fighters), 0.0)
    start = {**scene.start, "branch": 0} if branching else scene.start
    states, open_ = Ensemble.start(start, Exact()), dict[str, bool]()
    beats = [_unsummed(beat) if beat.folds else beat for beat in scene.beats]
    for beat, after in played(start, beats, EXACT_ROWS if branching else UNITS_ROWS):
        for name in beat.folds:
            folded[name] += float(np.sum(states.columns[f"{name}.damage"] * states.weights)) / battle.scale
        if beat.words and beat.line:
            open_[beat.line] = open_.get(beat.line, False) or bool(after.columns["open"].any())
        if branching:
            grow(nodes, beat, after)
        states = after
    rows = [(fighter.name, unit_row(battle, fighter, states)) for fighter in battle.fighters]
    units = [{**row, "mean damage": row["mean damage"] + folded[name]} for name, row in rows]
    never = [line for line, is_open in open_.items() if not is_open]
    return Survey(nodes if branching else None, units, never)


def _unsummed(beat: Beat) -> Beat:
    """The same without the sums of the sides, of which only the means are told here."""
    columns = [f"{name}.damage" for name in beat.folds]
    return replace(beat, steps=(cleared(*columns),))
