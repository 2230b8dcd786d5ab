"""The literal referee against the exact engine: whole distributions, die by die.

Each comparison is a chi-square over pooled bins with a fixed seed and a false-failure rate of 1e-6. Power
twins reuse the referee's sample against an altered question, and must reject it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from mathhammer.core.game import Placed
from mathhammer.games.battlefield.lob import ROUND
from mathhammer.games.battlefield.profile import Unit
from tests.games.battlefield.units import asked, unit
from tests.literal import battlefield as literal
from tests.oracle import agrees

TRIALS, FEWER = 8_000, 3_000
State = tuple[Any, ...]
Sampler = Callable[[Random, Any], State]
NAMES = {"none": "foot", "shield-and-spear": "shield_spear"}
OPTIONS: dict[str, tuple[str, dict[Any, object]]] = {  # the referee's words for fields of the ruleset
    "natural_check": ("natural_in_checks", {"automatic": True, "nothing": False}),
    "opposed_tie": ("opposed_tie", {"active": "attacker", "defender": "defender"}),
    "follow_up_cells": ("later_cells", {"all": "all", "first": "run_up", "since": "since"}),
    "lob_two_cells_percent": ("two_cell_share", {75: Fraction(3, 4)}),
    "siege_adds": ("siege_morale_adds", {True: True, False: False}),
}


def told(own: Unit) -> literal.Unit:
    """The same unit in the referee's words."""
    return literal.Unit(
        name=own.name,
        command=own.command,
        soldiers_strength=own.soldiers,
        attack=own.attack,
        defence=own.defence,
        soldiers=own.number,
        morale=own.morale,
        move=own.move,
        mount=NAMES.get(own.mount, own.mount),
        heavy_armour=own.heavy_armour,
        weapon=own.weapon.replace("-", "_") if own.ranged else "melee",
        melee=not own.ranged,
        weapons={str(weapon): part for weapon, part in (own.mix or {own.weapon: 1}).items()},
        formation=NAMES.get(own.formation, own.formation) if own.formation != "none" else "none",
        training=frozenset(name for name, has in own.training if has),
        damage="margin" if own.damage is None else own.damage,
        bluff=own.bluff,
        sense_motive=own.sense_motive,
    )


def settings(rules: Mapping[str, Any]) -> dict[str, object]:
    """The same choices in the referee's words."""
    chosen: dict[str, object] = {}
    for key, value in rules.items():
        if key == "strength_ratio":
            pairs = (pair.split(":") for pair in value.split(","))
            chosen[key] = {Fraction(ratio.strip()): Fraction(factor.strip()) for ratio, factor in pairs}
        elif key == "natural_attack":
            chosen |= {"natural_1_misses": False, "natural_20_hits": False}
        else:
            name, words = OPTIONS.get(key, (key, {}))
            chosen[name] = words.get(value, value)
    return chosen


class Case:
    """A question that both witnesses answer: the columns compared, and how the referee plays it."""

    def __init__(
        self,
        mode: str,
        units: tuple[Unit, ...],
        columns: tuple[str, ...],
        sampler: Sampler,
        *,
        rules: dict[str, Any] | None = None,
        trials: int = TRIALS,
        **options: Any,
    ) -> None:
        self.trials = trials
        self.mode, self.units, self.columns, self.sampler = mode, units, columns, sampler
        self.rules, self.options = rules or {}, options

    def sample(self, trials: int, seed: int) -> Counter[State]:
        """End states that the referee rolls."""
        rng, rules = Random(seed), settings(self.rules)
        return Counter(self.sampler(rng, rules) for _ in range(trials))

    def exact(self, units: tuple[Unit, ...] | None = None) -> dict[State, float]:
        """The exact distribution of the same end states, of these or of other units."""
        result = asked(self.mode, *(units or self.units), rules=self.rules, **self.options)
        columns, p = result._joint(list(self.columns), "exact")
        states: dict[State, float] = {}
        values = [columns[name].tolist() for name in self.columns]
        for state, chance in zip(zip(*values, strict=True), p.tolist(), strict=True):
            states[state] = states.get(state, 0.0) + chance
        return states


