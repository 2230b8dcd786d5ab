"""Pictures: the tree of what may come of it, and the cells that a lobbed volley hits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mathhammer.core.game import Matchup
from mathhammer.games.battlefield.lob import ROUND, TARGET, cell_chances, landings
from mathhammer.games.battlefield.scenes import Scene, lob_scene, lob_tables
from mathhammer.games.battlefield.trace import Node, in_order, tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, VERMILION = "#0072B2", "#D55E00"
MOST_LEAVES = 16  # of a tree that is drawn


def tree_picture(scene_of: Callable[[Matchup], Scene]) -> Callable[[Matchup, Axes], None]:
    """Draws the branches of a mode's scene, each with its chance in all."""

    def picture(matchup: Matchup, axes: Axes) -> None:
        scene = scene_of(matchup)
        draw_tree(axes, tree(scene.start, scene.beats))

    return picture


def draw_tree(axes: Axes, nodes: Sequence[Node]) -> None:
    """Branches from left to right, thicker where they are likelier; the least likely are left out."""
    kept, left_out = likeliest(nodes)
    places = _places(nodes, kept)
    deepest = max(nodes[number].depth for number in kept)
    for number in kept:
        node, (x, y) = nodes[number], places[number]
        if node.parent >= 0:
            px, py = places[node.parent]
            axes.plot([px, x], [py, y], color=BLUE, lw=0.8 + 5 * node.p, solid_capstyle="round", zorder=1)
        axes.plot([x], [y], "o", color=VERMILION, ms=4, zorder=2)
        axes.annotate(_told(node), (x, y), (4, 3), textcoords="offset points", fontsize=7, zorder=3)
    told = f"; {left_out:.1%} in rarer branches" if left_out > 5e-5 else ""
    axes.set_title(f"what may come of it, with the chance in all{told}", fontsize=10)
    axes.set_xlim(-0.1, deepest + 0.9)
    axes.set_axis_off()


def _told(node: Node) -> str:
    return f"{node.label}:\n{node.word} {100 * node.p:.1f}%" if node.word else ""


def likeliest(nodes: Sequence[Node]) -> tuple[list[int], float]:
    """The numbers of the nodes on the way to the likeliest leaves, and the chance of the other leaves."""
    parents = {node.parent for node in nodes}
    leaves = [number for number in range(len(nodes)) if number not in parents]
    ranked = sorted(leaves, key=lambda number: -nodes[number].p)
    kept = {0}
    for leaf in ranked[:MOST_LEAVES]:
        while leaf >= 0:
            kept.add(leaf)
            leaf = nodes[leaf].parent
    order = [0, *(number for number in in_order(nodes) if number in kept)]
    return order, sum(nodes[leaf].p for leaf in ranked[MOST_LEAVES:])


def _places(nodes: Sequence[Node], kept: Sequence[int]) -> dict[int, tuple[float, float]]:
    """Each node's place: depth to the right, leaves below each other, parents amid their children."""
    parents = {nodes[number].parent for number in kept}
    heights: dict[int, list[float]] = {}
    places: dict[int, tuple[float, float]] = {}
    row = 0.0
    for number in kept:
        if number not in parents:
            heights[number] = [-row]
            row += 1
    for number in reversed(kept):
        middle = sum(heights[number]) / len(heights[number])
        places[number] = (nodes[number].depth, middle)
        heights.setdefault(nodes[number].parent, []).insert(0, middle)
    return places


# -- the cells of a lob ----------------------------------------------------------------------------
def lob_picture(matchup: Matchup, axes: Axes) -> None:
    """The cells shaded by mean damage, each with the chance that it is hit."""
    from matplotlib.patches import Rectangle

    rows = lob_tables(matchup, {})["cells"]
    _, lobbed = lob_scene(matchup)
    cells = list(cell_chances(landings(lobbed.battle, lobbed.actor, lobbed.second)))
    most = max(row["mean damage"] for row in rows) or 1.0
    for (x, y), row in zip(cells, rows, strict=True):
        shade = row["mean damage"] / most
        aimed = (x, y) == TARGET or (lobbed.second is not None and (x, y) == ROUND[lobbed.second])
        edge, width = (VERMILION, 2.5) if aimed else ("black", 0.8)
        place = (x - 0.5, y - 0.5)
        axes.add_patch(
            Rectangle(place, 1, 1, facecolor=str(1 - 0.7 * shade), edgecolor=edge, lw=width, zorder=1 + aimed)
        )
        colour = "white" if shade > 0.65 else "black"
        told = f"hit {100 * row['chance hit']:.3g}%\nmean {row['mean damage']:.3g}"
        told += f"\n{row['unit']}" if row["unit"] != "-" else ""
        axes.annotate(told, (x, y), ha="center", va="center", fontsize=7, color=colour, zorder=4)
    xs, ys = [x for x, _ in cells], [y for _, y in cells]
    axes.set(xlim=(min(xs) - 0.7, max(xs) + 0.7), ylim=(min(ys) - 0.7, max(ys) + 0.7), aspect="equal")
    axes.set_title(
        "chance that each cell is hit, and its mean damage\n(darker: more; orange edge: aimed at)", fontsize=9
    )
    axes.set(xlabel="cells", ylabel="cells", xticks=sorted(set(xs)), yticks=sorted(set(ys)))
