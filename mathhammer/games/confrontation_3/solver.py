"""Best play of a melee, solved backward: whom to attack, when to spend a defence die.

Values are those of the lone fighter; the several want the opposite. A value is an array over the states of
all fighters, with further channels (chances that are carried along under the same decisions) in front. Ties
within TIE keep the die, and attack the enemy who is listed first. Source: C3-3.9 to C3-3.15.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.pmf import Floats
from mathhammer.games.confrontation_3.blows import Fighting
from mathhammer.games.confrontation_3.exchange import END, LONE, Blow, Exchange, Node, Turn, graph
from mathhammer.games.confrontation_3.fighters import Body

TIE = 1e-12
PASS = 255  # code of a node where nobody can attack, or be attacked

Codes = NDArray[np.uint8]  # by state: twice the enemy who attacks or is attacked, plus 1 for a die spent


@dataclass(frozen=True)
class Sides:
    """Who fights: the lone fighter, and the several against him."""

    lone: Body
    several: tuple[Body, ...]

    @property
    def fighters(self) -> int:
        """How many fighters there are."""
        return 1 + len(self.several)


@dataclass
class Solution:
    """Values of the roots by state, what may come next at each node, and what is done there.

    codes: by node, in the order of `turns` from row 1, and by the index of the state; row 0 is the end.
    """

    turns: dict[Node, Turn]
    values: dict[Node, Floats]
    codes: Codes


class Solver:
    """Backward induction over the nodes of an exchange; each table is freed once nothing needs it."""

    def __init__(self, sides: Sides, fighting: Fighting, exchange: Exchange, terminal: Floats) -> None:
        """terminal: values at the end, shape (channels, states, ..., states)."""
        self.exchange, self.terminal = exchange, terminal
        self.killed = fighting.states.killed
        self.count = fighting.states.count
        self.on = [
            [fighting.kernel(sides.lone, enemy, spent)[:, None] for spent in (False, True)]
            for enemy in sides.several
        ]
        self.by = [
            [fighting.kernel(enemy, sides.lone, spent) for spent in (False, True)] for enemy in sides.several
        ]

    def solve(self, roots: Sequence[Node]) -> Solution:
        """The values of the roots, and the policy of every node below them."""
        nodes = graph(self.exchange, tuple(roots))
        waiting = _parents(nodes, roots)
        values: dict[Node, Floats] = {END: self.terminal}
        codes = np.full((len(nodes) + 1, self.terminal[0].size), PASS, dtype=np.uint8)
        for number, (node, turn) in enumerate(nodes.items(), start=1):
            done = codes[number].reshape(self.terminal.shape[1:])
            values[node] = self._value(node.side, turn, values, done)
            for child in turn.children:
                waiting[child] -= 1
                if not waiting[child] and child != END:
                    del values[child]
        return Solution(nodes, {root: values[root] for root in roots}, codes)

    def _value(self, side: int, turn: Turn, values: dict[Node, Floats], codes: Codes) -> Floats:
        """The value of a node by state; what is done there goes into `codes`."""
        worth = values[turn.passed].copy()
        for blow in turn.blows:
            offered, spends = self._blow(side, blow, values)
            chosen = self._alive(blow.enemy)
            if (codes != PASS).any():
                better = offered[0] > worth[0] + TIE if side == LONE else offered[0] < worth[0] - TIE
                chosen = chosen & (better | (codes == PASS))
            np.copyto(worth, offered, where=chosen)
            np.copyto(codes, (2 * blow.enemy + spends).astype(np.uint8), where=chosen)
        worth[:, self.killed] = self.terminal[:, self.killed]
        codes[self.killed] = PASS
        return worth

    def _blow(self, side: int, blow: Blow, values: dict[Node, Floats]) -> tuple[Floats, NDArray[np.bool_]]:
        """The value of an attack, the one attacked spending a die where that is better for him."""
        after = self._on if side == LONE else self._by
        plain = after(blow.enemy, False, values[blow.undefended])
        if blow.defended is None:
            return plain, np.zeros(plain.shape[1:], dtype=np.bool_)
        spent = after(blow.enemy, True, values[blow.defended])
        spends = spent[0] < plain[0] - TIE if side == LONE else spent[0] > plain[0] + TIE
        np.copyto(plain, spent, where=spends)
        return plain, spends

    def _on(self, enemy: int, defended: bool, value: Floats) -> Floats:
        """The value before the lone fighter's attack, from that after it."""
        kernel, states = self.on[enemy][defended], self.count
        split = value.reshape(len(value), states, states**enemy, states, -1)
        if split.shape[-1] > 1:
            found: Floats = np.matmul(kernel, split).reshape(value.shape)
        else:
            found = np.matmul(split[..., 0], kernel[:, 0].transpose(0, 2, 1)).reshape(value.shape)
        return found

    def _by(self, enemy: int, defended: bool, value: Floats) -> Floats:
        """The value before an enemy's attack, from that after it."""
        kernel, states = self.by[enemy][defended], self.count
        split = value.reshape(len(value), states, states**enemy, states, -1)
        moved = np.ascontiguousarray(split.transpose(0, 3, 1, 2, 4)).reshape(len(value), states, states, -1)
        before = np.matmul(kernel, moved).reshape(len(value), states, states, states**enemy, -1)
        found: Floats = np.ascontiguousarray(before.transpose(0, 2, 3, 1, 4)).reshape(value.shape)
        return found

    def _alive(self, enemy: int) -> NDArray[np.bool_]:
        """Whether an enemy lives, over the states of all."""
        alive: NDArray[np.bool_] = np.arange(self.count) != self.killed
        shape = [1] * (self.terminal.ndim - 1)
        shape[1 + enemy] = self.count
        return alive.reshape(shape)


def _parents(nodes: dict[Node, Turn], roots: Sequence[Node]) -> dict[Node, int]:
    """How many nodes need each node's value; roots are needed to the end."""
    waiting: dict[Node, int] = dict.fromkeys(roots, 1)
    for turn in nodes.values():
        for child in turn.children:
            waiting[child] = waiting.get(child, 0) + 1
    return waiting