def lost(before: Unit, soldiers: Any) -> int:
    """Damage marked: soldiers that are gone."""
    return int(before.number - soldiers)


# -- attacks ---------------------------------------------------------------------------------------
ATTACK = ("damage", "attacker.damage", "destroyed", "attacker.destroyed", "morale")


def attacks(us: Unit, them: Unit, *, rules: dict[str, Any] | None = None, flank: str = "none") -> Case:
    def play(rng: Random, chosen: Any) -> State:
        done = literal.attack(rng, told(us), told(them), flank, rules=chosen)
        gone = done["target_destroyed"], done["attacker_destroyed"]
        losses = lost(them, done["target_soldiers"]), lost(us, done["attacker_soldiers"])
        return *losses, *(int(bool(is_gone)) for is_gone in gone), done["morale"]

    return Case("attack", (us, them), ATTACK, play, rules=rules, flank=flank)


def moving(us: Unit, them: Unit, other: Unit | None = None, **options: Any) -> Case:
    """Two attack actions with a move between, at one enemy or two."""

    def play(rng: Random, chosen: Any) -> State:
        second = told(other) if other else None
        done: Any = literal.moving_attack(rng, told(us), told(them), second, 1, rules=chosen)
        damage = lost(them, done["target_soldiers"][0])
        others = lost(other, done["target_soldiers"][1]) if other else 0
        return damage, others, lost(us, done["attacker_soldiers"])

    more: dict[str, Any] = {"second": [other]} if other else {}
    columns = ("damage", "others.damage", "attacker.damage")
    return Case("attack", (us, them), columns, play, actions=2, move=1, **more, **options)


def into_melee(us: Unit, enemies: list[Unit], friends: list[tuple[Unit, bool]], **options: Any) -> Case:
    """A melee attack from outside."""

    def play(rng: Random, chosen: Any) -> State:
        disrupted = [confused for _, confused in friends]
        inside = [told(enemy) for enemy in enemies]
        flank = options.get("flank", "none")
        done: Any = literal.strike_into_melee(rng, told(us), inside, disrupted, flank, chosen)
        losses = [lost(enemy, left) for enemy, left in zip(enemies, done["soldiers"], strict=True)]
        return losses[0], sum(losses[1:]), lost(us, done["attacker_soldiers"])

    columns = ("damage", "others.damage", "attacker.damage")
    return Case("attack", (us, enemies[0]), columns, play, inside=placed(enemies[1:], friends), **options)


def shots(us: Unit, enemies: list[Unit], friends: list[Unit], **options: Any) -> Case:
    """Shots into a melee."""

    def play(rng: Random, chosen: Any) -> State:
        everyone = [*enemies, *friends]
        ours = range(len(enemies), len(everyone))
        flank = options.get("flank", "none")
        done: Any = literal.shoot_into_melee(rng, told(us), [told(u) for u in everyone], ours, flank, chosen)
        losses = [lost(u, left) for u, left in zip(everyone, done["soldiers"], strict=True)]
        return losses[0], sum(losses[1 : len(enemies)]), sum(losses[len(enemies) :])

    columns = ("damage", "others.damage", "friends.damage")
    inside = placed(enemies[1:], [(friend, False) for friend in friends])
    return Case("attack", (us, enemies[0]), columns, play, inside=inside, **options)


def placed(enemies: list[Unit], friends: list[tuple[Unit, bool]]) -> list[Placed]:
    return [Placed(u, {"side": 1}) for u in enemies] + [
        Placed(u, {"side": 0, "confused": confused}) for u, confused in friends
    ]


