"""A literal referee for battlefield mode: it throws one die at a time, as the rule page says.

It is a second witness for the exact engine, so it shares nothing with it. Source: BF-00 to BF-17.

Where the page names a choice, `DEFAULTS` holds it under the page's name. Where the page marks a guess but
gives it no name, `DEFAULTS` holds it under a name of ours (the second block). All other choices are told in
the docstring of the function that makes them, after the words "Our choice".
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from random import Random

Rules = Mapping[str, object]
Outcome = dict[str, object]
Number = int | Fraction
Cell = tuple[int, int]

DEFAULTS: Rules = {
    # named by the page
    "margin_10": "at_least",
    "strength_ratio": {},
    "counter_rolls": "weapon",
    "counter_timing": "after",
    "half_rounding": "down",
    "soldiers_per_damage": 1,
    "charge_bonus_in_checks": True,
    "anti_cavalry_attack": 0,
    "rally_tries_per_round": 1,
    "multi_disengage": "opposed",
    "ride_on_check": "opposed",
    "gale_base": 0,
    "melee_swap_bonus": "command_plus_soldiers",
    "shaken_at": None,
    "rout_at": None,
    # marked as a guess by the page, named here
    "natural_in_checks": False,  # BF-00: a 1 fails and a 20 succeeds in checks too
    "opposed_tie": "defender",  # BF-00: or "attacker"
    "natural_1_misses": True,  # BF-01
    "natural_20_hits": True,  # BF-01
    "later_cells": "all",  # BF-08: or "run_up", or "since" the first break through
    "two_cell_share": Fraction(1, 2),  # BF-11
    "siege_counts_caller": True,  # BF-13
    "surrounded_instead": True,  # BF-14: -2 instead of -1, or both
    "siege_morale_adds": True,  # BF-14: a siege's -2 and the turn's -2, or the siege's alone
    "random_enemy_draw": "action",  # BF-15: or "roll"
    "melee_shooting_rolls": "separate",  # BF-15: or "shared"
    "multi_disengage_numbers": True,  # BF-06: numbers count in opposed checks too
    "failed_quick_swap": "lost",  # BF-12: in a melee; or "plain", the usual check follows
    # nowhere on the page
    "break_through_cells": 2,  # BF-08: the target's cell and the one behind
    "fallen_clear_way": True,  # BF-08: a target that routed is ridden over without a check; or it ends there
    "break_in_counter": "target",  # BF-03: into a melee, the counter of the unit aimed at; or "weakest"
    "flank_shots": True,  # BF-14: flanking helps shots too
    "flank_friends": False,  # BF-14: and against friends in the melee of a flanked enemy
    "siege_counters_shots": False,  # BF-13: a caller that shoots is countered too
}

ROLLS = {
    "melee": 3,
    "bow": 3,
    "short_bow": 3,
    "long_bow": 3,
    "light_crossbow": 2,
    "heavy_crossbow": 1,
    "firearm": 1,
}
BOWS = ("bow", "short_bow", "long_bow")
PER_CELL = {"foot": 1, "light": 2, "heavy": 3}
BREAK_IN_GUARD = {"spear": 2, "halberd": 2, "pike": 4}
BREAK_THROUGH_GUARD = {"spear": 4, "halberd": 4, "pike": 6}
BREAK_IN_FORMATION = {"dense": 4, "loose": -4}
BREAK_THROUGH_FORMATION = {"dense": 4, "shield_spear": 8}
# The eight neighbours, 1 to 8, clockwise from the top; x grows to the right and y upwards.
NEIGHBOURS: tuple[Cell, ...] = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))


# ---------------------------------------------------------------- what stands on the field


@dataclass(frozen=True)
class Unit:
    """Soldiers under a commander.

    `damage` is a number, a dice expression ("2d6+1") or "margin". `weapon` is the one in use (a key of
    `ROLLS`) and says how often it rolls; `melee` says whether there are melee weapons at all. `weapons` is
    what stops cavalry or strikes from the saddle ("spear", "halberd", "pike", "lance") and how many soldiers
    carry it, other arms included, so that a mixed unit can be averaged. `mount` is "foot", "light" or
    "heavy"; `formation` is "none", "dense", "loose" or "shield_spear". `training` holds "break_in", "push",
    "break_through", "gale", "follow_up", "lure", "lob", "moving_attack", and the commander's feats
    "fast_riding" and "quick_swap". `move` None is the standard move. Source: BF-01 to BF-17.
    """

    name: str = "unit"
    command: int = 0
    soldiers_strength: int = 0
    attack: int = 0
    defence: int = 10
    soldiers: Number = 100
    morale: int | None = None
    move: int | None = None
    mount: str = "foot"
    heavy_armour: bool = False
    weapon: str = "melee"
    melee: bool = True
    weapons: Mapping[str, int] = field(default_factory=dict)
    formation: str = "none"
    training: frozenset[str] = frozenset()
    damage: int | str = "margin"
    bluff: int = 0
    sense_motive: int = 0


@dataclass(frozen=True)
class Charge:
    """What the charging unit means to do.

    `cells` is the run-up, `zone_cells` those of them paid double by Fast Riding. `does` is "attack",
    "break_in" or "push"; `then`, for cavalry that attacked, "none", "break_in" or "break_through", and
    `break_in_after` whether a failed break through is followed by a break-in. `behind` is the enemy in the
    cell behind the target; `blocked` says that nobody can enter that cell. `ahead` is the next enemy on the
    line, `gap` the free cells between the cell behind the target and that enemy. `again` asks for the second
    break through. `flank` is "none", "flanked" or "surrounded", of the target. Source: BF-02, BF-08.
    """

    cells: int = 0
    zone_cells: int = 0
    does: str = "attack"
    then: str = "none"
    break_in_after: bool = True
    behind: Unit | None = None
    blocked: bool = False
    ahead: Unit | None = None
    gap: int = 0
    again: bool = False
    flank: str = "none"


@dataclass(frozen=True)
class Fighter:
    """A unit in a melee and its two actions of every round: "attack", "disrupt", "rally" or "help".

    With `spread` the second roll of an attack takes the second enemy. Source: BF-01, BF-04, BF-05.
    """

    unit: Unit
    actions: tuple[str, str] = ("attack", "attack")
    spread: bool = False


# ---------------------------------------------------------------- rules, numbers, dice


def setting(rules: Rules, name: str) -> object:
    """The ruleset's value of `name`, or the default of the page."""
    return rules.get(name, DEFAULTS[name])


def choice(rules: Rules, name: str, *allowed: str) -> str:
    """A setting that is one of some words. Raises ValueError for another."""
    value = setting(rules, name)
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}, not one of {allowed}")
    return str(value)


def exact(value: object) -> Fraction:
    """A number of any spelling, without rounding error: 2, 0.5, "1/3"."""
    if isinstance(value, int | Fraction):
        return Fraction(value)
    return Fraction(str(value))


def number(rules: Rules, name: str) -> Number:
    """A setting that is a number."""
    value = setting(rules, name)
    return value if isinstance(value, int) else plain(exact(value))


def plain(value: Number) -> Number:
    """An int where the number is whole."""
    return value if isinstance(value, int) or value.denominator != 1 else int(value)


def rounded(value: Number, rules: Rules) -> Number:
    """A fraction of damage by `half_rounding`. Source: BF-01."""
    way = choice(rules, "half_rounding", "down", "up", "exact")
    if isinstance(value, int) or way == "exact":
        return plain(value)
    return math.floor(value) if way == "down" else math.ceil(value)


def d20(rng: Random) -> int:
    """One die."""
    return rng.randint(1, 20)


@cache
def dice_expression(text: str) -> tuple[tuple[int, int, int], ...]:
    """Read "2d6+1" as the terms (sign, dice, sides); a plain number has 1 side. Raises ValueError."""
    compact = text.replace(" ", "").lower()
    terms = re.findall(r"([+-]?)(\d*)(?:d(\d+))?", compact)
    if not re.fullmatch(r"[+-]?(\d*d\d+|\d+)([+-](\d*d\d+|\d+))*", compact):
        raise ValueError(f"no dice expression: {text!r}")
    return tuple(
        (-1 if sign == "-" else 1, int(dice or 1), int(sides or 1))
        for sign, dice, sides in terms
        if dice or sides
    )


