"""The modes of one engagement each: who is there, what happens, and what is reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.steps import Columns, Mask, Play
from mathhammer.games.battlefield.assault import attack_beat, plain_manner
from mathhammer.games.battlefield.charge import Path, charge_beats, reach, speed
from mathhammer.games.battlefield.lob import (
    ROUND,
    TARGET,
    Cell,
    Lobbed,
    cell_chances,
    cell_name,
    landings,
    moved,
    volley_mean,
)
from mathhammer.games.battlefield.lure import lure_beat
from mathhammer.games.battlefield.nerve import flank_morale, morale_beat
from mathhammer.games.battlefield.push import Behind, push_beats
from mathhammer.games.battlefield.ruleset import Rules
from mathhammer.games.battlefield.scenes import (
    OURS,
    THEIRS,
    Scene,
    Tables,
    battle_of,
    damage,
    is_set,
    never,
    out,
    pair,
    total,
    unit_of,
)
from mathhammer.games.battlefield.siege import siege_beats
from mathhammer.games.battlefield.situations import Attack, Charge, Lob, Lure, Push, Swap
from mathhammer.games.battlefield.state import Battle, Beat, Fighter, every
from mathhammer.games.battlefield.swap import Way, swap_beats
from mathhammer.games.battlefield.trace import branch_rows, tree


# -- attack ----------------------------------------------------------------------------------------
def attack_scene(matchup: Matchup) -> Scene:
    """One or two attack actions. Raises `InputError`. Source: BF-01, BF-14 to BF-16."""
    situation: Attack = matchup.situation
    rules: Rules = matchup.rules
    us, them = pair(matchup)
    second = [Fighter("second", THEIRS, unit_of(placed)) for placed in matchup.units.get("second", ())]
    inside = [
        Fighter(f"inside {number}", int(placed.placing["side"]), unit_of(placed))
        for number, placed in enumerate(matchup.units.get("inside", ()), start=1)
    ]
    refuse_attack(us.unit, situation, second)
    melee = [them, *inside] + ([us] if situation.in_melee else [])
    shares = shares_of(melee) if inside and us.unit.ranged and not situation.in_melee else []
    confused = [placed.placing["confused"] for placed in matchup.units.get("inside", ())]
    battle = battle_of(
        rules,
        [us, them, *second, *inside],
        shares,
        melees=bool(inside) or situation.in_melee,
        nerves=situation.confused or situation.defender_confused or any(confused),
        morales=situation.flank != "none",
    )
    start = battle.start("melee", "confused", "morale")
    if battle.melees:
        start |= {fighter.column("melee"): 1 for fighter in melee}
    flags = zip(
        (us, them, *inside), (situation.confused, situation.defender_confused, *confused), strict=True
    )
    start |= {fighter.column("confused"): int(flag) for fighter, flag in flags}
    return Scene(battle, start, attack_beats(battle, us, them, second, situation))


def attack_beats(
    battle: Battle, us: Fighter, them: Fighter, second: Sequence[Fighter], situation: Attack
) -> list[Beat]:
    """The attack actions, then what being flanked does to morale."""
    rules = battle.rules
    flanking = plain_manner(us, rules, flanking=situation.flank != "none")
    beats = [attack_beat(battle, us, them, flanking)]
    if situation.actions == 2 and us.unit.weapon != "firearm":
        target = second[0] if second else them
        manner = plain_manner(us, rules) if second else flanking
        beats.append(attack_beat(battle, us, target, manner))
    change = flank_morale(situation.flank, rules)
    return [*beats, morale_beat(battle, them, change)] if change else beats


def shares_of(fighters: Sequence[Fighter]) -> list[Fraction]:
    """Each unit's part of all their soldiers. Source: BF-15."""
    whole = sum(fighter.unit.number for fighter in fighters)
    return [Fraction(fighter.unit.number, whole) for fighter in fighters]


def refuse_attack(unit: Any, situation: Attack, second: Sequence[Fighter]) -> None:
    """Raise `InputError` for actions that do not go together. Source: BF-16."""
    lines = []
    if len(second) > 1:
        lines.append(f"--second: one unit, the target of the second action, not {len(second)}")
    if (second or situation.move) and situation.actions != 2:
        lines.append("--second and --move go with --actions 2: they are about the second attack (BF-16)")
    if second and unit.weapon == "firearm":
        lines.append(f"--second: {unit.name} reloads in the second action (BF-01)")
    if situation.move and unit.ranged:
        lines.append(f"--move is for melee weapons: {unit.name} holds a {unit.weapon} (BF-16)")
    if situation.move == 2 and not unit.training.moving_attack:
        lines.append(f"--move is 0 or 1 for {unit.name}: two cells take training.moving_attack (BF-16)")
    if situation.move == 1 and second and not unit.training.moving_attack:
        lines.append(
            f"--second: {unit.name} moves on and strikes another without training.moving_attack (BF-16)"
        )
    if lines:
        raise InputError(*lines)


