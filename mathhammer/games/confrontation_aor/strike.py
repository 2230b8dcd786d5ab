"""One side strikes: attack tests, Strength tests, losses. Source: AOR-05, AOR-08, AOR-11 to AOR-13."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Action, Change, Columns, Mask, Step, cleared
from mathhammer.games.confrontation_aor.losses import allocated
from mathhammer.games.confrontation_aor.profile import Fighters
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.side import Side
from mathhammer.games.confrontation_aor.throws import attack_law, score, strength_law, words

Where = Callable[[Columns], Mask]
Split = Mapping[tuple[int, int], int]  # (profile of strikers, profile of defenders) -> dice set against it


@dataclass(frozen=True)
class Blows:
    """How a side strikes this time.

    charge: with a charge's re-roll and Strength. attack: its Attack counts (a side in rout has 0).
    dice: None for those on the cards, or so many a fighter (Cry Havoc). reroll: the charge's re-roll applies.
    """

    charge: bool = False
    attack: bool = True
    dice: int | None = None
    reroll: bool = True
    split: Split | None = None
    name: str = ""
    rule: str = "AOR-12"


def touch_change(side: Side) -> list[Action]:
    """Notes the damage that each group's fighters in contact can take: the dead stay until the end."""
    if side.contact is None:
        return []

    def note(columns: Columns) -> dict[str, Ints]:
        pairs = zip(side.groups, side.touching(columns), strict=True)
        return {
            limit_of(side, i): _limit(columns[side.column(i)], touches, group)
            for i, (group, touches) in enumerate(pairs)
        }

    return [Change(f"{side.name} in contact", note)]


def forget_change(side: Side) -> list[Action]:
    """Ends the strike: the notes that it needed go."""
    return [cleared(*limits(side), name=f"{side.name} closes up")] if limits(side) else []


def limit_of(side: Side, group: int) -> str:
    """The column with the most damage that a group may have by the end of this strike."""
    return f"{side.column(group)}.limit"


def limits(side: Side) -> dict[str, int]:
    """The columns that a strike against a side notes, before anything happens."""
    noted = {} if side.contact is None else {limit_of(side, i): 0 for i in range(len(side.groups))}
    return noted | ({f"{side.name}.target": 0} if len(side.profiles) > 1 else {})


def _most(side: Side, group: int, columns: Columns) -> Ints | int:
    """The most damage that a group may have by the end of this strike."""
    if side.contact is None:
        return side.groups[group].count * side.groups[group].wounds
    return columns[limit_of(side, group)]


