"""Comparisons: weights, points, losses, ranks, differences and their intervals, and honest words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mathhammer
from mathhammer.analysis.statistics import newcombe, wilson
from mathhammer.analysis.words import comparison_words
from mathhammer.core.errors import InputError


def exact(attacker: str, defender: str, **options: Any) -> float:
    return mathhammer.exact("kow", "melee", attacker, defender, **options).probability("rout")


# -- intervals -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("a", "m", "b", "n", "low", "high"),
    [
        (56, 70, 48, 80, 0.0524, 0.3339),
        (9, 10, 3, 10, 0.1705, 0.8090),
        (10, 10, 0, 20, 0.6791, 1.0),
        (10, 10, 0, 10, 0.6075, 1.0),
        (0, 10, 0, 20, -0.1611, 0.2775),
    ],
)
def test_newcombes_interval_of_a_difference(a: int, m: int, b: int, n: int, low: float, high: float) -> None:
    """His own examples (Statistics in Medicine 17, 1998, table II, method 10)."""
    assert newcombe(a / m, b / n, m, n) == pytest.approx((low, high), abs=6e-5)


def test_newcombes_interval_holds_the_difference_as_often_as_it_says() -> None:
    """5,000 repeats at 95%: six standard deviations of the coverage are 1.9%; too narrow ones fall below."""
    rng, trials, repeats = np.random.default_rng(11), 200, 5000
    hits = narrow = 0
    for a, b in zip(rng.binomial(trials, 0.3, repeats), rng.binomial(trials, 0.42, repeats), strict=True):
        low, high = newcombe(a / trials, b / trials, trials)
        hits += low <= 0.3 - 0.42 <= high
        middle, half = (low + high) / 2, (high - low) / 2 * 0.7
        narrow += middle - half <= 0.3 - 0.42 <= middle + half
    assert hits / repeats > 0.95 - 0.019
    assert narrow / repeats < 0.95 - 0.019


# -- tables ----------------------------------------------------------------------------------------
def test_lines_are_weighted_over_the_targets() -> None:
    found = mathhammer.compare(
        "kow", "melee", "knights,ogre-warriors,at=24", "foot-guard:3,ghoul", event="rout"
    )
    by_hand = [
        (3 * exact(unit, "foot-guard") + exact(unit, "ghoul")) / 4
        for unit in ("knights", "ogre-warriors,at=24")
    ]
    assert [line.values[0] for line in found.lines] == pytest.approx(by_hand, rel=1e-14)
    assert [line.label for line in found.lines] == ["knights", "ogre-warriors,at=24"]
    assert [line.points for line in found.lines] == [175, 190]
    assert [line.rank for line in found.lines] == [2, 1]
    assert found.lines[1].difference == pytest.approx(by_hand[1] - by_hand[0], rel=1e-12)
    assert found.lines[0].per_points == pytest.approx(100 * by_hand[0] / 175)
    assert [line.best_at for line in found.lines] == [0, 2]


def test_losses_are_the_chance_to_be_gone_times_the_points() -> None:
    found = mathhammer.compare("kow", "fight", "knights,orc-ax", "foot-guard,ghoul:3", turns=3)
    alone = [mathhammer.exact("kow", "fight", "knights", unit, turns=3) for unit in ("foot-guard", "ghoul")]
    points = [mathhammer.unit("kow", unit).model_dump()["points"] for unit in ("foot-guard", "ghoul")]
    theirs = [a.probability("defender.rout") * p for a, p in zip(alone, points, strict=True)]
    ours = [a.probability("attacker.rout") * 175 for a in alone]
    assert found.lines[0].losses["defender"] == pytest.approx((theirs[0] + 3 * theirs[1]) / 4)
    assert found.lines[0].losses["attacker"] == pytest.approx((ours[0] + 3 * ours[1]) / 4)


def test_exact_differences_have_no_interval_and_simulated_ones_newcombes() -> None:
    none = mathhammer.compare("kow", "melee", "knights,orc-ax", "ghoul", event="rout")
    assert [line.difference_interval for line in none.lines] == [None, None]
    assert "difference low" not in none.frame()
    some = mathhammer.compare(
        "kow", "melee", "knights,orc-ax", "ghoul", event="rout", engine="simulate", trials=900
    )
    first, second = (line.values[0] for line in some.lines)
    assert some.lines[1].difference_interval == pytest.approx(newcombe(second, first, 900), abs=1e-15)
    assert some.lines[0].intervals[0] == pytest.approx(wilson(first, 900), abs=1e-15)
    assert some.lines[0].difference_interval is None
    record = some.records()[1]
    assert (record["rout low"], record["rout high"]) == some.lines[1].intervals[0]
    assert (record["difference low"], record["difference high"]) == some.lines[1].difference_interval


def test_the_interval_over_several_targets_holds_the_exact_value() -> None:
    """Fixed seed; the interval is also not wider than that of one target."""
    asked = ("kow", "melee", "knights,ogre-warriors", "ghoul,orc-ax:2,foot-guard")
    exact_lines = mathhammer.compare(*asked, event="rout").lines
    some = mathhammer.compare(*asked, event="rout", engine="simulate", trials=4000, seed=3)
    for line, true in zip(some.lines, exact_lines, strict=True):
        interval = line.intervals[0]
        assert interval
        assert interval[0] <= true.values[0] <= interval[1]
        assert interval[1] - interval[0] < 0.031  # that of 4000 coins is


def test_the_same_unit_under_two_names_is_no_second_sample() -> None:
    """Equal profiles are simulated by the same trials: two of them tell no more than one."""
    asked: dict[str, Any] = {"event": "rout", "engine": "simulate", "trials": 500}
    one = mathhammer.compare("kow", "melee", "knights,gore-riders", "ghoul", **asked)
    two = mathhammer.compare("kow", "melee", "knights,gore-riders", "ghoul,ghoul,sp=6:3", **asked)
    for alone, twice in zip(one.lines, two.lines, strict=True):
        assert twice.intervals[0] == pytest.approx(alone.intervals[0], abs=1e-14)
        assert twice.difference_interval == pytest.approx(alone.difference_interval, abs=1e-14)
    same = mathhammer.compare("kow", "melee", "ogre-warriors-2,ogre-warriors-horde-3", "ghoul", **asked)
    assert same.lines[1].difference_interval == (0.0, 0.0)


def test_means_have_intervals_of_their_errors_also_over_several_targets() -> None:
    asked = ("kow", "melee", "knights,gore-riders", "ghoul,orc-ax:3")
    found = mathhammer.compare(*asked, mean="damage", engine="simulate", trials=400)
    alone = [
        mathhammer.simulate("kow", "melee", "knights", unit, engine="simulate", trials=400).to_dict()
        for unit in ("ghoul", "orc-ax")
    ]
    errors = [answer["measures"]["damage"]["simulated"]["mean_se"] for answer in alone]
    half = 1.959964 * ((errors[0] / 4) ** 2 + (3 * errors[1] / 4) ** 2) ** 0.5
    at = [wanted.name for wanted in found.wanted].index("mean damage")
    line = found.lines[0]
    assert line.intervals[at] == pytest.approx((line.values[at] - half, line.values[at] + half), abs=1e-6)


def test_situations_are_candidates_too() -> None:
    found = mathhammer.compare("kow", "melee", "knights", "foot-guard", over={"facing": "*"}, event="rout")
    assert [line.label for line in found.lines] == ["facing front", "facing flank", "facing rear"]
    assert [line.values[0] for line in found.lines] == [
        exact("knights", "foot-guard", facing=facing) for facing in ("front", "flank", "rear")
    ]


def test_changes_of_the_target_are_targets() -> None:
    found = mathhammer.compare(
        "kow", "melee", "knights,orc-ax", "ghoul", over={"defender.de": "3..4"}, event="rout"
    )
    assert [found.target_label(target) for target in found.targets] == ["defender.de 3", "defender.de 4"]
    assert len(found.lines) == 2


def test_helpers_count_for_the_points() -> None:
    found = mathhammer.compare(
        "kow", "melee", "knights,orc-ax", "ghoul", with_="gore-riders@flank", event="rout"
    )
    assert [line.points for line in found.lines] == [325, 240]


def test_a_candidate_with_a_failed_matchup_is_left_out() -> None:
    found = mathhammer.compare("kow", "melee", "knights", "ghoul", over={"waver": "14,20"}, event="rout")
    assert [line.label for line in found.lines] == ["attacker.waver 14"]
    assert len(found.table.failed) == 1


def test_weights_that_are_all_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="weights"):
        _ = mathhammer.compare("kow", "melee", "knights,orc-ax", "ghoul:0,foot-guard:0").lines


# -- words -----------------------------------------------------------------------------------------
def test_words_name_the_best_its_lead_and_what_is_best_for_its_points() -> None:
    found = mathhammer.compare("kow", "melee", "knights,gore-riders,ogre-warriors", "ghoul", event="rout")
    words = " ".join(comparison_words(found))
    assert words.startswith(
        "ogre-warriors has the highest chance of rout, 67.5%, 10.1 percentage points above knights."
    )
    assert "For its points gore-riders gives most (38.3% for each 100)" in words


def test_words_say_when_the_trials_cannot_tell() -> None:
    close = mathhammer.compare(
        "kow", "melee", "knights,ogre-warriors", "foot-guard", event="rout", engine="simulate", trials=50
    )
    assert "cannot tell those two apart" in comparison_words(close)[0]
    many = mathhammer.compare(
        "kow", "melee", "knights,ogre-warriors", "foot-guard", event="rout", engine="simulate", trials=10**8
    )
    assert "cannot tell" not in comparison_words(many)[0]


def test_words_say_when_candidates_are_equal_and_when_others_are_better_somewhere() -> None:
    equal = mathhammer.compare("kow", "melee", "knights,gore-riders", "ghoul", event="rout")
    words = comparison_words(equal)
    assert words[0].startswith("2 candidates share the highest chance of rout")
    assert words[1].startswith("For its points gore-riders gives most")
    strong = "orc-ax,at=16,rules.crushing_strength=2"
    mixed = mathhammer.compare(
        "kow", "melee", f"orc-ax,at=24,{strong}", "ghoul,de=2:2,ghoul,de=6", event="rout"
    )
    assert [line.best_at for line in mixed.lines] == [1, 1]
    assert comparison_words(mixed)[1] == (
        f"It is best against 1 of 2 targets; {strong} does better against others."
    )


def test_equal_counts_of_few_trials_are_not_told_as_equal_chances() -> None:
    """No rout in 2 trials of either; equal profiles, which have the same trials, are equal."""
    few: dict[str, Any] = {"event": "rout", "engine": "simulate", "trials": 2}
    chance = mathhammer.compare("kow", "melee", "knights,ogre-warriors", "foot-guard", **few)
    assert [line.values[0] for line in chance.lines] == [0, 0]
    assert "cannot tell those two apart" in comparison_words(chance)[0]
    same = mathhammer.compare("kow", "melee", "ogre-warriors-2,ogre-warriors-horde-3", "ghoul", **few)
    assert comparison_words(same)[0].startswith("2 candidates share the highest chance of rout")


def test_words_name_the_one_that_is_meant_where_several_are_first() -> None:
    both = mathhammer.compare(
        "kow", "melee", "ogre-warriors-2,ogre-warriors-horde-3,knights", "foot-guard", event="rout"
    )
    told = comparison_words(both)
    assert told[0].startswith("2 candidates share")
    assert told[1].startswith("ogre-warriors-2 also gives most for its points")
