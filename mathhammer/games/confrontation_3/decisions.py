"""When defence dice are spent in a duel: best play followed forward, node by node. Source: C3-3.10.

Each row of what comes out is a moment in which a defender could spend a die.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.pmf import Floats
from mathhammer.games.confrontation_3.exchange import END, LONE, Blow, Node
from mathhammer.games.confrontation_3.plan import Fight, Round
from mathhammer.games.confrontation_3.solver import PASS, Codes

State = tuple[int, int]


@dataclass(frozen=True)
class Moment:
    """A defender may spend a die. chances: by the states of both; spends: in which he does."""

    attack: int  # the number of the attack, from 1
    side: int  # who attacks
    chances: Floats
    spends: NDArray[np.bool_]


class Follower:
    """Follows the best play of a duel's round from one state."""

    def __init__(self, fight: Fight, round_: Round) -> None:
        sides = round_.sides
        pairs = ((sides.lone, sides.several[0]), (sides.several[0], sides.lone))
        self.kernels = [[fight.fighting.kernel(*pair, spent) for spent in (False, True)] for pair in pairs]
        self.round = round_
        count = fight.fighting.states.count
        self.codes = dict(zip(round_.turns, round_.codes[1:].reshape(-1, count, count), strict=True))

    def moments(self, root: Node, state: State) -> Iterator[Moment]:
        """Every moment of choice that can be met, the earlier first."""
        first = sum(_attacks(root))
        masses = {root: self._at(state)}
        for node in reversed(list(self.round.turns)):
            if node not in masses:
                continue
            mass, codes, turn = masses.pop(node), self.codes[node], self.round.turns[node]
            _add(masses, turn.passed, np.where(codes == PASS, mass, 0.0))
            for blow in turn.blows:  # a duel has one at most
                if blow.defended:
                    chances = np.where(codes == PASS, 0.0, mass)
                    if chances.any():
                        attack = first - sum(_attacks(node)) + 1
                        yield Moment(attack, node.side, chances, codes % 2 == 1)
                self._strike(masses, node.side, blow, mass, codes)

    def _at(self, state: State) -> Floats:
        mass = np.zeros(next(iter(self.codes.values())).shape)
        mass[state] = 1.0
        return mass

    def _strike(self, masses: dict[Node, Floats], side: int, blow: Blow, mass: Floats, codes: Codes) -> None:
        """Both outcomes of the attack, with and without a die, into what follows."""
        for spent, after in enumerate((blow.undefended, blow.defended)):
            if after is not None:
                part = np.where(codes == spent, mass, 0.0)
                kernel = self.kernels[side][spent]
                moved = np.einsum("ab,abc->ac", part, kernel) if side == LONE else None
                _add(masses, after, np.einsum("ab,bac->cb", part, kernel) if moved is None else moved)


def _attacks(node: Node) -> tuple[int, int]:
    return node.lone[0], sum(attack for attack, _ in node.several)


def _add(masses: dict[Node, Floats], node: Node, mass: Floats) -> None:
    if node != END and mass.any():
        masses[node] = masses[node] + mass if node in masses else mass
