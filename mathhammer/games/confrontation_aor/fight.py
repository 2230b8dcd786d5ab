"""A fight: activations alternate over rounds, with all that may happen in them. Source: AOR-04 to AOR-30.

Columns beside those of the sides: `gap` cm between them, `engaged`, `broken` (somebody has fled), `X.edge` cm
to the edge behind a side, `X.fled`, and `stage`: what the active side does in this activation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Action, Change, Columns, Mark, Mask, Play, Read, Step
from mathhammer.games.confrontation_aor.assault import Melee, refuse_powerless, sides
from mathhammer.games.confrontation_aor.contact import gap_pmf
from mathhammer.games.confrontation_aor.morale import (
    COURAGE,
    HARDER,
    at_half,
    courage_step,
    frightens,
    immunity,
    lost_in_contact,
    rally_step,
    stronger,
    wiped_out,
)
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.side import Number, Side
from mathhammer.games.confrontation_aor.situations import Fight
from mathhammer.games.confrontation_aor.strike import limits
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

    def check(self) -> None:
        """Raises `InputError` where it may never call its tactic. Source: AOR-16, AOR-20."""
        if self.tactic == "kill-them-all":
            refuse_kill_them_all(self.side)
        if self.tactic == "fall-back" and self.leaves == "never":
            option = "--defender-leaves" if self.name == "defender" else "--leaves"
            raise InputError(f"fall-back is called by who leaves: {option} is half or always (AOR-16)")


def fight(matchup: Matchup) -> Play:
    """The play of a fight. Raises `InputError` for what the units or the rules have no answer to."""
    situation: Fight = matchup.situation
    rules: Rules = matchup.rules
    first, second = sides(matchup)
    refuse_powerless(first.unit, second.unit, "it decides about charges and courage (AOR-05, AOR-21)")
    ours = Fighter(first, situation.tactic, situation.leaves, situation.edge)
    theirs = Fighter(second, situation.defender_tactic, situation.defender_leaves, situation.defender_edge)
    for orders in (ours, theirs):
        orders.check()
    actions: list[Action] = [Step("distance", Law.constant(gap_pmf(situation)), 0, "gap", rule="AOR-04")]
    for number in range(1, situation.rounds + 1):
        actions += Activation(ours, theirs, situation, rules).actions()
        actions += Activation(theirs, ours, situation, rules).actions()
        actions += [*end_of_round(first, second, rules), Mark(number)]
    return Play(
        start=fight_start(ours, theirs, situation),
        actions=actions,
        measures=measures(first, second),
        events=events(first, second, situation, rules),
        finished=lambda columns: _over(first, second, columns),
    )


def measures(*both: Side) -> dict[str, Number]:
    """What each side has lost and has left."""
    return {
        **{f"{side.name}.losses": side.losses for side in both},
        **{f"{side.name}.wounds_left": side.wounds_left for side in both},
        **{f"{side.name}.power_left": side.power for side in both},
    }


def events(first: Side, second: Side, situation: Fight, rules: Rules) -> dict[str, Read]:
    """Destroyed, in rout, and who controls the objective. Source: AOR-22, AOR-30."""
    both = (first, second), (second, first)
    objective = {
        own.name: partial(holds, own, enemy, rules) if situation.objective else partial(_nothing, own)
        for own, enemy in both
    }
    return {
        **{f"{own.name}.destroyed": partial(_destroyed, own) for own, _ in both},
        **{f"{own.name}.rout": partial(_in_rout, own) for own, _ in both},
        **{f"{own.name}.broken": f"{own.name}.broken" for own, _ in both},
        **{f"{name}.holds_objective": read for name, read in objective.items()},
    }


def _destroyed(side: Side, columns: Columns) -> Mask:
    return ~side.there(columns)


def _in_rout(side: Side, columns: Columns) -> Mask:
    found: Mask = (columns[side.rout] == 1) & side.there(columns)
    return found


def _nothing(side: Side, columns: Columns) -> Ints:
    return np.zeros(len(columns[side.rout]), dtype=np.int32)


def holds(own: Side, enemy: Side, rules: Rules, columns: Columns) -> Mask:
    """Whether a side controls the objective beside both. Source: AOR-22, AOR-30."""
    ours, theirs = (_power_there(side, columns) for side in (own, enemy))
    found: Mask = (ours >= rules.objective_power) & (ours > theirs)
    return found


def _power_there(side: Side, columns: Columns) -> Ints:
    """Power beside the objective: none in rout, none of who has fled and not touched since."""
    away = (columns[side.rout] == 1) | ((columns[f"{side.name}.fled"] == 1) & (columns["engaged"] == 0))
    return np.where(away, 0, side.power(columns)).astype(np.int32)


def _over(first: Side, second: Side, columns: Columns) -> Mask:
    """Nothing can happen any more: a side is gone, and the other is not in rout."""
    gone = [~side.there(columns) for side in (first, second)]
    runs = [(columns[side.rout] == 1) & side.there(columns) for side in (first, second)]
    found: Mask = (gone[0] | gone[1]) & ~runs[0] & ~runs[1] & (columns["stage"] == IDLE)
    return found


def fight_start(ours: Fighter, theirs: Fighter, situation: Fight) -> dict[str, int]:
    """Both valiant, before the first activation."""
    start = {"gap": 0, "engaged": int(situation.engaged), "broken": 0, "charge": 0, "stage": IDLE}
    for orders, other in ((ours, theirs), (theirs, ours)):
        side = orders.side
        start |= {**side.start, **limits(side), **immunity(side, other.side)}
        start |= {f"{side.name}.fled": 0, f"{side.name}.tactic": 0, f"{side.name}.broken": 0}
        if other.side.is_fearsome:
            start |= {f"{side.name}.feared": 0}
        if orders.edge is not None:
            start |= {f"{side.name}.edge": orders.edge}
    return start


@dataclass(frozen=True)
class Activation:
    """One side's activation. Source: AOR-04 to AOR-06, AOR-12, AOR-14, AOR-21 to AOR-23, AOR-29."""

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
            *([rally_step(side, self._to_rally, self._at(IN_ROUT), self.rules)] if at_once else []),
            courage_step(side, self._at_half, self._at(VALIANT), self.rules),
            Change(f"{side.name} flees", self._flees),
            *self._leaving(),
            Change(f"{side.name} decides", self._decides),
            *melee.meets(self._at(ASSAULTS)),
            *melee.strike(self._fights, may_charge=True),
            *self._running(),
            Change(f"{side.name} is done", self._ends),
        ]

    def _at(self, *stages: int) -> Callable[[Columns], Mask]:
        return lambda columns: np.isin(columns["stage"], stages)

    def _fights(self, columns: Columns) -> Mask:
        """Rows where it strikes: it did already, or stands after meeting the enemy."""
        stage = columns["stage"]
        found: Mask = (stage == STRIKES) | ((stage == ASSAULTS) & (columns[self.own.side.rout] == 0))
        return found

    # -- the beginning -------------------------------------------------------------------------------
    def _begins(self, columns: Columns) -> dict[str, Ints]:
        """Both must be there; a war machine needs its crew. Source: AOR-29."""
        side = self.own.side
        able = side.there(columns) & self.enemy.side.there(columns) & crewed(side, columns)
        stage = np.where(columns[side.rout] == 1, IN_ROUT, VALIANT)
        return {"stage": np.where(able, stage, IDLE).astype(np.int32)}

    def _at_half(self, columns: Columns) -> Ints:
        """Difficulty of the Courage test at activation. Source: AOR-21."""
        side, feared = self.own.side, f"{self.own.name}.feared"
        harder = (columns["engaged"] == 1) & stronger(self.enemy.side, side)(columns)
        charged = columns.get(feared, np.zeros_like(columns["stage"]))
        found: Ints = (COURAGE + HARDER * harder + HARDER * charged).astype(np.int32)
        return found

    def _to_rally(self, columns: Columns) -> Ints:
        return rally_difficulty(self.own.side, self.enemy.side, columns, self.rules)

    # -- flight --------------------------------------------------------------------------------------
    def _flees(self, columns: Columns) -> dict[str, Ints]:
        """Who is in rout flees; who has just failed does so now, or next time. Source: AOR-21."""
        side, stage = self.own.side, columns["stage"]
        rout = columns[side.rout] == 1
        fresh = rout & (stage == VALIANT)
        flees = rout & (stage == IN_ROUT)
        if self.rules.flee_on_fail == "now":
            flees |= fresh
        changed = self._flight(columns, flees)
        changed |= self._breaks(columns)
        changed["stage"] = np.where(flees | fresh, IDLE, stage).astype(np.int32)
        return changed

    def _breaks(self, columns: Columns) -> dict[str, Ints]:
        """Who has been in rout is remembered. Source: AOR-22."""
        sides = (self.own.side, self.enemy.side)
        return {
            f"{side.name}.broken": np.maximum(columns[f"{side.name}.broken"], columns[side.rout])
            for side in sides
        }

    def _flight(self, columns: Columns, flees: Mask) -> dict[str, Ints]:
        """The members in contact are lost, the others go twice their Movement. Source: AOR-14, AOR-22."""
        side = self.own.side
        engaged = flees & (columns["engaged"] == 1)
        lost = lost_in_contact(side, columns, self.rules.flight_keeps)
        after = {**columns, **{name: np.where(engaged, lost[name], columns[name]) for name in lost}}
        return self._moved(columns, after, flees, side.reach_left(after), flight=True)

    def _moved(
        self, columns: Columns, after: Columns, moves: Mask, far: Ints, *, flight: bool
    ) -> dict[str, Ints]:
        """The columns when the side goes away from the enemy by so many cm, in some rows.

        A flight beyond the edge destroys the unit; who leaves of his own will stops there. Source: AOR-22.
        """
        side, edge = self.own.side, f"{self.own.name}.edge"
        changed = {side.column(i): after[side.column(i)] for i in range(len(side.groups))}
        if edge in columns:
            gone = moves & (far > columns[edge]) if flight else np.zeros(len(far), dtype=np.bool_)
            far = np.minimum(far, columns[edge]).astype(np.int32)
            for name, most in wiped_out(side).items():
                changed[name] = np.where(gone, most, changed[name])
            changed[edge] = np.where(moves, columns[edge] - far, columns[edge])
        changed["gap"] = np.where(
            moves, np.where(columns["engaged"] == 1, 0, columns["gap"]) + far, columns["gap"]
        )
        changed["engaged"] = np.where(moves, 0, columns["engaged"])
        if flight and self.situation.objective:
            changed[f"{self.own.name}.fled"] = np.where(moves, 1, columns[f"{self.own.name}.fled"])
        if flight and not self.rules.pursue:
            changed["broken"] = np.where(moves, 1, columns["broken"])
        return {name: values.astype(np.int32) for name, values in changed.items()}

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
            courage_step(
                side, lambda columns: np.full(len(columns["stage"]), COURAGE, np.int32), self._at(LEFT), rules
            ),
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
            lost = {name: columns[name] for name in lost}
        half = at_half(side, self.rules)(columns)
        changed = {name: np.where(leaves, lost[name], columns[name]).astype(np.int32) for name in lost}
        stage = np.where(leaves, np.where(half, LEFT_AT_HALF, LEFT), columns["stage"])
        return {**changed, "stage": stage.astype(np.int32)}

    def _goes(self, columns: Columns) -> dict[str, Ints]:
        """It goes twice its Movement; in flight where its courage failed. Source: AOR-14, AOR-21."""
        side, stage = self.own.side, columns["stage"]
        left = (stage == LEFT) | (stage == LEFT_AT_HALF)
        flees = left & (columns[side.rout] == 1) & (self.rules.flee_on_fail == "now")
        far = side.reach_left(columns)
        walked = {**columns, **self._moved(columns, columns, left & ~flees, far, flight=False)}
        changed = self._moved(walked, walked, flees, far, flight=True)
        edge = f"{self.own.name}.edge"
        kept = {name: walked[name] for name in ("gap", "engaged", *([edge] if edge in columns else []))}
        return {**kept, **changed, "stage": np.where(left, IDLE, stage).astype(np.int32)}

    # -- strike, assault, or come nearer -------------------------------------------------------------
    def _decides(self, columns: Columns) -> dict[str, Ints]:
        """Engaged it strikes; in reach it assaults; else it comes nearer, or runs with Get a Move On."""
        acts, apart = columns["stage"] != IDLE, columns["engaged"] == 0
        reach = self.own.side.reach_left(columns)
        near = columns["gap"] <= reach
        stays = (columns["broken"] == 1) & apart & (not self.rules.pursue)
        stage = np.where(apart, np.where(near, ASSAULTS, RUNS), STRIKES)
        stage = np.where(acts & ~stays, stage, IDLE)
        if self.own.tactic == "get-a-move-on" and self.situation.waits != self.own.name:
            return {"stage": stage.astype(np.int32)}
        comes = (stage == RUNS) & (self.situation.waits != self.own.name)
        stage = np.where((stage == RUNS) & ~comes, IDLE, stage)
        return {**self._nearer(columns, comes, reach), "stage": np.where(comes, IDLE, stage).astype(np.int32)}

    def _nearer(self, columns: Columns, comes: Mask, far: Ints) -> dict[str, Ints]:
        """The columns when the side comes nearer, which takes it away from its edge. Source: AOR-04."""
        edge = f"{self.own.name}.edge"
        changed = {"gap": np.where(comes, columns["gap"] - far, columns["gap"]).astype(np.int32)}
        if edge in columns:
            changed[edge] = np.where(comes, columns[edge] + far, columns[edge]).astype(np.int32)
        return changed

    def _running(self) -> list[Action]:
        """A run of twice the Movement, longer with Get a Move On. Source: AOR-19."""
        if self.own.tactic != "get-a-move-on":
            return []
        side = self.own.side

        def run(columns: Columns) -> dict[str, Ints]:
            longer = side.reach_left(columns) + LONGER * columns[f"{side.name}.tactic"]
            far = np.minimum(longer, columns["gap"] - 1).astype(np.int32)
            return self._nearer(columns, columns["stage"] == RUNS, far)

        return [
            tactic_step(side, "get-a-move-on", self._at(RUNS), self.rules),
            Change(f"{side.name} runs", run),
        ]

    def _ends(self, columns: Columns) -> dict[str, Ints]:
        """What only this activation needed is forgotten."""
        none = np.zeros(len(columns["stage"]), dtype=np.int32)
        both = self.own.side.there(columns) & self.enemy.side.there(columns)
        touched = columns["engaged"] == 1
        changed = {"stage": none, "charge": none, f"{self.own.name}.tactic": none}
        changed["engaged"] = (touched & both).astype(np.int32)
        for name in (self.own.name, self.enemy.name):
            changed[f"{name}.fled"] = np.where(touched, 0, columns[f"{name}.fled"]).astype(np.int32)
        return changed


