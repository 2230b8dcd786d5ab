"""One side's activation in a fight. Source: AOR-04 to AOR-06, AOR-12, AOR-14, AOR-21 to AOR-23, AOR-29.

The column `stage` says what the active side does in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mathhammer.core.errors import InputError
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Action, Change, Columns, Mask, constant, put, rows
from mathhammer.games.confrontation_aor.assault import Melee
from mathhammer.games.confrontation_aor.contact import nearer, withdrawn
from mathhammer.games.confrontation_aor.morale import (
    COURAGE,
    HARDER,
    Where,
    at_half,
    courage_step,
    lost_in_contact,
    rally_step,
    stronger,
    whole_change,
    wiped_out,
)
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.side import Side, crewed
from mathhammer.games.confrontation_aor.situations import Fight
from mathhammer.games.confrontation_aor.tactics import LONGER, refuse_kill_them_all, tactic_step

# What the active side does: nothing (more); it is valiant, or in rout, at its activation; it has left contact
# (having been at half before, or not); it strikes, assaults, or runs.
IDLE, VALIANT, IN_ROUT, LEFT, LEFT_AT_HALF, STRIKES, ASSAULTS, RUNS = range(8)


@dataclass(frozen=True)
class Fighter:
    """One side's orders in the fight: its tactic, when it leaves contact, and cm to the edge behind it."""

    side: Side
    tactic: str
    leaves: str
    edge: int | None

    @property
    def name(self) -> str:
        """attacker or defender."""
        return self.side.name

    def check(self, waits: str) -> None:
        """Raises `InputError` where it may never call its tactic. Source: AOR-16, AOR-19, AOR-20.

        waits: who stays out of reach.
        """
        if self.tactic == "kill-them-all":
            refuse_kill_them_all(self.side)
        if self.tactic == "fall-back" and self.leaves == "never":
            option = "--defender-leaves" if self.name == "defender" else "--leaves"
            raise InputError(f"fall-back is called by who leaves: {option} is half or always (AOR-16)")
        if self.tactic == "get-a-move-on" and waits == self.name:
            raise InputError(f"get-a-move-on is called by who runs: not by who --waits, {waits} (AOR-19)")


