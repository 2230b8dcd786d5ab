"""The contract that every game keeps. Statistical tests: fixed seeds, false-failure rate 1e-6 each."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest

import mathhammer
from mathhammer import plain
from mathhammer.analysis.question import find_unit
from mathhammer.analysis.result import Result, Source
from mathhammer.core.game import Game
from mathhammer.core.profiles import Profile
from mathhammer.core.rulesets import ORIGINS
from mathhammer.games import cards, load
from tests.contract.games import all_samples, package, samples
from tests.oracle import agrees

GAMES = list(cards())
SAMPLES = list(all_samples())
RESERVED = {"games", "units", "rules", "compare", "sweep", "needs", "army", "plain", *plain.MODES}
HERE = Path(__file__).parent


def label(sample: Any) -> str:
    game, mode, units, options = sample
    return f"{game}-{mode}-{'-'.join(units)}-{options}"[:90]


def joint(result: Result, source: Source) -> dict[tuple[int, ...], float]:
    """Probability of each joint end state."""
    columns, p = result._joint(result.measures + result.events, source)
    return dict(zip(zip(*(c.tolist() for c in columns.values()), strict=True), p.tolist(), strict=True))


def units_of(result: Result) -> list[Profile]:
    """All units of a question."""
    return [placed.unit for units in result.question.units.values() for placed in units]


@pytest.fixture(scope="module", params=SAMPLES, ids=label)
def answered(request: pytest.FixtureRequest) -> Result:
    game, mode, units, options = request.param
    return mathhammer.simulate(game, mode, *units, trials=20_000, seed=11, **options)


# -- the game's record -----------------------------------------------------------------------------
@pytest.mark.parametrize("game_id", GAMES)
def test_the_card_lists_the_modes_of_the_record_and_takes_no_reserved_name(game_id: str) -> None:
    game, card = load(game_id), cards()[game_id]
    assert game.id == game_id == card.ID
    assert game_id not in RESERVED
    assert list(card.MODES) == list(game.modes)
    assert {name: mode.about for name, mode in game.modes.items()} == card.MODES


@pytest.mark.parametrize("game_id", GAMES)
def test_every_mode_has_an_example(game_id: str) -> None:
    commands = [command for command, _ in cards()[game_id].EXAMPLES]
    for mode in load(game_id).modes:
        assert any(command.startswith(f"{game_id} {mode} ") for command in commands), mode


@pytest.mark.parametrize("game_id", GAMES)
def test_every_mode_has_a_sample(game_id: str) -> None:
    assert {mode for mode, _, _ in samples(game_id).SAMPLES} == set(load(game_id).modes)


@pytest.mark.parametrize("game_id", GAMES)
def test_every_shipped_unit_loads_under_its_id_and_names_its_source(game_id: str) -> None:
    game = load(game_id)
    ids = game.catalogue.ids()
    assert len(ids) == len(set(ids)) > 0
    for unit_id, (_, table) in game.catalogue.tables_with_places():
        unit = find_unit(game, unit_id)
        assert unit.name == table["name"]
        assert len(unit.source) > 10


@pytest.mark.parametrize("game_id", GAMES)
def test_the_template_is_a_unit_as_it_stands(game_id: str) -> None:
    game = load(game_id)
    unit = find_unit(game, str(game.folder / "template.toml"))
    assert unit.name
    assert sum(line.count("#") > 0 for line in (game.folder / "template.toml").read_text().splitlines()) > 5


@pytest.mark.parametrize("game_id", GAMES)
def test_every_ruleset_loads_with_an_origin_and_a_note_for_each_field(game_id: str) -> None:
    game = load(game_id)
    for name in game.ruleset_files:
        ruleset = game.ruleset(name)
        assert set(ruleset.provenance) == set(game.rules.model_fields)
        for origin in ruleset.provenance.values():
            assert origin.origin in ORIGINS
            assert origin.origin != "user"
            assert len(origin.note) > 10


@pytest.mark.parametrize("game_id", GAMES)
def test_every_rule_id_has_a_marked_test_and_is_a_source_in_the_code(game_id: str) -> None:
    game = load(game_id)
    tests = "".join(p.read_text() for p in (HERE.parent / "games" / package(game_id)).rglob("*.py"))
    code = "".join(p.read_text() for p in game.folder.rglob("*.py"))
    marked = set(re.findall(r'pytest\.mark\.rule\("([^"]+)"\)', tests))
    assert marked == set(game.rule_titles())
    for rule in game.rule_titles():
        number = int(rule.rpartition("-")[2]) if rule.rpartition("-")[2].isdigit() else None
        assert rule in code or any(first <= (number or -1) <= last for first, last in ranges(code, rule)), (
            rule
        )


def ranges(code: str, rule: str) -> list[tuple[int, int]]:
    """Ranges such as KOW-02 to KOW-04 that the code's docstrings name as sources."""
    prefix = re.escape(rule.rpartition("-")[0])
    return [(int(a), int(b)) for a, b in re.findall(rf"{prefix}-(\d+) to {prefix}-(\d+)", code)]


