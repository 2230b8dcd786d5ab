"""Plans: what they mean, that their branches are all there is, and what is told of mistakes, by line."""

from __future__ import annotations

import pickle
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

import mathhammer
from mathhammer import InputError
from mathhammer.core.errors import ExactLimitError
from mathhammer.games.battlefield.plan_file import read_plan
from mathhammer.games.battlefield.profile import Unit
from tests.games.battlefield.samples import DATA
from tests.games.battlefield.test_referee import settings, told
from tests.games.battlefield.units import asked
from tests.literal import battlefield as literal
from tests.oracle import agrees

UNITS = """[[units]]
id = "horse"
side = "ours"
unit = "heavy-cavalry,number=40,damage=2"

[[units]]
id = "bows"
side = "ours"
unit = "archers,damage=1,shooting=3"

[[units]]
id = "pikes"
side = "theirs"
unit = "levy-spears,number=14,damage=1"

"""


def action(**fields: Any) -> str:
    """One action as TOML."""
    lines = [
        f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}"
        for key, value in fields.items()
    ]
    return "[[actions]]\n" + "\n".join(lines) + "\n\n"


def plan(folder: Path, *actions: str, units: str = UNITS) -> str:
    """A plan file."""
    path = folder / "plan.toml"
    path.write_text(units + "".join(actions))
    return str(path)


def entry(name: str, side: str, unit: str, melee: int = 0) -> str:
    """One unit as TOML."""
    return f'[[units]]\nid = "{name}"\nside = "{side}"\nunit = "{unit}"\nmelee = {melee}\n\n'


CHARGE = action(do="charge", unit="horse", target="pikes", cells=3, order="break-through")
SHOOT = action(do="attack", unit="bows", target="pikes")


def test_a_plan_of_a_charge_is_the_charge(tmp_path: Path) -> None:
    told_alone = asked(
        "charge",
        "heavy-cavalry,number=40,damage=2",
        "levy-spears,number=14,damage=1",
        cells=3,
        order="break-through",
    )
    result = asked("plan", file=plan(tmp_path, CHARGE))
    assert result.pmf("damage") == pytest.approx(told_alone.pmf("damage"))
    assert result.pmf("ours.damage") == pytest.approx(told_alone.pmf("attacker.damage"))
    assert result.probability("lost") == pytest.approx(told_alone.probability("destroyed"))
    assert result.probability("melee") == pytest.approx(told_alone.probability("melee"))


def test_a_plan_agrees_with_the_referee_action_by_action(tmp_path: Path) -> None:
    """Shots, the charge, shots again at who is left where no melee is. False-failure rate 1e-6."""
    again = action(do="attack", unit="bows", target="pikes", **{"if": "pikes not in melee"})
    result = asked("plan", file=plan(tmp_path, SHOOT, CHARGE, again))
    columns, p = result._joint(["damage", "ours.damage", "lost", "melee"], "exact")
    exact = dict(zip(zip(*(c.tolist() for c in columns.values()), strict=True), p.tolist(), strict=True))
    file = read_plan("plan.toml", (tmp_path / "plan.toml").read_text())
    specs = [entry.unit for entry in file.entries]
    horse, bows, pikes = (told(cast(Unit, mathhammer.unit("battlefield", spec))) for spec in specs)
    rng = Random(5)
    assert agrees(Counter(sequence(rng, horse, bows, pikes) for _ in range(8000)), exact)
    harder = replace(pikes, defence=pikes.defence + 1)
    assert not agrees(Counter(sequence(rng, horse, bows, harder) for _ in range(8000)), exact)


def sequence(rng: Random, horse: Any, bows: Any, pikes: Any) -> tuple[int, int, int, int]:
    """The plan's actions by the referee."""
    first = replace(pikes, soldiers=literal.attack(rng, bows, pikes)["target_soldiers"])
    own, end = horse.soldiers, ""
    if first.soldiers:
        ride: Any = literal.charge(rng, horse, first, literal.Charge(cells=3, then="break_through"))
        first = replace(first, soldiers=ride["target_soldiers"])
        own, end = ride["attacker_soldiers"], ride["end"]
    if first.soldiers and end != "melee":
        first = replace(first, soldiers=literal.attack(rng, bows, first)["target_soldiers"])
    return int(14 - first.soldiers), int(40 - own), int(first.soldiers == 0), int(end == "melee")


