"""Rounds of a melee: what each unit does with its actions. Source: BF-01, BF-04 to BF-06."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from mathhammer.core.errors import ExactLimitError, InputError
from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Change, Columns, Play, Read, Step, cleared, put
from mathhammer.games.battlefield.melee import (
    ageing,
    confusion,
    disengage_beat,
    disrupt_beat,
    help_beat,
    nth_enemy,
    rally_beat,
)
from mathhammer.games.battlefield.scenes import (
    OURS,
    THEIRS,
    Scene,
    Tables,
    is_set,
    pair,
    planned,
    several,
    side_damage,
    signs,
    unit_row,
)
from mathhammer.games.battlefield.situations import Melee
from mathhammer.games.battlefield.state import (
    Action,
    Battle,
    Beat,
    Fighter,
    every,
    holding,
    inverted,
    is_open,
)
from mathhammer.games.battlefield.trace import played
from mathhammer.games.battlefield.volleys import Blow, common_grain, hurt, roll_check, strike, volley_law

MOST_FIGHTERS = 8  # in one cell
ACTIONS = 2  # of a unit in a turn
FREE = holding("busy", 0)


@dataclass(frozen=True)
class Orders:
    """What each unit does, by name; whom attacks strike; whether the confused rally and leavers may go."""

    by_name: Mapping[str, str]
    targets: str = "first"
    rallies: bool = True
    waive: bool = False

    def words(self, fighter: Fighter) -> tuple[str, str]:
        """What a unit does with its first and its second action."""
        first, _, second = self.by_name[fighter.name].partition("+")
        return first, second or first


def melee_beats(battle: Battle, orders: Orders, rounds: int) -> list[Beat]:
    """All rounds, alike: the first side's units in order, then the second's. Source: BF-04 to BF-06."""
    beats: list[Beat] = []
    for side in (OURS, THEIRS):
        for fighter in battle.fighters:
            if fighter.side == side:
                for number in range(1, ACTIONS + 1):
                    beats += action_beats(battle, fighter, orders, number)
        beats.append(_turn_ends(battle, side))
    battle.ledger.repeat(rounds)
    return beats * rounds


def _turn_ends(battle: Battle, side: int) -> Beat:
    """Nothing that comes out in several ways; rounds pass for the confused."""
    steps = (ageing(battle, side),) if battle.nerves else ()
    return Beat("the turn ends", steps, ())


def action_beats(battle: Battle, fighter: Fighter, orders: Orders, number: int) -> list[Beat]:
    """One action: rally when confused and allowed to try, else what is ordered. Source: BF-05."""
    beats: list[Beat] = []
    if battle.nerves and orders.rallies and number <= battle.rules.rally_tries_per_round:
        beats.append(occupying(rally_beat(battle, fighter)))
    word = orders.words(fighter)[number - 1]
    if word == "disengage":
        beats.append(disengage_beat(battle, fighter, waived=orders.waive, where=FREE))
    if word == "help":
        beats += help_beats(battle, fighter, orders)
    if word == "disrupt":
        beats += disrupt_beats(battle, fighter)
    if word in ("attack", "help"):
        beats += (
            shooting_beats(battle, fighter, orders)
            if reloads(fighter)
            else [attack_beat(battle, fighter, orders)]
        )
    done = Beat("action done", (cleared("busy"),), ())
    return [*beats, done] if beats else []


def disrupt_beats(battle: Battle, fighter: Fighter) -> list[Beat]:
    """Disrupt the first enemy that is not confused, or renew the confusion of the first. Source: BF-04."""
    beats = []
    for enemy in battle.other(fighter):
        fresh = every(FREE, inverted(partial(battle.confused, enemy)))
        beats.append(occupying(disrupt_beat(battle, fighter, enemy, where=fresh)))
    for enemy in battle.other(fighter):
        first = every(FREE, nth_enemy(battle, fighter, enemy, 0))
        beats.append(occupying(disrupt_beat(battle, fighter, enemy, where=first)))
    return beats


def help_beats(battle: Battle, fighter: Fighter, orders: Orders) -> list[Beat]:
    """Help the first friend who is confused, else one who means to disengage. Source: BF-05, BF-06."""
    beats = []
    for friend in battle.friends(fighter) if battle.nerves else ():
        needs = every(FREE, partial(battle.confused, friend), holding(friend.column("rally_help"), 0))
        beats.append(occupying(help_beat(battle, fighter, friend, "rally", where=needs)))
    for friend in battle.friends(fighter):
        if "disengage" in orders.words(friend):
            needs = every(FREE, holding(friend.column("lent"), 0))
            beats.append(occupying(help_beat(battle, fighter, friend, "disengage", where=needs)))
    return beats


def occupying(beat: Beat) -> Beat:
    """The part uses up the action where it takes place."""

    def busy(columns: Columns) -> dict[str, Ints]:
        return put(columns, is_open(columns), {"busy": 1})

    return Beat(beat.label, (*beat.steps, Change("busy", busy)), beat.words, beat.where)


def reloads(fighter: Fighter) -> bool:
    """Whether its weapon takes an action of reloading after each attack, in a melee too. Source: BF-01."""
    return fighter.unit.weapon == "firearm"


def shooting_beats(battle: Battle, fighter: Fighter, orders: Orders) -> list[Beat]:
    """An attack with firearms, or the reloading after one. Source: BF-01."""
    empty = fighter.column("empty")
    able = every(battle.acts(fighter), battle.inside(fighter), FREE, holding(empty, 1))
    loaded = Change("loaded", lambda columns: put(columns, is_open(columns), {empty: 0}))
    reload = occupying(Beat(f"{fighter.name} reloads", (loaded,), ("reloads",), able))
    attack = attack_beat(battle, fighter, orders)
    shot = Change("shot", lambda columns: put(columns, is_open(columns), {empty: 1}))
    return [reload, replace(attack, steps=(*attack.steps, shot))]


def attack_beat(battle: Battle, fighter: Fighter, orders: Orders) -> Beat:
    """The attacks of an action inside a melee, at the first enemy or by turns at the first two.

    Source: BF-01. Where an enemy may fall to one of them, each attack looks for its enemy by itself.
    """
    rolls, split = battle.rules.inside_rolls, orders.targets == "split"
    if len(battle.other(fighter)) > 1 and any(battle.may_fall(enemy) for enemy in battle.other(fighter)):
        bouts = [(1, number % 2 if split else 0) for number in range(rolls)]
    else:
        bouts = [(rolls - rolls // 2, 0), (rolls // 2, 1)] if split else [(rolls, 0)]
    steps = [step for count, place in bouts if count for step in bout(battle, fighter, count, place)]
    able = every(battle.acts(fighter), battle.inside(fighter), FREE)
    return Beat(f"{fighter.name} attacks", tuple(steps), ("strikes",), able)


def bout(battle: Battle, fighter: Fighter, rolls: int, place: int) -> list[Action]:
    """Attacks at one enemy in the melee: the first (0), or the second if there is one (1). Source: BF-01."""
    enemies = battle.other(fighter)
    blow = Blow(rolls, ratio=False, inside=True)
    steps: list[Action] = [Change("whom it strikes", partial(_aim, battle, fighter, place))]
    leads = [roll_check(battle, fighter, enemy, blow).lead for enemy in enemies]
    if all(battle.marks(enemy) for enemy in enemies) and all(isinstance(lead, int) for lead in leads):
        return [*steps, _at_any(battle, fighter, blow, leads), cleared("pick")]
    for number, enemy in enumerate(enemies, start=1):
        steps += strike(battle, fighter, enemy, blow, every(is_open, holding("pick", number)))
    return [*steps, cleared("pick")]


def _at_any(battle: Battle, fighter: Fighter, blow: Blow, leads: Sequence[Any]) -> Step:
    """One step for whichever enemy is struck: the column `pick` chooses the row of the law."""
    enemies, volley = battle.other(fighter), volley_law(fighter.unit, blow, battle)
    law = Law.of([volley.row(lead) for lead in leads], first=1)

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        changed: dict[str, Ints] = {}
        for number, enemy in enumerate(enemies, start=1):
            changed |= hurt(battle, enemy)(columns, outcome * (columns["pick"] == number))
        return changed

    name = f"{fighter.name} strikes"
    return Step(name, law, "pick", update, inverted(holding("pick", 0)), rule=blow.rule)


def _aim(battle: Battle, fighter: Fighter, place: int, columns: Columns) -> dict[str, Ints]:
    """The number of the enemy struck, 0 for none: where there is no second one, the first."""
    first, second = (np.zeros(len(columns["pick"]), dtype=np.int32) for _ in range(2))
    for number, enemy in enumerate(battle.other(fighter), start=1):
        there = battle.beside(enemy, fighter)(columns)
        second = np.where(there & (first > 0) & (second == 0), number, second).astype(np.int32)
        first = np.where(there & (first == 0), number, first).astype(np.int32)
    found = first if place == 0 else np.where(second == 0, first, second)
    return {"pick": (found * columns["open"]).astype(np.int32)}


# -- the mode --------------------------------------------------------------------------------------
STATES, NERVES = ("melee", "lent", "free"), ("confused", "rally_help")


def brawl_scene(matchup: Matchup) -> Scene:
    """All units in one cell, and what they do. Damage that no rule reads is only noted. Source: BF-04."""
    situation: Melee = matchup.situation
    fighters, orders = fighters_of(matchup)
    disrupted = any("disrupt" in orders.words(fighter) for fighter in fighters)
    confused = situation.confused or situation.defender_confused
    grain = common_grain([fighter.unit for fighter in fighters], matchup.rules)
    flags = {"melees": True, "nerves": confused or disrupted, "grain": grain}

    def beats_of(battle: Battle) -> list[Beat]:
        return melee_beats(battle, orders, situation.rounds)

    return planned(matchup.rules, fighters, beats_of, partial(brawl_start, situation), flags)


def brawl_start(situation: Melee, battle: Battle) -> dict[str, int]:
    """All in one cell; the leaders confused by each other where the situation says so."""
    us, them = battle.fighters[:2]
    start = battle.start(*STATES, *(NERVES if battle.nerves else ()))
    start |= {fighter.column("melee"): 1 for fighter in battle.fighters}
    start |= {fighter.column("empty"): 0 for fighter in battle.fighters if reloads(fighter)}
    if situation.confused:
        start[us.column("confused")] = confusion(battle, them)
    if situation.defender_confused:
        start[them.column("confused")] = confusion(battle, us)
    return start


def fighters_of(matchup: Matchup) -> tuple[list[Fighter], Orders]:
    """Both sides, leaders first, and their orders. Raises `InputError`."""
    situation: Melee = matchup.situation
    us, them = pair(matchup)
    fighters, by_name = [us, them], {us.name: situation.order, them.name: situation.defender_order}
    orders = [placed.placing["order"] for placed in matchup.units.get("with", ())]
    for fighter, order in zip(several(matchup, "with"), orders, strict=True):
        fighters.append(fighter)
        by_name[fighter.name] = order
    if len(fighters) > MOST_FIGHTERS:
        raise InputError(f"--with: at most {MOST_FIGHTERS} units are in one cell, not {len(fighters)}")
    return fighters, Orders(by_name, situation.targets, not situation.no_rally, situation.waive)


def brawl(matchup: Matchup) -> Play:
    """The play of a melee. Source: BF-01, BF-04 to BF-06."""
    scene = brawl_scene(matchup)
    battle, us, them = scene.battle, scene.fighter("attacker"), scene.fighter("defender")
    events: dict[str, Read] = {}
    for fighter, start in ((them, ""), (us, "attacker.")):
        events |= {
            f"{start}confused": partial(battle.confused, fighter),
            f"{start}free": is_set(fighter, "free"),
            f"{start}destroyed": partial(battle.destroyed, fighter),
        }
    measures = {"damage": side_damage(scene, THEIRS), "attacker.damage": side_damage(scene, OURS)}
    return scene.play(measures, events, signs(scene.start, (us, them), "confused", "free"))


def brawl_tables(matchup: Matchup, pmfs: Any) -> Tables:
    """By round and unit: the chances that it is still in the melee, confused, destroyed, and mean damage."""
    scene = brawl_scene(matchup)
    rounds: int = matchup.situation.rounds
    once = [action for beat in scene.beats[: len(scene.beats) // rounds] for action in beat.actions]
    try:
        ends = list(played(scene.start, [Beat("", tuple(once), ())] * rounds))
    except ExactLimitError:
        return {}
    rows = [
        {"round": number, **unit_row(scene.battle, fighter, states)}
        for number, (_, states) in enumerate(ends, start=1)
        for fighter in scene.battle.fighters
    ]
    idle = {key for key in rows[0] if key.startswith("chance") and not any(row[key] for row in rows)}
    return {"by_round": [{key: value for key, value in row.items() if key not in idle} for row in rows]}
