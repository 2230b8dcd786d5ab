"""The commands: help, games, units, modes, and how units, rules and editions are named."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from mathhammer.cli.app import short_help
from mathhammer.cli.catalogue import units
from mathhammer.core.game import is_positional
from mathhammer.games import cards, load
from tests.cli.conftest import MATCH, ask, refused
from tests.inputs import unit_toml, units_toml

MODES = [(game, mode) for game, card in cards().items() for mode in card.MODES]
EXAMPLES = [re.split(r"\s{2,}", line.strip())[0] for line in short_help().splitlines() if line[:3] == "  m"]


def exact(line: str) -> dict[str, float]:
    """The exact means and chances that a question's JSON gives."""
    told = json.loads(ask(f"{line} --engine exact --json"))
    means = {name: measure["exact"]["mean"] for name, measure in told["measures"].items()}
    return means | {name: event["exact"]["p"] for name, event in told["events"].items()}


def footnotes(line: str) -> list[str]:
    """The lines under the answer on the terminal."""
    return ask(line).rstrip("\n").rpartition("\n\n")[2].splitlines()


# -- help ------------------------------------------------------------------------------------------
def test_without_arguments_three_examples_are_shown() -> None:
    assert len(EXAMPLES) == 3
    assert all(example in ask("") for example in EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_work(example: str) -> None:
    assert len(ask(example.removeprefix("mathhammer ")).splitlines()) > 2


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_lists_games_and_commands(flag: str) -> None:
    told = ask(flag)
    assert all(f"  {name} " in told for name in [*cards(), "games", "units"])


@pytest.mark.parametrize("game", cards())
@pytest.mark.parametrize("flag", ["--help", ""])
def test_the_help_of_a_game_lists_its_modes(game: str, flag: str) -> None:
    told = ask(f"{game} {flag}")
    assert all(re.search(rf"^  {mode} ", told, re.MULTILINE) for mode in cards()[game].MODES)


@pytest.mark.parametrize(("game", "mode"), MODES)
def test_the_help_of_a_mode_lists_units_situation_and_common_options(game: str, mode: str) -> None:
    told = ask(f"{game} {mode} --help")
    record = load(game).mode(mode)
    fields = record.situation.model_fields.items()
    options = {name.replace("_", "-") for name, info in fields if not is_positional(info)}
    common = {"trials", "seed", "engine", "rule", "rules", "json", "csv", "plot", "explain"}
    choice = {load(game).ruleset_option} if len(load(game).ruleset_files) > 1 else set()
    assert options | common | choice <= set(re.findall(r"^  --([a-z-]+)", told, re.M))
    for role in record.roles:
        assert (f"--{role.name.replace('_', '-')}" if role.many else role.name) in told
    for info in record.situation.model_fields.values():
        assert "".join((info.description or "no description").split()) in "".join(told.split())


@pytest.mark.parametrize(("game", "mode"), MODES)
def test_the_help_of_a_mode_shows_an_example_of_that_mode(game: str, mode: str) -> None:
    assert f"mathhammer {game} {mode} " in " ".join(
        ask(f"{game} {mode} --help").split("Example:")[-1].split()
    )


def test_the_version_is_shown() -> None:
    assert re.fullmatch(r"mathhammer \d+\.\d+\.\d+\n", ask("--version"))


# -- games and units -------------------------------------------------------------------------------
def test_games_lists_modes_rulesets_and_how_many_units() -> None:
    told = ask("games")
    for game, card in cards().items():
        record = load(game)
        assert card.TITLE in told
        assert all(f"  {game} {mode} " in told for mode in card.MODES)
        choice = f"--{record.ruleset_option} {', '.join(record.ruleset_files)}"
        assert (choice in told) == (len(record.ruleset_files) > 1)
        assert f"{len(record.catalogue.ids())} units" in told


def test_games_as_json_lists_the_same() -> None:
    rows = {row["game"]: row for row in json.loads(ask("games --json"))}
    assert list(rows) == list(cards())
    for game, card in cards().items():
        assert rows[game]["modes"] == card.MODES
        assert rows[game]["rulesets"] == list(load(game).ruleset_files)


@pytest.mark.parametrize("game", cards())
def test_units_lists_every_unit_of_a_game(game: str) -> None:
    listed = [line.split()[0] for line in ask(f"units {game}").splitlines()[1:]]
    assert listed == load(game).catalogue.ids()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("ogre", 4),
        ("OGRE", 4),
        ("ogre horde", 2),
        ("brutal", 3),
        ("crushing_strength", None),
        ("crushing strength", None),
        ("brutal=1 horde", 2),
        ("me=3 sp=6 edition=3", 2),
        ("elite=true", 3),
        ("Elite=TRUE", 3),
    ],
)
def test_units_are_found_by_words_rules_and_values(words: str, found: int | None) -> None:
    listed = [line.split()[0] for line in ask(f"units kow {words}").splitlines()[1:]]
    tables = dict(load("kow").catalogue.tables())
    assert 0 < len(listed) < len(tables)
    if found is not None:
        assert len(listed) == found
    assert listed == [unit_id for unit_id in tables if unit_id in listed]


