"""Who falls under an area weapon's template, each by its own damage. Source: AOR-08, AOR-10, AOR-13."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf, binomial
from mathhammer.core.steps import Action, Columns, Step
from mathhammer.games.confrontation_aor.blast import Places, Shot
from mathhammer.games.confrontation_aor.layout import Kind
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.throws import score, words
from mathhammer.kernels.pools import Bonus, pool, successes


def each_steps(shot: Shot, places: Places, rules: Rules) -> list[Action]:
    """Each fighter's damage is its own, what is more than its wounds is lost. Source: AOR-10, AOR-13."""
    steps: list[Action] = []
    for index, kind in enumerate(shot.formation.kinds):
        if not kind.titan:
            steps += _kind_steps(shot, places, index, kind, rules)
    return steps


def damage_pmfs(shot: Shot, kind: Kind, rules: Rules) -> tuple[Pmf, Pmf]:
    """Successes of the Strength tests of one fighter: with one test, and with two. Source: AOR-08, AOR-10."""
    return _tested(score(shot.weapon.ranged_strength - kind.resilience, rules), rules.bonus_die)


@lru_cache(maxsize=64)
def _tested(needed: int, bonus: Bonus) -> tuple[Pmf, Pmf]:
    one = successes(needed, bonus=bonus)
    return one, one.times(2)


def falls(shot: Shot, kind: Kind, rules: Rules) -> tuple[float, float]:
    """Chance that a covered fighter falls: with one test, and with two. Source: AOR-10, AOR-13, AOR-29."""
    if kind.titan:
        return 0.0, 0.0
    one, two = damage_pmfs(shot, kind, rules)
    return _reaches(one, kind.left), _reaches(two, kind.left)


def _reaches(damage: Pmf, left: int) -> float:
    """Chance of so much damage: certain things are exactly 1."""
    return damage.at_least(left) if any(damage[value] for value in range(left)) else 1.0


def _kind_steps(shot: Shot, places: Places, index: int, kind: Kind, rules: Rules) -> list[Action]:
    """Those of a kind who fall, then the damage on the others."""
    counts, tests = places.counts[:, index], np.maximum(places.tests - 1, 0)
    needs = words(score(shot.weapon.ranged_strength - kind.resilience, rules))
    steps: list[Action] = [
        Step(
            f"{kind.name}: fall by Strength tests on {needs}",
            fallen_law(*falls(shot, kind, rules)),
            lambda c: (2 * counts + tests)[c["place"]],
            _fallen(kind),
            lambda c: counts[c["place"]] > 0,
            rule="AOR-08",
        )
    ]
    if kind.left > 1 and kind.group is not None:
        steps.append(
            Step(
                f"{kind.name}: damage on those who stand",
                _by_tests(*(_survived(pmf, kind.left) for pmf in damage_pmfs(shot, kind, rules))),
                lambda c: 2 * (counts[c["place"]] - c["fallen"]) + tests[c["place"]],
                lambda c, marks: {"damage": c["damage"] + marks, "fallen": np.zeros_like(marks)},
                lambda c: counts[c["place"]] > c["fallen"],
                rule="AOR-13",
            )
        )
    return steps


@lru_cache(maxsize=256)
def fallen_law(one: float, two: float) -> Law:
    """How many of key // 2 fighters fall: with one test each for even keys, with two for odd ones.

    one, two: the chance that a fighter does.
    """
    chances = (one, two)
    return Law(("fallen", chances), lambda key: binomial(key // 2, chances[key % 2]))


@lru_cache(maxsize=256)
def _by_tests(one: Pmf, two: Pmf) -> Law:
    """The sum of key // 2 fighters: each is like `one` for even keys, like `two` for odd ones."""
    laws = (pool(one), pool(two))
    return Law(("by tests", one, two), lambda key: laws[key % 2].row(key // 2))


def _fallen(kind: Kind) -> Callable[[Columns, Ints], dict[str, Ints]]:
    def fall(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        if kind.group is None:
            return {"friends_lost": columns["friends_lost"] + outcome}
        kills, damage = columns["kills"] + outcome, columns["damage"] + outcome * kind.left
        others = "others" in columns and kind.category != "creature"
        noted = {"others": columns["others"] + outcome} if others else {}
        return {"kills": kills, "damage": damage, "fallen": outcome * (kind.left > 1), **noted}

    return fall


def _survived(damage: Pmf, left: int) -> Pmf:
    """Damage on a fighter who does not fall."""
    below = [damage[value] for value in range(left)]
    total = sum(below)
    return Pmf(0, [p / total for p in below]) if total > 0 else Pmf.point(0)
