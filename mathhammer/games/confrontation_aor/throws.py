"""Tests on the resolution table: the score a die needs, bonus dice, re-rolls. Source: AOR-01 to AOR-05."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Floats, Pmf
from mathhammer.games.confrontation_aor.ruleset import Rules, columns
from mathhammer.kernels.pools import Bonus, pool, successes

NEVER, ALWAYS = 7, 1
MOST_DIFFERENCE = 60  # of an action value and a difficulty, either way


def score(difference: int, rules: Rules) -> int:
    """What a die must show, by action value - difficulty: 1 is always, 7 never. Source: AOR-01."""
    reached = [needed for least, needed in columns(rules.resolution_table) if difference >= least]
    return reached[-1] if reached else NEVER


def words(needed: int) -> str:
    """A score in words."""
    return {NEVER: "never", ALWAYS: "always"}.get(needed, "6" if needed == 6 else f"{needed}+")


def die(difference: int, bonus: Bonus, rules: Rules, *, again: bool = False) -> Pmf:
    """Successes of one die with its bonus dice; `again`: failures are thrown again once.

    Source: AOR-01, AOR-02, AOR-05.
    """
    return successes(score(difference, rules), reroll="failures" if again else "none", bonus=bonus)


def attack_law(difference: int, charge: bool, rules: Rules) -> Law:
    """Hits by number of attack dice. Source: AOR-02, AOR-05, AOR-12."""
    if not charge:
        return pool(die(difference, rules.bonus_die, rules))
    if rules.charge_reroll == "failures":
        return pool(die(difference, rules.bonus_die, rules, again=True))
    needed = score(difference, rules)
    if rules.charge_reroll == "one_die":
        return one_die_again(needed, rules.bonus_die)
    return whole_again(needed, rules.bonus_die, rules.all_again == "no_success")


def strength_law(difference: int, most: int, rules: Rules) -> Law:
    """Damage by number of hits, at most `most`. Source: AOR-08, AOR-12."""
    return pool(die(difference, rules.bonus_die, rules), most)


def mean_of(needed: int, bonus: Bonus) -> Fraction:
    """Mean successes of one die, without rounding: a throw may be just its mean. Source: AOR-02."""
    added = {"none": Fraction(1), "once": Fraction(7, 6), "chain": Fraction(6, 5)}
    return Fraction(7 - needed, 6) * added[bonus]


@lru_cache(maxsize=256)
def whole_again(needed: int, bonus: Bonus, only_nothing: bool) -> Law:
    """The whole throw again, when it gave less than its mean; the second stands. Source: AOR-05.

    only_nothing: only when it gave no success.
    """
    one = successes(needed, bonus=bonus)

    def make(dice: int) -> Pmf:
        first, least = one.times(dice), 1 if only_nothing else dice * mean_of(needed, bonus)
        poor = [chance for value, chance in first if value < least]
        kept = [(chance, Pmf.point(value)) for value, chance in first if value >= least]
        return Pmf.mixture([*kept, (float(np.sum(poor)), first)])

    return Law(("whole again", needed, bonus, only_nothing), make)


@lru_cache(maxsize=256)
def one_die_again(needed: int, bonus: Bonus) -> Law:
    """One failed die again, its 6 adding dice; a first die before a bonus die. Source: AOR-05."""
    one = successes(needed, bonus=bonus)
    if needed == ALWAYS:
        return pool(one)
    added = one if bonus == "chain" else successes(needed)
    whole, some, none = (_part(needed, bonus, which) for which in ("any", "bonus fails", "nothing fails"))

    def make(dice: int) -> Pmf:
        every, first_hold, all_hold = (_power(part, dice) for part in (whole, some + none, none))
        total = np.convolve(_less(every, first_hold), one.probs)
        total = _sum(total, np.convolve(_less(first_hold, all_hold), added.probs))
        total = np.maximum(_sum(total, all_hold), 0.0)
        return Pmf(0, total / total.sum(), one.cut * (dice + 1))

    return Law(("one die again", needed, bonus), make)


def _part(needed: int, bonus: Bonus, which: str) -> Floats:
    """Successes of one die in the case that no die, or only the last bonus die, fails; or in any case."""
    one = successes(needed, bonus=bonus)
    cells = np.zeros(len(one.probs))
    fails, plain, six = (min(needed, NEVER) - 1) / 6, max(0, 6 - needed) / 6, float(needed <= 6) / 6
    if which == "any":
        return one.probs.copy()
    links = 0 if bonus == "none" else 1 if bonus == "once" else len(cells) - 2
    for link in range(links + 1):
        last = link == links and bonus != "chain"
        ends = (plain + six if last else plain) if which == "nothing fails" else (fails if link else 0.0)
        if link + (which == "nothing fails") < len(cells):
            cells[link + (which == "nothing fails")] += six**link * ends
    return cells


def _power(cells: Floats, times: int) -> Floats:
    total = np.ones(1)
    for _ in range(times):
        total = np.convolve(total, cells)
    return total


def _sum(a: Floats, b: Floats) -> Floats:
    total = np.zeros(max(len(a), len(b)))
    total[: len(a)] += a
    total[: len(b)] += b
    return total


def _less(a: Floats, b: Floats) -> Floats:
    return _sum(a, -b)


@lru_cache(maxsize=64)
def single(dice: int, table: str) -> Law:
    """Whether one of `dice` dice passes (the best is kept), keyed by action value - difficulty.

    No bonus dice: they could not change it. Source: AOR-03.
    """
    rules = columns(table)

    def make(difference: int) -> Pmf:
        reached = [needed for least, needed in rules if difference >= least]
        fails = ((reached[-1] if reached else NEVER) - 1) / 6
        return Pmf(0, [fails**dice, 1 - fails**dice])

    return Law(("single", dice, table), make)
