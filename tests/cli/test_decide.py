"""`sweep`, `compare`, `needs`, `army`: what they print, write and draw, and what they refuse."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest

import mathhammer
from mathhammer.cli.app import DECISION_EXAMPLES, DECISIONS, PLAIN_DECISIONS
from tests.cli.conftest import ask, check_refusal, files, refused, run

SWEEP = "sweep kow melee ogre-warriors foot-guard --over at=6..9 --over facing=front,flank --event rout"
FIRST = "kow melee knights foot-guard"


def table_of(line: str) -> list[dict[str, str]]:
    """The rows of an answer as CSV."""
    return list(csv.DictReader(io.StringIO(ask(line))))


# -- sweep -----------------------------------------------------------------------------------------
def test_a_sweep_shows_a_matrix_its_ends_and_what_is_assumed() -> None:
    out = ask(SWEEP)
    assert "over attacker.at (4) x facing (2)" in out
    rows = [line.split() for line in out.splitlines()]
    assert ["attacker.at", "front", "flank"] in rows
    exact = mathhammer.exact("kow", "melee", "ogre-warriors,at=9", "foot-guard", facing="flank")
    assert f"{100 * exact.probability('rout'):.2f}%" in next(row for row in rows if row[:1] == ["9"])
    assert f"highest rout: {100 * exact.probability('rout'):.2f}% at attacker.at=9, facing=flank" in out
    assert "assumed, the rule text does not say: double_one_steady=false" in out


def test_rows_as_csv_and_json_are_the_same() -> None:
    rows = table_of(f"{SWEEP} --csv")
    lines = [json.loads(line) for line in ask(f"{SWEEP} --json").splitlines()]
    assert len(rows) == len(lines) == 8
    assert [row["facing"] for row in rows] == ["front", "flank"] * 4
    assert [float(row["rout"]) for row in rows] == [line["rout"] for line in lines]
    assert lines[0]["attacker.at"] == 6


def test_out_writes_the_rows_whole_and_leaves_nothing_else(folder: Path) -> None:
    answer = run(*shlex.split(f"{SWEEP} --out rows.csv"))
    assert (answer.code, answer.err) == (0, "rows: rows.csv\n")
    assert (folder / "rows.csv").read_text() == ask(f"{SWEEP} --csv")
    run(*shlex.split(f"{SWEEP} --out rows.jsonl"))
    assert (folder / "rows.jsonl").read_text() == ask(f"{SWEEP} --json")
    assert {path.name for path in files()} == {"rows.csv", "rows.jsonl"}


def test_one_axis_is_a_list_with_bars_and_can_be_sorted() -> None:
    line = "sweep kow melee ogre-warriors --over defender=ghoul,foot-guard,orc-ax --event rout"
    names = [row.split()[0] for row in ask(line).splitlines()[4:7]]
    assert names == ["ghoul", "foot-guard", "orc-ax"]
    names = [row.split()[0] for row in ask(f"{line} --sort").splitlines()[4:7]]
    assert names == ["ghoul", "orc-ax", "foot-guard"]
    assert "██" in ask(line)


def test_an_army_matrix_is_summed_up_by_rows() -> None:
    out = run(*shlex.split("sweep kow melee '*' '*' --event rout --sort")).out  # progress may be told beside
    assert out.splitlines()[4].startswith("heavy-pike-block")
    assert "over all 39 of defender" in out
    assert "more such notes" in out


def test_everything_is_told_where_nothing_was_asked_for() -> None:
    out = ask("sweep kow melee ogre-warriors foot-guard --over at=6..8")
    head = next(line for line in out.splitlines() if "steady" in line)
    assert head.split() == (
        [
            "attacker.at",
            "rout",
            "steady",
            "waver",
            "mean",
            "damage",
            "mean",
            "damage_after",
            "mean",
            "attacker.damage_after",
        ]
    )


def test_simulated_rows_have_intervals() -> None:
    line = f"sweep {FIRST} --over at=17..19 --event rout --engine simulate --trials 1e4"
    out = ask(line)
    assert "simulated, 10,000 trials, seed 20260101" in out
    assert " to " in out
    head = ask(f"{line} --csv").splitlines()[0]
    assert head == "attacker.at,rout,rout low,rout high,source"


def test_rules_and_the_edition_vary() -> None:
    rows = table_of(f"sweep {FIRST} --over edition='*' --over rule.flank_factor=2,3 --facing flank --csv")
    assert [row["edition"] for row in rows] == ["1", "1", "2", "2", "3", "3", "4", "4"]


@pytest.mark.parametrize("name", ["curves.png", "bars.svg", "map.pdf", "panels.png"])
def test_pictures(name: str, folder: Path) -> None:
    over = {
        "curves": "--over at=6..9 --over facing='*'",
        "bars": "--over defender=ghoul,orc-ax",
        "map": "--over defender=ghoul,orc-ax --over facing='*'",
        "panels": "--over defender=ghoul,orc-ax --over facing='*' --over edition=1,2",
    }[name.split(".")[0]]
    line = f"sweep kow melee orc-ax foot-guard {over} --event rout --plot {name}"
    answer = run(*shlex.split(line))
    assert (answer.code, answer.err) == (0, f"plot: {name}\n")
    assert (folder / name).stat().st_size > 5000


def test_a_picture_of_too_much_is_refused_before_anything_runs() -> None:
    err = refused(*shlex.split("sweep kow melee '*' '*' --over facing='*' --over sp=0..9 --plot x.png"))
    assert "--plot" in err


def test_matchups_that_fail_are_told_by_name_and_the_rest_is_shown() -> None:
    answer = run(*shlex.split(f"sweep {FIRST} --over waver=14..17 --over rout=16 --event rout"))
    assert answer.code == 1
    (line,) = answer.told
    assert line.startswith("mathhammer: attacker.waver=17, attacker.rout=16: attacker: waver is at most rout")
    assert "1 matchup failed" in answer.out
    assert "4.66%" in answer.out


def test_where_everything_fails_it_is_bad_input_and_nothing_is_left() -> None:
    err = refused(*shlex.split(f"sweep {FIRST} --over rallying=1..3 --out rows.csv"))
    assert "--rallying is 0" in err


def test_a_picture_of_a_sweep_has_every_number_that_was_asked_for(folder: Path) -> None:
    asked = "sweep kow melee knights ghoul --over at=14..18 --event rout --plot"
    assert run(*shlex.split(f"{asked} one.svg")).code == 0
    assert run(*shlex.split(f"{asked} two.svg --event waver")).code == 0
    widths = [
        float(re.findall(r'width="([\d.]+)pt"', Path(f"{name}.svg").read_text())[0])
        for name in ("one", "two")
    ]
    assert widths[1] == 2 * widths[0]


# -- resuming --------------------------------------------------------------------------------------
def test_resume_goes_on_with_its_own_command_only(folder: Path) -> None:
    whole = ask(f"{SWEEP} --csv")
    made = mathhammer.sweep(
        "kow",
        "melee",
        "ogre-warriors",
        "foot-guard",
        over={"at": "6..9", "facing": "front,flank"},
        event="rout",
    )
    from mathhammer.analysis.journal import Journal

    journal = Journal(folder / "rows.csv", made.sweep)
    journal.begin()
    journal.add(made.done[:3])
    journal.close()
    kept = (folder / "rows.csv.part").read_bytes()
    assert "go on with --resume" in refused(*shlex.split(f"{SWEEP} --out rows.csv"))
    assert "another sweep" in refused(*shlex.split(f"{SWEEP} --out rows.csv --resume --seed 3"))
    assert (folder / "rows.csv.part").read_bytes() == kept
    answer = run(*shlex.split(f"{SWEEP} --out rows.csv --resume"))
    assert answer.code == 0
    assert (folder / "rows.csv").read_text() == whole
    assert "rows.csv is complete" in refused(*shlex.split(f"{SWEEP} --out rows.csv --resume"))
    assert (folder / "rows.csv").read_text() == whole


def test_ctrl_c_while_rows_are_written_says_where_they_are_and_leaves_no_half_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mathhammer.cli import running

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(running, "write_rows", stopped)
        answer = run(*shlex.split(f"{SWEEP} --out rows.csv"))
    told = "what is finished is in rows.csv.part; the same command with --resume goes on"
    assert (answer.code, answer.err) == (130, f"\nmathhammer: interrupted: {told}\n")
    assert [path.name for path in folder.iterdir()] == ["rows.csv.part"]
    assert run(*shlex.split(f"{SWEEP} --out rows.csv --resume")).code == 0
    assert (folder / "rows.csv").read_text() == ask(f"{SWEEP} --csv")


# -- compare ---------------------------------------------------------------------------------------
def test_compare_shows_points_losses_ranks_and_words() -> None:
    out = ask(
        "compare kow melee knights,ogre-warriors,at=24 foot-guard:3,ghoul --event rout --at-least damage=8"
    )
    head, first, second = (line.split() for line in out.splitlines()[3:6])
    assert head[:4] == ["points", "rout", "damage>=8", "difference"]
    assert (first[:2], second[:2]) == (["knights", "175"], ["ogre-warriors,at=24", "190"])
    assert (first[-1], second[-1]) == ("2", "1")
    assert "75%" in out
    assert "ogre-warriors,at=24 has the highest chance of rout" in out.replace("\n", " ")


def test_compare_as_rows() -> None:
    (first, second) = map(
        json.loads, ask("compare kow melee knights,orc-ax ghoul --event rout --json").splitlines()
    )
    assert (first["candidate"], second["rank"]) == ("knights", 2)
    assert second["difference"] == second["rout"] - first["rout"]
    rows = table_of("compare charge 9 --over dice=2d6,3d6kh2 --csv")
    assert [row["candidate"] for row in rows] == ["dice 2d6", "dice 3d6kh2"]


def test_compare_draws(folder: Path) -> None:
    line = "compare kow melee knights,orc-ax ghoul,foot-guard --event rout --plot c.png"
    assert run(*shlex.split(line)).code == 0
    assert (folder / "c.png").stat().st_size > 5000


# -- needs -----------------------------------------------------------------------------------------
def test_needs_says_the_least_value_and_what_one_less_gives() -> None:
    out = ask("needs kow melee ogre-warriors foot-guard --event rout --chance 80% --over at")
    assert "attacker.at of at least 54: 54 gives 81.3%" in out
    assert "53 gives 79.8% only" in out


def test_needs_says_when_nothing_does_it() -> None:
    out = ask("needs kow melee ogre-warriors foot-guard --chance 0.99 --over at=6..20")
    assert "no value of attacker.at that was asked does it; 20 gives 9.5%" in out


@pytest.mark.parametrize(
    ("least", "told"),
    [
        ("0.5", "of facing only rear does it: rear gives 71.2%"),
        ("0.3", "of facing only flank, rear do it: flank gives 33.9%"),
    ],
)
def test_needs_of_words_says_which_of_them_do_it(least: str, told: str) -> None:
    assert told in ask(f"needs kow melee knights foot-guard --over facing --chance {least}")


def test_needs_finds_the_cheapest_unit() -> None:
    out = ask("needs kow melee '*' foot-guard --chance 0.3")
    assert "the cheapest that does it is tallspears-horde (230 points): rout 31.1%" in out


def test_needs_tells_the_worth_of_a_step() -> None:
    out = ask("needs kow melee ogre-warriors foot-guard --cost at=5")
    row = next(line.split() for line in out.splitlines() if line.startswith("at "))
    assert row[:5] == ["at", "18", "to", "19", "8.10%"]
    assert "+0.254" in row
    assert "worth: the points that so much chance costs" in out
    assert "movement" in ask("needs charge 9")


def test_needs_over_several_units_is_a_table() -> None:
    out = ask("needs kow melee ogre-warriors foot-guard,ghoul --chance .5 --over at")
    assert [line.split()[:4] for line in out.splitlines() if "at least" in line] == [
        ["foot-guard", "at", "least", "39"],
        ["ghoul", "at", "least", "15"],
    ]
    rows = list(
        csv.DictReader(io.StringIO(ask("needs kow melee knights ghoul,orc-ax --chance .5 --over at --csv")))
    )
    assert [row["needs"] for row in rows] == ["at least", "at least"]


@pytest.mark.parametrize(
    "asked", ["needs c3 duel wolfen-prowler", "compare c3 duel wolfen-prowler,wolfen-prowler,res=4"]
)
def test_play_for_another_number_is_told(asked: str) -> None:
    out = " ".join(ask(f"{asked} griffin-magistrate --event defender.killed").split()).lower()
    assert out.count("both sides play for kills less the chance of being killed (--objective net)") == 1


def test_steps_that_weaken_are_marked() -> None:
    out = ask("needs c3 duel wolfen-prowler griffin-magistrate --event defender.killed")
    (line,) = [line for line in out.splitlines() if line.startswith("res ")]
    assert "weaker" in line
    assert "points" not in line
    assert "of the steps that strengthen it, att from 4 to 5 adds most" in out


def test_all_values_are_those_that_the_unit_takes() -> None:
    asked = "needs aor assault heavy-infantry conscripts --event destroyed --chance 0.5 --over count"
    done = run(*shlex.split(asked))
    assert "over attacker.count (100)" in done.out
    assert "cannot be asked" not in done.out
    assert "failed" not in done.out


@pytest.mark.parametrize("more", ["", " --over facing=front,flank"])
def test_values_that_cannot_be_asked_are_told_once_where_it_says(more: str) -> None:
    out = ask(
        f"needs kow melee ogre-warriors,waver=16,rout=17 foot-guard --chance 0.1 --over waver=15..20{more}"
    )
    assert out.count("some values cannot be asked: ") == 1
    assert "standard error" not in out


@pytest.mark.parametrize("asked", ["", " --over at --chance 0.5"])
def test_needs_draws(asked: str, folder: Path) -> None:
    done = run(*shlex.split(f"needs kow melee knights ghoul --event rout{asked} --plot a.png"))
    assert done.code == 0
    assert (folder / "a.png").stat().st_size > 5000


# -- army ------------------------------------------------------------------------------------------
ARMY = "army kow melee knights:2,ogre-warriors,orc-ax:2 foot-guard,ghoul:w2 --budget 500"


def test_army_shows_the_plan_its_distribution_others_and_swaps() -> None:
    out = ask(ARMY)
    for part in (
        "best list:",
        "of 500 points",
        "taken on by",
        "at least",
        "the best other lists",
        "price of each swap",
    ):
        assert part in out
    rows = [json.loads(line) for line in ask(f"{ARMY} --json").splitlines()]
    assert {row["plan"] for row in rows} == {1, 2, 3}
    best = [row for row in rows if row["plan"] == 1]
    weights = {"foot-guard": 1, "ghoul": 2}
    assert sum(row["rout"] * weights[row["enemy"]] for row in best) == pytest.approx(best[0]["value"])


def test_nothing_but_the_answer_is_on_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    """Also of what the solver, which is not Python, may print."""
    assert mathhammer.army("kow", "melee", "knights:3,orc-ax:3", "ghoul,orc-ax,foot-guard", budget=700).best
    assert capfd.readouterr() == ("", "")


def test_army_draws(folder: Path) -> None:
    assert run(*shlex.split(f"{ARMY} --plot a.png")).code == 0
    assert (folder / "a.png").stat().st_size > 5000


# -- help ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("verb", DECISIONS)
def test_help_at_every_level(verb: str) -> None:
    assert verb in ask("--help")
    assert "kow" in ask(f"{verb} --help")
    assert ask(f"{verb}") == ask(f"{verb} --help")
    assert "melee" in ask(f"{verb} kow --help")
    assert "--event" in ask(f"{verb} kow melee --help")


@pytest.mark.parametrize("verb", PLAIN_DECISIONS)
def test_the_examples_of_help_run(verb: str) -> None:
    assert len(ask(DECISION_EXAMPLES[verb])) > 100


# -- refusals --------------------------------------------------------------------------------------
REFUSED = [
    (f"sweep {FIRST} --over at=6..", ["--over", "'6..'", "6..30"]),
    (f"sweep {FIRST} --over at=30..6", ["'30..6'", "6..30"]),
    (f"sweep {FIRST} --over att=6..9", ["'att'", "at"]),
    (f"sweep {FIRST} --over at", ["'at'", "field=values"]),
    (f"sweep {FIRST} --over =3", ["'=3'", "field=values"]),
    (f"sweep {FIRST} --over at=", ["'at='", "field=values"]),
    (f"sweep {FIRST} --over at=3 --over at=4", ["at", "twice"]),
    (f"sweep {FIRST} --over at=0..3", ["at", "0", "from 1 to 1000"]),
    (f"sweep {FIRST} --over inspiring=true", ["situation.inspiring", "rule.inspiring"]),
    (f"sweep {FIRST} --facing side", ["--facing", "'side'", "front, flank, rear"]),
    (f"sweep {FIRST} --event rut", ["'rut'", "rout"]),
    (f"sweep {FIRST} --at-least damge=3", ["'damge'", "damage"]),
    (f"sweep {FIRST} --at-least damage", ["'damage'", "damage=4"]),
    (f"sweep {FIRST} --mean rout", ["measure 'rout'"]),
    (f"sweep {FIRST} --engine both", ["--engine", "auto, exact, simulate"]),
    (f"sweep {FIRST} --engine exact --trials 5", ["--trials", "--engine exact"]),
    (f"sweep {FIRST} --trials 0", ["--trials"]),
    (f"sweep {FIRST} --workers none", ["--workers", "1 to 256"]),
    (f"sweep {FIRST} --workers 0", ["--workers", "1 to 256"]),
    (f"sweep {FIRST} --workers 2 --cluster tcp://x:1", ["--workers", "--cluster"]),
    (f"sweep {FIRST} --cluster nonsense", ["--cluster nonsense", "cannot be reached", "local"]),
    (f"sweep {FIRST} --out rows.txt", ["--out rows.txt", ".csv", ".jsonl"]),
    (f"sweep {FIRST} --out no/rows.csv", ["--out no/rows.csv", "No such file"]),
    (f"sweep {FIRST} --out .csv/", ["--out"]),
    (f"sweep {FIRST} --resume", ["--resume", "--out"]),
    (f"sweep {FIRST} --out rows.csv --resume", ["rows.csv.part", "not there"]),
    (f"sweep {FIRST} --json --csv", ["--json", "--csv"]),
    (f"sweep {FIRST} --plot x.gif", ["--plot x.gif", ".png"]),
    (f"sweep {FIRST} --rule flank=2", ["'flank'", "flank_factor"]),
    ("sweep kow melee knights", ["defender is missing"]),
    ("sweep kow melee knigts zombi-3", ["'knigts'", "knights", "'zombi-3'", "zombie-3"]),
    ("sweep kow melee missing.toml zombie-3", ["missing.toml", "no such file"]),
    ("sweep kow mele knights zombie-3", ["'mele'", "melee"]),
    ("sweep kwo melee knights zombie-3", ["'kwo'", "kow"]),
    ("sweep charge", ["needed is missing"]),
    (f"compare {FIRST}", ["one candidate", "--over"]),
    (f"compare {FIRST} --over at=3..4 --event zzz", ["'zzz'"]),
    ("compare kow melee knights,orc-ax ghoul:0,foot-guard:0", ["weights", "0"]),
    ("compare kow melee knights,orc-ax ghoul:-1", ["ghoul:-1", "weight", "from 0 to 1,000", "not -1"]),
    (f"needs {FIRST} --over at", ["--chance", "0.8"]),
    (f"needs {FIRST} --over at --chance 2", ["--chance", "2"]),
    (f"needs {FIRST} --over at --chance many", ["--chance", "'many'"]),
    (f"needs {FIRST} --chance .5", ["--over", "at=6..30"]),
    (f"needs {FIRST} --over name --chance .5", ["'name'"]),
    (f"needs {FIRST} --over rules.regeneration --chance .5", ["rules.regeneration", "6..30"]),
    (f"needs {FIRST} --cost at", ["--cost 'at'", "at=5"]),
    (f"needs {FIRST} --cost at=-5", ["--cost 'at=-5'", "above 0"]),
    (f"needs {FIRST} --cost zz=5", ["--cost zz"]),
    (f"needs {FIRST} --event rout --at-least damage=3 --over at --chance .5", ["one chance"]),
    ("needs kow melee knights,orc-ax ghoul", ["one matchup"]),
    (f"army {FIRST}", ["--budget", "missing"]),
    (f"army {FIRST} --budget many", ["--budget", "'many'"]),
    (f"army {FIRST} --budget 50", ["--budget 50", "allows nothing", "175"]),
    (f"army {FIRST} --budget 500 --goal win", ["--goal", "'win'", "weight, number, worst"]),
    (f"army {FIRST} --budget 500 --team 4", ["--team", "'4'", "1 to 3"]),
    (f"army {FIRST} --budget 500 --with orc-ax", ["--with", "makes the teams itself", "@flank"]),
    ("army kow melee knights --budget 500", ["defender is missing"]),
    ("army kow melee knights,points=- ghoul --budget 500", ["points", "not known"]),
    ("army charge 9 --budget 500", ["'charge'", "kow"]),
]


@pytest.mark.filterwarnings("ignore")  # Dask's own, where a cluster is looked for
@pytest.mark.parametrize(("line", "words"), REFUSED, ids=[line for line, _ in REFUSED])
def test_refusals_name_the_option_what_was_given_and_what_is_allowed(line: str, words: list[str]) -> None:
    err = refused(*shlex.split(line))
    missing = [word for word in words if word not in err]
    assert not missing, err


def test_each_wrong_thing_has_its_line() -> None:
    answer = run(*shlex.split(f"sweep {FIRST} --event rut --out rows.txt --workers 0 --engine fast"))
    check_refusal(answer)
    assert len(answer.told) == 4


def test_names_from_files_neither_break_lines_nor_command_the_terminal(folder: Path) -> None:
    (folder / "x.toml").write_text('[[roster]]\nunit = "knights\\u001b[2J\\n"\n')
    err = refused("sweep", "kow", "melee", "knights", "x.toml")
    assert "\x1b" not in err
    assert len(err.splitlines()) == 1