def attack(matchup: Matchup) -> Play:
    """The play of attack actions. Source: BF-01, BF-14 to BF-16."""
    scene = attack_scene(matchup)
    battle, us, them = scene.battle, scene.fighter("attacker"), scene.fighter("defender")
    rest = [f for f in battle.fighters if f.name not in ("attacker", "defender")]
    return scene.play(
        {
            "damage": damage(scene, them),
            "attacker.damage": damage(scene, us),
            "others.damage": damage(scene, *(f for f in rest if f.side == THEIRS)),
            "friends.damage": damage(scene, *(f for f in rest if f.side == OURS)),
            "morale": lambda columns: battle.morale(them, columns),
        },
        {
            **out(battle, them),
            "shaken": partial(battle.shaken, them),
            "confused": partial(battle.confused, them),
            "attacker.destroyed": lambda columns: battle.destroyed(us, columns),
        },
    )


# -- charge ----------------------------------------------------------------------------------------
def charge_scene(matchup: Matchup) -> Scene:
    """A charge and what follows. Raises `InputError`. Source: BF-02, BF-03, BF-07 to BF-09."""
    situation: Charge = matchup.situation
    rules: Rules = matchup.rules
    us, them = pair(matchup)
    behind, ahead = (_only(matchup, role) for role in ("behind", "ahead"))
    fighters = [us, them, *(fighter for fighter in (behind, ahead) if fighter)]
    battle = battle_of(rules, fighters, nerves=us.unit.training.gale, morales=situation.flank != "none")
    path = path_of(us.unit, situation, behind, ahead, rules)
    start = battle.start("melee", "through", "shaken", "confused", "unformed", "pushed", "morale")
    beats = charge_beats(battle, us, them, path)
    change = flank_morale(situation.flank, rules)
    return Scene(battle, start, [*beats, morale_beat(battle, them, change)] if change else beats)


def path_of(
    unit: Any, situation: Charge, behind: Fighter | None, ahead: Fighter | None, rules: Rules
) -> Path:
    """The way of the charge, as the situation says. Raises `InputError`."""
    pushes = situation.order == "push"
    if situation.blocked and (not pushes or behind):
        raise InputError("--blocked goes with --order push, without --behind (BF-07)")
    if situation.gap and ahead is None:
        raise InputError("--gap goes with --ahead: it is the way to that unit (BF-08)")
    blocked: Behind = "blocked" if situation.blocked else "free"
    return Path(
        cells=cells_of(unit, situation, rules),
        order=situation.order,
        zones=situation.zones,
        behind=None if pushes else behind,
        ahead=ahead,
        gap=situation.gap,
        push_behind=behind if pushes and behind else blocked,
        flanking=situation.flank != "none",
        once=situation.once,
    )


def cells_of(unit: Any, situation: Charge, rules: Rules) -> int:
    """The cells charged: as told, else one move, or what leaves room to break through."""
    if situation.cells is not None:
        return situation.cells
    room = reach(unit, situation.zones, rules)
    if situation.order == "break-through":
        room -= rules.through_cells
    return max(1, min(speed(unit, rules), room))


def _only(matchup: Matchup, role: str) -> Fighter | None:
    """The one unit of a role that may be empty. Raises `InputError` for several."""
    placed = matchup.units.get(role, ())
    if len(placed) > 1:
        raise InputError(f"--{role}: one unit, not {len(placed)}")
    return Fighter(role, THEIRS, unit_of(placed[0])) if placed else None


