"""The picture of a placement: what each pair of splits is worth to the attacker. Source: C3-3.7, C3-3.8."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mathhammer.core.game import Matchup
from mathhammer.core.pmf import Floats
from mathhammer.games.confrontation_3.duel import duel_fight
from mathhammer.games.confrontation_3.exchange import LONE, SEVERAL
from mathhammer.games.confrontation_3.placement import written
from mathhammer.games.confrontation_3.plan import Round
from mathhammer.games.confrontation_3.tables import State, first_placing, first_round

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAP = 1  # empty rows between the two grids


def draw_placement(matchup: Matchup, axes: Axes) -> None:
    """Two grids, one below the other: attacker's splits down, defender's across, boxes around best play."""
    if matchup.situation.play == "simple":
        axes.text(0.5, 0.5, "simple play places dice by habit", ha="center", transform=axes.transAxes)
        axes.axis("off")
        return
    fight = duel_fight(matchup)
    round_, state = first_round(fight), fight.start
    options = first_placing(round_).options
    grids = [pair_values(round_, winner, state) for winner in (LONE, SEVERAL)]
    scale = max(1e-9, max(float(np.abs(grid).max()) for grid in grids))
    rows, columns = grids[0].shape
    for number, (winner, grid) in enumerate(zip((LONE, SEVERAL), grids, strict=True)):
        top = number * (rows + GAP)
        extent = (-0.5, columns - 0.5, top + rows - 0.5, top - 0.5)
        axes.imshow(grid, cmap="PuOr_r", vmin=-scale, vmax=scale, extent=extent, aspect="auto")
        _written(axes, grid, top, scale)
        _boxed(axes, round_, winner, state, top)
        who = ("attacker", "defender")[winner]
        axes.text(-0.5, top - 0.58, f"the {who} has won the initiative", ha="left", va="bottom", fontsize=8)
    places = [number * (rows + GAP) + row for number in (0, 1) for row in range(rows)]
    axes.set_yticks(places, [written(dice) for dice in options.lone] * 2)
    axes.set_xticks(range(columns), [written(split[0]) for split in options.several])
    axes.set(ylim=(2 * rows + GAP - 0.5, -1.0), xlim=(-0.5, columns - 0.5))
    axes.set(ylabel="attacker places attack/defence", xlabel="defender places attack/defence")
    axes.set_title("Value of each pair of splits to the attacker\n(box: best play of both)", fontsize=10)
    axes.spines[:].set_visible(False)


def pair_values(round_: Round, winner: int, state: State) -> Floats:
    """The value to the attacker by both splits, shape (attacker's options, defender's options)."""
    return np.array([[value[0][state] for value in row] for row in round_.pairs[winner]])


def _written(axes: Axes, grid: Floats, top: int, scale: float) -> None:
    """The numbers, dark on light and light on dark."""
    for (row, column), value in np.ndenumerate(grid):
        colour = "white" if abs(value) > 0.6 * scale else "black"
        axes.text(column, top + row, f"{value:+.3f}", ha="center", va="center", color=colour, fontsize=9)


def _boxed(axes: Axes, round_: Round, winner: int, state: State, top: int) -> None:
    """A frame around what both choose."""
    from matplotlib.patches import Rectangle

    placed = first_placing(round_).placed[winner]
    column, row = int(placed.several[state]), top + int(placed.lone[state])
    box = Rectangle((column - 0.47, row - 0.46), 0.94, 0.92, fill=False, edgecolor="black", lw=2.5)
    axes.add_patch(box)
