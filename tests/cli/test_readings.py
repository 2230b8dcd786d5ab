"""`--readings`: what other readings of the assumed rules make of an answer, as a table and as JSON."""

from __future__ import annotations

import json

import mathhammer
from mathhammer.cli.render import PAGE, percent
from tests.cli.conftest import ask, refused

FIGHT = "aor fight heavy-infantry conscripts --rounds 2 --engine exact"


def shown(command: str) -> list[str]:
    """The lines of the table of readings."""
    lines = ask(command).splitlines()
    begin = lines.index("under other readings of the assumed rules, one at a time")
    return lines[begin : next(i for i, line in enumerate(lines) if line.startswith("assumed, the rule text"))]


def test_each_row_tells_the_answer_with_that_rule() -> None:
    rows = [line.split() for line in shown(f"{FIGHT} --readings")]
    found = {(row[0], row[1]): row[2:] for row in rows if len(row) > 2 and row[-1].endswith("%")}
    events = mathhammer.exact("aor", "fight", "heavy-infantry", "conscripts", rounds=2).telling_events
    for rule, value in (("charge_reroll", "one_die"), ("charge_reroll", "all"), ("bonus_die", "none")):
        alone = mathhammer.exact(
            "aor", "fight", "heavy-infantry", "conscripts", rounds=2, rules={rule: value}
        )
        told = found[rule, value]  # as many events as the page has room for
        assert told == [percent(alone.probability(name)) for name in events][: len(told)]
        assert len(told) > 3


def test_what_moves_nothing_and_what_cannot_be_tried_is_told() -> None:
    lines = shown(f"{FIGHT} --readings")
    assert any(line.startswith("no other reading moves it: ") for line in lines)
    assert "not tried, as any text or table may stand there: resolution_table" in lines
    assert max(map(len, lines)) <= PAGE


def test_json_has_them_beside_the_answer() -> None:
    plain = json.loads(ask(f"{FIGHT} --json"))
    told = json.loads(ask(f"{FIGHT} --readings --json"))
    readings = told.pop("readings")
    assert told == plain
    assert readings[0]["defender.destroyed"] == plain["events"]["defender.destroyed"]["exact"]["p"]
    assert ("bonus_die", "none") in [(row["rule"], row["reading"]) for row in readings]


def test_an_answer_that_assumes_nothing_says_so() -> None:
    rules = "--rule double_one_steady=false --rule double_six_wavers=false"
    told = ask(f"kow melee ogre-warriors foot-guard --engine exact --readings {rules}")
    assert "no assumed rule bears on this answer" in told


def test_it_does_not_go_with_csv() -> None:
    assert "--readings does not go with --csv: take --json" in refused(*f"{FIGHT} --readings --csv".split())


def test_plain_questions_have_no_rules_to_read() -> None:
    assert "No such option: --readings" in refused("dice", "2d6", "--readings")
