"""Each mistake is one clear line: which option or unit, which field, what was given, what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mathhammer
from mathhammer import InputError
from tests.cli.conftest import refused
from tests.games.confrontation_aor.units import unit

GUN = unit(name="Gun", count=0, groups={"gun": {"category": "war-machine", "ranged": 5}})
MACHINE = unit(name="Gun", count=0, groups={"gun": {"category": "war-machine", "area": 3, "ranged": 5}})

# What is asked, and what its one line says.
WRONG: dict[str, tuple[str, Any, Any, dict[str, Any], tuple[str, ...]]] = {
    # -- shooting
    "no marksman": ("shoot", "conscripts", "conscripts", {}, ("Conscripts", "ranged", "AOR-07")),
    "only an area weapon": ("shoot", "field-gun", "conscripts", {}, ("Field Gun", "aor area", "AOR-07")),
    "an engaged shooter": (
        "shoot",
        "marksmen",
        "conscripts",
        {"engaged": True},
        ("engaged", "Marksmen", "not free", "AOR-07"),
    ),
    "an engaged target": (
        "shoot",
        "marksmen",
        "conscripts",
        {"target_engaged": True},
        ("target_engaged", "AOR-07"),
    ),
    "more see it than there are": (
        "shoot",
        "marksmen",
        "conscripts",
        {"seeing": 9},
        ("seeing", "at most the 8", "not 9", "AOR-07"),
    ),
    "nobody sees it": (
        "shoot",
        "marksmen",
        "conscripts",
        {"seeing": 0},
        ("seeing", "from 1 to 100", "not 0"),
    ),
    "a machine without crew": ("shoot", GUN, "conscripts", {}, ("Gun", "crew", "AOR-29")),
    "a machine without crew that assaults": ("assault", MACHINE, "conscripts", {}, ("Gun", "crew", "AOR-29")),
    # -- distances
    "a distance below 0": (
        "assault",
        "conscripts",
        "conscripts",
        {"distance": "-5"},
        ("distance", "18..24", "20~2", "'-5'", "AOR-04"),
    ),
    "a distance out of sight": (
        "assault",
        "conscripts",
        "conscripts",
        {"distance": "5000"},
        ("distance", "at most 1", "5000"),
    ),
    "no distance at all": (
        "fight",
        "conscripts",
        "conscripts",
        {"distance": ""},
        ("distance", "18..24", "''"),
    ),
    "a distance in words": (
        "shoot",
        "marksmen",
        "conscripts",
        {"distance": "far"},
        ("distance", "18..24", "'far'"),
    ),
    "a range that falls": (
        "shoot",
        "marksmen",
        "conscripts",
        {"distance": "24..18"},
        ("distance", "ascends", "'24..18'"),
    ),
    "a distance of who touches (assault)": (
        "assault",
        "conscripts",
        "conscripts",
        {"distance": "5", "engaged": True},
        ("distance", "engaged", "AOR-04"),
    ),
    "a distance of who touches (fight)": (
        "fight",
        "conscripts",
        "conscripts",
        {"distance": "5", "engaged": True},
        ("distance", "engaged", "AOR-04"),
    ),
    "an edge beyond the table": (
        "fight",
        "conscripts",
        "conscripts",
        {"edge": 1001},
        ("edge", "from 0 to 1000", "not 1001"),
    ),
    # -- who touches
    "a front wider than the unit": (
        "assault",
        "conscripts,count=5",
        "conscripts",
        {"files": 6},
        ("files", "at most 5", "Conscripts", "not 6", "AOR-11"),
    ),
    "a defender's front wider than the unit": (
        "fight",
        "heavy-infantry",
        "conscripts,count=5",
        {"defender_files": 6},
        ("defender_files", "at most 5", "Conscripts", "not 6", "AOR-11"),
    ),
    "nobody in contact": (
        "fight",
        "conscripts",
        "conscripts",
        {"contact": 0},
        ("contact", "from 1 to 100", "not 0"),
    ),
    "an unknown group strikes": (
        "assault",
        "conscripts",
        "captains-staff",
        {"split": "rank:captain=1"},
        ("split", "attacker", "'rank'", "did you mean ranks"),
    ),
    "an unknown group is struck": (
        "assault",
        "conscripts",
        "captains-staff",
        {"split": "ranks:captian=1"},
        ("split", "defender", "'captian'", "did you mean captain"),
    ),
    "more dice than there are": (
        "assault",
        "conscripts",
        "captains-staff",
        {"split": "ranks:captain=8, ranks:standard=5"},
        ("split", "ranks", "12 dice", "not 13", "AOR-11"),
    ),
    "a pair that is split twice": (
        "assault",
        "conscripts",
        "captains-staff",
        {"split": "ranks:captain=1,ranks:captain=2"},
        ("split", "'ranks:captain=2'", "twice"),
    ),
    "a split that is none": (
        "assault",
        "conscripts",
        "captains-staff",
        {"split": "ranks=3"},
        ("split", "'ranks=3'", "STRIKERS:TARGET=DICE", "ranks:leader=3"),
    ),
    # -- power
    "a charge without Power": (
        "assault",
        unit(name="Mine", power=None),
        "conscripts",
        {},
        ("Mine", "power", "missing", "AOR-05"),
    ),
    "a charge at a unit without Power": (
        "assault",
        "conscripts",
        unit(name="Theirs", power=None),
        {},
        ("Theirs", "power", "missing", "AOR-05"),
    ),
    "a fight of cavalry without Power": (
        "fight",
        unit(name="Riders", power=None, category="light-cavalry"),
        "light-cavalry",
        {},
        ("Riders", "power", "missing", "AOR-21"),
    ),
    # -- tactics
    "Kill Them All of the weak": (
        "assault",
        "heavy-infantry",
        "conscripts",
        {"tactic": "kill-them-all"},
        ("tactic kill-them-all", "7 or more", "Heavy Infantry", "has 6", "AOR-20"),
    ),
    "Kill Them All of a defender who is weak": (
        "fight",
        "conscripts",
        "heavy-infantry",
        {"defender_tactic": "kill-them-all"},
        ("defender_tactic kill-them-all", "7 or more", "Heavy Infantry", "has 6", "AOR-20"),
    ),
    "Kill Them All without a charge": (
        "assault",
        "great-beast",
        "conscripts,count=11",
        {"tactic": "kill-them-all", "engaged": True},
        ("tactic kill-them-all", "charge", "engaged", "AOR-20"),
    ),
    "Kill Them All with too little Power": (
        "assault",
        "great-beast",
        "heavy-infantry",
        {"tactic": "kill-them-all"},
        ("tactic kill-them-all", "charge", "Power 12", "20", "AOR-20"),
    ),
    "Fall Back of who never leaves": (
        "fight",
        "conscripts",
        "conscripts",
        {"tactic": "fall-back"},
        ("fall-back", "leaves", "half or always", "AOR-16"),
    ),
    "Fall Back of a defender who never leaves": (
        "fight",
        "conscripts",
        "conscripts",
        {"defender_tactic": "fall-back", "leaves": "half"},
        ("fall-back", "defender_leaves", "half or always", "AOR-16"),
    ),
    "Get a Move On of an attacker who waits": (
        "fight",
        "conscripts",
        "conscripts",
        {"tactic": "get-a-move-on", "waits": "attacker", "distance": 90},
        ("get-a-move-on", "waits", "AOR-19"),
    ),
    "Get a Move On of a defender who waits": (
        "fight",
        "conscripts",
        "conscripts",
        {"defender_tactic": "get-a-move-on", "waits": "defender", "distance": 90},
        ("get-a-move-on", "waits", "AOR-19"),
    ),
    "a tactic of another mode": (
        "shoot",
        "marksmen",
        "conscripts",
        {"tactic": "cry-havoc"},
        ("tactic", "none, lightning-strike", "'cry-havoc'"),
    ),
    "Lightning Strike of an engaged unit": (
        "shoot",
        "marksmen",
        "conscripts",
        {"tactic": "lightning-strike", "engaged": True},
        ("engaged", "Marksmen", "AOR-07"),
    ),
    # -- staffs
    "a staff without an incarnate": (
        "assault",
        "conscripts",
        "conscripts",
        {"attacker_staff": ["heavy-infantry"]},
        ("Heavy Infantry", "incarnate", "AOR-24"),
    ),
    "a staff of an incarnate alone": (
        "assault",
        "conscripts",
        "conscripts",
        {"defender_staff": ["magicians"]},
        ("Magicians", "musician or a standard", "AOR-24"),
    ),
    "a staff's word": (
        "fight",
        "conscripts",
        "conscripts",
        {"attacker_staff": ["captains-staff@near"]},
        ("attacker_staff", "'near'", "unseen, far, rout"),
    ),
    # -- cards
    "Courage and Fear": (
        "fight",
        "conscripts,fear=3",
        "conscripts",
        {},
        ("conscripts", "courage", "both", "AOR-06"),
    ),
    "damage of the dead": (
        "fight",
        "light-cavalry,damage=2",
        "conscripts",
        {},
        ("light-cavalry", "damage", "2 wounds", "not 2", "AOR-13"),
    ),
    "damage of a dead captain": (
        "fight",
        "captains-staff,groups.captain.damage=3",
        "conscripts",
        {},
        ("groups.captain", "damage", "3 wounds", "not 3", "AOR-13"),
    ),
    "fewer at the start than now": (
        "fight",
        "conscripts,start=11",
        "conscripts",
        {},
        ("conscripts", "start", "at least the 12", "not 11", "AOR-21"),
    ),
    "nobody": (
        "fight",
        "conscripts,count=0",
        "conscripts",
        {},
        ("conscripts", "count", "a fighter at least"),
    ),
    "too many": (
        "fight",
        "conscripts,count=101",
        "conscripts",
        {},
        ("conscripts", "count", "0 to 100", "101"),
    ),
    "a movement between": (
        "fight",
        "conscripts,movement=10.3",
        "conscripts",
        {},
        ("conscripts", "movement", "steps of 0.5", "10.3"),
    ),
    "no category": (
        "fight",
        "conscripts,category=dragon",
        "conscripts",
        {},
        ("conscripts", "category", "infantry, light-cavalry", "'dragon'"),
    ),
    # -- rules
    "a column without a score": (
        "assault",
        "conscripts",
        "conscripts",
        {"rules": {"resolution_table": "-1:4 2"}},
        ("resolution_table", "DIFFERENCE:SCORE", "'2'"),
    ),
    "a score of 7": (
        "assault",
        "conscripts",
        "conscripts",
        {"rules": {"resolution_table": "-1:7"}},
        ("resolution_table", "DIFFERENCE:SCORE", "'-1:7'"),
    ),
    "columns that fall": (
        "assault",
        "conscripts",
        "conscripts",
        {"rules": {"resolution_table": "2:5 -1:4"}},
        ("resolution_table", "differences ascend", "'2:5 -1:4'"),
    ),
    "a better column that is worse": (
        "assault",
        "conscripts",
        "conscripts",
        {"rules": {"resolution_table": "-1:4 2:5"}},
        ("resolution_table", "scores fall", "'-1:4 2:5'"),
    ),
    "an empty table": (
        "assault",
        "conscripts",
        "conscripts",
        {"rules": {"resolution_table": " "}},
        ("resolution_table", "' '"),
    ),
    "an unknown reading": (
        "assault",
        "conscripts",
        "conscripts",
        {"rules": {"bonus_die": "twice"}},
        ("bonus_die", "chain, once, none", "'twice'"),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_told_in_one_line(name: str) -> None:
    mode, attacker, defender, options, said = WRONG[name]
    with pytest.raises(InputError) as told:
        mathhammer.exact("aor", mode, attacker, defender, **options)
    assert len(told.value.lines) == 1
    line = told.value.lines[0]
    assert "\n" not in line
    assert not [part for part in said if part not in line], line


def test_two_cards_without_power_are_two_lines() -> None:
    with pytest.raises(InputError) as told:
        mathhammer.exact("aor", "assault", unit(name="Mine", power=None), unit(name="Theirs", power=None))
    assert [line.partition(":")[0] for line in told.value.lines] == ["Mine", "Theirs"]


# -- users' files ----------------------------------------------------------------------------------------
CARD = {"name": '"Mine"', "movement": "10", "attack": "4", "strength": "4", "defence": "4", "resilience": "4"}


def card(folder: Path, groups: str = "", **fields: str) -> str:
    """The path of a file with one unit."""
    lines = [f"{name} = {value}" for name, value in {**CARD, "power": "1", "courage": "4", **fields}.items()]
    path = folder / "mine.toml"
    path.write_text("\n".join(line for line in lines if not line.endswith(" = ")) + "\n" + groups)
    return str(path)


FILES: dict[str, tuple[dict[str, str], str, tuple[str, ...]]] = {
    "neither Courage nor Fear": ({"courage": ""}, "", ("courage or fear", "none", "AOR-06")),
    "both Courage and Fear": ({"fear": "3"}, "", ("courage or fear", "both", "courage=-,fear=4", "AOR-06")),
    "both in a group": (
        {},
        "[groups.leader]\ncourage = 3\nfear = 3\n",
        ("groups.leader", "courage or fear", "both", "AOR-06"),
    ),
    "an order of other groups": (
        {"order": '["leader", "rank"]'},
        "[groups.leader]\n",
        ("order", "ranks, leader", "leader, rank", "AOR-11"),
    ),
    "an order that leaves one out": (
        {"order": '["ranks"]'},
        "[groups.leader]\n",
        ("order", "ranks, leader", "not ranks", "AOR-11"),
    ),
    "a group named ranks": ({}, "[groups.ranks]\n", ("groups", "'ranks'")),
    "damage not below wounds": (
        {"wounds": "2", "damage": "2"},
        "",
        ("damage", "2 wounds", "not 2", "AOR-13"),
    ),
    "start below count": ({"count": "5", "start": "4"}, "", ("start", "at least the 5", "not 4", "AOR-21")),
    "an unknown role": ({"roles": '["captain"]'}, "", ("roles", "incarnate", "'captain'")),
    "an unknown field of a group": ({}, "[groups.leader]\nlife = 2\n", ("groups.leader", "life")),
}


@pytest.mark.parametrize("name", FILES)
def test_a_mistake_in_a_file_names_the_file_and_the_field(name: str, tmp_path: Path) -> None:
    fields, groups, said = FILES[name]
    path = card(tmp_path, groups, **fields)
    with pytest.raises(InputError) as told:
        mathhammer.exact("aor", "assault", path, "conscripts")
    assert len(told.value.lines) == 1
    line = told.value.lines[0]
    assert "\n" not in line
    assert not [part for part in ("mine.toml", *said) if part not in line], line


def test_an_order_in_a_change_is_written_with_plus_signs() -> None:
    order = "captains-staff,order=captain+ranks+standard+musician"
    assert mathhammer.exact("aor", "assault", "conscripts", order, defender_contact=1).mean("kills") < 1
    with pytest.raises(InputError, match="order names each of ranks, captain, standard, musician once"):
        mathhammer.exact("aor", "assault", "conscripts", "captains-staff,order=captain+ranks")


def test_a_good_file_is_answered(tmp_path: Path) -> None:
    path = card(tmp_path, '[groups.leader]\nfear = 3\nroles = ["incarnate"]\n')
    assert mathhammer.exact("aor", "assault", path, "conscripts").probability("reaches") == pytest.approx(1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("shoot conscripts marksmen", "no marksman"),
        ("fight conscripts marksmen --tactic fall-back", "--leaves"),
        ("fight conscripts marksmen --defender-leaves sometimes", "never, half, always"),
        ("assault conscripts marksmen --attacker-staff marksmen", "incarnate"),
        ("assault conscripts marksmen --rule resolution_table=4+", "DIFFERENCE:SCORE"),
        ("fight conscripts marksmen --distance 12 --engaged", "--engaged"),
        ("assault conscripts marksmen --distance -5", "AOR-04"),
        ("shoot marksmen conscripts --distance -5", "AOR-07"),
        ("area field-gun conscripts --distance 1..2000", "AOR-07"),
    ],
)
def test_the_command_line_refuses_with_code_2_and_a_line(line: str, said: str) -> None:
    told = refused("aor", *line.split())
    assert said in told
    assert len(told.strip().splitlines()) == 1
