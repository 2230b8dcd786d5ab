"""One shot of an area weapon: how far it drifts, how wide it is, whom it covers. Source: AOR-07, AOR-10."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Floats, Ints, Pmf
from mathhammer.core.steps import Mask
from mathhammer.games.confrontation_aor.area_dice import endings, failures_law, successes_law
from mathhammer.games.confrontation_aor.layout import Formation, formation_of
from mathhammer.games.confrontation_aor.profile import Fighters, Unit
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.shoot import band_pmf
from mathhammer.games.confrontation_aor.situations import Area
from mathhammer.games.confrontation_aor.throws import NEVER, score
from mathhammer.kernels.pools import Bonus, successes
from mathhammer.kernels.scatter import covered, landings

WIDEST = 10.0  # cm: a template that would be wider has this radius, and two Strength tests
WAYS = 6
NOWHERE = 0  # the place of a shot that covers nobody


@dataclass(frozen=True)
class Shot:
    """A shot of all dice of an area weapon: one template.

    needed: what a ranged die must show, by its chances. lost: a die that never succeeds gives no template.
    radii (cm), tests: by the number of successes, which is counted up to the last of them.
    bearing: of direction 1, degrees clockwise from +y.
    """

    weapon: Fighters
    dice: int
    formation: Formation
    needed: Pmf
    lost: bool
    bonus: Bonus
    bonus_drifts: bool
    radii: Floats
    tests: Ints
    bearing: float
    touching: bool

    @property
    def most(self) -> int:
        """Successes from which on more change nothing."""
        return len(self.radii) - 1

    @property
    def scores(self) -> int:
        """From the lowest score that a ranged die may need to the highest, both counted."""
        return len(self.needed.probs)

    @cached_property
    def furthest(self) -> int:
        """Drift, cm, from which on nobody is covered."""
        aimed = self.formation.centres - self.formation.centres[self.formation.aim]
        reach = np.hypot(aimed[:, 0], aimed[:, 1]) + self.formation.radii
        return min(self.dice, math.ceil(float(reach.max() + self.radii.max())) + 1)

    @cached_property
    def covers(self) -> Mask:
        """Whom it covers: (successes, drift, direction, bases)."""
        there = landings(self.furthest, WAYS, self.bearing) + self.formation.centres[self.formation.aim]
        reaches = self.radii[:, None] + self.formation.radii
        return covered(there, self.formation.centres, reaches, touching=self.touching)

    @cached_property
    def chances(self) -> Floats:
        """The chance of each template: (successes, drift, direction); a drift of 0 has direction 0.

        Drifts from `furthest` on count as `furthest`. What misses to 1 is the chance that the shot is lost.
        """
        both = np.zeros((self.most + 1, self.furthest + 1))
        for needed, chance in self.needed:
            if self.lost and needed == NEVER:
                continue
            for drift, p in self.failures.row(needed):
                row = self.successes.row(drift * self.scores + needed - self.needed.offset)
                here = both[:, min(drift, self.furthest)]
                here[row.offset : row.last + 1] += chance * p * row.probs
        spread = np.repeat(both[..., None] / WAYS, WAYS, axis=-1)
        spread[:, 0] = 0.0
        spread[:, 0, 0] = both[:, 0]
        return spread

    @cached_property
    def failures(self) -> Law:
        """Failed ranged tests (cm of drift), keyed by the score needed. Source: AOR-10."""
        return failures_law(self.dice, self.bonus, self.bonus_drifts)

    @cached_property
    def successes(self) -> Law:
        """Successes, keyed by failures * `scores` + score needed above the lowest. Source: AOR-02, AOR-10."""
        ends = [endings(self.needed.offset + i, self.bonus, self.bonus_drifts) for i in range(self.scores)]
        return successes_law(self.dice, tuple((failed, held) for _, failed, held in ends), self.most)


def shot_of(matchup: Matchup) -> Shot:
    """The shot of a matchup. Raises `InputError`. Source: AOR-07, AOR-10."""
    situation, rules = matchup.situation, matchup.rules
    weapon = weapon_of(matchup.unit("attacker"), rules)
    dice = weapon.count * weapon.ranged_dice
    needed = needed_pmf(weapon, situation, rules)
    radii, tests = sizes(weapon.area or 0.0, dice, rules)
    return Shot(
        weapon=weapon,
        dice=dice,
        formation=formation_of(matchup),
        needed=needed,
        lost=needed[NEVER] > 0 and rules.never_shot == "lost",
        bonus=rules.bonus_die,
        bonus_drifts=rules.bonus_die != "none" and rules.drift_counts == "all_dice",
        radii=radii,
        tests=tests,
        bearing=float(situation.away + rules.area_turn),
        touching=rules.area_touching,
    )


def area_groups(unit: Unit) -> list[Fighters]:
    """The groups with an area weapon, the crew of a machine last. Source: AOR-10, AOR-29."""
    return sorted((g for g in unit.fighters if g.area and g.shoots), key=lambda g: "crew" in g.roles)


def weapon_of(unit: Unit, rules: Rules) -> Fighters:
    """The first profile with an area weapon: all who share a template. Source: AOR-10, AOR-11, AOR-29.

    Raises `InputError` where there is none, or where a war machine has no crew.
    """
    groups = area_groups(unit)
    if not groups:
        raise InputError(f"{unit.label()}: area is missing: no weapon with an area of effect, in cm (AOR-10)")
    if groups[0].category == "war-machine" and not unit.has("crew"):
        raise InputError(f"{unit.label()}: roles name no crew, and a war machine alone does nothing (AOR-29)")
    count = sum(g.count for g in groups if g.card == groups[0].card)
    return replace(groups[0], count=1 if count > 1 and rules.area_volley == "each_weapon" else count)


# -- the ranged tests ----------------------------------------------------------------------------
def needed_pmf(weapon: Fighters, situation: Area, rules: Rules) -> Pmf:
    """What a ranged die must show, over the distances that there may be. Source: AOR-01, AOR-07."""
    value = (weapon.ranged or 0) - (rules.interference if situation.interference else 0)
    return band_pmf(situation.distance, rules).map(lambda band: score(value - band, rules))


# -- the template --------------------------------------------------------------------------------
def sizes(area: float, dice: int, rules: Rules) -> tuple[Floats, Ints]:
    """Radius in cm and Strength tests of a fighter, by successes, up to where more change nothing.

    Source: AOR-10.
    """
    wide = [area, _grown(area, 1, dice, rules)]
    while rules.area_growth != "times_dice" and wide[-1] <= WIDEST and len(wide) <= most_successes(dice):
        wide.append(_grown(area, len(wide), dice, rules))
    tests = [1 + (radius > WIDEST) for radius in wide]
    return np.minimum(wide, WIDEST), np.array(tests, dtype=np.int32)


def _grown(area: float, hits: int, dice: int, rules: Rules) -> float:
    """The radius with one success or more, before it is cut. Source: AOR-10."""
    if rules.area_growth == "plus_successes":
        return area + hits
    return area * (dice if rules.area_growth == "times_dice" else hits)


def most_successes(dice: int) -> int:
    """More successes than that no dice show: each may have a chain of so many bonus dice."""
    return dice * successes(1, bonus="chain").last


# -- whom it covers ------------------------------------------------------------------------------
@dataclass(frozen=True)
class Places:
    """The different outcomes of where a template falls.

    at: (successes, drift, direction), the place. counts: (places, kinds), fighters covered. tests: (places,),
    Strength tests of each. covers: (places, bases), who is covered, where that is told apart. Place 0 covers
    nobody.
    """

    at: NDArray[np.integer]
    counts: Ints
    tests: Ints
    covers: Ints | None = None


def places_of(shot: Shot, by_base: bool = False) -> Places:
    """The places of a shot; by_base: places that cover other bases are different. Source: AOR-10."""
    kinds = np.eye(len(shot.formation.kinds), dtype=np.int32)[shot.formation.kind]
    counts = shot.covers @ kinds
    tests = np.where(counts.any(axis=-1), shot.tests[:, None, None], 0)
    parts = [tests[..., None], counts, *([shot.covers] if by_base else [])]
    rows = np.concatenate(parts, axis=-1)
    rows = rows.reshape(-1, rows.shape[-1])
    nobody = np.zeros_like(rows[:1])
    different, at = np.unique(np.concatenate([nobody, rows]), axis=0, return_inverse=True)
    of, told, covers = np.split(different.astype(np.int32), [1, 1 + counts.shape[-1]], axis=1)
    return Places(at.reshape(-1)[1:].reshape(tests.shape), told, of[:, 0], covers if by_base else None)