def amount(rng: Random, expression: int | str) -> int:
    """A fixed number, or one throw of a dice expression; never below 0. Our choice: the floor of 0."""
    if isinstance(expression, int):
        return expression
    terms = dice_expression(expression)
    return max(0, sum(sign * rng.randint(1, sides) for sign, dice, sides in terms for _ in range(dice)))


# ---------------------------------------------------------------- checks


@dataclass(frozen=True)
class Check:
    """One check: whether it succeeded, and by how much the total is over (or, below 0, under) the DC."""

    passed: bool
    margin: Number


def roll_check(rng: Random, bonus: Number, dc: Number, rules: Rules) -> Check:
    """d20 + bonus >= DC succeeds; fractions of averaged DCs are compared exactly. Source: BF-00."""
    face = d20(rng)
    margin = plain(face + bonus - dc)
    passed = margin >= 0
    if setting(rules, "natural_in_checks") and face in (1, 20):
        passed = face == 20
    return Check(passed, margin)


def roll_opposed(rng: Random, bonus: Number, other: Number, rules: Rules) -> Check:
    """d20 + bonus against d20 + other; who acts wins, or the defender on a tie. Source: BF-00.

    Our choice: natural faces never count in an opposed check.
    """
    margin = plain((d20(rng) + bonus) - (d20(rng) + other))
    tie = choice(rules, "opposed_tie", "defender", "attacker")
    return Check(margin > 0 or (margin == 0 and tie == "attacker"), margin)


def check(rng: Random, bonus: Number, dc: Number, rules: Rules = DEFAULTS) -> Outcome:
    """A check by itself: `passed` and `margin`. Source: BF-00."""
    result = roll_check(rng, bonus, dc, rules)
    return {"passed": result.passed, "margin": result.margin}


def opposed(rng: Random, bonus: Number, other: Number, rules: Rules = DEFAULTS) -> Outcome:
    """An opposed check by itself: `passed` and `margin` of the one who acts. Source: BF-00."""
    result = roll_opposed(rng, bonus, other, rules)
    return {"passed": result.passed, "margin": result.margin}


def beaten_by_10(result: Check, rules: Rules) -> bool:
    """Succeeded by at least 10, or by more. Source: BF-00."""
    at_least = choice(rules, "margin_10", "at_least", "more") == "at_least"
    return result.passed and (result.margin >= 10 if at_least else result.margin > 10)


def command_plus_soldiers(unit: Unit) -> int:
    """Leadership of the commander and fighting strength of the soldiers. Source: BF-00."""
    return unit.command + unit.soldiers_strength


# ---------------------------------------------------------------- soldiers and morale


def is_gone(unit: Unit) -> bool:
    """Nobody is left of it."""
    return unit.soldiers <= 0


def hurt(unit: Unit, damage: Number, rules: Rules) -> Unit:
    """The unit after its losses; `soldiers_per_damage` soldiers a point, never below 0. Source: BF-01.

    Our choice: soldiers lost are not rounded; damage is.
    """
    if damage == 0:
        return unit
    left = unit.soldiers - damage * number(rules, "soldiers_per_damage")
    return replace(unit, soldiers=plain(max(0, left)))


def morale_state(morale: int | None, rules: Rules) -> str | None:
    """ "steady", "shaken" or "rout"; None where morale or both thresholds are unknown. Source: BF-14.

    Our choice: at the threshold or below it.
    """
    shaken_at, rout_at = setting(rules, "shaken_at"), setting(rules, "rout_at")
    if morale is None or (shaken_at is None and rout_at is None):
        return None
    if rout_at is not None and morale <= exact(rout_at):
        return "rout"
    return "shaken" if shaken_at is not None and morale <= exact(shaken_at) else "steady"


def has_routed(unit: Unit, rules: Rules) -> bool:
    """Nobody is left, or morale is at `rout_at`. Source: BF-08, BF-14."""
    return is_gone(unit) or morale_state(unit.morale, rules) == "rout"


def flank_loss(flank: str, rules: Rules) -> int:
    """What a turn in this state takes from morale: 0, 1, or 2 (3 if both count). Source: BF-14."""
    if flank not in ("none", "flanked", "surrounded"):
        raise ValueError(f"no such state: {flank!r}")
    if flank == "surrounded":
        return 2 if setting(rules, "surrounded_instead") else 3
    return 1 if flank == "flanked" else 0


def morale_report(unit: Unit, change: int, rules: Rules) -> Outcome:
    """The change, the morale after it, and the state that it makes, if the ruleset says. Source: BF-14."""
    morale = None if unit.morale is None else unit.morale + change
    return {"morale_change": change, "morale": morale, "state": morale_state(morale, rules)}


def flanking(unit: Unit, flank: str, besieged: bool = False, rules: Rules = DEFAULTS) -> Outcome:
    """The morale after one turn flanked or surrounded, and perhaps besieged. Source: BF-13, BF-14."""
    turn, siege = flank_loss(flank, rules), 2 if besieged else 0
    change = turn + siege if setting(rules, "siege_morale_adds") else max(turn, siege)
    return morale_report(unit, -change, rules)


# ---------------------------------------------------------------- one blow


@dataclass(frozen=True)
class Blow:
    """What some attack rolls did: how many hit, and the damage."""

    hits: int
    damage: Number


@dataclass(frozen=True)
class Throw:
    """One attack roll before it is compared: the d20, and what the damage dice would show."""

    face: int
    dice: int


def throw(rng: Random, unit: Unit) -> Throw:
    """The d20 of an attack roll, then its damage dice if the unit has any. Source: BF-01."""
    return Throw(d20(rng), 0 if unit.damage == "margin" else amount(rng, unit.damage))


def hit_damage(thrown: Throw, unit: Unit, attack: Number, defence: Number, rules: Rules) -> Number | None:
    """The damage of one roll, or None for a miss: d20 + attack >= defence hits. Source: BF-01."""
    total = thrown.face + attack
    hit = total >= defence
    if thrown.face == 1 and setting(rules, "natural_1_misses"):
        hit = False
    if thrown.face == 20 and setting(rules, "natural_20_hits"):
        hit = True
    if not hit:
        return None
    return max(1, total - defence) if unit.damage == "margin" else thrown.dice


def resolve(
    throws: Sequence[Throw], unit: Unit, attack: Number, defence: Number, times: Number, rules: Rules
) -> Blow:
    """All rolls of an action against one unit, the sum multiplied and then rounded. Source: BF-01.

    Our choice: strength ratio, lances, halves and shares multiply the sum of an action's hits, together, and
    `half_rounding` is applied once, at the end, to whatever fraction remains.
    """
    each = [hit_damage(thrown, unit, attack, defence, rules) for thrown in throws]
    landed = [damage for damage in each if damage is not None]
    return Blow(len(landed), rounded(plain(sum(landed) * times), rules))


def strength_factor(own: Number, other: Number, rules: Rules) -> Number:
    """What the ratio of numbers multiplies damage by. Source: BF-01.

    Our choice: own soldiers over the other's; of the table's ratios the greatest that is reached counts,
    and below all of them the factor is 1. It multiplies damage, not the attack roll.
    """
    table = setting(rules, "strength_ratio")
    if not isinstance(table, Mapping):
        raise ValueError("strength_ratio is a table of ratio -> factor")
    reached = [exact(key) for key in table if other > 0 and exact(key) * other <= own]
    factors = {exact(key): exact(factor) for key, factor in table.items()}
    return plain(factors[max(reached)]) if reached else 1


def weapon_rolls(unit: Unit) -> int:
    """Rolls of one attack action. Source: BF-01."""
    return ROLLS[unit.weapon]


def strike(
    rng: Random, unit: Unit, target: Unit, rolls: int, attack: Number, times: Number, rules: Rules
) -> Blow:
    """Roll an attack outside a melee, with the strength ratio. Source: BF-01."""
    factor = strength_factor(unit.soldiers, target.soldiers, rules)
    throws = [throw(rng, unit) for _ in range(rolls)]
    return resolve(throws, unit, attack, target.defence, factor * times, rules)


