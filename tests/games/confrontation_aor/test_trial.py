"""Single tests: the table, bonus dice, re-rolls, the kept die, the roll of Authority.

Three witnesses: numbers worked out by hand, all rolls gone through one by one, and the referee. Comparisons
with the referee have fixed seeds and a false-failure rate of 1e-6; their twins must be rejected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from mathhammer.core.engine import Engine
from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.rulesets import load_ruleset, recording
from mathhammer.games import confrontation_aor
from mathhammer.games.confrontation_aor import situations, trial
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.throws import attack_law, die, mean_of, score, single, strength_law
from mathhammer.kernels.pools import Bonus
from tests.literal import confrontation_aor as literal
from tests.oracle import agrees

TRIALS = 20_000
FOLDER = Path(confrontation_aor.__file__).parent
SHIPPED = load_ruleset(Rules, FOLDER / "rulesets" / "default.toml").values
BONUS: tuple[Bonus, ...] = ("none", "once", "chain")
REROLLS = ("failures", "one_die", "all")
DIFFERENCES = (-6, -5, -3, -1, 2, 4, 6)  # the least of each column, from never to always
CHANCES = [Fraction(n, 6) for n in range(7)]
COLUMNS = list(zip(DIFFERENCES, CHANCES, strict=True))
FACTORS = [("none", Fraction(1)), ("once", Fraction(7, 6)), ("chain", Fraction(6, 5))]
# For a better value never to hurt, and for the referee: the whole range of the table and beyond.
VALUES = st.integers(0, 15)


def rules(**changes: Any) -> Rules:
    """The shipped ruleset with changes."""
    return Rules.model_validate({**SHIPPED.model_dump(), **changes})


def asked(rule_changes: dict[str, Any] | None = None, **options: Any) -> Matchup:
    return Matchup({}, situations.Test(**options), rules(**(rule_changes or {})))


def answer(rule_changes: dict[str, Any] | None = None, **options: Any) -> dict[int, float]:
    """Successes -> chance."""
    tally = Engine(trial.trial(asked(rule_changes, **options))).exact()
    return {value: float(weight) for value, weight in tally.at_end("successes").items() if weight}


def passes(rule_changes: dict[str, Any] | None = None, **options: Any) -> float:
    tally = Engine(trial.trial(asked(rule_changes, **options))).exact()
    return float(tally.at_end("passes").get(1, 0.0))


def mean(pmf: dict[int, float]) -> float:
    return sum(value * chance for value, chance in pmf.items())


# -- AOR-01: the table -----------------------------------------------------------------------------
@pytest.mark.rule("AOR-01")
@pytest.mark.parametrize(("difference", "chance"), COLUMNS)
def test_a_die_succeeds_with_the_chance_of_its_column(difference: int, chance: Fraction) -> None:
    """0, 1/6, ... 1 over the seven columns of the page."""
    options: dict[str, Any] = {"action": 10 + difference, "difficulty": 10}
    assert passes({"bonus_die": "none"}, **options) == pytest.approx(float(chance), abs=1e-15)
    assert passes(**options) == pytest.approx(float(chance), abs=1e-15)  # a bonus die comes after a success


@pytest.mark.rule("AOR-01")
def test_every_difference_from_minus_10_to_10_has_the_score_of_the_page() -> None:
    page = [7] * 5 + [6] * 2 + [5] * 2 + [4] * 3 + [3] * 2 + [2] * 2 + [1] * 5
    assert [score(difference, SHIPPED) for difference in range(-10, 11)] == page
    assert page == [literal.need(10 + d, 10, literal.PAGE) for d in range(-10, 11)]


@pytest.mark.rule("AOR-01")
def test_each_die_is_thrown_by_itself() -> None:
    """Five dice on 4+ are five fair coins."""
    found = answer({"bonus_die": "none"}, dice=5, action=4, difficulty=4)
    assert found == pytest.approx({k: comb(5, k) / 32 for k in range(6)}, abs=1e-12)


@pytest.mark.rule("AOR-01")
def test_another_table_is_read_as_it_is_written() -> None:
    changes = {"resolution_table": "-2:6 0:3", "bonus_die": "none"}
    found = [passes(changes, action=5 + d, difficulty=5) for d in (-3, -2, -1, 0, 4)]
    assert found == pytest.approx([0, 1 / 6, 1 / 6, 2 / 3, 2 / 3])


@pytest.mark.parametrize("table", ["", "0", "0:7", "x:4", "0:4 0:3", "0:3 2:4", "2:4 0:5"])
def test_a_table_that_is_none_is_refused(table: str) -> None:
    with pytest.raises(ValidationError):
        rules(resolution_table=table)


@pytest.mark.rule("AOR-01")
def test_the_columns_of_the_report_are_those_of_the_page() -> None:
    rows = trial.tables(asked(action=5, difficulty=4, reroll=True), {})["columns"]
    assert [row["needs"] for row in rows] == ["never", "6", "5+", "4+", "3+", "2+", "always"]
    assert [row["difference"] for row in rows] == [
        *("-6 or less", "-5 to -4", "-3 to -2", "-1 to 1", "2 to 3", "4 to 5", "6 or more")
    ]
    assert [row["chance"] for row in rows] == pytest.approx([float(p) for p in CHANCES], abs=1e-12)
    charge = [float(1 - (1 - p) ** 2) for p in CHANCES]
    assert [row["on a charge"] for row in rows] == pytest.approx(charge, abs=1e-12)
    assert [row["mean with bonus dice"] for row in rows] == pytest.approx(
        [float(p * 6 / 5) for p in CHANCES], abs=1e-12
    )
    assert rows[3]["mean on a charge"] == pytest.approx(1)
    assert [row["this test"] for row in rows] == ["", "", "", "here", "", "", ""]


@pytest.mark.rule("AOR-03")
def test_the_columns_tell_only_what_the_kind_of_test_has() -> None:
    def told(**options: Any) -> list[str]:
        return list(trial.tables(asked(**options), {})["columns"][0])

    assert told(kind="ranged") == ["difference", "needs", "chance", "mean with bonus dice", "this test"]
    assert told(kind="courage") == ["difference", "needs", "chance", "this test"]
    rows = trial.tables(asked(kind="courage", keep_best=True, dice=2), {})["columns"]
    assert [row["best of the dice"] for row in rows] == pytest.approx(
        [float(1 - (1 - p) ** 2) for p in CHANCES]
    )


@pytest.mark.parametrize(("difference", "column"), [(-9, 0), (-6, 0), (-5, 1), (-1, 3), (1, 3), (9, 6)])
def test_the_report_marks_the_column_of_this_test(difference: int, column: int) -> None:
    rows = trial.tables(asked(action=10 + difference, difficulty=10), {})["columns"]
    assert [row["this test"] for row in rows].index("here") == column


# -- AOR-02: bonus dice ----------------------------------------------------------------------------
@pytest.mark.rule("AOR-02")
@pytest.mark.parametrize("difference", DIFFERENCES)
@pytest.mark.parametrize(("bonus", "factor"), FACTORS)
def test_mean_successes_of_a_die_are_p_7p_6_or_6p_5(difference: int, bonus: Bonus, factor: Fraction) -> None:
    p = CHANCES[DIFFERENCES.index(difference)]
    found = answer({"bonus_die": bonus}, action=10 + difference, difficulty=10)
    assert mean(found) == pytest.approx(float(p * factor), abs=1e-12)
    assert float(mean_of(score(difference, SHIPPED), bonus)) == pytest.approx(float(p * factor))


@pytest.mark.rule("AOR-02")
def test_a_six_adds_one_die_or_a_chain() -> None:
    """On 4+: a die fails 1/2, succeeds plain 1/3, and with a six 1/6."""
    once = answer({"bonus_die": "once"}, action=4, difficulty=4)
    assert once == pytest.approx({0: 1 / 2, 1: 1 / 3 + 1 / 12, 2: 1 / 12})
    chain = answer({"bonus_die": "chain"}, action=4, difficulty=4)
    assert [chain[k] for k in range(4)] == pytest.approx([1 / 2, 5 / 12, 5 / 72, 5 / 432])


@pytest.mark.rule("AOR-02")
def test_where_success_is_sure_sixes_still_add_dice() -> None:
    found = answer({"bonus_die": "once"}, action=10, difficulty=4)
    assert found == pytest.approx({1: 5 / 6, 2: 1 / 6})


@pytest.mark.rule("AOR-02")
@pytest.mark.parametrize("kind", ["courage", "authority", "fervor", "energy"])
def test_tests_of_courage_authority_fervor_and_energy_have_no_bonus_dice(kind: str) -> None:
    assert max(answer(kind=kind, dice=2, action=10, difficulty=0)) == 2
    assert max(answer(kind="strength", dice=2, action=10, difficulty=0)) > 2
    assert max(answer(kind="ranged", dice=2, action=10, difficulty=0)) > 2


# -- AOR-03: the best die --------------------------------------------------------------------------
@pytest.mark.rule("AOR-03")
def test_of_several_dice_the_best_is_kept() -> None:
    """A commander on 4+ passes 3 times in 4; n dice fail with (1-p)^n."""
    assert passes(kind="courage", keep_best=True, dice=2) == pytest.approx(3 / 4)
    for n, (difference, p) in product((1, 3, 7), COLUMNS):
        found = answer(kind="energy", keep_best=True, dice=n, action=10 + difference, difficulty=10)
        assert found.get(1, 0.0) == pytest.approx(float(1 - (1 - p) ** n), abs=1e-12)
        assert max(found) <= 1


# -- AOR-05: the re-roll of a charge ---------------------------------------------------------------
@pytest.mark.rule("AOR-05")
@pytest.mark.parametrize(("difference", "p"), COLUMNS)
def test_failures_thrown_again_have_the_means_of_the_page(difference: int, p: Fraction) -> None:
    options: dict[str, Any] = {"reroll": True, "action": 10 + difference, "difficulty": 10}
    good = p + (1 - p) * p
    assert mean(answer({"bonus_die": "none"}, **options)) == pytest.approx(float(good), abs=1e-12)
    six = Fraction(1, 6) + (1 - p) / 6 if p else Fraction(0)
    assert mean(answer(**options)) == pytest.approx(float(good / (1 - six)), abs=1e-12)


@pytest.mark.rule("AOR-05")
def test_a_charge_on_4_with_a_chain_hits_once_a_die() -> None:
    assert mean(answer(reroll=True, dice=12)) == pytest.approx(12)


@pytest.mark.rule("AOR-05")
@settings(max_examples=40)
@given(st.integers(1, 12), VALUES, VALUES, st.sampled_from(BONUS), st.sampled_from(REROLLS))
def test_the_re_roll_never_hurts(dice: int, action: int, difficulty: int, bonus: Bonus, way: str) -> None:
    """Failures or one die again: at least k successes are never less likely. The whole throw: the mean."""
    changes = {"bonus_die": bonus, "charge_reroll": way}
    options: dict[str, Any] = {"dice": dice, "action": action, "difficulty": difficulty}
    plain, again = answer(changes, **options), answer(changes, reroll=True, **options)
    assert mean(again) >= mean(plain) - 1e-9
    if way != "all":
        for least in range(dice + 3):
            assert tail(again, least) >= tail(plain, least) - 1e-12


def tail(pmf: dict[int, float], least: int) -> float:
    return sum(chance for value, chance in pmf.items() if value >= least)


@settings(max_examples=30)
@given(VALUES, VALUES, st.sampled_from([1, 2]))
def test_more_courage_never_lowers_the_chance_of_a_courage_test(courage: int, fear: int, dice: int) -> None:
    """True of the shipped table: its scores fall as the difference grows."""
    less, more = (
        passes(kind="courage", keep_best=dice == 2, dice=dice, action=value, difficulty=fear)
        for value in (courage, courage + 1)
    )
    assert more >= less


# -- every roll, one by one ------------------------------------------------------------------------
LINKS = 5  # bonus dice of bonus dice gone through; the rest is folded into the last
Chances = dict[int, Fraction]
# of each: successes, whether a first die failed, whether a bonus die failed, the chance
Results = tuple[tuple[int, bool, bool, Fraction], ...]


@cache
def thrown(needed: int, bonus: Bonus, links: int = LINKS) -> Results:
    """A die with its bonus dice, face by face; a chain ends after so many."""
    results: dict[tuple[int, bool, bool], Fraction] = {}
    for face in range(1, 7):
        adds = face == 6 and needed <= 6 and bonus != "none" and links > 0
        if face < needed:
            after: Results = ((0, True, False, Fraction(1)),)
        elif adds:
            more = thrown(needed, "none" if bonus == "once" else bonus, links - 1)
            after = tuple((1 + s, False, first or later, p) for s, first, later, p in more)
        else:
            after = ((1, False, False, Fraction(1)),)
        for successes, first, later, p in after:
            key = (successes, first, later)
            results[key] = results.get(key, Fraction(0)) + p / 6
    return tuple((*key, p) for key, p in results.items())


def all_throws(dice: int, needed: int, bonus: Bonus) -> Results:
    """All throws of so many dice: successes, and whether any first or any bonus die failed."""
    total: dict[tuple[int, bool, bool], Fraction] = {(0, False, False): Fraction(1)}
    for _ in range(dice):
        grown: dict[tuple[int, bool, bool], Fraction] = {}
        for (s, first, later), p in total.items():
            for more, fails, bonus_fails, q in thrown(needed, bonus):
                key = (s + more, first or fails, later or bonus_fails)
                grown[key] = grown.get(key, Fraction(0)) + p * q
        total = grown
    return tuple((*key, p) for key, p in total.items())


def one_again(dice: int, needed: int, bonus: Bonus) -> Chances:
    """One failed die again, a first die before a bonus die."""
    found: Chances = {}
    for successes, first, later, p in all_throws(dice, needed, bonus):
        if first or later:
            kind: Bonus = bonus if first or bonus == "chain" else "none"
            again: Results = thrown(needed, kind)
        else:
            again = ((0, False, False, Fraction(1)),)
        for more, _, _, q in again:
            found[successes + more] = found.get(successes + more, Fraction(0)) + p * q
    return found


def all_again(dice: int, needed: int, bonus: Bonus) -> Chances:
    """The whole throw again where it is below the mean, by the exact mean of the page."""
    least = dice * mean_of(needed, bonus)
    throws = all_throws(dice, needed, bonus)
    poor = sum((p for successes, _, _, p in throws if successes < least), Fraction(0))
    found: Chances = {}
    for successes, _, _, p in throws:
        share = p * poor + (p if successes >= least else 0)
        found[successes] = found.get(successes, Fraction(0)) + share
    return found


Brute = Callable[[int, int, Bonus], Chances]
WAYS: dict[str, Brute] = {"one_die": one_again, "all": all_again}


def charge_law(difference: int, bonus: Bonus, way: str) -> Law:
    return attack_law(difference, True, rules(bonus_die=bonus, charge_reroll=way))


@pytest.mark.rule("AOR-05")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("bonus", BONUS)
@pytest.mark.parametrize("difference", DIFFERENCES)
def test_one_die_and_the_whole_throw_again_are_what_all_rolls_give(
    difference: int, bonus: Bonus, way: str
) -> None:
    """Chains of more than 5 bonus dice are folded: that weighs less than 1e-4 a die."""
    needed = score(difference, SHIPPED)
    near = 1e-12 if bonus != "chain" else 2e-4
    for dice in range(5):
        found = dict(charge_law(difference, bonus, way).row(dice))
        expected = {k: float(p) for k, p in WAYS[way](dice, needed, bonus).items() if p}
        for value in {*found, *expected}:
            assert found.get(value, 0.0) == pytest.approx(expected.get(value, 0.0), abs=near)


@pytest.mark.rule("AOR-05")
@pytest.mark.parametrize("bonus", BONUS)
def test_a_throw_of_just_its_mean_is_not_thrown_again(bonus: Bonus) -> None:
    """Where the mean is a whole number the rule says 'less than': rounding must not decide."""
    for needed, dice in product(range(2, 7), range(1, 80)):
        whole = dice * mean_of(needed, bonus)
        if whole.denominator > 1:
            continue
        difference = DIFFERENCES[::-1][needed - 1]
        first = die(difference, bonus, SHIPPED).times(dice)
        poor = sum(p for value, p in first if value < whole)
        found = charge_law(difference, bonus, "all").row(dice)[int(whole)]
        assert found == pytest.approx(first[int(whole)] * (1 + poor), rel=1e-9)


# -- the referee -----------------------------------------------------------------------------------
def sampled(seed: int, changes: dict[str, Any], **options: Any) -> Counter[int]:
    """Successes that the referee rolls."""
    rng, page = Random(seed), literal.page(**changes)
    return Counter(
        int(str(literal.roll_test(rng, rules=page, **options)["successes"])) for _ in range(TRIALS)
    )


Case = tuple[dict[str, Any], dict[str, Any]]


def charge(way: str, bonus: Bonus, dice: int, action: int, difficulty: int) -> Case:
    options: dict[str, Any] = {"dice": dice, "action": action, "difficulty": difficulty, "reroll": True}
    return {"charge_reroll": way, "bonus_die": bonus}, options


CASES: list[Case] = [
    ({}, {"dice": 8, "action": 5, "difficulty": 5}),
    ({"bonus_die": "once"}, {"dice": 6, "action": 8, "difficulty": 4}),
    ({"bonus_die": "none"}, {"dice": 6, "action": 3, "difficulty": 6}),
    ({}, {"dice": 3, "action": 3, "difficulty": 6, "keep_best": True}),
    charge("failures", "chain", 10, 5, 5),
    charge("failures", "once", 5, 4, 6),
    charge("one_die", "chain", 4, 7, 5),
    charge("one_die", "chain", 2, 12, 7),
    charge("one_die", "once", 2, 8, 5),
    charge("one_die", "none", 5, 4, 5),
    charge("all", "chain", 5, 4, 5),
    charge("all", "once", 9, 6, 4),
    charge("all", "none", 7, 3, 5),
]


@pytest.mark.rule("AOR-01")
@pytest.mark.rule("AOR-02")
@pytest.mark.rule("AOR-03")
@pytest.mark.rule("AOR-05")
@pytest.mark.parametrize(("number", "case"), list(enumerate(CASES)))
def test_the_referee_agrees(number: int, case: Case) -> None:
    changes, options = case
    sample = sampled(number, changes, **options)
    assert agrees(sample, answer(changes, **options))
    other = {**options, "action": options["action"] - 3}
    assert not agrees(sample, answer(changes, **other))


@pytest.mark.parametrize("way", ["one_die", "all"])
def test_the_referee_tells_the_re_rolls_apart(way: str) -> None:
    """Power twins: the same sample against each other way to throw again, and against none."""
    options: dict[str, Any] = {"dice": 4, "action": 5, "difficulty": 5, "reroll": True}
    sample = sampled(77, {"charge_reroll": way}, **options)
    assert agrees(sample, answer({"charge_reroll": way}, **options))
    for other in set(REROLLS) - {way}:
        assert not agrees(sample, answer({"charge_reroll": other}, **options))
    assert not agrees(sample, answer(**{**options, "reroll": False}))


def test_the_referee_without_bonus_dice_is_a_test_of_courage() -> None:
    options: dict[str, Any] = {"dice": 6, "action": 5, "difficulty": 4}
    sample = sampled(5, {}, bonus=False, **options)
    assert agrees(sample, answer(kind="courage", **options))
    assert not agrees(sample, answer(kind="attack", **options))


# -- AOR-08: Strength tests cap where more damage does not count -----------------------------------
@pytest.mark.rule("AOR-08")
def test_strength_tests_throw_one_die_a_hit() -> None:
    law = strength_law(0, 3, rules(bonus_die="none"))
    assert dict(law.row(2)) == pytest.approx({0: 1 / 4, 1: 1 / 2, 2: 1 / 4})
    assert law.row(6).last == 3
    assert law.row(6)[3] == pytest.approx(sum(comb(6, k) for k in range(3, 7)) / 64)


# -- AOR-25: the roll of Authority -----------------------------------------------------------------
def counted(lead: int) -> tuple[int, int, int]:
    """Of 36 rolls: won, lost, tied by who leads by so much Authority."""
    by = [first + lead - second for first, second in product(range(1, 7), repeat=2)]
    return sum(x > 0 for x in by), sum(x < 0 for x in by), sum(x == 0 for x in by)


@pytest.mark.rule("AOR-25")
@pytest.mark.parametrize("lead", range(-7, 8))
def test_the_higher_roll_wins_and_ties_are_rolled_again(lead: int) -> None:
    won, lost, tied = counted(lead)
    options: dict[str, Any] = {"kind": "authority-roll", "action": 10 + lead, "difficulty": 10}
    for rule, all_ in ({"authority_tie": "again"}, won + lost), ({"authority_tie": "nobody"}, 36):
        assert passes(rule, **options) == pytest.approx(won / all_)
        rows = trial.tables(asked(rule, **options), {})["authority"]
        told = [row["chance"] for row in rows]
        assert told == pytest.approx([won / all_, lost / all_, tied / 36])


@pytest.mark.rule("AOR-25")
def test_two_points_of_authority_win_26_of_32() -> None:
    """By hand: of 36 rolls 26 are won, 6 lost, 4 tied."""
    assert counted(2) == (26, 6, 4)
    assert passes(kind="authority-roll", action=5, difficulty=3) == pytest.approx(26 / 32)


@pytest.mark.rule("AOR-25")
def test_the_referee_rolls_for_authority() -> None:
    rng = Random(25)
    sample = Counter(int(literal.authority(rng, 4, 3)["winner"] == "first") for _ in range(TRIALS))
    options: dict[str, Any] = {"kind": "authority-roll", "difficulty": 3}
    assert agrees(sample, answer(action=4, **options))
    assert not agrees(sample, answer(action=5, **options))
    assert not agrees(sample, answer({"authority_tie": "nobody"}, action=4, **options))


# -- what does not go together ---------------------------------------------------------------------
@pytest.mark.rule("AOR-29")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"reroll": True, "kind": "ranged"}, "kind ranged"),
        ({"reroll": True, "keep_best": True}, "a die that is kept"),
        ({"reroll": True, "kind": "authority-roll"}, "kind authority-roll"),
        ({"kind": "authority-roll", "dice": 2}, "no dice"),
        ({"kind": "authority-roll", "keep_best": True}, "no keep_best"),
        ({"kind": "titan", "dice": 5, "cards": 3, "keep_best": True}, "not one die of keep_best"),
    ],
)
def test_options_that_do_nothing_together_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        situations.Test(**options)


def test_a_test_reads_only_the_rules_that_it_needs() -> None:
    def read(**options: Any) -> set[str]:
        view, names = recording(SHIPPED)
        Engine(trial.trial(Matchup({}, situations.Test(**options), view))).exact()
        return names

    assert read(kind="courage") == {"resolution_table"}
    assert read() == {"resolution_table", "bonus_die"}
    assert read(reroll=True) == {"resolution_table", "bonus_die", "charge_reroll"}
    assert read(keep_best=True, dice=2) == {"resolution_table"}
    assert read(kind="authority-roll") == {"authority_tie"}


@pytest.mark.rule("AOR-03")
def test_the_kept_die_has_a_law_for_every_difference() -> None:
    law = single(2, SHIPPED.resolution_table)
    assert [law.row(d)[1] for d in DIFFERENCES] == pytest.approx([float(1 - (1 - p) ** 2) for p in CHANCES])
