"""Bad input: refused with code 2, a line for each wrong thing that says what would be right.

What each case lists must stand in the message: the option or file, the field, the value, what is allowed.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mathhammer.cli import answer
from mathhammer.games import cards
from mathhammer.games.kings_of_war.profile import Unit, UnitRules
from mathhammer.games.kings_of_war.ruleset import Rules
from tests.cli.conftest import MATCH, QUICK, check_refusal, refused, run
from tests.inputs import unit_toml, units_toml

# -- the command line ------------------------------------------------------------------------------
NAMES = [
    ("kwo melee orc-ax knights", ["'kwo'", "kow"]),
    ("zzz", ["'zzz'", *cards()]),
    ("kow mele orc-ax knights", ["mode", "'mele'", "melee"]),
    ("kow zzz orc-ax knights", ["mode", "'zzz'", "melee", "shoot", "fight"]),
    ("kow melee ogre-wariors knights", ["'ogre-wariors'", "ogre-warriors"]),
    ("kow melee orc-ax kings", ["'kings'", "knights"]),
    ("kow melee orc-ax qqqqqq", ["'qqqqqq'", "mathhammer units kow"]),
    ("kow melee orc-ax", ["defender", "the unit that is struck", "file.toml"]),
    ("kow melee", ["attacker", "the unit that charges"]),
    ("kow melee orc-ax knights zombie", ["zombie", "takes attacker and defender", "--with", "quotes"]),
    ("battlefield swap", ["attacker"]),
    ("scatter 3", ["(3)", "takes no arguments"]),
    ("dice 2d6 >= 9", [">= 9", "takes expression", "quotes"]),
    ("scatter --template 0", ["--template", "above 0 and up to 100"]),
    ("scatter --bases 5x", ["--bases", "files x ranks", "'0,0 1,0.5'", "'5x'"]),
    ("scatter --bases 900x9", ["--bases", "1 to 200", "'900x9'"]),
    ("kow melee '' knights", ["''", "id"]),
    ("units", ["game"]),
    ("units kwo", ["'kwo'", "kow"]),
    ("units kow me=9", ["'me=9'"]),
    ("games kow", ["kow", "no arguments"]),
]
OPTIONS = [
    ("--facin flank", ["--facin", "--facing"]),
    ("--zzzzzz", ["--zzzzzz"]),
    ("--facing side", ["--facing", "'side'", "front, flank, rear"]),
    ("--facing ''", ["--facing", "''", "front, flank, rear"]),
    ("--facing", ["--facing", "argument"]),
    ("--facing flank --facing=front", ["--facing takes one value: give it once"]),
    ("--seed 1 --trials 5 --seed 1 --trials 6", ["--seed takes one value", "--trials takes one value"]),
    ("--damage-before -1", ["--damage-before", "-1", "from 0 to 200"]),
    ("--damage-before 201", ["--damage-before", "201", "from 0 to 200"]),
    ("--damage-before 1.5", ["--damage-before", "1.5", "a whole number from 0 to 200"]),
    ("--damage-before many", ["--damage-before", "'many'", "a whole number from 0 to 200"]),
    ("--damage-before -", ["--damage-before", "'-'", "a whole number from 0 to 200"]),
    ("--rallying 2", ["--rallying", "2", "edition"]),
    ("--dread", ["--dread", "edition"]),
    ("--difficult 3", ["--difficult", "distance", "3"]),
    ("--difficult 3 --distance 2", ["--difficult", "distance", "3", "2"]),
    ("--edition 7", ["--edition", "'7'", "1, 2, 3, 4"]),
    ("--edition ''", ["--edition", "''", "1, 2, 3, 4"]),
    ("--with knights@flank@front", ["--with", "knights@flank@front", "'front'", "contradicts"]),
    ("--with knights@side", ["--with", "knights@side", "'side'", "front", "flank", "rear"]),
    ("--with knights@", ["--with", "knights@", "front", "flank", "rear"]),
    ("--with knigts@flank", ["'knigts'", "knights"]),
    ("--with @flank", ["''"]),
    ("--seed -1", ["--seed", "-1", "from 0 to 18446744073709551615"]),
    ("--seed 18446744073709551616", ["--seed", "from 0 to 18446744073709551615"]),
    ("--seed abc", ["--seed", "'abc'", "a whole number"]),
    ("--seed 1.5", ["--seed", "1.5", "a whole number"]),
    ("--engine fast", ["--engine", "'fast'", "both, simulate, exact"]),
    ("--json --csv", ["--json", "--csv"]),
    ("--engine exact --trials 5", ["--engine exact", "--trials"]),
    ("--engine exact --seed 5", ["--engine exact", "--seed"]),
    ("--rule flank_factor=9", ["--rule", "flank_factor", "9", "from 1 to 5"]),
    ("--rule flank_factor=two", ["--rule", "flank_factor", "'two'", "a whole number from 1 to 5"]),
    ("--rule flank_factor=-", ["--rule", "flank_factor", "'-'", "from 1 to 5"]),
    ("--rule thunderous=maybe", ["--rule", "thunderous", "'maybe'", "true or false"]),
    ("--rule elite=all", ["--rule", "elite", "'all'", "none, one_die, ones"]),
    ("--rule flank_factr=2", ["--rule", "'flank_factr'", "flank_factor"]),
    ("--rule flank_factor", ["--rule", "'flank_factor'", "key=value"]),
    ("--rule =3", ["--rule", "'=3'", "key=value"]),
    ("--rule flank_factor=2 --rule flank_factor=3", ["--rule", "flank_factor", "twice"]),
    ("--plot picture.gif", ["--plot", "picture.gif", ".png", ".svg", ".pdf"]),
    ("--plot picture", ["--plot", "picture", ".png", ".svg", ".pdf"]),
    ("--plot .", ["--plot", ".png", ".svg", ".pdf"]),
    ("--plot ''", ["--plot", ".png", ".svg", ".pdf"]),
    ("--plot missing/picture.png", ["missing/picture.png", "No such file"]),
    ("--rules ''", ["--rules"]),
    ("--rules missing.toml", ["missing.toml", "no such file"]),
]
TRIALS = [
    "0",
    "-1",
    "1e30",
    "1e13",
    "abc",
    "1.5",
    "''",
    "1e-3",
    "nan",
    "inf",
    "1e",
    "e6",
    "2e12",
    "10^13",
    "0x10",
]
CHANGES = [
    ("at=0", ["at", "0", "a whole number from 1 to 1000"]),
    ("at=1001", ["at", "1001", "from 1 to 1000"]),
    ("at=1.5", ["at", "1.5", "a whole number from 1 to 1000"]),
    ("at=many", ["at", "'many'", "a whole number from 1 to 1000"]),
    ("at=yes", ["at", "a whole number from 1 to 1000"]),
    ("at=-", ["at", "'-'", "a whole number from 1 to 1000"]),
    ("me=7", ["me", "7", "from 2 to 6"]),
    ("me=1", ["me", "1", "from 2 to 6"]),
    ("de=7+", ["de", "7", "from 2 to 6"]),
    ("ra=7", ["ra", "7", "from 2 to 6", "'-'"]),
    ("me=\N{SUPERSCRIPT TWO}", ["me", "from 2 to 6"]),
    ("size=huge", ["size", "'huge'", "troop", "regiment", "horde", "legion"]),
    ("waver=30", ["waver", "30", "rout"]),
    ("att=3", ["att", "did you mean at"]),
    ("zzzzzz=3", ["zzzzzz", "me", "de", "at", "rout", "rules"]),
    ("rules.brutl=3", ["rules.brutl", "brutal"]),
    ("rules.brutal=9", ["rules.brutal", "9", "from 0 to 5"]),
    ("rules.elite=3", ["rules.elite", "3", "true or false", "melee", "ranged"]),
    ("rules.regeneration=1", ["rules.regeneration", "1", "from 2 to 6"]),
    ("rules.blast=d0", ["rules.blast", "d0"]),
    ("rules.blast=0", ["rules.blast", "1 to 36", "0"]),
    ("rules.blast=9999d9999", ["rules.blast", "9999d9999", "1000"]),
    ("rules=3", ["rules", "3", "table"]),
    ("at.x=3", ["at", "a whole number from 1 to 1000"]),
    ("at", ["'at'", "field=value"]),
    ("at=", ["'at='", "field=value"]),
    ("=3", ["'=3'", "field=value"]),
    ("at=3,at=4", ["at=4", "twice"]),
    ("two words=3", ["two words", "not a field"]),
    ("fo-o=3", ["fo-o", "not a field"]),
    (".=3", ["field=value"]),
    (f"at={'9' * 4000}", ["at", "from 1 to 1000"]),
    (f"at={'9' * 5000}", ["at", "from 1 to 1000"]),
    (f"rules{'.x' * 3000}=3", ["rules.x"]),
    (f"name={'x' * 81}", ["name", "80"]),
]

CONTRADICTIONS = [
    ("kow shoot elf-bowmen knights --long-range --distance 5", ["--long-range", "--distance"]),
    ("kow shoot elf-bowmen knights --order double", ["--order", "double"]),
    ("kow shoot elf-bowmen knights --disordered", ["--disordered"]),
    ("kow shoot orc-ax knights", ["Orc Ax", "ra", "cannot shoot"]),
    ("kow shoot elf-bowmen knights --breath", ["Elf Bowmen", "breath"]),
    ("kow shoot elf-bowmen,weapon=- knights --distance 5", ["Elf Bowmen", "range"]),
    ("kow fight orc-ax knights --turns 0", ["--turns", "0", "from 1 to 20"]),
    ("kow fight orc-ax knights --turns 21", ["--turns", "21", "from 1 to 20"]),
]


def cases(table: list[tuple[str, list[str]]]) -> list[Any]:
    """Test cases named by what is given."""
    return [pytest.param(*case, id=case[0][:40]) for case in table]


def check(told: str, fragments: list[str]) -> None:
    """Whether the message says all that it should, in the user's words."""
    missing = [fragment for fragment in fragments if fragment not in told]
    assert not missing, f"{told!r} does not say {missing}"
    assert "None" not in told