# -- charges ---------------------------------------------------------------------------------------
CHARGE = (
    "damage",
    "attacker.damage",
    "destroyed",
    "attacker.destroyed",
    "break_through",
    "second_break_through",
    "melee",
    "behind.melee",
    "ahead.melee",
)
DOES = {"attack": ("attack", "none"), "break-in": ("break_in", "none")}
DOES |= {"attack-break-in": ("attack", "break_in"), "break-through": ("attack", "break_through")}


def charges(us: Unit, them: Unit, order: str, cells: int, **options: Any) -> Case:
    rules = options.pop("rules", None)
    behind, ahead = options.get("behind"), options.get("ahead")
    does, then = DOES[order]
    plan = literal.Charge(
        cells=cells,
        does=does,
        then=then,
        zone_cells=options.get("zones", 0),
        behind=told(behind[0]) if behind else None,
        ahead=told(ahead[0]) if ahead else None,
        gap=options.get("gap", 0),
        again=not options.get("once", False),
        flank=options.get("flank", "none"),
    )

    def play(rng: Random, chosen: Any) -> State:
        done: Any = literal.charge(rng, told(us), told(them), plan, chosen)
        ends = [int(done["end"] == end) for end in ("melee", "melee_behind", "melee_ahead")]
        losses = lost(them, done["target_soldiers"]), lost(us, done["attacker_soldiers"])
        gone = int(done["target_destroyed"]), int(done["attacker_destroyed"])
        through = int(done["through"] and not done["target_destroyed"])
        return *losses, *gone, through, int(done["through_again"]), *ends

    return Case("charge", (us, them), CHARGE, play, rules=rules, order=order, cells=cells, **options)


def gales(us: Unit, them: Unit, **options: Any) -> Case:
    """A break through with the gale: only what it does to nerve is compared."""

    def play(rng: Random, chosen: Any) -> State:
        plan = literal.Charge(cells=4, then="break_through")
        done: Any = literal.charge(rng, told(us), told(them), plan, chosen)
        return int(done["through"]), int(done["gale"] == "shaken"), int(done["gale"] == "confused")

    columns = ("break_through", "shaken", "confused")
    return Case("charge", (us, them), columns, play, order="break-through", cells=4, **options)


# -- the others ------------------------------------------------------------------------------------
def pushes(
    us: Unit, them: Unit, *, cells: int = 0, rules: dict[str, Any] | None = None, **options: Any
) -> Case:
    behind = options.get("behind")

    def play(rng: Random, chosen: Any) -> State:
        other = told(behind[0]) if behind else None
        blocked = options.get("blocked", False)
        done = literal.push(rng, told(us), told(them), other, blocked, bool(cells), cells, chosen)
        return int(bool(done["pushed"])), int(bool(done["out_of_formation"]))

    charge: dict[str, Any] = {"order": "push", "cells": cells} if cells else {}
    mode = "charge" if cells else "push"
    return Case(mode, (us, them), ("pushed", "unformed"), play, rules=rules, **charge, **options)


def lures(us: Unit, them: Unit, **options: Any) -> Case:
    def play(rng: Random, chosen: Any) -> State:
        done = literal.lure(rng, told(us), told(them), options.get("stay", False), rules=chosen)
        return int(bool(done["lured"])), int(bool(done["melee"])), lost(us, done["soldiers"])

    return Case("lure", (us, them), ("lured", "melee", "attacker.damage"), play, **options)


def lobs(us: Unit, them: Unit, second: str | None = None, **options: Any) -> Case:
    cells = ((0, 0),) if second is None else ((0, 0), ROUND[second])

    def play(rng: Random, chosen: Any) -> State:
        done: Any = literal.lob(rng, told(us), told(them), cells, chosen)
        elsewhere = sum(damage for cell, damage in done["damage_by_cell"].items() if cell != (0, 0))
        return int(done["on_target"]), lost(them, done["target_soldiers"]), int(elsewhere)

    columns = ("on_target", "damage", "wasted")
    return Case("lob", (us, them), columns, play, second=second, **options)


