"""What must hold whatever the numbers: zero sum, more dice never hurt, better fighters do not fare worse."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import mathhammer
from mathhammer.core.game import Placed
from mathhammer.games.confrontation_3 import plan
from mathhammer.games.confrontation_3.blows import fighting
from mathhammer.games.confrontation_3.exchange import LONE, SEVERAL, Exchange, graph
from mathhammer.games.confrontation_3.fighters import Body
from mathhammer.games.confrontation_3.objective import Objective
from mathhammer.games.confrontation_3.profile import Fighter
from mathhammer.games.confrontation_3.sixes import Sixes, decided_law
from mathhammer.games.confrontation_3.solver import Sides, Solver
from tests.games.confrontation_3.fighters import fearsome, fighter, rules

PAIRS = [
    (fighter(), fighter()),
    (fighter(att=6, res=9), fighter(**{"str": 11, "def": 2, "ini": 5})),
    (fearsome(8, res=3), fighter(cou=3, att=1)),
]
POLICIES = ("when_needed", "always", "never")


def net(result: mathhammer.Result) -> float:
    """P(kill) less P(being killed)."""
    return result.probability("defender.killed") - result.probability("attacker.killed")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("pair", PAIRS, ids=("alike", "strong and tough", "fearsome"))
def test_swapping_the_fighters_negates_the_value(pair: tuple[Fighter, Fighter], policy: str) -> None:
    asked: dict[str, Any] = {"rounds": 3, "rules": {"reroll_six": policy}}
    there = mathhammer.exact("c3", "duel", *pair, attacker_wound="light", charged="defender", **asked)
    back = mathhammer.exact("c3", "duel", *pair[::-1], defender_wound="light", charged="attacker", **asked)
    assert net(there) == pytest.approx(-net(back), abs=1e-12)
    joint = {(v // 5, v % 5): p for v, p in there.pmf("outcome").items()}
    assert {(v % 5, v // 5): p for v, p in back.pmf("outcome").items()} == pytest.approx(joint, abs=1e-12)


def test_a_duel_of_equals_is_even() -> None:
    result = mathhammer.exact("c3", "duel", fighter(), fighter(), rounds=4)
    assert net(result) == pytest.approx(0, abs=1e-12)
    assert result.probability("attacker.initiative") == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("objective", ["net", "kill", "survive", "wounds", "kill=2,taken=-0.3"])
def test_the_value_of_the_plan_is_that_of_the_play(objective: str) -> None:
    """Backward and forward meet: the table's value is the objective of the distribution that comes out."""
    asked: dict[str, Any] = {"initiative": "defender", "objective": objective, "rounds": 2}
    result = mathhammer.exact("c3", "placement", *PAIRS[1], **asked)
    best = next(row for row in result.tables["placement"] if row["choice"])
    weights = {
        "net": (1, -1, 0, 0),
        "kill": (1, 0, 0, 0),
        "survive": (0, -1, 0, 0),
        "wounds": (0, 0, 1, -1),
        "kill=2,taken=-0.3": (2, 0, 0, -0.3),
    }[objective]
    seen = (
        result.probability("defender.killed"),
        result.probability("attacker.killed"),
        result.mean("defender.wound"),
        result.mean("attacker.wound"),
    )
    assert best["value"] == pytest.approx(np.dot(weights, seen), abs=1e-12)
    assert best["attacker killed"] == pytest.approx(seen[1], abs=1e-12)
    assert best["enemy killed"] == pytest.approx(seen[0], abs=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"rounds": 1},
        {"with_": [fighter(att=2, ini=4), fighter(res=4)], "objective": "kill=1,killed=-2"},
        {"rounds": 2},
        {"listed_order": True},
        {"defender_afraid": True, "rounds": 2},
        {"charged": "attacker"},
    ],
)
def test_the_value_of_a_frays_plan_is_that_of_its_play(options: dict[str, Any]) -> None:
    asked = {"with_": [fighter(att=2, ini=4)], **options}
    result = mathhammer.exact("c3", "fray", fighter(att=6, res=8), fighter(), **asked)
    rows = result.tables["placement"]
    shares = {row["initiative"]: row for row in rows if row["choice"]}
    first = result.probability("attacker.initiative")
    chances = {name: first if name.startswith("attacker") else 1 - first for name in shares}
    value = sum(chances[name] * row["value"] for name, row in shares.items())
    seen = result.mean("kills") - (2 if "objective" in options else 1) * result.probability("attacker.killed")
    assert value == pytest.approx(seen, abs=1e-12)


