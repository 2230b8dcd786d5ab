"""One attack: whether it hits, and what the wound is, as laws and as kernels over states.

Source: C3-3.10, C3-3.16 to C3-3.18.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mathhammer.core.laws import Law, stacked
from mathhammer.core.pmf import Floats, Ints, Pmf
from mathhammer.games.confrontation_3.fighters import Body
from mathhammer.games.confrontation_3.ruleset import Policy, Rules
from mathhammer.games.confrontation_3.sixes import (
    CUT,
    WIDEST,
    Sixes,
    attack_law,
    attack_sixes,
    success_chance,
)
from mathhammer.games.confrontation_3.wounds import (
    Damage,
    States,
    damage_law,
    damage_of,
    states_of,
    transitions,
)

ZERO = WIDEST  # key of a lead of 0
STRIDE = 2 * ZERO + 1


@dataclass(frozen=True)
class Fighting:
    """What the rules say of attacks: sixes, undefended attacks, damage, and the states of fighters."""

    sixes: Sixes
    undefended: str
    damage: Damage
    states: States

    @cached_property
    def hit_law(self) -> Law:
        """Whether an attack hits (0, 1); see `hit_key`. Source: C3-3.10."""
        laws = undefended_law(self.undefended, self.sixes.own), attack_law(self.sixes)
        return stacked([law.shifted(-ZERO) for law in laws], STRIDE)

    @cached_property
    def wound_law(self) -> Law:
        """The result of a damage roll, keyed by STR + modifiers - RES. Source: C3-3.17."""
        return damage_law(self.damage)

    def hits(self, attacker: Body, target: Body, defended: bool) -> Floats:
        """P(hit) by both states, shape (states, states)."""
        off = self.states.penalty()
        leads = (attacker.att - off)[:, None] - (target.defence - off)[None, :]
        keys = hit_key(leads, defended)
        low = int(keys.min())
        chances = np.array([self.hit_law.row(key)[1] for key in range(low, int(keys.max()) + 1)])
        found: Floats = chances[keys - low]
        return found

    def kernel(self, attacker: Body, target: Body, defended: bool) -> Floats:
        """P(next state of the target) by the attacker's and his own state: shape (states, states, states)."""
        states = self.states
        margins = attacker.strength - states.penalty() - target.res
        hurt = transitions(states, self.damage, margins)
        hit = self.hits(attacker, target, defended)[:, :, None]
        kernel: Floats = (1 - hit) * np.eye(states.count)[None] + hit * hurt
        kernel[states.killed] = np.eye(states.count)  # the dead attack nobody
        return kernel


def fighting(rules: Rules, most_stun: int) -> Fighting:
    """Attacks under the rules; a fighter is attacked `most_stun` times a round at most."""
    return Fighting(attack_sixes(rules), rules.undefended, damage_of(rules), states_of(rules, most_stun))


def hit_key(lead: Ints, defended: Ints | bool) -> Ints:
    """The key of `hit_law`, by ATT less DEF with all modifiers, and whether a defence die is spent."""
    near = np.clip(lead, -WIDEST, WIDEST)
    return (near + ZERO + STRIDE * np.asarray(defended, dtype=np.int32)).astype(np.int32)


def undefended_law(rule: str, policy: Policy) -> Law:
    """Whether an attack without a defence die against it hits (0, 1), keyed by ATT less DEF.

    Source: C3-3.10.
    """

    def make(lead: int) -> Pmf:
        if rule == "always":
            return Pmf.point(1)
        chance = success_chance(2 if rule == "unless_1" else 1 - lead, policy)
        return Pmf(0, [1 - chance, chance], CUT)

    return Law(("c3 undefended", rule, policy), make)
