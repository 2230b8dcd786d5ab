"""`dice` against literal brute force over all faces and against icepool; tables; the simulated sample."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import icepool
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mathhammer
from tests.oracle import agrees
from tests.plain.brute import COMPARE, Dice, added, compared, law, same, staged

few = settings(max_examples=40)
SIGNS = st.sampled_from(sorted(COMPARE))
KEEPS = st.sampled_from(["kh", "kl"])


def result(expression: str) -> dict[int, float]:
    """The exact distribution of an expression."""
    return mathhammer.exact("plain", "dice", expression=expression).pmf("result")


def holds(expression: str) -> float:
    """The exact chance that a comparison holds."""
    return mathhammer.exact("plain", "dice", expression=expression).probability("holds")


@st.composite
def summed(draw: st.DrawFn, most: int = 4, sides: int = 6) -> Dice:
    """Plain dice."""
    return Dice(draw(st.integers(1, most)), draw(st.integers(2, sides)))


@st.composite
def kept(draw: st.DrawFn) -> Dice:
    """Dice of which some are kept or dropped."""
    dice = draw(summed())
    kind = draw(st.sampled_from(["kh", "kl", "dh", "dl"] if dice.dice > 1 else ["kh", "kl"]))
    return replace(dice, keep=(kind, draw(st.integers(1, dice.dice - (kind[0] == "d")))))


@st.composite
def rerolling(draw: st.DrawFn) -> Dice:
    """Dice with faces that are rolled again."""
    dice = draw(st.one_of(summed(), kept()))
    return replace(dice, reroll=draw(again(dice.sides)))


def again(sides: int) -> st.SearchStrategy[tuple[str, int]]:
    """`rr` a face, or `rr<` one."""
    return st.tuples(st.sampled_from(["rr", "rr<"]), st.integers(1, sides))


@st.composite
def limited(draw: st.DrawFn) -> Dice:
    """Dice of which only so many are rolled again."""
    dice = draw(st.one_of(summed(), kept()))
    return replace(dice, reroll=draw(again(dice.sides)), limit=draw(st.integers(1, dice.dice)))


@st.composite
def open_ended(draw: st.DrawFn) -> Dice:
    """Dice whose highest face adds another; few where the chain has no end."""
    cap = draw(st.integers(0, 3))
    dice = Dice(draw(st.integers(1, 3 if cap else 2)), draw(st.integers(3 if cap == 0 else 2, 6)), cap=cap)
    keep = draw(st.sampled_from([None, ("kh", 1), ("kl", 1), ("kh", dice.dice)]))
    return replace(dice, keep=keep, reroll=draw(st.one_of(st.none(), again(dice.sides))))


@st.composite
def counted(draw: st.DrawFn) -> Dice:
    """Dice that are counted, some rolled again."""
    dice = draw(summed())
    reroll = draw(st.one_of(st.none(), again(dice.sides)))
    faces = range(1, dice.sides + 1)
    shown = [
        (sign, face)
        for sign, compare in sorted(COMPARE.items())
        for face in range(dice.sides + 2)
        if any(compare(shown, face) for shown in faces)
    ]
    return replace(dice, count=draw(st.sampled_from(shown)), reroll=reroll)


@st.composite
def counted_open_ended(draw: st.DrawFn) -> Dice:
    """Dice that are counted, of which the highest face counts and adds another."""
    sides = draw(st.integers(3, 6))
    return Dice(
        draw(st.integers(1, 3)),
        sides,
        cap=draw(st.integers(0, 3)),
        count=(">=", draw(st.integers(1, sides))),
    )


@st.composite
def counted_limited(draw: st.DrawFn) -> Dice:
    """Dice that are counted, of which so many that fail are rolled again."""
    dice = draw(summed())
    face = draw(st.integers(2, dice.sides))
    limit = draw(st.integers(1, dice.dice))
    return replace(dice, count=(">=", face), reroll=("rr<", face), limit=limit)


ANY = st.one_of(
    summed(), kept(), rerolling(), limited(), open_ended(), counted(), counted_open_ended(), counted_limited()
)


# -- brute force -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "kind",
    [summed, kept, rerolling, limited, open_ended, counted, counted_open_ended, counted_limited],
)
def test_a_pool_is_what_all_its_faces_say(kind: Any) -> None:
    @few
    @given(kind())
    def check(dice: Dice) -> None:
        assert same(result(dice.text), law(dice)), dice.text

    check()


@few
@given(ANY, ANY, st.integers(0, 9), st.sampled_from("+-"))
def test_terms_are_added_and_taken_away(first: Dice, second: Dice, flat: int, sign: str) -> None:
    right = added(added(law(first), law(second), 1 if sign == "+" else -1), {flat: 1.0})
    assert same(result(f"{first.text}{sign}{second.text} + {flat}"), right)


@few
@given(ANY, SIGNS, ANY)
def test_an_opposed_roll_is_what_all_pairs_say(first: Dice, sign: str, second: Dice) -> None:
    assert holds(f"{first.text} {sign} {second.text}") == pytest.approx(
        compared(law(first), sign, law(second)), abs=1e-10
    )


@few
@given(summed(), SIGNS, st.integers(-3, 30))
def test_a_comparison_is_what_all_faces_say(dice: Dice, sign: str, value: int) -> None:
    assert holds(f"{dice.text} {sign} {value}") == pytest.approx(
        compared(law(dice), sign, {value: 1.0}), abs=1e-12
    )


@settings(max_examples=25)
@given(counted(), st.one_of(counted(), summed(2)), counted())
def test_stages_throw_as_often_as_the_one_before_says(first: Dice, second: Dice, third: Dice) -> None:
    right = staged(staged(law(first), second), third)
    assert same(result(f"{first.text} -> {second.text} -> {third.text}"), right)


def test_best_and_worst_keep_one() -> None:
    assert same(result("best(3d6)"), law(Dice(3, 6, ("kh", 1))))
    assert same(result("worst(3d6)"), law(Dice(3, 6, ("kl", 1))))
    assert not same(result("best(3d6)"), result("worst(3d6)"))


@pytest.mark.parametrize(
    ("expression", "chances"),
    [
        ("d6!1", {**dict.fromkeys([1, 2, 3, 4, 5], 1 / 6), **dict.fromkeys(range(7, 13), 1 / 36)}),
        ("2d2kl1", {1: 3 / 4, 2: 1 / 4}),
        ("2d2rr1#1", {2: 1 / 8, 3: 3 / 8, 4: 1 / 2}),
        ("d4rr<3", {1: 1 / 8, 2: 1 / 8, 3: 3 / 8, 4: 3 / 8}),
        ("2d6>=5", {0: 4 / 9, 1: 4 / 9, 2: 1 / 9}),
        ("2d2=2 -> d2=2", {0: 9 / 16, 1: 3 / 8, 2: 1 / 16}),
        ("7", {7: 1.0}),
        ("-d2", {-2: 1 / 2, -1: 1 / 2}),
    ],
)
def test_by_hand(expression: str, chances: dict[int, float]) -> None:
    assert same(result(expression), chances)


# -- icepool ---------------------------------------------------------------------------------------
def floats(die: Any) -> dict[int, float]:
    """icepool's die as value -> probability."""
    return {int(value): float(p) for value, p in zip(die.outcomes(), die.probabilities(), strict=True)}


