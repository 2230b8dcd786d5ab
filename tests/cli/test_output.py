"""What is written: the JSON contract, CSV, the table on the terminal, plots, and that they agree."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import mathhammer
from mathhammer.cli.layout import Grid, plain_lines
from mathhammer.cli.progress import shown_progress
from mathhammer.cli.render import _chance_row, _table, bar, percent
from mathhammer.core import engine as core_engine
from tests.cli.conftest import MATCH, ask, refused, run
from tests.inputs import unit_toml

SCHEMA = json.loads((Path(__file__).parents[1] / "data" / "contract.schema.json").read_text())
QUESTIONS = [
    "kow melee ogre-warriors foot-guard --facing flank",
    "kow melee orc-ax knights --with knights@flank --with ogre-warriors",
    "kow shoot elf-bowmen orc-ax --cover soft",
    "kow fight knights orc-ax --turns 3 --rule double_one_steady=true",
]
ORC_AX = {"me": 4, "de": 5, "at": 10, "waver": 12, "rout": 14, "size": "regiment", "points": 90}
ENGINES = ["both", "simulate", "exact"]
QUESTION, *_, FIGHT = QUESTIONS


def told(line: str) -> Any:
    """The JSON that a command line answers with."""
    return json.loads(ask(f"{line} --json"))


def valid(answer: Any) -> bool:
    """Whether an answer keeps the contract."""
    return bool(Draft202012Validator(SCHEMA).is_valid(answer))


def numbers(answer: Any, part: str, source: str) -> dict[str, Any]:
    """Name -> what one source says of the measures or events."""
    return {name: record[source] for name, record in answer[part].items()}


# -- JSON ------------------------------------------------------------------------------------------
def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_narrow_intervals_have_digits_that_tell_their_ends_apart() -> None:
    """A billion trials: the interval is narrower than a hundredth of a percent."""
    many = mathhammer.simulate("kow", "melee", "ogre-warriors", "foot-guard", trials=10**9)
    _, exact, simulated, interval = _chance_row(many, "rout")
    assert exact == "6.8353%"
    low, high = interval.split(" to ")
    assert low < simulated < high
    few = mathhammer.simulate("kow", "melee", "ogre-warriors", "foot-guard", trials=10**5)
    assert _chance_row(few, "rout")[1] == "6.84%"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("explain", ["", "--explain"])
def test_the_json_keeps_the_contract(question: str, engine: str, explain: str) -> None:
    answer = told(f"{question} --engine {engine} {explain}")
    Draft202012Validator(SCHEMA).validate(answer)
    sources = {"both": {"simulated", "exact"}, "simulate": {"simulated"}, "exact": {"exact"}}[engine]
    records = [*answer["measures"].values(), *answer["events"].values()]
    assert all(set(record) & {"simulated", "exact"} == sources for record in records)
    assert (answer["trials"] is None) == (answer["seed"] is None) == (engine == "exact")


BREAKS: dict[str, Callable[[Any], Any]] = {
    "a key renamed": lambda answer: answer.update(rules=answer.pop("ruleset")),
    "trials as text": lambda answer: answer.update(trials="1000000"),
    "trials without a seed": lambda answer: answer.update(seed=None),
    "no measures": lambda answer: answer.update(measures={}),
    "a measure without a unit": lambda answer: answer["measures"]["damage"].pop("unit"),
    "a mean as text": lambda answer: answer["measures"]["damage"]["exact"].update(mean="8"),
    "a mean without error": lambda answer: answer["measures"]["damage"]["simulated"].pop("mean_se"),
    "a pmf as an object": lambda answer: answer["measures"]["damage"]["exact"].update(pmf={"0": 1.0}),
    "a pmf with three columns": lambda answer: answer["measures"]["damage"]["exact"].update(pmf=[[0, 1, 1]]),
    "a chance above 1": lambda answer: answer["events"]["rout"]["exact"].update(p=1.1),
    "a chance in a list": lambda answer: answer["events"]["rout"].update(exact=[0.5]),
    "no interval": lambda answer: answer["events"]["rout"]["simulated"].pop("low"),
    "an origin that is none": lambda answer: answer["assumptions"][0].update(origin="text"),
    "a table of numbers": lambda answer: answer["tables"].update(stages=[1]),
    "rounds as an object": lambda answer: answer.update(by_round={}),
}


@pytest.mark.parametrize("name", BREAKS)
def test_the_schema_refuses_an_answer_that_breaks_the_contract(name: str) -> None:
    answer = told(QUESTION)
    answer["added"] = 1
    assert valid(answer)
    BREAKS[name](answer)
    assert not valid(answer)


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_mean_is_the_mean_of_its_distribution(question: str) -> None:
    answer = told(question)
    for rounds in [answer, *answer["by_round"]]:
        for source in ("simulated", "exact"):
            for record in numbers(rounds, "measures", source).values():
                mean = sum(value * p for value, p in record["pmf"])
                variance = sum((value - mean) ** 2 * p for value, p in record["pmf"])
                assert sum(p for _, p in record["pmf"]) == pytest.approx(1, abs=1e-12)
                assert record["mean"] == pytest.approx(mean, abs=1e-9)
                assert record["sd"] == pytest.approx(variance**0.5, abs=1e-7)
                assert [value for value, _ in record["pmf"]] == sorted({value for value, _ in record["pmf"]})
        for record in numbers(rounds, "measures", "simulated").values():
            assert record["mean_se"] == pytest.approx(record["sd"] / 1000)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("trials", ["1", "7", "1e6", "1e12"])
def test_each_simulated_chance_counts_trials_and_lies_in_its_interval(question: str, trials: str) -> None:
    answer = told(f"{question} --engine simulate --trials {trials}")
    for event in numbers(answer, "events", "simulated").values():
        assert 0 <= event["low"] <= event["p"] <= event["high"] <= 1
        assert event["high"] - event["low"] > 0
        assert event["p"] * answer["trials"] == pytest.approx(round(event["p"] * answer["trials"]), abs=1e-3)


@pytest.mark.parametrize("source", ["simulated", "exact"])
def test_the_last_round_of_a_fight_is_its_answer(source: str) -> None:
    answer = told(FIGHT)
    assert [record["round"] for record in answer["by_round"]] == [1, 2, 3]
    for part in ("measures", "events"):
        last, end = numbers(answer["by_round"][-1], part, source), numbers(answer, part, source)
        assert list(last) == list(end)
        for name in last:
            for key in set(end[name]) - {"pmf"}:
                assert last[name][key] == pytest.approx(end[name][key], abs=1e-12)
            assert dict(last[name].get("pmf", [])) == pytest.approx(dict(end[name].get("pmf", [])), abs=1e-12)


def test_chances_of_rout_grow_by_the_round() -> None:
    for name in ("attacker.rout", "defender.rout"):
        chances = [record["events"][name]["exact"]["p"] for record in told(FIGHT)["by_round"]]
        assert chances == sorted(chances)
        assert chances[0] < chances[-1]


def test_a_mode_of_one_round_has_no_rounds() -> None:
    assert told(QUESTION)["by_round"] == []


def test_units_situation_and_rules_are_told_as_they_were_asked() -> None:
    answer = told(
        "kow melee ogre-warriors,at=24 knights --facing flank --with orc-ax@rear --rule flank_factor=3"
    )
    assert (answer["game"], answer["mode"]) == ("kow", "melee")
    assert answer["units"]["attacker"]["at"] == 24
    assert answer["units"]["defender"]["name"] == "Knights"
    assert [(unit["name"], unit["facing"]) for unit in answer["units"]["with"]] == [("Orc Ax", "rear")]
    assert answer["situation"]["facing"] == "flank"
    assert answer["ruleset"]["name"] == "1"
    assert answer["ruleset"]["read"]["flank_factor"] == 3
    origins = {record["key"]: record["origin"] for record in answer["assumptions"]}
    assert origins["flank_factor"] == "user"
    assert "assumed" in origins.values()
    assert set(origins) <= set(answer["ruleset"]["read"])


# -- CSV -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("question", QUESTIONS)
def test_csv_parses_back_to_the_numbers_of_the_json(question: str, engine: str) -> None:
    answer = told(f"{question} --engine {engine}")
    rows = list(csv.DictReader(io.StringIO(ask(f"{question} --engine {engine} --csv"))))
    measures = {
        (name, source, value): p
        for name, record in answer["measures"].items()
        for source in {"simulated", "exact"} & set(record)
        for value, p in record[source]["pmf"]
    }
    events = {
        (name, source, key): record[source].get(key, record[source]["p"])
        for name, record in answer["events"].items()
        for source in {"simulated", "exact"} & set(record)
        for key in ("p", "low", "high")
    }
    read = {kind: [row for row in rows if row["kind"] == kind] for kind in ("measure", "event")}
    assert len(rows) == len(read["measure"]) + len(read["event"])
    assert measures == {
        (row["name"], row["source"], int(row["value"])): float(row["probability"]) for row in read["measure"]
    }
    keys = {"p": "probability", "low": "low", "high": "high"}
    assert events == {
        (row["name"], row["source"], key): float(row[column])
        for row in read["event"]
        for key, column in keys.items()
    }


def test_at_least_in_the_csv_sums_the_rest_of_the_distribution() -> None:
    rows = [row for row in csv.DictReader(io.StringIO(ask(f"{QUESTION} --csv"))) if row["kind"] == "measure"]
    for row in rows:
        rest = (
            float(other["probability"])
            for other in rows
            if (other["name"], other["source"]) == (row["name"], row["source"])
            and int(other["value"]) >= int(row["value"])
        )
        assert float(row["at_least"]) == pytest.approx(sum(rest), abs=1e-12)
        assert float(row["low"]) <= float(row["probability"]) <= float(row["high"])


# -- the table on the terminal ---------------------------------------------------------------------
class Row(NamedTuple):
    """A printed row of a distribution: its first and last value, chance, and chance of at least the first."""

    first: int
    last: int
    chance: float
    at_least: float


ROUNDING = 0.5e-4  # of a percentage with two digits


def printed(shown: str, name: str) -> list[Row]:
    """The rows of a printed distribution."""
    rows = shown.partition(f"\n{name}: mean ")[2].partition("\n\n")[0].splitlines()[2:]
    return [printed_row(*row.split()[:3]) for row in rows]


def printed_row(label: str, chance: str, at_least: str) -> Row:
    first, _, last = label.partition("..")
    return Row(
        int(first), int(last or first), *(float(cell.strip(">%")) / 100 for cell in (chance, at_least))
    )


def printed_mean_range(shown: str, name: str) -> tuple[float, float]:
    """The least and the greatest mean that the printed rows of a distribution allow."""
    rows = printed(shown, name)
    low = sum(row.first * (row.chance - ROUNDING) for row in rows)
    return low, sum(row.last * (row.chance + ROUNDING) for row in rows)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("line", "name"),
    [("kow melee orc-ax,at=6 knights", "damage"), ("kow fight orc-ax,at=6 knights,at=6", "attacker.damage")],
)
def test_the_mean_printed_is_the_mean_of_the_distribution_printed(line: str, name: str, engine: str) -> None:
    shown = ask(f"{line} --engine {engine}")
    record = told(f"{line} --engine {engine}")["measures"][name]
    mean = record["exact" if "exact" in record else "simulated"]["mean"]
    assert f"\n{name}: mean {mean:.2f}," in shown
    assert re.search(rf"^mean {name} +{mean:.3f}", shown, re.M)
    low, high = printed_mean_range(shown, name)
    assert low <= mean <= high
    assert high - low < 0.1
    assert not low <= mean + 0.1 <= high


@pytest.mark.parametrize("at", [6, 18, 400])
def test_the_printed_rows_are_the_whole_distribution_however_long_it_is(at: int) -> None:
    line = f"kow melee ogre-warriors,at={at} foot-guard --facing flank --engine exact"
    rows = printed(ask(line), "damage")
    pmf = dict(told(line)["measures"]["damage"]["exact"]["pmf"])
    assert len(rows) <= 60
    assert rows[0].first == min(pmf)
    assert rows[-1].last == max(pmf)
    assert all(before.last + 1 == after.first for before, after in pairwise(rows))
    for row in rows:
        inside = sum(p for value, p in pmf.items() if row.first <= value <= row.last)
        above = sum(p for value, p in pmf.items() if value >= row.first)
        assert row.chance == pytest.approx(inside, abs=1.01 * ROUNDING)
        assert row.at_least == pytest.approx(above, abs=2.01 * ROUNDING)


def test_the_table_shows_the_chances_of_the_json() -> None:
    shown, answer = ask(QUESTION), told(QUESTION)
    for name in ("steady", "waver", "rout"):
        record = answer["events"][name]
        simulated = record["simulated"]
        cells = [percent(record["exact"]["p"]), percent(simulated["p"]), percent(simulated["low"])]
        pattern = " +".join(map(re.escape, [name, *cells])) + f" to {re.escape(percent(simulated['high']))}$"
        assert re.search(f"^{pattern}", shown, re.M)
    error = answer["measures"]["damage"]["simulated"]["mean_se"]
    assert f"standard error {error:.1g}" in shown


def test_the_heading_says_who_does_what_by_which_rules_and_how_often() -> None:
    heading, source = ask(f"{QUESTION} --trials 1e9 --seed 7").splitlines()[:2]
    assert heading == "Ogre Warriors regiment charge Foot Guard regiment in the flank"
    assert source == "Kings of War, edition 1; 1,000,000,000 trials, seed 7"


@pytest.mark.parametrize(
    ("engine", "shown", "hidden"), [("exact", "exact", "interval"), ("simulate", "interval", "exact")]
)
def test_only_what_was_asked_for_is_shown(engine: str, shown: str, hidden: str) -> None:
    table = ask(f"{QUESTION} --engine {engine}")
    assert shown in table
    assert hidden not in table


@given(st.floats(1e-300, 1 - 1e-11))
def test_what_is_possible_but_not_certain_is_never_0_or_100_percent(p: float) -> None:
    text = percent(p)
    assert text.endswith("%")
    assert float(text.strip(">%")) not in (0.0, 100.0)
    assert float(text.strip(">%")) == pytest.approx(100 * p, abs=0.0101 if text[0] == ">" else 0.00501)


@pytest.mark.parametrize(("p", "text"), [(0.0, "0%"), (1.0, "100%"), (0.5, "50.00%"), (1e-6, "1.0e-04%")])
def test_percent(p: float, text: str) -> None:
    assert percent(p) == text


def test_no_measure_is_shown_that_the_question_has_no_use_for() -> None:
    """A test of one kept die passes or fails; its successes are no more than that."""
    for line in ("aor test --kind authority-roll", "aor test --dice 3 --keep-best"):
        assert "passes" in ask(line)
        assert "mean successes" not in ask(line)
    assert "mean successes" in ask("aor test --action 30 --rule bonus_die=none")


def test_the_bars_are_as_long_as_the_chances_in_any_encoding() -> None:
    rows = dict(told("kow melee orc-ax,at=6 knights")["measures"]["damage"]["exact"]["pmf"])
    for encoding, mark in (("utf-8", "█"), ("ascii", "#")):
        shown = run("kow", "melee", "orc-ax,at=6", "knights", encoding=encoding).out
        lengths = {int(n): len(bar_) for n, bar_ in re.findall(rf"^ +(\d+) .*?({mark}+)", shown, re.M)}
        for value, length in lengths.items():
            assert length == pytest.approx(30 * rows[value] / max(rows.values()), abs=1)
    assert bar(0.0) == ""


def test_a_terminal_gets_the_same_text_in_colour_and_without_it_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    plain = run(*MATCH).out
    coloured = run(*MATCH, tty=True).out
    monkeypatch.setenv("NO_COLOR", "1")
    without = run(*MATCH, tty=True).out
    colours = re.compile(r"\x1b\[(\d+;)*(3|4|9|10)\d(;\d+)*m")
    assert colours.search(coloured)
    assert not colours.search(without)
    assert "\x1b" not in plain
    for shown in (coloured, without):
        assert [
            line.rstrip() for line in re.sub(r"\x1b\[[\d;]*m", "", shown).splitlines()
        ] == plain.splitlines()


ARMY = "army kow melee knights:2,ogre-warriors:2,gore-riders:2 foot-guard,orc-ax:2 --budget 800"


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("line", [ARMY, "aor assault heavy-infantry frightening-pack"])
def test_words_are_folded_once_to_a_narrow_terminal_and_no_id_is_broken(
    line: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = re.sub(r"\x1b\[[\d;]*m", "", run(*line.split(), tty=True).out)
    whole = run(*line.split()).out
    for first in ("Nobody takes", "assumed, the rule", "note: "):
        for paragraph in re.findall(rf"^{first}(?:.+\n)+?(?=\n|note: |\Z)", shown, re.M):
            lines = paragraph.splitlines()
            assert max(map(len, lines)) <= columns
            for this, after in pairwise(lines):
                assert len(this.rstrip()) + 1 + len(after.split()[0]) > columns
            assert " ".join(paragraph.split()) in " ".join(whole.split())


@pytest.mark.parametrize(
    "name", ["Red\x1b[31mGuard", "Two\nLines", "Bell\a", "Nul\0", "Del\x7f", "Csi\x9b2J"]
)
def test_a_name_cannot_command_the_terminal(name: str) -> None:
    """Either the name is refused, or what is shown of it has no control characters."""
    Path("unit.toml").write_text(unit_toml(name=None) + f"name = {json.dumps(name)}\n", encoding="utf-8")
    answer = run("kow", "melee", "unit.toml", "knights")
    assert answer.code in (0, 2)
    assert "charge Knights" in answer.out.partition("\n")[0] or answer.code == 2
    assert not [
        char for char in answer.out + answer.err if unicodedata.category(char) == "Cc" and char != "\n"
    ]


@pytest.mark.parametrize("name", ["[bold]Guard[/bold]", "{attacker}", "100% <b>&amp;", "Écorcheurs 食人魔"])
def test_a_name_is_shown_as_it_is_written(name: str) -> None:
    Path("unit.toml").write_text(unit_toml(name=name), encoding="utf-8")
    for tty in (False, True):
        assert f"{name} charge Knights" in run("kow", "melee", "unit.toml", "knights", tty=tty).out


# -- both engines ----------------------------------------------------------------------------------
def test_past_the_exact_limit_the_simulated_numbers_stand_alone_with_a_word_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(core_engine, "EXACT_ROWS", 3)
    monkeypatch.setattr("mathhammer.core.ensemble.BLOCK_CELLS", 1)
    fight = "kow fight knights orc-ax"
    error = refused(*fight.split(), "--engine", "exact")
    assert "3 states" in error
    assert "--engine simulate" in error
    answer = told(fight)
    assert "exact" not in answer["events"]["defender.rout"]
    assert valid(answer)
    assert any("states" in note for note in answer["notes"])
    assert "note: exact:" in ask(fight)


# -- seeds -----------------------------------------------------------------------------------------
def simulated(line: str) -> Any:
    answer = told(f"{line} --engine simulate")
    return numbers(answer, "measures", "simulated"), numbers(answer, "events", "simulated")


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_equal_seed_is_an_equal_answer_and_another_seed_another(question: str) -> None:
    assert ask(f"{question} --seed 5") == ask(f"{question} --seed 5")
    assert simulated(f"{question} --seed 5") == simulated(f"{question} --seed 5")
    assert simulated(f"{question} --seed 5") != simulated(f"{question} --seed 6")


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_printed_seed_reproduces_the_answer(question: str) -> None:
    shown = ask(question)
    seed = re.search(r"seed (\d+)", shown)
    assert seed
    assert ask(f"{question} --seed {seed[1]}") == shown
    assert told(question)["seed"] == int(seed[1])


def test_the_stream_hangs_on_the_question_not_on_names_or_output() -> None:
    line = "kow melee orc-ax knights"
    Path("unit.toml").write_text(unit_toml(**ORC_AX, name="Mine"))
    assert simulated("kow melee orc-ax,name=Others knights") == simulated(line)
    assert simulated("kow melee unit.toml knights") == simulated(line)
    assert simulated(f"{line} --explain") == simulated(line)
    assert simulated("kow melee orc-ax,at=11 knights") != simulated(line)
    both = told(line)
    assert (numbers(both, "measures", "simulated"), numbers(both, "events", "simulated")) == simulated(line)


# -- plots -----------------------------------------------------------------------------------------
def is_whole(path: Path) -> bool:
    """Whether a picture has its beginning and its end."""
    content = path.read_bytes()
    if path.suffix == ".svg":
        return ElementTree.fromstring(content).tag.endswith("svg")
    begin, end = {".png": (b"\x89PNG\r\n", b"IEND\xaeB`\x82"), ".pdf": (b"%PDF-", b"%%EOF\n")}[path.suffix]
    return content.startswith(begin) and content.endswith(end)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".PNG"])
def test_a_plot_is_written_whole_and_told_beside_the_answer(suffix: str, folder: Path) -> None:
    target = folder / f"picture{suffix}"
    target.write_text("an older picture")
    answer = run(*MATCH, "--engine", "exact", "--plot", target.name)
    assert (answer.code, answer.err) == (0, f"plot: {target.name}\n")
    assert answer.out == ask(f"{' '.join(MATCH)} --engine exact")
    assert is_whole(target.rename(target.with_suffix(suffix.lower())))
    assert len(list(folder.iterdir())) == 1


def test_a_plot_beside_json_leaves_the_json_clean() -> None:
    answer = run(*MATCH, "--json", "--plot", "picture.svg")
    assert valid(json.loads(answer.out))
    assert is_whole(Path("picture.svg"))


@pytest.mark.parametrize("name", ["$x^$", "a$b$c", "Écorcheurs 食人魔", "x" * 80, "<b>&amp;"])
def test_any_name_can_stand_over_a_plot(name: str) -> None:
    """Names are no formulas; what a font lacks is no word on standard error."""
    Path("unit.toml").write_text(unit_toml(name=name), encoding="utf-8")
    for target in ("picture.svg", "picture.png"):
        answer = run("kow", "melee", "unit.toml", "knights", "--engine", "exact", "--plot", target)
        assert (answer.code, answer.err) == (0, f"plot: {target}\n")
        assert is_whole(Path(target))


# -- progress --------------------------------------------------------------------------------------
def test_progress_is_told_before_a_long_run_and_then_in_tenths(capsys: pytest.CaptureFixture[str]) -> None:
    with shown_progress() as progress:
        progress(0.0, 7200.0)
        for percent_done in range(1, 30):
            progress(percent_done / 100, 60.0)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("this takes about 2.0 h")
    assert [line.split()[0] for line in lines[1:]] == ["10%", "20%"]


def test_a_short_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with shown_progress():
        pass
    assert capsys.readouterr().err == ""


def test_tables_have_words_on_the_left_and_chances_in_percent() -> None:
    row = {"what": "a long name", "chance then": 0.25, "chance": 1.0, "share": 0.125, "mean": 0.125, "n": 3}
    _, grid = _table("some_rows", [row, {**row, "what": "b"}])
    assert isinstance(grid, Grid)
    lines = plain_lines(grid)
    assert lines[2].startswith("b  ")
    assert lines[2].split() == ["b", "25.00%", "100%", "12.50%", "0.125", "3"]
