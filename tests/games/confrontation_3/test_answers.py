"""What an answer says beside its numbers: options as they are typed, notes, tables and their headings."""

from __future__ import annotations

from typing import Any

import pytest

import mathhammer
from mathhammer.core.game import Placed
from tests.cli.conftest import run
from tests.games.confrontation_3.fighters import fighter

PROWLER, MAGISTRATE, PALADIN = "wolfen-prowler", "griffin-magistrate", "alahan-paladin"


def exact(mode: str, *units: Any, **options: Any) -> mathhammer.Result:
    return mathhammer.exact("c3", mode, *units, **options)


# -- distances -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("game", "mode", "units", "options"),
    [
        ("c3", "shoot", [PROWLER, PALADIN], {}),
        ("c3", "duel", [PROWLER, PALADIN], {"contact": "charge"}),
        ("aor", "shoot", ["marksmen", "conscripts"], {}),
    ],
)
def test_a_distance_is_a_number_or_how_it_is_written(
    game: str, mode: str, units: list[str], options: dict[str, Any]
) -> None:
    for number, text in ((34.5, "34.5"), (30.0, "30")):
        answers = [
            mathhammer.exact(game, mode, *units, distance=distance, **options).to_dict()
            for distance in (number, text)
        ]
        assert answers[0] == answers[1]


def test_a_distance_between_is_typed_and_swept() -> None:
    assert "distance 34.5" in run("c3", "shoot", PROWLER, PALADIN, "--distance", "34.5").out
    table = run("sweep", "c3", "shoot", PROWLER, PALADIN, "--over", "distance=30,34.5", "--csv")
    assert table.code == 0
    assert "\n34.5,0.0138" in table.out


# -- tests -----------------------------------------------------------------------------------------
@pytest.mark.rule("C3-2.11")
def test_fear_stands_for_courage() -> None:
    """Of the fighter who tests, and of him who opposes him."""
    fearsome, brave = fighter(cou=None, fear=4), fighter(cou=4)
    chances = [exact("test", f, characteristic="cou", difficulty=8) for f in (fearsome, brave)]
    assert chances[0].probability("succeeds") == chances[1].probability("succeeds")
    assert any("has Fear 4, which stands for Courage (C3-2.11)" in note for note in chances[0].notes)
    assert not any("Fear" in note for note in chances[1].notes)
    opposed = [exact("test", fighter(), characteristic="cou", with_=[f]) for f in (fearsome, brave)]
    assert opposed[0].probability("succeeds") == opposed[1].probability("succeeds")
    assert "Fear" in "".join(opposed[0].notes)
    by_strength = exact("test", fearsome, characteristic="str", against="cou", with_=[brave])
    assert not any("Fear" in note for note in by_strength.notes)


@pytest.mark.rule("C3-3.10")
def test_attack_against_defence_is_an_attack() -> None:
    """A tie is parried, so that a losing 6 is rolled on at a tie too: even values hit by 3/7, not by 5/12."""
    striker, target = fighter(att=4), fighter(**{"def": 4})
    told = exact("test", striker, characteristic="att", against="def", with_=[target])
    assert told.probability("succeeds") == pytest.approx(3 / 7, abs=1e-12)
    assert told.probability("ties") == 0
    plain = exact("test", striker, characteristic="att", against="att", with_=[target])
    assert plain.probability("ties") > 0
    with pytest.raises(mathhammer.InputError, match=r"dice: att against def is an attack.*C3-3\.10"):
        exact("test", striker, characteristic="att", against="def", with_=[target], dice=2)


@pytest.mark.parametrize(("goal", "told"), [("net", False), ("kill", True)])
def test_simple_play_says_that_an_objective_changes_nothing(goal: str, told: bool) -> None:
    for mode in ("duel", "fray"):
        result = exact(mode, fighter(), fighter(), play="simple", objective=goal)
        assert any("--objective changes nothing" in note for note in result.notes) == told


# -- frays -----------------------------------------------------------------------------------------
def test_a_fray_says_that_it_has_no_contact_and_how_its_results_are_told() -> None:
    told = "; ".join(exact("fray", fighter(), fighter(), with_=[fighter()]).notes)
    for option in ("--charged", "--attacker-afraid", "--defender-afraid", "--with UNIT@charged@afraid"):
        assert option in told
    assert "begins in contact" not in "; ".join(exact("duel", fighter(), fighter()).notes)


