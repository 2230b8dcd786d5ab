"""A fight: activations alternate over rounds, with all that may happen in them. Source: AOR-04 to AOR-30.

Columns beside those of the sides: `gap` cm between them, `engaged`, `broken` (somebody has fled), `X.edge` cm
to the edge behind a side, `X.away` from the objective, and `stage`: what the active side does when activated.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Action, Columns, Mark, Mask, Play, Read, Step, always, cleared
from mathhammer.games.confrontation_aor.activation import IDLE, Activation, Fighter
from mathhammer.games.confrontation_aor.assault import refuse_powerless, sides
from mathhammer.games.confrontation_aor.contact import gap_pmf
from mathhammer.games.confrontation_aor.morale import at_half, immunity, rally_step
from mathhammer.games.confrontation_aor.ruleset import Rules
from mathhammer.games.confrontation_aor.side import Number, Side
from mathhammer.games.confrontation_aor.situations import Fight
from mathhammer.games.confrontation_aor.strike import limits


def fight(matchup: Matchup) -> Play:
    """The play of a fight. Raises `InputError` for what the units or the rules have no answer to."""
    situation: Fight = matchup.situation
    rules: Rules = matchup.rules
    first, second = sides(matchup)
    refuse_powerless(first.unit, second.unit, "it decides about charges and courage (AOR-05, AOR-21)")
    ours = Fighter(first, situation.tactic, situation.leaves, situation.edge)
    theirs = Fighter(second, situation.defender_tactic, situation.defender_leaves, situation.defender_edge)
    for orders in (ours, theirs):
        orders.check(situation.waits)
    actions: list[Action] = [Step("distance", Law.constant(gap_pmf(situation)), 0, "gap", rule="AOR-04")]
    for number in range(1, situation.rounds + 1):
        actions += Activation(ours, theirs, situation, rules).actions()
        actions += Activation(theirs, ours, situation, rules).actions()
        actions += [*end_of_round(first, second, rules), Mark(number)]
    return Play(
        start=fight_start(ours, theirs, situation, rules),
        actions=actions,
        measures=measures(first, second),
        events=events(first, second, situation, rules),
        finished=partial(over, first, second, rules),
    )


def fight_start(ours: Fighter, theirs: Fighter, situation: Fight, rules: Rules) -> dict[str, int]:
    """Both valiant, before the first activation."""
    start = {"gap": 0, "engaged": int(situation.engaged), "broken": 0, "charge": 0, "stage": IDLE}
    for orders, other in ((ours, theirs), (theirs, ours)):
        side = orders.side
        away = int(situation.objective and rules.objective_place == other.name)
        start |= {**side.start, **limits(side), **immunity(side, other.side)}
        start |= {f"{side.name}.away": away, f"{side.name}.tactic": 0, side.broken: 0}
        if other.side.is_fearsome:
            start |= {f"{side.name}.feared": 0}
        if orders.edge is not None:
            start |= {f"{side.name}.edge": orders.edge}
    return start


def end_of_round(first: Side, second: Side, rules: Rules) -> list[Action]:
    """Both sides in rout may rally; then the fearsome charges of the round are forgotten. Source: AOR-23."""
    both = ((first, second), (second, first))
    rallies = both if rules.rally_timing == "phase_end" else ()
    feared = [f"{own.name}.feared" for own, enemy in both if enemy.is_fearsome]
    if feared and rules.fearsome_charge != "this_round":
        feared = []
    return [
        *(rally_step(own, enemy, own.in_rout, rules) for own, enemy in rallies),
        *([cleared(*feared, name="end of round")] if feared else []),
    ]


def over(first: Side, second: Side, rules: Rules, columns: Columns) -> Mask:
    """Nothing can happen any more: a side is gone, and the other neither is in rout nor tests at half."""
    both = first.there(columns) & second.there(columns)
    runs = first.in_rout(columns) | second.in_rout(columns)
    tests = at_half(first, rules)(columns) | at_half(second, rules)(columns)
    found: Mask = ~both & ~runs & ~tests & (columns["stage"] == IDLE)
    return found


# -- what is told ----------------------------------------------------------------------------------
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
    held: dict[str, Read] = {
        own.name: partial(holds, own, enemy, rules) if situation.objective else always(0)
        for own, enemy in both
    }
    return {
        **{f"{own.name}.destroyed": partial(_destroyed, own) for own, _ in both},
        **{f"{own.name}.rout": own.in_rout for own, _ in both},
        **{f"{own.name}.broken": own.broken for own, _ in both},
        **{f"{name}.holds_objective": read for name, read in held.items()},
    }


def _destroyed(side: Side, columns: Columns) -> Mask:
    return ~side.there(columns)


def holds(own: Side, enemy: Side, rules: Rules, columns: Columns) -> Mask:
    """Whether a side controls the objective, by the Power beside it. Source: AOR-22, AOR-30."""
    ours, theirs = (_power_there(side, columns) for side in (own, enemy))
    found: Mask = (ours >= rules.objective_power) & (ours > theirs)
    return found


def _power_there(side: Side, columns: Columns) -> Ints:
    """Power beside the objective: none in rout, none of who is away and has not touched since."""
    away = (columns[side.rout] == 1) | ((columns[f"{side.name}.away"] == 1) & (columns["engaged"] == 0))
    return np.where(away, 0, side.power(columns)).astype(np.int32)
