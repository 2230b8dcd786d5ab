"""A literal referee for Kings of War: it throws one die at a time, as the rule page says.

It is a second witness for the exact engine, so it shares nothing with it.
Source: KOW-01 to KOW-09 and the appendix of special rules.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random

Rules = Mapping[str, object]


# ---------------------------------------------------------------- what stands on the table


@dataclass(frozen=True)
class Unit:
    """A whole unit; no model is ever removed. `waver` None is "-/N", or the single Ne of edition 4."""

    name: str = "unit"
    size: str | None = None
    kind: str = "infantry"
    sp: int = 0
    me: int = 4
    ra: int | None = None
    de: int = 4
    at: int = 1
    waver: int | None = None
    rout: int = 10
    rules: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Charger:
    """One of the units that charge, the side of the enemy that it strikes, and whether it is hindered."""

    unit: Unit
    facing: str = "front"
    hindered: bool = False


@dataclass(frozen=True)
class Table:
    """The situation. In a melee each charger has its own facing; `facing` is for volleys and fights."""

    facing: str = "front"
    hindered: bool = False
    disordered: bool = False
    damage_before: int = 0
    attacker_damage_before: int = 0
    attacker_nerve: int = 0
    inspiring: bool = False
    attacker_inspiring: bool = False
    dread: bool = False
    rallying: int = 0
    attacker_rallying: int = 0
    hit_mod: int = 0
    damage_mod: int = 0
    nerve_mod: int = 0
    distance: int | float = 0
    difficult: int | float = 0
    cover: str = "none"
    order: str = "halt"
    long_range: bool = False
    breath: bool = False
    turns: int = 1


@dataclass(frozen=True)
class Outcome:
    """What one volley or one melee did; `damage` leaves out the D6 more of a passed double 6."""

    hits: int
    damage: int
    damage_after: int
    nerve: str
    attacker_damage_after: int


@dataclass(frozen=True)
class FightOutcome:
    """How a fight ended, and who had routed after each round: (attacker, defender)."""

    attacker_damage: int
    defender_damage: int
    attacker_rout: bool
    defender_rout: bool
    rounds: list[tuple[bool, bool]]


# ---------------------------------------------------------------- the editions

EDITIONS: dict[str, tuple[object, object, object, object]] = {
    # KOW-01 dice
    "flank_factor": (2, 2, 2, 2),
    "rear_factor": (3, 3, 3, 3),
    "individual_factor": (1, 1, 1, 2),
    "individual_flanks": (False, False, False, False),
    "duelist_factor": (1, 1, 2, 2),
    "duelist_pooling": ("product", "product", "product", "product"),
    "war_engine_factor": (0, 0, 3, 3),
    "phalanx_dice_regiment": (5, 0, 0, 0),
    "phalanx_dice_horde": (10, 0, 0, 0),
    "phalanx_dice_facing": ("any", "any", "any", "any"),
    # KOW-02 to hit
    "cover_soft": (1, 1, 1, 1),
    "cover_hard": (2, 2, 2, 2),
    "moving_penalty": (1, 1, 1, 0),
    "halt_bonus": (0, 0, 0, 1),
    "long_range_penalty": (1, 1, 1, 1),
    "hindered_penalty": (1, 1, 1, 1),
    "stealthy": (1, 1, 1, 1),
    "individual_shot": (1, 1, 1, 1),
    "ensnare": (0, 1, 1, 0),
    "phalanx_penalty": (1, 0, 1, 0),
    "phalanx_stacks": (True, False, False, False),
    "phalanx_hinders": (False, False, False, True),
    "phalanx_large_cavalry": (False, False, True, True),
    "phalanx_facing": ("front", "front", "front", "front"),
    # KOW-03 needing more than 6
    "half_dice_above": (6, 6, 6, 6),
    "halve_order": ("facing_first", "facing_first", "facing_first", "facing_first"),
    # KOW-04 to damage
    "natural_six_damages": (False, False, False, True),
    "thunderous": (False, True, True, True),
    "thunderous_hindered_loss": (0, 0, 1, 1),
    "phalanx_cancels_thunderous": (False, True, True, True),
    "big_shield_de": (6, 6, 6, 6),
    # KOW-05 nerve
    "nerve_values": ("two", "two", "two", "one"),
    "double_one_steady": (False, True, True, True),
    "double_six_wavers": (False, True, True, True),
    "double_six_damage": (False, False, False, True),
    "devastated": (False, False, False, True),
    "devastated_nerve": ("printed", "printed", "printed", "printed"),
    "fearless_devastated": ("steady", "steady", "steady", "steady"),
    "brutal": ("none", "one", "n", "n"),
    "brutal_pooling": ("highest", "highest", "highest", "highest"),
    "dread": (0, 1, 1, 1),
    "dread_with_brutal": (True, True, False, False),
    "rallying_cap": (0, 2, 2, 2),
    "shattering": (0, 0, 1, 1),
    # KOW-06 inspiring
    "inspiring": ("rout", "rout", "rout", "failed"),
    "inspiring_double_six": (True, True, True, True),
    # KOW-07 re-rolls, breath and healing
    "elite": ("one_die", "ones", "ones", "ones"),
    "vicious": ("one_die", "ones", "ones", "ones"),
    "breath_need": (4, 4, 4, 4),
    "breath_modified": (False, False, False, False),
    "breath_rules": (True, True, True, True),
    "blast_in_melee": (True, True, True, True),
    "regeneration": ("three_dice", "per_damage", "per_damage", "per_damage"),
    "regeneration_timing": ("start", "start", "start", "start"),
    "lifeleech": ("one", "n", "n", "none"),
    "lifeleech_most": (1, 99, 3, 0),
    "lifeleech_timing": ("at_once", "at_once", "at_once", "at_once"),
    "iron_resolve": ("none", "one", "one", "n"),
    # KOW-08 rounds
    "headstrong_need": (4, 3, 3, 3),
    "headstrong_disorders": (False, False, True, True),
    "struck_is_disordered": (False, True, True, True),
    "fight_facing": ("first", "first", "first", "first"),
}


def edition(n: int) -> dict[str, object]:
    """The ruleset of edition `n`, 1 to 4. Source: KOW-01 to KOW-08 and the appendix."""
    if n not in (1, 2, 3, 4):
        raise ValueError(f"no edition {n} of Kings of War")
    return {name: values[n - 1] for name, values in EDITIONS.items()}


def number(rules: Rules, name: str) -> int:
    """The number that the edition sets for `name`."""
    value = rules[name]
    assert isinstance(value, int), name
    return value


def rule(unit: Unit, name: str) -> int:
    """The (n) of a special rule of the unit; 1 for a rule without (n), 0 for a rule it lacks."""
    value = unit.rules.get(name) or 0
    assert isinstance(value, int), name
    return value


def by_way(way: object, n: int) -> int:
    """A rule (n) by the way an edition counts it: "none", "one" whatever the n, or "n"."""
    if way == "none" or n == 0:
        return 0
    return 1 if way == "one" else n


# ---------------------------------------------------------------- dice


def d6(rng: Random) -> int:
    """One die."""
    return rng.randint(1, 6)


def throw(rng: Random, dice: int, need: int, reroll: object) -> int:
    """Throw the dice and count those that show `need` or more. Source: KOW-02, KOW-04, KOW-07.

    `need` is never below 2, so a natural 1 always fails; a need of 7 cannot be thrown.
    """
    faces = [d6(rng) for _ in range(dice)]
    if reroll == "ones":
        faces = [d6(rng) if face == 1 else face for face in faces]
    good = sum(1 for face in faces if face >= need)
    if reroll == "one_die" and good < dice and d6(rng) >= need:
        good += 1
    return good


def reroll_of(unit: Unit, name: str, phase: str, rules: Rules) -> object:
    """How the unit re-rolls in this phase by Elite or Vicious. Source: KOW-07."""
    return rules[name] if unit.rules.get(name) in (True, phase) else "none"


@cache
def dice_expression(text: str) -> tuple[int, int, int]:
    """Read "d3", "2d6" or "d6+1" as (dice, sides, more)."""
    match = re.fullmatch(r"(\d*)d(\d+)([+-]\d+)?", text.lower())
    assert match is not None, text
    dice, sides, more = match.groups()
    return int(dice or 1), int(sides), int(more or 0)


def amount(rng: Random, expression: object) -> int:
    """A fixed number, or one throw of a dice expression."""
    if isinstance(expression, int):
        return expression
    dice, sides, more = dice_expression(str(expression))
    return sum(rng.randint(1, sides) for _ in range(dice)) + more


def blasted(rng: Random, unit: Unit, hits: int) -> int:
    """Blast (X): each hit becomes X hits. Source: KOW-07."""
    blast = unit.rules.get("blast")
    return sum(amount(rng, blast) for _ in range(hits)) if blast else hits


# ---------------------------------------------------------------- how many dice


def factor(charger: Charger, defender: Unit, rules: Rules) -> int:
    """What the dice are multiplied by. Source: KOW-01; Individual, Duelist and War engine in the appendix."""
    if rule(defender, "individual"):
        duel = number(rules, "duelist_factor") if rule(charger.unit, "duelist") else 1
        everybody = number(rules, "individual_factor")
        return max(everybody, duel) if rules["duelist_pooling"] == "highest" else everybody * duel
    if defender.kind == "war-engine" and number(rules, "war_engine_factor") > 0:
        return number(rules, "war_engine_factor")
    if charger.facing == "front" or (rule(charger.unit, "individual") and not rules["individual_flanks"]):
        return 1
    return number(rules, f"{charger.facing}_factor")


def printed_dice(unit: Unit, facing: str, rules: Rules) -> int:
    """The At of the unit, with the dice more of an edition 1 Phalanx. Source: KOW-01, Phalanx."""
    if facing != "front" and rules["phalanx_dice_facing"] == "front":
        return unit.at
    if rule(unit, "phalanx") and unit.size in ("regiment", "horde"):
        return unit.at + number(rules, f"phalanx_dice_{unit.size}")
    return unit.at


def is_devastated(damage: int, ne: int, rules: Rules) -> bool:
    """More damage on the unit than its Ne. Source: KOW-05, edition 4."""
    return bool(rules["devastated"]) and damage > ne


def halved(dice: int, times: int) -> int:
    """Half the dice, rounded down, as often as there is a reason. Source: KOW-03."""
    for _ in range(times):
        dice //= 2
    return dice


def dice_thrown(dice: int, times: int, need: int, devastated: bool, rules: Rules) -> int:
    """The dice multiplied, and halved if 6 is not enough or if devastated. Source: KOW-01, KOW-03, KOW-05."""
    halvings = int(need > number(rules, "half_dice_above")) + int(devastated)
    if rules["halve_order"] == "halve_first":
        return halved(dice, halvings) * times
    return halved(dice * times, halvings)


# ---------------------------------------------------------------- what a die needs


def is_touched(charger: Charger, defender: Unit, rules: Rules) -> bool:
    """A Phalanx stands in the way of this cavalry or flyer. Source: Phalanx in the appendix."""
    unit = charger.unit
    if not rule(defender, "phalanx") or (charger.facing != "front" and rules["phalanx_facing"] == "front"):
        return False
    if unit.kind == "large-cavalry" and rules["phalanx_large_cavalry"]:
        return True
    return unit.kind == "cavalry" or bool(rule(unit, "flyer"))


def is_hindered(charger: Charger, touched: bool, table: Table, rules: Rules) -> bool:
    """By an obstacle or a disrupted charge, or by a Phalanx of edition 4. Source: KOW-02, Phalanx."""
    return charger.hindered or table.hindered or (touched and bool(rules["phalanx_hinders"]))


def melee_need(charger: Charger, defender: Unit, touched: bool, hindered: bool, rules: Rules) -> int:
    """The score needed to hit in melee: Me and what makes it harder. Source: KOW-02, Phalanx, Ensnare."""
    need = charger.unit.me
    if hindered:
        need += number(rules, "hindered_penalty")
    if touched and (not hindered or rules["phalanx_stacks"]):
        need += number(rules, "phalanx_penalty")
    if rule(defender, "ensnare") and charger.facing == "front":
        need += number(rules, "ensnare")
    return need


def shot_penalty(defender: Unit, table: Table, rules: Rules) -> int:
    """All that makes a shot harder. Source: KOW-02, Stealthy, Individual."""
    penalty = -table.hit_mod
    if table.cover != "none":
        penalty += number(rules, f"cover_{table.cover}")
    penalty += -number(rules, "halt_bonus") if table.order == "halt" else number(rules, "moving_penalty")
    if table.long_range:
        penalty += number(rules, "long_range_penalty")
    if rule(defender, "stealthy"):
        penalty += number(rules, "stealthy")
    if rule(defender, "individual"):
        penalty += number(rules, "individual_shot")
    return penalty


def shot_need(attacker: Unit, defender: Unit, table: Table, rules: Rules) -> int:
    """The score needed to hit with a shot, or with a breath at 4+. Source: KOW-02, Breath in KOW-07."""
    penalty = shot_penalty(defender, table, rules)
    if table.breath:
        return number(rules, "breath_need") + (penalty if rules["breath_modified"] else 0)
    if attacker.ra is None:
        raise ValueError(f"{attacker.name} cannot shoot")
    return attacker.ra + penalty


def thunderous(charger: Charger, defender: Unit, hindered: bool, table: Table, rules: Rules) -> int:
    """The damage bonus of the charge. Source: Thunderous Charge and Phalanx in the appendix."""
    if not rules["thunderous"] or table.disordered:
        return 0
    if rules["phalanx_cancels_thunderous"] and rule(defender, "phalanx") and charger.facing == "front":
        return 0
    loss = number(rules, "thunderous_hindered_loss") if hindered else 0
    return max(0, rule(charger.unit, "thunderous_charge") - loss)


def damage_need(defender: Unit, facing: str, bonus: int, rules: Rules) -> int:
    """The score needed to damage; 7 if nothing can. Source: KOW-04, Big Shield."""
    need = defender.de
    if rule(defender, "big_shield") and facing == "front":
        need = max(need, number(rules, "big_shield_de"))
    need -= bonus
    if need > 6:
        return 6 if rules["natural_six_damages"] else 7
    return max(2, need)


# ---------------------------------------------------------------- one strike


def hits_and_damage(
    rng: Random, unit: Unit, phase: str, dice: int, hit: int, damage: int, rules: Rules
) -> tuple[int, int]:
    """Throw to hit, blast the hits, throw to damage. Source: KOW-02, KOW-04, KOW-07."""
    hits = throw(rng, dice, min(6, max(2, hit)), reroll_of(unit, "elite", phase, rules))
    if phase == "ranged" or rules["blast_in_melee"]:
        hits = blasted(rng, unit, hits)
    return hits, throw(rng, hits, damage, reroll_of(unit, "vicious", phase, rules))


def reaches(unit: Unit, table: Table) -> bool:
    """A charge reaches at 2 x Sp; difficult inches count twice. Source: KOW-09."""
    return table.distance + table.difficult <= 2 * unit.sp


def strike(
    rng: Random, charger: Charger, wounds: int, defender: Unit, table: Table, rules: Rules
) -> tuple[int, int]:
    """The hits and the damage of one charger that has `wounds` damage on it. Source: KOW-01 to KOW-04."""
    unit = charger.unit
    if not reaches(unit, table):
        return 0, 0
    touched = is_touched(charger, defender, rules)
    hindered = is_hindered(charger, touched, table, rules)
    need = melee_need(charger, defender, touched, hindered, rules) - table.hit_mod
    times = factor(charger, defender, rules)
    changed = table.attacker_nerve if rules["devastated_nerve"] == "modified" else 0
    devastated = is_devastated(wounds, unit.rout + changed, rules)
    dice = dice_thrown(printed_dice(unit, charger.facing, rules), times, need, devastated, rules)
    bonus = rule(unit, "crushing_strength") + thunderous(charger, defender, hindered, table, rules)
    to_damage = damage_need(defender, charger.facing, bonus + table.damage_mod, rules)
    return hits_and_damage(rng, unit, "melee", dice, need, to_damage, rules)


def volley(rng: Random, attacker: Unit, defender: Unit, table: Table, rules: Rules) -> tuple[int, int]:
    """The hits and the damage of one ranged attack. Source: KOW-02 to KOW-04, Piercing, Breath."""
    if table.breath and not rules["breath_rules"]:
        attacker = replace(attacker, rules={"breath": rule(attacker, "breath")})
    need = shot_need(attacker, defender, table, rules)
    devastated = is_devastated(table.attacker_damage_before, attacker.rout, rules)
    printed = rule(attacker, "breath") if table.breath else attacker.at
    dice = dice_thrown(printed, 1, need, devastated, rules)
    bonus = rule(attacker, "piercing") + table.damage_mod
    to_damage = damage_need(defender, table.facing, bonus, rules)
    return hits_and_damage(rng, attacker, "ranged", dice, need, to_damage, rules)


# ---------------------------------------------------------------- nerve


@dataclass(frozen=True)
class Nerve:
    """One nerve test: all damage on the unit, what is added to the roll, and the Ne that devastates."""

    unit: Unit
    damage: int
    modifier: int
    devastating: int
    melee: bool
    inspired: bool


def is_fearless(unit: Unit, rules: Rules) -> bool:
    """A "-/N" unit, or one that has the rule. Source: Fearless in the appendix."""
    return bool(rule(unit, "fearless")) or (rules["nerve_values"] == "two" and unit.waver is None)


def wavered(test: Nerve, rules: Rules) -> str:
    """What a wavering result comes to. Source: KOW-05, Fearless."""
    devastated = is_devastated(test.damage, test.devastating, rules)
    if is_fearless(test.unit, rules):
        return str(rules["fearless_devastated"]) if devastated else "steady"
    return "rout" if devastated else "waver"


def by_total(total: int, test: Nerve, rules: Rules) -> str:
    """Compare the total with Ne. Source: KOW-05."""
    if total >= test.unit.rout:
        ranged_with_one_value = rules["nerve_values"] == "one" and not test.melee
        return wavered(test, rules) if ranged_with_one_value else "rout"
    if rules["nerve_values"] == "two" and test.unit.waver is not None and total >= test.unit.waver:
        return wavered(test, rules)
    return "steady"


def passed_double_six(rng: Random, test: Nerve, rules: Rules) -> tuple[str, int]:
    """A double 6 that was still steady: D6 more damage, or wavering. Source: KOW-05."""
    if test.melee and rules["double_six_damage"]:
        return "steady", d6(rng)
    return (wavered(test, rules) if rules["double_six_wavers"] else "steady"), 0


def roll_nerve(rng: Random, test: Nerve, rules: Rules) -> tuple[str, int, bool]:
    """2d6 + damage + modifiers against Ne: the result, the damage that it adds, and whether the total passed.

    Source: KOW-05.
    """
    first, second = d6(rng), d6(rng)
    if first == second == 1 and rules["double_one_steady"]:
        return "steady", 0, True
    result = by_total(first + second + test.damage + test.modifier, test, rules)
    if first == second == 6 and result == "steady" and not is_fearless(test.unit, rules):
        return *passed_double_six(rng, test, rules), True
    return result, 0, result == "steady"


def take_nerve(rng: Random, test: Nerve, rules: Rules) -> tuple[str, int]:
    """Roll, and once again if the unit is inspired; the second roll stands whole. Source: KOW-06."""
    result, extra, passed = roll_nerve(rng, test, rules)
    again = ("waver", "rout") if rules["inspiring"] == "failed" else ("rout",)
    if test.inspired and result in again and not (passed and not rules["inspiring_double_six"]):
        result, extra, _ = roll_nerve(rng, test, rules)
    return result, extra


def is_inspired(unit: Unit, table: Table) -> bool:
    """An inspiring friend is near, or the unit inspires itself. Source: KOW-06."""
    return bool(table.inspiring or rule(unit, "inspiring") or rule(unit, "very_inspiring"))


def brutality(units: Sequence[Unit], rules: Rules) -> int:
    """What Brutal adds: the highest of the strikers, or their sum. Source: Brutal in the appendix."""
    each = [by_way(rules["brutal"], rule(unit, "brutal")) for unit in units]
    return sum(each) if rules["brutal_pooling"] == "sum" else max(each, default=0)


def dread(units: Sequence[Unit], brutal: int, table: Table, rules: Rules) -> int:
    """What Dread takes from Ne in melee. Source: Dread in the appendix."""
    if brutal > 0 and not rules["dread_with_brutal"]:
        return 0
    near = table.dread or any(rule(unit, "dread") for unit in units)
    return number(rules, "dread") if near else 0


def nerve_test(
    unit: Unit, damage: int, added: int, lost: int, melee: bool, table: Table, rules: Rules
) -> Nerve:
    """The test of a unit with `added` on the roll and `lost` Ne by Dread. Source: KOW-05, Rallying."""
    rallying = min(table.rallying, number(rules, "rallying_cap"))
    modifier = added + lost - rallying + table.nerve_mod
    devastating = unit.rout + (rallying - lost if rules["devastated_nerve"] == "modified" else 0)
    return Nerve(unit, damage, modifier, devastating, melee, is_inspired(unit, table))


def settle(rng: Random, test: Nerve, rules: Rules) -> tuple[str, int]:
    """Take the test: its result, and the damage on the unit at the end. Source: KOW-05, Iron Resolve."""
    result, extra = take_nerve(rng, test, rules)
    healed = by_way(rules["iron_resolve"], rule(test.unit, "iron_resolve")) if result == "steady" else 0
    return result, max(0, test.damage + extra - healed)


# ---------------------------------------------------------------- one volley, one melee


def shoot(rng: Random, attacker: Unit, defender: Unit, table: Table, rules: Rules) -> Outcome:
    """One ranged attack and the nerve of its target. Source: KOW-02 to KOW-06, Shattering."""
    hits, dealt = volley(rng, attacker, defender, table, rules)
    nerve, damage = "steady", table.damage_before + dealt
    if dealt > 0:
        shattering = number(rules, "shattering") if rule(attacker, "shattering") else 0
        test = nerve_test(defender, damage, shattering, 0, False, table, rules)
        nerve, damage = settle(rng, test, rules)
    return Outcome(hits, dealt, damage, nerve, table.attacker_damage_before)


def leeched(unit: Unit, dealt: int, rules: Rules) -> int:
    """What Lifeleech heals of the damage on the unit. Source: Lifeleech in the appendix."""
    return min(dealt, by_way(rules["lifeleech"], rule(unit, "lifeleech")), number(rules, "lifeleech_most"))


def melee(rng: Random, chargers: Sequence[Charger], defender: Unit, table: Table, rules: Rules) -> Outcome:
    """All chargers strike, their damage is pooled, and one nerve test follows. Source: KOW-01 to KOW-06."""
    wounds = [table.attacker_damage_before] + [0] * (len(chargers) - 1)
    strikes = [
        strike(rng, c, on_it, defender, table, rules) for c, on_it in zip(chargers, wounds, strict=True)
    ]
    hits, dealt = sum(s[0] for s in strikes), sum(s[1] for s in strikes)
    at_once = rules["lifeleech_timing"] == "at_once"
    left = max(0, wounds[0] - (leeched(chargers[0].unit, strikes[0][1], rules) if at_once else 0))
    nerve, damage = "steady", table.damage_before + dealt
    if dealt > 0:
        strikers = [c.unit for c in chargers if reaches(c.unit, table)]
        brutal = brutality(strikers, rules)
        lost = dread(strikers, brutal, table, rules)
        nerve, damage = settle(rng, nerve_test(defender, damage, brutal, lost, True, table, rules), rules)
    return Outcome(hits, dealt, damage, nerve, left)


# ---------------------------------------------------------------- a fight


@dataclass
class Side:
    """One side of a fight, from turn to turn."""

    unit: Unit
    damage: int
    inspiring: bool
    wavering: bool = False
    struck: bool = False
    routed: bool = False
    leech: int = 0
    rallying: int = 0
    dreads: bool = False


def regenerate(rng: Random, side: Side, rules: Rules) -> None:
    """Heal the damage on the unit, never below 0. Source: Regeneration in the appendix."""
    need = rule(side.unit, "regeneration")
    if not need:
        return
    dice = side.damage
    if rules["regeneration"] == "three_dice":
        dice, need = 3, 4
    healed = sum(1 for _ in range(dice) if d6(rng) >= need)
    side.damage = max(0, side.damage - healed)


def acts(rng: Random, side: Side, rules: Rules) -> bool:
    """A steady unit acts; a wavering one stands, unless Headstrong. Source: KOW-08, Headstrong."""
    if not side.wavering:
        return True
    return bool(rule(side.unit, "headstrong")) and d6(rng) >= number(rules, "headstrong_need")


def is_disordered(side: Side, rules: Rules) -> bool:
    """Struck in the enemy's last turn, or acting by Headstrong. Source: KOW-08, Headstrong."""
    by_blow = side.struck and bool(rules["struck_is_disordered"])
    return by_blow or (side.wavering and bool(rules["headstrong_disorders"]))