def counter_blow(rng: Random, unit: Unit, attacker: Unit, more_attack: Number, rules: Rules) -> Number:
    """The damage of one counter by `unit`: its weapon's rolls at half damage. Source: BF-01.

    Our choice: any attacked unit counters, with the weapon in use, whatever it is, as the page says no more;
    only a break-in asks for melee weapons. The strength ratio counts, by the numbers at that moment.
    """
    if is_gone(unit):
        return 0
    fixed = setting(rules, "counter_rolls")
    rolls = weapon_rolls(unit) if fixed == "weapon" else int(exact(fixed))
    return strike(rng, unit, attacker, rolls, unit.attack + more_attack, Fraction(1, 2), rules).damage


def counter_after(
    rng: Random, before: Unit, after: Unit, attacker: Unit, more_attack: Number, rules: Rules
) -> Number:
    """The counter to an attack, by who is left, or by all if it is "together". Source: BF-01.

    Our choice: a unit that routs by morale alone still counters in this action. "together" is our name for
    the other timing.
    """
    timing = choice(rules, "counter_timing", "after", "together")
    return counter_blow(rng, after if timing == "after" else before, attacker, more_attack, rules)


# ---------------------------------------------------------------- attack actions


def flank_attack(flank: str, unit: Unit, rules: Rules) -> int:
    """+1 to active attacks on a flanked unit, once, surrounded or not. Source: BF-14.

    Our choice: it counts in attack rolls, not in checks; in shots by `flank_shots`.
    """
    if flank == "none" or (unit.weapon != "melee" and not setting(rules, "flank_shots")):
        return 0
    return 1


def attack(
    rng: Random,
    attacker: Unit,
    target: Unit,
    flank: str = "none",
    loaded: bool = True,
    rules: Rules = DEFAULTS,
) -> Outcome:
    """One attack action outside a melee, and the counter to it if it is a melee attack. Source: BF-01, BF-14.

    An unloaded firearm spends the action on loading. `damage` is as rolled, beyond the last soldier too.
    Our choice: the morale lost by being flanked is reported, and does not act within the action.
    """
    report = morale_report(target, -flank_loss(flank, rules), rules)
    if attacker.weapon == "firearm" and not loaded:
        return exchange_report(Blow(0, 0), 0, attacker, target) | {"loaded": True} | report
    blow, countered, left, after = exchange(rng, attacker, target, flank, rules)
    return exchange_report(blow, countered, left, after) | {"loaded": attacker.weapon != "firearm"} | report


def exchange(
    rng: Random, attacker: Unit, target: Unit, flank: str, rules: Rules
) -> tuple[Blow, Number, Unit, Unit]:
    """The blow, the damage of the counter if it is melee, and both units after. Source: BF-01, BF-14."""
    strength = attacker.attack + flank_attack(flank, attacker, rules)
    blow = strike(rng, attacker, target, weapon_rolls(attacker), strength, 1, rules)
    after = hurt(target, blow.damage, rules)
    countered: Number = 0
    if attacker.weapon == "melee":
        countered = counter_after(rng, target, after, attacker, 0, rules)
    return blow, countered, hurt(attacker, countered, rules), after


def exchange_report(blow: Blow, countered: Number, attacker: Unit, target: Unit) -> Outcome:
    """What a blow and its counter did to both."""
    return {
        "hits": blow.hits,
        "damage": blow.damage,
        "counter_damage": countered,
        "attacker_soldiers": attacker.soldiers,
        "target_soldiers": target.soldiers,
        "attacker_destroyed": is_gone(attacker),
        "target_destroyed": is_gone(target),
    }


def moving_attack(
    rng: Random,
    attacker: Unit,
    target: Unit,
    other: Unit | None = None,
    cells: int = 1,
    flank: str = "none",
    rules: Rules = DEFAULTS,
) -> Outcome:
    """A full turn of melee with a move between; `other` is a different second target. Source: BF-16.

    Raises ValueError for too far a move or a second target without the training; who is in reach before and
    after is for the caller to know. Our choice: no second attack on a target, or by a unit, that is gone.
    """
    trained = "moving_attack" in attacker.training
    if attacker.weapon != "melee":
        raise ValueError("a moving attack is a melee attack")
    if cells > (2 if trained else 1):
        raise ValueError(f"{attacker.name} cannot move {cells} cells and attack")
    if other is not None and not trained:
        raise ValueError(f"{attacker.name} must attack one target")
    standing = [target] if other is None else [target, other]
    hits: list[int] = []
    damages: list[Number] = []
    counters: list[Number] = []
    for index in (0, len(standing) - 1):
        blow, countered = Blow(0, 0), plain(0)
        if not is_gone(attacker) and not is_gone(standing[index]):
            blow, countered, attacker, standing[index] = exchange(
                rng, attacker, standing[index], flank, rules
            )
        hits.append(blow.hits)
        damages.append(blow.damage)
        counters.append(countered)
    return {
        "hits": hits,
        "damage": damages,
        "counter_damage": counters,
        "attacker_soldiers": attacker.soldiers,
        "target_soldiers": [unit.soldiers for unit in standing],
    }


# ---------------------------------------------------------------- values of a charge


def is_cavalry(unit: Unit) -> bool:
    """Light or heavy horse."""
    return unit.mount in ("light", "heavy")


def standard_move(unit: Unit) -> int:
    """Cells of one move action. Source: BF-17."""
    if unit.move is not None:
        return unit.move
    if is_cavalry(unit):
        return 6 if unit.mount == "light" else 5
    return 2 if unit.heavy_armour or unit.weapon == "heavy_crossbow" else 3


def run_up(unit: Unit, zones: Sequence[bool], charging: bool = True) -> Outcome:
    """How far a unit comes along a straight line; True is a cell in the zone of another enemy. Source: BF-17.

    A zone cell ends the movement, or costs charging Fast-Riding cavalry double if that is left. The target's
    own zone is no zone in a charge and must be given as False. Returns `cells` and movement `left`.
    """
    left = standard_move(unit) * (2 if charging else 1)
    fast = charging and is_cavalry(unit) and "fast_riding" in unit.training
    cells = 0
    for zone in zones:
        if left < 1:
            break
        cells += 1
        if zone and not (fast and left >= 2):
            left = 0
            break
        left -= 2 if zone else 1
    return {"cells": cells, "left": left}


def charge_attack_bonus(unit: Unit) -> int:
    """+1 to attack in a charge, +1 more for cavalry. Source: BF-02."""
    return 2 if is_cavalry(unit) else 1


def check_attack(unit: Unit, charging: bool, rules: Rules) -> int:
    """Attack as it counts in checks, with the bonus of a charge in that turn. Source: BF-02."""
    if charging and setting(rules, "charge_bonus_in_checks"):
        return unit.attack + charge_attack_bonus(unit)
    return unit.attack


def exposed(unit: Unit, charging: bool) -> Unit:
    """The unit as it is struck: defence -1 in the turn of its charge. Source: BF-02."""
    return replace(unit, defence=unit.defence - 1) if charging else unit


def averaged(unit: Unit, values: Mapping[str, Number]) -> Number:
    """The exact average over the soldiers by what they carry. Source: BF-03, BF-08."""
    carriers = sum(unit.weapons.values())
    if carriers == 0:
        return 0
    total = sum(values.get(name, 0) * carried for name, carried in unit.weapons.items())
    return plain(Fraction(total) / carriers)


def anti_cavalry_attack(unit: Unit, by_cavalry: bool, rules: Rules) -> Number:
    """The attack that spears, halberds and pikes gain against charging cavalry. Source: BF-03.

    Our choice: one number for all three weapons, or a table by weapon; averaged in mixed units; it counts in
    DCs made of the unit's attack, in its opposed roll and in its counters against the charge.
    """
    if not by_cavalry:
        return 0
    value = setting(rules, "anti_cavalry_attack")
    if isinstance(value, Mapping):
        return plain(averaged(unit, {str(name): exact(v) for name, v in value.items()}))
    return plain(averaged(unit, dict.fromkeys(BREAK_IN_GUARD, exact(value))))


# ---------------------------------------------------------------- break-in


