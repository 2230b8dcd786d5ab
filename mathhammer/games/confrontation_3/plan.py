"""The plan of a whole fight: every round solved backward from the last. Source: C3-3.6 to C3-3.15.

A plan is a function of a `Fight`, which holds all that the rules and the table say, as plain numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Floats, Ints
from mathhammer.games.confrontation_3.blows import Fighting
from mathhammer.games.confrontation_3.exchange import LONE, SEVERAL, Exchange, Kinds, Node, Turn, graph
from mathhammer.games.confrontation_3.objective import Objective
from mathhammer.games.confrontation_3.placement import Options, Placed, Wanted, options, place
from mathhammer.games.confrontation_3.solver import PASS, Codes, Sides, Solution, Solver

Flags = tuple[bool, ...]  # who is afraid, the lone fighter first
WINNERS = (LONE, SEVERAL)


def calmer(afraid: Flags) -> Iterator[Flags]:
    """Every way that some of those who are afraid are so no longer."""
    return product(*((False, True) if flag else (False,) for flag in afraid))


@dataclass(frozen=True)
class Initiative:
    """How it is decided who comes first. Source: C3-3.6.

    first: P(the lone fighter wins the first initiative), None to roll. contest: the law of a roll. hurt:
    whether wounds count in it. named: the enemy who rolls, None: the best.
    """

    first: float | None
    contest: Law
    hurt: bool
    named: int | None = None

    def fixed(self, round_: int) -> float | None:
        """P(the lone fighter wins it) in a round where nobody rolls."""
        return self.first if round_ == 1 else None


@dataclass(frozen=True)
class Fight:
    """All that decides a fight, as numbers.

    bodies: the sides by who is afraid, with the charge token on (first) and off. rally: each fighter's
    chance to recover from fear before a later round. afraid: who may be afraid in the first round, the calmer
    first. start: the state of each as the first round begins.
    """

    bodies: Mapping[Flags, tuple[Sides, Sides]]
    token_stays: bool
    fighting: Fighting
    initiative: Initiative
    rally: tuple[float, ...]
    afraid: tuple[Flags, ...]
    rounds: int
    objective: Objective
    wanted: Wanted
    start: tuple[int, ...]
    exchange: Exchange = field(default_factory=Exchange)

    def __hash__(self) -> int:
        return hash((self.fighting, self.initiative, self.afraid, self.rounds, self.objective, self.wanted))

    @property
    def fighters(self) -> int:
        """How many fighters there are."""
        return len(self.rally)

    def sides(self, afraid: Flags, round_: int) -> Sides:
        """The bodies of a round. Source: C3-2.9."""
        return self.bodies[afraid][0 if round_ == 1 or self.token_stays else 1]

    def flags(self, round_: int) -> list[Flags]:
        """Who may be afraid in a round."""
        if round_ == 1:
            return list(self.afraid)
        return sorted({after for flags in self.afraid for after in calmer(flags)})

    def begins(self, round_: int) -> list[list[int]]:
        """The states of each fighter in which a round may begin. Source: C3-3.18."""
        if round_ == 1:
            return [[state] for state in self.start]
        rested = sorted(set(self.fighting.states.rested().tolist()))
        return [rested[:-1], *[rested] * (self.fighters - 1)]

    def kinds(self, afraid: Flags, round_: int) -> Kinds:
        """By enemy: a number that those share who may change places, as nothing tells them apart.

        Neither when the round begins nor later. None in the listed order.
        """
        enemies = range(self.fighters - 1)
        if not self.exchange.best_order:
            return tuple(enemies)
        moments = ((afraid, round_), (afraid, self.rounds), ((False,) * self.fighters, self.rounds))
        keys = list(
            zip(
                *(self.sides(flags, number).several for flags, number in moments),
                afraid[1:],
                self.rally[1:],
                self.wanted.several or (None,) * len(enemies),
                (enemy == self.initiative.named for enemy in enemies),
                self.begins(round_)[1:],
                strict=True,
            )
        )
        return tuple(keys.index(key) for key in keys)

    def calmed(self, afraid: Flags) -> Iterator[tuple[float, Flags]]:
        """Who is still afraid in the next round, with its chance. Source: C3-2.18."""
        for after in calmer(afraid):
            chance = 1.0
            for was, is_, rally in zip(afraid, after, self.rally, strict=True):
                chance *= (1 - rally if is_ else rally) if was else 1.0
            if chance:
                yield chance, after


@dataclass(frozen=True)
class Placing:
    """The placement of dice while some of the enemies live: options, values and choices by who won."""

    options: Options
    nodes: Mapping[int, list[list[Node]]]  # by winner: [lone fighter's option][several's option]
    placed: Mapping[int, Placed]

    def bare(self) -> Placing:
        """Without what each option of the loser is worth, which is told of the first round only."""
        return replace(self, placed={who: replace(p, answers=[]) for who, p in self.placed.items()})


@dataclass(frozen=True)
class Round:
    """A round solved: placements by who of the several lives, and what to do at each node (see `Solution`).

    roots: the nodes that best play may start from; turns and codes: of those and all that follow. pairs: by
    who won the initiative, the value by state of each pair of splits (of a duel's first round).
    """

    sides: Sides
    kinds: Kinds  # of the several: see `Fight.kinds`
    placings: Mapping[tuple[bool, ...], Placing]
    roots: tuple[Node, ...]
    turns: Mapping[Node, Turn]
    codes: Codes
    pairs: Mapping[int, list[list[Floats]]]
    worth: Mapping[int, Floats]  # by who won the initiative: the value by state
    chance: Floats  # P(the lone fighter wins the initiative), by state
    start: Floats  # the value before the initiative, by state


Plan = dict[tuple[int, Flags], Round]


@lru_cache(maxsize=2)
def planned(fight: Fight) -> Plan:
    """Every round of a fight under each state of fear, solved backward."""
    return Planner(fight).plan()


class Planner:
    """Solves the rounds of a fight from the last to the first."""

    def __init__(self, fight: Fight) -> None:
        self.fight = fight
        states, fighters = fight.fighting.states, fight.fighters
        shape = (states.count,) * fighters
        alive = np.arange(states.count) != states.killed
        self.lives = [_along(alive, i, fighters) for i in range(fighters)]
        enemies = np.zeros(shape, dtype=np.intp)
        for lives in self.lives[1:]:
            enemies = enemies + lives
        self.enemies = enemies
        self.over = ~self.lives[0] | (enemies == 0)
        self.rested: Any = (slice(None), *np.ix_(*(states.rested() for _ in range(fighters))))

    @cached_property
    def end(self) -> Floats:
        """The objective, P(the lone fighter is killed), and the enemies killed if need be, by state.

        What everybody has as the fight begins is nobody's doing, and counts nothing.
        """
        states, fighters = self.fight.fighting.states, self.fight.fighters
        parts = [self.fight.objective, Objective(0, 1, 0, 0)]
        if not self.fight.objective.tells_kills:
            parts.append(Objective(1, 0, 0, 0))
        worth = [np.broadcast_to(part.worth(states, fighters), self.enemies.shape) for part in parts]
        return np.stack([by_state - by_state[self.fight.start] for by_state in worth])

    def plan(self) -> Plan:
        """Every round under each state of fear."""
        plan: Plan = {}
        for round_ in range(self.fight.rounds, 0, -1):
            for afraid in self.fight.flags(round_):
                plan[round_, afraid] = self._round(round_, afraid, self._after(round_, afraid, plan))
        return plan

    def _after(self, round_: int, afraid: Flags, plan: Plan) -> Floats:
        """The value after a round's exchanges: the objective, or what the next round is worth."""
        if round_ == self.fight.rounds:
            return self.end
        later = sum(
            chance * plan[round_ + 1, flags].start[self.rested] for chance, flags in self.fight.calmed(afraid)
        )
        return np.where(self.over, self.end, later)

    def _round(self, round_: int, afraid: Flags, after: Floats) -> Round:
        sides = self.fight.sides(afraid, round_)
        exchange = replace(self.fight.exchange, kinds=self.fight.kinds(afraid, round_))
        solver = Solver(sides, self.fight.fighting, exchange, after, self.fight.begins(round_))
        choices = {living: self._options(sides, living) for living in self._living(round_)}
        grids = [grid for _, nodes in choices.values() for grid in nodes.values()]
        starts = dict.fromkeys(node for grid in grids for row in grid for node in row)
        solved = solver.solve(list(starts))
        placings = {living: self._placing(*choice, solved) for living, choice in choices.items()}
        roots, turns, codes = self._played(round_, placings, solved)
        if round_ > 1:
            placings = {living: placing.bare() for living, placing in placings.items()}
        duel = round_ == 1 and self.fight.fighters == 2
        pairs = _pairs(next(iter(placings.values())).nodes, solved) if duel else {}
        worth = {winner: self._worth(winner, placings, after) for winner in WINNERS}
        fixed = self.fight.initiative.fixed(round_)
        chance = self._initiative(sides) if fixed is None else np.full(self.enemies.shape, fixed)
        start = chance * worth[LONE] + (1 - chance) * worth[SEVERAL]
        return Round(sides, exchange.kinds, placings, roots, turns, codes, pairs, worth, chance, start)

    def _played(
        self, round_: int, placings: Mapping[tuple[bool, ...], Placing], solved: Solution
    ) -> tuple[tuple[Node, ...], dict[Node, Turn], Codes]:
        """The nodes that best play may start from in this round, and all that follow: the others go."""
        chosen: dict[Node, None] = {}
        for living, placing in placings.items():
            here = self._possible(round_, living)
            for winner, placed in placing.placed.items():
                lone, several = (index[here].ravel().tolist() for index in (placed.lone, placed.several))
                chosen |= {placing.nodes[winner][i][j]: None for i, j in set(zip(lone, several, strict=True))}
        roots = tuple(chosen)
        turns = graph(self.fight.exchange, roots)
        end = np.full(self.over.size, PASS, dtype=np.uint8)
        return roots, turns, np.stack([end, *(solved.done(node) for node in turns)])

    def _possible(self, round_: int, living: tuple[bool, ...]) -> Any:
        """The states in which a round may begin while these enemies live, as an index."""
        killed = self.fight.fighting.states.killed
        lone, *several = self.fight.begins(round_)
        theirs = (
            [state for state in begin if (state != killed) == lives]
            for begin, lives in zip(several, living, strict=True)
        )
        return np.ix_(lone, *theirs)

    def _living(self, round_: int) -> list[tuple[bool, ...]]:
        """Who of the several may be alive when a round begins."""
        enemies = self.fight.fighters - 1
        if round_ == 1:
            return [(True,) * enemies]
        return [living for living in product((True, False), repeat=enemies) if any(living)]

    def _options(self, sides: Sides, living: tuple[bool, ...]) -> tuple[Options, dict[int, list[list[Node]]]]:
        offered = options(sides, living, self.fight.wanted)
        nodes = {
            winner: [
                [self.fight.exchange.start(winner, lone, several) for several in offered.several]
                for lone in offered.lone
            ]
            for winner in WINNERS
        }
        return offered, nodes

    def _placing(
        self, offered: Options, nodes: Mapping[int, list[list[Node]]], solution: Solution
    ) -> Placing:
        pairs = _pairs(nodes, solution)
        return Placing(offered, nodes, {winner: place(pairs[winner], winner) for winner in WINNERS})

    def _worth(self, winner: int, placings: Mapping[tuple[bool, ...], Placing], after: Floats) -> Floats:
        """The value by state once the initiative is known."""
        worth = after.copy()
        for living, placing in placings.items():
            np.copyto(worth, placing.placed[winner].worth, where=self.are(living))
        return worth

    def are(self, living: tuple[bool, ...]) -> NDArray[np.bool_]:
        """The states in which exactly these enemies live."""
        mask: NDArray[np.bool_] = np.ones_like(self.over)
        for lives, wanted in zip(self.lives[1:], living, strict=True):
            mask = mask & (lives == wanted)
        return mask

    def _initiative(self, sides: Sides) -> Floats:
        """P(the lone fighter wins the initiative), by state. Source: C3-3.6."""
        states = np.indices(self.enemies.shape, dtype=np.int32)
        leads = initiative_lead(self.fight, sides, list(states))
        contest, low = self.fight.initiative.contest, int(leads.min())
        chances = np.array([contest.row(k)[1] for k in range(low, int(leads.max()) + 1)])
        found: Floats = chances[leads - low]
        return found


def _pairs(nodes: Mapping[int, list[list[Node]]], solution: Solution) -> dict[int, list[list[Floats]]]:
    """By who won the initiative, the value of each pair of splits."""
    return {winner: [[solution.values[n] for n in row] for row in grid] for winner, grid in nodes.items()}


def initiative_lead(fight: Fight, sides: Sides, states: list[Ints]) -> Ints:
    """How much more INI the lone fighter has than the enemy who rolls, their number counted, by states.

    The named enemy rolls, or the living one with the best INI. Source: C3-3.6.
    """
    held = fight.fighting.states
    off = held.penalty() if fight.initiative.hurt else np.zeros(held.count, dtype=np.int32)
    best = np.full(states[0].shape, -99, dtype=np.int32)
    living = np.zeros(states[0].shape, dtype=np.int32)
    for body, state in zip(sides.several, states[1:], strict=True):
        lives = state != held.killed
        best = np.where(lives, np.maximum(best, body.ini - off[state]), best)
        living = living + lives
    if (named := fight.initiative.named) is not None:
        state = states[1 + named]
        own = sides.several[named].ini - off[state]
        best = np.where(state != held.killed, own, best)
    best = np.where(living > 0, best, sides.lone.ini)  # over: nobody rolls
    lead = sides.lone.ini - off[states[0]] - best - np.maximum(living - 1, 0)
    clipped: Ints = np.clip(lead, -99, 99).astype(np.int32)
    return clipped


def _along(values: NDArray[np.bool_], axis: int, axes: int) -> NDArray[np.bool_]:
    shape = [1] * axes
    shape[axis] = len(values)
    return values.reshape(shape)
