"""The exchanges of a melee as a graph: dice left, whose turn, who was attacked. Source: C3-3.9 to C3-3.15.

One fighter stands alone against one or several. In his turn he attacks each living enemy once, while
attack dice last; in theirs each attacks him once. A turn without attack dice is passed over; it ends when
none are left.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

LONE, SEVERAL = 0, 1

Dice = tuple[int, int]  # attack dice, defence dice
Order = tuple[int, ...]  # the enemy at each place; none: as they are
Kinds = tuple[int, ...]  # by enemy: a number that those share who may change places


class Node(NamedTuple):
    """Where an exchange stands. done: bits of the enemies who had their attack in this turn."""

    side: int
    lone: Dice
    several: tuple[Dice, ...]
    done: int


END = Node(LONE, (0, 0), (), 0)


class Blow(NamedTuple):
    """One attack between the lone fighter and an enemy: what follows without and with a defence die."""

    enemy: int
    undefended: Node
    defended: Node | None  # None: the one attacked has no defence die


class Turn(NamedTuple):
    """What may come next at a node: its attacks, and what follows where none of them is possible."""

    blows: tuple[Blow, ...]
    passed: Node

    @property
    def children(self) -> set[Node]:
        """All nodes that the node's value is made of."""
        after = (node for blow in self.blows for node in (blow.undefended, blow.defended) if node)
        return {self.passed, *after}


@dataclass(frozen=True)
class Exchange:
    """The rules of a graph.

    best_order: the several choose in what order they attack, else as listed. kinds: enemies of the same kind
    who have changed places make no node of their own (none given: every place is one).
    """

    best_order: bool = False
    kinds: Kinds = ()

    def start(self, side: int, lone: Dice, several: tuple[Dice, ...]) -> Node:
        """The turn of a side, or what comes in its place without attack dice. Source: C3-3.9, C3-3.13."""
        theirs = sum(attack for attack, _ in several)
        if not lone[0] and not theirs:
            return END
        can = (lone[0], theirs)
        return self.within(_tidy(Node(side if can[side] else 1 - side, lone, several, 0)))

    def within(self, node: Node) -> Node:
        """The same turn going on, or the other side's when it is over. Source: C3-3.11, C3-3.12."""
        if node.side == LONE:
            everyone = (1 << len(node.several)) - 1
            if node.lone[0] and node.done != everyone:
                return node
            return self.start(SEVERAL, node.lone, node.several)
        waiting = [i for i, dice in enumerate(node.several) if dice[0] and not node.done >> i & 1]
        if not waiting:
            return self.start(LONE, node.lone, node.several)
        lone = node.lone
        if self.best_order:
            done = sum(1 << i for i, dice in enumerate(node.several) if dice[0] and i not in waiting)
        else:
            done = (1 << waiting[0]) - 1
        return Node(SEVERAL, lone, node.several, done)

    def turn(self, node: Node) -> Turn:
        """What may come next, attacks in the order that ties go by. Source: C3-3.11, C3-3.12."""
        if node.side == LONE:
            open_ = [i for i in range(len(node.several)) if not node.done >> i & 1]
            return Turn(tuple(self._on(node, i) for i in open_), self._passed(node, open_))
        waiting = [i for i, dice in enumerate(node.several) if dice[0] and not node.done >> i & 1]
        able = waiting if self.best_order else waiting[:1]
        return Turn(tuple(self._by(node, i) for i in able), self._passed(node, able))

    def _on(self, node: Node, enemy: int) -> Blow:
        """The lone fighter attacks an enemy."""
        lone, done = (node.lone[0] - 1, node.lone[1]), node.done | 1 << enemy
        attack, defence = node.several[enemy]
        spent = _replaced(node.several, enemy, (attack, defence - 1))
        return Blow(
            enemy,
            self.within(_tidy(Node(LONE, lone, node.several, done))),
            self.within(_tidy(Node(LONE, lone, spent, done))) if defence else None,
        )

    def _by(self, node: Node, enemy: int) -> Blow:
        """An enemy attacks the lone fighter."""
        attack, defence = node.several[enemy]
        several, done = _replaced(node.several, enemy, (attack - 1, defence)), node.done | 1 << enemy
        spent = (node.lone[0], node.lone[1] - 1)
        return Blow(
            enemy,
            self.within(_tidy(Node(SEVERAL, node.lone, several, done))),
            self.within(_tidy(Node(SEVERAL, spent, several, done))) if node.lone[1] else None,
        )

    def _passed(self, node: Node, dead: list[int]) -> Node:
        """What follows where none of those who may attack, or be attacked, is alive. Source: C3-3.14.

        The dice of the dead are gone.
        """
        if node.side == LONE:
            return self.start(SEVERAL, node.lone, node.several) if node.done else END
        several = tuple((0, 0) if i in dead else dice for i, dice in enumerate(node.several))
        done = node.done | sum(1 << i for i in dead)
        return self.within(_tidy(Node(SEVERAL, node.lone, several, done)))


