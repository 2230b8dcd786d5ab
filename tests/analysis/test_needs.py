"""The inverse, and the worth of a step: against going through every value."""

from __future__ import annotations

from typing import Any

import pytest

import mathhammer
from mathhammer.analysis.needs import Need, needs
from mathhammer.analysis.sweep import Row, Sweep
from mathhammer.core.errors import InputError
from tests.analysis.sweeps import ROUT, UNITS, sweep


def need(field: str, values: Any, chance: float, units: dict[str, Any] | None = None, **rest: Any) -> Need:
    made = sweep({field: values}, units, (ROUT,), **rest)
    (answer,) = needs(made, made.grid.axes[-1].target, chance).answers
    return answer


def chances(field: str, values: Any, **rest: Any) -> list[float]:
    made = sweep({field: values}, None, (ROUT,), **rest)
    return [made.answer(i).values[0] for i in range(len(made.grid))]


# -- against every value ---------------------------------------------------------------------------
@pytest.mark.parametrize("chance", [0.01, 0.1, 0.3, 0.5, 0.8, 0.95, 0.999])
@pytest.mark.parametrize("facing", ["front", "flank"])
def test_a_rising_field_against_every_value(chance: float, facing: str) -> None:
    values = range(1, 80)
    all_ = chances("at", values, situation={"facing": facing})
    doing = [value for value, p in zip(values, all_, strict=True) if p >= chance]
    found = need("at", values, chance, situation={"facing": facing})
    if not doing:
        assert (found.kind, found.best) == ("none", ("79", max(all_)))
        return
    assert (found.kind, found.value) == ("at least", str(doing[0]))
    assert found.chance == all_[doing[0] - 1] >= chance
    assert found.beyond == (str(doing[0] - 1), all_[doing[0] - 2])
    assert found.tried <= 25


@pytest.mark.parametrize("chance", [0.02, 0.2, 0.6, 0.9])
def test_a_falling_field_against_every_value(chance: float) -> None:
    values = range(8, 40)
    all_ = [
        mathhammer.exact(
            "kow", "melee", "ogre-warriors,at=24", f"foot-guard,waver=8,rout={value}"
        ).probability("rout")
        for value in values
    ]
    doing = [value for value, p in zip(values, all_, strict=True) if p >= chance]
    units = {"attacker": "ogre-warriors,at=24", "defender": "foot-guard,waver=8"}
    found = need("defender.rout", values, chance, units)
    assert (found.kind, found.value) == ("at most", str(doing[-1]))
    assert found.chance == all_[doing[-1] - 8]


@pytest.mark.parametrize("chance", [0.05, 0.3, 0.7])
def test_few_values_are_all_tried(chance: float) -> None:
    all_ = chances("defender.de", range(2, 7))
    doing = [value for value, p in zip(range(2, 7), all_, strict=True) if p >= chance]
    found = need("defender.de", None, chance)
    if doing:
        assert (found.kind, found.value, found.tried) == ("at most", str(doing[-1]), 5)
    else:
        assert found.kind == "none"


class Bumpy(Sweep):
    """A chance that does not go one way only: high between 40 and 44, and at the end."""

    def answer(self, index: int) -> Row:
        value = index + 1
        return Row(index, values=(0.9 if 40 <= value <= 44 or value > 95 else 0.1 + value / 1000,))


def test_a_chance_that_goes_both_ways_is_not_bisected() -> None:
    base = sweep({"at": range(1, 101)}, None, (ROUT,))
    made = Bumpy(base.grid, base.wanted)
    (found,) = needs(made, base.grid.axes[-1].target, 0.5).answers
    assert (found.kind, found.tried) == ("only", 100)
    assert found.doing == tuple(map(str, [*range(40, 45), *range(96, 101)]))


def test_the_check_sees_a_dip_at_a_probe() -> None:
    class Dipped(Sweep):
        def answer(self, index: int) -> Row:
            return Row(index, values=(0.0 if index == 50 else index / 99,))

    base = sweep({"at": range(1, 101)}, None, (ROUT,))
    (found,) = needs(Dipped(base.grid, base.wanted), base.grid.axes[-1].target, 0.3).answers
    assert (found.kind, found.tried) == ("only", 100)


def test_every_value_does_it() -> None:
    assert need("at", range(60, 90), 0.5).kind == "all"
    assert need("at", range(60, 90), 0.5).value == "60"
    assert need("facing", "flank,rear", 0.01).kind == "all"


def test_names_are_listed() -> None:
    found = need("facing", None, 0.3, {"attacker": "ogre-warriors", "defender": "foot-guard"})
    assert (found.kind, found.doing) == ("only", ("flank", "rear"))


def test_the_cheapest_unit_that_does_it() -> None:
    made = sweep({}, {"attacker": "*", "defender": "foot-guard"}, (ROUT,))
    (found,) = needs(made, made.grid.axes[0].target, 0.2).answers
    rows = [made.answer(i).values[0] for i in range(len(made.grid))]
    doing = [i for i, p in enumerate(rows) if p >= 0.2]
    cheapest = min(made.grid.points(i, "attacker") or 0 for i in doing)
    assert found.points == cheapest
    assert set(found.doing) == {made.grid.axes[0].labels[i] for i in doing}


def test_how_many_helpers() -> None:
    found = need("with", range(5), 0.9, {**UNITS, "with": "knights@flank"})
    assert (found.kind, found.value, found.points) == ("at least", "2", 350)