def sieges(us: Unit, them: Unit, answering: list[Unit], **options: Any) -> Case:
    def play(rng: Random, chosen: Any) -> State:
        done: Any = literal.besiege(rng, told(us), [told(u) for u in answering], told(them), rules=chosen)
        losses = lost(them, done["target_soldiers"]), lost(us, done["caller_soldiers"])
        results = [int(done["result"] == result) for result in ("passed", "shaken", "confused")]
        return *losses, *results, done["morale"] if done["result"] != "destroyed" else them.morale

    columns = ("damage", "attacker.damage", "holds", "shaken", "confused", "morale")
    return Case("besiege", (us, them), columns, play, with_=answering, **options)


def trained(own: Unit, **training: bool) -> Unit:
    """The same unit, trained."""
    return own.model_copy(update={"training": unit(training=training).training})


def swaps(own: Unit, **options: Any) -> Case:
    rules = options.pop("rules", None)

    def play(rng: Random, chosen: Any) -> State:
        ways = {name: options.get(name, False) for name in ("drop", "in_melee", "quick")}
        done: Any = literal.swap(rng, told(own), **ways, rules=chosen)
        return int(done["swapped"]), int(done["saved"]), done["actions"]

    return Case("swap", (own,), ("swapped", "saved", "actions"), play, rules=rules, **options)


ACTIONS = {"attack": ("rally", "attack"), "disrupt": ("disrupt", "disrupt"), "help": ("rally", "help")}
ACTIONS |= {"disrupt+attack": ("disrupt", "attack")}


def melees(ours: list[tuple[Unit, str]], theirs: list[tuple[Unit, str]], rounds: int, **options: Any) -> Case:
    """Damage by side and the leaders' states; those told to attack rally first when they are confused."""
    spread = options.get("targets") == "split"

    def side(units: list[tuple[Unit, str]]) -> list[literal.Fighter]:
        return [literal.Fighter(told(u), ACTIONS[order], spread) for u, order in units]

    def play(rng: Random, chosen: Any) -> State:
        done: Any = literal.melee(rng, side(ours), side(theirs), rounds, chosen)
        left = done["soldiers"]
        losses = [
            sum(lost(u, soldiers) for (u, _), soldiers in zip(units, left[number], strict=True))
            for number, units in enumerate((ours, theirs))
        ]
        confused = done["confused"][1][0], done["confused"][0][0]
        return losses[1], losses[0], int(confused[0]), int(confused[1]), int(left[1][0] == 0)

    beside = [Placed(u, {"side": 0, "order": order}) for u, order in ours[1:]]
    beside += [Placed(u, {"side": 1, "order": order}) for u, order in theirs[1:]]
    orders: dict[str, Any] = {"order": ours[0][1], "defender_order": theirs[0][1]}
    columns = ("damage", "attacker.damage", "confused", "attacker.confused", "destroyed")
    units = (ours[0][0], theirs[0][0])
    return Case("melee", units, columns, play, rounds=rounds, with_=beside, **orders, **options)


KNIGHTS = unit(name="knights", attack=6, defence=17, weapon="lance", mount="heavy", number=60, damage=3)
PIKES = unit(name="pikes", attack=4, weapon="pike", formation="dense", number=12)
BOWS = unit(name="bows", attack=6, weapon="long-bow", command=4, number=80)
MIXED = unit(name="mixed", weapon="pike", mix={"pike": 1, "blade": 2}, number=40, attack=6)
TRAINED = {"training": {"break_in": True, "break_through": True, "push": True, "lure": True}}
RIDERS = trained(KNIGHTS, follow_up=True)
RATIOS = "0:1/2, 1:1, 2:3/2, 4:2"

