"""Best play of a melee, solved backward: whom to attack, when to spend a defence die.

Values are those of the lone fighter; the several want the opposite. A value is an array over the states of
all fighters, with further channels (chances that are carried along under the same decisions) in front. Ties
within TIE keep the die, and attack the enemy who is listed first. Source: C3-3.9 to C3-3.15.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.pmf import Floats, Ints
from mathhammer.games.confrontation_3.blows import Fighting
from mathhammer.games.confrontation_3.exchange import (
    END,
    LONE,
    Blow,
    Exchange,
    Kinds,
    Node,
    Order,
    Turn,
    arranged,
    graph,
)
from mathhammer.games.confrontation_3.fighters import Body

TIE = 1e-12
PASS = 255  # code of a node where nobody can attack, or be attacked

Begins = Sequence[Sequence[int]]  # the states of each fighter in which a round may begin
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


class Frame:
    """The states that count at a node: each fighter's own, which are few while he cannot have been attacked.

    alive: by fighter, whether he lives. on, by: by enemy and die spent, P(next state) of who is attacked, by
    the lone fighter and by the enemy; shapes (attacker's states here, target's states here, all states).
    """

    def __init__(self, sides: Sides, fighting: Fighting, axes: Sequence[Ints]) -> None:
        self.axes = axes
        self.shape = tuple(map(len, axes))
        self.index: tuple[Any, ...] = np.ix_(*axes)
        self.alive = [states != fighting.states.killed for states in self.index]
        self.on, self.by = [], []
        for enemy, states in zip(sides.several, axes[1:], strict=True):
            pairs = (sides.lone, enemy), (enemy, sides.lone)
            on, by = ([fighting.kernel(*pair, spent) for spent in (False, True)] for pair in pairs)
            self.on.append([kernel[np.ix_(axes[0], states)] for kernel in on])
            self.by.append([kernel[np.ix_(states, axes[0])] for kernel in by])

    def seen(self, value: Floats, attacked: int | None = None) -> Floats:
        """The part of a later value that counts here: of who is attacked on the way there, in all states."""
        for i, states in enumerate(self.axes):
            if i != attacked and value.shape[1 + i] != len(states):
                value = value.take(states, axis=1 + i)
        return value

    def before_on(self, enemy: int, defended: bool, value: Floats) -> Floats:
        """The value before the lone fighter's attack, from that after it."""
        kernel, value = self.on[enemy][defended], self.seen(value, 1 + enemy)
        split = value.reshape(*value.shape[:2], -1, kernel.shape[2], prod(self.shape[2 + enemy :]))
        if split.shape[-1] > 1:
            found: Floats = np.matmul(kernel[:, None], split)
        else:
            found = np.matmul(split[..., 0], kernel.transpose(0, 2, 1))
        before: Floats = found.reshape(len(value), *self.shape)
        return before

    def before_by(self, enemy: int, defended: bool, value: Floats) -> Floats:
        """The value before an enemy's attack, from that after it."""
        kernel, value = self.by[enemy][defended], self.seen(value, 0)
        split = value.reshape(*value.shape[:2], -1, self.shape[1 + enemy], prod(self.shape[2 + enemy :]))
        moved = split.transpose(0, 3, 1, 2, 4)
        found = np.matmul(kernel, moved.reshape(*moved.shape[:3], -1))
        back = found.reshape(*found.shape[:3], *moved.shape[3:]).transpose(0, 2, 3, 1, 4)
        before: Floats = back.reshape(len(value), *self.shape)
        return before


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
    """Values of the roots by state, and what is done at each node below them in the states of its frame."""

    values: Values
    codes: dict[Node, Codes]
    frames: dict[Node, Frame]

    def done(self, node: Node) -> Codes:
        """What is done at a node of any arrangement of the enemies of a kind, by the index of the state."""
        held, order = arranged(node, self.values.kinds)
        codes = np.full(self.values.held[END].shape[1:], PASS, dtype=np.uint8)
        codes[self.frames[held].index] = self.codes[held]
        if not order:
            return codes.ravel()
        moved = codes.transpose(0, *(1 + order.index(i) for i in range(len(order)))).ravel()
        names = np.array([2 * enemy + spent for enemy in order for spent in (0, 1)], dtype=np.uint8)
        return np.where(moved == PASS, PASS, names[moved % len(names)]).astype(np.uint8)


