"""Pictures of decisions: which kind, what it holds, and what is too much for one."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import matplotlib.figure
import numpy as np
import pytest
from matplotlib.patches import Rectangle

import mathhammer
from mathhammer.analysis.maps import MOST_CURVES, figure, plan
from mathhammer.analysis.sweep import Sweep, Table
from mathhammer.core.errors import InputError
from tests.analysis.sweeps import ROUT, UNITS, sweep


def kind(over: dict[str, Any], units: dict[str, Any] | None = None) -> str:
    return plan(sweep(over, units).grid).kind


def drawn(figure: matplotlib.figure.Figure) -> matplotlib.figure.Figure:
    """The figure, after it could be drawn."""
    figure.savefig(BytesIO(), format="png", dpi=40)
    return figure


@pytest.mark.parametrize(
    ("over", "found"),
    [
        ({"at": "6..9"}, "curves"),
        ({"at": "6..9", "facing": "*"}, "curves"),
        ({"at": "6..9", "sp": "0..20"}, "curves"),
        ({"edition": "1,2", "facing": "*"}, "heat"),
        ({"facing": "*"}, "bars"),
        ({"at": "6,7"}, "bars"),
        ({"defender": "ghoul,orc-ax,knights", "facing": "*"}, "heat"),
        ({}, "bars"),
    ],
)
def test_what_varies_chooses_the_kind(over: dict[str, Any], found: str) -> None:
    assert kind(over) == found


def test_all_against_all_is_a_map_sorted_on_request() -> None:
    made = sweep({}, {"attacker": "orc-ax,knights,ghoul", "defender": "ghoul,foot-guard"}, (ROUT,))
    table = Table(made, [made.answer(i) for i in range(len(made.grid))])
    plain, ordered = (drawn(figure(table, 0, ordered=flag)).axes[0] for flag in (False, True))
    assert [label.get_text() for label in plain.get_yticklabels()] == ["orc-ax", "knights", "ghoul"]
    assert [label.get_text() for label in ordered.get_yticklabels()] == ["knights", "orc-ax", "ghoul"]
    assert [text.get_text() for text in plain.texts][:2] == ["14", "<1"]


def test_curves_are_told_apart_by_more_than_colour() -> None:
    table = mathhammer.sweep(
        "kow", "melee", *UNITS.values(), over={"at": "6..9", "facing": None}, event="rout"
    )
    lines = drawn(table.plot()).axes[0].lines
    assert len(lines) == 3
    assert len({line.get_linestyle() for line in lines}) == len({line.get_marker() for line in lines}) == 3
    assert np.allclose(np.asarray(lines[1].get_ydata()), [100 * (table.value(i) or 0) for i in (1, 4, 7, 10)])


def test_panels_over_a_third_axis() -> None:
    table = mathhammer.sweep(
        "kow",
        "melee",
        "orc-ax",
        "ghoul,foot-guard",
        over={"facing": None, "edition": [1, 2]},
        event="rout",
    )
    titles = [axes.get_title() for axes in drawn(table.plot()).axes]
    assert [title for title in titles if title] == ["edition 1", "edition 2"]


@pytest.mark.parametrize(
    "over",
    [
        {"defender": "*", "attacker": "*", "facing": "*", "edition": "*"},
        {"defender": "*", "facing": "*", "hindered": "*", "disordered": "*", "defender.de": "3,4"},
    ],
)
def test_too_much_for_a_picture_is_told(over: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="plot"):
        kind(over)


def test_so_many_curves_and_no_more() -> None:
    assert kind({"at": "6..9", "defender.at": f"1..{MOST_CURVES}"}) == "curves"
    assert kind({"at": "6..40", "defender.at": f"1..{MOST_CURVES + 1}"}) == "heat"


def test_failed_and_missing_matchups_leave_gaps() -> None:
    made = sweep({"waver": "14..17", "rout": "16,17", "facing": "front,flank"}, None, (ROUT,))
    table = Table(made, [made.answer(0), *[None] * 15])
    drawn(figure(table, 0))
    drawn(figure(table, 0, ordered=True))


def test_means_have_their_own_scale() -> None:
    table = mathhammer.sweep("kow", "melee", *UNITS.values(), over={"facing": None}, mean="damage")
    axes = drawn(table.plot()).axes[0]
    assert axes.get_xlabel() == "mean damage"
    assert axes.get_xlim()[1] < 40


def test_a_comparison_has_a_bar_a_candidate_and_intervals_where_simulated() -> None:
    found = mathhammer.compare(
        "kow", "melee", "knights,orc-ax", "ghoul,foot-guard", event="rout", engine="simulate", trials=500
    )
    axes = drawn(found.plot()).axes
    assert len(axes) == 3
    assert len(axes[0].patches) == 2
    assert len(axes[0].lines) == 2


@pytest.mark.parametrize("candidates", ["knights,orc-ax,ghoul", "*"])
def test_the_bars_of_a_comparison_stand_beside_their_cells(candidates: str) -> None:
    found = mathhammer.compare("kow", "melee", candidates, "foot-guard,orc-ax:2,ghoul", event="rout")
    bars, cells, colours = drawn(found.plot()).axes
    assert bars.get_ylim() == cells.get_ylim() == (len(found.lines) - 0.5, -0.5)
    bars_box, cells_box = bars.get_position(), cells.get_position()
    assert (bars_box.y0, bars_box.y1) == pytest.approx((cells_box.y0, cells_box.y1))
    labels = [line.label for line in found.lines]
    assert [text.get_text() for text in bars.get_yticklabels()] == labels
    assert [text.get_text() for text in cells.get_yticklabels()] == labels
    assert len(cells.texts) == 3 * len(labels)
    assert colours.get_ylabel() == "chance of rout (%)"


def test_what_is_needed_is_a_curve_a_way_with_the_threshold_and_the_value_that_just_does() -> None:
    found = mathhammer.needs(
        "kow", "melee", *UNITS.values(), over={"at": None, "facing": "front,flank"}, chance=0.8, event="rout"
    )
    axes = drawn(found.plot()).axes[0]
    legend = axes.get_legend()
    assert legend is not None
    told = [f"facing {need.labels[0]}, at least {need.value}" for need in found.answers]
    assert [text.get_text() for text in legend.get_texts()] == [*told, "needed: 80%"]
    front, marked, *_, level = axes.lines
    tried = np.asarray(front.get_xdata()).tolist()
    assert len(tried) < 60
    assert int(found.answers[0].value) in tried
    assert np.asarray(marked.get_xdata()).tolist() == [int(found.answers[0].value)]
    assert np.asarray(level.get_ydata()).tolist() == [80, 80]
    assert axes.get_xlim()[1] < 300


def test_a_way_that_cannot_be_asked_has_no_points() -> None:
    over = {"waver": [14, 15, 16], "rout": [13, 17]}
    found = mathhammer.needs("kow", "melee", *UNITS.values(), over=over, chance=0.01)
    lines = drawn(found.plot()).axes[0].lines
    assert [len(np.asarray(line.get_xdata())) for line in lines[:2]] == [0, 3]


def test_of_names_those_that_do_it_stand_out() -> None:
    found = mathhammer.needs(
        "kow", "melee", over={"attacker": "morax,orc-ax", "defender": "foot-guard"}, chance=0.2, event="rout"
    )
    bars = drawn(found.plot()).axes[0].patches
    assert [bar.get_width() > 20 for bar in bars if isinstance(bar, Rectangle)] == [True, False]
    assert bars[0].get_facecolor() != bars[1].get_facecolor()
    both = mathhammer.needs(
        "kow",
        "melee",
        over={"attacker": "morax,orc-ax", "defender": "foot-guard,ghoul"},
        chance=0.2,
        event="rout",
    )
    with pytest.raises(InputError, match="plot: attacker has names"):
        both.plot()


def test_whose_step_it_is_is_told_without_colour() -> None:
    found = mathhammer.worth("kow", "melee", *UNITS.values(), event="rout")
    axes = found.plot().axes[0]
    legend = axes.get_legend()
    assert legend is not None
    groups = [text.get_text() for text in legend.get_texts()]
    hatches = dict(zip(groups, (patch.get_hatch() for patch in legend.get_patches()), strict=True))
    assert len(groups) == len(set(hatches.values())) == 3
    bars = [bar.get_hatch() or "" for bar in axes.patches]
    assert bars == [hatches[step.group] or "" for step in found.steps[: len(bars)]]


def test_the_worth_of_steps_is_a_bar_each() -> None:
    found = mathhammer.worth("kow", "melee", *UNITS.values(), event="rout")
    axes = drawn(found.plot()).axes[0]
    widths = [bar.get_width() for bar in axes.patches if isinstance(bar, Rectangle)]
    assert widths == pytest.approx([100 * step.gain for step in found.steps])
    assert "points" in axes.texts[0].get_text()


def test_an_army_shows_its_fights_and_how_many_fall() -> None:
    army = mathhammer.army("kow", "melee", "knights:2,orc-ax", "ghoul,foot-guard,orc-ax", budget=400)
    fights, numbers = drawn(army.plot()).axes
    assert len(fights.patches) == len(army.best.fights)
    assert np.asarray(numbers.lines[0].get_ydata())[0] == pytest.approx(100)
    assert len(numbers.patches) == 4


@pytest.mark.parametrize(
    "over", [{"at": "6..9"}, {"facing": None}, {"facing": None, "attacker": "knights,orc-ax"}]
)
def test_several_numbers_have_a_panel_each(over: dict[str, Any]) -> None:
    over = {"attacker": "knights", "defender": "ghoul", **over}
    table = mathhammer.sweep("kow", "melee", over=over, event=["rout", "waver"])
    labels = {axes.get_ylabel() or axes.get_xlabel() for axes in drawn(table.plot("rout", "waver")).axes}
    assert {"chance of rout (%)", "chance of waver (%)"} <= labels


def test_more_panels_than_a_picture_takes_are_told() -> None:
    table = mathhammer.sweep("kow", "melee", *UNITS.values(), over={"facing": None})
    with pytest.raises(InputError, match="plot: 7 numbers make 7 panels, more than 6"):
        table.plot(*["rout"] * 7)


def test_wanted_numbers_by_name() -> None:
    table = mathhammer.sweep("kow", "melee", *UNITS.values(), over={"facing": None}, event=["rout", "waver"])
    assert drawn(table.plot("waver")).axes[0].get_xlabel() == "chance of waver (%)"
    with pytest.raises(InputError, match="waver"):
        table.plot("wavr")
    assert isinstance(table.sweep, Sweep)
