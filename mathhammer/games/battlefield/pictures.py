"""Pictures: the tree of what may come of it, and the cells that a lobbed volley hits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mathhammer.core.game import Matchup
from mathhammer.games.battlefield.lob import ROUND, TARGET, cell_chances, landings, lob_scene, lob_tables
from mathhammer.games.battlefield.scenes import Scene
from mathhammer.games.battlefield.trace import Node, in_order, pruned_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, VERMILION = "#0072B2", "#D55E00"
MOST_ROWS = 36  # of a tree that is drawn
STEP = 0.5  # to the right for each depth, of a width of WIDTH
WIDTH = 10.0


def tree_picture(scene_of: Callable[[Matchup], Scene]) -> Callable[[Matchup, Axes], None]:
    """Draws the branches of a mode's scene, each with its chance in all."""

    def picture(matchup: Matchup, axes: Axes) -> None:
        scene = scene_of(matchup)
        draw_tree(axes, *pruned_tree(scene.start, scene.beats))

    return picture


def draw_tree(axes: Axes, nodes: Sequence[Node], given_up: Mapping[int, float]) -> None:
    """Branches below each other, further right the later; thicker where likelier, the rarest left out."""
    kept, left_out = likeliest(nodes, given_up)
    rows = {number: -row for row, number in enumerate(kept)}
    for number in kept[1:]:
        node = nodes[number]
        x, y, above = STEP * node.depth, rows[number], rows[node.parent]
        style: dict[str, Any] = {"color": BLUE, "lw": 0.8 + 5 * node.p, "solid_capstyle": "butt", "zorder": 1}
        axes.plot([x - STEP, x - STEP, x], [above, y, y], **style)
        axes.plot([x], [y], "o", color=VERMILION, ms=4, zorder=2)
        told = f"{node.label}: {node.word}, {percent(node.p)}"
        axes.annotate(told, (x, y), (6, 0), textcoords="offset points", fontsize=7, va="center")
    axes.plot([0], [0], "o", color=VERMILION, ms=4, zorder=2)
    more = f"\n{percent(left_out)} are in rarer branches" if left_out > 0 else ""
    axes.set_title(f"what may come of it, with the chance in all{more}", fontsize=9)
    axes.set(xlim=(-0.2, WIDTH), ylim=(0.3 - max(len(kept), 12), 1.0))
    axes.set_axis_off()


def percent(p: float) -> str:
    """A chance with the digits that it needs."""
    return f"{100 * p:.1f}%" if p >= 0.001 else f"{100 * p:.1g}%"


def likeliest(nodes: Sequence[Node], given_up: Mapping[int, float]) -> tuple[list[int], float]:
    """The numbers of the nodes on the way to the likeliest leaves, in order, and the chance of the others.

    given_up: nodes whose branches were not followed to their ends, with the chance of what was not.
    """
    inner = {node.parent for node in nodes} | set(given_up)
    leaves = [number for number in range(len(nodes)) if number not in inner]
    kept: set[int] = {0}
    left_out = sum(given_up.values())
    for leaf in sorted(leaves, key=lambda number: -nodes[number].p):
        way = {leaf}
        while nodes[min(way)].parent >= 0:
            way.add(nodes[min(way)].parent)
        if len(kept | way) <= MOST_ROWS:
            kept |= way
        else:
            left_out += nodes[leaf].p
    return [0, *(number for number in in_order(nodes) if number in kept)], left_out


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
