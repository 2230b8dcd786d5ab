"""Nerve: 2d6 + damage against waver and rout. Source: KOW-05, KOW-06."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Columns, Mask, Step
from mathhammer.games.kings_of_war.profile import Unit
from mathhammer.games.kings_of_war.ruleset import Rules
from mathhammer.kernels.morale import rerolled, two_dice_test

STEADY, WAVER, ROUT, HURT = 0, 1, 2, 3  # HURT: steady, but the passed double 6 deals D6 more damage

RESULTS = ("steady", "waver", "rout", "steady, D6 more damage")


@dataclass(frozen=True)
class NerveTest:
    """Everything that a nerve roll is judged by, besides the dice and the damage.

    modifier: added to the roll. single: one nerve value, as in edition 4.
    devastated_above: damage beyond which a waver is a rout (None: never).
    """

    waver: int | None
    rout: int
    modifier: int
    combat: bool
    single: bool
    never_wavers: bool
    double_one_steady: bool
    double_six_wavers: bool
    double_six_damage: bool
    devastated_above: int | None
    fearless_devastated: str = "steady"

    def grade(self, first: int, second: int, damage: int) -> int:
        """The result of two dice with this damage on the unit. Source: KOW-05."""
        if first == second == 1 and self.double_one_steady:
            return STEADY
        total = first + second + damage + self.modifier
        sixes = first == second == 6 and not self.never_wavers
        if not self.single:
            return self._two_values(total, sixes and self.double_six_wavers)
        if total >= self.rout:
            return ROUT if self.combat else self._failed_ranged(damage)
        if sixes and self.combat and self.double_six_damage:
            return HURT
        wavers = sixes and not self.combat and self.double_six_wavers
        return self._waver(damage) if wavers else STEADY

    def _two_values(self, total: int, wavers_anyway: bool) -> int:
        if total >= self.rout:
            return ROUT
        wavers = self.waver is not None and total >= self.waver and not self.never_wavers
        return WAVER if wavers or wavers_anyway else STEADY

    def _failed_ranged(self, damage: int) -> int:
        if not self.never_wavers:
            return self._waver(damage)
        routs = self._waver(damage) == ROUT and self.fearless_devastated == "rout"
        return ROUT if routs else STEADY

    def _waver(self, damage: int) -> int:
        """A waver, which is a rout for the devastated."""
        return ROUT if self.devastated_above is not None and damage > self.devastated_above else WAVER


def nerve_test(unit: Unit, *, combat: bool, roll_bonus: int, nerve_bonus: int, rules: Rules) -> NerveTest:
    """A unit's test: `roll_bonus` is added to the roll, `nerve_bonus` to its nerve. Source: KOW-05."""
    single = rules.nerve_values == "one"
    devastated = _devastated_above(unit, nerve_bonus, rules) if single and not combat else None
    fearless = unit.never_wavers and devastated is not None
    return NerveTest(
        waver=unit.waver,
        rout=unit.rout,
        modifier=roll_bonus - nerve_bonus,
        combat=combat,
        single=single,
        never_wavers=unit.never_wavers,
        double_one_steady=rules.double_one_steady,
        double_six_wavers=not unit.never_wavers and rules.double_six_wavers,
        double_six_damage=single and combat and not unit.never_wavers and rules.double_six_damage,
        devastated_above=devastated,
        fearless_devastated=rules.fearless_devastated if fearless else "steady",
    )


def _devastated_above(unit: Unit, nerve_bonus: int, rules: Rules) -> int | None:
    if not rules.devastated:
        return None
    return unit.rout + (nerve_bonus if nerve_bonus and rules.devastated_nerve == "modified" else 0)


def nerve_law(test: NerveTest, inspired: bool, rules: Rules) -> Law:
    """The result by damage on the unit; inspired, a bad one is re-rolled once. Source: KOW-05, KOW-06."""
    law = two_dice_test(test, test.grade)
    if not inspired:
        return law
    return rerolled(law, frozenset({ROUT} if rules.inspiring == "rout" else {ROUT, WAVER}))


def nerve_steps(unit: Unit, side: str, law: Law, rules: Rules, who: str = "") -> list[Step]:
    """The test of a struck unit and what follows at once. Columns: `side.struck`, `.damage`, `.nerve`.

    Source: KOW-05, KOW-A-iron-resolve.
    """
    struck, damage, nerve = f"{side}.struck", f"{side}.damage", f"{side}.nerve"
    heal = iron_resolve(unit, rules)

    def tested(columns: Columns) -> Mask:
        return columns[struck] > 0

    def result(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        if not heal:
            return {nerve: outcome}
        holds = (columns[struck] > 0) & ((outcome == STEADY) | (outcome == HURT))
        return {nerve: outcome, damage: np.maximum(columns[damage] - heal * holds, 0).astype(np.int32)}

    def hurt(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        held = np.where(columns[nerve] == HURT, STEADY, columns[nerve])
        return {nerve: held.astype(np.int32), damage: columns[damage] + outcome}

    steps = [Step(f"{who}nerve", law, damage, result, tested, rule="KOW-05", words=RESULTS)]
    if rules.nerve_values == "one" and not unit.never_wavers and rules.double_six_damage:
        die = Law.constant(Pmf.die(6))
        steps.append(Step(f"{who}double 6", die, 0, hurt, lambda c: c[nerve] == HURT, rule="KOW-05"))
    return steps


def iron_resolve(unit: Unit, rules: Rules) -> int:
    """What a steady test heals. Source: KOW-A-iron-resolve."""
    if not unit.rules.iron_resolve or rules.iron_resolve == "none":
        return 0
    return 1 if rules.iron_resolve == "one" else unit.rules.iron_resolve


def brutal_bonus(chargers: list[Unit], rules: Rules) -> int:
    """What Brutal chargers add to the enemy's nerve roll. Source: KOW-A-brutal."""
    values = [unit.rules.brutal for unit in chargers if unit.rules.brutal]
    if not values or rules.brutal == "none":
        return 0
    if rules.brutal == "one":
        values = [1] * len(values)
    return sum(values) if len(values) > 1 and rules.brutal_pooling == "sum" else max(values)


def dread_penalty(near: bool, brutal: int, rules: Rules) -> int:
    """What Dread takes from the nerve of an enemy in melee. Source: KOW-A-dread."""
    if not near or not rules.dread or (brutal and not rules.dread_with_brutal):
        return 0
    return rules.dread
