"""The `area` mode from above: the formation, where the template may land, and who falls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mathhammer.core.game import Matchup
from mathhammer.core.pmf import Floats
from mathhammer.games.confrontation_aor.area_tables import fall_chances
from mathhammer.games.confrontation_aor.blast import WAYS, Shot, shot_of
from mathhammer.kernels.scatter import landings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, VERMILION = "#0072B2", "#D55E00"
RARE = 1e-3  # places where a template lands more rarely are not drawn


def picture(matchup: Matchup, axes: Axes) -> None:
    """The formation from above: each base's chance to fall, where the template may land, how wide it is."""
    shot, away = shot_of(matchup), matchup.situation.away
    _draw_bases(axes, shot, fall_chances(shot, matchup.rules, away))
    _draw_template(axes, shot)
    _draw_landings(axes, shot)
    _draw_shot(axes, shot, away)
    axes.set(aspect="equal", xlabel="cm", ylabel="cm, away from the shooter")
    axes.set_title(
        "Chance in % that each fighter falls, darker: likelier;\nthick edge: aimed at"
        + ("; hatched: friends" if matchup.situation.friends else ""),
        fontsize=9,
    )
    axes.legend(frameon=False, fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.12))


def _draw_bases(axes: Axes, shot: Shot, chances: Floats) -> None:
    """Bases, darker the likelier they fall; friends hatched; the aimed one with a thick edge."""
    from matplotlib.patches import Circle
    from matplotlib.patheffects import withStroke

    formation, outline = shot.formation, withStroke(linewidth=2.5, foreground="white")
    for i, ((x, y), radius, p) in enumerate(zip(formation.centres, formation.radii, chances, strict=True)):
        edge = 2.8 if i == formation.aim else 0.8
        base = Circle((x, y), radius, facecolor=str(1 - 0.55 * p), edgecolor="black", lw=edge)
        base.set_hatch("///" if i >= formation.number else "")
        axes.add_patch(base)
        text = axes.annotate(f"{100 * p:.0f}", (x, y), ha="center", va="center", fontsize=7, zorder=5)
        text.set_path_effects([outline])


def _draw_template(axes: Axes, shot: Shot) -> None:
    """The template on target: as wide as without a success, and as it most likely is."""
    from matplotlib.patches import Circle

    aimed = tuple(shot.formation.centres[shot.formation.aim])
    least, likely = float(shot.radii[0]), _likeliest(shot)
    circles = [(least, "-", "no success"), (likely, "--", "likeliest")]
    for radius, style, told in circles if likely > least else [(least, "-", "likeliest")]:
        label = f"radius on target, {told}: {radius:g} cm"
        axes.add_patch(Circle(aimed, radius, fill=False, color=VERMILION, lw=1.8, ls=style, label=label))


def _likeliest(shot: Shot) -> float:
    """The likeliest radius."""
    return float(shot.radii[shot.chances.sum(axis=(1, 2)).argmax()])


def _draw_landings(axes: Axes, shot: Shot) -> None:
    """Centres of the template, as dots whose area is their chance."""
    chances = shot.chances.sum(axis=0)
    places = landings(shot.furthest, WAYS, shot.bearing) + shot.formation.centres[shot.formation.aim]
    shown = chances > RARE
    size = 800 * chances[shown]
    axes.scatter(
        places[shown][:, 0],
        places[shown][:, 1],
        s=size,
        facecolors=BLUE,
        edgecolors="white",
        lw=0.6,
        alpha=0.75,
        zorder=4,
        label="centre of the template, larger: likelier",
    )


def _draw_shot(axes: Axes, shot: Shot, away: float) -> None:
    """An arrow from the shooter's side, and room around all."""
    formation = shot.formation
    aimed = formation.centres[formation.aim]
    apart = np.hypot(*(formation.centres - aimed).T) + formation.radii
    edge = max(float(apart.max()), float(shot.radii[0]), _likeliest(shot)) + 2.0
    angle = np.radians(away)
    towards = np.array([np.sin(angle), np.cos(angle)])
    tail, head = aimed - edge * towards, aimed - (edge - 2.0) * towards
    axes.annotate("", tuple(head), tuple(tail), arrowprops={"arrowstyle": "-|>", "lw": 1.5})
    axes.annotate("shot", tuple(tail), (6, 2), textcoords="offset points", fontsize=7)
    axes.set_xlim(aimed[0] - edge, aimed[0] + edge)
    axes.set_ylim(aimed[1] - edge, aimed[1] + edge)