def values(one: Body, other: Body, objective: Objective, **changes: Any) -> dict[tuple[int, ...], Any]:
    """Value by state of each placement: whose turn, attack and defence dice of both."""
    attacks = fighting(rules(**changes), 2)
    end = objective.worth(attacks.states, 2)[None]
    exchange = Exchange()
    keys = [k for k in product((LONE, SEVERAL), *(range(3),) * 4) if k[1] + k[2] <= 2 and k[3] + k[4] <= 2]
    nodes = {k: exchange.start(k[0], (k[1], k[2]), ((k[3], k[4]),)) for k in keys}
    every = [range(attacks.states.count)] * 2
    found = Solver(Sides(one, (other,)), attacks, exchange, end, every).solve(list(nodes.values()))
    return {k: found.values[node][0] for k, node in nodes.items()}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("objective", [Objective(1, -1, 0, 0), Objective(0, 0, 1, -1)])
def test_one_more_die_never_hurts_its_owner(policy: str, objective: Objective) -> None:
    """A die more, in attack or in defence, in every state: an attack is only ever to the good."""
    found = values(Body(3, 5, 7, 3, 6), Body(3, 4, 8, 5, 5), objective, reroll_six=policy)
    for (side, a, d, b, e), value in found.items():
        for more in ((side, a + 1, d, b, e), (side, a, d + 1, b, e)):
            if more in found:
                assert (found[more] >= value - 1e-12).all(), (side, a, d, b, e)
        for more in ((side, a, d, b + 1, e), (side, a, d, b, e + 1)):
            if more in found:
                assert (found[more] <= value + 1e-12).all(), (side, a, d, b, e)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", ["ini", "att", "str", "def", "res"])
def test_a_better_fighter_does_not_fare_worse(name: str, policy: str) -> None:
    """In one round, by the value that both play for.

    Not INI with re-rolls when needed: a tie is thrown again, but a loser by one may roll his six on, so that
    a lead of 5 wins a little more seldom than one of 4.
    """
    if (name, policy) == ("ini", "when_needed"):
        assert decided_law(Sixes(), "again").row(5)[1] < decided_law(Sixes(), "again").row(4)[1]
        return
    worth = [
        net(
            mathhammer.exact(
                "c3", "placement", fighter(**{name: value}), fighter(), rules={"reroll_six": policy}
            )
        )
        for value in range(10)
    ]
    assert all(after >= before - 1e-12 for before, after in pairwise(worth))
    assert worth[-1] > worth[0] + 1e-3


@pytest.mark.parametrize("split", ["0/2", "1/1", "2/0"])
def test_a_fixed_split_costs_its_owner_something_or_nothing(split: str) -> None:
    for rounds in (1, 2):
        asked: dict[str, Any] = {"split": split, "rounds": rounds}
        rows = mathhammer.exact("c3", "placement", *PAIRS[1], **asked).tables["cost_of_fixed_splits"]
        assert [row["play"] for row in rows] == ["best play", "as fixed", "difference"]
        assert all(rows[2][key] >= -1e-12 for key in rows[2] if key != "play")


def test_choosing_the_order_of_attack_never_hurts_the_several() -> None:
    enemies = [fighter(att=8, str=2), fighter(att=1, str=12)]
    listed, chosen = (
        mathhammer.exact("c3", "fray", fighter(ini=1), enemies[0], with_=enemies[1:], listed_order=order)
        for order in (True, False)
    )
    worth = [r.mean("kills") - r.probability("attacker.killed") for r in (listed, chosen)]
    assert worth[1] <= worth[0] + 1e-12


def test_best_play_is_no_worse_than_simple_play_of_the_attacker() -> None:
    """Against an enemy whose split is fixed: what he does with his own dice is at its best."""
    asked: dict[str, Any] = {"initiative": "attacker", "enemy_split": "2/0", "rounds": 1}
    best = mathhammer.exact("c3", "placement", *PAIRS[1], **asked)
    simple = mathhammer.exact("c3", "placement", *PAIRS[1], play="simple", **asked)
    assert net(best) >= net(simple) - 1e-12