def test_one_answer_for_each_combination() -> None:
    found = mathhammer.needs(
        "kow", "melee", "knights", "ghoul,foot-guard", over={"at": range(1, 60)}, chance=0.5
    )
    alone = [
        mathhammer.needs("kow", "melee", "knights", unit, over={"at": range(1, 60)}, chance=0.5)
        .answers[0]
        .value
        for unit in ("ghoul", "foot-guard")
    ]
    assert [answer.value for answer in found.answers] == alone
    assert [answer.labels for answer in found.answers] == [("ghoul",), ("foot-guard",)]
    assert found.frame()["value"].tolist() == [int(value) for value in alone]


def test_values_that_cannot_be_asked_are_told_and_stepped_over() -> None:
    found = need("waver", range(10, 30), 0.01)
    assert found.kind == "all"
    assert "waver is at most rout" in found.failed


def test_nothing_that_can_be_asked_is_an_error() -> None:
    with pytest.raises(InputError, match="waver is at most rout"):
        need("waver", range(20, 30), 0.5)


@pytest.mark.parametrize("chance", [0, -0.1, 1.1, "x", True])
def test_chances_that_are_none_are_told(chance: Any) -> None:
    with pytest.raises(InputError, match="chance is above 0 and up to 1"):
        need("at", range(1, 5), chance)


# -- the worth of a step ---------------------------------------------------------------------------
def test_steps_are_differences_of_single_answers() -> None:
    found = mathhammer.worth("kow", "melee", "ogre-warriors", "foot-guard")
    now = mathhammer.exact("kow", "melee", "ogre-warriors", "foot-guard").probability("rout")
    steps = {step.name: step for step in found.steps}
    for name, text in (
        ("at", "at=19"),
        ("me", "me=2"),
        ("rules.crushing_strength", "rules.crushing_strength=1"),
    ):
        then = mathhammer.exact("kow", "melee", f"ogre-warriors,{text}", "foot-guard").probability("rout")
        assert steps[name].gain == pytest.approx(then - now, abs=1e-15)
        assert steps[name].worth == pytest.approx(190 * (then - now) / now)
    theirs = mathhammer.exact("kow", "melee", "ogre-warriors", "foot-guard,de=4").probability("rout")
    assert steps["defender.de"].gain == pytest.approx(theirs - now, abs=1e-15)
    assert steps["defender.de"].worth is None
    option = mathhammer.exact("kow", "melee", "ogre-warriors", "foot-guard", hit_mod=1).probability("rout")
    assert steps["hit_mod"].gain == pytest.approx(option - now, abs=1e-15)


def test_steps_are_sorted_help_and_stay_within_what_is_allowed() -> None:
    found = mathhammer.worth("kow", "melee", "ogre-warriors,me=2", "foot-guard")
    gains = [step.gain for step in found.steps]
    assert gains == sorted(gains, reverse=True)
    assert min(gains) > 0
    assert "me" not in {step.name for step in found.steps}


def test_costs_of_steps() -> None:
    found = mathhammer.worth(
        "kow", "melee", "ogre-warriors", "foot-guard", costs={"at": 5, "defender.de": 20}
    )
    steps = {step.name: step for step in found.steps}
    assert steps["at"].per_point == steps["at"].gain / 5
    assert steps["defender.de"].per_point == steps["defender.de"].gain / 20
    assert steps["me"].per_point is None
    with pytest.raises(InputError, match="costs zz"):
        mathhammer.worth("kow", "melee", "ogre-warriors", "foot-guard", costs={"zz": 1})


DUEL = ("c3", "duel", "wolfen-prowler", "griffin-magistrate")


def test_a_step_that_weakens_the_unit_is_not_worth_points() -> None:
    """Where play aims at another number than the event, weaker can be more of it."""
    own = {s.name: s for s in mathhammer.worth(*DUEL, event="defender.killed").steps if s.group == "attacker"}
    assert (own["res"].was, own["res"].now, own["res"].weakens, own["res"].worth) == ("5", "4", True, None)
    assert own["att"].worth is not None
    assert not own["att"].weakens
    melee = {s.name: s for s in mathhammer.worth("kow", "melee", "ogre-warriors", "foot-guard").steps}
    assert (melee["me"].now, melee["me"].weakens) == ("2", False)
    assert melee["me"].worth is not None


@pytest.mark.parametrize(
    ("event", "options", "told"),
    [
        (
            "defender.killed",
            {},
            "kills less the chance of being killed (--objective net), not for defender.k",
        ),
        ("defender.killed", {"objective": "kill"}, ""),
        ("defender.killed", {"play": "simple"}, ""),
        ("attacker.killed", {"objective": "kill"}, "kills (--objective kill), not for attacker.killed"),
        ("attacker.killed", {"objective": "survive"}, ""),
    ],
)
def test_what_the_sides_decide_for_is_told_where_it_is_not_what_is_asked(
    event: str, options: dict[str, Any], told: str
) -> None:
    found = mathhammer.worth(*DUEL, event=event, **options)._repr_html_()
    assert told in found
    assert ("both sides play for" in found) == bool(told)


def test_simulated_steps_pass_the_noise() -> None:
    """With few trials hardly any step is told; with many the exact ones are, in their order."""
    asked = ("kow", "melee", "ogre-warriors", "foot-guard")
    few = mathhammer.worth(*asked, engine="simulate", trials=200)
    many = mathhammer.worth(*asked, engine="simulate", trials=10**9)
    exact = mathhammer.worth(*asked)
    assert len(few.steps) < len(many.steps)
    assert {step.name for step in many.steps} == {step.name for step in exact.steps}


def test_the_worth_is_of_one_matchup() -> None:
    with pytest.raises(InputError, match="one matchup"):
        mathhammer.worth("kow", "melee", "ogre-warriors,knights", "foot-guard")