def break_in_bonus(unit: Unit, charging: bool, cells: int, joining: bool, rules: Rules) -> int:
    """What is added to the d20 of a break-in. Source: BF-02, BF-03.

    Our choice, by the source's word for a bonus of the one who rolls: the 4 of joining an existing melee
    helps the roll; it does not raise the DC.
    """
    bonus = check_attack(unit, charging, rules)
    if charging:
        bonus += PER_CELL[unit.mount] * cells
    return bonus + (4 if "break_in" in unit.training else 0) + (4 if joining else 0)


def break_in_dc(target: Unit, by_cavalry: bool, rules: Rules) -> Number:
    """15 + melee attack, by formation and, against charging cavalry, by weapons. Source: BF-03."""
    dc: Number = 15 + target.attack + BREAK_IN_FORMATION.get(target.formation, 0)
    if by_cavalry:
        dc += averaged(target, BREAK_IN_GUARD) + anti_cavalry_attack(target, True, rules)
    return plain(dc)


@dataclass(frozen=True)
class Entry:
    """A break-in that was tried: the check, the damage of the counter, and who tried, after it."""

    check: Check
    countered: Number
    attacker: Unit

    @property
    def inside(self) -> bool:
        """Succeeded, and lived through the counter."""
        return self.check.passed and not is_gone(self.attacker)


def try_break_in(
    rng: Random,
    attacker: Unit,
    target: Unit,
    charging: bool,
    cells: int,
    joining: bool,
    rules: Rules,
    counterer: Unit | None = None,
) -> Entry:
    """The check, then exactly one counter if the enemy has melee weapons. Source: BF-03.

    `counterer` is who strikes it, if not the target of the check.
    """
    by_cavalry = charging and is_cavalry(attacker)
    bonus = break_in_bonus(attacker, charging, cells, joining, rules)
    result = roll_check(rng, bonus, break_in_dc(target, by_cavalry, rules), rules)
    countered: Number = 0
    striker = target if counterer is None else counterer
    if striker.melee:
        more = anti_cavalry_attack(striker, by_cavalry, rules)
        countered = counter_blow(rng, striker, exposed(attacker, charging), more, rules)
    return Entry(result, countered, hurt(attacker, countered, rules))


def break_in(
    rng: Random,
    attacker: Unit,
    enemies: Sequence[Unit],
    joining: bool = False,
    charging: bool = False,
    cells: int = 0,
    aimed: int = 0,
    rules: Rules = DEFAULTS,
) -> Outcome:
    """Try to enter a melee with one enemy, or to join one in which there may be several. Source: BF-03.

    Raises ValueError for a unit without melee weapons, or for several enemies that are not in a melee.
    Our choice: in an existing melee the enemy with the lowest attack (the first of equals) sets the whole DC,
    formation and weapons too; a unit killed by the counter is not inside. `aimed` is the enemy aimed at,
    who alone counters, or by `break_in_counter` the weakest does; without melee weapons, the weakest who has.
    """
    if not attacker.melee:
        raise ValueError(f"{attacker.name} has no melee weapons")
    if len(enemies) != 1 and not joining:
        raise ValueError("several enemies stand in one cell only in a melee")
    target = min(enemies, key=lambda enemy: enemy.attack)
    first = enemies[aimed] if setting(rules, "break_in_counter") == "target" else target
    armed = [u for u in (first, *sorted(enemies, key=lambda enemy: enemy.attack)) if u.melee]
    entry = try_break_in(rng, attacker, target, charging, cells, joining, rules, armed[0] if armed else None)
    return {
        "passed": entry.check.passed,
        "margin": entry.check.margin,
        "inside": entry.inside,
        "target": enemies.index(target),
        "counter_damage": entry.countered,
        "attacker_soldiers": entry.attacker.soldiers,
        "attacker_destroyed": is_gone(entry.attacker),
    }


# ---------------------------------------------------------------- push


def push_bonus(unit: Unit, target: Unit, charging: bool, cells: int, rules: Rules) -> int:
    """What is added to the d20 of a push: attack, training, numbers, charge. Source: BF-07, BF-02.

    "Over" and "under" are strict; over four times is +4 instead of +2.
    """
    bonus = check_attack(unit, charging, rules) + (4 if "push" in unit.training else 0)
    if charging:
        bonus += PER_CELL[unit.mount] * cells
    if unit.soldiers > 2 * target.soldiers:
        bonus += 4 if unit.soldiers > 4 * target.soldiers else 2
    return bonus - (4 if 2 * unit.soldiers < target.soldiers else 0)


def push(
    rng: Random,
    attacker: Unit,
    target: Unit,
    behind: Unit | None = None,
    blocked: bool = False,
    charging: bool = False,
    cells: int = 0,
    rules: Rules = DEFAULTS,
) -> Outcome:
    """Push the target one cell back and take its place. Source: BF-07.

    `behind` is an enemy unit in the cell behind, `blocked` a cell that nobody can enter. Our choice: into a
    unit behind there are two rolls, each against that unit's own defence and numbers; if either fails,
    nothing happens, by however much the other succeeded. `margin` is that of the check on the target.
    """
    away = -4 if behind is not None else 0
    bonus = push_bonus(attacker, target, charging, cells, rules) + away
    result = roll_check(rng, bonus, target.defence, rules)
    passed, broken, broken_behind = result.passed, beaten_by_10(result, rules), False
    if behind is not None:
        second = push_bonus(attacker, behind, charging, cells, rules) + away
        passed = roll_check(rng, second, behind.defence, rules).passed and passed
        broken = broken_behind = passed
    return {
        "passed": passed,
        "margin": result.margin,
        "pushed": passed and (not blocked or behind is not None),
        "out_of_formation": broken,
        "behind_out_of_formation": broken_behind,
    }


# ---------------------------------------------------------------- break through and gale


def break_through_bonus(unit: Unit, cells: int, rules: Rules) -> int:
    """What is added to the d20 of a break through. Source: BF-08."""
    trained = 4 if "break_through" in unit.training else 0
    return check_attack(unit, True, rules) + PER_CELL[unit.mount] * cells + trained


def break_through_dc(target: Unit, rules: Rules) -> Number:
    """20 + melee attack, by formation and weapons. Source: BF-08, BF-03 for the attack gained."""
    dc = 20 + target.attack + BREAK_THROUGH_FORMATION.get(target.formation, 0)
    return plain(dc + averaged(target, BREAK_THROUGH_GUARD) + anti_cavalry_attack(target, True, rules))


def break_through(rng: Random, attacker: Unit, target: Unit, cells: int, rules: Rules = DEFAULTS) -> Outcome:
    """The check alone, for cavalry that has charged. Source: BF-08. Raises ValueError for a unit on foot."""
    if not is_cavalry(attacker):
        raise ValueError(f"{attacker.name} is no cavalry")
    return check(rng, break_through_bonus(attacker, cells, rules), break_through_dc(target, rules), rules)


def gale(rng: Random, target: Unit, attack_value: Number, rules: Rules = DEFAULTS) -> Outcome:
    """The unit broken through: "passed", "shaken", or "confused" if it failed by more than 5. Source: BF-09.

    `attack_value` is the attacker's attack with any bonus of the charge.
    """
    result = roll_check(rng, command_plus_soldiers(target), attack_value + number(rules, "gale_base"), rules)
    failed = "confused" if result.margin < -5 else "shaken"
    return {"result": "passed" if result.passed else failed, "margin": result.margin}


# ---------------------------------------------------------------- charge


@dataclass
class Ride:
    """A charge as it goes on: both units as they are, cells charged, movement left, and what happened."""

    rng: Random
    attacker: Unit
    target: Unit
    plan: Charge
    rules: Rules
    cells: int
    left: int
    blow: Blow = field(default_factory=lambda: Blow(0, 0))
    countered: Number = 0
    entry_countered: Number = 0
    through: bool = False
    through_again: bool = False
    gale: str | None = None
    gale_again: str | None = None
    end: str = ""
    steps: list[str] = field(default_factory=list)