def charge(matchup: Matchup) -> Play:
    """The play of a charge. Source: BF-02, BF-03, BF-07 to BF-09."""
    scene = charge_scene(matchup)
    battle, us, them = scene.battle, scene.fighter("attacker"), scene.fighter("defender")
    further = [f for f in battle.fighters if f.name in ("behind", "ahead")]
    met = {f"{f.name}.melee": every(battle.beside(f, us), battle.fights(us)) for f in further}
    through = us.column("through")
    return scene.play(
        {
            "damage": damage(scene, them),
            "attacker.damage": damage(scene, us),
            "others.damage": damage(scene, *further),
            "morale": lambda columns: battle.morale(them, columns),
        },
        {
            **out(battle, them),
            "break_through": is_set(us, "through"),
            "second_break_through": lambda columns: columns[through] == 2,
            "melee": every(battle.beside(them, us), battle.fights(us)),
            "behind.melee": met.get("behind.melee", never),
            "ahead.melee": met.get("ahead.melee", never),
            "pushed": is_set(them, "pushed"),
            "unformed": is_set(them, "unformed"),
            "shaken": partial(battle.shaken, them),
            "confused": partial(battle.confused, them),
            "repelled": lambda columns: repelled(battle, us, them, columns),
            "attacker.destroyed": lambda columns: battle.destroyed(us, columns),
        },
    )


def repelled(battle: Battle, us: Fighter, them: Fighter, columns: Columns) -> Mask:
    """Nothing came of it: the target stands where it stood, and the charger before it, outside a melee."""
    moved_on = (columns[us.column("through")] > 0) | (columns[them.column("pushed")] > 0)
    gone = battle.destroyed(them, columns) | battle.destroyed(us, columns) | battle.routed(them, columns)
    mask: Mask = ~(moved_on | gone | battle.inside(us)(columns))
    return mask


# -- push and lure ---------------------------------------------------------------------------------
def push_scene(matchup: Matchup) -> Scene:
    """A push in place. Raises `InputError`. Source: BF-07."""
    situation: Push = matchup.situation
    us, them = pair(matchup)
    behind = _only(matchup, "behind")
    if behind and situation.blocked:
        raise InputError("--blocked and --behind: the cell behind is blocked, or a unit stands in it (BF-07)")
    battle = Battle((us, them, *([behind] if behind else [])), matchup.rules)
    where: Behind = behind or ("blocked" if situation.blocked else "free")
    return Scene(battle, battle.start("pushed", "unformed"), push_beats(battle, us, them, where))


def push(matchup: Matchup) -> Play:
    """The play of a push. Source: BF-07."""
    scene = push_scene(matchup)
    them = scene.fighter("defender")
    behind = [f for f in scene.battle.fighters if f.name == "behind"]
    return scene.play(
        {},
        {
            "pushed": is_set(them, "pushed"),
            "unformed": is_set(them, "unformed"),
            "behind.unformed": is_set(behind[0], "unformed") if behind else never,
            "holds": lambda c: (c[them.column("pushed")] == 0) & (c[them.column("unformed")] == 0),
        },
    )


def lure_scene(matchup: Matchup) -> Scene:
    """A lure. Source: BF-10."""
    situation: Lure = matchup.situation
    us, them = pair(matchup)
    battle = battle_of(matchup.rules, [us, them])
    start = battle.start("melee", "lured")
    return Scene(battle, start, [lure_beat(battle, us, them, stay=situation.stay)])


def lure(matchup: Matchup) -> Play:
    """The play of a lure. Source: BF-10."""
    scene = lure_scene(matchup)
    battle, us, them = scene.battle, scene.fighter("attacker"), scene.fighter("defender")
    return scene.play(
        {"attacker.damage": damage(scene, us)},
        {
            "lured": is_set(them, "lured"),
            "melee": every(battle.beside(them, us), battle.fights(us)),
            "attacker.destroyed": lambda columns: battle.destroyed(us, columns),
        },
    )


# -- lob -------------------------------------------------------------------------------------------
def lob_scene(matchup: Matchup) -> tuple[Scene, Lobbed]:
    """A lobbed volley. Raises `InputError`. Source: BF-11."""
    situation: Lob = matchup.situation
    us, them = pair(matchup)
    beside: dict[Cell, Fighter] = {}
    for number, placed in enumerate(matchup.units.get("beside", ()), start=1):
        cell = moved(TARGET, placed.placing["direction"])
        if cell in beside:
            raise InputError(f"--beside: two units stand at the {placed.placing['direction']}")
        beside[cell] = Fighter(f"beside {number}", THEIRS, unit_of(placed))
    battle = battle_of(matchup.rules, [us, them, *beside.values()])
    lobbed = Lobbed(battle, us, them, situation.second, beside)
    start = battle.start() | dict.fromkeys(("centre", "stray", "hit", "wasted"), 0)
    return Scene(battle, start, lobbed.beats()), lobbed


