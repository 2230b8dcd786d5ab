"""The rounds of a melee as steps: recovering, initiative, placement, exchanges. Source: C3-3.6 to C3-3.18."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Action, Change, Columns, Mark, Mask, Step, put
from mathhammer.games.confrontation_3.blows import hit_key
from mathhammer.games.confrontation_3.exchange import LONE, SEVERAL
from mathhammer.games.confrontation_3.fighters import Body
from mathhammer.games.confrontation_3.plan import Fight, initiative_lead
from mathhammer.games.confrontation_3.script import Script
from mathhammer.games.confrontation_3.solver import Sides
from mathhammer.games.confrontation_3.wounds import RESULTS, STUNNED


def bodies(sides: Sides) -> tuple[Body, ...]:
    """All fighters, the lone one first."""
    return (sides.lone, *sides.several)


@dataclass(frozen=True)
class Melee:
    """The columns of a fight, and the steps of its rounds.

    names: of the fighters, the lone one first. Columns: NAME.state, NAME.stunned (has been, at some time),
    node (where the exchange stands), blow (the attack under way, 0: none), hit, first (who won the first
    initiative), won (this round's), and afraid (bits of who is, only where somebody may be).
    """

    fight: Fight
    names: Sequence[str]
    scripts: Sequence[Script]
    stages: dict[str, str] = field(default_factory=dict)

    @cached_property
    def fearful(self) -> bool:
        """Whether anybody may be afraid at some time."""
        return any(any(flags) for flags in self.fight.afraid)

    def start(self, states: Sequence[int], afraid: int = 0) -> dict[str, int]:
        """The columns at the start."""
        columns = {f"{name}.state": state for name, state in zip(self.names, states, strict=True)}
        held = self.fight.fighting.states
        columns |= {
            f"{name}.stunned": int(state != held.killed and state % held.stuns > 0)
            for name, state in zip(self.names, states, strict=True)
        }
        columns |= {"node": 0, "blow": 0, "hit": 0, "won": 0, "first": 0}
        return columns | ({"afraid": afraid} if self.fearful else {})

    def states(self, columns: Columns) -> list[Ints]:
        """The state of each fighter."""
        return [columns[f"{name}.state"] for name in self.names]

    def over(self, columns: Columns) -> Mask:
        """Whether one side is dead."""
        killed = self.fight.fighting.states.killed
        dead = [state == killed for state in self.states(columns)]
        over: Mask = dead[0] | np.logical_and.reduce(dead[1:])
        return over

    def rounds(self) -> list[Action]:
        """All rounds."""
        actions: list[Action] = []
        for round_, script in enumerate(self.scripts, start=1):
            actions += self.round(round_, script)
            if len(self.scripts) > 1:
                actions.append(Mark(round_))
        return actions

    def round(self, round_: int, script: Script) -> list[Action]:
        """One round. Source: C3-3.6 to C3-3.15."""
        actions: list[Action] = []
        if round_ > 1:
            actions += [Change("stuns pass", self._rested), *self._rallies()]
        actions.append(self._initiative(round_, script))
        actions.append(Change("dice are placed", self._placed(script)))
        for number in range(1, script.blows + 1):
            actions += self._blow(number, script)
        return actions

    # -- between rounds ----------------------------------------------------------------------------
    def _rested(self, columns: Columns) -> dict[str, Ints]:
        """Stuns end with the round. Source: C3-3.18."""
        rested = self.fight.fighting.states.rested()
        return {f"{name}.state": rested[columns[f"{name}.state"]] for name in self.names}

    def _rallies(self) -> list[Step]:
        """Each fighter who may be afraid tests when he is activated. Source: C3-2.18."""
        return [
            recovery(i, name, self.fight.rally[i])
            for i, name in enumerate(self.names)
            if any(flags[i] for flags in self.fight.afraid)
        ]

    # -- initiative and placement ------------------------------------------------------------------
    def _initiative(self, round_: int, script: Script) -> Step:
        """The roll for initiative, or what the user says of the first. Source: C3-3.6."""

        def won(columns: Columns, outcome: Ints) -> dict[str, Ints]:
            return {"won": outcome, "first": outcome} if round_ == 1 else {"won": outcome}

        words = (f"{self.names[1]} wins", f"{self.names[0]} wins")
        fixed = self.fight.initiative.fixed(round_)
        law = self.fight.initiative.contest if fixed is None else Law.constant(Pmf(0, [1 - fixed, fixed]))
        return Step("initiative", law, self._lead(script), won, rule="C3-3.6", words=words)

    def _lead(self, script: Script) -> Callable[[Columns], Ints]:
        def lead(columns: Columns) -> Ints:
            states = self.states(columns)
            found = initiative_lead(self.fight, script.sides[0], states)
            fear = self._fear(columns, script)
            for i, sides in enumerate(script.sides[1:], start=1):
                found = np.where(fear == i, initiative_lead(self.fight, sides, states), found)
            return found.astype(np.int32)

        return lead

    def _fear(self, columns: Columns, script: Script) -> Ints:
        """The index of who is afraid, among the flags of the script."""
        if not self.fearful:
            return np.zeros(len(columns["node"]), dtype=np.int32)
        index = np.zeros(2 ** len(self.names), dtype=np.int32)
        for i, flags in enumerate(script.flags):
            index[bits(flags)] = i
        return index[columns["afraid"]]

    def _placed(self, script: Script) -> Callable[[Columns], dict[str, Ints]]:
        """The dice as both sides place them. Source: C3-3.7, C3-3.8."""

        def placed(columns: Columns) -> dict[str, Ints]:
            winner = np.where(columns["won"] == 1, LONE, SEVERAL)
            node = script.roots[self._fear(columns, script), winner, script.view(self.states(columns))]
            return {"node": node.astype(np.int32), "won": np.zeros_like(columns["won"])}

        return placed

    # -- exchanges ---------------------------------------------------------------------------------
    def _blow(self, number: int, script: Script) -> list[Action]:
        """The next attack of each row: declared, rolled, wounded. Source: C3-3.9 to C3-3.18."""
        table = _Blows(script)
        return [
            Change(f"attack {number} is declared", self._declared(script, table)),
            Step(
                f"attack {number}",
                self.fight.fighting.hit_law,
                lambda c: table.hit_key(c["blow"], self.states(c), self.fight.fighting.states.penalty()),
                "hit",
                where=lambda c: c["blow"] > 0,
                rule="C3-3.10",
                words=("misses", "hits"),
            ),
            Step(
                f"wound {number}",
                self.fight.fighting.wound_law,
                lambda c: table.margin(c["blow"], self.states(c), self.fight.fighting.states.penalty()),
                self._wounded(table),
                where=lambda c: c["hit"] == 1,
                rule="C3-3.17",
                words=RESULTS,
            ),
        ]

    def _declared(self, script: Script, table: _Blows) -> Callable[[Columns], dict[str, Ints]]:
        """Who attacks whom, and whether a defence die is spent. Source: C3-3.10 to C3-3.12."""

        def declared(columns: Columns) -> dict[str, Ints]:
            node, code = script.declared(columns["node"], self.states(columns))
            acts = node != 0
            code = np.where(acts, code, 0)
            blow = np.where(acts, table.number(script.fear[node], script.side[node], code), 0)
            return {
                "node": np.where(acts, script.follows[node, code], 0).astype(np.int32),
                "blow": blow.astype(np.int32),
            }

        return declared

    def _wounded(self, table: _Blows) -> Callable[[Columns, Ints], dict[str, Ints]]:
        """What a hit does to the one who is hit. Source: C3-3.18."""
        after = self.fight.fighting.states.after()

        def wounded(columns: Columns, outcome: Ints) -> dict[str, Ints]:
            target, hit = table.target[columns["blow"]], columns["hit"] == 1
            none = np.zeros_like(columns["hit"])
            change: dict[str, Ints] = {"blow": none, "hit": none}
            for i, name in enumerate(self.names):
                struck = hit & (target == i)
                state, stunned = columns[f"{name}.state"], columns[f"{name}.stunned"]
                change[f"{name}.state"] = np.where(struck, after[state, outcome], state)
                change[f"{name}.stunned"] = np.where(struck & (outcome == STUNNED), 1, stunned).astype(
                    np.int32
                )
            return change

        return wounded


class _Blows:
    """Every attack that may be declared under a script, by number from 1: who, whom, and with what."""

    def __init__(self, script: Script) -> None:
        enemies = len(script.sides[0].several)
        self.codes = 2 * enemies
        listed = [(0, 0, 0, 0, 0)]
        for sides in script.sides:
            everyone = bodies(sides)
            for side in (LONE, SEVERAL):
                for code in range(self.codes):
                    enemy = 1 + code // 2
                    who, whom = (0, enemy) if side == LONE else (enemy, 0)
                    attacker, target = everyone[who], everyone[whom]
                    lead, margin = attacker.att - target.defence, attacker.strength - target.res
                    listed.append((who, whom, lead, margin, code % 2))
        columns = np.array(listed, dtype=np.int32).T
        self.attacker, self.target, self.lead, self.force, self.defended = columns

    def number(self, fear: Ints, side: Ints, code: Ints) -> Ints:
        """The number of an attack."""
        return 1 + (fear * 2 + side) * self.codes + code

    def hit_key(self, blow: Ints, states: list[Ints], penalty: Ints) -> Ints:
        """The key of the hit law. Source: C3-3.10."""
        every, rows = np.stack(states), np.arange(len(blow))
        off = penalty[every[self.attacker[blow], rows]] - penalty[every[self.target[blow], rows]]
        return hit_key(self.lead[blow] - off, self.defended[blow])

    def margin(self, blow: Ints, states: list[Ints], penalty: Ints) -> Ints:
        """The key of the wound law. Source: C3-3.17."""
        every, rows = np.stack(states), np.arange(len(blow))
        margin: Ints = self.force[blow] - penalty[every[self.attacker[blow], rows]]
        return margin


def recovery(i: int, name: str, chance: float) -> Step:
    """The Courage test of a fighter who is afraid, when he is activated. Source: C3-2.18."""
    law, words = Law.constant(Pmf(0, [1 - chance, chance])), ("afraid", "recovers")
    return Step(f"{name} recovers", law, 0, _cleared(i), where=_has_bit(i), rule="C3-2.18", words=words)


def bits(flags: Sequence[bool]) -> int:
    """Flags as one number."""
    return sum(1 << i for i, flag in enumerate(flags) if flag)


def _has_bit(i: int) -> Callable[[Columns], Mask]:
    return lambda columns: (columns["afraid"] >> i & 1) == 1


def _cleared(i: int) -> Callable[[Columns, Ints], dict[str, Ints]]:
    def cleared(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        calm = columns["afraid"] & ~np.int32(1 << i)
        return put(columns, outcome == 1, {"afraid": calm})

    return cleared