CASES: dict[str, Case] = {
    "an attack": attacks(unit(), unit(number=9)),
    "an attack on the surrounded, rounding up": attacks(
        unit(attack=9), unit(), rules={"half_rounding": "up"}, flank="surrounded"
    ),
    "both strike together, few soldiers": attacks(
        unit(attack=12, number=8), unit(number=6), rules={"counter_timing": "together", "counter_rolls": 1}
    ),
    "dice for damage": attacks(unit(damage="2d6+1"), unit(damage="d6", number=20)),
    "a strength ratio": attacks(unit(number=31), unit(number=10), rules={"strength_ratio": RATIOS}),
    "a ratio, both together": attacks(
        unit(number=30), unit(number=14), rules={"strength_ratio": RATIOS, "counter_timing": "together"}
    ),
    "no natural 1 and 20": attacks(
        unit(attack=-3), unit(defence=16, attack=20), rules={"natural_attack": "nothing"}
    ),
    "shots without the bonus of flanking": attacks(
        unit(weapon="short-bow"), unit(), flank="flanked", rules={"flank_shots": False}
    ),
    "two shots": attacks(unit(weapon="light-crossbow"), unit()),
    "a moving attack": moving(unit(), unit(number=14)),
    "a moving attack on two": moving(
        unit(training={"moving_attack": True}), unit(number=9), unit(defence=12)
    ),
    "into a melee": into_melee(unit(), [unit(number=6), unit(defence=11)], [(unit(), False)]),
    "into a melee, friends confused": into_melee(
        unit(attack=9), [unit(number=5), unit(defence=11), unit(attack=12)], [(unit(), True)]
    ),
    "shots into a melee": shots(BOWS, [unit(number=100), unit(number=55)], [unit(number=145, defence=12)]),
    "shots into a melee, by ratio": shots(
        BOWS, [unit(number=30)], [unit(number=70)], rules={"strength_ratio": RATIOS, "half_rounding": "up"}
    ),
    "into a melee, flanked, an enemy drawn for each roll": into_melee(
        unit(attack=9, number=40),
        [unit(number=5), unit(defence=11, attack=9), unit(attack=12)],
        [(unit(), True)],
        flank="flanked",
        rules={"random_enemy_draw": "roll", "strength_ratio": RATIOS},
        trials=FEWER,
    ),
    "an enemy drawn for each roll, both strike together": into_melee(
        unit(attack=19, damage=4),
        [unit(number=5, attack=9), unit(number=8)],
        [(unit(), True)],
        rules={"random_enemy_draw": "roll", "counter_timing": "together"},
        trials=FEWER,
    ),
    "shots into a melee, of the same dice": shots(
        BOWS,
        [unit(number=100), unit(number=55, defence=17)],
        [unit(number=145, defence=12)],
        rules={"melee_shooting_rolls": "shared", "half_rounding": "up", "strength_ratio": RATIOS},
        trials=FEWER,
    ),
    "shots of dice into a melee, of the same dice": shots(
        unit(attack=4, weapon="light-crossbow", damage="2d6+8"),
        [unit(number=30)],
        [unit(number=45, defence=12)],
        rules={"melee_shooting_rolls": "shared", "natural_attack": "nothing"},
        trials=FEWER,
    ),
    "shots into a melee, flanked": shots(
        BOWS, [unit(number=20), unit(number=15)], [unit(number=30, defence=12)], flank="flanked", trials=FEWER
    ),
    "shots into a melee, flanked, friends too": shots(
        BOWS,
        [unit(number=20)],
        [unit(number=30, defence=12)],
        flank="surrounded",
        rules={"flank_friends": True},
        trials=FEWER,
    ),
    "a charge on foot": charges(unit(), unit(number=9), "attack", 5, flank="flanked"),
    "a break-in on foot": charges(unit(attack=7), unit(number=30, formation="loose"), "break-in", 4),
    "lances, then a break-in": charges(KNIGHTS, MIXED, "attack-break-in", 3),
    "attack of long arms": charges(
        KNIGHTS, MIXED, "attack-break-in", 1, rules={"anti_cavalry_attack": 3, "half_rounding": "up"}
    ),
    "break through": charges(KNIGHTS, unit(number=20, attack=9), "break-through", 2),
    "break through, without the charge's attack": charges(
        KNIGHTS,
        unit(number=20, attack=9, formation="shield-and-spear", weapon="spear"),
        "break-through",
        3,
        rules={"charge_bonus_in_checks": False, "natural_check": "automatic"},
    ),
    "one behind": charges(KNIGHTS, unit(number=20, attack=7), "break-through", 3, behind=[unit(attack=19)]),
    "one behind, cells of the run-up": charges(
        KNIGHTS,
        unit(number=20, attack=7),
        "break-through",
        3,
        behind=[unit(attack=19)],
        rules={"follow_up_cells": "first"},
    ),
    "over the fallen, one behind": charges(
        KNIGHTS, unit(number=8, attack=7), "break-through", 3, behind=[unit(attack=15)]
    ),
    "over the fallen, one ahead": charges(
        RIDERS, unit(number=8, attack=5), "break-through", 3, ahead=[unit(attack=16)], gap=1
    ),
    "the fallen end the charge": charges(
        KNIGHTS,
        unit(number=8, attack=7),
        "break-through",
        3,
        behind=[unit(attack=15)],
        rules={"fallen_clear_way": False},
    ),
    "a second break through": charges(
        RIDERS, unit(number=20, attack=7), "break-through", 3, behind=[unit(attack=13, weapon="halberd")]
    ),
    "no second one": charges(
        RIDERS, unit(number=20, attack=7), "break-through", 3, behind=[unit(attack=13)], once=True
    ),
    "one ahead": charges(
        KNIGHTS, unit(number=20, attack=5), "break-through", 3, ahead=[unit(attack=9)], gap=2
    ),
    "one ahead, by a break-in": charges(
        KNIGHTS,
        unit(number=20, attack=5),
        "break-through",
        3,
        ahead=[unit(attack=22)],
        gap=1,
        rules={"ride_on_check": "break_in", "follow_up_cells": "since"},
    ),
    "through the one ahead": charges(
        RIDERS, unit(number=20, attack=5), "break-through", 3, ahead=[unit(attack=14)], gap=1
    ),
    "fast riders": charges(
        unit(mount="light", training={"fast_riding": True}), PIKES, "attack-break-in", 5, zones=3
    ),
    "a gale": gales(trained(KNIGHTS, gale=True), unit()),
    "a push": pushes(unit(attack=9), unit(defence=14)),
    "a push by many": pushes(unit(attack=9, number=700, **TRAINED), unit(defence=25)),
    "a push by few": pushes(unit(attack=9, number=100), unit(defence=9)),
    "a push, beaten by more": pushes(unit(attack=9), unit(defence=14), rules={"margin_10": "more"}),
    "a blocked push": pushes(unit(attack=9), unit(defence=14), blocked=True),
    "a push into another": pushes(unit(attack=9), unit(defence=12), behind=[unit(defence=10, number=20)]),
    "a charge to push": pushes(unit(attack=4), unit(defence=14), cells=4),
    "a lure": lures(unit(bluff=5, number=70, **TRAINED), unit(command=8), stay=True),
    "a lure by ranged weapons": lures(BOWS, unit(command=4, number=400), rules={"opposed_tie": "active"}),
    "a lob": lobs(BOWS, unit(number=9)),
    "a lob at two cells": lobs(BOWS, unit(), "top-right", rules={"half_rounding": "up"}),
    "a lob at two cells, more in each": lobs(BOWS, unit(), "left", rules={"lob_two_cells_percent": 75}),
    "a trained lob": lobs(
        BOWS.model_copy(update={"training": unit(training={"lob": True}).training}), unit()
    ),
    "a siege": sieges(unit(), unit(command=5, number=45), [unit(), BOWS]),
    "a siege called by bows": sieges(
        BOWS, unit(command=5, number=45), [unit(), unit()], rules={"siege_counters_shots": True}
    ),
    "a siege, all together": sieges(
        unit(number=80),
        unit(command=6, number=30),
        [unit(), unit()],
        rules={
            "counter_timing": "together",
            "siege_counts_caller": False,
            "siege_adds": False,
            "strength_ratio": RATIOS,
        },
    ),
    "a quick swap": swaps(unit(command=3, training={"quick_swap": True}), quick=True),
    "a quick swap in a melee": swaps(
        unit(command=3, soldiers=4, training={"quick_swap": True}),
        quick=True,
        in_melee=True,
        rules={"melee_swap_bonus": "command"},
    ),
    "a quick swap in a melee, else the usual one": swaps(
        unit(command=3, training={"quick_swap": True}),
        quick=True,
        in_melee=True,
        rules={"failed_quick_swap": "plain"},
    ),
    "dropping a weapon in a melee": swaps(unit(command=3), drop=True, in_melee=True),
    "a melee to the end": melees([(unit(number=11), "attack")], [(unit(number=9), "attack")], 3),
    "firearms in a melee": melees(
        [(unit(weapon="firearm", number=30), "disrupt+attack")], [(unit(number=20), "attack")], 3
    ),
    "a melee of four": melees(
        [(unit(number=11), "attack"), (unit(attack=9), "attack")],
        [(unit(number=9), "attack"), (unit(number=20), "attack")],
        2,
    ),
    "a melee of four, spread": melees(
        [(unit(damage=10), "attack"), (unit(damage=10), "attack")],
        [(unit(damage=10), "attack"), (unit(damage=10), "attack")],
        2,
        targets="split",
    ),
    "disrupted and rallied": melees(
        [(unit(damage=0, command=2), "disrupt"), (unit(damage=0, command=6), "disrupt+attack")],
        [(unit(damage=0, command=3), "attack"), (unit(damage=0, command=3), "attack")],
        3,
        no_rally=False,
    ),
    "disrupted and helped": melees(
        [(unit(damage=1, command=4), "disrupt")],
        [(unit(damage=1, command=2), "attack"), (unit(damage=1, command=2), "help")],
        3,
        rules={"rally_tries_per_round": 1},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_referee_agrees(name: str) -> None:
    case = CASES[name]
    assert agrees(case.sample(case.trials, seed=len(name)), case.exact())


# One question of each mode, altered by a little: (case, which unit, its changes).
TWINS: dict[str, tuple[int, dict[str, Any]]] = {
    "an attack": (0, {"attack": 6}),
    "dice for damage": (0, {"damage": "2d6+2"}),
    "a strength ratio": (0, {"number": 61}),
    "a moving attack": (1, {"defence": 14}),
    "into a melee, friends confused": (0, {"attack": 10}),
    "shots into a melee": (1, {"number": 140}),
    "lances, then a break-in": (0, {"weapon": "blade"}),
    "break through": (1, {"attack": 10}),
    "a second break through": (1, {"attack": 8}),
    "a push": (1, {"defence": 15}),
    "a lure": (0, {"bluff": 6}),
    "a lob": (0, {"command": 5}),
    "a siege": (1, {"defence": 13}),
    "a quick swap": (0, {"command": 4}),
    "a melee to the end": (0, {"attack": 6}),
    "disrupted and rallied": (1, {"command": 6}),
}


@pytest.mark.parametrize("name", TWINS)
def test_an_altered_question_is_rejected(name: str) -> None:
    case, (which, changes) = CASES[name], TWINS[name]
    units = list(case.units)
    units[which] = units[which].model_copy(update=changes)
    assert not agrees(case.sample(TRIALS, seed=len(name)), case.exact(tuple(units)))
