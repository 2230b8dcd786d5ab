"""Running a question: engines, seeds, trials, limits, what was read, stages and progress."""

from __future__ import annotations

from typing import Any, cast

import pytest

import mathhammer
from mathhammer.analysis.question import Question
from mathhammer.analysis.result import Result
from mathhammer.analysis.run import DEFAULT_SEED, DEFAULT_TRIALS, MOST_TRIALS, check_options, run
from mathhammer.core import engine as core_engine
from mathhammer.core.errors import ExactLimitError, InputError
from tests.analysis.conftest import SEED, TRIALS
from tests.oracle import agrees


@pytest.fixture(scope="module")
def question() -> Question:
    return mathhammer.question("kow", "melee", "orc-ax", "knights", with_=["knights@flank"])


def numbers(result: Result) -> dict[str, Any]:
    """All simulated numbers of a result."""
    names = [*result.measures, *result.events]
    witness = result.simulated
    assert witness is not None
    return {name: witness.pmf(name) for name in names}


# -- engines ---------------------------------------------------------------------------------------
def test_each_engine_gives_its_own_numbers(question: Question) -> None:
    assert run(question, trials=10).sources == ["simulated", "exact"]
    assert run(question, trials=10, engine="simulate").sources == ["simulated"]
    assert run(question, engine="exact").sources == ["exact"]


def test_numbers_do_not_hang_on_the_other_engine(both: Result, simulated: Result, exact: Result) -> None:
    assert numbers(both) == numbers(simulated)
    for name in exact.measures:
        assert both.pmf(name, "exact") == exact.pmf(name)


@pytest.mark.parametrize("name", ["damage", "damage_after"])
def test_simulated_counts_agree_with_exact_chances(both: Result, name: str) -> None:
    """And the same sample against one point more damage does not."""
    exact = both.pmf(name, "exact")
    counts = {value: round(p * TRIALS) for value, p in both.pmf(name, "simulated").items()}
    assert sum(counts.values()) == TRIALS
    assert agrees(counts, exact)
    assert not agrees(counts, {value + 1: p for value, p in exact.items()})
    assert not agrees(counts, both_with(at=19).pmf(name))


def both_with(**changes: Any) -> Result:
    """The exact charge by slightly other attackers."""
    text = ",".join(f"{field}={value}" for field, value in changes.items())
    return mathhammer.exact("kow", "melee", f"ogre-warriors,{text}", "foot-guard", facing="flank")


# -- seeds and trials ------------------------------------------------------------------------------
def test_an_equal_seed_is_an_equal_answer_and_another_another(question: Question) -> None:
    first = numbers(run(question, trials=1000, seed=1))
    assert numbers(run(question, trials=1000, seed=1)) == first
    assert numbers(run(question, trials=1000, seed=2)) != first
    assert numbers(run(question, trials=1000)) == numbers(run(question, trials=1000, seed=DEFAULT_SEED))


@pytest.mark.parametrize("trials", [1, 2, 999, 10**6, 10**9, MOST_TRIALS])
def test_every_trial_is_counted(question: Question, trials: int) -> None:
    answer = run(question, trials=trials, engine="simulate")
    for pmf in numbers(answer).values():
        assert sum(round(p * trials) for p in pmf.values()) == trials


def test_defaults_are_a_million_trials_and_a_fixed_seed(question: Question) -> None:
    answer = run(question)
    assert (answer.trials, answer.seed) == (DEFAULT_TRIALS, DEFAULT_SEED) == (10**6, DEFAULT_SEED)


@pytest.mark.parametrize(
    ("trials", "seed", "engine", "words"),
    [
        (0, 1, "both", ["trials", "1 to 1e12", "0"]),
        (10**12 + 1, 1, "both", ["trials", "1 to 1e12"]),
        (1.5, 1, "both", ["trials", "1.5"]),
        (1e13, 1, "both", ["trials", "1 to 1e12"]),
        (float("inf"), 1, "both", ["trials", "inf"]),
        (True, 1, "both", ["trials", "True"]),
        ("5", 1, "both", ["trials", "'5'"]),
        (1, -1, "both", ["seed", "-1"]),
        (1, 2**64, "both", ["seed"]),
        (1, None, "both", ["seed", "None"]),
        (1, 1, "fast", ["engine", "'fast'", "both, simulate, exact"]),
    ],
)
def test_options_out_of_range_are_told(trials: Any, seed: Any, engine: Any, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        check_options(trials, seed, engine)
    (line,) = caught.value.lines
    assert all(word in line for word in words)


def test_every_option_out_of_range_is_told(question: Question) -> None:
    with pytest.raises(InputError) as caught:
        run(question, trials=0, seed=-1, engine="fast")  # type: ignore[arg-type]
    assert [line.split()[0] for line in caught.value.lines] == ["trials", "seed", "engine"]


# -- limits ----------------------------------------------------------------------------------------
def test_past_the_limit_exact_is_an_error_and_both_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_engine, "EXACT_ROWS", 2)
    monkeypatch.setattr("mathhammer.core.ensemble.BLOCK_CELLS", 1)
    asked = mathhammer.question("kow", "fight", "knights", "orc-ax", turns=3)
    with pytest.raises(ExactLimitError, match=r"2 states .* engine simulate"):
        run(asked, engine="exact")
    answer = run(asked, trials=1000)
    assert answer.sources == ["simulated"]
    assert answer.notes == [answer.why_no_exact]
    assert "states" in answer.why_no_exact