class Solver:
    """Backward induction over the nodes of an exchange; each table is freed once nothing needs it."""

    def __init__(
        self, sides: Sides, fighting: Fighting, exchange: Exchange, terminal: Floats, begins: Begins
    ) -> None:
        """terminal: values at the end, shape (channels, states, ..., states)."""
        self.exchange, self.terminal = exchange, terminal
        every = np.arange(fighting.states.count, dtype=np.int32)
        choices = [(np.array(begin, dtype=np.int32), every) for begin in begins]
        self.frames = [  # by bits of who can have been attacked, the lone fighter's the lowest
            Frame(sides, fighting, axes[::-1]) for axes in product(*reversed(choices))
        ]

    def solve(self, roots: Sequence[Node]) -> Solution:
        """The values of the roots by the states in `begins`, and the policy of every node below."""
        nodes = graph(self.exchange, tuple(roots))
        frames = self._frames(nodes)
        children = {node: self._held(turn.children) for node, turn in nodes.items()}
        waiting = Counter(chain(self._held(roots), [END], *children.values()))
        values = Values(self.exchange.kinds, {END: self.terminal})
        codes: dict[Node, Codes] = {}
        for node, turn in nodes.items():
            values.held[node], codes[node] = self._value(node.side, turn, values, frames[node])
            for child in children[node]:
                waiting[child] -= 1
                if not waiting[child]:
                    del values.held[child]
        for root in self._held(roots) - {END}:
            part, values.held[root] = values.held[root], np.full_like(self.terminal, np.nan)
            values.held[root][(slice(None), *frames[root].index)] = part
        return Solution(values, codes, frames)

    def _held(self, nodes: Iterable[Node]) -> set[Node]:
        """The nodes whose values are held for these."""
        return {arranged(node, self.exchange.kinds)[0] for node in nodes}

    def _frames(self, nodes: Mapping[Node, Turn]) -> dict[Node, Frame]:
        """The frame of each node, by who can have been attacked on some way to it."""
        attacked = dict.fromkeys((*nodes, END), 0)
        for node in reversed(list(nodes)):
            for child, target in _ways(node.side, nodes[node]):
                held, order = arranged(child, self.exchange.kinds)
                attacked[held] |= _placed(attacked[node] | target, order)
        return {node: self.frames[bits] for node, bits in attacked.items()}

    def _value(self, side: int, turn: Turn, values: Values, frame: Frame) -> tuple[Floats, Codes]:
        """The value of a node by state, and what is done there."""
        worth = frame.seen(values[turn.passed]).copy()
        codes = np.full(frame.shape, PASS, dtype=np.uint8)
        for number, blow in enumerate(turn.blows):
            offered, spends = self._blow(side, blow, values, frame)
            chosen = frame.alive[1 + blow.enemy]
            if number:
                better = offered[0] > worth[0] + TIE if side == LONE else offered[0] < worth[0] - TIE
                chosen = chosen & (better | (codes == PASS))
            np.copyto(worth, offered, where=chosen)
            np.copyto(codes, 2 * blow.enemy + spends, where=chosen, casting="unsafe")
        np.copyto(codes, PASS, where=~frame.alive[0])
        return worth, codes

    def _blow(self, side: int, blow: Blow, values: Values, frame: Frame) -> tuple[Floats, NDArray[np.bool_]]:
        """The value of an attack, the one attacked spending a die where that is better for him."""
        before = frame.before_on if side == LONE else frame.before_by
        plain = before(blow.enemy, False, values[blow.undefended])
        if blow.defended is None:
            return plain, np.zeros(plain.shape[1:], dtype=np.bool_)
        spent = before(blow.enemy, True, values[blow.defended])
        spends = spent[0] < plain[0] - TIE if side == LONE else spent[0] > plain[0] + TIE
        np.copyto(plain, spent, where=spends)
        return plain, spends


def _ways(side: int, turn: Turn) -> Iterator[tuple[Node, int]]:
    """What may follow, and the bit of who is attacked on the way there."""
    yield turn.passed, 0
    for blow in turn.blows:
        target = 2 << blow.enemy if side == LONE else 1
        yield blow.undefended, target
        if blow.defended:
            yield blow.defended, target


def _placed(bits: int, order: Order) -> int:
    """Bits of fighters once the enemies have changed places."""
    moved = sum((bits >> 1 + enemy & 1) << 1 + place for place, enemy in enumerate(order))
    return bits & 1 | moved if order else bits