def test_a_single_match_is_shown_whole_with_its_source() -> None:
    told = ask("units kow elf spearmen")
    table = dict(load("kow").catalogue.tables())["elf-spearmen"]
    assert told.splitlines()[0] == "elf-spearmen"
    for field, value in table.items():
        assert re.search(rf"^  {field} +{re.escape(str(value))}$", told, re.M)
    assert "source" in table


def test_units_as_json_are_one_a_line_and_each_id_finds_its_unit() -> None:
    rows = [json.loads(line) for line in ask("units kow --json").splitlines()]
    assert [row["id"] for row in rows] == load("kow").catalogue.ids()
    for row in rows:
        _, table = load("kow").catalogue.raw(row.pop("id"), {})
        assert row == table


def test_a_search_that_finds_nothing_names_the_nearest() -> None:
    told = refused("units", "kow", "oger")
    assert "'oger'" in told
    assert "ogre-warriors" in told


def test_the_units_command_says_what_it_does() -> None:
    assert (units.__doc__ or "?").split(":")[0] in ask("units --help")


# -- naming units ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("short", "options", "whole"),
    [
        ("orc-ax", "", "orc-ax-regiment-1"),
        ("ogre-warriors", "", "ogre-warriors-1"),
        ("ogre-warriors", "--edition 2", "ogre-warriors-2"),
        ("ogre-warriors-horde", "--edition 3", "ogre-warriors-horde-3"),
        ("ogre-warriors-regiment", "--edition 3", "ogre-warriors-regiment-3"),
        ("zombie", "--edition 2", "zombie-legion-2"),
        ("stormwind", "--edition 4", "stormwind-4"),
        ("Ogre Warriors", "--edition 2", "ogre-warriors-2"),
    ],
)
def test_a_short_id_finds_the_unit_of_the_edition(short: str, options: str, whole: str) -> None:
    """The units' JSON tells namesakes apart: it has size, edition and points."""
    first, second = (
        json.loads(ask(f"kow melee {shlex.quote(unit)} knights {options} --engine exact --json"))
        for unit in (short, whole)
    )
    assert first["units"] == second["units"]


@pytest.mark.parametrize(
    ("unit", "options", "listed"),
    [
        ("zombie", [], ["zombie-2", "zombie-3"]),
        ("ogre-warriors", ["--edition", "3"], ["ogre-warriors-regiment-3", "ogre-warriors-horde-3"]),
        ("ogre-warriors-3", [], ["ogre-warriors-regiment-3", "ogre-warriors-horde-3"]),
    ],
)
def test_an_ambiguous_id_lists_the_candidates(unit: str, options: list[str], listed: list[str]) -> None:
    told = refused("kow", "melee", unit, "knights", *options)
    assert repr(unit) in told
    assert all(candidate in told for candidate in listed)
    assert "ogre-warriors-1" not in told


def test_a_unit_of_another_edition_is_used_with_a_footnote() -> None:
    assert any(
        "edition 1" in line and "Ogre" in line
        for line in footnotes("kow melee ogre-warriors-1 ironclad --edition 3")
    )
    assert not any("profile of edition" in line for line in footnotes("kow melee orc-ax knights"))


def test_a_special_rule_that_the_edition_lacks_is_footnoted() -> None:
    assert any(
        "Phalanx" in line or "Ensnare" in line for line in footnotes("kow melee heavy-pike-block knights")
    )


def test_changes_after_commas_change_the_unit() -> None:
    base = exact("kow melee orc-ax knights")
    assert exact("kow melee orc-ax,at=20 knights")["damage"] == pytest.approx(2 * base["damage"])
    assert exact("kow melee orc-ax,me=3 knights")["damage"] > base["damage"]
    assert exact("kow melee orc-ax,me=3+ knights") == exact("kow melee orc-ax,me=3 knights")
    assert exact("kow melee orc-ax,rules.crushing_strength=1 knights")["damage"] > base["damage"]
    assert exact("kow melee orc-ax knights,waver=-")["waver"] == 0.0