@pytest.mark.parametrize(("line", "fragments"), cases(NAMES))
def test_a_wrong_name_is_told_with_the_right_ones(line: str, fragments: list[str]) -> None:
    check(refused(*shlex.split(line)), fragments)


@pytest.mark.parametrize(("options", "fragments"), cases(OPTIONS))
def test_a_wrong_option_is_told_with_what_is_allowed(options: str, fragments: list[str]) -> None:
    check(refused(*MATCH, *shlex.split(options)), fragments)


@pytest.mark.parametrize("trials", TRIALS)
def test_trials_out_of_range_are_told_with_the_range(trials: str) -> None:
    value = "" if trials == "''" else trials
    check(refused(*MATCH, "--trials", value), ["--trials", repr(value), "a whole number from 1 to 1e12"])


@pytest.mark.parametrize(("change", "fragments"), cases(CHANGES))
def test_a_wrong_change_of_a_unit_is_told_with_what_is_allowed(change: str, fragments: list[str]) -> None:
    check(refused("kow", "melee", f"ogre-warriors,{change}", "knights"), fragments)


@pytest.mark.parametrize(("line", "fragments"), cases(CONTRADICTIONS))
def test_what_contradicts_itself_is_told(line: str, fragments: list[str]) -> None:
    check(refused(*shlex.split(line)), fragments)