# -- answers ---------------------------------------------------------------------------------------
def test_probabilities_sum_to_one_and_counts_to_the_trials(answered: Result) -> None:
    exact, simulated = joint(answered, "exact"), joint(answered, "simulated")
    assert sum(exact.values()) == pytest.approx(1.0, abs=1e-9)
    assert sum(round(p * answered.trials) for p in simulated.values()) == answered.trials
    assert all(p >= 0 for p in exact.values())
    assert answered.cut < 1e-9


def test_simulated_agrees_with_exact(answered: Result) -> None:
    counts = {state: round(p * answered.trials) for state, p in joint(answered, "simulated").items()}
    assert agrees(counts, joint(answered, "exact"))


def test_a_trillion_trials_come_to_the_exact_chances(answered: Result) -> None:
    """Six standard errors: false-failure rate below 1e-8 an event."""
    many = mathhammer.analysis.run.run(answered.question, trials=10**12, seed=3, engine="simulate")
    for event in answered.events:
        p = answered.probability(event, "exact")
        margin = 6 * (p * max(0.0, 1 - p) / 10**12) ** 0.5 + 1e-11
        assert many.probability(event) == pytest.approx(p, abs=margin)


def test_equal_seeds_give_equal_answers_and_other_seeds_others(answered: Result) -> None:
    def again(seed: int) -> dict[tuple[int, ...], float]:
        run = mathhammer.analysis.run.run(answered.question, trials=20_000, seed=seed, engine="simulate")
        return joint(run, "simulated")

    assert again(11) == joint(answered, "simulated")
    if len(joint(answered, "exact")) > 3:
        assert again(12) != again(11)


def test_names_and_sources_do_not_change_the_stream(answered: Result) -> None:
    game = answered.question.game
    for unit in units_of(answered):
        assert not {"name", "source"} & set(unit.content()), game.id


def test_measures_and_events_are_those_that_the_mode_declares(answered: Result) -> None:
    tally = answered.exact and answered.exact.tally.joint and answered.exact.tally.joint.settle()
    assert tally
    assert list(tally.columns) == answered.measures + answered.events
    for event in answered.events:
        assert set(tally.columns[event].tolist()) <= {0, 1}


def test_the_json_object_is_plain_and_complete(answered: Result) -> None:
    told = json.loads(answered.to_json())
    assert set(told) >= {"game", "mode", "units", "situation", "ruleset", "trials", "seed", "measures"}
    assert set(told) >= {"events", "by_round", "tables", "assumptions", "cut", "version"}
    for name, measure in told["measures"].items():
        mean = sum(value * p for value, p in measure["exact"]["pmf"])
        assert measure["exact"]["mean"] == pytest.approx(mean), name
    for event in told["events"].values():
        assert event["simulated"]["low"] <= event["simulated"]["p"] <= event["simulated"]["high"]


def test_rounds_only_add_up(answered: Result) -> None:
    """An event never becomes rarer, but for those that may pass; and the last round is the end."""
    rounds = json.loads(answered.to_json())["by_round"]
    passing: set[str] = getattr(samples(answered.question.game.id), "PASSING", set())
    for name in answered.events if rounds else []:
        chances = [r["events"][name]["exact"]["p"] for r in rounds]
        assert name in passing or chances == pytest.approx(sorted(chances), abs=1e-12)
        assert chances[-1] == pytest.approx(answered.probability(name, "exact"))