@pytest.mark.parametrize("name", ["plan.toml", "siege.toml"])
def test_branches_sum_to_1_at_every_depth(name: str) -> None:
    rows = asked("plan", file=str(DATA / name)).tables["branches"]
    above, children = [1.0], [0.0]
    for row in rows:
        depth = (len(row["action"]) - len(row["action"].lstrip())) // 2
        for chance, sum_ in zip(above[depth + 1 :], children[depth + 1 :], strict=True):
            assert sum_ in (0.0, pytest.approx(chance))
        above, children = above[: depth + 1], children[: depth + 1]
        assert row["chance then"] == pytest.approx(row["chance"] / above[depth], abs=1e-9)
        children[depth] += row["chance"]
        above, children = [*above, row["chance"]], [*children, 0.0]
    assert children[0] == pytest.approx(1)


def test_units_in_the_end_add_up_to_the_sides() -> None:
    result = asked("plan", file=str(DATA / "plan.toml"))
    units = {row["unit"].split(":")[0]: row["mean damage"] for row in result.tables["units"]}
    assert units["pikes"] + units["xbows"] == pytest.approx(result.mean("damage"))
    assert units["knights"] + units["spears"] + units["bows"] == pytest.approx(result.mean("ours.damage"))


def test_a_swapped_weapon_is_the_one_that_acts(tmp_path: Path) -> None:
    """With blades in hand the archers break in and may charge; they cannot lob any more."""
    swap = action(do="swap", unit="bows", drop=True)
    melee = action(do="attack", unit="bows", target="pikes")
    shooting, striking = plan(tmp_path, melee), ""
    assert asked("plan", file=shooting).mean("ours.damage") == 0
    striking = plan(tmp_path, swap, melee)
    assert asked("plan", file=striking).mean("ours.damage") > 0


def test_a_saved_action_may_be_used_where_it_is_saved(tmp_path: Path) -> None:
    swap = action(do="swap", unit="bows", quick=True)
    then = action(do="break-in", unit="bows", target="pikes", **{"if": "bows saved an action"})
    rows = asked("plan", file=plan(tmp_path, swap, then)).tables["branches"]
    tried = sum(row["chance"] for row in rows if "breaks in" in row["action"])
    assert tried == pytest.approx(1 - (3 / 20) ** 2)


SWORDS = 3 / 20  # an archer's check to save an action: command 4, soldiers 2 against 10


@pytest.mark.parametrize(
    ("drop", "attacks", "expected"),
    [(False, 1, 1 - SWORDS**2), (True, 2, 2 - SWORDS)],
)
def test_an_action_that_was_not_saved_is_not_there(
    drop: bool, attacks: int, expected: float, tmp_path: Path
) -> None:
    swap = action(do="swap", unit="bows", quick=True, drop=drop)
    wide = UNITS.replace("number=14", "number=400").replace("archers,", "archers,number=400,")
    once = asked("plan", file=plan(tmp_path, action(do="swap", unit="bows", drop=True) + SHOOT, units=wide))
    result = asked("plan", file=plan(tmp_path, swap + SHOOT * attacks, units=wide))
    assert result.mean("damage") == pytest.approx(once.mean("damage") * expected)
    assert result.mean("ours.damage") == pytest.approx(once.mean("ours.damage") * expected)