def test_every_wrong_field_gets_a_line() -> None:
    told = refused("kow", "melee", "ogre-warriors,me=7,at=0,rules.brutal=9", "knights")
    assert [line.split()[2] for line in told.splitlines()] == ["me", "at", "rules.brutal"]


def test_every_wrong_thing_gets_a_line() -> None:
    """Both units, the situation and a rule, in one go."""
    told = refused(
        "kow", "melee", "orc-ax,at=0", "knights,sp=99", "--facing", "side", "--rule", "flank_factor=9"
    )
    for words in (["at", "0"], ["sp", "99"], ["facing", "'side'"], ["flank_factor", "9"]):
        assert any(all(word in line for word in words) for line in told.splitlines()), words


def test_a_bad_folder_for_the_plot_is_told_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("the question was answered first")

    monkeypatch.setattr(answer, "run", work)
    check(refused(*MATCH, "--plot", "missing/picture.png"), ["missing/picture.png"])


@pytest.mark.parametrize("target", ["folder.png", "file/picture.png"])
def test_a_plot_that_cannot_be_written_leaves_nothing(target: str) -> None:
    Path("folder.png").mkdir()
    Path("file").write_text("kept")
    check(refused(*MATCH, "--plot", target), [target])
    assert Path("file").read_text() == "kept"