def _replaced(several: tuple[Dice, ...], enemy: int, dice: Dice) -> tuple[Dice, ...]:
    return (*several[:enemy], dice, *several[enemy + 1 :])


def _tidy(node: Node) -> Node:
    """Without the defence dice beyond the attacks that are left to defend against."""
    (own, defence), theirs = node.lone, sum(attack for attack, _ in node.several)
    several = tuple((attack, min(dice, own)) for attack, dice in node.several)
    return Node(node.side, (own, min(defence, theirs)), several, node.done)


@lru_cache(maxsize=8)
def graph(exchange: Exchange, roots: tuple[Node, ...]) -> dict[Node, Turn]:
    """Every node that can be met from the roots, children before parents, and what may come next there."""
    order: dict[Node, Turn] = {}
    turns: dict[Node, Turn] = {}
    stack = [arranged(node, exchange.kinds)[0] for node in reversed(roots)]
    while stack:
        node = stack[-1]
        if node in order or node == END:
            stack.pop()
        elif node in turns:
            order[node] = turns[stack.pop()]
        else:
            turns[node] = exchange.turn(node)
            stack += [arranged(child, exchange.kinds)[0] for child in turns[node].children]
    return order


def arranged(node: Node, kinds: Kinds) -> tuple[Node, Order]:
    """The node with the enemies of each kind in the order of their dice, and who is at each place of it."""
    if node == END or len(set(kinds)) == len(kinds):
        return node, ()
    return _arranged(node, kinds)


@lru_cache(maxsize=1 << 15)
def _arranged(node: Node, kinds: Kinds) -> tuple[Node, Order]:
    several = [(dice, node.done >> i & 1) for i, dice in enumerate(node.several)]
    order = list(range(len(kinds)))
    for kind in set(kinds):
        places = [i for i in range(len(kinds)) if kinds[i] == kind]
        for place, enemy in zip(places, sorted(places, key=several.__getitem__), strict=True):
            order[place] = enemy
    dice = tuple(node.several[i] for i in order)
    done = sum(several[enemy][1] << place for place, enemy in enumerate(order))
    return Node(node.side, node.lone, dice, done), tuple(order)


# -- splits ----------------------------------------------------------------------------------------
def combat_dice(enemies: int) -> int:
    """Combat dice of a fighter: one, and one for each living enemy of his fray. Source: C3-3.4, C3-3.5."""
    return 1 + enemies


def splits(dice: int, limited: bool) -> list[Dice]:
    """Ways to place dice, fewest attack dice first. Source: C3-2.16, C3-3.7."""
    return [(n, dice - n) for n in range(dice + 1) if not limited or n <= dice - n]


def fitted(wanted: Dice, dice: int, limited: bool) -> Dice:
    """A wanted split, for as many dice as there are and within what fear allows. Source: C3-2.16."""
    attack = min(wanted[0], dice // 2 if limited else dice)
    return (attack, dice - attack)


def attack_dice(nodes: Iterable[Node]) -> int:
    """The most attacks that can follow from any of the nodes."""
    return max((node.lone[0] + sum(attack for attack, _ in node.several) for node in nodes), default=0)
