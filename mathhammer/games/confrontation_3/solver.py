"""Best play of a melee, solved backward: whom to attack, when to spend a defence die.

Values are those of the lone fighter; the several want the opposite. A value is an array over the states of
all fighters, with further channels (chances that are carried along under the same decisions) in front. Ties
within TIE keep the die, and attack the enemy who is listed first. Source: C3-3.9 to C3-3.15.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.pmf import Floats
from mathhammer.games.confrontation_3.blows import Fighting
from mathhammer.games.confrontation_3.exchange import (
    END,
    LONE,
    Blow,
    Exchange,
    Kinds,
    Node,
    Turn,
    arranged,
    graph,
)
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


@dataclass(frozen=True)
class Values:
    """Values by node and state. Enemies of a kind share what is held: those of any arrangement are found."""

    kinds: Kinds
    held: dict[Node, Floats]

    def __getitem__(self, node: Node) -> Floats:
        held, order = arranged(node, self.kinds)
        value = self.held[held]
        return value.transpose(0, 1, *(2 + order.index(i) for i in range(len(order)))) if order else value


@dataclass(frozen=True)
class Solution:
    """Values of the roots by state, and what is done at each node below them, by the index of the state."""

    values: Values
    codes: dict[Node, Codes]

    def done(self, node: Node) -> Codes:
        """What is done at a node of any arrangement of the enemies of a kind."""
        held, order = arranged(node, self.values.kinds)
        codes = self.codes[held]
        if not order:
            return codes
        shape = self.values.held[END].shape[1:]
        moved = codes.reshape(shape).transpose(0, *(1 + order.index(i) for i in range(len(order)))).ravel()
        names = np.array([2 * enemy + spent for enemy in order for spent in (0, 1)], dtype=np.uint8)
        return np.where(moved == PASS, PASS, names[moved % len(names)]).astype(np.uint8)


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
        children = {node: self._held(turn.children) for node, turn in nodes.items()}
        waiting = Counter(chain(self._held(roots), [END], *children.values()))
        values = Values(self.exchange.kinds, {END: self.terminal})
        codes: dict[Node, Codes] = {}
        for node, turn in nodes.items():
            values.held[node], codes[node] = self._value(node.side, turn, values)
            for child in children[node]:
                waiting[child] -= 1
                if not waiting[child]:
                    del values.held[child]
        return Solution(values, codes)

    def _held(self, nodes: Iterable[Node]) -> set[Node]:
        """The nodes whose values are held for these."""
        return {arranged(node, self.exchange.kinds)[0] for node in nodes}

    def _value(self, side: int, turn: Turn, values: Values) -> tuple[Floats, Codes]:
        """The value of a node by state, and what is done there."""
        codes = np.full(self.terminal.shape[1:], PASS, dtype=np.uint8)
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
        return worth, codes.ravel()

    def _blow(self, side: int, blow: Blow, values: Values) -> tuple[Floats, NDArray[np.bool_]]:
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