def lob(matchup: Matchup) -> Play:
    """The play of a lobbed volley. Source: BF-11."""
    scene, lobbed = lob_scene(matchup)
    them = scene.fighter("defender")
    others = [fighter.column("damage") for fighter in lobbed.beside.values()]
    return scene.play(
        {
            "damage": damage(scene, them),
            "beside.damage": lambda columns: total(columns, others),
            "wasted": "wasted",
        },
        {
            "on_target": lambda columns: columns["centre"] == 0,
            "scatters": lambda columns: columns["centre"] > 0,
            "destroyed": lambda columns: scene.battle.destroyed(them, columns),
        },
    )


def lob_tables(matchup: Matchup, pmfs: dict[str, dict[int, float]]) -> Tables:
    """Each cell that may be hit: the chance, its mean share, and the mean damage that lands there."""
    _, lobbed = lob_scene(matchup)
    mean = volley_mean(lobbed)
    standing = {TARGET: lobbed.target, **lobbed.beside}
    rows = []
    for cell, (p, share) in cell_chances(landings(lobbed.battle, lobbed.actor, lobbed.second)).items():
        who = standing[cell].unit.name if cell in standing else "-"
        rows.append({"cell": cell_name(cell), "unit": who} | {"chance hit": float(p), "share": float(share)})
        rows[-1]["mean damage"] = float(share) * mean
    return {"cells": rows}


def directions() -> dict[str, dict[str, str]]:
    """The words that place units around the target."""
    return {word: {"direction": word} for word in ROUND}


# -- siege and swap --------------------------------------------------------------------------------
def siege_scene(matchup: Matchup) -> Scene:
    """A siege. Raises `InputError`. Source: BF-13."""
    us, them = pair(matchup)
    others = [
        Fighter(f"with {number}", OURS, unit_of(placed))
        for number, placed in enumerate(matchup.units.get("with", ()), start=1)
    ]
    battle = battle_of(matchup.rules, [us, *others, them], morales=True)
    start = battle.start("shaken", "confused", "morale")
    return Scene(battle, start, siege_beats(battle, us, them, others))


def siege(matchup: Matchup) -> Play:
    """The play of a siege. Source: BF-13, BF-14."""
    scene = siege_scene(matchup)
    battle, us, them = scene.battle, scene.fighter("attacker"), scene.fighter("defender")
    return scene.play(
        {
            "damage": damage(scene, them),
            "attacker.damage": damage(scene, us),
            "morale": lambda columns: battle.morale(them, columns),
        },
        {
            **out(battle, them),
            "holds": partial(holds, battle, them),
            "shaken": lambda columns: battle.shaken(them, columns) & ~battle.confused(them, columns),
            "confused": partial(battle.confused, them),
            "attacker.destroyed": lambda columns: battle.destroyed(us, columns),
        },
    )


def holds(battle: Battle, fighter: Fighter, columns: Columns) -> Mask:
    """Whether it is there, neither shaken nor confused."""
    upset = battle.shaken(fighter, columns) | battle.confused(fighter, columns)
    return battle.fights(fighter)(columns) & ~upset


def swap_scene(matchup: Matchup) -> Scene:
    """A swap of weapons. Raises `InputError`. Source: BF-12."""
    situation: Swap = matchup.situation
    us = Fighter("attacker", OURS, matchup.unit("attacker"))
    battle = Battle((us,), matchup.rules)
    way = Way(situation.drop, situation.quick, situation.in_melee)
    start = battle.start("passed", "swapped", "saved", "spent")
    return Scene(battle, start, swap_beats(battle, us, way))


def swap(matchup: Matchup) -> Play:
    """The play of a swap. Source: BF-12."""
    scene = swap_scene(matchup)
    us = scene.fighter("attacker")
    return scene.play(
        {"actions": us.column("spent")}, {"swapped": is_set(us, "swapped"), "saved": is_set(us, "saved")}
    )


# -- tables ----------------------------------------------------------------------------------------


def tree_table(scene_of: Callable[[Matchup], Scene]) -> Callable[[Matchup, Any], Tables]:
    """A table of all branches of a mode's scene."""

    def tables(matchup: Matchup, pmfs: Any) -> Tables:
        scene = scene_of(matchup)
        return {"branches": branch_rows(tree(scene.start, scene.beats))}

    return tables
