"""The literal referee against the exact engine: whole distributions, die by die.

Each comparison is a chi-square over pooled bins with a fixed seed and a false-failure rate of 1e-6. Power
twins reuse the referee's sample against an altered question, and must reject it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from random import Random
from typing import Any

import pytest

import mathhammer
from mathhammer.games import load
from mathhammer.games.kings_of_war.profile import Unit
from tests.games.kings_of_war.units import unit
from tests.literal import kings_of_war as literal
from tests.oracle import agrees

TRIALS = 20_000
RANDOM_TRIALS = 4_000
State = tuple[Any, ...]


def told(own: Unit) -> literal.Unit:
    """The same unit in the referee's words."""
    plain = own.model_dump()
    known = {field.name for field in fields(literal.Unit)}
    return literal.Unit(**{key: value for key, value in plain.items() if key in known})


def table(**options: Any) -> literal.Table:
    return literal.Table(**{key: value for key, value in options.items() if value is not None})


class Case:
    """A question that both witnesses answer."""

    def __init__(
        self,
        mode: str,
        attacker: Unit,
        defender: Unit,
        *,
        edition: int = 1,
        rules: dict[str, Any] | None = None,
        beside: tuple[tuple[Unit, str], ...] = (),
        **situation: Any,
    ) -> None:
        self.mode, self.attacker, self.defender = mode, attacker, defender
        self.edition, self.rules, self.beside, self.situation = edition, rules or {}, beside, situation

    def sample(self, trials: int, seed: int) -> Counter[State]:
        """End states that the referee rolls."""
        rng, rules = Random(seed), {**literal.edition(self.edition), **self.rules}
        situation, enemy = table(**self.situation), told(self.defender)
        if self.mode == "melee":
            first = literal.Charger(told(self.attacker), self.situation.get("facing", "front"))
            chargers = [first, *(literal.Charger(told(u), facing) for u, facing in self.beside)]
            return Counter(
                struck(literal.melee(rng, chargers, enemy, situation, rules)) for _ in range(trials)
            )
        if self.mode == "shoot":
            shooter = told(self.attacker)
            return Counter(
                struck(literal.shoot(rng, shooter, enemy, situation, rules)) for _ in range(trials)
            )
        return Counter(
            fought(literal.fight(rng, told(self.attacker), enemy, situation, rules)) for _ in range(trials)
        )

    def exact(self, **changed: Any) -> dict[State, float]:
        """The exact distribution of the same end states, of this or an altered question."""
        options = {**self.situation, "edition": self.edition, "rules": self.rules, **changed}
        attacker = options.pop("attacker", self.attacker)
        if self.mode == "melee":
            options["with_"] = [placed(u, facing) for u, facing in self.beside]
        result = mathhammer.exact("kow", self.mode, attacker, self.defender, **options)
        columns, p = result._joint(result.measures + result.events, "exact")
        states: dict[State, float] = {}
        for row, chance in zip(
            zip(*(c.tolist() for c in columns.values()), strict=True), p.tolist(), strict=True
        ):
            state = self._state(dict(zip(columns, row, strict=True)))
            states[state] = states.get(state, 0.0) + chance
        return states

    def _state(self, row: dict[str, int]) -> State:
        if self.mode == "fight":
            return tuple(
                row[f"{side}.{what}"] for what in ("damage", "rout") for side in ("attacker", "defender")
            )
        nerve = next(name for name in ("steady", "waver", "rout") if row[name])
        return row["damage"], row["damage_after"], nerve, row.get("attacker.damage_after", 0)


def placed(own: Unit, facing: str) -> Any:
    from mathhammer.core.game import Placed

    return Placed(own, {"facing": facing})


def struck(outcome: literal.Outcome) -> State:
    return outcome.damage, outcome.damage_after, outcome.nerve, outcome.attacker_damage_after


def fought(outcome: literal.FightOutcome) -> State:
    routs = int(outcome.attacker_rout), int(outcome.defender_rout)
    return (outcome.attacker_damage, outcome.defender_damage, *routs)


