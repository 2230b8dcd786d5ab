"""Lobbed fire: which cells it covers, and what lands in each. Source: BF-11."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Change, Columns, Mask, Play, Step, cleared
from mathhammer.games.battlefield.assault import crowding, share
from mathhammer.games.battlefield.checks import Check, Term, kept, plain_law
from mathhammer.games.battlefield.melee import rally_terms
from mathhammer.games.battlefield.profile import BOWS, Unit
from mathhammer.games.battlefield.ruleset import Rules
from mathhammer.games.battlefield.scenes import Scene, Tables, battle_of, damage, pair, several, told
from mathhammer.games.battlefield.situations import Lob
from mathhammer.games.battlefield.state import (
    Action,
    Battle,
    Beat,
    Fighter,
    Masked,
    Where,
    every,
    inverted,
    is_open,
    noted,
)
from mathhammer.games.battlefield.volleys import (
    Blow,
    Deal,
    Portion,
    hurt,
    portioned,
    roll_check,
    strike,
    volley_law,
    weapon_rolls,
)

Cell = tuple[int, int]  # right and up from the target
TARGET: Cell = (0, 0)
ROUND: dict[str, Cell] = {
    "top": (0, 1),
    "top-right": (1, 1),
    "right": (1, 0),
    "bottom-right": (1, -1),
    "bottom": (0, -1),
    "bottom-left": (-1, -1),
    "left": (-1, 0),
    "top-left": (-1, 1),
}
DIRECTIONS = tuple(ROUND)
LOBS = ("centre", "stray", "hit", "wasted")  # columns that a volley needs
LANDS = ("scatters", "on target")
CENTRES = ("the target", "the second cell")


@dataclass(frozen=True)
class Landing:
    """One way that a volley lands: its chance, and the share of the damage in each cell."""

    p: Fraction
    shares: Mapping[Cell, Fraction]


def lob_check(battle: Battle, actor: Fighter, *, two_cells: bool) -> Check:
    """The check to land on target. Source: BF-11."""
    rules = battle.rules
    dc = rules.lob_two_cells_dc if two_cells else rules.lob_dc
    terms = kept(
        *rally_terms(actor), Term("covering two cells" if two_cells else "lobbed fire", dc, against=True)
    )
    return Check(f"{actor.name} lobs", "BF-11", terms)


def refuse_weapon(unit: Unit) -> None:
    """Raise `InputError` for a unit without bows."""
    if unit.weapon not in BOWS:
        raise InputError(f"{unit.name} cannot lob with a {unit.weapon}: only bows shoot high (BF-11)")


def moved(cell: Cell, direction: str) -> Cell:
    """The next cell in a direction."""
    right, up = ROUND[direction]
    return cell[0] + right, cell[1] + up


def cells_hit(second: str | None, centre: int, stray: int, rules: Rules) -> dict[Cell, Fraction]:
    """The share of the damage in each cell.

    centre: 0 on target, 1 the target, 2 the second cell. stray: the d8. Source: BF-11.
    """
    aimed = TARGET if second is None else moved(TARGET, second)
    if centre == 0:
        both = Fraction(1) if second is None else Fraction(rules.lob_two_cells_percent, 100)
        return dict.fromkeys((TARGET, aimed), both)
    middle = TARGET if centre == 1 else aimed
    return dict.fromkeys((middle, moved(middle, DIRECTIONS[stray - 1])), Fraction(rules.lob_percent, 100))


# -- the chances of cells --------------------------------------------------------------------------
def landings(battle: Battle, actor: Fighter, second: str | None) -> list[Landing]:
    """Every way that the volley lands, with its chance. Source: BF-11."""
    rules, hits = battle.rules, Fraction(1)
    if not actor.unit.training.lob:
        check = lob_check(battle, actor, two_cells=second is not None)
        assert isinstance(check.lead, int)
        hits = Fraction(plain_law(rules).row(check.lead)[1]).limit_denominator(20)
    centres = (1,) if second is None else (1, 2)
    ways = [Landing(hits, cells_hit(second, 0, 0, rules))]
    for centre in centres:
        for stray in range(1, 9):
            p = (1 - hits) / len(centres) / 8
            ways.append(Landing(p, cells_hit(second, centre, stray, rules)))
    return [way for way in ways if way.p]


def cell_chances(ways: list[Landing]) -> dict[Cell, tuple[Fraction, Fraction]]:
    """By cell: the chance that it is hit, and its mean share of the damage."""
    cells = sorted({cell for way in ways for cell in way.shares}, key=lambda cell: (-cell[1], cell[0]))
    return {
        cell: (
            sum((way.p for way in ways if cell in way.shares), Fraction(0)),
            sum((way.p * way.shares.get(cell, Fraction(0)) for way in ways), Fraction(0)),
        )
        for cell in cells
    }


def cell_name(cell: Cell) -> str:
    """A cell in words: the target, its neighbours, or so many cells to a side and up or down."""
    if cell == TARGET:
        return "target"
    names = {place: name for name, place in ROUND.items()}
    across, along = ("right", "left")[cell[0] < 0], ("up", "down")[cell[1] < 0]
    parts = (f"{abs(n)} {word}" for n, word in zip(cell, (across, along), strict=True) if n)
    return names.get(cell, ", ".join(parts))


def volley_mean(lobbed: Lobbed) -> float:
    """Mean damage of the whole volley, as against the unit aimed at, in points."""
    battle, blow = lobbed.battle, lobbed.blow(lobbed.target.name)
    check = roll_check(battle, lobbed.actor, lobbed.target, blow)
    assert isinstance(check.lead, int)
    return volley_law(lobbed.actor.unit, blow, battle).row(check.lead).mean / battle.scale


# -- the volley ------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Lobbed:
    """A lobbed volley: who, at whom, the second cell if two are covered, and who stands in other cells."""

    battle: Battle
    actor: Fighter
    target: Fighter
    second: str | None
    beside: Mapping[Cell, Fighter]

    def beats(self, where: Where = None) -> list[Beat]:
        """Where it lands, then its damage. Raises `InputError`. Source: BF-11."""
        refuse_weapon(self.actor.unit)
        able = every(self.battle.acts(self.actor), where)
        label = f"{self.actor.name} lobs at {self.target.name}"
        landing = Beat(label, self._landing(), LANDS, able)
        done = Change("landed", lambda c: {"last": c["open"]})
        return [
            landing,
            Beat(f"damage of {self.actor.name}", (*self._damage(), done), ("damage",), able, quiet=True),
        ]

    def _landing(self) -> tuple[Action, ...]:
        """The check; where it fails, the d2 for the centre and the d8 for the other cell."""
        if self.actor.unit.training.lob:
            return (Change("trained", lambda c: {"last": 2 * c["open"]}),)
        check = lob_check(self.battle, self.actor, two_cells=self.second is not None)

        def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
            return noted(columns, outcome, {"centre": (outcome == 0).astype(np.int32)})

        steps: list[Action] = [check.step(plain_law(self.battle.rules), update, is_open, LANDS)]
        if self.second is not None:
            centre = Law.constant(Pmf(1, [0.5, 0.5]))
            steps.append(Step("centre", centre, 0, "centre", scattered, rule="BF-11"))
        stray = Law.constant(Pmf.die(8))
        return (*steps, Step("d8 from the top", stray, 0, "stray", scattered, rule="BF-11"))

    def share(self, cell: Cell, columns: Columns) -> tuple[Ints, Ints]:
        """The share of the damage in a cell, in each state: numerators and denominators."""
        return self._looked_up(lambda cells: cells.get(cell, Fraction(0)), columns)

    def _looked_up(
        self, part: Callable[[dict[Cell, Fraction]], Fraction], columns: Columns
    ) -> tuple[Ints, Ints]:
        """A part of the damage, which depends only on where the volley landed."""
        rules, ways = self.battle.rules, product(range(3), range(9))
        parts = [part(cells_hit(self.second, *way, rules)) if way[1] or not way[0] else 0 for way in ways]
        found = [Fraction(value) for value in parts]
        way = columns["centre"] * 9 + columns["stray"]
        over = np.array([value.numerator for value in found], dtype=np.int32)[way]
        return over, np.array([value.denominator for value in found], dtype=np.int32)[way]

    def _occupied(self) -> dict[Cell, Fighter]:
        return {TARGET: self.target, **self.beside}

    def blow(self, who: str) -> Blow:
        """The rolls of the volley, at whoever stands there."""
        rolls = weapon_rolls(self.actor.unit, self.battle.rules)
        return Blow(rolls, rule="BF-11", who=f"{self.actor.name} shoots {who}")

    def _damage(self) -> list[Action]:
        """What lands in each cell: part of one volley at the unit aimed at, or a volley at each unit."""
        one = self.battle.rules.lob_rolls == "one"
        steps = self._rolled() if one else self._wasted()
        for cell, fighter in self._occupied().items():
            if self.battle.melees:
                steps.append(crowding(self.battle, self.actor, fighter))
            steps += self._divided(cell, fighter) if one else self._at(cell, fighter, is_open)
            steps += self._dragged_in(cell, fighter)
        return [*steps, cleared("hit", "total")]

    def _rolled(self) -> list[Action]:
        """One volley against the unit aimed at, and what of it falls on empty cells."""
        blow = self.blow(self.target.name)
        shot = (self.battle, self.actor, self.target, blow, is_open)
        rolled = strike(*shot, deal=lambda columns, dealt: {"hit": dealt})
        return [*rolled, self._parted("on empty cells", self._each_share, self._waste)]

    def _waste(self, columns: Columns, dealt: Ints) -> dict[str, Ints]:
        return {"wasted": dealt * self._empties(columns)}

    def _parted(self, name: str, portion: Portion, deal: Deal) -> Change:
        """A part of the volley that was rolled is dealt."""
        update = portioned(self.battle, Fraction(1), [portion], deal)
        return Change(name, lambda columns: update(columns, columns["hit"]))

    def _wasted(self) -> list[Action]:
        """A volley for the empty cells, as against the unit aimed at."""
        shot = (self.battle, self.actor, self.target, self.blow("an empty cell"), is_open)
        return strike(*shot, portion=self._each_share, deal=self._waste)

    def _divided(self, cell: Cell, fighter: Fighter) -> list[Action]:
        """The part of the one volley that the unit in a cell takes."""
        deal = hurt(self.battle, fighter)
        return [self._parted(f"on {fighter.name}", self._portion(cell, fighter), deal)]

    def _each_share(self, columns: Columns) -> tuple[Ints, Ints]:
        """The share of each cell that is hit, in each state (all have the same)."""
        return self._looked_up(lambda cells: max(cells.values()), columns)

    def _empties(self, columns: Columns) -> Ints:
        """How many cells where nobody stands are hit, in each state."""
        taken = self._occupied()
        return self._looked_up(lambda cells: Fraction(sum(cell not in taken for cell in cells)), columns)[0]

    def _at(self, cell: Cell, fighter: Fighter, where: Masked) -> list[Action]:
        """A volley of its own against a unit."""
        blow, portion = self.blow(fighter.name), self._portion(cell, fighter)
        return strike(self.battle, self.actor, fighter, blow, where, portion=portion)

    # -- where units fight in one cell -------------------------------------------------------------
    def _portion(self, cell: Cell, fighter: Fighter) -> Portion:
        """Its cell's share of a volley, in a melee by its part of the soldiers there. Source: BF-15."""
        if not self.battle.melees:
            return partial(self.share, cell)

        def portion(columns: Columns) -> tuple[Ints, Ints]:
            (over, under), (own, all_) = self.share(cell, columns), share(self.battle, fighter)(columns)
            here = True if cell == TARGET else self._stays(fighter)(columns)
            return over * own.astype(np.int64) * here, under * all_.astype(np.int64)

        return portion

    def _stays(self, fighter: Fighter) -> Masked:
        """States in which a unit beside the target has not gone into the target's cell."""
        return inverted(self.battle.together(fighter, self.target))

    def _dragged_in(self, cell: Cell, beside: Fighter) -> list[Action]:
        """A volley at each of the others who fight in a unit's cell. Raises `InputError`. Source: BF-15."""
        if not self.battle.melees:
            return []
        if self.battle.rules.melee_shooting_rolls == "shared":
            raise InputError(
                "--rule melee_shooting_rolls=shared is for shots straight into a melee: what is lobbed there "
                "is rolled for each unit (BF-15)"
            )
        steps: list[Action] = []
        apart = [self.target, *self.beside.values()] if cell != TARGET else [self.target]
        for other in self.battle.fighters:
            if other.name not in {self.actor.name, *(fighter.name for fighter in apart)}:
                stays = None if cell == TARGET else self._stays(beside)
                where = every(is_open, self.battle.beside(other, beside), stays)
                steps += self._at(cell, other, where)
        return steps