def charge(rng: Random, attacker: Unit, target: Unit, plan: Charge, rules: Rules = DEFAULTS) -> Outcome:
    """One charge, by plan, to its end. Source: BF-02, BF-03, BF-07 to BF-09.

    `end` is one of: "pushed", "held" (a push that failed or was blocked), "destroyed" (the target is gone or
    routed), "attacker_destroyed", "attacked" (nothing more was planned), "melee" (with the target),
    "melee_behind", "melee_ahead", "through" (ends beyond the target), "through_again", "repelled".
    Raises ValueError for a plan that the rules do not allow. Our choices: the counter to the attack comes
    before the break through or break-in, and each break-in brings its own counter besides; a break through
    for which no movement is left leaves the break-in.
    """
    left = demand_charge(attacker, plan)
    if plan.does == "push":
        pushed = push(rng, attacker, target, plan.behind, plan.blocked, True, plan.cells, rules)
        return pushed | {"end": "pushed" if pushed["pushed"] else "held"}
    ride = Ride(rng, attacker, target, plan, rules, plan.cells, left)
    if plan.does == "break_in":
        break_in_to_target(ride)
    else:
        attack_in_charge(ride)
        after_attack(ride)
    return ride_report(ride)


def demand_charge(unit: Unit, plan: Charge) -> int:
    """Refuse what no charge can be; else the movement left after the run-up. Source: BF-02, BF-08, BF-17."""
    if unit.weapon != "melee" or not unit.melee:
        raise ValueError(f"{unit.name} cannot charge without melee weapons")
    if plan.does not in ("attack", "break_in", "push") or plan.then not in (
        "none",
        "break_in",
        "break_through",
    ):
        raise ValueError(f"no such charge: {plan.does}, then {plan.then}")
    if plan.then != "none" and (plan.does != "attack" or not is_cavalry(unit)):
        raise ValueError("only cavalry that attacked may go on")
    if plan.zone_cells and not (is_cavalry(unit) and "fast_riding" in unit.training):
        raise ValueError("only Fast-Riding cavalry charges through zones")
    if plan.zone_cells > plan.cells:
        raise ValueError("more zone cells than cells")
    left = 2 * standard_move(unit) - plan.cells - plan.zone_cells
    if left < 0:
        raise ValueError(f"{unit.name} cannot charge {plan.cells} cells")
    return left


def attack_in_charge(ride: Ride) -> None:
    """Three rolls at the charge's attack, lances doubled, then the counter. Source: BF-01, BF-02, BF-14.

    Our choice: any lance among the cavalry's weapons doubles the whole damage.
    """
    unit, struck, rules = ride.attacker, ride.target, ride.rules
    strength = unit.attack + charge_attack_bonus(unit) + flank_attack(ride.plan.flank, unit, rules)
    times = 2 if is_cavalry(unit) and unit.weapons.get("lance") else 1
    ride.blow = strike(ride.rng, unit, struck, 3, strength, times, rules)
    ride.target = hurt(struck, ride.blow.damage, rules)
    more = anti_cavalry_attack(struck, is_cavalry(unit), rules)
    ride.countered = counter_after(ride.rng, struck, ride.target, exposed(unit, True), more, rules)
    ride.attacker = hurt(unit, ride.countered, rules)


def after_attack(ride: Ride) -> None:
    """What follows the damage and the counter. Source: BF-02, BF-08."""
    if has_routed(ride.target, ride.rules):
        ride.end = "destroyed"
        if ride.plan.then == "break_through" and not is_gone(ride.attacker):
            ride_over_target(ride)
    elif is_gone(ride.attacker):
        ride.end = "attacker_destroyed"
    elif ride.plan.then == "none":
        ride.end = "attacked"
    elif ride.plan.then == "break_in":
        break_in_to_target(ride)
    else:
        break_through_target(ride)


def cells_counted(ride: Ride) -> int:
    """The cells that count in a check after the first break through. Source: BF-08."""
    way = choice(ride.rules, "later_cells", "all", "run_up", "since")
    if way == "all" or not ride.through:
        return ride.cells
    return ride.plan.cells if way == "run_up" else ride.cells - ride.plan.cells


def enter(ride: Ride, enemy: Unit, inside: str, outside: str) -> None:
    """A break-in during the charge, and where it ends. Source: BF-03."""
    entry = try_break_in(ride.rng, ride.attacker, enemy, True, cells_counted(ride), False, ride.rules)
    ride.attacker = entry.attacker
    ride.entry_countered += entry.countered
    ride.steps.append("break_in" if entry.check.passed else "no break_in")
    ride.end = inside if entry.check.passed else outside
    if is_gone(entry.attacker):
        ride.end = "attacker_destroyed"


def break_in_to_target(ride: Ride) -> None:
    """Into melee with the target, or repelled. Source: BF-02, BF-03."""
    enter(ride, ride.target, "melee", "repelled")


def passes(ride: Ride, enemy: Unit) -> bool:
    """One break through of `enemy` at the cells that count. Source: BF-08."""
    bonus = break_through_bonus(ride.attacker, cells_counted(ride), ride.rules)
    passed = roll_check(ride.rng, bonus, break_through_dc(enemy, ride.rules), ride.rules).passed
    ride.steps.append("break_through" if passed else "no break_through")
    return passed


def has_room(ride: Ride) -> bool:
    """Movement is left for the target's cell and the cell behind it. Source: BF-08.

    Our choice: both cells are paid for (`break_through_cells` 2), also where an enemy stands behind.
    """
    return ride.left >= number(ride.rules, "break_through_cells")


def crossing(ride: Ride) -> int:
    """Cells paid to be in the cell of the unit broken through; the cell behind is one more."""
    return int(number(ride.rules, "break_through_cells")) - 1


def advance(ride: Ride, cells: int) -> None:
    """Ride on so many cells."""
    ride.cells += cells
    ride.left -= cells


def break_through_target(ride: Ride) -> None:
    """The first break through; failing it, a break-in if that is planned. Source: BF-08."""
    if has_room(ride) and not ride.plan.blocked and passes(ride, ride.target):
        ride.through = True
        ride.gale = gale_in_charge(ride, ride.target)
        advance(ride, crossing(ride))
        beyond_target(ride)
    elif ride.plan.break_in_after:
        break_in_to_target(ride)
    else:
        ride.end = "repelled"


def ride_over_target(ride: Ride) -> None:
    """Nobody is there to be broken through: on to who is behind or ahead, by the ruleset. Source: BF-08.

    Our choice: there is no check and no gale, and it counts as having broken through.
    """
    if setting(ride.rules, "fallen_clear_way") and has_room(ride) and not ride.plan.blocked:
        ride.through = True
        advance(ride, crossing(ride))
        beyond_target(ride)


def gale_in_charge(ride: Ride, enemy: Unit) -> str | None:
    """The check of a unit broken through by one with the training. Source: BF-09, BF-02.

    Our choice: it follows each break through, the second too, and comes before anything else.
    """
    if "gale" not in ride.attacker.training:
        return None
    return str(gale(ride.rng, enemy, check_attack(ride.attacker, True, ride.rules), ride.rules)["result"])


def beyond_target(ride: Ride) -> None:
    """An enemy right behind, or an empty cell and perhaps an enemy ahead. Source: BF-08.

    Our choice: cells of the crossing and of the ride on are cells charged. An enemy ahead is met if movement
    reaches the cell beside it; if not, the unit rides as far as it can.
    """
    plan = ride.plan
    if plan.behind is not None:
        meet_behind(ride, plan.behind)
        return
    advance(ride, 1)
    if plan.ahead is not None and ride.left >= plan.gap:
        advance(ride, plan.gap)
        meet_ahead(ride, plan.ahead)
    else:
        advance(ride, ride.left)
        ride.end = "through"


def goes_again(ride: Ride, enemy: Unit) -> bool | None:
    """The second break through: None if it is not tried, else whether it succeeds. Source: BF-08, BF-09.

    Heavy cavalry with the training only, with movement left for two cells more. Our choice: it takes the
    place of the break-in or the check to enter melee, strikes no blow, and ends the charge where it ends:
    a third enemy is not looked for.
    """
    able = ride.attacker.mount == "heavy" and "follow_up" in ride.attacker.training
    if not (ride.plan.again and able and has_room(ride)):
        return None
    if not passes(ride, enemy):
        return False
    ride.through_again = True
    ride.gale_again = gale_in_charge(ride, enemy)
    advance(ride, ride.left)
    ride.end = "through_again"
    return True