def crewed(side: Side, columns: Columns) -> Mask:
    """Whether a side may be activated: a war machine only with crew. Source: AOR-29."""
    machine = side.best([int(group.category == "war-machine") for group in side.groups], columns) > 0
    crew = side.best([int("crew" in group.roles) for group in side.groups], columns) > 0
    return ~machine | crew


def rally_difficulty(own: Side, enemy: Side, columns: Columns, rules: Rules) -> Ints:
    """Difficulty of the test that ends a rout. Source: AOR-23."""
    engaged = columns["engaged"] == 1
    harder = engaged & stronger(enemy, own)(columns)
    feared = engaged & frightens(enemy, rules)(columns)
    found: Ints = (COURAGE + HARDER * harder + HARDER * feared).astype(np.int32)
    return found


def end_of_round(first: Side, second: Side, rules: Rules) -> list[Action]:
    """Both sides in rout may rally; then the fearsome charges of the round are forgotten. Source: AOR-23."""
    actions: list[Action] = []
    if rules.rally_timing == "phase_end":
        for own, enemy in ((first, second), (second, first)):

            def difficulty(columns: Columns, own: Side = own, enemy: Side = enemy) -> Ints:
                return rally_difficulty(own, enemy, columns, rules)

            actions.append(rally_step(own, difficulty, lambda columns: columns["engaged"] >= 0, rules))
    feared = [f"{own.name}.feared" for own, enemy in ((first, second), (second, first)) if enemy.is_fearsome]
    if feared:
        actions.append(
            Change(
                "end of round",
                lambda columns: {name: np.zeros(len(columns["stage"]), dtype=np.int32) for name in feared},
            )
        )
    return actions
