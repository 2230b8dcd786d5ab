"""`plan`: actions of both sides, run as one tree. Source: BF-00 to BF-17."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, cast

import numpy as np

from mathhammer.core.ensemble import Ensemble, Exact
from mathhammer.core.errors import ExactLimitError, InputError, gathered, unknown
from mathhammer.core.find import find_unit
from mathhammer.core.game import Matchup
from mathhammer.core.steps import Columns, Mask, Play, cleared
from mathhammer.games.battlefield import load
from mathhammer.games.battlefield.assault import attack_beat, plain_manner
from mathhammer.games.battlefield.break_in import break_in_beat
from mathhammer.games.battlefield.charge import charge_beats
from mathhammer.games.battlefield.lob import LOBS, TARGET, Lobbed, moved
from mathhammer.games.battlefield.lure import lure_beat
from mathhammer.games.battlefield.melee import (
    ageing,
    confusion,
    disengage_beat,
    disrupt_beat,
    help_beat,
    rally_beat,
)
from mathhammer.games.battlefield.nerve import flank_morale, morale_beat
from mathhammer.games.battlefield.path import Path
from mathhammer.games.battlefield.plan_file import Entry, Ordered, PlanFile, read_plan
from mathhammer.games.battlefield.profile import Unit
from mathhammer.games.battlefield.push import Behind, push_beats
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
from mathhammer.games.battlefield.siege import siege_beats
from mathhammer.games.battlefield.situations import Plan
from mathhammer.games.battlefield.state import (
    Battle,
    Beat,
    Fighter,
    Masked,
    Where,
    every,
    folding,
    holding,
    inverted,
)
from mathhammer.games.battlefield.swap import Way, swap_beats
from mathhammer.games.battlefield.timing import check_turns
from mathhammer.games.battlefield.trace import ROOT, Node, branch_rows, grow, played

NERVES = ("confused", "shaken", "unformed", "rally_help")
UPSETTING = {"disrupt", "besiege", "push", "flanked", "surrounded"}
COLUMNS = {  # that an action needs beside what is always there
    "charge": ("through", "pushed", "unformed", "shaken", "confused"),
    "push": ("pushed", "unformed"),
    "lure": ("lured",),
    "disengage": ("free", "lent"),
    "help": ("lent", "rally_help"),
    "besiege": ("morale",),
    "flanked": ("morale",),
    "surrounded": ("morale",),
    "swap": ("passed", "swapped", "saved", "spent"),
}
SIDES = {"ours": OURS, "theirs": THEIRS}


# -- who is there ----------------------------------------------------------------------------------
def fighters_of(plan: PlanFile) -> list[Fighter]:
    """The units of a plan. Raises `InputError` with the line of each that is wrong."""

    def found(entry: Entry, place: str) -> Callable[[], Fighter]:
        def find() -> Fighter:
            try:
                unit = cast(Unit, find_unit(load(), entry.unit))
            except InputError as error:
                raise InputError(*(f"{place}: {line}" for line in error.lines)) from None
            return Fighter(entry.id, SIDES[entry.side], unit)

        return find

    return gathered(*(found(entry, place) for entry, place in zip(plan.entries, plan.places, strict=True)))


def start_of(plan: PlanFile, battle: Battle) -> dict[str, int]:
    """The first state, as the plan says."""
    done = {ordered.action.do for ordered in plan.actions}
    needed = {column for do in done for column in COLUMNS.get(do, ())}
    start = battle.start("melee", *sorted({*needed, *(NERVES if battle.nerves else ())}))
    start |= dict.fromkeys(LOBS, 0) if "lob" in done else {}
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
    done = {ordered.action.do for ordered in plan.actions}
    charges = {ordered.action.order for ordered in plan.actions if ordered.action.do == "charge"}
    moods = any(entry.confused or entry.unformed for entry in plan.entries)
    return {
        "melees": bool(
            any(entry.melee for entry in plan.entries)
            or done & {"break-in", "lure"}
            or charges & {"break-in", "attack-break-in", "break-through"}
        ),
        "nerves": moods or bool(done & UPSETTING or charges & {"push", "break-through"}),
        "morales": bool(done & {"besiege", "flanked", "surrounded"}),
    }


# -- conditions ------------------------------------------------------------------------------------
def _column(what: str) -> Callable[[Battle, Fighter], Masked]:
    def mask(fighter: Fighter, columns: Columns) -> Mask:
        column = columns.get(fighter.column(what), np.zeros_like(columns["open"]))
        found: Mask = column > 0
        return found

    return lambda battle, fighter: partial(mask, fighter)


def _state(name: str) -> Callable[[Battle, Fighter], Masked]:
    return lambda battle, fighter: partial(getattr(battle, name), fighter)


CONDITIONS: Mapping[str, Callable[[Battle, Fighter], Masked]] = {
    "in melee": lambda battle, fighter: battle.inside(fighter),
    "confused": _state("confused"),
    "shaken": _state("shaken"),
    "out of formation": _state("unformed"),
    "destroyed": _state("destroyed"),
    "routed": _state("routed"),
    "through": _column("through"),
    "pushed": _column("pushed"),
    "lured": _column("lured"),
    "away": _column("free"),
    "saved an action": _column("saved"),
}
_CLAUSE = re.compile(r"\s*(\S+)\s+(?:is\s+)?(not\s+)?(.+?)\s*")


def condition(battle: Battle, text: str, where: str) -> Masked:
    """'pikes not confused and knights in melee' as a mask. Raises `InputError`."""
    masks = [_clause(battle, clause, where) for clause in re.split(r"\s+and\s+", text.strip())]
    return every(masks[0], *masks[1:])


def _clause(battle: Battle, clause: str, where: str) -> Masked:
    match = _CLAUSE.fullmatch(clause)
    if not match:
        raise InputError(f"{where}: if is written UNIT STATE or UNIT not STATE, not {clause!r}")
    name, negated, state = match.groups()
    fighter = fighter_named(battle, name, f"{where}: if: unit")
    if state not in CONDITIONS:
        raise unknown(f"{where}: if: state", state, CONDITIONS)
    mask = CONDITIONS[state](battle, fighter)
    return inverted(mask) if negated else mask


def fighter_named(battle: Battle, name: str, what: str) -> Fighter:
    """A fighter by its id. Raises `InputError` with the nearest."""
    found = [fighter for fighter in battle.fighters if fighter.name == name]
    if not found:
        raise unknown(what, name, [fighter.name for fighter in battle.fighters])
    return found[0]


# -- one action ------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Doing:
    """One action in the battle as it is seen (with one combination of weapons in hand)."""

    battle: Battle
    ordered: Ordered
    where: Where

    @property
    def action(self) -> Any:
        """The action as it is written."""
        return self.ordered.action

    def one(self, name: str, field: str, *, enemy: bool | None = None) -> Fighter:
        """The fighter that a field names; enemy: of which side it must be. Raises `InputError`."""
        found = fighter_named(self.battle, name, f"{self.ordered.where}: {field}:")
        actor = fighter_named(self.battle, self.action.unit, f"{self.ordered.where}: unit:")
        if enemy is not None and (found.side != actor.side) != enemy:
            side = "an enemy" if enemy else "a friend"
            raise InputError(f"{self.ordered.where}: {field} is {side} of {actor.name}, not {name}")
        if enemy is False and found.name == actor.name:
            raise InputError(f"{self.ordered.where}: {field} is another unit than {name} itself")
        return found

    @property
    def actor(self) -> Fighter:
        """Who acts."""
        return self.one(self.action.unit, "unit")

    @property
    def target(self) -> Fighter:
        """On whom."""
        return self.one(self.action.target, "target", enemy=True)

    def enemy(self, field: str) -> Fighter | None:
        """Another enemy that a field may name."""
        name = getattr(self.action, field)
        return None if name is None else self.one(name, field, enemy=True)

    def behind(self) -> Behind:
        """What is behind a unit that is pushed."""
        unit = self.enemy("behind")
        if unit is not None and self.action.blocked:
            raise InputError(f"{self.ordered.where}: blocked and behind exclude each other (BF-07)")
        return unit or ("blocked" if self.action.blocked else "free")


def _attack(do: Doing) -> list[Beat]:
    manner = plain_manner(do.actor, do.battle.rules, flanking=do.action.flanking)
    return [attack_beat(do.battle, do.actor, do.target, manner, where=do.where)]


def _charge(do: Doing) -> list[Beat]:
    action, pushes = do.action, do.action.order == "push"
    if action.blocked and not pushes:
        raise InputError(f"{do.ordered.where}: blocked goes with order = 'push' (BF-07)")
    path = Path(
        cells=action.cells,
        order=action.order,
        zones=action.zones,
        behind=None if pushes else do.enemy("behind"),
        ahead=do.enemy("ahead"),
        gap=action.gap,
        push_behind=do.behind() if pushes else "free",
        flanking=action.flanking,
        once=action.once,
    )
    anew = Beat("", (cleared(do.actor.column("through")),), ())
    return [anew, *charge_beats(do.battle, do.actor, do.target, path, where=do.where)]


def _break_in(do: Doing) -> list[Beat]:
    """By a unit outside of melees: one inside disengages, into another cell if it must."""
    outside = every(inverted(do.battle.inside(do.actor)), do.where)
    return [break_in_beat(do.battle, do.actor, do.target, where=outside)]


def _push(do: Doing) -> list[Beat]:
    return push_beats(do.battle, do.actor, do.target, do.behind(), where=do.where)


def _help(do: Doing) -> list[Beat]:
    friend = do.one(do.action.friend, "friend", enemy=False)
    return [help_beat(do.battle, do.actor, friend, do.action.to, where=do.where)]


def _disengage(do: Doing) -> list[Beat]:
    into = do.enemy("into")
    if into is None:
        return [disengage_beat(do.battle, do.actor, waived=do.action.waived, where=do.where)]
    inside = every(do.battle.inside(do.actor), do.where)
    return [break_in_beat(do.battle, do.actor, into, where=inside)]


def _lob(do: Doing) -> list[Beat]:
    beside = {moved(TARGET, place): do.one(name, "beside") for place, name in do.action.beside.items()}
    return Lobbed(do.battle, do.actor, do.target, do.action.second, beside).beats(do.where)


def _besiege(do: Doing) -> list[Beat]:
    answering = [do.one(name, "with", enemy=False) for name in do.action.answering]
    return siege_beats(do.battle, do.actor, do.target, answering, where=do.where)


def _swap(do: Doing) -> list[Beat]:
    if do.actor.unit.spare is None:
        raise InputError(f"{do.ordered.where}: {do.actor.name} has no spare weapon to swap to (BF-12)")
    way = Way(do.action.drop, do.action.quick, do.action.in_melee)
    return swap_beats(do.battle, do.actor, way, where=do.where)


def _stands(flank: str) -> Callable[[Doing], list[Beat]]:
    def beats(do: Doing) -> list[Beat]:
        return [morale_beat(do.battle, do.actor, flank_morale(flank, do.battle.rules), where=do.where)]

    return beats


DO: Mapping[str, Callable[[Doing], list[Beat]]] = {
    "attack": _attack,
    "charge": _charge,
    "break-in": _break_in,
    "push": _push,
    "disrupt": lambda do: [disrupt_beat(do.battle, do.actor, do.target, where=do.where)],
    "rally": lambda do: [rally_beat(do.battle, do.actor, where=do.where)],
    "help": _help,
    "disengage": _disengage,
    "lure": lambda do: [lure_beat(do.battle, do.actor, do.target, stay=do.action.stay, where=do.where)],
    "lob": _lob,
    "besiege": _besiege,
    "swap": _swap,
    "reload": lambda do: [],
    "flanked": _stands("flanked"),
    "surrounded": _stands("surrounded"),
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
    asked = ordered.action.condition
    beats: list[Beat] = []
    for seen, held in views(battle, sorted(swappers)):
        where = held
        if asked is not None:
            where = every(condition(seen, asked, ordered.where), held)
        beats += _told(ordered, DO[ordered.action.do], Doing(seen, ordered, where))
    return beats


def _told(ordered: Ordered, do: Callable[[Doing], list[Beat]], doing: Doing) -> list[Beat]:
    """The parts of an action; mistakes that the rules find name the line too."""
    try:
        return do(doing)
    except InputError as error:
        lines = [
            line if line.startswith(ordered.where) else f"{ordered.where}: {line}" for line in error.lines
        ]
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
    plan = read_plan(situation.file, situation.text)
    fighters = fighters_of(plan)
    check_turns(plan, {fighter.name: fighter for fighter in fighters})
    return planned(matchup.rules, fighters, partial(beats_of, plan), partial(start_of, plan), flags_of(plan))


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


def tables(matchup: Matchup, pmfs: Any) -> Tables:
    """Every branch with its chance; and each unit as it stands in the end."""
    scene = plan_scene(matchup)
    try:
        nodes, units = survey(scene)
    except ExactLimitError:
        return {}
    return {"branches": branch_rows(nodes), "units": units}


def survey(scene: Scene) -> tuple[list[Node], list[dict[str, Any]]]:
    """All branches, and each unit as it stands in the end. Raises `ExactLimitError`."""
    nodes, battle = [ROOT], scene.battle
    folded = dict.fromkeys((fighter.name for fighter in battle.fighters), 0.0)
    states = Ensemble.start(scene.start, Exact())
    beats = [_unsummed(beat) if beat.folds else beat for beat in scene.beats]
    for beat, after in played({**scene.start, "branch": 0}, beats):
        for name in beat.folds:
            folded[name] += float(states.columns[f"{name}.damage"] @ states.weights) / battle.scale
        grow(nodes, beat, after)
        states = after
    rows = [(fighter.name, unit_row(battle, fighter, states)) for fighter in battle.fighters]
    return nodes, [{**row, "mean damage": row["mean damage"] + folded[name]} for name, row in rows]


def _unsummed(beat: Beat) -> Beat:
    """The same without the sums of the sides, of which only the means are told here."""
    columns = [f"{name}.damage" for name in beat.folds]
    return replace(beat, steps=(cleared(*columns),))