def meet_behind(ride: Ride, enemy: Unit) -> None:
    """A break-in to the unit behind; failing it, melee with the unit broken through, if any. Source: BF-08.

    Our choice: a failed second break through is followed by that same break-in, if planned.
    """
    again, left_with = goes_again(ride, enemy), "through" if has_routed(ride.target, ride.rules) else "melee"
    if again is None or (again is False and ride.plan.break_in_after):
        enter(ride, enemy, "melee_behind", left_with)
    elif again is False:
        ride.end = left_with


def meet_ahead(ride: Ride, enemy: Unit) -> None:
    """One check to enter melee with an enemy ahead; failing it, the unit stands before it. Source: BF-08.

    Our choice: the opposed check is d20 + attack on both sides, with the charge's attack bonus but without
    cells, and no counter; a failed second break through is followed by a break-in, if planned.
    """
    again = goes_again(ride, enemy)
    if again is True:
        return
    ride.end = "through"
    if again is False:
        if ride.plan.break_in_after:
            enter(ride, enemy, "melee_ahead", "through")
    elif choice(ride.rules, "ride_on_check", "opposed", "break_in") == "break_in":
        enter(ride, enemy, "melee_ahead", "through")
    else:
        own = check_attack(ride.attacker, True, ride.rules)
        other = enemy.attack + anti_cavalry_attack(enemy, True, ride.rules)
        if roll_opposed(ride.rng, own, other, ride.rules).passed:
            ride.end = "melee_ahead"


def ride_report(ride: Ride) -> Outcome:
    """All that the charge did. `cells` counts every cell ridden."""
    report = exchange_report(ride.blow, ride.countered, ride.attacker, ride.target) | {
        "break_in_counter_damage": ride.entry_countered,
        "through": ride.through,
        "through_again": ride.through_again,
        "gale": ride.gale,
        "gale_again": ride.gale_again,
        "cells": ride.cells,
        "left": ride.left,
        "steps": ride.steps,
        "end": ride.end,
    }
    return report | morale_report(ride.target, -flank_loss(ride.plan.flank, ride.rules), ride.rules)


# ---------------------------------------------------------------- in a melee: disrupt, rally, disengage


def disrupt(rng: Random, unit: Unit, target: Unit, rules: Rules = DEFAULTS) -> Outcome:
    """d20 + attack against 10 + the target's attack; it is confused. Source: BF-04."""
    result = roll_check(rng, unit.attack, 10 + target.attack, rules)
    return {"confused": result.passed, "margin": result.margin}


def rally_try(rng: Random, unit: Unit, disruptor: Unit, age: int, helped: bool, rules: Rules) -> bool:
    """One try, `age` rounds after the first. Source: BF-05."""
    dc = 10 + command_plus_soldiers(disruptor) - 2 * age
    return roll_check(rng, command_plus_soldiers(unit) + (4 if helped else 0), dc, rules).passed


def rally(
    rng: Random,
    unit: Unit,
    disruptor: Unit,
    rounds: int = 1,
    helped: bool = False,
    renewed: Collection[int] = (),
    rules: Rules = DEFAULTS,
) -> Outcome:
    """Try to recover over some rounds; `round` is the one in which it did, counted from 1, or None.

    `renewed` are the rounds before whose tries the disruption was renewed: the DC is full again.
    Source: BF-05. Our choice: a helping friend helps every try; all tries of a round have one DC.
    """
    age = 0
    tries = int(number(rules, "rally_tries_per_round"))
    for turn in range(1, rounds + 1):
        if turn in renewed:
            age = 0
        if any(rally_try(rng, unit, disruptor, age, helped, rules) for _ in range(tries)):
            return {"recovered": True, "round": turn}
        age += 1
    return {"recovered": False, "round": None}


def number_dc(unit: Unit, enemy: Unit) -> int:
    """+2 for an enemy of over twice our number, +4 for over four times. Source: BF-06."""
    if enemy.soldiers > 4 * unit.soldiers:
        return 4
    return 2 if enemy.soldiers > 2 * unit.soldiers else 0


def disengage(
    rng: Random,
    unit: Unit,
    enemies: Sequence[Unit],
    waived: Collection[int] = (),
    helpers: Sequence[Unit] = (),
    free_cell: bool = True,
    adjacent: Unit | None = None,
    rules: Rules = DEFAULTS,
) -> Outcome:
    """Leave a melee; `waived` are the positions of enemies that let the unit go. Source: BF-06.

    Without a free cell the unit may break in to an `adjacent` enemy's cell; without that it stays. Our
    choices: helpers lend their attack, the best of all and our own counts, in every check of the attempt,
    and our own number stays; in the opposed form numbers are added to the enemy's roll; the form goes by all
    enemies inside, those that waive too; each check has its own die; the break-in takes the place of the
    disengage checks and is one of BF-03 with its counter.
    """
    if not free_cell:
        return break_out(rng, unit, adjacent, rules)
    value = max([unit.attack] + [helper.attack for helper in helpers])
    way = choice(rules, "multi_disengage", "opposed", "dc") if len(enemies) > 1 else "dc"
    passed = []
    for index, enemy in enumerate(enemies):
        counts = way == "dc" or setting(rules, "multi_disengage_numbers")
        against = enemy.attack + (number_dc(unit, enemy) if counts else 0)
        if index in waived:
            passed.append(True)
        elif way == "opposed":
            passed.append(roll_opposed(rng, value, against, rules).passed)
        else:
            passed.append(roll_check(rng, value, 10 + against, rules).passed)
    return {
        "free": all(passed),
        "checks": passed,
        "broke_in": False,
        "counter_damage": 0,
        "soldiers": unit.soldiers,
    }


def break_out(rng: Random, unit: Unit, adjacent: Unit | None, rules: Rules) -> Outcome:
    """No free cell: break in to a neighbour's cell, or stay. Source: BF-06, BF-03."""
    report: Outcome = {"free": False, "checks": [], "broke_in": False}
    if adjacent is None:
        return report | {"counter_damage": 0, "soldiers": unit.soldiers}
    entry = try_break_in(rng, unit, adjacent, False, 0, False, rules)
    report |= {"free": entry.inside, "broke_in": entry.inside}
    return report | {"counter_damage": entry.countered, "soldiers": entry.attacker.soldiers}


# ---------------------------------------------------------------- melee by rounds


@dataclass
class Standing:
    """A unit in a melee, from action to action; `age` counts its own turns since it was disrupted."""

    unit: Unit
    plan: Fighter
    disruptor: Unit | None = None
    age: int = 0
    tries: int = 0
    helped: bool = False
    loaded: bool = True
    dealt: Number = 0


def melee(
    rng: Random, first: Sequence[Fighter], second: Sequence[Fighter], rounds: int = 1, rules: Rules = DEFAULTS
) -> Outcome:
    """A melee: each round all units of the first side take two actions each, then all of the second.

    Source: BF-01, BF-04, BF-05. It ends early when one side is gone. Our choices: losses count at once, so
    who is destroyed acts no more; a unit strikes the first enemy that stands, in the order given; being
    confused does nothing by itself, as its effects are unknown. `by_round` has the soldiers of both sides
    after each round, and `confused` who is there and confused at the end.
    """
    sides = [[Standing(f.unit, f) for f in first], [Standing(f.unit, f) for f in second]]
    by_round: list[tuple[list[Number], list[Number]]] = []
    fought = 0
    for _ in range(rounds):
        if all(in_field(side) for side in sides):
            fought += 1
            side_turn(rng, sides[0], sides[1], rules)
            side_turn(rng, sides[1], sides[0], rules)
        by_round.append((soldiers_of(sides[0]), soldiers_of(sides[1])))
    return {
        "rounds": fought,
        "soldiers": [soldiers_of(side) for side in sides],
        "dealt": [[s.dealt for s in side] for side in sides],
        "confused": [[s.disruptor is not None and not is_gone(s.unit) for s in side] for side in sides],
        "gone": [not in_field(side) for side in sides],
        "by_round": by_round,
    }


def in_field(side: Sequence[Standing]) -> list[Standing]:
    """Those of a side that are not gone."""
    return [s for s in side if not is_gone(s.unit)]


def soldiers_of(side: Sequence[Standing]) -> list[Number]:
    """Soldiers left, unit by unit."""
    return [s.unit.soldiers for s in side]