@few
@given(st.integers(1, 12), st.integers(2, 20), st.data())
def test_keeping_agrees_with_icepool(dice: int, sides: int, data: st.DataObject) -> None:
    kind, keep = data.draw(KEEPS), data.draw(st.integers(1, dice))
    pool = icepool.d(sides).pool(dice)
    right = pool.highest(keep) if kind == "kh" else pool.lowest(keep)
    assert same(result(f"{dice}d{sides}{kind}{keep}"), floats(right.sum()))


@few
@given(st.integers(1, 30), st.integers(2, 100), st.integers(1, 10), st.integers(2, 12))
def test_sums_agree_with_icepool(dice: int, sides: int, more: int, others: int) -> None:
    right = dice @ icepool.d(sides) + more @ icepool.d(others) - 3
    assert same(result(f"{dice}d{sides}+{more}d{others}-3"), floats(right))


@few
@given(st.integers(1, 8), st.integers(2, 12), st.integers(1, 4))
def test_open_ended_dice_agree_with_icepool(dice: int, sides: int, cap: int) -> None:
    right = dice @ icepool.d(sides).explode(depth=cap)
    assert same(result(f"{dice}d{sides}!{cap}"), floats(right))


@few
@given(st.integers(1, 10), st.integers(2, 12), st.data())
def test_rerolls_agree_with_icepool(dice: int, sides: int, data: st.DataObject) -> None:
    face = data.draw(st.integers(2, sides))
    right = dice @ icepool.d(sides).reroll(list(range(1, face)), depth=1)
    assert same(result(f"{dice}d{sides}rr<{face}"), floats(right))


@few
@given(st.integers(1, 20), st.integers(1, 6), st.integers(1, 6), st.integers(1, 6))
def test_stages_agree_with_icepool(dice: int, first: int, second: int, third: int) -> None:
    d6 = icepool.d6
    right = ((dice @ (d6 >= first)) @ (d6 >= second)) @ (d6 < third)
    assert same(result(f"{dice}d6>={first} -> d6>={second} -> d6<{third}"), floats(right))


@few
@given(st.integers(1, 10), st.integers(2, 20), st.integers(1, 10), st.integers(2, 20), SIGNS)
def test_opposed_rolls_agree_with_icepool(a: int, b: int, c: int, d: int, sign: str) -> None:
    difference = floats(a @ icepool.d(b) - c @ icepool.d(d))
    right = sum(p for value, p in difference.items() if COMPARE[sign](value, 0))
    assert holds(f"{a}d{b} {sign} {c}d{d}") == pytest.approx(right, abs=1e-10)