def test_an_action_that_was_not_saved_is_owed_by_the_next_turn(tmp_path: Path) -> None:
    """A swap begun with the last action of a turn: saved, two are left of the next turn; else one."""
    swap = action(do="swap", unit="bows", quick=True)
    late = [SHOOT, swap, SHOOT.replace("\n\n", "\nround = 2\n\n"), SHOOT]
    wide = UNITS.replace("number=14", "number=400").replace("archers,", "archers,number=400,")
    blow = action(do="swap", unit="bows", drop=True) + SHOOT
    once = asked("plan", file=plan(tmp_path, blow, units=wide)).mean("ours.damage")
    result = asked("plan", file=plan(tmp_path, *late, units=wide))
    assert result.mean("ours.damage") == pytest.approx(once * (2 - SWORDS**2))
    with pytest.raises(InputError, match="0 of 2 actions left"):
        asked("plan", file=plan(tmp_path, *late, SHOOT, units=wide))


def test_a_second_swap_brings_the_first_weapon_back(tmp_path: Path) -> None:
    swap = action(do="swap", unit="bows", drop=True)
    result = asked("plan", file=plan(tmp_path, swap, swap, SHOOT.replace("\n\n", "\nround = 2\n\n")))
    assert result.mean("damage") == pytest.approx(asked("plan", file=plan(tmp_path, SHOOT)).mean("damage"))
    assert result.mean("ours.damage") == 0


@pytest.mark.parametrize("in_melee", [False, True])
def test_who_has_swapped_a_firearm_for_a_blade_reloads_no_more(in_melee: bool, tmp_path: Path) -> None:
    """Only a swap in a melee may fail, so that the firearm may still be in hand."""
    units = entry("guns", "ours", "firearms") + entry("foe", "theirs", "pikes")
    swap = action(do="swap", unit="guns", drop=True, in_melee=in_melee)
    strikes = [action(do="attack", unit="guns", target="foe", round=number) for number in (1, 2, 2)]
    file = plan(tmp_path, swap, *strikes, units=units)
    if not in_melee:
        assert asked("plan", file=file).mean("ours.damage") > 0
        return
    with pytest.raises(InputError, match="line 25: guns has to reload"):
        asked("plan", file=file)


def test_an_idle_round_pays_what_is_owed(tmp_path: Path) -> None:
    """A siege takes the next action of those who answer: none is owed two rounds later."""
    siege = action(do="besiege", unit="horse", target="pikes", **{"with": ["bows", "bows2"]})
    units = UNITS + entry("bows2", "ours", "archers")
    then = [action(do="attack", unit="bows", target="pikes", round=number) for number in (2, 4, 4)]
    mine = [SHOOT, SHOOT, siege]
    asked("plan", file=plan(tmp_path, *mine, *then, units=units))
    with pytest.raises(InputError, match="0 of 2 actions left in round 2"):
        asked("plan", file=plan(tmp_path, *mine, then[0], *then, units=units))


def test_a_condition_is_asked_when_the_action_begins(tmp_path: Path) -> None:
    """The charge destroys its target, and with it the condition; what follows the charge is of it still."""
    units = UNITS.replace("levy-spears,number=14", "levy-spears,number=1") + entry("more", "theirs", "pikes")
    charge = CHARGE.replace("\n\n", "\nbehind = 'more'\n\n")
    guarded = charge.replace("\n\n", "\nif = 'pikes not destroyed'\n\n")
    result = asked("plan", file=plan(tmp_path, charge, units=units))
    again = asked("plan", file=plan(tmp_path, guarded, units=units))
    assert again.probability("melee") == pytest.approx(result.probability("melee"))
    assert again.probability("melee") > 0.1


BREAKS_IN = action(do="break-in", unit="new", target="pikes")
BESIDE = (
    entry("old", "ours", "levy-spears", 1)
    + entry("new", "ours", "halberdiers,number=20")
    + entry("pikes", "theirs", "pikes,damage=4", 1)
)


