"""An assault: reach, fear, charge, tactic, strike. Source: AOR-04 to AOR-06, AOR-11 to AOR-15, AOR-20."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Action, Change, Columns, Mask, Play, Step, constant, rows
from mathhammer.games.confrontation_aor.contact import contacts, gap_pmf, nearer, split_of
from mathhammer.games.confrontation_aor.morale import (
    Where,
    at_half,
    fear_steps,
    frightens,
    immunity,
    stronger,
    whole_change,
)
from mathhammer.games.confrontation_aor.profile import Unit
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.side import Side, is_of, refuse_crewless
from mathhammer.games.confrontation_aor.situations import Assault, Touching
from mathhammer.games.confrontation_aor.staff import staff_of
from mathhammer.games.confrontation_aor.strike import (
    Blows,
    Split,
    forget_change,
    limits,
    strike_steps,
    touch_change,
)
from mathhammer.games.confrontation_aor.tactics import refuse_kill_them_all, strong_enough, tactic_step

CAVALRY = ("light-cavalry", "heavy-cavalry")


def sides(matchup: Matchup) -> tuple[Side, Side]:
    """Attacker and defender, with the staffs that they may use and how many of each may touch."""
    attacker, defender = matchup.unit("attacker"), matchup.unit("defender")
    situation = matchup.situation
    assert isinstance(situation, Touching)
    ours, theirs = contacts(attacker, defender, situation, matchup.rules)
    return (
        Side("attacker", attacker, ours, staff_of(matchup, "attacker_staff")),
        Side("defender", defender, theirs, staff_of(matchup, "defender_staff")),
    )


def assault(matchup: Matchup) -> Play:
    """The play of one activation. Raises `InputError` for what the units or the rules have no answer to."""
    situation: Assault = matchup.situation
    rules: Rules = matchup.rules
    own, enemy = sides(matchup)
    refuse_assault(own, enemy, situation, rules)
    melee = Melee(own, enemy, situation.tactic, split_of(own, enemy, situation.split), rules)
    reach, charging, gap = own.reach(rules), not situation.engaged, gap_pmf(situation)
    fear_waits = gap.last <= reach or rules.fear_needs_reach if own.is_fearsome or enemy.is_fearsome else True
    half = at_half(enemy, rules)
    return Play(
        start=start(own, enemy, situation),
        actions=[
            Step("distance", Law.constant(gap), 0, "gap", rule="AOR-04"),
            Change("reach", lambda columns: {"reached": (columns["gap"] <= reach).astype(np.int32)}),
            *melee.meets(_has_reached, None if fear_waits else _declared, free=not situation.engaged),
            *melee.strike(lambda columns: (columns["reached"] == 1) & (columns[own.rout] == 0), charging),
        ],
        measures={**enemy.toll, "attacker.losses": own.losses},
        events={
            "reaches": "reached",
            "charges": "charge",
            "rout": enemy.rout,
            "destroyed": lambda columns: ~enemy.there(columns),
            "at_half": lambda columns: half(columns),
            "attacker.rout": own.rout,
            "tactic": "attacker.tactic",
        },
    )


def _has_reached(columns: Columns) -> Mask:
    found: Mask = columns["reached"] == 1
    return found


def _declared(columns: Columns) -> Mask:
    """Every row: the assault is declared, wherever it ends."""
    return np.ones(rows(columns), dtype=np.bool_)


def start(own: Side, enemy: Side, situation: Assault) -> dict[str, int]:
    """Before the assault."""
    resisted = {
        f"{side.name}.immune": 0 if value is None else value + 1
        for side, foe, value in (
            (own, enemy, situation.attacker_resisted),
            (enemy, own, situation.resisted),
        )
        if foe.is_fearsome
    }
    both = {**own.start, **enemy.start, **limits(own), **limits(enemy), **immunity(own, enemy)}
    both |= {**immunity(enemy, own), **resisted, enemy.rout: int(situation.defender_rout)}
    both |= {"gap": 0, "reached": 0, "charge": 0, "engaged": int(situation.engaged)}
    return both | {"attacker.tactic": 0}


def refuse_assault(own: Side, enemy: Side, situation: Assault, rules: Rules) -> None:
    """Raises `InputError` where the units have no answer to a charge, or may not do what is asked."""
    if not (situation.engaged or is_of(own.unit, CAVALRY, rules)):
        refuse_powerless(own.unit, enemy.unit, "it decides whether an assault is a charge (AOR-05)")
    refuse_crewless(own.unit)
    if situation.tactic == "kill-them-all":
        refuse_no_charge(own, enemy, rules)
        refuse_kill_them_all(own)
        if situation.engaged:
            raise InputError("--tactic kill-them-all needs a charge, which an engaged unit has not (AOR-20)")


def refuse_no_charge(own: Side, enemy: Side, rules: Rules) -> None:
    """Raises `InputError` where an assault of the units as they are is no charge. Source: AOR-05, AOR-20."""
    ours, theirs = (sum(g.count * (g.power or 0) for g in side.groups) for side in (own, enemy))
    if ours <= theirs and not is_of(own.unit, CAVALRY, rules):
        raise InputError(
            f"--tactic kill-them-all needs a charge: {own.unit.label()} has Power {ours}, not above {theirs} "
            "(AOR-05, AOR-20)"
        )


def refuse_powerless(own: Unit, enemy: Unit, why: str) -> None:
    """Raises `InputError` where Power decides about something, and a card gives none. Source: AOR-05."""
    both = [own] if own == enemy else [own, enemy]
    without = [unit for unit in both if any(group.power is None for group in unit.fighters)]
    if without:
        raise InputError(*(f"{unit.label()}: power is missing: {why}" for unit in without))


@dataclass(frozen=True)
class Melee:
    """One side's activation against the other in a melee: what an assault and a strike are made of.

    Columns used: `charge` and `engaged`; `X.tactic` where the side calls one.
    """

    own: Side
    enemy: Side
    tactic: str
    split: Split
    rules: Rules

    def meets(self, reached: Where, faced: Where | None = None, *, free: bool = True) -> list[Action]:
        """Fear, then contact: a charge or not, in the rows that reach. Source: AOR-04 to AOR-06.

        faced: rows in which Fear is faced; None for those that reach.
        """
        own, enemy = self.own, self.enemy

        def stands(columns: Columns) -> Mask:
            found: Mask = reached(columns) & (columns[own.rout] == 0)
            return found

        return [
            *fear_steps(own, enemy, faced or reached, self.rules),
            whole_change(f"{own.name} in contact", self._contact(free), stands),
            *(self._kill_them_all(stands) if self.tactic == "kill-them-all" and free else []),
        ]

    def strike(self, where: Where, may_charge: bool) -> list[Action]:
        """Cry Havoc if it is called, then the blows of all in contact. Source: AOR-11 to AOR-13, AOR-15."""
        return [
            *touch_change(self.enemy),
            *(self._cry_havoc(where, may_charge) if self.tactic == "cry-havoc" else []),
            *self._blows(Blows(split=self.split), where, may_charge),
            *forget_change(self.enemy),
        ]

    def _contact(self, free: bool) -> Callable[[Columns], dict[str, Ints]]:
        """Engaged; a charge by Power or on horseback; a fearsome one is noted. Source: AOR-05, AOR-21."""
        own, enemy, feared = self.own, self.enemy, f"{self.enemy.name}.feared"

        def contact(columns: Columns) -> dict[str, Ints]:
            charge = (stronger(own, enemy)(columns) | own.is_of(CAVALRY, columns, self.rules)) & free
            changed = {"engaged": constant(1, len(charge)), "charge": charge.astype(np.int32)}
            changed |= nearer(own, columns, columns["gap"])
            if feared in columns:
                terror = charge & frightens(own, self.rules)(columns)
                changed[feared] = np.maximum(columns[feared], terror).astype(np.int32)
            return changed

        return contact

    def _blows(self, blows: Blows, where: Where, may_charge: bool) -> list[Action]:
        """The same blows with and without a charge, each in its rows."""
        actions: list[Action] = []
        for charge in (0, 1) if may_charge else (0,):
            rows = _and(where, "charge", charge) if may_charge else where
            kind = replace(blows, charge=bool(charge))
            actions += strike_steps(self.own, self.enemy, kind, self.rules, rows)
        return actions

    def _cry_havoc(self, where: Where, may_charge: bool) -> list[Action]:
        """The test, then a free attack of each fighter in contact. Source: AOR-15."""
        own, rules = self.own, self.rules
        dice = 1 if rules.cry_havoc == "one_die" else None
        blows = Blows(dice=dice, reroll=rules.cry_havoc_reroll, name="cry havoc", rule="AOR-15")
        called = _and(where, f"{own.name}.tactic", 1)
        return [
            tactic_step(own, "cry-havoc", self._both_there(where), rules),
            *self._blows(blows, called, may_charge),
        ]

    def _kill_them_all(self, where: Where) -> list[Action]:
        """After a charge: the test, then the enemy strikes first. Source: AOR-20."""
        own, enemy, rules = self.own, self.enemy, self.rules
        strong, charging = strong_enough(own), _and(where, "charge", 1)
        test = tactic_step(own, "kill-them-all", lambda columns: charging(columns) & strong(columns), rules)
        if rules.kill_them_all == "swap_places":
            return [test]
        called = _and(charging, f"{own.name}.tactic", 1)
        answer: list[Action] = []
        for rout in (0, 1):
            rows = _and(called, enemy.rout, rout)
            answer += strike_steps(enemy, own, Blows(attack=not rout, rule="AOR-20"), rules, rows)
        return [test, *touch_change(own), *answer, *forget_change(own)]

    def _both_there(self, where: Where) -> Where:
        return lambda columns: where(columns) & self.own.there(columns) & self.enemy.there(columns)


def _and(where: Where, column: str, value: int) -> Where:
    """Rows of `where` in which a column has a value."""
    return lambda columns: where(columns) & (columns[column] == value)
