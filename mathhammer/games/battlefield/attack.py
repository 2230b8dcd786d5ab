"""The mode `attack`: attack actions in the open or into a melee. Source: BF-01, BF-14 to BF-16."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.steps import Play
from mathhammer.games.battlefield.assault import Manner, attack_beat, plain_manner
from mathhammer.games.battlefield.nerve import flank_beats
from mathhammer.games.battlefield.scenes import OURS, THEIRS, Scene, battle_of, damage, pair, several, told
from mathhammer.games.battlefield.situations import Attack
from mathhammer.games.battlefield.state import Battle, Beat, Fighter, Masked, every, inverted


def attack_scene(matchup: Matchup) -> Scene:
    """One or two attack actions. Raises `InputError`. Source: BF-01, BF-14 to BF-16."""
    situation: Attack = matchup.situation
    us, them = pair(matchup)
    second = [replace(fighter, name="second") for fighter in several(matchup, "second")]
    inside = several(matchup, "inside")
    refuse_attack(us.unit, situation, second)
    refuse_no_melee([us] if situation.in_melee else [], inside)
    melee = [them, *inside] + ([us] if situation.in_melee else [])
    shares = shares_of(melee) if inside and us.unit.ranged and not situation.in_melee else []
    placed = [placed.placing["confused"] for placed in matchup.units.get("inside", ())]
    flags = (situation.confused, situation.defender_confused, *placed)
    confused = [fighter for fighter, flag in zip((us, them, *inside), flags, strict=True) if flag]
    battle = battle_of(
        matchup.rules,
        [us, them, *second, *inside],
        shares,
        melees=bool(inside) or situation.in_melee,
        nerves=bool(confused),
        morales=situation.flank != "none",
    )
    start = battle.start("melee", "confused", "morale")
    start |= {fighter.column("melee"): 1 for fighter in melee if battle.melees}
    start |= {fighter.column("confused"): 1 for fighter in confused}
    return Scene(battle, start, attack_beats(battle, us, them, second, situation))


def attack_beats(
    battle: Battle, us: Fighter, them: Fighter, second: Sequence[Fighter], situation: Attack
) -> list[Beat]:
    """The attack actions, then what being flanked does to morale."""
    rules = battle.rules
    flanking = plain_manner(us, rules, flanking=situation.flank != "none")
    beats = [attack_beat(battle, us, them, flanking)]
    if situation.actions == 2 and us.unit.weapon != "firearm":
        if second:
            beats.append(attack_beat(battle, us, second[0], plain_manner(us, rules)))
        else:
            beats += again_beats(battle, us, them, flanking)
    return [*beats, *flank_beats(battle, them, situation.flank)]


def again_beats(battle: Battle, us: Fighter, them: Fighter, manner: Manner) -> list[Beat]:
    """The second action: at the defender, or where it has fallen, at the first left of its melee.

    Asked the last first, so that whoever falls to this action opens the way to no other. Source: BF-15.
    """
    beats: list[Beat] = []
    fallen: Masked | None = None
    others = battle.friends(them) if battle.melees else ()
    for target in (them, *others):
        beats.insert(0, attack_beat(battle, us, target, manner, where=fallen))
        fallen = every(inverted(battle.fights(target)), fallen)
    return beats


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


def refuse_no_melee(ours: Sequence[Fighter], inside: Sequence[Fighter]) -> None:
    """Raise `InputError` for units inside a melee that nobody of ours is in. Source: BF-15."""
    if inside and not any(fighter.side == OURS for fighter in (*ours, *inside)):
        raise InputError("--inside: nobody of ours is inside, so there is no melee: add UNIT@ours (BF-15)")


def attack(matchup: Matchup) -> Play:
    """The play of attack actions. Source: BF-01, BF-14 to BF-16."""
    scene = attack_scene(matchup)
    sides = {"others.damage": THEIRS, "friends.damage": OURS}
    further = {name: damage(*(f for f in scene.others if f.side == side)) for name, side in sides.items()}
    return scene.play(
        {**told(scene, "damage", "attacker.damage"), **further, **told(scene, "morale")},
        told(scene, "destroyed", "rout", "shaken", "confused", "attacker.destroyed"),
    )