def side_turn(rng: Random, side: Sequence[Standing], enemies: Sequence[Standing], rules: Rules) -> None:
    """Two actions of each unit of the side; then its disruptions are a round older. Source: BF-05."""
    for acting in in_field(side):
        acting.tries = 0
        for action in acting.plan.actions:
            if in_field(enemies):
                melee_action(rng, acting, action, side, enemies, rules)
        acting.age += 1


def melee_action(
    rng: Random,
    acting: Standing,
    action: str,
    side: Sequence[Standing],
    enemies: Sequence[Standing],
    rules: Rules,
) -> None:
    """One action in a melee. Source: BF-01, BF-04, BF-05.

    Our choice: a rally without need, or past the tries of the round, and help that no friend needs become
    attacks.
    """
    may_try = acting.tries < number(rules, "rally_tries_per_round")
    needy = [s for s in in_field(side) if s is not acting and s.disruptor is not None and not s.helped]
    if action == "disrupt":
        disrupt_in_melee(rng, acting, in_field(enemies), rules)
    elif action == "rally" and acting.disruptor is not None and may_try:
        rally_in_melee(rng, acting, acting.disruptor, rules)
    elif action == "help" and needy:
        needy[0].helped = True
    elif action in ("attack", "rally", "help"):
        attack_in_melee(rng, acting, enemies, rules)
    else:
        raise ValueError(f"no such action in a melee: {action!r}")


def attack_in_melee(rng: Random, acting: Standing, enemies: Sequence[Standing], rules: Rules) -> None:
    """Two rolls, no strength ratio, no counter; each picks its target as it falls. Source: BF-01.

    A firearm that has shot takes the action for loading.
    """
    if not acting.loaded:
        acting.loaded = True
        return
    acting.loaded = acting.unit.weapon != "firearm"
    for roll in range(2):
        standing = in_field(enemies)
        if not standing:
            return
        struck = standing[1 if roll == 1 and acting.plan.spread and len(standing) > 1 else 0]
        unit = acting.unit
        damage = resolve([throw(rng, unit)], unit, unit.attack, struck.unit.defence, 1, rules).damage
        acting.dealt += damage
        struck.unit = hurt(struck.unit, damage, rules)


def disrupt_in_melee(rng: Random, acting: Standing, enemies: Sequence[Standing], rules: Rules) -> None:
    """Disrupt the first enemy not yet confused, else renew that of the first. Source: BF-04, BF-05."""
    fresh = [s for s in enemies if s.disruptor is None]
    target = (fresh or list(enemies))[0]
    if disrupt(rng, acting.unit, target.unit, rules)["confused"]:
        target.disruptor, target.age = acting.unit, 0


def rally_in_melee(rng: Random, acting: Standing, disruptor: Unit, rules: Rules) -> None:
    """One try; help is used up by it. Source: BF-05."""
    acting.tries += 1
    if rally_try(rng, acting.unit, disruptor, acting.age, acting.helped, rules):
        acting.disruptor = None
    acting.helped = False


# ---------------------------------------------------------------- into a melee from outside


def strike_into_melee(
    rng: Random,
    attacker: Unit,
    enemies: Sequence[Unit],
    friends_disrupted: Sequence[bool],
    flank: str = "none",
    rules: Rules = DEFAULTS,
) -> Outcome:
    """An outsider's melee attack: 2 rolls at a random enemy inside. Source: BF-15.

    No counter unless all friends inside are disrupted. Our choices: the strength ratio counts, between the
    outsider and the unit struck; the counter is that of the units struck, each by itself.
    """
    if attacker.weapon != "melee":
        raise ValueError("an outsider's melee attack needs a melee weapon")
    once = choice(rules, "random_enemy_draw", "action", "roll") == "action"
    drawn = [rng.randrange(len(enemies))]
    drawn.append(drawn[0] if once else rng.randrange(len(enemies)))
    strength = attacker.attack + flank_attack(flank, attacker, rules)
    blows = {i: strike(rng, attacker, enemies[i], drawn.count(i), strength, 1, rules) for i in set(drawn)}
    after = [hurt(e, blows[i].damage, rules) if i in blows else e for i, e in enumerate(enemies)]
    countered: Number = 0
    if friends_disrupted and all(friends_disrupted):
        countered = sum(counter_after(rng, enemies[i], after[i], attacker, 0, rules) for i in sorted(blows))
    return {
        "targets": drawn,
        "damage": [blows[i].damage if i in blows else 0 for i in range(len(enemies))],
        "soldiers": [e.soldiers for e in after],
        "counter_damage": countered,
        "attacker_soldiers": hurt(attacker, countered, rules).soldiers,
    }


def shoot_into_melee(
    rng: Random,
    shooter: Unit,
    inside: Sequence[Unit],
    friends: Collection[int] = (),
    flank: str = "none",
    rules: Rules = DEFAULTS,
) -> Outcome:
    """Shooting at a melee: friends and enemies inside, each by its share of all soldiers. Source: BF-15.

    `friends` are the positions of the shooter's friends inside. Our choices: the strength ratio counts for
    each unit by itself; the share is of the soldiers before it; the +1 of flanking counts against friends
    by `flank_friends`.
    """
    if shooter.weapon == "melee":
        raise ValueError(f"{shooter.name} has nothing to shoot with")
    shared = choice(rules, "melee_shooting_rolls", "separate", "shared") == "shared"
    everyone = exact(sum(unit.soldiers for unit in inside))
    rolls = weapon_rolls(shooter)
    throws = [throw(rng, shooter) for _ in range(rolls)]
    blows = []
    for index, unit in enumerate(inside):
        if not shared:
            throws = [throw(rng, shooter) for _ in range(rolls)]
        share = unit.soldiers / everyone
        times = strength_factor(shooter.soldiers, unit.soldiers, rules) * share
        helped = index not in friends or setting(rules, "flank_friends")
        strength = shooter.attack + (flank_attack(flank, shooter, rules) if helped else 0)
        blows.append(resolve(throws, shooter, strength, unit.defence, times, rules))
    return {
        "hits": [blow.hits for blow in blows],
        "damage": [blow.damage for blow in blows],
        "soldiers": [hurt(u, b.damage, rules).soldiers for u, b in zip(inside, blows, strict=True)],
    }


# ---------------------------------------------------------------- lure


def smaller_side(unit: Unit, other: Unit) -> int:
    """+2 for under half of the other's number, +4 for under a quarter. Source: BF-10."""
    if 4 * unit.soldiers < other.soldiers:
        return 4
    return 2 if 2 * unit.soldiers < other.soldiers else 0


def lure(
    rng: Random,
    lurer: Unit,
    target: Unit,
    stay: bool = False,
    ranged: bool | None = None,
    rules: Rules = DEFAULTS,
) -> Outcome:
    """Bluff against sense motive; `stay` is to stay in the cell and fight in a melee. Source: BF-10.

    Failed, the lurer takes one counter. `ranged` says whether the lurer has ranged weapons; None goes by the
    weapon in use.
    """
    shoots = lurer.weapon != "melee" if ranged is None else ranged
    own = lurer.bluff + smaller_side(lurer, target)
    own += (4 if shoots else 0) + (4 if "lure" in lurer.training else 0)
    other = target.sense_motive + command_plus_soldiers(target) + smaller_side(target, lurer)
    result = roll_opposed(rng, own, other, rules)
    countered = 0 if result.passed else counter_blow(rng, target, lurer, 0, rules)
    return {
        "lured": result.passed,
        "melee": result.passed and stay,
        "counter_damage": countered,
        "soldiers": hurt(lurer, countered, rules).soldiers,
    }


# ---------------------------------------------------------------- lobbed fire


def neighbour(rng: Random, cell: Cell) -> Cell:
    """1d8 clockwise from the top. Source: BF-11. Our choice: x grows to the right and y upwards."""
    dx, dy = NEIGHBOURS[rng.randint(1, 8) - 1]
    return cell[0] + dx, cell[1] + dy