# -- tables ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("dice", [Dice(2, 6), Dice(3, 6, ("kl", 2)), Dice(2, 2), Dice(4, 6, count=(">=", 4))])
def test_a_percentile_is_the_first_value_that_reaches_its_share(dice: Dice) -> None:
    right = law(dice)
    rows = mathhammer.exact("plain", "dice", expression=dice.text).tables["percentiles"]
    assert [row["percentile"] for row in rows] == [5, 10, 25, 50, 75, 90, 95]
    for row in rows:
        at_most = sum(p for value, p in right.items() if value <= row["result"])
        below = sum(p for value, p in right.items() if value < row["result"])
        assert at_most >= row["percentile"] / 100 - 1e-9
        assert below < row["percentile"] / 100 - 1e-9


@pytest.mark.parametrize(
    ("expression", "odds"),
    [
        ("2d6 >= 9", ("1 in 3.6", "1 in 1.385")),
        ("2d6 = 12", ("1 in 36", "1 in 1.029")),
        ("d2 > 1", ("1 in 2", "1 in 2")),
    ],
)
def test_odds_are_one_in_so_many(expression: str, odds: tuple[str, str]) -> None:
    (row,) = mathhammer.exact("plain", "dice", expression=expression).tables["odds"]
    assert (row["holds"], row["fails"]) == odds


@pytest.mark.parametrize("expression", ["2d6", "2d6 >= 2", "2d6 > 12"])
def test_what_is_certain_or_impossible_has_no_odds(expression: str) -> None:
    assert "odds" not in mathhammer.exact("plain", "dice", expression=expression).tables


def test_a_comparison_keeps_both_sides_apart() -> None:
    answer = mathhammer.exact("plain", "dice", expression="d4+1 > 2d3")
    assert same(answer.pmf("result"), dict.fromkeys((2, 3, 4, 5), 1 / 4))
    assert same(answer.pmf("against"), law(Dice(2, 3)))
    assert answer.at_least("result", 4) == pytest.approx(1 / 2)


def test_a_count_without_blanks_is_said_in_words() -> None:
    (note,) = mathhammer.exact("plain", "dice", expression="12d6>=4").notes
    assert "12d6>=4 counts" in note
    assert "blanks" in note
    assert mathhammer.exact("plain", "dice", expression="12d6 >= 4").notes == []


def test_the_short_form_simulates_too() -> None:
    answer = mathhammer.dice("3d6kl2", trials=1000, seed=5)
    assert answer.trials == 1000
    assert same(answer.pmf("result", "exact"), law(Dice(3, 6, ("kl", 2))))


# -- the simulated sample --------------------------------------------------------------------------
TRIALS = 200_000


@pytest.mark.parametrize(
    ("expression", "one_die_more"),
    [
        ("2d6", "3d6"),
        ("3d6kl2", "4d6kl2"),
        ("2d6!", "3d6!"),
        ("5d6rr<4#2", "6d6rr<4#2"),
        ("12d6>=4", "13d6>=4"),
        ("20d6>=3 -> d6>=4 -> d6<5", "21d6>=3 -> d6>=4 -> d6<5"),
        ("2d6+d3+1", "2d6+2d3+1"),
    ],
)
def test_the_sample_is_of_this_law_and_of_no_other(expression: str, one_die_more: str) -> None:
    answer = mathhammer.simulate("plain", "dice", expression=expression, trials=TRIALS, seed=7)
    counts = {value: round(p * TRIALS) for value, p in answer.pmf("result", "simulated").items()}
    right = answer.pmf("result", "exact")
    assert agrees(counts, right)
    assert not agrees(counts, result(one_die_more))
    assert not agrees(counts, {value + 1: p for value, p in right.items()})


@pytest.mark.parametrize(
    ("written", "meant", "why"),
    [
        ("2d6>=9", "2d6 >= 9", "no d6 shows at least 9"),
        ("2d6+1>8", "2d6+1 > 8", None),
        ("3d6kl2>=9", "3d6kl2 >= 9", "no d6 shows at least 9"),
        ("1+3d4=9+1", "1+3d4 = 9+1", "no d4 shows exactly 9"),
        ("d6<1", "d6 < 1", "no d6 shows less than 1"),
    ],
)
def test_what_no_die_can_show_is_compared_with_the_sum(written: str, meant: str, why: str | None) -> None:
    assert holds(written) == holds(meant)
    found = mathhammer.exact("plain", "dice", expression=written).notes
    assert [note for note in found if "the sum is compared" in note] == (
        [f"{why}: the sum is compared"] if why else []
    )


def test_in_a_stage_what_no_die_can_show_counts_none() -> None:
    assert result("20d6>=3 -> d6>=7") == {0: pytest.approx(1.0)}


@pytest.mark.parametrize(
    ("expressions", "told"),
    [(["2d6", "3d6"], ["mean result"]), (["2d6 > 7", "3d6 > 7"], ["holds", "mean result", "mean against"])],
)
def test_a_sweep_tells_of_a_comparison_where_there_is_one(expressions: list[str], told: list[str]) -> None:
    table = mathhammer.sweep("plain", "dice", over={"expression": expressions})
    assert [wanted.name for wanted in table.sweep.wanted] == told
    assert table.sweep.grid.heading() == "Plain dice: over expression (2)"
