"""The dice grammar: what it takes, where an error points, what is refused; random text never breaks it."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import mathhammer
from mathhammer.core.errors import InputError
from mathhammer.plain.grammar import Pipeline, Pool, Question, parse
from mathhammer.plain.situations import Dice

LONGEST = 2.0  # seconds for any random text, on a busy machine


def pool(text: str) -> Pool:
    """The one pool of a text."""
    question = parse(text)
    ((sign, term),) = question.left.terms
    assert (sign, question.left.stages, question.operator, question.right) == (1, (), None, None)
    assert isinstance(term, Pool)
    return term


def told(text: str) -> str:
    """The one line that refuses an expression."""
    with pytest.raises(InputError) as error:
        mathhammer.exact("plain", "dice", expression=text)
    (line,) = error.value.lines
    assert "\n" not in line
    return line


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("d6", Pool(1, 6)),
        ("2D6", Pool(2, 6)),
        ("1000d1000", Pool(1000, 1000)),
        ("3d6kl2", Pool(3, 6, 2, True)),
        ("3d6kh2", Pool(3, 6, 2)),
        ("3d6dh1", Pool(3, 6, 2, True)),
        ("3d6dl2", Pool(3, 6, 1)),
        ("best(3d6)", Pool(3, 6, 1)),
        ("Worst( 3d6 )", Pool(3, 6, 1, True)),
        ("d6!", Pool(1, 6, explode=0)),
        ("d6!2", Pool(1, 6, explode=2)),
        ("2d6rr1", Pool(2, 6, again=frozenset({1}))),
        ("2d6rr<4", Pool(2, 6, again=frozenset({1, 2, 3}))),
        ("2d6rr<4#1", Pool(2, 6, again=frozenset({1, 2, 3}), most_again=1)),
        ("3d6rr1#2kl2", Pool(3, 6, 2, True, again=frozenset({1}), most_again=2)),
        ("12d6>=4", Pool(12, 6, count=(">=", 4))),
        ("12d6==4", Pool(12, 6, count=("=", 4))),
        (" 12d6<4 ", Pool(12, 6, count=("<", 4))),
    ],
)
def test_a_pool_is_read(text: str, right: Pool) -> None:
    assert pool(text) == right


@pytest.mark.parametrize("sign", [">=", "<=", ">", "<", "="])
def test_without_blanks_dice_are_counted_and_with_blanks_the_sum_is_compared(sign: str) -> None:
    assert pool(f"2d6{sign}5") == Pool(2, 6, count=(sign, 5))
    for text in (f"2d6 {sign} 5", f"2d6 {sign}5", f"2d6{sign} 5"):
        assert parse(text) == Question(Pipeline(((1, Pool(2, 6)),)), sign, Pipeline(((1, 5),)))


@pytest.mark.parametrize("text", ["2d6>d6", "2d6>2d6", "12d6>12d6", "best(2d6)>=4", "2d6+3>=9"])
def test_what_counts_no_dice_compares_also_without_blanks(text: str) -> None:
    assert parse(text).operator in (">", ">=")


def test_sums_and_stages_are_read() -> None:
    question = parse("-2d6+d3 - 1 -> d6>=4->d6<5 >= 2")
    assert question.left.terms == ((-1, Pool(2, 6)), (1, Pool(1, 3)), (-1, 1))
    assert question.left.stages == (Pool(1, 6, count=(">=", 4)), Pool(1, 6, count=("<", 5)))
    assert (question.operator, question.right) == (">=", Pipeline(((1, 2),)))


@pytest.mark.parametrize(
    ("text", "character", "wanted"),
    [
        ("", 1, "expected"),
        ("   ", 4, "expected"),
        ("two dice", 1, "dice such as 2d6"),
        ("2d", 3, "the number of sides is missing"),
        ("2d1", 3, "sides is 2 to 1000"),
        ("2d1001", 3, "sides is 2 to 1000"),
        ("1001d6", 1, "number of dice is 1 to 1000"),
        ("0d6", 1, "number of dice is 1 to 1000"),
        ("100001", 1, "number is 0 to 100000"),
        ("2d6x", 4, "'x' fits nothing"),
        ("2d6 2d6", 5, "'2' fits nothing"),
        ("2d6+", 5, "expected"),
        ("2d6 + + 1", 7, "expected"),
        ("2d6 >=", 7, "expected"),
        ("2d6 >= >", 8, "expected"),
        ("2d6 > 3 > 1", 9, "'>' fits nothing"),
        ("2d6 =< 9", 6, "expected"),
        ("3d6k2", 4, "'k' fits nothing"),
        ("3d6kh", 6, "how many of the dice is missing"),
        ("3d6kh4", 6, "how many of the dice is 1 to 3"),
        ("3d6kh0", 6, "how many of the dice is 1 to 3"),
        ("3d6dh3", 4, "one die at least stays"),
        ("3d6kh2kl1", 7, "once"),
        ("d6!!", 4, "twice"),
        ("d6!101", 4, "is 1 to 100"),
        ("d6rr", 5, "the face to roll again is missing"),
        ("d6rr7", 5, "the face to roll again is 1 to 6"),
        ("d6rr1rr2", 6, "twice"),
        ("2d6rr1#3", 8, "rolled again is 1 to 2"),
        ("2d6rr1#", 8, "missing"),
        ("best(3d6", 9, "')' is missing"),
        ("best(3d6kh1)", 1, "plain dice"),
        ("best 3d6", 1, "expected"),
        ("3d6kh2>=4", 7, "blanks"),
        ("2d6 -> ", 8, "dice such as d6 are expected"),
        ("2d6 -> 3", 9, "dice such as d6 are expected"),
        ("2d6 ≥ 9", 5, "'≥' fits nothing"),
        ("٢d6", 1, "expected"),
    ],
)
def test_an_error_points_at_the_character_and_says_what_is_expected(
    text: str, character: int, wanted: str
) -> None:
    line = told(text)
    assert f"character {character}: " in line
    assert wanted in line


@pytest.mark.parametrize("text", ["2d6\n+x", "2d6\x00", "2d6\t\x1b[31m", "\u2028"])
def test_odd_characters_are_told_in_one_plain_line(text: str) -> None:
    assert told(text).isprintable()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1000d1000!", "totals go up to"),
        ("1+" + "+".join(["100000"] * 20), "totals go up to"),
        ("-100000-100001", "number is 0 to"),
        ("100000 -> d100", "memory"),
        ("1000d1000 -> d8", "memory"),
        ("2d1000 -> d1000", "memory"),
        ("100d1000 -> d6rr<4#20>=4", "memory"),
        ("d6-2 -> d6", "may be -1"),
        ("100d1000rr1#2kh50", "too many distinct rolls"),
        ("d6!rr1#1", "do not go together"),
        ("d6!<4", "highest face"),
        ("d6rr1#1>=4", "name exactly those faces"),
        ("1+" * 200 + "1", "at most 400 characters"),
    ],
)
def test_what_is_too_large_or_has_no_meaning_is_refused_saying_so(text: str, wanted: str) -> None:
    start = time.thread_time()
    assert wanted in told(text)
    assert time.thread_time() - start < LONGEST


@pytest.mark.parametrize(
    "text", ["1000d1000", "1000d2", "1000d1000kh500", "+".join(["100000"] * 20), "100d100 -> d8"]
)
def test_the_limits_themselves_are_answered(text: str) -> None:
    assert sound(text)


WRITTEN = st.text("0123456789d!khlrw<>=#-+ ()best", max_size=24)
DICE = ["2", "10", "1000", "d6", "3d", "d", "d100", "best(", ")"]
CHANGES = ["kh2", "kl1", "dl1", "!", "!2", "rr1", "rr<4", "#1", ">=4", "<3"]
BETWEEN = ["+", "-", "=", " ", " >= ", " -> ", " = "]
PART = st.sampled_from([*DICE, *CHANGES, *BETWEEN])


def sound(text: str) -> bool:
    """Whether a text is answered by a distribution, or refused in one line; quickly either way."""
    start = time.thread_time()
    try:
        pmf = mathhammer.exact("plain", "dice", expression=text).pmf("result")
    except InputError as error:
        return len(error.lines) == 1 and "\n" not in error.lines[0]
    assert time.thread_time() - start < LONGEST
    return abs(sum(pmf.values()) - 1) < 1e-9 and min(pmf.values()) >= 0


@settings(max_examples=400)
@given(st.one_of(WRITTEN, st.text(max_size=12)))
@example("2d6>=" + "9" * 8)
@example("9" * 300)
@example("(" * 100)
def test_random_text_is_answered_or_refused(text: str) -> None:
    assert sound(text)


@settings(max_examples=400)
@given(st.lists(PART, max_size=9).map("".join))
def test_random_pieces_of_expressions_are_answered_or_refused(text: str) -> None:
    assert sound(text)


@settings(max_examples=200)
@given(st.lists(PART, max_size=7).map("".join))
def test_an_error_points_into_the_text_or_just_behind_it(text: str) -> None:
    try:
        parse(text)
    except InputError as error:
        (line,) = error.lines
        found = re.search(r": character (\d+): ", line)
        assert found
        assert 1 <= int(found[1]) <= len(text) + 1


@pytest.mark.parametrize("operator", [">=", ">", "<", "<=", "="])
def test_a_wide_opposed_roll_is_the_same_side_by_side(operator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many joint values: whether it holds by the left, the right beside it; only marginals are kept."""
    text = f"3d6+1 {operator} 4d4"
    joint = mathhammer.dice(text, trials=20_000)
    monkeypatch.setattr("mathhammer.plain.dice.MOST_JOINT", 1)
    wide = mathhammer.dice(text, trials=20_000)
    for name in ("result", "against"):
        assert wide.pmf(name, "exact") == pytest.approx(joint.pmf(name, "exact"), abs=1e-12)
    assert wide.probability("holds", "exact") == pytest.approx(joint.probability("holds", "exact"), abs=1e-12)
    assert wide.probability("holds", "simulated") == pytest.approx(joint.probability("holds"), abs=0.02)
    with pytest.raises(mathhammer.InputError, match="only marginals"):
        wide.joint("result", "against")


def test_what_fits_nothing_is_told_with_what_would_fit() -> None:
    assert told("2d6*3").endswith("then come +, -, ->, or >=, <=, >, < or =")


@pytest.mark.parametrize(
    "written", ["best(3d6)", "3d6kh2", "3d6kl2", "3d6dh1", "3d6dl1", "d6!1", "d6rr1", "4d6rr<3#2"]
)
def test_the_help_names_each_form(written: str) -> None:
    parse(written)
    form = written if "(" in written else written.partition("d6")[2]
    assert form in str(Dice.model_fields["expression"].description)