def where_it_lands(
    rng: Random, shooter: Unit, cells: Sequence[Cell], rules: Rules
) -> tuple[bool, dict[Cell, Fraction]]:
    """Whether it lands as meant, and the share of the damage on each cell. Source: BF-11."""
    bonus, trained = command_plus_soldiers(shooter), "lob" in shooter.training
    if len(cells) == 1:
        if trained or roll_check(rng, bonus, 15, rules).passed:
            return True, {cells[0]: Fraction(1)}
        return False, {cells[0]: Fraction(1, 2), neighbour(rng, cells[0]): Fraction(1, 2)}
    if trained or roll_check(rng, bonus, 12, rules).passed:
        return True, dict.fromkeys(cells, exact(setting(rules, "two_cell_share")))
    centre = cells[rng.randint(1, 2) - 1]
    return False, {centre: Fraction(1, 2), neighbour(rng, centre): Fraction(1, 2)}


def lob(
    rng: Random, shooter: Unit, target: Unit, cells: Sequence[Cell] = ((0, 0),), rules: Rules = DEFAULTS
) -> Outcome:
    """Bows over what is between, at one cell or on purpose at two. Source: BF-11, BF-01.

    Returns whether it landed as meant, the `shares` by cell, the whole `damage` and `damage_by_cell`. Raises
    ValueError for other weapons, or for another number of cells. Our choices: the damage is rolled once, by
    one attack action against `target`, who stands in the first cell, and each share of it is rounded by
    itself, whoever stands in the other cell; the two cells need not be neighbours; no unit there, no matter.
    """
    if shooter.weapon not in BOWS:
        raise ValueError(f"{shooter.name} has no bows")
    if len(cells) not in (1, 2) or len(set(cells)) != len(cells):
        raise ValueError("one cell, or two different ones")
    on_target, shares = where_it_lands(rng, shooter, cells, rules)
    throws = [throw(rng, shooter) for _ in range(weapon_rolls(shooter))]
    factor = strength_factor(shooter.soldiers, target.soldiers, rules)
    each = {
        cell: resolve(throws, shooter, shooter.attack, target.defence, factor * share, rules).damage
        for cell, share in shares.items()
    }
    whole = resolve(throws, shooter, shooter.attack, target.defence, factor, rules)
    hit = hurt(target, each.get(cells[0], 0), rules)
    return {
        "on_target": on_target,
        "shares": shares,
        "hits": whole.hits,
        "damage": whole.damage,
        "damage_by_cell": each,
        "target_soldiers": hit.soldiers,
    }


# ---------------------------------------------------------------- siege


def lob_into_melee(
    rng: Random, shooter: Unit, target: Unit, others: Sequence[Unit], rules: Rules = DEFAULTS
) -> Outcome:
    """A lob at one cell in which the target and `others`, friends and enemies, fight. Source: BF-11, BF-15.

    Our choice: each unit there takes a volley of its own, times the cell's share, times its share of all
    soldiers there, rounded once.
    """
    _, shares = where_it_lands(rng, shooter, ((0, 0),), rules)
    everyone = exact(sum(unit.soldiers for unit in (target, *others)))
    left = []
    for unit in (target, *others):
        throws = [throw(rng, shooter) for _ in range(weapon_rolls(shooter))]
        times = (
            strength_factor(shooter.soldiers, unit.soldiers, rules) * shares[0, 0] * unit.soldiers / everyone
        )
        left.append(
            hurt(unit, resolve(throws, shooter, shooter.attack, unit.defence, times, rules).damage, rules)
        )
    return {"soldiers": [unit.soldiers for unit in left]}


def siege_check(rng: Random, target: Unit, units: int, rules: Rules = DEFAULTS) -> Outcome:
    """The besieged: "passed", "shaken", or "confused" if it failed by 5 or more. Source: BF-13.

    `units` is how many besiege, the caller among them; without `siege_counts_caller` one less counts.
    """
    counted = units if setting(rules, "siege_counts_caller") else units - 1
    result = roll_check(rng, command_plus_soldiers(target), 10 + 2 * counted, rules)
    failed = "confused" if result.margin <= -5 else "shaken"
    return {"result": "passed" if result.passed else failed, "margin": result.margin}


def besiege(
    rng: Random,
    caller: Unit,
    answering: Sequence[Unit],
    target: Unit,
    lines: int = 3,
    flank: str = "surrounded",
    rules: Rules = DEFAULTS,
) -> Outcome:
    """A siege: all attack, the caller is countered, the target checks. Source: BF-13, BF-14, BF-01.

    `result` is that of the check, or "destroyed". Raises ValueError for less than two units that answer or
    three flanking `lines`. Our choices: every besieger has the +1 of flanking; all attack at once, so ratios
    go by the numbers before, and the counter by who is left after all; a caller that
    shoots is countered by `siege_counters_shots`;
    a target that is gone makes no check. `morale_change` is the siege's and the turn's together,
    `siege_morale` the siege's alone.
    """
    if len(answering) < 2 or lines < 3:
        raise ValueError("a siege needs two more units and three flanking lines")
    besiegers = [caller, *answering]
    attacks = [u.attack + flank_attack(flank, u, rules) for u in besiegers]
    pairs = zip(besiegers, attacks, strict=True)
    blows = [strike(rng, u, target, weapon_rolls(u), strength, 1, rules) for u, strength in pairs]
    after = hurt(target, sum(blow.damage for blow in blows), rules)
    countered: Number = 0
    if caller.weapon == "melee" or setting(rules, "siege_counters_shots"):
        countered = counter_after(rng, target, after, caller, 0, rules)
    result = "destroyed" if is_gone(after) else siege_check(rng, target, len(besiegers), rules)["result"]
    report: Outcome = {
        "hits": [blow.hits for blow in blows],
        "damage": [blow.damage for blow in blows],
        "counter_damage": countered,
        "caller_soldiers": hurt(caller, countered, rules).soldiers,
        "target_soldiers": after.soldiers,
        "result": result,
        "siege_morale": -2,
        "lost_actions": len(answering),
    }
    return report | flanking(target, flank, True, rules)


# ---------------------------------------------------------------- weapon swap


def swap_bonus(unit: Unit, in_melee: bool, rules: Rules) -> int:
    """Command + soldiers, or in a melee by `melee_swap_bonus`. Source: BF-12."""
    way = choice(rules, "melee_swap_bonus", "command_plus_soldiers", "command")
    return unit.command if in_melee and way == "command" else command_plus_soldiers(unit)


def swap(
    rng: Random,
    unit: Unit,
    drop: bool = False,
    in_melee: bool = False,
    quick: bool = True,
    tries: int | None = None,
    rules: Rules = DEFAULTS,
) -> Outcome:
    """Change weapons: 2 actions, or 1 if the old one is dropped. Source: BF-12.

    `quick` tries to save an action and needs the feat (ValueError). Returns `swapped`, `saved`, the `actions`
    spent in all, and `on_try`, the try that succeeded or None: the first finishes the swap in that same
    action, the second at the start of the next. Our choices: the two tries of a two-action swap are those of
    a quick swap (`tries` overrides); in a melee a quick swap is one check against 15 in place of the one
    against 10, a failed check loses its action and changes nothing, and the plain one has a single try. By
    `failed_quick_swap` quick tries that fail in a melee cost nothing, and that single try follows.
    """
    if quick and "quick_swap" not in unit.training:
        raise ValueError(f"{unit.name} has not the feat for a quick swap")
    needed = 1 if drop else 2
    chances = tries if tries is not None else (needed if quick else 1)
    on_try = None
    if quick or in_melee:
        dc = 15 if in_melee and quick else 10
        bonus = swap_bonus(unit, in_melee, rules)
        on_try = next((n for n in range(1, chances + 1) if roll_check(rng, bonus, dc, rules).passed), None)
    saved = quick and on_try is not None
    usual = in_melee and quick and choice(rules, "failed_quick_swap", "lost", "plain") == "plain"
    if usual and not saved:
        swapped = roll_check(rng, swap_bonus(unit, in_melee, rules), 10, rules).passed
        return {"swapped": swapped, "saved": False, "actions": needed if swapped else 1, "on_try": None}
    if not in_melee:
        return {"swapped": True, "saved": saved, "actions": needed - int(saved), "on_try": on_try}
    swapped = on_try is not None
    lost = 0 if usual else chances if on_try is None else on_try - 1
    spent = lost + (needed - int(saved) if swapped else 0)
    return {"swapped": swapped, "saved": saved, "actions": spent, "on_try": on_try}