def test_explaining_changes_no_number_and_names_rules(answered: Result) -> None:
    explained = mathhammer.analysis.run.run(answered.question, trials=20_000, seed=11, explain=True)
    assert joint(explained, "exact") == joint(answered, "exact")
    assert joint(explained, "simulated") == joint(answered, "simulated")
    titles = answered.question.game.rule_titles()
    assert all(stage["rule"] in titles for stage in explained.stages())


def test_a_result_is_the_same_after_pickling(answered: Result) -> None:
    again = pickle.loads(pickle.dumps(answered))
    assert again.to_dict() == answered.to_dict()


def test_units_are_frozen(answered: Result) -> None:
    for unit in units_of(answered):
        with pytest.raises(mathhammer.InputError, match="a unit is never changed"):
            unit.name = "other"  # type: ignore[misc]


# -- assumptions -----------------------------------------------------------------------------------
def alternatives(game: Game, field: str, value: object) -> list[object]:
    """Other values that a ruleset field takes; those of texts, such as a file, are told by the samples."""
    told: dict[str, list[object]] = getattr(samples(game.id), "ALTERNATIVES", {})
    if field in told:
        return told[field]
    annotation = game.rules.model_fields[field].annotation
    if annotation is bool:
        return [not value]
    if get_origin(annotation) is Literal:
        return [other for other in get_args(annotation) if other != value]
    assert isinstance(value, int)
    return [value + 1, value - 1]


def test_every_assumed_field_that_moves_the_answer_is_listed(answered: Result) -> None:
    question = answered.question
    listed = {entry["key"] for entry in answered.assumptions}
    before = joint(answered, "exact")
    for field, origin in question.ruleset.provenance.items():
        if origin.origin != "assumed" or field in listed:
            continue
        for other in alternatives(question.game, field, getattr(question.ruleset.values, field)):
            assert changed(question, field, other) in (None, before), (field, other)


def changed(question: Any, field: str, value: object) -> dict[tuple[int, ...], float] | None:
    """The joint distribution with one field set otherwise; None where the field cannot take the value."""
    from dataclasses import replace

    try:
        ruleset = question.ruleset.overridden({field: value}, "--rule")
    except mathhammer.InputError:
        return None
    run = mathhammer.analysis.run.run(replace(question, ruleset=ruleset), engine="exact")
    return joint(run, "exact")


def test_a_field_that_the_user_sets_is_listed_as_the_users(answered: Result) -> None:
    from dataclasses import replace

    question = answered.question
    field = sorted(answered.read)[0]
    value = getattr(question.ruleset.values, field)
    own = replace(question, ruleset=question.ruleset.overridden({field: value}, "--rule"))
    listed = mathhammer.analysis.run.run(own, engine="exact").assumptions
    assert {"key": field, "origin": "user"}.items() <= next(a for a in listed if a["key"] == field).items()


# -- bad input -------------------------------------------------------------------------------------
@pytest.mark.parametrize("game_id", GAMES)
def test_wrong_questions_are_told_in_one_line_each(game_id: str) -> None:
    mode, units, options = samples(game_id).SAMPLES[0]
    wrong: list[tuple[str, list[str], dict[str, Any]]] = [
        ("no-such-mode", units, options),
        (mode, ["no such unit", *units[1:]], options),
        (mode, units[:-1], options),
        (mode, [*units[:-1], f"{units[-1]},no_such_field=1"], options),
        (mode, units, {**options, "no_such_option": 1}),
        (mode, units, {**options, "rules": {"no_such_rule": 1}}),
        (mode, units, {load(game_id).ruleset_option: "no such ruleset"}),
        samples(game_id).BAD_OPTION,
    ]
    for bad_mode, bad_units, bad_options in wrong:
        with pytest.raises(mathhammer.InputError) as told:
            mathhammer.exact(game_id, bad_mode, *bad_units, **bad_options)
        assert told.value.lines
        assert all(line and "\n" not in line for line in told.value.lines)


def test_an_unknown_game_is_told_with_the_nearest() -> None:
    with pytest.raises(mathhammer.InputError, match="did you mean"):
        load(GAMES[0] + "x")