def test_the_help_of_unseen_says_what_it_does() -> None:
    text = " ".join(run("c3", "duel", "--help").out.split())
    assert "he cannot charge, only engage (C3-2.7)" in text


# -- duels that may not come to blows ---------------------------------------------------------------
def test_tables_of_the_placement_say_when_they_hold() -> None:
    """Reach 5/6 of the time; then he who tests needs a 3: holds 2/3 of the time."""
    fearsome, brave = fighter(cou=None, fear=8), fighter(cou=5)
    asked: dict[str, Any] = {"contact": "engage", "distance": "16..22"}
    stays = exact("duel", fearsome, brave, activated=True, **asked)
    calm, afraid = stays.captions["placement"], stays.captions["placement_when_the_enemy_is_afraid"]
    reach = stays.probability("fights")
    assert 0 < reach < 1
    assert calm == f"if they come to blows and the defender is not newly afraid ({100 * reach * 2 / 3:.1f}%)"
    assert afraid == f"if they come to blows ({100 * reach / 3:.1f}%)"
    runs = exact("duel", fearsome, brave, **asked)
    assert set(runs.captions) == {"by_initiative", "placement", "defence_dice", "wounds_of_both"}
    assert runs.captions["placement"] == f"if they come to blows ({100 * runs.probability('fights'):.1f}%)"
    assert set(exact("duel", fearsome, brave).captions) == {"wounds_of_both"}
    shown = run("c3", "duel", PROWLER, PALADIN, "--contact", "charge", "--engine", "exact").out
    assert "\nplacement: if they come to blows (83.3%)\n" in shown


NEVER: list[tuple[str, list[Any], dict[str, Any], str]] = [
    (
        "falls_short",
        [fighter(mov=10), fighter()],
        {"distance": 21},
        "out of reach, 21 cm where he moves up to",
    ),
    ("falls_short", [fighter(fly=5), fighter()], {"distance": 11, "flying": True}, "moves up to 10 cm"),
    ("cancelled", [fighter(cou=0), fighter(cou=None, fear=9)], {}, "the attacker cannot pass"),
    ("flees", [fighter(cou=None, fear=9), fighter(cou=0)], {}, "the defender cannot pass"),
    ("flees", [fighter(), fighter()], {"contact": "charge", "defender_afraid": True}, "he runs"),
]


@pytest.mark.parametrize(("event", "units", "options", "why"), NEVER, ids=[case[-1] for case in NEVER])
def test_a_duel_that_cannot_be_fought_says_why_and_shows_no_placement(
    event: str, units: list[Any], options: dict[str, Any], why: str
) -> None:
    asked = {"contact": "engage", "rules": {"reroll_six": "never"}, **options}
    result = exact("duel", *units, **asked)
    assert result.probability("fights") == 0
    assert result.probability(event) == 1
    assert set(result.tables) == {"wounds_of_both"}
    assert any(why in note for note in result.notes)
    assert not any(note.startswith("value") for note in result.notes)


def test_why_no_fight_comes_is_told_where_it_can_happen() -> None:
    """As in the mode fear; only what can happen takes a line."""
    fearsome, brave = fighter(cou=None, fear=8), fighter(cou=5)
    ways = ("falls_short", "cancelled", "flees")
    for pair in ((fearsome, brave), (brave, fearsome)):
        duel = exact("duel", *pair, contact="engage", distance="16..22")
        alone = exact("fear", *pair)
        for way in ways[1:]:
            reached = 1 - duel.probability("falls_short")
            assert duel.probability(way) == pytest.approx(reached * alone.probability(way), abs=1e-12)
        assert sum(map(duel.probability, (*ways, "fights"))) == pytest.approx(1, abs=1e-12)
        shown = [way for way in ways if way in duel.telling_events]
        assert shown == [way for way in ways if duel.probability(way) > 0]
    made = exact("duel", fearsome, brave)
    assert not set(ways) & set(made.telling_events)