CASES = {
    "plain charge": Case("melee", unit(), unit()),
    "flank, brutal, inspired": Case(
        "melee",
        unit(at=18, me=3, rules={"brutal": 1, "crushing_strength": 1}),
        unit(de=5, waver=15, rout=17),
        edition=3,
        facing="flank",
        inspiring=True,
    ),
    "edition 1 elite and vicious": Case(
        "melee", unit(at=7, rules={"elite": True, "vicious": True}), unit(de=5), damage_before=6
    ),
    "needs 7, in the rear": Case("melee", unit(at=13, me=6), unit(), edition=2, hindered=True, facing="rear"),
    "three chargers": Case(
        "melee",
        unit(at=9, rules={"lifeleech": 3, "brutal": 2}),
        unit(waver=18, rout=20, rules={"iron_resolve": 1}),
        edition=3,
        beside=((unit(at=5, rules={"brutal": 1}), "flank"), (unit(at=4, me=2), "rear")),
        attacker_damage_before=4,
        damage_before=2,
    ),
    "edition 4 double 6": Case(
        "melee", unit(at=10), unit(waver=None, rout=20, rules={"iron_resolve": 2}), edition=4, damage_before=1
    ),
    "volley at long range": Case(
        "shoot",
        unit(ra=4, at=20, rules={"piercing": 1}),
        unit(de=5, rules={"stealthy": True}),
        long_range=True,
        edition=3,
        damage_before=5,
    ),
    "edition 4 devastated": Case(
        "shoot",
        unit(ra=5, at=15, rules={"blast": "d3"}),
        unit(waver=None, rout=12),
        edition=4,
        damage_before=9,
        inspiring=True,
    ),
    "breath": Case("shoot", unit(rules={"breath": 10, "vicious": True}), unit(), breath=True, cover="hard"),
    "fight": Case("fight", unit(at=16, me=3, de=5), unit(at=12, de=5, waver=12, rout=14), edition=3, turns=3),
    "fight with everything": Case(
        "fight",
        unit(at=14, de=5, rules={"thunderous_charge": 2, "headstrong": True, "lifeleech": 2}),
        unit(at=14, waver=12, rules={"regeneration": 4, "headstrong": True, "thunderous_charge": 1}),
        edition=3,
        turns=3,
        facing="flank",
        attacker_damage_before=2,
    ),
    "edition 4 fight": Case(
        "fight",
        unit(at=20, waver=None, rout=14),
        unit(at=18, waver=None, rout=13, rules={"regeneration": 5}),
        edition=4,
        turns=3,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_referee_agrees(name: str) -> None:
    case = CASES[name]
    assert agrees(case.sample(TRIALS, seed=5), case.exact())


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("twin", ["one die more", "one pip easier"])
def test_the_referee_would_notice(name: str, twin: str) -> None:
    """Power: the same sample against a law that is slightly wrong is rejected."""
    case = CASES[name]
    altered = one_die_more(case) if twin == "one die more" else one_pip_easier(case)
    assert not agrees(case.sample(TRIALS, seed=5), case.exact(**altered))


def one_die_more(case: Case) -> dict[str, Any]:
    """Two where half the dice count, so that one does."""
    attacker, more = case.attacker, 2 if case.situation.get("hindered") else 1
    breath = attacker.rules.breath and attacker.rules.breath + more
    rules = attacker.rules.model_copy(update={"breath": breath})
    return {"attacker": attacker.model_copy(update={"at": attacker.at + more, "rules": rules})}


def one_pip_easier(case: Case) -> dict[str, Any]:
    """Scores better by one; by two where they are beyond 6; a breath has its score in the ruleset."""
    if case.situation.get("breath"):
        return {"rules": {**case.rules, "breath_need": 3}}
    better = 2 if case.situation.get("hindered") else 1
    scores = {"me": case.attacker.me - better, "ra": case.attacker.ra and case.attacker.ra - better}
    return {"attacker": case.attacker.model_copy(update=scores)}


def test_the_editions_as_data_are_those_of_the_referee() -> None:
    for n in range(1, 5):
        values = load("kow").ruleset(str(n)).values.model_dump()
        assert values == literal.edition(n)


# -- random questions ------------------------------------------------------------------------------
FLAGS = ("stealthy", "phalanx", "ensnare", "headstrong", "fearless", "shattering", "dread", "individual")
AMOUNTS = {
    "crushing_strength": 2,
    "thunderous_charge": 3,
    "piercing": 2,
    "brutal": 2,
    "lifeleech": 3,
    "iron_resolve": 2,
}
CHOICES: dict[str, list[Any]] = {
    "halve_order": ["facing_first", "halve_first"],
    "half_dice_above": [5, 6],
    "brutal_pooling": ["highest", "sum"],
    "phalanx_facing": ["front", "any"],
    "devastated_nerve": ["printed", "modified"],
    "duelist_pooling": ["product", "highest"],
    "inspiring_double_six": [True, False],
    "fearless_devastated": ["steady", "rout"],
    "regeneration_timing": ["start", "end"],
    "struck_is_disordered": [False, True],
    "fight_facing": ["first", "every"],
    "breath_modified": [False, True],
    "breath_rules": [False, True],
    "blast_in_melee": [False, True],
    "phalanx_dice_facing": ["any", "front"],
    "lifeleech_timing": ["at_once", "next_turn"],
    "individual_flanks": [False, True],
    "double_six_wavers": [False, True],
}


def random_unit(rng: Random, edition: int) -> Unit:
    rules: dict[str, Any] = {
        flag: True for flag in (*FLAGS, "duelist", "big_shield", "flyer") if rng.random() < 0.2
    }
    rules |= {name: rng.randint(1, most) for name, most in AMOUNTS.items() if rng.random() < 0.3}
    rules |= {name: True for name in ("elite", "vicious") if rng.random() < 0.25}
    if rng.random() < 0.3:
        rules["regeneration"] = rng.randint(3, 6)
    if rng.random() < 0.2:
        rules["blast"] = "d3"
    rout = rng.randint(9, 18)
    waver = None if edition == 4 or rng.random() < 0.2 else rout - rng.randint(0, 3)
    return unit(
        at=rng.randint(3, 16),
        me=rng.randint(2, 6),
        ra=rng.randint(3, 6),
        de=rng.randint(2, 6),
        waver=waver,
        rout=rout,
        rules=rules,
        kind=rng.choice(["infantry", "cavalry", "large-cavalry", "war-engine"]),
        size=rng.choice(["regiment", "horde", None]),
    )


def random_case(seed: int) -> Case:
    """A question drawn from all units, editions, options and assumed readings."""
    rng = Random(seed)
    edition, mode = rng.randint(1, 4), rng.choice(["melee", "melee", "shoot", "fight"])
    options: dict[str, Any] = {
        "damage_before": rng.randint(0, 9),
        "facing": rng.choice(["front", "flank", "rear"]),
    }
    options["inspiring"] = rng.random() < 0.3
    if mode == "melee":
        options |= {
            "hindered": rng.random() < 0.4,
            "disordered": rng.random() < 0.2,
            "nerve_mod": rng.randint(-1, 1),
        }
        options |= {"attacker_damage_before": rng.randint(0, 20), "hit_mod": rng.randint(-1, 1)}
        options |= {
            "dread": edition > 1 and rng.random() < 0.3,
            "rallying": 0 if edition == 1 else rng.randint(0, 3),
        }
    if mode == "shoot":
        options |= {"cover": rng.choice(["none", "soft", "hard"]), "order": rng.choice(["halt", "advance"])}
        options |= {"long_range": rng.random() < 0.4, "damage_mod": rng.randint(-1, 1)}
    if mode == "fight":
        friends = 0 if edition == 1 else rng.randint(0, 3)
        options |= {
            "dread": edition > 1 and rng.random() < 0.3,
            "rallying": friends,
            "attacker_rallying": friends // 2,
        }
        options |= {"turns": 2, "hindered": rng.random() < 0.4, "attacker_inspiring": rng.random() < 0.3}
    beside = tuple(
        (random_unit(rng, edition), rng.choice(["front", "flank"])) for _ in range(mode == "melee")
    )
    rules = {name: rng.choice(values) for name, values in CHOICES.items()}
    return Case(
        mode,
        random_unit(rng, edition),
        random_unit(rng, edition),
        edition=edition,
        rules=rules,
        beside=beside,
        **options,
    )


@pytest.mark.parametrize("seed", range(120))
def test_the_referee_agrees_on_random_questions(seed: int) -> None:
    case = random_case(seed)
    assert agrees(case.sample(RANDOM_TRIALS, seed), case.exact())
