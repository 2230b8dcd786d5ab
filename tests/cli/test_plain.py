"""The plain commands: dice, charge, scatter, morale; their answers, files, help and refusals."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mathhammer.plain import EXAMPLES, MODES
from tests.cli.conftest import ask, refused, run

SCHEMA = json.loads((Path(__file__).parents[1] / "data" / "contract.schema.json").read_text())
QUESTIONS = [
    *EXAMPLES.values(),
    "dice 3d6kl2",
    "dice '20d6>=3 -> d6>=4 -> d6<5'",
    "charge 7..9 --dice 3d6kh2 --reroll one --movement 2 --units 3",
    "scatter --distance artillery --directions six --bases '0,0 1,0' --aim 2",
    "scatter --aim 500,500",
    "scatter --template 100",
    "morale 7 --high --waver 2 --double-one --turns 3",
]
QUICK = "--trials 1000"
FIRST = {"dice": ("holds", 5 / 18), "charge": ("charges", 41 / 72), "morale": ("passes", 119 / 144)}


def told(line: str) -> Any:
    """The JSON that a command line answers with."""
    return json.loads(ask(f"{line} --json"))


def test_every_mode_has_an_example() -> None:
    assert set(EXAMPLES) == set(MODES) == {line.split()[0] for line in EXAMPLES.values()}
    assert all(f"  {name} " in ask("--help") for name in MODES)


@pytest.mark.parametrize("mode", FIRST)
def test_the_examples_are_answered(mode: str) -> None:
    event, right = FIRST[mode]
    line = f"{EXAMPLES[mode]} {QUICK}"
    assert told(line)["events"][event]["exact"]["p"] == pytest.approx(right, abs=1e-12)
    assert re.search(rf"^{event} +{100 * right:.2f}%", ask(line), re.MULTILINE)


@pytest.mark.parametrize("engine", ["both", "simulate", "exact"])
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("explain", ["", "--explain"])
def test_the_json_keeps_the_contract(question: str, engine: str, explain: str) -> None:
    answer = told(f"{question} {QUICK if engine != 'exact' else ''} --engine {engine} {explain}")
    Draft202012Validator(SCHEMA).validate(answer)
    assert (answer["game"], answer["mode"], answer["units"]) == ("plain", question.split()[0], {})


@pytest.mark.parametrize("question", QUESTIONS)
def test_csv_has_a_row_for_each_value_and_says_what_json_says(question: str) -> None:
    answer = told(f"{question} --engine exact")
    rows = list(csv.DictReader(io.StringIO(ask(f"{question} --engine exact --csv"))))
    for name, measure in answer["measures"].items():
        pmf = [[int(row["value"]), float(row["probability"])] for row in rows if row["name"] == name]
        assert pmf == [pytest.approx(cell) for cell in measure["exact"]["pmf"]]
    for name, event in answer["events"].items():
        (row,) = [row for row in rows if row["name"] == name]
        assert float(row["probability"]) == pytest.approx(event["exact"]["p"])


@pytest.mark.parametrize("mode", MODES)
def test_a_plot_is_drawn_into_a_file(mode: str) -> None:
    answer = run(*shlex.split(f"{EXAMPLES[mode]} {QUICK} --plot drawn.png"))
    assert (answer.code, answer.told) == (0, ["plot: drawn.png"])
    assert Path("drawn.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("mode", MODES)
def test_help_lists_the_options_and_an_example(mode: str) -> None:
    text = ask(f"{mode} --help")
    assert f"mathhammer {EXAMPLES[mode]}" in text
    for option in ["--trials", "--seed", "--engine", "--json", "--csv", "--plot"]:
        assert f"  {option} " in text
    for option in re.findall(r"--[a-z-]+", EXAMPLES[mode]):
        assert f"  {option} " in text


def test_a_charge_shows_its_policy_and_the_habits() -> None:
    text = ask(f"charge 9 --reroll any {QUICK}")
    assert "best policy at 9" in text
    assert re.search(r"^ *1 6 +1 +6 +66.67%$", text, re.MULTILINE)
    assert re.search(r"^ *best policy +56.94%$", text, re.MULTILINE)
    assert re.search(r"^ *never roll again +27.78%$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("dice 2d6x", "character 4"),
        ("dice '1000d1000 -> d8'", "memory"),
        ("dice 3d6kl4", "character 6"),
        ("charge far", "needed"),
        ("charge 9 --dice 2d6+1", "movement"),
        ("charge 9 --reroll some", "reroll"),
        ("scatter --bases none", "--bases"),
        ("scatter --aim 11", "--aim"),
        ("scatter --template 0", "template"),
        ("morale 0", "value"),
        ("morale 8 --dice 3d6 --double-one", "2d6"),
        ("morale 8 --dice 2d6+2", "one pool"),
        ("dice 2d6 --seed x", "seed"),
        ("charge 9 --trials 0", "trials"),
    ],
)
def test_bad_input_is_told_in_one_line(line: str, wanted: str) -> None:
    told = refused(*shlex.split(line))
    assert len(told.splitlines()) == 1
    assert wanted in told


@pytest.mark.parametrize(
    "line", ["dice", "charge", "morale", "scatter 9", "dice 2d6 2d6", "dice 2d6 --no-such 1"]
)
def test_missing_and_unknown_arguments_are_told(line: str) -> None:
    answer = run(*shlex.split(line))
    assert (answer.code, answer.out) == (2, "")
    assert len(answer.told) == 1