def test_a_line_break_in_a_file_name_breaks_no_line() -> None:
    refused(*MATCH, "--rules", "two\nlines.toml")


# -- unit files ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "what"),
    [("mine", "a folder"), ("mine/", "a folder"), ("units.txt", "a file of another kind")],
)
def test_what_is_there_but_no_unit_is_told(name: str, what: str) -> None:
    Path("mine").mkdir()
    Path("units.txt").write_text(unit_toml())
    told = refused("kow", "melee", "knights", f"{name},at=3", *QUICK)
    check(told, [f"unit '{name}' is {what}; give a unit's id, file.toml or file.toml#id"])
    Path("knights").mkdir()
    assert run("kow", "melee", "knights", "knights", *QUICK).code == 0


DEEP = 5000
FILES: dict[str, tuple[str | bytes, list[str]]] = {
    "empty": ("", ["holds nothing"]),
    "a comment only": ("# nothing\n", ["holds nothing"]),
    "binary": (bytes(range(256)), ["UTF-8"]),
    "latin-1": ('name = "Caf\xe9"'.encode("latin-1"), ["UTF-8", "byte 11"]),
    "utf-16": (unit_toml().encode("utf-16"), ["UTF-8"]),
    "malformed": ("name = = 3", ["TOML", "line 1"]),
    "a key twice": (unit_toml() + "at = 3\n", ["TOML"]),
    "deep lists": (f"a = {'[' * DEEP}{']' * DEEP}", ["TOML", "nested too deeply"]),
    "deep tables": (f"{unit_toml()}[rules]\nbrutal{'.x' * DEEP} = 1", ["brutal"]),
    "deep unknown tables": (f"{unit_toml()}x{'.x' * DEEP} = 1", ["x", "not a field"]),
    "unknown key": (unit_toml(att=3), ["att", "did you mean", "at"]),
    "unknown key, nothing near": (unit_toml(zzzzzz=3), ["zzzzzz", "not a field", "me", "rules"]),
    "unknown key with blanks": (unit_toml() + '"two words" = 1', ["two words", "not a field"]),
    "unknown key with a line break": (unit_toml() + '"two\\nlines" = 1', ["not a field"]),
    "missing keys": (
        unit_toml(at=None, me=None),
        ["me is missing", "from 2 to 6", "at is missing", "from 1 to 1000"],
    ),
    "missing name": (unit_toml(name=None), ["name is missing"]),
    "empty name": (unit_toml(name=""), ["name", "80"]),
    "long name": (unit_toml(name="x" * 81), ["name", "80"]),
    "number as name": (unit_toml(name=3), ["name", "3", "text"]),
    "text for a number": (unit_toml(at="ten"), ["at", "'ten'", "a whole number from 1 to 1000"]),
    "fraction": (unit_toml(at=10.5), ["at", "10.5", "a whole number from 1 to 1000"]),
    "truth for a number": (unit_toml(at=True), ["at", "a whole number from 1 to 1000"]),
    "list for a number": (unit_toml(at=[1, 2]), ["at", "[1, 2]", "a whole number from 1 to 1000"]),
    "date for a number": (unit_toml(at=None) + "at = 2020-01-01\n", ["at", "a whole number from 1 to 1000"]),
    "not a number": (unit_toml(at=None) + "at = nan\n", ["at", "nan", "a whole number from 1 to 1000"]),
    "infinite": (unit_toml(at=None) + "at = inf\n", ["at", "inf", "a whole number from 1 to 1000"]),
    "out of range": (
        unit_toml(me=7, de="1+", waver=0),
        ["me", "7", "de", "1", "from 2 to 6", "waver", "from 1 to 60"],
    ),
    "none where there must be one": (unit_toml(me="-"), ["me", "'-'", "from 2 to 6"]),
    "5000 digits": (unit_toml(at=None) + f"at = {'9' * DEEP}\n", []),
    "5000 hex digits": (unit_toml(at=None) + f"at = 0x{'f' * DEEP}\n", ["at", "1000"]),
    "number for rules": (unit_toml(rules=3), ["rules", "3", "table"]),
    "unknown rule": (unit_toml() + "rules.brutl = 1\n", ["rules.brutl", "brutal"]),
    "several units": (units_toml({"name": "Red"}, {"name": "Blue"}), ["2 units", "unit.toml#red"]),
    "a name twice": (units_toml({}, {}), ["units[2]", "'Test Unit'", "twice"]),
    "two without a name": (units_toml({"name": None}, {"name": None}), ["name is missing"]),
    "10,000 units": (units_toml(*({"name": f"Unit {i}"} for i in range(10_000))), ["10,000", "5,000"]),
    "key beside units": ("x = 1\n" + units_toml({}), ["'x'", "[[units]]"]),
    "units is a number": ("units = 3", ["units", "[[units]]"]),
    "units are numbers": ("units = [1, 2]", ["units", "[[units]]"]),
    "no units": ("units = []", ["units"]),
}