# -- units of the user -----------------------------------------------------------------------------
def test_a_file_with_one_unit_is_the_unit() -> None:
    Path("mine.toml").write_text(unit_toml(name="Mine", me=4, de=5, at=10, waver=12, rout=14))
    assert exact("kow melee mine.toml knights") == exact("kow melee orc-ax knights")
    assert exact("kow melee knights mine.toml") == exact("kow melee knights orc-ax")
    assert "Mine charge Knights" in ask("kow melee mine.toml knights")


def test_written_notations_are_read_as_they_are_meant() -> None:
    Path("mine.toml").write_text(unit_toml(me="4+", ra="-", de="5+", waver="-", rout=14))
    Path("plain.toml").write_text(unit_toml(me=4, de=5, waver=None, rout=14))
    assert exact("kow melee mine.toml knights") == exact("kow melee plain.toml knights")
    assert exact("kow melee knights mine.toml") == exact("kow melee knights plain.toml")
    assert exact("kow melee knights mine.toml")["waver"] == 0.0


def test_a_file_with_several_units_is_asked_by_id() -> None:
    Path("army.toml").write_text(
        units_toml(
            {"name": "Red Guard", "at": 5}, {"name": "Blue", "at": 9}, {"name": "Blue", "size": "horde"}
        )
    )
    assert exact("kow melee army.toml#red-guard knights") == exact(
        "kow melee army.toml#blue-horde,at=5 knights"
    )
    assert exact("kow melee army.toml#blue-horde knights") == exact(
        "kow melee army.toml#red-guard,at=10 knights"
    )


def test_a_file_that_starts_with_a_byte_order_mark_is_read() -> None:
    Path("mine.toml").write_text(unit_toml(), encoding="utf-8-sig")
    assert exact("kow melee mine.toml knights")["damage"] > 0


# -- rules and situation ---------------------------------------------------------------------------
def test_rules_go_edition_then_file_then_option() -> None:
    line = "kow melee ogre-warriors foot-guard --facing flank"
    Path("rules.toml").write_text("flank_factor = 3\n")
    base = exact(line)["damage"]
    assert exact(f"{line} --rules rules.toml")["damage"] == pytest.approx(1.5 * base)
    assert exact(f"{line} --rules rules.toml --rule flank_factor=1")["damage"] == pytest.approx(base / 2)
    assert exact(f"{line} --rule flank_factor=1")["damage"] == pytest.approx(base / 2)


def test_a_rules_file_may_be_written_as_the_shipped_ones() -> None:
    Path("rules.toml").write_text('title = "Ours"\n[fields.flank_factor]\nvalue = 1\n')
    line = "kow melee ogre-warriors foot-guard --facing flank"
    assert exact(f"{line} --rules rules.toml") == exact(f"{line} --rule flank_factor=1")


def test_rules_of_the_user_and_assumed_ones_are_footnoted() -> None:
    lines = footnotes("kow melee ogre-warriors foot-guard --facing flank --rule flank_factor=3")
    assert any("set by you" in line and "flank_factor=3" in line for line in lines)
    assert any("assumed" in line for line in lines)


def test_an_edition_is_played_by_its_rules() -> None:
    titles = [ask(f"kow melee orc-ax knights --edition {n}").splitlines()[1] for n in (1, 2, 3, 4)]
    assert all(f"edition {n}" in title for n, title in enumerate(titles, start=1))


@pytest.mark.parametrize(
    ("mode", "options", "changed"),
    [
        ("melee", "--facing flank", "damage"),
        ("melee", "--hindered", "damage"),
        ("melee", "--damage-before 3", "damage_after"),
        ("melee", "--inspiring", "rout"),
        ("melee", "--nerve-mod 1", "rout"),
        ("melee", "--distance 30", "reaches"),
        ("melee", "--with knights@flank", "damage"),
        ("melee", "--with knights@flank --with orc-ax", "damage"),
        ("melee", "--with knights@flank@hindered", "damage"),
        ("shoot", "--cover hard", "damage"),
        ("shoot", "--order advance", "damage"),
        ("shoot", "--long-range", "damage"),
        ("shoot", "--distance 30", "reaches"),
        ("fight", "--turns 1", "defender.rout"),
        ("fight", "--attacker-damage-before 4", "attacker.rout"),
    ],
)
def test_a_situation_option_changes_the_answer(mode: str, options: str, changed: str) -> None:
    line = f"kow {mode} elf-bowmen orc-ax"
    assert exact(line)[changed] != exact(f"{line} {options}")[changed]


