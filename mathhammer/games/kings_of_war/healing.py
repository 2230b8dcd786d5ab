"""Healing: Regeneration at a unit's own turn, Lifeleech at once after its damage."""

from __future__ import annotations

import numpy as np

from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Change, Columns, Mask, Step
from mathhammer.games.kings_of_war.profile import Unit
from mathhammer.games.kings_of_war.ruleset import Rules
from mathhammer.kernels.pools import pool, successes


def regeneration_steps(unit: Unit, side: str, rules: Rules) -> list[Step]:
    """What heals in the unit's own turn; column `side.damage`. Source: KOW-A-regeneration."""
    if not unit.rules.regeneration:
        return []
    damage = f"{side}.damage"

    def heal(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        return {damage: np.maximum(columns[damage] - outcome, 0).astype(np.int32)}

    def hurt(columns: Columns) -> Mask:
        return columns[damage] > 0

    name = f"{side} regeneration"
    if rules.regeneration == "three_dice":
        return [Step(name, pool(successes(4)), 3, heal, hurt, rule="KOW-A-regeneration")]
    law = pool(successes(unit.rules.regeneration))
    return [Step(name, law, damage, heal, hurt, rule="KOW-A-regeneration")]


def lifeleech(unit: Unit, rules: Rules) -> int:
    """The most that a strike's damage heals on the striker. Source: KOW-A-lifeleech."""
    if not unit.rules.lifeleech or rules.lifeleech == "none":
        return 0
    if rules.lifeleech == "one":
        return 1
    return min(unit.rules.lifeleech, rules.lifeleech_most)


def heals_at_once(unit: Unit, rules: Rules) -> bool:
    """Whether Lifeleech heals when damage is dealt; else at the start of the unit's next own turn."""
    return not lifeleech(unit, rules) or rules.lifeleech_timing == "at_once"


def leech_later(unit: Unit, side: str, rules: Rules) -> list[Change]:
    """What was leeched in the turn before heals now; column `side.leech`. Source: KOW-A-lifeleech."""
    if heals_at_once(unit, rules):
        return []
    damage, leech = f"{side}.damage", f"{side}.leech"

    def heal(columns: Columns) -> dict[str, Ints]:
        left = np.maximum(columns[damage] - columns[leech], 0).astype(np.int32)
        return {damage: left, leech: np.zeros_like(left)}

    return [Change(f"{side} lifeleech", heal)]


def leeched(columns_damage: Ints, dealt: Ints, most: int) -> Ints:
    """Damage left on the striker after it dealt `dealt`, healing at most `most`."""
    return np.maximum(columns_damage - np.minimum(dealt, most), 0).astype(np.int32)
