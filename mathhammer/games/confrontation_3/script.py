"""What is done at each node of a round, as arrays that rows look up: best play, or simple habits.

Node 0 is the end. A code is twice the enemy who attacks or is attacked, plus 1 where a defence die is spent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.pmf import Ints
from mathhammer.games.confrontation_3.exchange import (
    END,
    LONE,
    Dice,
    Node,
    Turn,
    attack_dice,
    combat_dice,
    fitted,
    graph,
)
from mathhammer.games.confrontation_3.placement import Split
from mathhammer.games.confrontation_3.plan import WINNERS, Fight, Flags, Placing, Plan
from mathhammer.games.confrontation_3.solver import PASS, Codes, Sides

View = Callable[[list[Ints]], NDArray[np.integer]]  # from all fighters' states to a row's view


@dataclass(frozen=True)
class Script:
    """A round as arrays.

    sides: by index of who is afraid. policy: code by node and view. follows: the next node by node and code
    (the last column: nobody can act). side, fear: whose turn a node is, and under which fear. roots: the
    first node by fear, winner of the initiative and view. blows: the most attacks there can be.
    """

    sides: list[Sides]
    flags: list[Flags]
    policy: Codes
    follows: Ints
    side: Ints
    fear: Ints
    roots: Ints
    blows: int
    view: View

    def declared(self, node: Ints, states: list[Ints]) -> tuple[Ints, Ints]:
        """The node of each row's next attack (0: there is none), and the code of what is done there."""
        view = self.view(states)
        while True:
            code = self.policy[node, view]
            passes = (code == PASS) & (node != 0)
            if not passes.any():
                return node, code.astype(np.int32)
            node = np.where(passes, self.follows[node, -1], node)


class _Writer:
    """Numbers the nodes of several graphs, one for each state of fear, and gathers what is done there."""

    def __init__(self, enemies: int) -> None:
        self.enemies = enemies
        self.codes: list[Codes] = []
        self.follows: list[list[int]] = [[0] * (2 * enemies + 1)]
        self.side, self.fear = [LONE], [0]

    def add(self, turns: Mapping[Node, Turn], fear: int, codes: Codes) -> dict[Node, int]:
        """Number the nodes, children before parents. codes: by node, from row 1 (row 0 is the end)."""
        ids = {END: 0}
        for number, (node, turn) in enumerate(turns.items(), start=len(self.follows)):
            ids[node] = number
            self.follows.append(self._follows(turn, ids))
            self.side.append(node.side)
            self.fear.append(fear)
        self.codes.append(codes[1:] if self.codes else codes)
        return ids

    def _follows(self, turn: Turn, ids: Mapping[Node, int]) -> list[int]:
        row = [0] * (2 * self.enemies + 1)
        for blow in turn.blows:
            row[2 * blow.enemy] = ids[blow.undefended]
            row[2 * blow.enemy + 1] = ids[blow.defended] if blow.defended else 0
        row[-1] = ids[turn.passed]
        return row

    def script(
        self, sides: list[Sides], flags: list[Flags], roots: list[list[Ints]], blows: int, view: View
    ) -> Script:
        """All that was gathered."""
        policy = self.codes[0] if len(self.codes) == 1 else np.concatenate(self.codes)
        follows, side, fear = (np.array(r, dtype=np.int32) for r in (self.follows, self.side, self.fear))
        starts = np.array(roots, dtype=np.int32)
        return Script(sides, flags, policy, follows, side, fear, starts, blows, view)


# -- best play -------------------------------------------------------------------------------------
def best_script(fight: Fight, plan: Plan, round_: int) -> Script:
    """The best play of a round, under every state of fear."""
    flags = fight.flags(round_)
    rounds = [plan[round_, afraid] for afraid in flags]
    count = fight.fighting.states.count
    writer = _Writer(fight.fighters - 1)
    roots, blows = [], 0
    for fear, solved in enumerate(rounds):
        ids = writer.add(solved.turns, fear, solved.codes)
        roots.append([_first_nodes(solved.placings, winner, ids, fight) for winner in WINNERS])
        blows = max(blows, attack_dice(solved.roots))
    return writer.script([solved.sides for solved in rounds], flags, roots, blows, _every_state(count))