def scattered(columns: Columns) -> Mask:
    """States in which the volley was off target."""
    mask: Mask = columns["centre"] > 0
    return mask & is_open(columns)


# -- the mode --------------------------------------------------------------------------------------
def lob_scene(matchup: Matchup) -> tuple[Scene, Lobbed]:
    """A lobbed volley. Raises `InputError`. Source: BF-11."""
    situation: Lob = matchup.situation
    us, them = pair(matchup)
    beside: dict[Cell, Fighter] = {}
    directions = [placed.placing["direction"] for placed in matchup.units.get("beside", ())]
    for fighter, direction in zip(several(matchup, "beside"), directions, strict=True):
        cell = moved(TARGET, direction)
        if cell in beside:
            raise InputError(f"--beside: two units stand at the {direction}")
        beside[cell] = fighter
    battle = battle_of(matchup.rules, [us, them, *beside.values()])
    lobbed = Lobbed(battle, us, them, situation.second, beside)
    start = battle.start() | dict.fromkeys(LOBS, 0)
    return Scene(battle, start, lobbed.beats()), lobbed


def lob(matchup: Matchup) -> Play:
    """The play of a lobbed volley. Source: BF-11."""
    scene, lobbed = lob_scene(matchup)
    return scene.play(
        told(scene, "damage") | {"beside.damage": damage(*lobbed.beside.values()), "wasted": "wasted"},
        {
            "on_target": lambda columns: columns["centre"] == 0,
            "scatters": lambda columns: columns["centre"] > 0,
            **told(scene, "destroyed"),
        },
    )


def lob_tables(matchup: Matchup, pmfs: dict[str, dict[int, float]]) -> Tables:
    """Each cell that may be hit: the chance, its mean share, and the mean damage that lands there."""
    _, lobbed = lob_scene(matchup)
    mean = volley_mean(lobbed)
    standing = {TARGET: lobbed.target, **lobbed.beside}
    rows = []
    for cell, (p, part) in cell_chances(landings(lobbed.battle, lobbed.actor, lobbed.second)).items():
        who = standing[cell].unit.name if cell in standing else "-"
        rows.append({"cell": cell_name(cell), "unit": who} | {"chance hit": float(p), "share": float(part)})
        rows[-1]["mean damage"] = float(part) * mean
    return {"cells": rows}