def _limit(damage: Ints, touches: Ints, group: Fighters) -> Ints:
    """Damage at which the fighters in contact are gone."""
    found: Ints = ((damage // group.wounds + touches) * group.wounds).astype(np.int32)
    return found


def strike_steps(own: Side, enemy: Side, blows: Blows, rules: Rules, where: Where) -> list[Action]:
    """Each profile of strikers in contact fights: its target is the first in contact with anybody left.

    Needs `touch_change(enemy)` before it. Source: AOR-11, AOR-12.
    """
    actions: list[Action] = []
    for striker in range(len(own.profiles)):
        set_apart = 0
        for (who, target), dice in (blows.split or {}).items():
            if who == striker:
                count = partial(_some_dice, own, striker, blows, set_apart, dice)
                there = _at(enemy, target, where)
                actions += _combat(own, enemy, striker, target, blows, rules, there, count)
                set_apart += dice
        count = partial(_some_dice, own, striker, blows, set_apart, None)
        only = len(enemy.profiles) == 1
        actions += [] if only else [_aim_change(enemy)]
        for target in range(len(enemy.profiles)):
            aimed = (_at if only else _aimed)(enemy, target, where)
            actions += _combat(own, enemy, striker, target, blows, rules, aimed, count)
    return actions


def _aim_change(enemy: Side) -> Change:
    """Notes the profile of the first group in contact that has anybody left: a striker's target."""
    profile = {i: profile for profile, groups in enumerate(enemy.profiles) for i in groups}
    of = np.array([*(profile[i] for i in range(len(enemy.groups))), len(enemy.profiles)], dtype=np.int32)

    def aim(columns: Columns) -> dict[str, Ints]:
        left = [columns[enemy.column(i)] < _most(enemy, i, columns) for i in range(len(enemy.groups))]
        first = np.argmax(np.stack([*left, np.ones_like(left[0])]), axis=0)
        return {f"{enemy.name}.target": of[first]}

    return Change(f"the first of the {enemy.name}", aim)


def _dice(own: Side, striker: int, blows: Blows, columns: Columns) -> Ints:
    """Dice of a profile: those in contact, each with so many. Source: AOR-11."""
    groups, touching = own.profiles[striker], own.touching(columns)
    each = own.groups[groups[0]].dice if blows.dice is None else blows.dice
    found: Ints = (np.sum([touching[i] for i in groups], axis=0) * each).astype(np.int32)
    return found


def _some_dice(own: Side, striker: int, blows: Blows, first: int, most: int | None, columns: Columns) -> Ints:
    """Those dice but for the first ones, which fight elsewhere; at most so many."""
    left = np.maximum(_dice(own, striker, blows, columns) - first, 0)
    return (left if most is None else np.minimum(left, most)).astype(np.int32)


def _at(enemy: Side, target: int, where: Where) -> Where:
    """Rows where a profile has somebody left in contact."""

    def there(columns: Columns) -> Mask:
        left = [columns[enemy.column(i)] < _most(enemy, i, columns) for i in enemy.profiles[target]]
        found: Mask = where(columns) & np.any(left, axis=0)
        return found

    return there


def _aimed(enemy: Side, target: int, where: Where) -> Where:
    """Rows where a profile is the target that `_aim_change` noted."""
    column = f"{enemy.name}.target"
    return lambda columns: where(columns) & (columns[column] == target)


def _combat(
    own: Side,
    enemy: Side,
    striker: int,
    target: int,
    blows: Blows,
    rules: Rules,
    where: Where,
    dice: Callable[[Columns], Ints],
) -> list[Action]:
    """One combat: attack tests, Strength tests, losses. Source: AOR-08, AOR-12, AOR-22, AOR-29."""
    ours, theirs = own.groups[own.profiles[striker][0]], enemy.groups[enemy.profiles[target][0]]
    who = _named(own, enemy, striker, target) + (f"{blows.name}, " if blows.name else "")
    attack = ours.attack if blows.attack else 0
    difference = attack - theirs.defence
    again = blows.charge and blows.reroll
    hits = attack_law(difference, again, rules)
    told = f"{who}hits on {words(score(difference, rules))}" + (", charge re-roll" if again else "")
    rule = "AOR-05" if again and not blows.name else blows.rule
    if theirs.category == "titan":
        return []
    strength = ours.strength
    if blows.charge and ours.category == "heavy-cavalry" and rules.heavy_cavalry_strength:
        strength += attack
    against = strength - theirs.resilience
    most = sum(enemy.groups[i].count * theirs.wounds for i in enemy.profiles[target])
    damage = strength_law(against, most, rules)
    name = f"{who}damage on {words(score(against, rules))}"
    return [
        Step(told, hits, dice, told, where, rule=rule, passing=True),
        Step(name, damage, told, _suffers(enemy, target), where, rule="AOR-08"),
    ]


def _named(own: Side, enemy: Side, striker: int, target: int) -> str:
    """Who strikes whom, where the profiles leave a doubt."""
    ours = f" {own.named(striker)}" if len(own.profiles) > 1 else ""
    theirs = f" at {enemy.named(target)}" if len(enemy.profiles) > 1 else ""
    return f"{own.name}{ours}{theirs}: "


def _suffers(side: Side, profile: int) -> Callable[[Columns, Ints], dict[str, Ints]]:
    """Damage kills as many of a profile in contact as it can; the rest is lost. Source: AOR-12, AOR-13."""
    groups = side.profiles[profile]

    def suffer(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        return allocated(side, columns, outcome, among={i: _most(side, i, columns) for i in groups})

    return suffer