@pytest.mark.parametrize(("content", "fragments"), FILES.values(), ids=list(FILES))
def test_a_bad_unit_file_is_told_by_name_field_and_value(content: str | bytes, fragments: list[str]) -> None:
    Path("unit.toml").write_bytes(content if isinstance(content, bytes) else content.encode())
    told = refused("kow", "melee", "unit.toml", "knights")
    assert all("unit.toml" in line for line in told.splitlines())
    check(told, fragments)


def test_a_missing_file_and_a_folder_are_told() -> None:
    Path("folder.toml").mkdir()
    check(refused("kow", "melee", "missing.toml", "knights"), ["missing.toml", "no such file"])
    check(refused("kow", "melee", "orc-ax", "folder.toml#one"), ["folder.toml", "folder"])
    check(refused(*MATCH, "--rules", "folder.toml"), ["folder.toml", "folder"])


def test_an_unreadable_file_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Permission is taken away by hand, as it binds no administrator."""
    Path("unit.toml").write_text(unit_toml())

    def forbidden(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", forbidden)
    check(refused("kow", "melee", "unit.toml", "knights"), ["unit.toml", "Permission denied"])


SPECS = [
    ("army.toml#rad", ["army.toml", "'rad'", "red"]),
    ("army.toml#blue", ["army.toml", "'blue'", "blue-horde", "blue-troop"]),
    ("army.toml#red,at=0", ["army.toml", "units[1]", "at", "from 1 to 1000"]),
    ("army.toml#red,at", ["'at'", "field=value"]),
]


@pytest.mark.parametrize(("spec", "fragments"), cases(SPECS))
def test_a_bad_id_or_change_of_a_file_with_several_units_is_told(spec: str, fragments: list[str]) -> None:
    Path("army.toml").write_text(
        units_toml({"name": "Red"}, {"name": "Blue", "size": "horde"}, {"name": "Blue", "size": "troop"})
    )
    check(refused("kow", "melee", spec, "knights"), fragments)


# -- rules files -----------------------------------------------------------------------------------
RULES = {
    "unknown": ("flank_factr = 2", ["'flank_factr'", "flank_factor"]),
    "unknown with blanks": ('"a b" = 2', ["'a b'"]),
    "out of range": ("flank_factor = 9", ["flank_factor", "9", "from 1 to 5"]),
    "truth for a number": ("flank_factor = true", ["flank_factor", "from 1 to 5"]),
    "several wrong": (
        'flank_factor = "a"\nrear_factor = 0\nelite = 3',
        ["flank_factor", "'a'", "rear_factor", "0", "elite", "ones"],
    ),
    "a table without a value": ('[fields.flank_factor]\norigin = "text"', ["flank_factor", "from 1 to 5"]),
    "fields is a number": ("fields = 3", ["fields", "table"]),
    "rules beside fields": ("flank_factor = 3\n[fields]\nrear_factor = 2", ["flank_factor", "fields"]),
    "malformed": ("flank_factor", ["TOML"]),
    "empty": ("", ["holds nothing"]),
}


@pytest.mark.parametrize(("content", "fragments"), RULES.values(), ids=list(RULES))
def test_a_bad_rules_file_is_told_by_name_field_and_value(content: str, fragments: list[str]) -> None:
    Path("rules.toml").write_text(content)
    told = refused(*MATCH, "--rules", "rules.toml")
    assert all("rules.toml" in line for line in told.splitlines())
    check(told, fragments)


# -- anything at all -------------------------------------------------------------------------------
WRITTEN = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=20)
FIELDS = [*Unit.model_fields, *(f"rules.{name}" for name in UnitRules.model_fields)]
VALUES = st.one_of(
    st.integers(-3, 30).map(str),
    st.sampled_from(["4+", "-", "true", "no", "d6", "d0", "2d6+1", "melee", "horde", "bow", "1.5", "3,at=2"]),
    WRITTEN,
)
TOML_VALUES = st.one_of(st.integers(-3, 30), st.booleans(), st.floats(allow_nan=False, width=16), VALUES)


def sound_or_refused(*args: str) -> None:
    answer = run(*args)
    assert answer.code in (0, 2), answer
    if answer.code == 2:
        check_refusal(answer)


@given(st.one_of(WRITTEN, st.lists(WRITTEN, max_size=4).map(",".join)))
@example("\udce9")
@example("orc-ax,\n=3")
def test_any_text_as_a_unit_is_answered_or_refused(spec: str) -> None:
    sound_or_refused("kow", "melee", "--", spec, "knights")


@given(st.lists(st.tuples(st.one_of(st.sampled_from(FIELDS), WRITTEN), VALUES), min_size=1, max_size=3))
def test_any_changes_of_a_unit_are_answered_or_refused(changes: list[tuple[str, str]]) -> None:
    spec = ",".join(["ogre-warriors", *(f"{field}={value}" for field, value in changes)])
    sound_or_refused("kow", "melee", spec, "knights", *QUICK)


@given(st.one_of(st.sampled_from(list(Rules.model_fields)), WRITTEN), VALUES)
def test_any_rule_setting_is_answered_or_refused(key: str, value: str) -> None:
    sound_or_refused(*MATCH, *QUICK, f"--rule={key}={value}")


@given(st.one_of(WRITTEN, st.text("0123456789eE^+-_,. ", max_size=8)))
def test_any_text_for_trials_is_answered_or_refused(trials: str) -> None:
    sound_or_refused(*MATCH, "--engine", "simulate", f"--trials={trials}")


@given(
    st.one_of(st.binary(max_size=60), st.text(max_size=60).map(lambda text: text.encode("utf-8", "ignore")))
)
def test_any_bytes_as_a_unit_file_are_refused(content: bytes) -> None:
    Path("unit.toml").write_bytes(content)
    refused("kow", "melee", "unit.toml", "knights")


@given(st.dictionaries(st.one_of(st.sampled_from(FIELDS), WRITTEN.map(json.dumps)), TOML_VALUES, max_size=4))
def test_any_fields_in_a_unit_file_are_answered_or_refused(fields: dict[str, Any]) -> None:
    own = dict.fromkeys(fields)
    lines = [f"{key} = {json.dumps(value)}\n" for key, value in fields.items()]
    Path("unit.toml").write_text(unit_toml(**own) + "".join(lines), encoding="utf-8")
    sound_or_refused("kow", "melee", "unit.toml", "knights", *QUICK)