# -- fear ------------------------------------------------------------------------------------------
@pytest.mark.rule("C3-2.18")
def test_recovery_is_told_for_who_is_afraid_and_for_all() -> None:
    """COU 5 against Fear 8 is afraid 1/3 of the time; difficulty 6 of COU 5 is failed by a 1 alone."""
    result = exact("fear", fighter(cou=None, fear=8), fighter(cou=5))
    (row,) = result.tables["recovery"]
    assert row["who"] == "defender"
    assert row["chance afraid"] == pytest.approx(1 / 3, abs=1e-12)
    assert row["chance to recover if afraid"] == pytest.approx(5 / 6, abs=1e-12)
    assert result.probability("recovers") == pytest.approx(5 / 18, abs=1e-12)
    assert not exact("fear", fighter(), fighter()).tables
    (event,) = (event for event in result.question.mode.events if event.name == "recovers")
    assert event.about.startswith("somebody is afraid, and recovers")


# -- tables ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("options", [{}, {"with_": [fighter()]}], ids=["duel", "fray"])
def test_chances_of_tables_are_percentages_on_the_terminal(options: dict[str, Any]) -> None:
    """Every column of chances is headed so, as the terminal knows them by; a value is none."""
    fixed = "1/1,-" if options else "1/1"
    result = exact("fray" if options else "duel", fighter(), fighter(att=5), enemy_split=fixed, **options)
    counted = {"value", "attack", "enemies killed", "attacker has initiative", "difference"}
    counted |= {"defender has initiative", "enemies have initiative"}
    heads = result.question.mode.heads
    for rows in result.tables.values():
        for row in rows:
            for column, value in row.items():
                name = heads.get(column, column)
                assert isinstance(value, str) or name in counted or name.startswith("chance"), name
                assert not name.startswith("chance") or 0 <= value <= 1


def test_a_fighter_is_called_the_same_in_events_and_tables() -> None:
    told = run("c3", "duel", PROWLER, PALADIN, "--engine", "exact").out
    assert "enemy" not in told
    assert "chance defender killed" in told


@pytest.mark.parametrize(
    ("mode", "options", "what"),
    [
        ("duel", {}, "the chance to kill less the chance of being killed, of the attacker; the defender"),
        ("fray", {}, "enemies killed less the chance of being killed, of the attacker; the enemies together"),
        ("placement", {"objective": "kill"}, "value: the chance to kill, of the attacker"),
        ("duel", {"objective": "wounds"}, "levels of wounds dealt less levels taken"),
        ("duel", {"objective": "kill=1,taken=-0.1"}, "value: kill=1,taken=-0.1, of the attacker"),
    ],
)
def test_what_a_value_is_is_said(mode: str, options: dict[str, Any], what: str) -> None:
    assert any(what in note for note in exact(mode, fighter(), fighter(), **options).notes)
    assert not any("value" in note for note in exact(mode, fighter(), fighter(), play="simple").notes)


# -- splits and ranges -----------------------------------------------------------------------------
@pytest.mark.rule("C3-2.16")
def test_a_fixed_split_that_fear_changes_is_said() -> None:
    fearsome, brave = fighter(cou=None, fear=8), fighter(cou=5)
    asked: dict[str, Any] = {"contact": "engage", "enemy_split": "2/0"}
    told = "--enemy-split 2/0: while plain is afraid he places 1/1 (C3-2.16)"
    assert told in exact("duel", fearsome, brave, activated=True, **asked).notes
    assert told not in exact("duel", fearsome, brave, **asked).notes
    free = {"fear_limits_attack": False}
    assert told not in exact("duel", fearsome, brave, activated=True, rules=free, **asked).notes
    both = exact("fray", fighter(), brave, with_=[fighter()], defender_afraid=True, enemy_split="2/0,1/1")
    assert told in both.notes
    other = Placed(fighter(name="other"), {"afraid": True})
    for split, said in (("2/0,2/0", True), ("2/0,1/1", False), ("2/0,-", False)):
        notes = exact("fray", fighter(), brave, with_=[other], enemy_split=split).notes
        assert [note for note in notes if "while plain" in note] == []
        assert any("while other is afraid he places 1/1" in note for note in notes) == said


@pytest.mark.rule("C3-2.5")
def test_the_range_of_a_shot_is_told_where_it_is_taken_or_passed() -> None:
    shooter = fighter(aim=3, weapon_str=7, ranges="20-35-45")

    def told(**options: Any) -> str:
        return "; ".join(exact("shoot", shooter, fighter(), **options).notes)

    assert "short range, as neither --range nor --distance is given" in told()
    assert "range" not in told(range="short")
    assert "range" not in told(distance=45)
    assert "out of range: the long range of plain ends at 45 cm" in told(distance=60)
    assert "out of range 50.0% of the time" in told(distance="44..46")
