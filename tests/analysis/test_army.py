"""Armies: against going through every list and every plan, for small ones."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mathhammer
from mathhammer.analysis.army import Army, plan_army
from mathhammer.analysis.campaign import Campaign, make_campaign
from mathhammer.analysis.execute import execute
from mathhammer.analysis.fights import Team
from mathhammer.analysis.sweep import Row, Sweep, Table
from mathhammer.analysis.words import missed, step, unspent
from mathhammer.core.errors import InputError
from tests.analysis.sweeps import KOW, ROUT

Lists = dict[tuple[tuple[int, int], ...], float]


def campaign(listed: Any, enemies: Any, budget: int, **rest: Any) -> Campaign:
    return make_campaign(KOW, "melee", listed, enemies, rest.pop("situation", {}), budget=budget, **rest)


def planned(made: Campaign) -> tuple[Army, dict[tuple[Team, int], float]]:
    """The plan, and the chance of every team against every enemy, asked one by one."""
    table = execute(Sweep(made.fights(), (ROUT,)), workers=1)
    chances = {made.key(*pair): table.value(i) or 0.0 for i, pair in enumerate(made.fights().pairs)}
    every = {
        (team, enemy): chances[made.key(team, enemy)]
        for team in made.teams
        for enemy in range(len(made.enemies))
    }
    return plan_army(made, table), every


def brute(made: Campaign, chances: dict[tuple[Team, int], float]) -> Lists:
    """The value of the best plan of every list that can be taken, by the units it takes."""
    best: Lists = {}
    for teams in product([(), *made.teams], repeat=len(made.enemies)):
        used = [place for team in teams for place in team]
        counts = {place: used.count(place) for place in set(used)}
        if any(count > made.most[place] for place, count in counts.items()):
            continue
        if sum(made.costs[place] for place in used) > made.budget:
            continue
        gains = [chances[team, enemy] if team else 0.0 for enemy, team in enumerate(teams)]
        if made.goal == "worst":
            value = min(gains)
        else:
            value = sum(w * p for w, p in zip(made.weights, gains, strict=True))
        taken = tuple(sorted(counts.items()))
        best[taken] = max(value, best.get(taken, -1.0))
    return best


def lacking(taken: Any, than: Any) -> bool:
    """Whether a list takes fewer of some unit than another one."""
    counts = dict(taken)
    return any(counts.get(place, 0) < count for place, count in than)


CASES: list[tuple[str, str, int, dict[str, Any]]] = [
    ("knights:2,ogre-warriors,orc-ax:2", "foot-guard,ghoul", 500, {}),
    ("knights:2,ogre-warriors,orc-ax:2", "foot-guard:w3,ghoul,zombie-3:w2", 450, {"team": 2}),
    (
        "knights:2,ogre-warriors,orc-ax:2",
        "foot-guard:w3,ghoul,zombie-3:w2",
        450,
        {"team": 2, "goal": "number"},
    ),
    ("knights:2,ogre-warriors:2", "foot-guard,ghoul,orc-ax", 600, {"team": 2, "goal": "worst"}),
    ("knights@flank,ogre-warriors,gore-riders@flank", "foot-guard,ghoul", 340, {}),
    ("pike-phalanx,foot-guard@rear:3", "trolls,drakon-riders:2:w3", 400, {"team": 2}),
    ("knights:2,ogre-warriors:2", "ghoul:3,foot-guard", 700, {"team": 2}),
    ("knights:2,ogre-warriors:2,orc-ax", "foot-guard:2,ghoul:2", 800, {"team": 2, "goal": "worst"}),
]


@pytest.mark.parametrize(("listed", "enemies", "budget", "rest"), CASES)
def test_the_best_plan_is_the_best_of_all(
    listed: str, enemies: str, budget: int, rest: dict[str, Any]
) -> None:
    made = campaign(listed, enemies, budget, **rest)
    army, chances = planned(made)
    lists = brute(made, chances)
    top = max(lists.values())
    assert army.best.value == pytest.approx(top, abs=1e-6)
    assert army.best.points <= budget
    assert sum(f.points for f in army.best.fights) == army.best.points


def by_place(made: Campaign, taken: tuple[tuple[str, int], ...]) -> tuple[tuple[int, int], ...]:
    names = [choice.label for choice in made.listed]
    return tuple(sorted((names.index(name), count) for name, count in taken))


@pytest.mark.parametrize(("listed", "enemies", "budget", "rest"), CASES)
def test_alternatives_and_swaps_are_the_best_of_all(
    listed: str, enemies: str, budget: int, rest: dict[str, Any]
) -> None:
    made = campaign(listed, enemies, budget, **rest)
    army, chances = planned(made)
    lists = brute(made, chances)
    told = [by_place(made, army.best.taken)]
    for plan in army.alternatives:
        left = [value for taken, value in lists.items() if all(lacking(taken, one) for one in told)]
        assert plan.value == pytest.approx(max(left), abs=1e-6)
        told.append(by_place(made, plan.taken))
    counts = dict(told[0])
    names = [choice.label for choice in made.listed]
    for swap in army.swaps:
        place = names.index(swap.without)
        left = [value for taken, value in lists.items() if dict(taken).get(place, 0) < counts[place]]
        assert swap.loss == pytest.approx(army.best.value - max(left), abs=1e-6)
        more = Counter(dict(swap.plan.taken)) - Counter(dict(army.best.taken))
        assert dict(swap.instead) == more
    plans = {row["plan"]: row["value"] for row in army.records()}
    assert list(plans.items()) == list(enumerate([army.best.value, *(p.value for p in army.alternatives)], 1))
    assert {swap.without for swap in army.swaps} <= {name for name, _ in army.best.taken}


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 10**6), st.integers(100, 700), st.sampled_from(["weight", "number", "worst"]))
def test_plans_on_random_chances_against_every_plan(seed: int, budget: int, goal: Any) -> None:
    """The program itself, on chances that no game gave."""
    made = campaign(
        "knights:2,ogre-warriors,orc-ax:2", "foot-guard:w3,ghoul,trolls:w2", budget, team=2, goal=goal
    )
    rng = np.random.default_rng(seed)
    fights = made.fights()
    sweep = Sweep(fights, (ROUT,))
    rows: list[Row | None] = [Row(i, values=(float(rng.random()) ** 2,)) for i in range(len(fights))]
    table = Table(sweep, rows)
    chances: dict[tuple[Team, int], float] = {}
    for team in made.teams:  # as the program takes it, a team does what a part of it does
        for enemy in range(3):
            own = table.value(
                next(i for i, p in enumerate(fights.pairs) if made.key(*p) == made.key(team, enemy))
            )
            parts = [chances[(one,), enemy] for one in team] if len(team) > 1 else []
            chances[team, enemy] = max([own or 0.0, *parts])
    army = plan_army(made, table)
    assert army.best.value == pytest.approx(max(brute(made, chances).values()), abs=1e-6)


# -- fights ----------------------------------------------------------------------------------------
def test_a_fight_is_the_question_asked_alone() -> None:
    made = campaign("knights@flank,ogre-warriors,orc-ax", "foot-guard", 500)
    army, _ = planned(made)
    fights = made.fights()
    for index, (team, _) in enumerate(fights.pairs):
        names = [made.listed[place].label for place in team]
        plain = sorted((n for n in names if "@" not in n), key=lambda n: {"ogre-warriors": 0, "orc-ax": 1}[n])
        first, *rest = [*plain, *(n for n in names if "@" in n)]
        facing: dict[str, Any] = {"facing": "flank"} if "@" in first else {}
        alone = mathhammer.question(
            "kow", "melee", first.partition("@")[0], "foot-guard", with_=rest, **facing
        )
        assert fights.question(index).content == alone.content
    assert len(army.best.fights[0].team) == 3


def test_equal_profiles_are_asked_once() -> None:
    twins = campaign("foot-guard:2,foot-guard:2,ghoul", "knights,knights,orc-ax", 900, team=2)
    assert [choice.label for choice in twins.listed] == ["foot-guard", "foot-guard (2)", "ghoul"]
    assert [choice.label for choice in twins.enemies] == ["knights", "knights (2)", "orc-ax"]
    assert len(twins.teams) == 3 + 5
    assert len(twins.fights()) == 4 * 2  # one or two of the guard, the ghoul, both; two kinds of enemies


def test_the_distribution_is_that_of_independent_fights() -> None:
    army = mathhammer.army("kow", "melee", "knights:3,ogre-warriors:2", "ghoul,orc-ax,foot-guard", budget=905)
    chances = [fight.chance for fight in army.best.fights]
    none = np.prod([1 - p for p in chances])
    assert army.best.pmf[0] == pytest.approx(none)
    assert army.best.pmf.mean == pytest.approx(sum(chances))
    assert len(chances) >= 2


def test_of_equal_lists_the_cheaper_one_is_taken() -> None:
    army = mathhammer.army("kow", "melee", "knights,gore-riders", "ghoul", budget=200)
    assert army.best.taken == (("gore-riders", 1),)


def test_rosters_say_points_and_how_many(tmp_path: Path) -> None:
    roster, enemies = tmp_path / "list.toml", tmp_path / "enemies.toml"
    roster.write_text('[[roster]]\nunit = "knights"\nmost = 3\npoints = 100\n')
    enemies.write_text('[[roster]]\nunit = "ghoul"\nnumber = 2\nweight = 2.5\n')
    army = mathhammer.army("kow", "melee", str(roster), str(enemies), budget=250, team=1)
    assert army.best.points == 200
    assert army.campaign.weights == [2.5, 2.5]
    assert army.best.taken == (("knights", 2),)


def test_a_chance_that_no_team_has_is_named() -> None:
    with pytest.raises(InputError, match=r"no team gains anything by the chance of defender.killed .event"):
        mathhammer.army("c3", "duel", "wolfen-prowler", "griffin-magistrate:w0", budget=99)


def test_points_that_nobody_knows_are_asked_for_in_a_form_that_works(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        mathhammer.army("aor", "assault", "heavy-infantry", "conscripts", budget=300)
    written = str(caught.value).partition("says them: ")[2].replace(", ", "\n")
    assert written.startswith("[[roster]]")
    (tmp_path / "list.toml").write_text(written)
    army = mathhammer.army(
        "aor", "assault", str(tmp_path / "list.toml"), "conscripts", budget=300, event="destroyed"
    )
    assert army.best.points == 100
    assert "a list of 1 unit against 1 enemy" in army.table.sweep.grid.heading()


def test_a_number_after_an_enemy_is_how_many_are_met_and_a_weight_has_a_w() -> None:
    made = campaign("knights:9", "foot-guard:3,ghoul:w2,trolls:2:w0.5", 2000)
    assert [enemy.label for enemy in made.enemies] == [
        *("foot-guard", "foot-guard (2)", "foot-guard (3)"),
        *("ghoul", "trolls", "trolls (2)"),
    ]
    assert made.weights == [1, 1, 1, 2, 0.5, 0.5]
    assert made.most == [9]


def test_no_unit_of_a_roster_may_be_taken(tmp_path: Path) -> None:
    roster = tmp_path / "list.toml"
    roster.write_text('[[roster]]\nunit = "knights"\nmost = 0\n')
    with pytest.raises(InputError, match="allows nothing, no unit may be taken"):
        campaign(str(roster), "ghoul", 500)


def test_modes_without_helpers_have_teams_of_one() -> None:
    army = mathhammer.army("kow", "shoot", "elf-bowmen:2", "ghoul,orc-ax", budget=400, at_least={"damage": 3})
    assert [len(fight.team) for fight in army.best.fights] == [1, 1]
    assert army.campaign.teams == [(0,)]


def test_teams_that_the_budget_or_the_list_does_not_allow_are_not_asked() -> None:
    """Knights cost 175, Orc Ax 90; a budget of just the cheapest unit allows that one."""
    made = campaign("knights:2,orc-ax:2", "ghoul", 270)
    assert made.teams == [(0,), (1,), (0, 1), (1, 1)]
    assert campaign("knights,orc-ax", "ghoul", 90).teams == [(1,)]
    with pytest.raises(InputError, match="the cheapest unit costs 90"):
        campaign("knights,orc-ax", "ghoul", 89)


# -- words -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("listed", "enemies", "budget", "rest", "told"),
    [
        ("knights:9", "foot-guard", 2000, {}, "1,475 points unspent: teams hold at most 3 (--team)"),
        ("knights:9", "foot-guard", 2000, {"team": 1}, "1,825 points unspent: teams hold at most 1 (--team)"),
        ("knights:2", "foot-guard", 351, {}, "1 point unspent: all that may be taken is taken"),
        ("knights:3", "foot-guard", 400, {}, "50 points unspent: the cheapest unit that is left costs 175"),
        ("knights:2", "foot-guard", 350, {}, ""),
        ("morax:3", "goblin-rabble,de=2,rout=3", 600, {}, "250 points unspent: nothing left that helps"),
    ],
)
def test_what_is_not_spent_is_told_with_the_limit_that_binds(
    listed: str, enemies: str, budget: int, rest: dict[str, Any], told: str
) -> None:
    army, _ = planned(campaign(listed, enemies, budget, **rest))
    assert unspent(army) == told
    assert told in army._repr_html_()


def test_ties_are_told_as_ties() -> None:
    army, _ = planned(campaign("knights,gore-riders,points=175", "ghoul", 200))
    assert "No unit is missed" in missed(army)
    assert [step(plan.value - army.best.value) for plan in army.alternatives][:1] == ["tie"]
    assert (step(1e-9), step(-1e-9), step(-0.25), step(-3e-6)) == ("tie", "tie", "-0.2500", "-3e-06")


# -- mistakes --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("listed", "enemies", "rest", "words"),
    [
        ("knights,orc-ax", "ghoul", {"budget": 50}, ["budget 50", "allows nothing", "90"]),
        ("knights:0", "ghoul", {"budget": 500}, ["knights:0", "may be taken", "from 1 to 100", "not 0"]),
        ("knights:w2", "ghoul", {"budget": 500}, ["knights:w2", "weight", "knights:2"]),
        ("knights", "ghoul:0", {"budget": 500}, ["ghoul:0", "are met", "from 1 to 20", "not 0"]),
        ("knights", "ghoul:-1", {"budget": 500}, ["ghoul:-1", "are met", "from 1 to 20", "not -1"]),
        ("knights", "ghoul:2.5", {"budget": 500}, ["ghoul:2.5", "whole number", "not 2.5"]),
        ("knights", "ghoul:w-1", {"budget": 500}, ["ghoul:w-1", "weight", "from 0 to 1,000", "not -1"]),
        ("knights", "ghoul:2:3", {"budget": 500}, ["ghoul:2:3", "number", "twice"]),
        ("knights:1.5", "ghoul", {"budget": 500}, ["knights", "whole number", "1.5"]),
        ("knigts", "ghoul", {"budget": 500}, ["'knigts'", "knights"]),
        ("knights,points=-", "ghoul", {"budget": 500}, ["points", "knights"]),
        ("knights@side", "ghoul", {"budget": 500}, ["'side'", "flank"]),
        ("", "ghoul", {"budget": 500}, ["''"]),
        ([], "ghoul", {"budget": 500}, ["attacker is missing"]),
        ("knights", "ghoul", {"budget": 0}, ["budget is a whole number from 1 to 1,000,000, not 0"]),
        ("knights", "ghoul", {"budget": True}, ["budget", "True"]),
        ("knights", "ghoul", {"budget": 500, "team": 4}, ["team is a whole number from 1 to 3, not 4"]),
        ("knights", "ghoul", {"budget": 500, "goal": "most"}, ["goal is one of weight, number, worst"]),
        ("knights", [], {"budget": 500}, ["defender is missing"]),
        ("knights", "ghoul", {"budget": 500, "situation": {"facing": "x"}}, ["facing", "'x'"]),
    ],
)
def test_mistakes_are_told(listed: Any, enemies: Any, rest: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        campaign(listed, enemies, **rest)
    assert all(any(word in line for line in caught.value.lines) for word in words), caught.value.lines


def test_lists_that_gain_nothing_are_told() -> None:
    with pytest.raises(InputError, match="no team gains anything"):
        mathhammer.army("kow", "melee", "orc-ax", "foot-guard", budget=100, at_least={"damage": 150})
