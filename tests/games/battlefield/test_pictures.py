"""Pictures say what the tables say: cells of a lob, trees of a charge and of a plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from mathhammer.core.errors import ExactLimitError
from mathhammer.games.battlefield import trace
from mathhammer.games.battlefield.pictures import MOST_ROWS, likeliest
from mathhammer.games.battlefield.plan import plan_scene
from mathhammer.games.battlefield.state import Beat
from mathhammer.games.battlefield.trace import ROOT, Node, pruned_tree, tree
from tests.games.battlefield.samples import DATA
from tests.games.battlefield.units import asked


def words(result: Any) -> list[str]:
    """What is written in the mode's own picture."""
    return [text.get_text() for text in result.plot().axes[-1].texts]


def test_a_tree_shows_every_branch_with_its_chance() -> None:
    result = asked("charge", "heavy-cavalry", "pikes", cells=4, order="break-through")
    shown = words(result)
    assert len(shown) == len(result.tables["branches"])
    for row, text in zip(result.tables["branches"], shown, strict=True):
        assert row["action"].strip() in text
        assert f"{row['outcome']}, {100 * row['chance']:.1f}%" in text


def test_a_large_tree_leaves_out_the_rarest_and_says_how_likely_they_are() -> None:
    result = asked("plan", file=str(DATA / "plan.toml"))
    picture = result.plot().axes[-1]
    assert len(picture.texts) < len(result.tables["branches"])
    assert "are in rarer branches" in picture.get_title()


def test_the_likeliest_branches_are_kept_whole() -> None:
    nodes = [ROOT, *(Node(0, 1, "a", str(n), (n + 1) / 1275) for n in range(50))]
    kept, left_out = likeliest(nodes, {})
    assert len(kept) == MOST_ROWS
    assert left_out == pytest.approx(sum(nodes[n].p for n in range(1, len(nodes)) if n not in kept))
    assert min(nodes[n].p for n in kept[1:]) >= max(nodes[n].p for n in range(1, 51) if n not in kept)


@pytest.mark.parametrize("bearable", [10, 3, 1])
def test_of_too_many_branches_the_likeliest_are_drawn_and_the_rest_is_told(
    bearable: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = asked("plan", file=str(DATA / "plan.toml")).question
    scene = plan_scene(question.matchup(question.ruleset.values))
    whole = tree(scene.start, scene.beats)
    assert pruned_tree(scene.start, scene.beats) == (whole, {})

    def after(beat: Any, ensemble: Any, most: int) -> Any:
        if len(np.unique(ensemble.columns["branch"])) > most:
            raise ExactLimitError("too many")
        return original(beat, ensemble, most)

    original = trace.after
    monkeypatch.setattr(trace, "after", after)
    nodes, given_up = pruned_tree(scene.start, scene.beats, bearable)
    assert given_up
    assert {*map(way_of(nodes), range(len(nodes)))} <= {*map(way_of(whole), range(len(whole)))}
    kept, left_out = likeliest(nodes, given_up)
    ends = set(kept) - {nodes[number].parent for number in kept}
    assert left_out == pytest.approx(1 - sum(nodes[number].p for number in ends))


def way_of(nodes: Sequence[Node]) -> Callable[[int], tuple[Any, ...]]:
    """What was done up to a node, and its chance."""

    def way(number: int) -> tuple[Any, ...]:
        steps, p = [], round(nodes[number].p, 12)
        while number > 0:
            steps.append((nodes[number].label, nodes[number].word))
            number = nodes[number].parent
        return p, *steps

    return way


def test_a_single_branch_of_too_many_states_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    def after(beat: Any, ensemble: Any, most: int) -> Any:
        raise ExactLimitError("too many")

    monkeypatch.setattr(trace, "after", after)
    with pytest.raises(ExactLimitError, match="one branch alone"):
        pruned_tree({"last": 0}, [Beat("", (), ())])


@pytest.mark.parametrize("second", [None, "right", "bottom-left"])
def test_the_cells_of_a_lob_are_shaded_and_told(second: str | None) -> None:
    result = asked("lob", "archers", "pikes", second=second, beside=["levy-spears@top"])
    cells = result.tables["cells"]
    picture = result.plot().axes[-1]
    assert len(picture.patches) == len(cells)
    shown = [text.get_text() for text in picture.texts]
    for row, text, patch in zip(cells, shown, picture.patches, strict=True):
        assert f"hit {100 * row['chance hit']:.3g}%" in text
        assert f"mean {row['mean damage']:.3g}" in text
        assert (row["unit"] in text) or row["unit"] == "-"
        assert isinstance(patch, Rectangle)
        aimed = patch.get_linewidth() > 2
        assert aimed == (row["cell"] in ("target", second))
        assert patch.get_xy() == (-0.5, -0.5) or row["cell"] != "target"
    darkest = min(cells, key=lambda row: -row["mean damage"])["cell"]
    shades = [patch.get_facecolor()[0] for patch in picture.patches]
    assert cells[shades.index(min(shades))]["cell"] == darkest


def test_cells_and_damage_agree() -> None:
    result = asked("lob", "archers,damage=2", "pikes", beside=["levy-spears@top"])
    cells = {row["cell"]: row["mean damage"] for row in result.tables["cells"]}
    assert cells["target"] == pytest.approx(result.mean("damage"))
    assert cells["top"] == pytest.approx(result.mean("beside.damage"))
    assert sum(cells.values()) - cells["target"] - cells["top"] == pytest.approx(result.mean("wasted"))
