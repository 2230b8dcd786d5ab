"""`area`: reference values, every throw enumerated, the literal referee, each reading by hand, bad input."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle

import mathhammer
from mathhammer.core.engine import Engine
from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup, Placed
from mathhammer.games import load
from mathhammer.games.confrontation_aor.area import area
from mathhammer.games.confrontation_aor.area_picture import picture
from mathhammer.games.confrontation_aor.area_tables import tables
from mathhammer.games.confrontation_aor.blast import WIDEST, sizes
from mathhammer.games.confrontation_aor.layout import formation_of
from mathhammer.games.confrontation_aor.profile import Unit
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.situations import Area
from tests.games.confrontation_aor.units import profile, unit
from tests.literal import confrontation_aor as literal
from tests.oracle import agrees

Chances = dict[Any, float]
TRIALS = 6_000

# Two cases of an independent program: bases of 2.5 cm in base contact, aim counted from 0.
REFERENCE: dict[str, dict[str, Any]] = {
    "aor-area-1": {
        "dice": 3,
        "action_minus_difficulty": 0,
        "area": 2.0,
        "strength_minus_resilience": 2,
        "files": 5,
        "ranks": 2,
        "aim": 2,
        "bonus_die": "chain",
        "covered": {
            1: 0.03125,
            2: 0.083333333333,
            3: 0.107638888889,
            4: 0.114583333333,
            6: 0.131944444444,
            7: 0.048611111111,
            8: 0.209683641975,
            9: 0.013888888889,
            10: 0.259066358025,
        },
        "kills": {
            0: 0.0253173364,
            1: 0.096199952635,
            2: 0.136007135588,
            3: 0.131253617505,
            4: 0.130152504924,
            5: 0.144412498748,
            6: 0.140355470594,
            7: 0.10513325434,
            8: 0.060472122887,
            9: 0.024535774191,
            10: 0.006160332186,
        },
        "mean_kills": 4.348915466392313,
    },
    "aor-area-2": {
        "dice": 2,
        "action_minus_difficulty": -2,
        "area": 3.0,
        "strength_minus_resilience": 0,
        "files": 4,
        "ranks": 3,
        "aim": 5,
        "bonus_die": "none",
        "covered": {
            6: 0.296296296296,
            7: 0.148148148148,
            8: 0.296296296296,
            9: 0.148148148148,
            12: 0.111111111111,
        },
        "kills": {
            0: 0.007260923032,
            1: 0.048068576389,
            2: 0.138364438657,
            3: 0.228190104167,
            4: 0.240858289931,
            5: 0.174840856481,
            6: 0.094509548611,
            7: 0.042317708333,
            8: 0.017189308449,
            9: 0.006257233796,
            10: 0.001790364583,
            11: 0.000325520833,
            12: 2.7126736e-05,
        },
        "mean_kills": 3.9259259259259247,
    },
}


# -- asking --------------------------------------------------------------------------------------
def rules(**changes: Any) -> Rules:
    """The shipped rules with some changed."""
    values = load("aor").ruleset("default").values
    return Rules.model_validate({**values.model_dump(), **changes})


def gun(**fields: Any) -> Unit:
    """A weapon of one die that needs 4+ in band 0."""
    return unit(**{"name": "Gun", "ranged": 0, "ranged_dice": 1, "ranged_strength": 4, "area": 2.0, **fields})


def asked(
    attacker: Unit, defender: Unit, situation: Mapping[str, Any] | None = None, **changes: Any
) -> Matchup:
    units = {"attacker": (Placed(attacker),), "defender": (Placed(defender),)}
    return Matchup(units=units, situation=Area(**(situation or {})), rules=rules(**changes))


class Answer:
    """The exact answer."""

    def __init__(self, matchup: Matchup) -> None:
        self.matchup = matchup
        self.tally = Engine(area(matchup)).exact()

    def pmf(self, name: str) -> Chances:
        return {value: float(chance) for value, chance in self.tally.at_end(name).items()}

    def mean(self, name: str) -> float:
        return math.fsum(value * chance for value, chance in self.pmf(name).items())

    def chance(self, event: str) -> float:
        return self.pmf(event).get(1, 0.0)

    def joint(self, *names: str) -> Chances:
        """The chance of each combination of measures."""
        assert self.tally.joint is not None
        ends = self.tally.joint.settle()
        assert ends is not None
        found: Chances = {}
        rows = zip(*(ends.columns[name].tolist() for name in names), strict=True)
        for row, weight in zip(rows, ends.weights.tolist(), strict=True):
            found[row] = found.get(row, 0.0) + weight
        return found

    @property
    def tables(self) -> dict[str, list[dict[str, Any]]]:
        return tables(self.matchup, {})


def answer(
    attacker: Unit, defender: Unit, situation: Mapping[str, Any] | None = None, **changes: Any
) -> Answer:
    return Answer(asked(attacker, defender, situation, **changes))


def is_the_same(found: Chances, expected: Chances, within: float = 1e-9) -> None:
    for value in {*found, *expected}:
        assert found.get(value, 0.0) == pytest.approx(expected.get(value, 0.0), abs=within), value


# -- reference values ----------------------------------------------------------------------------
@pytest.mark.rule("AOR-10")
@pytest.mark.parametrize("name", REFERENCE)
def test_reference_values(name: str) -> None:
    case = REFERENCE[name]
    attacker = gun(
        ranged=case["action_minus_difficulty"] + 10,
        ranged_dice=case["dice"],
        ranged_strength=4 + case["strength_minus_resilience"],
        area=case["area"],
    )
    situation = {"distance": "100", "files": case["files"], "aim": case["aim"] + 1}
    found = answer(
        attacker, unit(count=case["files"] * case["ranks"]), situation, bonus_die=case["bonus_die"]
    )
    is_the_same(found.pmf("covered"), case["covered"])
    is_the_same(found.pmf("kills"), case["kills"])
    assert found.mean("kills") == pytest.approx(case["mean_kills"], abs=1e-9)
    assert found.mean("damage") == pytest.approx(case["mean_kills"], abs=1e-9)


@pytest.mark.rule("AOR-10")
def test_public_case_four_dice_at_one_half() -> None:
    """CF04: each failed test drifts the template by one centimetre."""
    found = answer(gun(ranged_dice=4), unit(count=4), bonus_die="none")
    assert found.chance("stays") == pytest.approx(1 / 16, abs=1e-12)
    assert found.mean("drift") == pytest.approx(2, abs=1e-12)
    assert sum(p for cm, p in found.pmf("drift").items() if cm >= 3) == pytest.approx(5 / 16, abs=1e-12)


# -- every throw enumerated ----------------------------------------------------------------------
def thrown(question: Mapping[str, Any]) -> Iterator[tuple[float, float, float, float, int]]:
    """Each throw without bonus dice: its chance, where it lands, the radius, Strength tests."""
    dice, need = question["dice"], question["need"]
    for faces in itertools.product(range(1, 7), repeat=dice):
        hits = sum(face >= need for face in faces)
        wide = question["area"] * max(1, hits)
        for way in range(6):
            bearing = math.radians(60 * way + question["away"])
            drift = dice - hits
            yield (
                1 / 6 ** (dice + 1),
                drift * math.sin(bearing),
                drift * math.cos(bearing),
                min(10.0, wide),
                2 if wide > 10 else 1,
            )


def enumerated(question: Mapping[str, Any]) -> Chances:
    """Chances of (covered, kills, damage, losses of the first group, friends lost), fighter by fighter.

    Fighters: (x, y, radius, wounds left, need of a Strength die, group; None for a friend).
    """
    found: Chances = {}
    aim_x, aim_y = question["fighters"][question["aim"]][:2]
    for chance, x, y, radius, tests in thrown(question):
        under = [
            fighter
            for fighter in question["fighters"]
            if math.hypot(fighter[0] - aim_x - x, fighter[1] - aim_y - y) < radius + fighter[2] - 1e-9
        ]
        for damages in itertools.product(range(tests + 1), repeat=len(under)):
            weight, kills, damage, first, friends = chance, 0, 0, 0, 0
            for hits, (_, _, _, left, need, group) in zip(damages, under, strict=True):
                p = (7 - need) / 6
                weight *= math.comb(tests, hits) * p**hits * (1 - p) ** (tests - hits)
                dead = hits >= left
                friends += dead and group is None
                if group is not None:
                    kills += dead
                    damage += min(hits, left)
                    first += dead and group == 0
            key = (sum(fighter[5] is not None for fighter in under), kills, damage, first, friends)
            found[key] = found.get(key, 0.0) + weight
    return found


SMALL: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "alike": (
        {"ranged_dice": 2, "area": 1.0, "ranged_strength": 6},
        {"count": 4},
        {"aim": 2},
        {
            "dice": 2,
            "need": 4,
            "area": 1.0,
            "away": 0,
            "aim": 1,
            "fighters": [
                (0, 0, 1.25, 1, 3, 0),
                (2.5, 0, 1.25, 1, 3, 0),
                (0, 2.5, 1.25, 1, 3, 0),
                (2.5, 2.5, 1.25, 1, 3, 0),
            ],
        },
    ),
    "two tests, wounds, a wounded one": (
        {"ranged_dice": 2, "area": 6.0, "ranged": 2},
        {"count": 3, "wounds": 2, "damage": 1, "groups": {"leader": {"resilience": 6, "wounds": 1}}},
        {"files": 2, "spacing": 6.5, "away": 30},
        {
            "dice": 2,
            "need": 3,
            "area": 6.0,
            "away": 30,
            "aim": 0,
            "fighters": [
                (0, 0, 1.25, 1, 4, 0),
                (9, 0, 1.25, 2, 4, 0),
                (0, 9, 1.25, 2, 4, 0),
                (9, 9, 1.25, 1, 5, 1),
            ],
        },
    ),
    "places given, friends, two sizes": (
        {"ranged_dice": 2, "area": 2.0, "ranged_strength": 7, "resilience": 5},
        {
            "count": 2,
            "positions": [[1, 1], [4, 2], [1.5, 5]],
            "groups": {"rider": {"base": 40, "wounds": 2, "resilience": 7}},
            "order": ["rider", "ranks"],
        },
        {"aim": 3, "friends": "4.1,4.9 -1,7"},
        {
            "dice": 2,
            "need": 4,
            "area": 2.0,
            "away": 0,
            "aim": 2,
            "fighters": [
                (1, 1, 2.0, 2, 4, 0),
                (4, 2, 1.25, 1, 3, 1),
                (1.5, 5, 1.25, 1, 3, 1),
                (4.1, 4.9, 1.25, 1, 3, None),
                (-1, 7, 1.25, 1, 3, None),
            ],
        },
    ),
}


@pytest.mark.rule("AOR-08")
@pytest.mark.rule("AOR-10")
@pytest.mark.rule("AOR-13")
@pytest.mark.parametrize("name", SMALL)
def test_every_throw_enumerated(name: str) -> None:
    weapon, target, situation, question = SMALL[name]
    found, expected = answer(gun(**weapon), unit(**target), situation, bonus_die="none"), enumerated(question)
    joint: Chances = {}
    for (covered, kills, damage, _, friends), chance in expected.items():
        joint[covered, kills, damage, friends] = joint.get((covered, kills, damage, friends), 0.0) + chance
    is_the_same(found.joint("covered", "kills", "damage", "friends_lost"), joint, 1e-12)


@pytest.mark.rule("AOR-10")
@pytest.mark.parametrize("name", [name for name in SMALL if name != "alike"])
def test_joint_losses_by_group_enumerated(name: str) -> None:
    weapon, target, situation, question = SMALL[name]
    found = answer(gun(**weapon), unit(**target), situation, bonus_die="none").tables
    first, second = (row["group"] for row in found["losses_by_group"])
    expected: Chances = {}
    for (_, kills, _, of_first, _), chance in enumerated(question).items():
        expected[of_first, kills - of_first] = expected.get((of_first, kills - of_first), 0.0) + chance
    listed = {(row[first], row[second]): row["chance"] for row in found["joint_losses"]}
    is_the_same(listed, {key: p for key, p in expected.items() if p > 1e-9}, 1e-12)
    some = [sum(p for key, p in expected.items() if key[i]) for i in (0, 1)]
    assert [row["some"] for row in found["losses_by_group"]] == pytest.approx(some, abs=1e-12)


@pytest.mark.rule("AOR-10")
@pytest.mark.parametrize("damage", ["each", "pooled"])
def test_tables_add_up_to_the_measures(damage: str) -> None:
    target = unit(
        count=12,
        groups={"leader": {"resilience": 6, "wounds": 2}, "ogres": {"count": 3, "wounds": 3, "damage": 2}},
        order=["leader", "ranks", "ogres"],
    )
    situation = {"distance": "8..12", "aim": 7, "away": -40, "friends": "-3,1 14,4"}
    found = answer(gun(ranged=2, ranged_dice=4, ranged_strength=7), target, situation, area_damage=damage)
    shown = found.tables
    fighters, friends = shown["fighters"][:16], shown["fighters"][16:]
    assert math.fsum(row["falls"] for row in fighters) == pytest.approx(found.mean("kills"), abs=1e-10)
    assert math.fsum(row["covered"] for row in fighters) == pytest.approx(found.mean("covered"), abs=1e-10)
    assert math.fsum(row["falls"] for row in friends) == pytest.approx(found.mean("friends_lost"), abs=1e-10)
    assert all(row["group"] == "friends" for row in friends)
    lost = {row["group"]: row["lost"] for row in shown["losses_by_group"]}
    for name, mean in lost.items():
        own = math.fsum(row["falls"] for row in fighters if row["group"] == name)
        assert own == pytest.approx(mean, abs=1e-10)
    kills: Chances = {}
    for row in shown["joint_losses"]:
        number = sum(row[name] for name in lost)
        kills[number] = kills.get(number, 0.0) + row["chance"]
    is_the_same(kills, found.pmf("kills"), 2e-7)  # combinations under 1e-9 are not listed
    landing = shown["landings"]
    assert math.fsum(row["chance"] for row in landing) == pytest.approx(1, abs=1e-6)
    mean = math.fsum(row["chance"] * row["covered"] for row in landing)
    assert mean == pytest.approx(found.mean("covered"), abs=1e-5)
    assert math.fsum(row["chance"] * row["drift"] for row in landing) == pytest.approx(
        found.mean("drift"), abs=1e-5
    )


@pytest.mark.rule("AOR-09")
@pytest.mark.rule("AOR-10")
def test_pooled_damage_kills_the_nearest_of_those_with_least_wounds_left() -> None:
    """All three are covered, with one test each at 5+: of the two with one wound the nearer falls first."""
    target = unit(groups={"a": {"wounds": 3}, "b": {"wounds": 1}, "c": {"wounds": 1}}, count=0)
    weapon = gun(ranged=6, ranged_dice=1, area=9.5, ranged_strength=2)
    found = answer(weapon, target, {"files": 1}, bonus_die="none", area_damage="pooled")
    falls = {row["group"]: row["falls"] for row in found.tables["fighters"]}
    assert falls == pytest.approx({"a": 0.0, "b": 1 - (2 / 3) ** 3, "c": 7 / 27}, abs=1e-12)
    away = answer(weapon, target, {"files": 1, "away": 180}, bonus_die="none", area_damage="pooled")
    falls = {row["group"]: row["falls"] for row in away.tables["fighters"]}
    assert falls == pytest.approx({"a": 0.0, "c": 1 - (2 / 3) ** 3, "b": 7 / 27}, abs=1e-12)


# -- the literal referee -------------------------------------------------------------------------
TARGET = {
    "count": 7,
    "groups": {"leader": {"resilience": 5, "wounds": 2}, "beast": {"base": 50, "wounds": 3, "damage": 1}},
    "order": ["leader", "ranks", "beast"],
}
SHOT = {"ranged": 2, "ranged_dice": 3, "ranged_strength": 4, "area": 1.5, "count": 2}
REFEREED: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "page": ({}, {"aim": 5, "distance": "14"}, {}),
    "turned, with friends": ({}, {"aim": 2, "away": 75, "friends": "-6,0 -6,4.5"}, {}),
    "original dice drift": ({}, {"aim": 5, "spacing": 1.0}, {"drift_counts": "original_dice"}),
    "one bonus die": ({"area": 0.7}, {"aim": 4}, {"bonus_die": "once"}),
    "no bonus dice": ({"area": 6.0}, {"aim": 9, "interference": True}, {"bonus_die": "none"}),
    "plus successes": ({"area": 6.5}, {"aim": 1, "spacing": 3.0}, {"area_growth": "plus_successes"}),
    "times dice": ({"area": 1.1}, {"aim": 5, "distance": "10"}, {"area_growth": "times_dice"}),
    "the lower band": ({"area": 1.0}, {"aim": 5, "distance": "10"}, {"range_band": "lower_at_border"}),
    "never": ({"ranged": 1}, {"distance": "70"}, {}),
}


def refereed(matchup: Matchup, changes: Mapping[str, Any], seed: int) -> Counter[Any]:
    """What the referee sees: (drift, covered, kills, damage, friends lost)."""
    formation, situation = formation_of(matchup), matchup.situation
    weapon, target = matchup.unit("attacker"), matchup.unit("defender")
    cards = [(profile(g), g.damage if i == 0 else 0) for g in target.fighters for i in range(g.count)]
    friend = profile(weapon.fighters[0])
    fighters = [
        literal.Placed(*((cards[i][0], x, y, cards[i][1]) if i < len(cards) else (friend, x, y, 0, True)))
        for i, (x, y) in enumerate(formation.centres.tolist())
    ]
    rng, seen, page = Random(seed), Counter[Any](), literal.page(**changes)
    for _ in range(TRIALS):
        done: Any = literal.area(
            rng,
            profile(weapon.fighters[0]),
            fighters,
            situation.aim - 1,
            page,
            marksmen=weapon.fighters[0].count,
            distance=float(situation.distance),
            interference=situation.interference,
            away=float(situation.away),
        )
        covered = sum(i < len(cards) for i in done["covered"])
        damage = sum(done["damage"][: len(cards)]) - sum(hurt for _, hurt in cards)
        seen[done["drift"], covered, done["kills"], damage, done["friends_killed"]] += 1
    return seen


@pytest.mark.rule("AOR-07")
@pytest.mark.rule("AOR-08")
@pytest.mark.rule("AOR-10")
@pytest.mark.rule("AOR-13")
@pytest.mark.parametrize("name", REFEREED)
def test_the_referee_agrees_and_would_notice(name: str) -> None:
    """Whole distributions; a Strength one pip easier is rejected. False-failure rate 1e-6."""
    weapon, situation, changes = REFEREED[name]
    attacker, target = gun(**{**SHOT, **weapon}), unit(**TARGET)
    seen = refereed(asked(attacker, target, situation, **changes), changes, seed=7 + len(name))
    names = ("drift", "covered", "kills", "damage", "friends_lost")
    assert agrees(seen, answer(attacker, target, situation, **changes).joint(*names))
    if name == "never":
        return
    easier = gun(**{**SHOT, **weapon, "ranged_strength": 6})  # 3+ for 4+ against the ranks
    assert not agrees(seen, answer(easier, target, situation, **changes).joint(*names))


@pytest.mark.rule("AOR-10")
def test_a_die_more_would_be_noticed() -> None:
    weapon, situation, changes = REFEREED["page"]
    target = unit(**TARGET)
    seen = refereed(asked(gun(**SHOT, **weapon), target, situation, **changes), changes, seed=3)
    drifts: Counter[Any] = Counter()
    for (drift, *_), count in seen.items():
        drifts[drift] += count
    assert agrees(drifts, answer(gun(**SHOT), target, situation).pmf("drift"))
    assert not agrees(
        drifts, answer(gun(**{**SHOT, "ranged_dice": 4, "count": 2}), target, situation).pmf("drift")
    )


# -- each reading by hand ------------------------------------------------------------------------
@pytest.mark.rule("AOR-10")
@pytest.mark.parametrize(
    ("bonus", "counts", "drifts"),
    [
        ("chain", "all_dice", 0.6),  # 1/2 + 1/6 of the same again
        ("once", "all_dice", 7 / 12),
        ("none", "all_dice", 0.5),
        ("chain", "original_dice", 0.5),
        ("once", "original_dice", 0.5),
    ],
)
def test_drift_counts(bonus: str, counts: str, drifts: float) -> None:
    found = answer(gun(), unit(), bonus_die=bonus, drift_counts=counts)
    assert found.pmf("drift") == pytest.approx({0: 1 - drifts, 1: drifts}, abs=1e-12)


@pytest.mark.rule("AOR-10")
@pytest.mark.parametrize(
    ("growth", "radii", "tests"),
    [
        ("times_successes", [4, 4, 8, 10], [1, 1, 1, 2]),
        ("plus_successes", [4, 5, 6, 7, 8, 9, 10, 10], [1, 1, 1, 1, 1, 1, 1, 2]),
        ("times_dice", [4, 10], [1, 2]),
    ],
)
def test_area_growth(growth: str, radii: list[float], tests: list[int]) -> None:
    wide, counts = sizes(4.0, 3, rules(area_growth=growth))
    assert (wide.tolist(), counts.tolist()) == (radii, tests)


@pytest.mark.rule("AOR-10")
@pytest.mark.parametrize(
    ("growth", "radius"), [("times_successes", 1.5), ("plus_successes", 2.5), ("times_dice", 3.0)]
)
def test_area_growth_over_bases(growth: str, radius: float) -> None:
    """One die of two succeeds, and the other drifts it by 1 cm over a row of bases."""
    row = unit(count=3, positions=[[0, 0], [0, 2.5], [0, 5.2]])
    found = answer(gun(ranged_dice=2, area=1.5), row, bonus_die="none", area_growth=growth)
    (listed,) = [row for row in found.tables["landings"] if row["drift"] == 1]
    assert (listed["radius"], listed["chance"]) == (radius, pytest.approx(1 / 2))
    covered = 0
    for way in range(6):
        x, y = math.sin(math.radians(60 * way)), math.cos(math.radians(60 * way))
        covered += sum(math.hypot(x, base - y) < radius + 1.25 for base in (0, 2.5, 5.2))
    assert listed["covered"] == pytest.approx(covered / 6, abs=1e-12)


@pytest.mark.rule("AOR-10")
@pytest.mark.parametrize(("touching", "covered"), [(False, 1), (True, 2)])
def test_area_touching(touching: bool, covered: int) -> None:
    """Always hits: radius 1.25, and the second base begins at 1.25."""
    found = answer(gun(ranged=6, area=1.25), unit(count=2), bonus_die="none", area_touching=touching)
    assert found.pmf("covered") == {covered: pytest.approx(1)}


@pytest.mark.rule("AOR-10")
@pytest.mark.parametrize(
    ("turn", "away", "chance"), [(0, 0, 0.0), (30, 0, 1 / 6), (0, 30, 1 / 6), (20, 10, 1 / 6)]
)
def test_area_turn(turn: int, away: int, chance: float) -> None:
    """All four dice fail and it drifts 4 cm: one direction in six may lead to the other base."""
    angle = math.radians(30)
    target = unit(count=2, positions=[[0, 0], [4 * math.sin(angle), 4 * math.cos(angle)]])
    weapon = gun(ranged_dice=4, area=0.5)
    situation = {"distance": "60", "away": away}
    found = answer(weapon, target, situation, never_shot="falls", area_turn=turn)
    assert found.pmf("covered").get(1, 0.0) == pytest.approx(chance, abs=1e-12)


@pytest.mark.rule("AOR-10")
def test_never_shot() -> None:
    lost = answer(gun(ranged_dice=3), unit(count=9), {"distance": "60"}, never_shot="lost")
    assert lost.chance("lost") == 1
    assert [lost.mean(name) for name in ("drift", "covered", "kills")] == [0, 0, 0]
    assert lost.chance("stays") == 0
    assert lost.tables["landings"] == []
    picture(lost.matchup, Figure().add_subplot())
    falls = answer(gun(ranged_dice=3), unit(count=9), {"distance": "60"}, never_shot="falls")
    assert falls.chance("lost") == 0
    assert falls.pmf("drift") == {3: pytest.approx(1)}
    assert [row["radius"] for row in falls.tables["landings"]] == [2.0]


@pytest.mark.rule("AOR-10")
@pytest.mark.parametrize(("damage", "kills"), [("each", [1, 6, 9]), ("pooled", [1, 4, 11])])
def test_area_damage(damage: str, kills: list[int]) -> None:
    """Two fighters with two tests each at 4+: each falls at 3/4, or the sum of four dice falls on both."""
    weapon = gun(ranged=6, ranged_dice=2, area=6.0)
    found = answer(weapon, unit(count=2), bonus_die="none", area_damage=damage)
    assert found.pmf("kills") == pytest.approx({i: n / 16 for i, n in enumerate(kills)}, abs=1e-12)


@pytest.mark.rule("AOR-07")
@pytest.mark.parametrize(
    ("distance", "interference", "reading", "stays"),
    [
        ("9", False, "floor", 2 / 3),
        ("10", False, "floor", 1 / 2),
        ("10", False, "lower_at_border", 2 / 3),
        ("11", False, "lower_at_border", 1 / 2),
        ("0", True, "floor", 1 / 2),
        ("8..12", False, "floor", 7 / 12),
        ("8..12", False, "lower_at_border", 7 / 12),
    ],
)
def test_distance_and_interference(distance: str, interference: bool, reading: str, stays: float) -> None:
    situation = {"distance": distance, "interference": interference}
    found = answer(gun(ranged=2), unit(), situation, bonus_die="none", range_band=reading)
    assert found.chance("stays") == pytest.approx(stays, abs=1e-12)


@pytest.mark.rule("AOR-10")
def test_a_guessed_distance_may_lose_the_shot() -> None:
    """Ranged 0: band 5 needs a 6, band 6 never succeeds."""
    found = answer(gun(), unit(count=4), {"distance": "58..61"}, bonus_die="none")
    assert found.chance("lost") == pytest.approx(1 / 3, abs=1e-12)
    assert found.chance("stays") == pytest.approx(1 / 9, abs=1e-12)


@pytest.mark.rule("AOR-10")
@pytest.mark.parametrize(("bonus", "chance"), [("chain", 1 / 12), ("once", 1 / 12), ("none", 0.0)])
def test_bonus_dice_of_a_strength_test_fall_on_the_same_fighter(bonus: str, chance: float) -> None:
    found = answer(gun(ranged=6, area=0.4), unit(wounds=2), bonus_die=bonus)
    assert found.chance("destroyed") == pytest.approx(chance, abs=1e-12)


@pytest.mark.rule("AOR-13")
def test_a_wounded_fighter_needs_less() -> None:
    found = answer(gun(ranged=6), unit(wounds=2, damage=1), bonus_die="none")
    assert found.pmf("kills") == pytest.approx({0: 0.5, 1: 0.5}, abs=1e-12)
    assert found.pmf("damage") == pytest.approx({0: 0.5, 1: 0.5}, abs=1e-12)


@pytest.mark.rule("AOR-29")
@pytest.mark.parametrize("damage", ["each", "pooled"])
def test_a_titan_is_covered_and_takes_no_test(damage: str) -> None:
    target = unit(count=1, category="titan", wounds=10, groups={"man": {"category": "infantry", "wounds": 1}})
    found = answer(gun(ranged=6, area=9.0, ranged_strength=30), target, area_damage=damage)
    assert found.pmf("covered") == {2: pytest.approx(1)}
    assert found.pmf("kills") == {1: pytest.approx(1)}
    assert found.tables["fighters"][0]["falls"] == 0


@pytest.mark.rule("AOR-10")
def test_friends_are_of_the_attackers_unit_and_counted_apart() -> None:
    """A crewed gun: friends are like its crew, who fall at 5+; the target at 4+."""
    crew = {"category": "infantry", "count": 2, "resilience": 6, "wounds": 1, "roles": ["crew"]}
    weapon = gun(ranged=6, category="war-machine", wounds=6, groups={"crew": crew})
    found = answer(weapon, unit(), {"friends": "3,0"}, bonus_die="none")
    assert found.mean("kills") == pytest.approx(1 / 2, abs=1e-12)
    assert found.mean("friends_lost") == pytest.approx(1 / 3, abs=1e-12)
    assert found.mean("damage") == pytest.approx(1 / 2, abs=1e-12)
    assert found.chance("hits_any") == pytest.approx(1 / 2, abs=1e-12)


@pytest.mark.rule("AOR-10")
@pytest.mark.rule("AOR-29")
def test_the_dice_are_those_of_all_the_guns_and_not_of_the_crew() -> None:
    crew = {"category": "infantry", "count": 3, "roles": ["crew"]}
    weapon = gun(
        ranged_dice=2, count=2, category="war-machine", groups={"crew": crew}, order=["crew", "ranks"]
    )
    assert max(answer(weapon, unit(), bonus_die="none").pmf("drift")) == 4


# -- what must hold ------------------------------------------------------------------------------
@pytest.mark.rule("AOR-10")
@pytest.mark.parametrize("growth", ["times_successes", "plus_successes", "times_dice"])
def test_a_larger_area_never_covers_fewer(growth: str) -> None:
    means = [
        answer(gun(ranged_dice=3, area=tenths / 10), unit(count=20), {"aim": 8}, area_growth=growth).mean(
            "covered"
        )
        for tenths in range(1, 101, 9)
    ]
    assert all(more >= less - 1e-12 for less, more in itertools.pairwise(means))
    assert means[-1] > means[0]


@pytest.mark.rule("AOR-10")
def test_the_template_is_never_wider_than_ten() -> None:
    found = answer(gun(ranged=6, ranged_dice=20), unit(count=30, positions=[[0, 3 * i] for i in range(30)]))
    assert found.pmf("covered") == {4: pytest.approx(1)}  # at 0, 3, 6 and 9 cm: 12 - 1.25 is beyond 10
    assert {row["radius"] for row in found.tables["landings"]} == {WIDEST}


def test_the_simulation_comes_from_the_exact_distribution() -> None:
    matchup = asked(gun(**SHOT), unit(**TARGET), {"aim": 5, "distance": "5..25", "friends": "-6,0"})
    names = ("drift", "covered", "kills", "damage", "friends_lost")
    tally = Engine(area(matchup)).simulate(100_000, [1])
    assert tally.joint is not None
    ends = tally.joint.settle()
    assert ends is not None
    rows = zip(*(ends.columns[name].tolist() for name in names), strict=True)
    seen: Counter[Any] = Counter()
    for row, count in zip(rows, ends.weights.tolist(), strict=True):
        seen[row] += int(count)
    assert agrees(seen, Answer(matchup).joint(*names))


# -- places --------------------------------------------------------------------------------------
@pytest.mark.rule("AOR-10")
def test_ranks_and_files_front_rank_first() -> None:
    target = unit(count=4, groups={"rider": {"base": 40}}, order=["rider", "ranks"])
    formation = formation_of(asked(gun(), target, {"files": 3, "spacing": 0.5}))
    assert formation.centres.tolist() == [[0, 0], [4.5, 0], [9, 0], [0, 4.5], [4.5, 4.5]]
    assert formation.radii.tolist() == [2.0, 1.25, 1.25, 1.25, 1.25]


@pytest.mark.rule("AOR-10")
@pytest.mark.parametrize(("count", "files"), [(1, 1), (4, 2), (5, 3), (20, 5)])
def test_about_a_square_when_nothing_is_said(count: int, files: int) -> None:
    centres = formation_of(asked(gun(), unit(count=count))).centres
    assert sum(y == 0 for _, y in centres.tolist()) == files


@pytest.mark.parametrize(
    ("weapon", "target", "situation", "told"),
    [
        ({"area": None}, {}, {}, "Gun: area is missing: no weapon with an area of effect, in cm (AOR-10)"),
        (
            {"category": "war-machine"},
            {},
            {},
            "Gun: roles name no crew, and a war machine alone does nothing (AOR-29)",
        ),
        ({}, {"count": 6}, {"aim": 7}, "aim is a fighter of Unit, from 1 to 6, not 7 (AOR-10)"),
        ({}, {"count": 6}, {"files": 7}, "files is at most the 6 fighters of Unit, not 7 (AOR-10)"),
        (
            {},
            {"count": 2, "positions": [[0, 0], [2, 0]]},
            {},
            "positions of the defender: bases overlap by 1 mm at most,"
            " not by 5 mm as fighter 1 and fighter 2 do (AOR-10)",
        ),
        (
            {},
            {"count": 2},
            {"friends": "9,9 0,-2"},
            "friends: bases overlap by 1 mm at most, not by 5 mm as fighter 1 and friend 2 do (AOR-10)",
        ),
        ({}, {}, {"friends": "1;2"}, "friends: a place is x,y in cm such as 2.5,-3, not '1;2'"),
        ({}, {}, {"friends": "1,nan"}, "friends: places are within 1000 cm, not '1,nan'"),
        (
            {},
            {"count": 2, "positions": [[0, 0], [3, 0]]},
            {"files": 2},
            "files lays out a unit without positions; Unit has them: leave out 2 (AOR-10)",
        ),
        (
            {},
            {},
            {"distance": "far"},
            "distance (AOR-07) is a length such as 9 or 20.5, a range 18..24 or a guess 20~2, not 'far'",
        ),
    ],
)
def test_bad_input(
    weapon: dict[str, Any], target: dict[str, Any], situation: dict[str, Any], told: str
) -> None:
    with pytest.raises(InputError) as error:
        area(asked(gun(**weapon), unit(**target), situation))
    assert error.value.lines == (told,)


def test_bases_may_overlap_by_a_millimetre() -> None:
    formation_of(asked(gun(), unit(count=2, positions=[[0, 0], [2.4, 0]])))


# -- from above ----------------------------------------------------------------------------------
def test_picture() -> None:
    matchup = asked(gun(ranged_dice=3), unit(count=6), {"files": 3, "aim": 2, "friends": "-4,0"})
    axes = Figure().add_subplot()
    picture(matchup, axes)
    circles = [patch for patch in axes.patches if isinstance(patch, Circle)]
    bases, templates = circles[:7], circles[7:]
    chances = [row["falls"] for row in tables(matchup, {})["fighters"]]
    shades = [base.get_facecolor()[0] for base in bases]
    assert shades == pytest.approx([1 - 0.55 * p for p in chances], abs=1e-9)
    assert max(bases, key=lambda base: base.get_linewidth()) is bases[1]
    assert [bool(base.get_hatch()) for base in bases] == [False] * 6 + [True]
    assert templates[0].get_radius() == 2.0
    assert templates[0].center == (2.5, 0.0)
    (dots,) = [made for made in axes.collections if isinstance(made, PathCollection)]
    assert np.shape(dots.get_offsets()) == (1 + 6 * 3, 2)  # on target, and 1 to 3 cm in six directions
    assert "cm" in axes.get_xlabel()
    assert axes.get_title()


# -- several weapons, mixed targets --------------------------------------------------------------
@pytest.mark.rule("AOR-10")
@pytest.mark.parametrize(("reading", "stays"), [("together", 1 / 8), ("each_weapon", 1 / 2)])
def test_whether_area_weapons_of_one_profile_share_a_template(reading: str, stays: float) -> None:
    """Three guns of one die of 4+: the template stays where none of its dice fails."""
    found = answer(gun(count=3), unit(count=9), area_volley=reading, bonus_die="none")
    assert found.chance("stays") == pytest.approx(stays, abs=1e-12)


@pytest.mark.rule("AOR-10")
def test_area_weapons_whose_shots_are_other_questions_are_told() -> None:
    guns = gun(count=2, groups={"mortar": {"area": 4.0}})
    told = mathhammer.exact("aor", "area", guns, unit(count=4), distance="5", rules={})
    each = mathhammer.exact(
        "aor", "area", guns, unit(count=4), distance="5", rules={"area_volley": "each_weapon"}
    )
    apart = "mortar: area weapons of another profile shoot alone, here ranks (AOR-07)"
    assert (apart in told.notes, apart in each.notes) == (True, True)
    one = "one shot of 2 is told: each ranks has a template of its own (AOR-10)"
    assert (one in told.notes, one in each.notes) == (False, True)
    assert "area_volley" in [line["key"] for line in told.assumptions]
    alone = mathhammer.exact("aor", "area", gun(), unit(count=4), distance="5")
    assert "area_volley" not in [line["key"] for line in alone.assumptions]


@pytest.mark.rule("AOR-29")
@pytest.mark.parametrize(
    ("order", "near", "each", "pooled"),
    [
        (
            ["keeper", "ranks"],
            [0, 3, 6],
            1 / 4,
            0,
        ),  # of the sum the keeper, who is nearer, always falls first
        (["keeper", "ranks"], [3, 0, 6], 1 / 4, 1 / 2),  # one point kills the creature, the second the keeper
        (["ranks", "keeper"], [0, 3, 6], 3 / 4, 3 / 4),  # the keeper is not covered
    ],
)
def test_half_of_creatures_and_their_keeper(
    order: list[str], near: list[int], each: float, pooled: float
) -> None:
    """The two nearest of three are covered, and fall by 1/2; two of five at the start are half.

    Creatures know no half: where the keeper fell they are alone.
    """
    target = unit(
        count=2,
        category="creature",
        groups={"keeper": {"category": "infantry"}},
        order=order,
        positions=[[0.0, float(y)] for y in near],
        start=5,
    )
    shot = gun(ranged=10), target, {"aim": 1 + near.index(0)}
    for reading, due in (("each", each), ("pooled", pooled)):
        found = answer(*shot, bonus_die="none", area_damage=reading)
        assert found.chance("at_half") == pytest.approx(due, abs=1e-12)
        most = answer(*shot, bonus_die="none", area_damage=reading, category_of="most")
        assert most.chance("at_half") == 0


# -- how far and how wide at most ----------------------------------------------------------------
@pytest.mark.rule("AOR-10")
@pytest.mark.parametrize(("dice", "covered"), [(3, 1), (4, 0), (9, 0)])
def test_a_template_that_drifts_past_everybody_covers_nobody(dice: int, covered: int) -> None:
    """All dice fail: a template of 2 cm covers a base of 1.25 cm up to 3 cm away, in any direction."""
    far = {"distance": "100"}
    found = answer(gun(ranged_dice=dice), unit(count=1), far, never_shot="falls", bonus_die="none")
    assert found.pmf("covered") == {covered: pytest.approx(1, abs=1e-12)}


@pytest.mark.rule("AOR-10")
def test_a_small_template_may_grow_up_to_ten_cm_by_bonus_dice() -> None:
    """20 dice with their bonus dice may show more than 100 successes, each of 1 mm."""
    radii, tests = sizes(0.1, 20, rules())
    assert [radii[n] for n in (0, 1, 2, 50, 100, 101)] == pytest.approx([0.1, 0.1, 0.2, 5, 10, 10])
    assert (len(radii), tests[100], tests[101]) == (102, 1, 2)


@pytest.mark.rule("AOR-10")
def test_the_widest_template_covers_a_base_as_long_as_it_drifts_no_farther_than_its_edge() -> None:
    """24 dice of 4+: from 5 successes on its radius is 10 cm, a base of 1.25 cm is covered up to 11 cm."""
    found = answer(gun(count=2, ranged_dice=12), unit(count=1), bonus_die="none")
    near = sum(math.comb(24, failed) for failed in range(12)) / 2**24
    assert found.pmf("covered")[1] == pytest.approx(near, abs=1e-9)