def charge(rng: Random, side: Side, other: Side, facing: str, hindered: bool, rules: Rules) -> None:
    """One side charges in and strikes, and the other takes nerve. Source: KOW-08."""
    lost = dread([other.unit], brutality([other.unit], rules), Table(dread=side.dreads), rules)
    table = Table(
        attacker_nerve=min(side.rallying, number(rules, "rallying_cap")) - lost,
        disordered=is_disordered(side, rules),
        damage_before=other.damage,
        attacker_damage_before=side.damage,
        inspiring=other.inspiring,
        rallying=other.rallying,
        dread=other.dreads,
    )
    outcome = melee(rng, [Charger(side.unit, facing, hindered)], other.unit, table, rules)
    side.damage, other.damage = outcome.attacker_damage_after, outcome.damage_after
    if rules["lifeleech_timing"] == "next_turn":
        side.leech = leeched(side.unit, outcome.damage, rules)
    other.struck = outcome.damage > 0
    other.wavering, other.routed = outcome.nerve == "waver", outcome.nerve == "rout"


def turn(rng: Random, side: Side, other: Side, facing: str, hindered: bool, rules: Rules) -> None:
    """The turn of one side; after it the side is steady. Source: KOW-08."""
    side.damage, side.leech = max(0, side.damage - side.leech), 0
    if rules["regeneration_timing"] == "start":
        regenerate(rng, side, rules)
    other.struck = False
    if acts(rng, side, rules):
        charge(rng, side, other, facing, hindered, rules)
    if rules["regeneration_timing"] == "end" and not other.routed:
        regenerate(rng, side, rules)
    side.wavering = False


def play_round(rng: Random, first: Side, second: Side, facing: str, hindered: bool, rules: Rules) -> None:
    """Both turns of a round, until one side routs. Source: KOW-08."""
    turn(rng, first, second, facing, hindered, rules)
    if not second.routed:
        turn(rng, second, first, "front", False, rules)


def fight(rng: Random, attacker: Unit, defender: Unit, table: Table, rules: Rules) -> FightOutcome:
    """The attacker charges first, then turns alternate to the end or to a rout. Source: KOW-08."""
    first = Side(attacker, table.attacker_damage_before, table.attacker_inspiring)
    second = Side(defender, table.damage_before, table.inspiring)
    first.rallying, second.rallying, second.dreads = table.attacker_rallying, table.rallying, table.dread
    facing, hindered = table.facing, table.hindered
    rounds: list[tuple[bool, bool]] = []
    for _ in range(table.turns):
        if not (first.routed or second.routed):
            play_round(rng, first, second, facing, hindered, rules)
        rounds.append((first.routed, second.routed))
        if rules["fight_facing"] == "first":
            facing, hindered = "front", False
    return FightOutcome(first.damage, second.damage, first.routed, second.routed, rounds)