def test_words_of_a_second_charger_say_how_it_charges() -> None:
    alone = exact("kow melee orc-ax foot-guard")["damage"]
    for word, factor in {"": 1, "@front": 1, "@flank": 2, "@rear": 3}.items():
        both = exact(f"kow melee orc-ax foot-guard --with orc-ax{word}")["damage"]
        assert both == pytest.approx((1 + factor) * alone)


# -- explain ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "question", ["melee orc-ax knights", "shoot elf-bowmen knights", "fight orc-ax knights"]
)
@pytest.mark.parametrize("engine", ["exact", "simulate"])
def test_explain_shows_the_stages_with_rules_and_means(question: str, engine: str) -> None:
    shown = ask(f"kow {question} --engine {engine} --explain")
    stages = json.loads(ask(f"kow {question} --engine {engine} --explain --json"))["tables"]["stages"]
    titles = load("kow").rule_titles()
    names = [stage["stage"] for stage in stages]
    for kind in ("dice", "hits", "damage", "nerve"):
        assert any(kind in name for name in names)
    for stage in stages:
        assert stage["rule"] in titles
        assert re.search(rf"^{re.escape(stage['stage'])} +{stage['rule']} ", shown, re.M)
        assert ("mean" in stage) != ("chances" in stage)


def test_explained_stages_multiply_up_to_the_answer() -> None:
    told = json.loads(ask("kow melee orc-ax knights --engine exact --explain --json"))
    means = {stage["stage"]: stage.get("mean") for stage in told["tables"]["stages"]}
    assert means["dice"] == pytest.approx(10)
    assert means["hits on 4+"] == pytest.approx(10 * 3 / 6)
    assert means["damage on 5+"] == pytest.approx(10 * 3 / 6 * 2 / 6)
    assert told["measures"]["damage"]["exact"]["mean"] == pytest.approx(means["damage on 5+"])
    chances = told["tables"]["stages"][-1]["chances"]
    assert sum(chances.values()) == pytest.approx(1)


def test_without_explain_no_stage_is_shown() -> None:
    assert "stage" not in ask("kow melee orc-ax knights")
    assert json.loads(ask("kow melee orc-ax knights --json"))["tables"] == {}


# -- trials ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("written", "trials"),
    [
        ("1", 1),
        ("1000", 1000),
        ("1e6", 10**6),
        ("1E3", 1000),
        ("10^4", 10**4),
        ("1_000", 1000),
        ("1,000", 1000),
        ("1e12", 10**12),
    ],
)
def test_trials_are_read_as_they_are_written(written: str, trials: int) -> None:
    told = json.loads(ask(f"kow melee orc-ax knights --json --engine simulate --trials {written}"))
    assert told["trials"] == trials
    counts = [p * trials for _, p in told["measures"]["damage"]["simulated"]["pmf"]]
    assert sum(map(round, counts)) == trials


def test_a_million_trials_is_the_default() -> None:
    assert json.loads(ask(f"{' '.join(MATCH)} --json"))["trials"] == 10**6


def test_an_option_whose_text_has_a_reader_of_its_own_is_shown_as_text() -> None:
    assert "--split TEXT" in ask("c3 placement --help")
    assert "--rounds N" in ask("c3 placement --help")


# -- rules -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("game", cards())
def test_rules_lists_every_field_with_value_origin_and_what_it_takes(game: str) -> None:
    record = load(game)
    chosen = record.ruleset(record.default_ruleset)
    told = ask(f"rules {game}")
    for name, provenance in chosen.provenance.items():
        assert re.search(rf"^{name} = .*\({provenance.origin}, ", told, re.MULTILINE)
    rows = [json.loads(line) for line in ask(f"rules {game} assumed --json").splitlines()]
    assert rows
    assert {row["origin"] for row in rows} == {"assumed"}


def test_rules_of_another_edition_and_unknown_words() -> None:
    assert "dread = 1" in ask("rules kow dread --edition 3")
    assert refused("rules", "kow", "nothing-like-it").startswith("mathhammer: rules kow: none has")
    assert "--edition" in refused("rules", "kow", "--edition", "9")
