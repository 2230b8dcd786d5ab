"""`scatter`: exact against integration and plain throws; directions by hand; bases' own chances; layouts."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Circle

import mathhammer
from mathhammer.analysis.result import Result
from mathhammer.core.errors import InputError
from tests.oracle import agrees
from tests.plain.brute import same

INCH = 25.4
ANGLES = 20_000
LAYOUTS: list[dict[str, Any]] = [
    {"bases": "5x2", "skill": 4},
    {"bases": "3x3", "aim": "1", "gap": 1.0, "template": 5.0},
    {"bases": "0,0 1.5,0.5 -2,3", "aim": "0.25,-1", "base": 40.0, "die": "always", "distance": "d6"},
    {"bases": "4x1", "distance": "artillery", "skill": 1, "template": 2.2},
    {"bases": "4x1", "die": "always", "distance": "d6", "template": 4.0},
]
Points = np.ndarray[Any, np.dtype[np.float64]]


def ask(**options: Any) -> Result:
    """The exact answer to a drift."""
    return mathhammer.exact("plain", "scatter", **options)


def centres(options: dict[str, Any]) -> Points:
    """The bases relative to where it is aimed, laid out by hand."""
    step = options.get("base", 25.0) / INCH + options.get("gap", 0.0)
    text = options["bases"]
    if "x" in text:
        files, ranks = map(int, text.split("x"))
        places = [(file * step, -rank * step) for rank in range(ranks) for file in range(files)]
    else:
        places = [(float(x), float(y)) for x, y in (word.split(",") for word in text.split())]
    points: Points = np.array(places)
    aim: str = options.get("aim", "middle")
    middle: Points = points.mean(axis=0)
    if "," in aim:
        middle = np.array([float(part) for part in aim.split(",")])
    elif aim != "middle":
        middle = points[int(aim) - 1]
    return np.subtract(points, middle)


def drifts(options: dict[str, Any]) -> dict[int, float]:
    """Chance of each distance of an arrow; -1 is a misfire."""
    written, skill = options.get("distance", "2d6"), options.get("skill", 0)
    faces = {
        "2d6": [a + b for a in range(1, 7) for b in range(1, 7)],
        "d6": list(range(1, 7)),
        "artillery": [2, 4, 6, 8, 10, -1],
    }[written]
    counted = Counter(face if face < 0 else max(0, face - skill) for face in faces)
    return {distance: count / len(faces) for distance, count in counted.items()}


def counts(options: dict[str, Any], distance: Points, angle: Points) -> np.ndarray[Any, Any]:
    """How many bases a template touches after each of these drifts."""
    reach = options.get("template", 3.0) / 2 + options.get("base", 25.0) / INCH / 2
    x, y = distance * np.cos(angle), distance * np.sin(angle)
    far = [np.hypot(a - x, b - y) for a, b in centres(options)]
    touched: np.ndarray[Any, Any] = np.sum([away < reach for away in far], axis=0)
    return touched


def integrated(options: dict[str, Any]) -> dict[int, float]:
    """The bases touched, by many directions for each distance."""
    angle = (np.arange(ANGLES) + 0.5) * 2 * math.pi / ANGLES
    stays = 0.0 if options.get("die") == "always" else 1 / 3
    law: dict[int, float] = {}
    for distance, p in drifts(options).items():
        for where, weight in ((0, p * stays), (distance, p * (1 - stays))):
            touched = counts(options, np.full(ANGLES, float(max(where, 0))), angle)
            if distance < 0:
                touched = np.zeros(ANGLES, dtype=int)
            for value, n in Counter(touched.tolist()).items():
                law[value] = law.get(value, 0.0) + weight * n / ANGLES
    return law


def thrown(options: dict[str, Any], trials: int) -> dict[int, int]:
    """The bases touched by plain throws, one after another."""
    rng = np.random.default_rng(11)
    faces, weights = zip(*drifts(options).items(), strict=True)
    drift = rng.choice(faces, size=trials, p=weights)
    arrow = np.ones(trials) if options.get("die") == "always" else rng.integers(1, 7, trials) > 2
    angle = rng.uniform(0, 2 * math.pi, trials)
    touched = counts(options, np.maximum(drift, 0) * arrow, angle)
    return Counter(np.where(drift < 0, 0, touched).tolist())


@pytest.mark.parametrize("options", LAYOUTS, ids=str)
def test_the_bases_touched_are_those_of_integration(options: dict[str, Any]) -> None:
    """Each end of an arc is off by one direction at most."""
    within = 2 * len(centres(options)) / ANGLES
    assert same(ask(**options).pmf("touched"), integrated(options), within)


@pytest.mark.parametrize("options", LAYOUTS, ids=str)
def test_plain_throws_agree_and_reject_another_template_skill_or_layout(options: dict[str, Any]) -> None:
    sample = thrown(options, 200_000)
    assert agrees(sample, ask(**options).pmf("touched"))
    for change in (
        {"template": options.get("template", 3.0) + 0.2},
        {"skill": options.get("skill", 0) + 1},
        {"aim": "0.9,0.9"},
    ):
        assert not agrees(sample, ask(**{**options, **change}).pmf("touched")), change


@pytest.mark.parametrize("options", LAYOUTS, ids=str)
@pytest.mark.parametrize("directions", ["any", "six", "eight"])
def test_the_chances_of_the_bases_sum_to_the_mean_touched(options: dict[str, Any], directions: str) -> None:
    answer = ask(**options, directions=directions)
    bases = answer.tables["bases"]
    assert len(bases) == len(centres(options))
    assert sum(row["chance"] for row in bases) == pytest.approx(answer.mean("touched"), abs=1e-9)
    places = [(row["x"], row["y"]) for row in bases]
    assert np.allclose(places, centres(options), atol=6e-4)


@pytest.mark.parametrize(("skill", "right"), [(0, 1 / 3), (2, 19 / 54), (4, 4 / 9), (10, 17 / 18), (12, 1)])
def test_it_stays_by_the_die_or_because_skill_takes_all(skill: int, right: float) -> None:
    answer = ask(skill=skill)
    assert answer.probability("stays") == pytest.approx(right, abs=1e-12)
    assert answer.pmf("distance")[0] == pytest.approx(right, abs=1e-12)


def test_the_artillery_die_misfires_one_in_six_and_touches_nothing_then() -> None:
    answer = ask(distance="artillery", skill=10)
    assert answer.probability("misfire") == pytest.approx(1 / 6)
    assert answer.probability("stays") == pytest.approx(5 / 6)
    assert answer.pmf("touched") == pytest.approx({0: 1 / 6, 6: 5 / 6})


def by_hand(x: float, y: float, directions: str) -> float:
    """The chance that a small template that drifts 3 touches a small base there."""
    answer = ask(
        die="always", distance="3", template=0.5, base=5.0, bases=f"{x},{y}", aim="0,0", directions=directions
    )
    assert answer.mean("touched") == pytest.approx(answer.probability("touches"))
    return answer.probability("touches")


@pytest.mark.parametrize("way", range(24))
def test_six_and_eight_directions_by_hand(way: int) -> None:
    """Of 24 places around, every fourth is one of six directions, every third one of eight."""
    angle = math.pi / 2 + way * math.pi / 12
    x, y = round(3 * math.cos(angle), 9), round(3 * math.sin(angle), 9)
    assert by_hand(x, y, "six") == pytest.approx(1 / 6 if way % 4 == 0 else 0)
    assert by_hand(x, y, "eight") == pytest.approx(1 / 8 if way % 3 == 0 else 0)


def test_any_direction_by_hand() -> None:
    """A base at the distance of the drift: the angle whose chord is the reach, to each side."""
    reach = 0.25 + 2.5 / INCH
    right = 2 * 2 * math.asin(reach / 2 / 3) / (2 * math.pi)
    assert by_hand(3, 0, "any") == pytest.approx(right, abs=1e-8)
    assert by_hand(0, -3, "any") == pytest.approx(right, abs=1e-8)
    assert by_hand(0, 2.6, "any") == 0 or by_hand(0, 2.6, "any") < right


def test_a_template_far_away_touches_none_and_a_huge_one_all() -> None:
    far = ask(aim="500,500")
    assert far.pmf("touched") == pytest.approx({0: 1.0}, abs=1e-12)
    assert far.probability("touches") == 0
    assert {row["chance"] for row in far.tables["bases"]} == {0.0}
    assert ask(template=100.0).pmf("touched") == pytest.approx({10: 1.0})


@pytest.mark.parametrize(("distance", "template"), [("1", 2.0), ("2", 4.0), ("3", 6.0)])
def test_one_direction_that_only_just_reaches_does_not_speak_for_the_others(
    distance: str, template: float
) -> None:
    """Two bases side by side: each direction but straight along them touches both."""
    answer = ask(bases="2x1", die="always", distance=distance, template=template)
    assert answer.pmf("touched") == pytest.approx({2: 1.0}, abs=1e-6)


def test_a_base_that_is_only_just_reached_is_not_touched() -> None:
    options = {"die": "always", "distance": "0", "base": 25.4, "template": 3.0, "aim": "0,0"}
    assert ask(**options, bases="2,0").probability("touches") == 0
    assert ask(**options, bases="1.9999,0").probability("touches") == pytest.approx(1)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"bases": ""}, "bases"),
        ({"bases": "0x5"}, "bases"),
        ({"bases": "201x1"}, "1 to 200"),
        ({"bases": "0,0 1"}, "bases"),
        ({"bases": "1,2,3"}, "bases"),
        ({"bases": "nan,0"}, "bases"),
        ({"bases": "0,1001"}, "1000 inches"),
        ({"bases": "0,0 " * 201}, "1 to 200"),
        ({"aim": "0"}, "from 1 to 10"),
        ({"aim": "11"}, "from 1 to 10"),
        ({"aim": "front"}, "aim"),
        ({"aim": "1,x"}, "aim"),
        ({"aim": "inf,0"}, "aim"),
        ({"aim": "9" * 5000}, "aim"),
        ({"distance": "201"}, "200"),
        ({"distance": "far"}, "far"),
        ({"template": 0}, "template"),
        ({"template": -1.0}, "template"),
        ({"base": 0.0}, "base"),
        ({"gap": -1.0}, "gap"),
        ({"skill": 31}, "skill"),
        ({"directions": "four"}, "directions"),
        ({"die": "artillery"}, "die"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_layout_or_aim_is_told(options: dict[str, Any], wanted: str) -> None:
    with pytest.raises(InputError) as error:
        ask(**options)
    assert len(error.value.lines) == 1
    assert wanted in error.value.lines[0]


def test_the_picture_shows_each_base_the_template_and_the_rings() -> None:
    answer = ask(skill=4)
    picture = answer.plot().axes[-1]
    circles = [patch for patch in picture.patches if isinstance(patch, Circle)]
    bases = [c for c in circles if c.radius == pytest.approx(25 / INCH / 2)]
    rings = [c for c in circles if c.get_linestyle() == ":"]
    assert len(bases) == 10
    assert len(circles) == 10 + 1 + len(rings)
    assert {ring.radius for ring in rings} == set(answer.pmf("distance")) - {0}
    labels = [text.get_text() for text in picture.texts]
    assert labels == [f"{100 * row['chance']:.0f}" for row in answer.tables["bases"]]
    shades = [int(to_hex(base.get_facecolor())[1:3], 16) for base in bases]
    assert shades[0] > shades[1] > shades[2]