# -- what is noted ---------------------------------------------------------------------------------
def test_the_rules_that_were_read_are_noted_and_no_others(both: Result, fight: Result) -> None:
    assert {"flank_factor", "nerve_values"} <= both.read
    assert "cover_soft" not in both.read
    assert "fight_facing" not in both.read
    assert both.read < set(both.question.ruleset.provenance)
    assert "rear_factor" not in fight.read


def test_assumed_and_overridden_rules_that_were_read_are_listed() -> None:
    answer = mathhammer.exact("kow", "melee", "orc-ax", "knights", rules={"flank_factor": 3}, facing="flank")
    origins = {record["key"]: (record["origin"], record["value"]) for record in answer.assumptions}
    assert origins["flank_factor"] == ("user", 3)
    assert origins["double_one_steady"] == ("assumed", False)
    unread = mathhammer.exact("kow", "melee", "orc-ax", "knights", rules={"cover_soft": 3}, facing="flank")
    assert "cover_soft" not in {record["key"] for record in unread.assumptions}


def test_stages_are_recorded_only_when_asked_for(both: Result, simulated: Result) -> None:
    assert [stage["stage"] for stage in both.stages()] == ["dice", "hits on 3+", "damage on 5+", "nerve"]
    assert simulated.stages() == []


def test_simulated_stages_are_near_the_exact_ones(both: Result) -> None:
    """Six standard errors: false-failure rate below 1e-8 a stage."""
    alone = run(both.question, trials=TRIALS, seed=SEED, engine="simulate", explain=True)
    for stage, other in zip(both.stages(), alone.stages(), strict=True):
        assert stage["stage"] == other["stage"]
        if "mean" in stage:
            margin = 6 * stage["sd"] / TRIALS**0.5 + 1e-9
            assert other["mean"] == pytest.approx(stage["mean"], abs=margin)


def test_progress_is_silent_where_a_run_is_short(question: Question) -> None:
    calls: list[tuple[float, float]] = []
    run(question, trials=10**6, progress=lambda share, seconds: calls.append((share, seconds)))
    assert calls == []


def test_progress_tells_the_share_and_the_time_before_and_during_a_long_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A run is made long by what counts as slow, and flat by how few rows that takes."""
    calls: list[tuple[float, float]] = []
    monkeypatch.setattr(core_engine, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(core_engine, "FLAT_ROWS", 1)
    monkeypatch.setattr(core_engine, "FLAT_GAIN", 10**9)
    clock = iter(range(10**6))
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    asked = mathhammer.question("kow", "fight", "knights", "orc-ax", turns=2)
    run(asked, trials=300_000, engine="simulate", progress=lambda *call: calls.append(call))
    shares = [share for share, _ in calls]
    assert shares[0] == 0
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    assert all(seconds >= 0 for _, seconds in calls)
    assert calls[-1][1] == pytest.approx(0)


def test_trials_may_be_written_as_on_the_command_line() -> None:
    many = mathhammer.simulate("kow", "melee", "knights", "foot-guard", trials=cast(int, 1e4))
    assert (
        many.to_dict() == mathhammer.simulate("kow", "melee", "knights", "foot-guard", trials=10**4).to_dict()
    )
    assert isinstance(many.trials, int)
    rows = [
        mathhammer.sweep(
            "kow", "melee", "knights", "foot-guard", over={"at": [9, 10]}, trials=t, engine="simulate"
        )
        for t in (1e4, 10**4)
    ]
    assert rows[0].sweep.fingerprint() == rows[1].sweep.fingerprint()
