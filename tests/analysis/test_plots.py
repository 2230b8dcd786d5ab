"""Pictures: titles, labels with units, the three panels, and that the marks are the numbers."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

import mathhammer
from mathhammer.analysis.plots import _wrapped
from mathhammer.analysis.result import Result
from mathhammer.core.errors import InputError


@pytest.fixture
def panels(result: Result) -> Iterator[tuple[Result, Figure, list[Axes]]]:
    """A result, its figure, and the panels: distribution, at least, events."""
    drawn = result.plot()
    yield result, drawn, drawn.axes
    drawn.clear()


Panels = tuple[Result, Figure, list[Axes]]


def title_of(figure: Figure) -> str:
    return figure.get_suptitle()


def bars(axes: Axes) -> BarContainer:
    """The one set of bars of a panel."""
    (found,) = (container for container in axes.containers if isinstance(container, BarContainer))
    return found


def points(line: Line2D) -> dict[int, float]:
    """What a line runs through: value -> height."""
    return dict(
        zip(
            np.rint(line.get_xdata()).astype(int).tolist(), np.asarray(line.get_ydata()).tolist(), strict=True
        )
    )


def test_titles_say_what_was_asked_by_which_rules(panels: Panels) -> None:
    result, figure, (distribution, tail, events) = panels
    title = title_of(figure)
    assert result.question.heading() in title
    assert result.question.ruleset.title in title
    assert ("20,000 trials, seed 5" in title) == bool(result.simulated)
    assert distribution.get_title() == "Distribution of damage"
    assert tail.get_title() == "At least k damage"
    assert events.get_title().startswith("Events")


def test_axes_are_labelled_with_units(panels: Panels) -> None:
    _, _, (distribution, tail, events) = panels
    assert distribution.get_xlabel() == "damage (points)"
    assert tail.get_xlabel().startswith("k")
    assert "damage (points)" in tail.get_xlabel()
    assert distribution.get_ylabel() == tail.get_ylabel() == events.get_xlabel() == "chance (%)"


def test_the_distribution_is_drawn_as_it_is(panels: Panels) -> None:
    result, _, (axes, *_) = panels
    dots = [points(line) for line in axes.lines if line.get_label() == "exact"]
    assert len(dots) == bool(result.exact)
    for drawn in dots:
        pmf = result.pmf("damage", "exact")
        assert drawn == pytest.approx({v: 100 * pmf[v] for v in drawn})
        assert sum(drawn.values()) > 99.9
    if result.simulated:
        pmf = result.pmf("damage", "simulated")
        for bar in bars(axes):
            assert bar.get_height() == pytest.approx(
                100 * pmf.get(round(bar.get_x() + bar.get_width() / 2), 0.0)
            )


def test_the_tail_is_that_of_the_result(panels: Panels) -> None:
    result, _, (_, axes, _) = panels
    (line,) = axes.lines
    drawn = points(line)
    assert len(drawn) > 10
    for value, height in drawn.items():
        assert height == pytest.approx(100 * result.at_least("damage", value))
    assert list(drawn.values()) == sorted(drawn.values(), reverse=True)
    assert axes.get_ylim()[0] == 0
    assert axes.get_ylim()[1] > 100


def test_the_events_are_drawn_as_they_are(panels: Panels) -> None:
    result, _, (*_, axes) = panels
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["steady", "waver", "rout"]
    chances = [100 * result.probability(name) for name in names]
    assert [bar.get_width() for bar in axes.patches if isinstance(bar, Rectangle)] == pytest.approx(chances)
    assert [text.get_text() for text in axes.texts] == [f"{chance:.1f}%" for chance in chances]


def test_the_interval_of_a_simulated_event_is_drawn(both: Result) -> None:
    """A whisker an event, from the low end to the high one."""
    axes = both.plot().axes[2]
    whiskers = [np.asarray(line.get_xdata()).tolist() for line in axes.lines]
    for name, ends in zip(("steady", "waver", "rout"), whiskers, strict=True):
        assert ends == pytest.approx([100 * end for end in both.interval(name)])
    assert "interval" in axes.get_title()


def test_the_legend_tells_the_engines_and_the_mean(both: Result, exact: Result) -> None:
    legends = []
    for result in (both, exact):
        legend = result.plot().axes[0].get_legend()
        assert legend
        legends.append({text.get_text() for text in legend.get_texts()})
    assert legends[0] == {"simulated, with 95% interval", "exact", f"mean {both.mean('damage'):.2f}"}
    assert legends[1] == {"exact", f"mean {exact.mean('damage'):.2f}"}


def test_exact_and_simulated_are_told_apart_without_colour(both: Result) -> None:
    """Bars beside dots."""
    axes = both.plot().axes[0]
    (dots,) = (line for line in axes.lines if line.get_label() == "exact")
    assert dots.get_marker() == "o"
    assert dots.get_linestyle() == "None"
    assert len(bars(axes)) > 5


@pytest.mark.parametrize("measure", ["attacker.damage", "defender.damage"])
def test_any_measure_can_be_drawn(fight: Result, measure: str) -> None:
    axes = fight.plot(measure).axes
    assert axes[0].get_xlabel() == f"{measure} (points)"
    assert axes[1].get_title() == f"At least k {measure}"


def test_a_fight_is_drawn_by_round(fight: Result) -> None:
    """A curve an event, through its chance at the end of each round."""
    (axes,) = (axes for axes in fight.plot().axes if "round" in axes.get_title())
    assert axes.get_xlabel() == "round"
    assert axes.get_ylabel() == "chance (%)"
    for name, line in zip(fight.events, axes.lines, strict=True):
        assert points(line) == pytest.approx(
            {round_: 100 * fight.probability_by_round(name, round_) for round_ in (1, 2, 3)}
        )
        assert str(line.get_label()).startswith(name)
    assert len({line.get_linestyle() for line in axes.lines}) == len(axes.lines)


def test_by_default_the_first_measure_that_varies_is_drawn() -> None:
    nothing = mathhammer.exact("kow", "melee", "orc-ax", "knights", distance=100)
    assert nothing.plot().axes[0].get_title() == "Distribution of damage"
    assert "reaches" in [label.get_text() for label in nothing.plot().axes[2].get_yticklabels()]


def test_an_unknown_measure_is_told(both: Result) -> None:
    with pytest.raises(InputError, match="did you mean damage"):
        both.plot("damag")


def test_assumed_rules_are_told_on_the_picture(both: Result) -> None:
    assert "assumed: double_one_steady, double_six_wavers" in title_of(both.plot())


@pytest.mark.parametrize("name", ["$x^$", "a$b$c", "\\frac"])
def test_a_name_is_no_formula(name: str) -> None:
    """The title is text whatever is in it: half a formula draws too."""
    figure = mathhammer.exact("kow", "melee", f"orc-ax,name={name}", "knights").plot()
    assert name in title_of(figure).replace("\\$", "$")
    figure.savefig(io.BytesIO(), format="svg")


def test_a_plot_leaves_no_figure_open_behind(both: Result) -> None:
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    both.plot()
    assert pyplot.get_fignums() == before


def test_long_titles_are_cut_at_blanks() -> None:
    long = " ".join(["word"] * 100)
    lines = _wrapped(f"{long}\nshort", 5.0).splitlines()
    assert lines[-1] == "short"
    assert max(map(len, lines)) <= 60
    assert " ".join(lines[:-1]) == long


def test_values_that_are_possible_in_steps_are_drawn_in_steps() -> None:
    """Damage of 20 a wound: bars and ticks stand on 0, 20, 40, 60 only, and no dot lies between."""
    charge = mathhammer.simulate("battlefield", "charge", "heavy-cavalry", "pikes", cells=4)
    distribution, tail = charge.plot().axes[:2]
    (dots,) = (line for line in distribution.lines if line.get_label() == "exact")
    assert list(points(dots)) == [0, 20, 40, 60]
    assert [bar.get_width() for bar in bars(distribution)] == pytest.approx([17] * 4)
    assert set(distribution.get_xticks()) == {0, 20, 40, 60} >= set(tail.get_xticks())


def test_of_very_many_values_several_are_drawn_together() -> None:
    """Else peaks of single values hide that simulated and exact agree. Fixed seed; 5 deviations."""
    rolled = mathhammer.dice("33d1000dh1! -> d6", trials=100_000, seed=1)
    axes = rolled.plot().axes[0]
    (exact,) = (line for line in axes.lines if line.get_label() == "exact")
    heights = np.array(exact.get_ydata(), dtype=np.float64)
    assert len(heights) <= 400
    assert 99.9 < heights.sum() <= 100.0 + 1e-9
    assert axes.get_ylabel().endswith("values together (%)")
    tops = float(np.asarray(axes.collections[0].get_paths()[0].vertices)[:, 1].max())
    likeliest = heights.max() / 100
    assert abs(tops / 100 - likeliest) < 5 * np.sqrt(likeliest / 100_000)


def test_without_events_worth_telling_there_is_no_panel_for_them() -> None:
    melee = mathhammer.exact("battlefield", "melee", "levy-spears", "heavy-infantry", rounds=6)
    assert not melee.telling_events
    titles = [axes.get_title() for axes in melee.plot().axes]
    assert len(titles) == 4
    assert all(title.startswith(("Distribution of", "At least k")) for title in titles)