def _first_nodes(
    placings: Mapping[tuple[bool, ...], Placing], winner: int, ids: Mapping[Node, int], fight: Fight
) -> Ints:
    """The first node by view, once both have placed their dice; the end for what cannot come up."""
    count, fighters = fight.fighting.states.count, fight.fighters
    table = np.zeros((count,) * fighters, dtype=np.int32)
    alive = np.arange(count) != count - 1
    for living, placing in placings.items():
        placed, nodes = placing.placed[winner], placing.nodes[winner]
        numbers = np.array([[ids.get(node, 0) for node in row] for row in nodes], dtype=np.int32)
        here = np.ix_(alive, *(alive == lives for lives in living))
        table[here] = numbers[placed.lone[here], placed.several[here]]
    return table.ravel()


def _every_state(count: int) -> View:
    def view(states: list[Ints]) -> NDArray[np.integer]:
        index = states[0]
        for state in states[1:]:
            index = index * np.int32(count) + state
        return index

    return view


# -- simple play -----------------------------------------------------------------------------------
def simple_script(fight: Fight, round_: int) -> Script:
    """Fixed habits, looked up by who lives.

    Splits as wanted, else half the dice each (the odd one attacks); a defence die is spent at the first
    chance; the enemy listed first is attacked first.
    """
    flags, enemies = fight.flags(round_), fight.fighters - 1
    writer = _Writer(enemies)
    sides = [fight.sides(afraid, round_) for afraid in flags]
    views = [tuple(lives) for lives in product((False, True), repeat=enemies)]
    roots, blows = [], 0
    for fear, bodies in enumerate(sides):
        starts = [[_simple_start(fight, bodies, living, winner) for living in views] for winner in WINNERS]
        nodes = list(dict.fromkeys(node for row in starts for node in row))
        turns = graph(fight.exchange, tuple(nodes))
        nobody = np.full(len(views), PASS, dtype=np.uint8)
        codes = np.stack([nobody, *(_habit(turn, views) for turn in turns.values())])
        ids = writer.add(turns, fear, codes)
        roots.append([np.array([ids[node] for node in row], dtype=np.int32) for row in starts])
        blows = max(blows, attack_dice(nodes))
    return writer.script(sides, flags, roots, blows, _who_lives(fight.fighting.states.killed))


def _simple_start(fight: Fight, sides: Sides, living: tuple[bool, ...], winner: int) -> Node:
    lone, several = simple_splits(fight, sides, living)
    return fight.exchange.start(winner, lone, several)


def simple_splits(fight: Fight, sides: Sides, living: tuple[bool, ...]) -> tuple[Dice, Split]:
    """The splits of simple play: those that are wanted, else half of the dice, the odd one to attack."""
    wanted = fight.wanted.several or (None,) * len(living)
    lone = _half(fight.wanted.lone, combat_dice(sum(living)), sides.lone.limited)
    several = tuple(
        _half(dice, combat_dice(1), body.limited) if lives else (0, 0)
        for dice, body, lives in zip(wanted, sides.several, living, strict=True)
    )
    return lone, several


def _half(wanted: Dice | None, dice: int, limited: bool) -> Dice:
    return fitted(wanted or (dice - dice // 2, dice // 2), dice, limited)


def _habit(turn: Turn, views: list[tuple[bool, ...]]) -> Codes:
    """The code at a node by who lives."""
    codes = [
        next((2 * b.enemy + (b.defended is not None) for b in turn.blows if living[b.enemy]), PASS)
        for living in views
    ]
    return np.array(codes, dtype=np.uint8)


def _who_lives(killed: int) -> View:
    """The place of a row's living enemies in the list of views."""

    def view(states: list[Ints]) -> NDArray[np.integer]:
        index = np.zeros(len(states[0]), dtype=np.int32)
        for state in states[1:]:
            index = index * np.int32(2) + (state != killed)
        return index

    return view