@dataclass(frozen=True)
class Activation:
    """One side is activated against the other."""

    own: Fighter
    enemy: Fighter
    situation: Fight
    rules: Rules

    def actions(self) -> list[Action]:
        """In rout it flees; at half it tests; engaged it strikes or leaves; apart it comes."""
        side, foe = self.own.side, self.enemy.side
        melee = Melee(side, foe, self.own.tactic, {}, self.rules)
        at_once = self.rules.rally_timing == "activation"
        return [
            Change(f"{side.name} is activated", self._begins),
            *([rally_step(side, foe, at(IN_ROUT), self.rules), *self._rallied()] if at_once else []),
            courage_step(side, self._difficulty, at(VALIANT), self.rules),
            Change(f"{side.name} flees", self._flees),
            *self._leaving(),
            Change(f"{side.name} decides", self._decides),
            *melee.meets(at(ASSAULTS)),
            *melee.strike(self._fights, may_charge=True),
            *self._running(),
            Change(f"{side.name} is done", self._ends),
        ]

    def _begins(self, columns: Columns) -> dict[str, Ints]:
        """Whoever is left, also without an enemy; a war machine needs its crew. Source: AOR-21, AOR-29."""
        side = self.own.side
        rout = columns[side.rout] == 1
        able = side.there(columns) & crewed(side, columns)
        return put(columns, able, {"stage": np.where(rout, IN_ROUT, VALIANT)})

    def _rallied(self) -> list[Action]:
        """Who has rallied at its activation is valiant, and tests at half if the rules say so."""
        side = self.own.side

        def valiant(columns: Columns) -> dict[str, Ints]:
            rallied = at(IN_ROUT)(columns) & (columns[side.rout] == 0)
            return put(columns, rallied, {"stage": VALIANT})

        return [Change(f"{side.name} has rallied", valiant)] if self.rules.rally_tests_half else []

    def _difficulty(self, columns: Columns) -> Ints:
        """Difficulty of the Courage test at activation. Source: AOR-21."""
        harder = (columns["engaged"] == 1) & stronger(self.enemy.side, self.own.side)(columns)
        found: Ints = (self._apart(columns) + HARDER * harder).astype(np.int32)
        return found

    def _apart(self, columns: Columns) -> Ints:
        """The same where nobody engages it: a fearsome charge still counts. Source: AOR-14, AOR-21."""
        charged = columns.get(f"{self.own.name}.feared", constant(0, rows(columns)))
        found: Ints = (COURAGE + HARDER * charged).astype(np.int32)
        return found

    def _fights(self, columns: Columns) -> Mask:
        """Rows where it strikes: it did already, or stands after meeting the enemy."""
        stage = columns["stage"]
        found: Mask = (stage == STRIKES) | ((stage == ASSAULTS) & (columns[self.own.side.rout] == 0))
        return found

    def _ends(self, columns: Columns) -> dict[str, Ints]:
        """What only this activation needed is forgotten."""
        sides = (self.own.side, self.enemy.side)
        touched = columns["engaged"] == 1
        alone = ~(sides[0].there(columns) & sides[1].there(columns))
        past = ["stage", "charge", f"{self.own.name}.tactic"]
        if self.enemy.side.is_fearsome and self.rules.fearsome_charge == "next_activation":
            past.append(f"{self.own.name}.feared")
        over = dict.fromkeys(past, constant(0, rows(columns)))
        returned = put(columns, touched, {f"{side.name}.away": 0 for side in sides})
        return {**over, **returned, **put(columns, alone, {"engaged": 0})}

    # -- flight --------------------------------------------------------------------------------------
    def _flees(self, columns: Columns) -> dict[str, Ints]:
        """Who is in rout flees; who has just failed does so now, or next time. Source: AOR-21."""
        side, stage = self.own.side, columns["stage"]
        rout = columns[side.rout] == 1
        fresh, flees = rout & (stage == VALIANT), rout & (stage == IN_ROUT)
        if self.rules.flee_on_fail == "now":
            flees |= fresh
        flight = put(columns, flees, self._flight(columns))
        return {**flight, **put(columns, flees | fresh, {"stage": IDLE})}

    def _flight(self, columns: Columns) -> dict[str, Ints]:
        """The members in contact are lost, the others go twice their Movement. Source: AOR-14, AOR-22."""
        side = self.own.side
        lost = lost_in_contact(side, columns, self.rules.flight_keeps)
        lost = put(columns, columns["engaged"] == 1, lost)
        after = {**columns, **lost}
        far = side.reach_left(after, self.rules)
        return {**lost, **self._goes_away(after, far), **self._in_flight(after, far)}

    def _goes_away(self, columns: Columns, far: Ints) -> dict[str, Ints]:
        """Contact and objective are left behind. Source: AOR-14, AOR-30."""
        away = {f"{self.own.name}.away": constant(1, rows(columns))} if self.situation.objective else {}
        return {**withdrawn(self.own.side, columns, far), **away}

    def _in_flight(self, columns: Columns, far: Ints) -> dict[str, Ints]:
        """What going so far in flight does besides: beyond the edge nobody is left. Source: AOR-22."""
        edge = f"{self.own.name}.edge"
        once = constant(1, rows(columns))
        return {
            **(put(columns, far > columns[edge], wiped_out(self.own.side)) if edge in columns else {}),
            **({} if self.rules.pursue else {"broken": once}),
        }

    # -- leaving contact -----------------------------------------------------------------------------
    def _leaving(self) -> list[Action]:
        """A side that leaves a melee: Fall Back, or those in contact lost; then courage. Source: AOR-14."""
        if self.own.leaves == "never":
            return []
        side, rules = self.own.side, self.rules
        tests = self.own.tactic == "fall-back"
        return [
            *([tactic_step(side, "fall-back", self._wants_to_leave, rules)] if tests else []),
            Change(f"{side.name} leaves contact", self._leaves),
            courage_step(side, self._apart, at(LEFT), rules),
            Change(f"{side.name} goes", self._goes),
        ]

    def _wants_to_leave(self, columns: Columns) -> Mask:
        wants: Mask = (columns["stage"] != IDLE) & (columns["engaged"] == 1)
        if self.own.leaves == "half":
            wants = wants & at_half(self.own.side, self.rules)(columns)
        return wants

    def _leaves(self, columns: Columns) -> dict[str, Ints]:
        """Those in contact are lost, unless Fall Back passed; where it failed, it stays. Source: AOR-16."""
        side, leaves = self.own.side, self._wants_to_leave(columns)
        lost = lost_in_contact(side, columns)
        if self.own.tactic == "fall-back":
            leaves &= columns[f"{side.name}.tactic"] == 1
            lost = {}
        half = at_half(side, self.rules)(columns)
        return put(columns, leaves, {**lost, "stage": np.where(half, LEFT_AT_HALF, LEFT)})

    def _goes(self, columns: Columns) -> dict[str, Ints]:
        """It goes twice its Movement; in flight where its courage failed. Source: AOR-14, AOR-21."""
        side, stage = self.own.side, columns["stage"]
        left = (stage == LEFT) | (stage == LEFT_AT_HALF)
        flees = left & (columns[side.rout] == 1) & (self.rules.flee_on_fail == "now")
        far = side.reach_left(columns, self.rules)
        goes = put(columns, left, {**self._goes_away(columns, far), "stage": IDLE})
        return goes | put(columns, flees, self._in_flight(columns, far))

    # -- strike, assault, or come nearer -------------------------------------------------------------
    def _decides(self, columns: Columns) -> dict[str, Ints]:
        """Engaged it strikes; in reach it assaults; else it comes nearer, or runs with Get a Move On."""
        acts, apart = columns["stage"] != IDLE, columns["engaged"] == 0
        acts = acts & self.enemy.side.there(columns)
        reach = self.own.side.reach_left(columns, self.rules)
        stays = (columns["broken"] == 1) & apart & (not self.rules.pursue)
        stage = np.where(apart, np.where(columns["gap"] <= reach, ASSAULTS, RUNS), STRIKES)
        stage = np.where(acts & ~stays, stage, IDLE).astype(np.int32)
        if self.own.tactic == "get-a-move-on":
            return {"stage": stage}
        far, waits = stage == RUNS, self.situation.waits == self.own.name
        comes = put(columns, far & (not waits), nearer(self.own.side, columns, reach))
        return {**comes, "stage": np.where(far, IDLE, stage).astype(np.int32)}

    def _running(self) -> list[Action]:
        """A run of twice the Movement, longer with Get a Move On. Source: AOR-19."""
        if self.own.tactic != "get-a-move-on":
            return []
        side = self.own.side

        def run(columns: Columns) -> dict[str, Ints]:
            longer = side.reach_left(columns, self.rules) + LONGER * columns[f"{side.name}.tactic"]
            far = np.minimum(longer, columns["gap"] - 1)
            return nearer(side, columns, far)

        return [
            tactic_step(side, "get-a-move-on", at(RUNS), self.rules),
            whole_change(f"{side.name} runs", run, at(RUNS)),
        ]


def at(stage: int) -> Where:
    """Rows in which the active side is at a stage."""
    return lambda columns: columns["stage"] == stage