@pytest.mark.parametrize(
    ("beside", "way"),
    [
        ("archers", "target"),  # the bows set the DC, the pikes counter
        ("archers", "weakest"),  # the bows shoot, so the pikes do
        ("levy-spears,attack=2,damage=6", "target"),
        ("levy-spears,attack=2,damage=6", "weakest"),
    ],
)
def test_one_enemy_counters_a_break_in_into_a_melee(beside: str, way: str, tmp_path: Path) -> None:
    """Who does is the ruleset's; against the referee. False-failure rate 1e-6."""
    units = BESIDE + entry("beside", "theirs", beside, 1)
    rules = {"break_in_counter": way}
    result = asked("plan", file=plan(tmp_path, BREAKS_IN, units=units), rules=rules)
    specs = ("halberdiers,number=20", "pikes,damage=4", beside)
    new, *enemies = (told(cast(Unit, mathhammer.unit("battlefield", spec))) for spec in specs)
    columns, p = result._joint(["ours.damage"], "exact")
    exact = {
        (lost,): chance for lost, chance in zip(columns["ours.damage"].tolist(), p.tolist(), strict=True)
    }
    rng = Random(8)

    def once() -> tuple[int]:
        done: Any = literal.break_in(rng, new, enemies, joining=True, rules=rules)
        return (int(20 - done["attacker_soldiers"]),)

    assert agrees(Counter(once() for _ in range(8000)), exact)
    assert result.mean("ours.damage") > 0