def test_the_several_choose_their_order_unless_it_is_listed() -> None:
    """Best play does not depend on the order of typing; the listed order does, and says so."""
    enemies = [fighter(att=8, str=2), fighter(att=1, str=12)]
    listed: dict[str, Any] = {"listed_order": True, "initiative": "defender"}
    chosen, ordered = (
        [
            mathhammer.exact("c3", "fray", fighter(ini=1), one, with_=[other], **asked)
            for one, other in (enemies, enemies[::-1])
        ]
        for asked in ({"initiative": "defender"}, listed)
    )
    worth = [[r.mean("kills") - r.probability("attacker.killed") for r in pair] for pair in (chosen, ordered)]
    assert worth[0][0] == pytest.approx(worth[0][1], abs=1e-12)
    assert abs(worth[1][0] - worth[1][1]) > 1e-6
    assert not any("order" in note for note in chosen[0].notes)
    assert any("in the order listed" in note for note in ordered[0].notes)


FRAY: dict[str, dict[str, Any]] = {
    "three alike": {"with_": [fighter()] * 2},
    "two alike of three": {"with_": [fighter(ini=5, att=6), fighter()]},
    "alike but for wounds": {"with_": [Placed(fighter(), {"wound": "light", "stunned": True})]},
    "two rounds": {"with_": [fighter()], "rounds": 2, "charged": "defender"},
    "the one of them who rolls initiative": {"with_": [fighter()], "rounds": 2, "named": 2},
    "their fixed splits differ": {"with_": [fighter()], "rounds": 2, "enemy_split": "2/0,0/2"},
    "they attack in the order listed": {"with_": [fighter()], "listed_order": True},
    "one of them recovers more easily": {
        "with_": [Placed(fighter(cou=1), {"afraid": True})],
        "defender_afraid": True,
        "enemy_split": "1/1,1/1",
        "rounds": 2,
    },
    "a charge tells them apart once they are calm": {
        "with_": [Placed(fighter(), {"afraid": True})],
        "defender_afraid": True,
        "charged": "defender",
        "enemy_split": "1/1,1/1",
        "rounds": 2,
        "rules": {"fear_and_charge": "worse", "charge_token_lasts": "fight"},
    },
    "one of them is afraid": {"with_": [fighter()], "rounds": 2, "defender_afraid": True},
}


@pytest.mark.parametrize("name", FRAY)
def test_enemies_who_are_alike_are_worth_what_they_are_apart(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is solved once for all arrangements of them is what is solved for each alone."""

    def asked() -> tuple[dict[str, float], mathhammer.Result]:
        plan.planned.cache_clear()
        result = mathhammer.exact("c3", "fray", fighter(att=6, res=8), fighter(), **FRAY[name])
        rows = result.tables["placement"]
        worth = {f"{row['initiative']}: {row['places first']}": row["value"] for row in rows}
        killed = result.probability("attacker.killed")
        return worth | {"kills": result.mean("kills"), "killed": killed}, result

    together, result = asked()
    net = result.tables["by_initiative"][-1]["value"]
    assert net == pytest.approx(result.mean("kills") - result.probability("attacker.killed"), abs=1e-12)
    monkeypatch.setattr(plan.Fight, "kinds", lambda fight, *when: tuple(range(fight.fighters - 1)))
    apart = asked()[0]
    assert {key: apart[key] for key in together} == pytest.approx(together, abs=1e-12)
    plan.planned.cache_clear()


def test_alike_enemies_share_what_is_solved_and_rows_of_tables() -> None:
    """Each placement once, whoever of them places it; not where a wound tells them apart."""
    lone, enemies = fighter(att=6, res=8), [fighter(), fighter(), fighter(ini=5)]
    alike = mathhammer.exact("c3", "fray", lone, enemies[0], with_=enemies[1:2])
    placed = [r["places first"] for r in alike.tables["placement"] if r["places first"].startswith("enemies")]
    assert len(placed) == 6
    assert "enemies 1/1 0/2" not in placed
    hurt = mathhammer.exact("c3", "fray", lone, enemies[0], with_=enemies[1:2], defender_wound="light")
    assert len(hurt.tables["placement"]) == len(alike.tables["placement"]) + 3
    counts = [
        len(graph(Exchange(True, kinds), (Exchange(True).start(LONE, (2, 2), ((1, 1),) * 3),)))
        for kinds in ((0, 1, 2), (0, 0, 2), (0, 0, 0))
    ]
    assert counts[0] > 1.5 * counts[1]
    assert counts[1] > 1.5 * counts[2]
