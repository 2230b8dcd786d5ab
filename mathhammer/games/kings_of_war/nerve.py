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
PASSED = 10  # added to what a double 6 makes of a passed test

RESULTS = ("steady", "waver", "rout", "steady, D6 more damage")


@dataclass(frozen=True)
class NerveTest:
    """Everything that a nerve roll is judged by, besides the dice and the damage.

    modifier: added to the roll. single: one nerve value, as in edition 4.
    double_six_damage: a passed double 6 deals D6 more damage (combat only), and no waver by it.
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
        return self.marked(first, second, damage) % PASSED

    def marked(self, first: int, second: int, damage: int) -> int:
        """As `grade`, with PASSED added where the total passed and only the double 6 makes it worse."""
        if first == second == 1 and self.double_one_steady:
            return STEADY
        result = self._by_total(first + second + damage + self.modifier, damage)
        if first == second == 6 and result == STEADY and not self.never_wavers:
            return PASSED + self._passed_double_six(damage)
        return result

    def _by_total(self, total: int, damage: int) -> int:
        if total >= self.rout:
            return self._wavered(damage) if self.single and not self.combat else ROUT
        if not self.single and self.waver is not None and total >= self.waver:
            return self._wavered(damage)
        return STEADY

    def _passed_double_six(self, damage: int) -> int:
        if self.double_six_damage:
            return HURT
        return self._wavered(damage) if self.double_six_wavers else STEADY

    def _wavered(self, damage: int) -> int:
        """What a waver comes to: a rout for the devastated, nothing for the fearless."""
        devastated = self.devastated_above is not None and damage > self.devastated_above
        if self.never_wavers:
            return ROUT if devastated and self.fearless_devastated == "rout" else STEADY
        return ROUT if devastated else WAVER


def nerve_test(unit: Unit, *, combat: bool, roll_bonus: int, nerve_bonus: int, rules: Rules) -> NerveTest:
    """A unit's test: `roll_bonus` is added to the roll, `nerve_bonus` to its nerve. Source: KOW-05."""
    single = rules.nerve_values == "one"
    fearless = never_wavers(unit, rules)
    devastated = None if single and combat else devastated_above(unit, nerve_bonus, rules)
    return NerveTest(
        waver=unit.waver,
        rout=unit.rout,
        modifier=roll_bonus - nerve_bonus,
        combat=combat,
        single=single,
        never_wavers=fearless,
        double_one_steady=rules.double_one_steady,
        double_six_wavers=rules.double_six_wavers,
        double_six_damage=combat and rules.double_six_damage,
        devastated_above=devastated,
        fearless_devastated=rules.fearless_devastated if fearless and devastated else "steady",
    )


def never_wavers(unit: Unit, rules: Rules) -> bool:
    """Fearless by rule, or "-/N". In edition 4 one value is no "-/N", but a profile's of editions 1 to 3 is.

    Source: KOW-A-fearless.
    """
    if unit.rules.fearless:
        return True
    return unit.waver is None and (rules.nerve_values == "two" or unit.edition in (1, 2, 3))


def devastated_above(unit: Unit, nerve_bonus: int, rules: Rules) -> int | None:
    """The damage beyond which a unit is devastated; None where no unit ever is. Source: KOW-05."""
    if not rules.devastated:
        return None
    return unit.rout + (nerve_bonus if nerve_bonus and rules.devastated_nerve == "modified" else 0)


def nerve_law(test: NerveTest, inspired: bool, rules: Rules) -> Law:
    """The result by damage on the unit; inspired, a bad one is re-rolled once.

    Source: KOW-05, KOW-06, KOW-A-inspiring.
    """
    if not inspired:
        return two_dice_test(test, test.grade)
    bad = {ROUT} if rules.inspiring == "rout" else {ROUT, WAVER}
    if not (test.double_six_wavers and test.single and not test.combat) or rules.inspiring_double_six:
        return rerolled(two_dice_test(test, test.grade), frozenset(bad))
    failed = rerolled(two_dice_test((test, PASSED), test.marked), frozenset(bad))
    return failed @ Law(("unmarked",), lambda result: Pmf.point(result % PASSED))


def nerve_steps(
    unit: Unit, side: str, law: Law, rules: Rules, *, combat: bool = True, who: str = ""
) -> list[Step]:
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
    if combat and not never_wavers(unit, rules) and rules.double_six_damage:
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
