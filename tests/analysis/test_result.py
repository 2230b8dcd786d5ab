"""A result: its numbers, joint states, samples, tables, and the words for what it has not."""

from __future__ import annotations

import copy
import json
import math
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest

import mathhammer
from mathhammer.analysis.result import Result, Source
from mathhammer.analysis.statistics import wilson
from mathhammer.core import tally
from mathhammer.core.errors import InputError
from tests.analysis.conftest import TRIALS
from tests.oracle import agrees

SOURCES: list[Source] = ["exact", "simulated"]


# -- numbers ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("source", SOURCES)
def test_a_mean_is_the_mean_of_its_distribution(both: Result, source: Source) -> None:
    for name in both.measures:
        pmf = both.pmf(name, source)
        assert sum(pmf.values()) == pytest.approx(1, abs=1e-12)
        assert list(pmf) == sorted(pmf)
        assert both.mean(name, source) == pytest.approx(sum(v * p for v, p in pmf.items()), abs=1e-12)


def test_numbers_come_from_exact_where_there_is_exact(both: Result, exact: Result, simulated: Result) -> None:
    assert both.probability("rout") == both.probability("rout", "exact") == exact.probability("rout")
    assert both.probability("rout", "simulated") == simulated.probability("rout")
    assert simulated.probability("rout") != exact.probability("rout")
    assert both.pmf("damage") == exact.pmf("damage")


@pytest.mark.parametrize("source", SOURCES)
def test_at_least_sums_the_tail(both: Result, source: Source) -> None:
    pmf = both.pmf("damage", source)
    for value in (-1, 0, 5, 8, 36, 1000):
        tail = both.at_least("damage", value, source)
        assert tail == pytest.approx(sum(p for v, p in pmf.items() if v >= value), abs=1e-12)
    assert both.at_least("damage", -1, source) == pytest.approx(1)
    assert both.at_least("damage", 37, source) == 0


def test_the_nerve_test_ends_in_one_of_its_results(both: Result) -> None:
    for source in SOURCES:
        assert sum(both.probability(name, source) for name in ("steady", "waver", "rout")) == pytest.approx(1)


def test_the_interval_is_wilsons_and_holds_the_simulated_chance(both: Result) -> None:
    for event in both.events:
        low, high = both.interval(event)
        assert (low, high) == wilson(both.probability(event, "simulated"), TRIALS)
        assert low <= both.probability(event, "simulated") <= high


def test_means_of_ogres_by_hand(exact: Result) -> None:
    """18 dice, doubled in the flank; 3+ to hit; 5+ to damage."""
    assert exact.mean("damage") == pytest.approx(36 * 4 / 6 * 2 / 6)


# -- joint -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("source", SOURCES)
def test_a_joint_table_has_the_marginals(both: Result, source: Source) -> None:
    table = both.joint("damage", "rout", source)
    assert (table.index.name, table.columns.name) == ("damage", "rout")
    assert table.to_numpy().sum() == pytest.approx(1)
    assert (table.to_numpy() >= 0).all()
    assert table.sum(axis=1).to_dict() == pytest.approx(both.pmf("damage", source))
    assert table[1].sum() == pytest.approx(both.probability("rout", source))


def test_a_joint_table_answers_conditional_questions(exact: Result) -> None:
    """More damage, more routs; with 16 damage and more, two dice rout it whatever they show."""
    table = exact.joint("damage", "rout")
    chances = (table[1] / table.sum(axis=1)).to_dict()
    assert [chances[v] for v in range(4, 17)] == sorted(chances[v] for v in range(4, 17))
    assert chances[2] == 0
    assert chances[4] == pytest.approx(1 / 36)
    assert chances[16] == pytest.approx(1)


def test_joint_events_exclude_each_other_where_they_must(exact: Result) -> None:
    table = exact.joint("waver", "rout")
    assert 1 not in table.index or table.loc[1].get(1, 0.0) == 0
    assert table.to_numpy().sum() == pytest.approx(1)


def test_too_many_end_states_leave_the_marginals_and_say_so(
    monkeypatch: pytest.MonkeyPatch, exact: Result
) -> None:
    monkeypatch.setattr(tally, "JOINT_STATES", 3)
    answer = mathhammer.exact("kow", "melee", "ogre-warriors", "foot-guard", facing="flank")
    assert answer.pmf("damage") == pytest.approx(exact.pmf("damage"))
    assert answer.probability("rout") == pytest.approx(exact.probability("rout"))
    with pytest.raises(InputError, match="only marginals"):
        answer.joint("damage", "rout")
    with pytest.raises(InputError, match="only marginals"):
        answer.sample(3)