@pytest.mark.parametrize(
    "deed",
    [action(do="break-in", unit="bows", target="pikes"), action(do="disengage", unit="bows", into="pikes")],
)
def test_bows_do_not_break_in(deed: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 16: Archers cannot break in with a long-bow"):
        asked("plan", file=plan(tmp_path, deed))
    with pytest.raises(InputError, match="cannot break in with a long-bow"):
        asked("check", "archers", "pikes", kind="break-in")
    swap = action(do="swap", unit="bows", drop=True)
    asked("plan", file=plan(tmp_path, swap, deed))


RATIO = {"strength_ratio": "0:1/2, 2:3/2"}


def test_a_lob_into_a_melee_agrees_with_the_referee(tmp_path: Path) -> None:
    """Friend and foe in the cell, which half of a scattered volley misses. False-failure rate 1e-6."""
    specs = {"foe": "pikes,number=40", "more": "levy-spears,number=25", "friend": "halberdiers,number=35"}
    bows = "archers,shooting=-,attack=6,number=60"
    units = "".join(entry(name, "ours" if name == "friend" else "theirs", specs[name], 1) for name in specs)
    lob = action(do="lob", unit="bows", target="foe")
    file = plan(tmp_path, lob, units=units + entry("bows", "ours", bows))
    result = asked("plan", file=file, rules=RATIO)
    columns, p = result._joint(["damage", "ours.damage"], "exact")
    exact = dict(zip(zip(*(c.tolist() for c in columns.values()), strict=True), p.tolist(), strict=True))
    shooter, foe, *others = (
        told(cast(Unit, mathhammer.unit("battlefield", spec))) for spec in (bows, *specs.values())
    )
    rules, rng = settings(RATIO), Random(11)

    def once(target: Any) -> tuple[int, int]:
        done: Any = literal.lob_into_melee(rng, shooter, target, others, rules)
        foes, more, friends = done["soldiers"]
        return int(65 - foes - more), int(35 - friends)

    assert agrees(Counter(once(foe) for _ in range(8000)), exact)
    harder = replace(foe, defence=foe.defence + 1)
    assert not agrees(Counter(once(harder) for _ in range(8000)), exact)


def test_actions_that_never_take_place_are_told_by_their_line(tmp_path: Path) -> None:
    """Out of a melee nobody is struck; and a condition that never holds."""
    units = entry("in", "ours", "halberdiers", 1) + entry("foe", "theirs", "pikes", 1)
    units += entry("far", "theirs", "archers")
    strikes = action(do="attack", unit="in", target="far")
    idle = action(do="attack", unit="far", target="in", **{"if": "in not in melee"})
    again = action(do="attack", unit="foe", target="in")
    result = asked("plan", file=plan(tmp_path, strikes, idle, again, units=units))
    told_lines = [note for note in result.notes if "never took place" in note]
    assert [line.rsplit("line ", 1)[1] for line in told_lines] == [
        "19 never took place",
        "24 never took place",
    ]


ON_NOBODY = [
    action(do="attack", unit="horse", target="few"),
    action(do="charge", unit="horse", target="few", cells=2, order="break-in", round=2),
    action(do="charge", unit="horse", target="few", cells=2, order="push", round=2),
    action(do="charge", unit="horse", target="few", cells=2, order="break-through", round=2),
    action(do="break-in", unit="horse", target="few"),
    action(do="push", unit="horse", target="few"),
    action(do="disrupt", unit="inside", target="few"),
    action(do="lure", unit="horse", target="few"),
    action(do="surrounded", unit="few"),
]


@pytest.mark.parametrize("then", ON_NOBODY, ids=range(len(ON_NOBODY)))
def test_nothing_is_done_to_those_who_have_fallen(then: str, tmp_path: Path) -> None:
    units = entry("horse", "ours", "heavy-cavalry") + entry("guns", "ours", "archers,shooting=40,damage=9")
    units += entry("inside", "ours", "halberdiers", 1) + entry("few", "theirs", "pikes,number=1", 1)
    shoots = action(do="attack", unit="guns", target="few")
    file = plan(tmp_path, shoots, then, units=units)
    result = asked("plan", file=file, rules={"natural_attack": "nothing", "half_rounding": "up"})
    assert result.probability("lost") == 1
    assert [note.rsplit("line ", 1)[1] for note in result.notes if "never took place" in note] == [
        "30 never took place"
    ]


@pytest.mark.parametrize("order", ["attack", "break-in", "push", "attack-break-in", "break-through"])
def test_an_action_whose_condition_does_not_hold_does_nothing(order: str, tmp_path: Path) -> None:
    charge = CHARGE.replace("break-through", order).replace("\n\n", "\nif = 'pikes shaken'\n\n")
    result = asked("plan", file=plan(tmp_path, charge))
    assert result.mean("damage") == result.mean("ours.damage") == result.probability("melee") == 0
    assert result.tables["branches"] == []


def test_a_unit_beside_that_fights_in_the_targets_cell_is_hit_there(tmp_path: Path) -> None:
    units = entry("foe", "theirs", "pikes", 1) + entry("friend", "ours", "halberdiers", 1)
    units += entry("bows", "ours", "archers")
    lob = action(do="lob", unit="bows", target="foe")
    alone = asked("plan", file=plan(tmp_path, lob, units=units))
    beside = lob.replace("\n\n", "\nbeside = {top = 'friend'}\n\n")
    both = asked("plan", file=plan(tmp_path, beside, units=units))
    assert both.mean("ours.damage") == pytest.approx(alone.mean("ours.damage"))
    assert both.mean("ours.damage") > 0


@pytest.mark.parametrize("bearable", [{"branches", "units"}, {"units"}, set()])
def test_too_many_branches_leave_the_units_and_a_note(
    bearable: set[str], tmp_path: Path, monkeypatch: Any
) -> None:
    module = sys.modules["mathhammer.games.battlefield.plan"]
    path = plan(tmp_path, SHOOT, CHARGE)
    whole, played = asked("plan", file=path).tables, module.played

    def limited(start: Any, beats: Any, most: int) -> Any:
        if ("branches" if "branch" in start else "units") not in bearable:
            raise ExactLimitError("too many")
        return played(start, beats, most)

    module.survey_of.cache_clear()
    monkeypatch.setattr(module, "played", limited)
    result = asked("plan", file=path)
    assert set(result.tables) == bearable
    assert any("not told: there are more than" in note for note in result.notes) == (len(bearable) < 2)
    if bearable:
        assert result.tables["units"] == [pytest.approx(row) for row in whole["units"]]
    module.survey_of.cache_clear()


def test_numbers_read_early_may_be_compared_later_where_it_makes_no_difference(tmp_path: Path) -> None:
    """Shots into a melee read numbers; a later push between units of no great difference need not."""
    units = UNITS.replace('side = "ours"\nunit = "heavy', 'side = "ours"\nmelee = 1\nunit = "heavy')
    units = units.replace("number=40", "number=400").replace("number=14", "number=400")
    units = units.replace('side = "theirs"\n', 'side = "theirs"\nmelee = 1\n')
    push = action(do="push", unit="horse", target="pikes")
    result = asked("plan", file=plan(tmp_path, SHOOT, push, units=units))
    chances = {
        row["outcome"]: row["chance"] for row in result.tables["branches"] if "pushes" in row["action"]
    }
    assert chances["pushed"] + chances["pushed and broken up"] == pytest.approx((21 - 13 + 7) / 20)


def test_two_melees_are_two(tmp_path: Path) -> None:
    """One of ours leaves its melee and the other destroys its enemy: nobody is in a melee then."""
    units = entry("a", "ours", "halberdiers", 1) + entry("b", "ours", "halberdiers", 2)
    units += entry("x", "theirs", "pikes", 1) + entry("y", "theirs", "levy-spears,number=1", 2)
    leaves = action(do="disengage", unit="a", waived=True)
    strikes = action(do="attack", unit="b", target="y")
    result = asked("plan", file=plan(tmp_path, leaves, strikes, units=units))
    missed = (6 / 20) ** 2  # 13 - 6 - 1 faces of both dice
    assert result.probability("melee") == pytest.approx(missed)
    chances = {row["unit"].split(":")[0]: row["chance in melee"] for row in result.tables["units"]}
    assert chances == pytest.approx({"a": 0, "b": missed, "x": 0, "y": missed})


def test_nobody_is_in_a_melee_after_his_end(tmp_path: Path) -> None:
    """One man of ours is struck down in a melee; a later action asks whether he is still in it."""
    units = entry("one", "ours", "levy-spears,number=1", 1) + entry("bows", "ours", "archers")
    units += entry("foe", "theirs", "pikes", 1)
    strikes = action(do="attack", unit="foe", target="one")
    shoots = action(do="attack", unit="bows", target="foe", round=2, **{"if": "one in melee"})
    result = asked("plan", file=plan(tmp_path, strikes, shoots, units=units))
    missed = (8 / 20) ** 2
    assert result.probability("melee") == pytest.approx(missed)
    assert result.probability("ours.lost") == pytest.approx(1 - missed)
    assert result.pmf("damage")[0] >= 1 - missed


def test_the_content_of_the_file_is_what_is_asked(tmp_path: Path) -> None:
    one = mathhammer.question("battlefield", "plan", file=plan(tmp_path, SHOOT)).entropy(1)
    again = mathhammer.question("battlefield", "plan", file=plan(tmp_path, SHOOT)).entropy(1)
    other = mathhammer.question("battlefield", "plan", file=plan(tmp_path, CHARGE)).entropy(1)
    assert one == again
    assert one != other


def test_a_file_changed_later_changes_no_answer(tmp_path: Path) -> None:
    first = asked("plan", file=plan(tmp_path, CHARGE))
    plan(tmp_path, SHOOT)
    again = pickle.loads(pickle.dumps(first))
    for result in (first, again):
        assert any("breaks through" in row["action"] for row in result.tables["branches"])


WRONG = {
    "unknown action": (action(do="chrage", unit="horse"), ["line 17", "'chrage'", "charge"]),
    "no action": ("[[actions]]\nunit = 'horse'\n", ["line 16", "do is missing"]),
    "unknown field": (action(do="rally", unit="horse", cells=3), ["line 16", "cells is not a field"]),
    "unknown unit": (action(do="rally", unit="hors"), ["line 16", "'hors'", "horse"]),
    "own target": (action(do="attack", unit="bows", target="horse"), ["line 16", "an enemy of bows"]),
    "ranged charge": (
        action(do="charge", unit="bows", target="pikes", cells=2),
        ["line 16", "cannot charge with a long-bow"],
    ),
    "too far": (action(do="charge", unit="horse", target="pikes", cells=30), ["line 16", "at most 10"]),
    "bad condition": (
        action(do="attack", unit="bows", target="pikes", **{"if": "pikes sleeping"}),
        ["line 16", "'sleeping' is not known"],
    ),
    "condition on nobody": (
        action(do="attack", unit="bows", target="pikes", **{"if": "pike in melee"}),
        ["line 16", "'pike'", "pikes"],
    ),
    "too few around": (
        action(do="besiege", unit="bows", target="pikes", **{"with": ["horse"]}),
        ["line 16", "at least 2 more units"],
    ),
    "three actions": (SHOOT * 3, ["line 26", "0 of 2 actions left"]),
    "charge after an action": (
        action(do="push", unit="horse", target="pikes") + CHARGE,
        ["line 21", "1 of 2 actions left", "charge takes 2"],
    ),
    "turns out of order": (
        SHOOT + action(do="attack", unit="pikes", target="bows") + SHOOT,
        ["line 26", "round = 2"],
    ),
    "rounds descending": (
        action(do="rally", unit="bows", round=2) + action(do="rally", unit="bows", round=1),
        ["line 21", "at least 2"],
    ),
    "nothing to reload": (action(do="reload", unit="bows"), ["line 16", "no firearm"]),
}


@pytest.mark.parametrize("name", WRONG)
def test_mistakes_are_told_with_their_line(name: str, tmp_path: Path) -> None:
    actions, words = WRONG[name]
    with pytest.raises(InputError) as wrong:
        asked("plan", file=plan(tmp_path, actions))
    line = wrong.value.lines[0]
    assert all(word in line for word in words), line
    assert all("\n" not in told_line and "--" not in told_line for told_line in wrong.value.lines)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    file = plan(tmp_path, action(do="fly", unit="bows"), action(do="attack", unit="bows", foe="pikes"))
    with pytest.raises(InputError) as wrong:
        asked("plan", file=file)
    assert len(wrong.value.lines) == 3  # the unknown action, the unknown field, the missing target


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds nothing"),
        ("units = 3\n", "units is a list of tables"),
        ("nonsense", "is not TOML"),
        (UNITS, "actions is a list of tables"),
        (UNITS.replace("ours", "theirs") + SHOOT, "both sides"),
        (UNITS.replace('"bows"', '"horse"') + SHOOT, "there twice"),
        (UNITS.replace('"bows"', '"the bows"') + SHOOT, "id is a word"),
        (UNITS.replace("archers", "archrs") + SHOOT, "did you mean archers"),
        ("weather = 1\n" + UNITS + SHOOT, "'weather' is none of"),
    ],
)
def test_files_that_are_no_plans(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(InputError) as wrong:
        asked("plan", file=str(path))
    assert any(words in line for line in wrong.value.lines), wrong.value.lines


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(InputError, match="no such file"):
        asked("plan", file="no-such-plan.toml")


@pytest.mark.rule("BF-01")
def test_a_unit_lost_to_a_counter_at_the_same_time_is_told(tmp_path: Path) -> None:
    """Damage that is not only noted is tracked, in whatever view of the battle it is dealt."""
    units = entry("pikes", "ours", "pikes,attack=40,damage=10") + entry(
        "few", "theirs", "halberdiers,number=5"
    )
    path = plan(tmp_path, action(do="attack", unit="few", target="pikes"), units=units)
    for timing in ("after", "together"):
        rules = {"counter_timing": timing, "natural_attack": "nothing"}
        assert asked("plan", file=path, rules=rules).probability("lost") == pytest.approx(1)


@pytest.mark.rule("BF-13")
def test_a_unit_that_a_siege_destroys_is_lost(tmp_path: Path) -> None:
    ours = [entry(f"o{n}", "ours", "halberdiers,attack=40") for n in range(3)]
    units = "".join(ours) + entry("few", "theirs", "pikes,number=60")
    siege = action(do="besiege", unit="o0", target="few").rstrip() + '\nwith = ["o1", "o2"]\n'
    result = asked("plan", file=plan(tmp_path, siege, units=units), rules={"natural_attack": "nothing"})
    assert result.probability("lost") == pytest.approx(1)