# -- samples ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("source", SOURCES)
def test_a_sample_has_the_distribution_of_the_end_states(both: Result, source: Source) -> None:
    """And does not have that of another charge: one die more."""
    drawn = both.sample(20_000, seed=4, source=source)
    assert list(drawn.columns) == [*both.measures, *both.events]
    assert len(drawn) == 20_000
    states = Counter(zip(drawn["damage"].tolist(), drawn["rout"].tolist(), strict=True))
    assert agrees(states, pairs(both, source))
    other = mathhammer.exact("kow", "melee", "ogre-warriors,at=19", "foot-guard", facing="flank")
    assert not agrees(states, pairs(other, "exact"))


def pairs(result: Result, source: Source) -> dict[tuple[int, int], float]:
    """P(damage, rout)."""
    table = result.joint("damage", "rout", source)
    return {
        (int(damage), int(rout)): float(p)
        for damage, row in zip(table.index, table.to_numpy(), strict=True)
        for rout, p in zip(table.columns, row, strict=True)
    }


def test_each_row_of_a_sample_is_one_trial(both: Result) -> None:
    drawn = both.sample(1000)
    assert (drawn[["steady", "waver", "rout"]].sum(axis=1) == 1).all()
    assert (drawn["damage"] == drawn["damage_after"]).all()
    assert set(np.unique(drawn[both.events].to_numpy())) <= {0, 1}


def test_a_sample_hangs_on_its_seed(both: Result) -> None:
    assert both.sample(100, seed=1).equals(both.sample(100, seed=1))
    assert not both.sample(100, seed=1).equals(both.sample(100, seed=2))
    assert len(both.sample(1)) == 1


@pytest.mark.parametrize("n", [0, -1, 10**7 + 1])
def test_a_sample_out_of_range_is_told(both: Result, n: int) -> None:
    with pytest.raises(InputError, match=f"from 1 to 10,000,000, not {n}"):
        both.sample(n)


# -- tables ----------------------------------------------------------------------------------------
def test_a_frame_is_tidy(result: Result) -> None:
    frame = result.frame()
    assert list(frame.columns) == [
        "kind",
        "name",
        "source",
        "value",
        "probability",
        "low",
        "high",
        "at_least",
        "at_most",
    ]
    assert not frame.isna().to_numpy().any()
    assert not frame.duplicated(["name", "source", "value"]).any()
    assert set(frame["source"]) == set(result.sources)
    assert set(frame["name"]) == {*result.measures, *result.events}
    assert ((frame["low"] <= frame["probability"]) & (frame["probability"] <= frame["high"])).all()
    sums = frame[frame["kind"] == "measure"].groupby(["name", "source"])["probability"].sum()
    assert sums.to_numpy() == pytest.approx(np.ones(len(sums)))


def test_a_frame_has_the_numbers_of_the_result(result: Result) -> None:
    rows = {(row["name"], row["source"], row["value"]): row for row in result.frame().to_dict("records")}
    for source in result.sources:
        for value, p in result.pmf("damage", source).items():
            row = rows["damage", source, value]
            assert row["probability"] == p
            assert row["at_least"] == pytest.approx(result.at_least("damage", value, source))
        event = rows["rout", source, 1]
        p = result.probability("rout", source)
        assert event["probability"] == p
        assert (event["low"], event["high"]) == (result.interval("rout") if source == "simulated" else (p, p))


def test_rounds_end_as_the_whole_does(fight: Result) -> None:
    rounds = fight.to_dict()["by_round"]
    assert [record["round"] for record in rounds] == [1, 2, 3]
    for source in SOURCES:
        for name in fight.measures:
            assert rounds[-1]["measures"][name][source]["mean"] == pytest.approx(fight.mean(name, source))
        routs = [record["events"]["defender.rout"][source]["p"] for record in rounds]
        assert routs == sorted(routs)
        assert routs[-1] == pytest.approx(fight.probability("defender.rout", source))


@pytest.mark.parametrize("source", SOURCES)
def test_numbers_by_round_are_those_of_the_contract(fight: Result, source: Source) -> None:
    for record in fight.to_dict()["by_round"]:
        for name in fight.events:
            p = fight.probability_by_round(name, record["round"], source)
            assert p == record["events"][name][source]["p"]
        for name in fight.measures:
            mean = fight.mean_by_round(name, record["round"], source)
            assert mean == record["measures"][name][source]["mean"]
    assert fight.rounds == 3


@pytest.mark.parametrize("round_", [0, -1, 4, "3", None])
def test_a_round_that_there_is_not_is_told(fight: Result, round_: Any) -> None:
    with pytest.raises(InputError, match="3"):
        fight.probability_by_round("defender.rout", round_)
    with pytest.raises(InputError, match="3"):
        fight.mean_by_round("defender.damage", round_)


def test_a_mode_of_one_round_has_none_to_ask_for(exact: Result) -> None:
    assert exact.rounds == 0
    with pytest.raises(InputError):
        exact.probability_by_round("rout", 1)


def test_measures_that_vary_and_repeat_none_are_the_telling_ones(exact: Result, fight: Result) -> None:
    assert exact.telling_measures == ["damage"]
    assert fight.telling_measures == ["attacker.damage", "defender.damage"]
    hurt = mathhammer.exact("kow", "melee", "orc-ax", "knights", damage_before=3)
    assert hurt.telling_measures == ["damage"]
    assert list(hurt.pmf("damage_after")) == [value + 3 for value in hurt.pmf("damage")]


def test_json_is_the_dictionary_and_standard_json(result: Result) -> None:
    read = json.loads(result.to_json(), parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert read == json.loads(json.dumps(result.to_dict()))
    assert "\n" not in result.to_json()
    assert json.loads(result.to_json(indent=1)) == read


def test_the_standard_error_is_that_of_the_mean(both: Result) -> None:
    told = both.to_dict()["measures"]["damage"]["simulated"]
    pmf = both.pmf("damage", "simulated")
    variance = sum(p * (v - told["mean"]) ** 2 for v, p in pmf.items())
    assert told["sd"] == pytest.approx(variance**0.5)
    assert told["mean_se"] == pytest.approx((variance / (TRIALS - 1)) ** 0.5)
    assert abs(told["mean"] - both.mean("damage")) < 6 * told["mean_se"]


def test_what_is_cut_is_next_to_nothing(result: Result) -> None:
    assert 0 <= result.cut < 1e-12


# -- words -----------------------------------------------------------------------------------------
CALLS: list[tuple[str, tuple[Any, ...], str]] = [
    ("probability", ("rot",), "event 'rot' is not known; did you mean rout"),
    ("probability", ("damage",), "event 'damage' is not known"),
    ("interval", ("rot",), "event 'rot' is not known"),
    ("mean", ("dmg",), "measure 'dmg' is not known; did you mean damage"),
    ("pmf", ("rout",), "measure 'rout' is not known"),
    ("at_least", ("dmg", 3), "measure 'dmg' is not known"),
    ("probability_by_round", ("rot", 1), "event 'rot' is not known; did you mean rout"),
    ("mean_by_round", ("dmg", 1), "measure 'dmg' is not known; did you mean damage"),
    ("joint", ("damage", "rot"), "measure or event 'rot' is not known"),
    ("plot", ("dmg",), "measure 'dmg' is not known"),
]


@pytest.mark.parametrize(("method", "args", "words"), CALLS)
def test_an_unknown_name_is_told_with_the_nearest(
    both: Result, method: str, args: tuple[Any, ...], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        getattr(both, method)(*args)


def test_numbers_that_a_result_has_not_are_told(exact: Result, simulated: Result) -> None:
    with pytest.raises(InputError, match="no simulated numbers"):
        exact.interval("rout")
    with pytest.raises(InputError, match="no simulated numbers"):
        exact.sample(3, source="simulated")
    with pytest.raises(InputError, match="no exact numbers"):
        simulated.mean("damage", "exact")


def test_a_result_shows_what_was_asked_and_the_chances(result: Result) -> None:
    shown = repr(result)
    assert result.question.heading() in shown
    rout = float(shown.partition("rout ")[2].partition(",")[0].rstrip(")"))
    assert rout == pytest.approx(result.probability("rout"), abs=1e-3)


def test_results_are_equal_when_all_that_they_tell_is(both: Result) -> None:
    again = pickle.loads(pickle.dumps(both))
    assert again == both == copy.deepcopy(both)
    assert hash(again) == hash(both)
    other = mathhammer.simulate("kow", "melee", "ogre-warriors", "foot-guard", trials=100, seed=1)
    same = mathhammer.simulate("kow", "melee", "ogre-warriors", "foot-guard", trials=100, seed=1)
    assert other == same
    assert other not in (both, mathhammer.exact("kow", "melee", "ogre-warriors", "foot-guard"), 1)


@pytest.mark.parametrize("value", ["x", None, True])
def test_at_least_takes_a_number(exact: Result, value: Any) -> None:
    with pytest.raises(InputError, match="at_least: a value is a number"):
        exact.at_least("damage", value)


def test_an_answer_of_one_trial_is_one_state() -> None:
    answer = mathhammer.simulate("kow", "melee", "orc-ax", "knights", trials=1, engine="simulate")
    assert list(answer.pmf("damage").values()) == [1.0]
    assert sum(answer.probability(name) for name in ("steady", "waver", "rout")) == 1
    assert math.isclose(answer.to_dict()["measures"]["damage"]["simulated"]["mean_se"], 0)
