"""`check`: one check by name, with all that goes into it. Source: BF-00."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Columns, Mask, Play, Step
from mathhammer.games.battlefield.assault import flanking_terms
from mathhammer.games.battlefield.break_in import break_in_check, charge_attack, refuse_ranged
from mathhammer.games.battlefield.charge import break_through_check, gale_check
from mathhammer.games.battlefield.checks import D20, Check, Term, kept, split, summed
from mathhammer.games.battlefield.lob import lob_check, refuse_weapon
from mathhammer.games.battlefield.lure import lure_check
from mathhammer.games.battlefield.melee import confusion, disengage_check, disrupt_check, rally_check
from mathhammer.games.battlefield.push import push_check, push_levels
from mathhammer.games.battlefield.scenes import pair
from mathhammer.games.battlefield.siege import siege_check
from mathhammer.games.battlefield.situations import Check as Asked
from mathhammer.games.battlefield.state import Battle, Fighter
from mathhammer.games.battlefield.swap import Way, swap_check
from mathhammer.games.battlefield.volleys import Blow, roll_check

SIEGE_UNITS = 3
COMMON = {"kind", "modifier", "dc"}
# What each kind of check is asked with.
OPTIONS: Mapping[str, set[str]] = {
    "attack": {"cells", "flanking"},
    "break-in": {"cells", "into_melee"},
    "break-through": {"cells"},
    "disrupt": set(),
    "rally": {"rounds", "helped"},
    "disengage": {"several"},
    "push": {"cells", "into_another"},
    "gale": set(),
    "lure": set(),
    "lob": {"two_cells"},
    "swap": {"in_melee", "quick"},
    "siege": {"units"},
}


@dataclass(frozen=True)
class Asking:
    """A check that is asked for, and the state that its terms are read in."""

    check: Check
    start: Mapping[str, int]

    @property
    def columns(self) -> Columns:
        """The one state, as columns."""
        return {name: np.array([value], dtype=np.int32) for name, value in self.start.items()}

    def amount(self, term: Term) -> Fraction:
        """What a term is worth in this state."""
        value = term.amount
        return Fraction(int(value(self.columns)[0])) if callable(value) else Fraction(value)

    @property
    def lead(self) -> int:
        """Modifiers less DC, rounded down."""
        fixed, moving = split(self.check.terms)
        return int(summed(fixed, moving, self.columns)[0])


def asked(matchup: Matchup) -> Asking:
    """The check with its terms. Raises `InputError` for options that the kind does not have."""
    situation: Asked = matchup.situation
    refuse_options(situation)
    us, them = pair(matchup)
    battle = Battle((us, them), matchup.rules)
    start = battle.start("confused", "rally_help", "lent")
    start["attacker.confused"] = confusion(battle, them) + 2 * situation.rounds
    start["attacker.rally_help"] = int(situation.helped)
    check = KINDS[situation.kind](battle, us, them, situation)
    more = Term("modifier", situation.modifier)
    terms = kept(*check.terms, more)
    if situation.dc is not None:
        given = Term("DC given", situation.dc, against=True)
        terms = (*(term for term in terms if not term.against), given)
    return Asking(replace(check, terms=terms), start)


def refuse_options(situation: Asked) -> None:
    """Raise `InputError` with a line for each option that says nothing about this kind of check."""
    fields = type(situation).model_fields
    given = [name for name in fields if getattr(situation, name) != fields[name].default]
    strange = [name for name in given if name not in COMMON | OPTIONS[situation.kind]]
    lines = [f"--{name.replace('_', '-')} does not go with check {situation.kind}" for name in strange]
    if situation.dc is not None and situation.kind in ("lure",):
        lines.append(f"--dc does not go with check {situation.kind}: it is against another roll (BF-10)")
    if lines:
        raise InputError(*lines)


# -- the kinds -------------------------------------------------------------------------------------
def _attack(battle: Battle, us: Fighter, them: Fighter, asked: Asked) -> Check:
    charging = charge_attack(us.unit, battle.rules) if asked.cells else 0
    bonus = kept(Term("charging", charging), *flanking_terms(asked.flanking, us.unit, battle.rules))
    return roll_check(battle, us, them, Blow(1, bonus=bonus))


def _break_in(battle: Battle, us: Fighter, them: Fighter, asked: Asked) -> Check:
    refuse_ranged(us.unit)
    return break_in_check(battle, us, them, asked.cells, into_melee=asked.into_melee)


def _break_through(battle: Battle, us: Fighter, them: Fighter, asked: Asked) -> Check:
    if not us.unit.cavalry:
        raise InputError(f"{us.unit.name} on foot cannot break through: only cavalry does (BF-08)")
    if not asked.cells:
        raise InputError("--cells is at least 1 for check break-through: it follows a charge (BF-08)")
    return break_through_check(battle, us, them, asked.cells)


def _lob(battle: Battle, us: Fighter, them: Fighter, asked: Asked) -> Check:
    refuse_weapon(us.unit)
    return lob_check(battle, us, two_cells=asked.two_cells)


def _swap(battle: Battle, us: Fighter, them: Fighter, asked: Asked) -> Check:
    return swap_check(battle, us, Way(quick=asked.quick, in_melee=asked.in_melee))


Kind = Callable[[Battle, Fighter, Fighter, Asked], Check]
KINDS: Mapping[str, Kind] = {
    "attack": _attack,
    "break-in": _break_in,
    "break-through": _break_through,
    "disrupt": lambda battle, us, them, asked: disrupt_check(battle, us, them),
    "rally": lambda battle, us, them, asked: rally_check(battle, us),
    "disengage": lambda battle, us, them, asked: disengage_check(
        battle, us, them, opposed=asked.several and battle.rules.multi_disengage == "opposed"
    ),
    "push": lambda battle, us, them, asked: push_check(
        battle, us, them, asked.cells, into=asked.into_another
    ),
    "gale": lambda battle, us, them, asked: gale_check(battle, us, them),
    "lure": lambda battle, us, them, asked: lure_check(battle, us, them),
    "lob": _lob,
    "swap": _swap,
    "siege": lambda battle, us, them, asked: siege_check(battle, them, asked.units or SIEGE_UNITS),
}


# -- the roll --------------------------------------------------------------------------------------
def check(matchup: Matchup) -> Play:
    """The play of one check: how far it passes or fails. Source: BF-00."""
    asking = asked(matchup)
    rule, lead = asking.check.rule, asking.lead
    steps = [Step("d20", Law.constant(D20), 0, "d20", rule=rule)]
    if asking.check.opposed:
        steps.append(Step("the other's d20", Law.constant(D20), 0, "other", rule=rule))

    def margin(columns: Columns) -> Ints:
        return (columns["d20"] - columns["other"] + lead).astype(np.int32)

    grades = _grades(matchup.situation.kind, matchup.rules)
    success = _success(asking.check, matchup)
    return Play(
        {"d20": 0, "other": 0},
        steps,
        {"margin": margin},
        {
            "success": lambda columns: success(columns, margin(columns)),
            **{name: _within(margin, success, *bounds) for name, bounds in grades.items()},
        },
    )


Success = Callable[[Columns, Ints], Mask]


def _success(check: Check, matchup: Matchup) -> Success:
    """Whether the roll passes: ties and natural 1 and 20 by the ruleset. Source: BF-00, BF-01."""
    rules = matchup.rules
    if check.opposed:
        least = 0 if rules.opposed_tie == "active" else 1
        return lambda columns, margin: margin >= least
    special = rules.natural_attack if matchup.situation.kind == "attack" else rules.natural_check
    if special == "nothing":
        return lambda columns, margin: margin >= 0
    return lambda columns, margin: ((margin >= 0) & (columns["d20"] > 1)) | (columns["d20"] == 20)


def _grades(kind: str, rules: Any) -> dict[str, tuple[int | None, int | None]]:
    """Events beside success, as bounds (least, most) of the margin. Source: BF-07, BF-09, BF-13."""
    if kind in ("gale", "siege"):
        from_ = rules.gale_confused_by + 1 if kind == "gale" else rules.siege_confused_by
        return {"by_10": (None, None), "shaken": (1 - from_, -1), "confused": (-ENDLESS, -from_)}
    beaten = (push_levels(rules)[1], ENDLESS) if kind == "push" else (None, None)
    return {"by_10": beaten, "shaken": (None, None), "confused": (None, None)}


ENDLESS = 1000


def _within(
    margin: Callable[[Columns], Ints], success: Success, least: int | None, most: int | None
) -> Callable[[Columns], Mask]:
    """Whether the margin lies within bounds, and the roll passed or failed as they say."""

    def mask(columns: Columns) -> Mask:
        found = margin(columns)
        if least is None or most is None:
            return np.zeros(len(found), dtype=np.bool_)
        passed = success(columns, found)
        inside: Mask = (found >= least) & (found <= most)
        return inside & (passed if least >= 0 else ~passed)

    return mask


# -- the table -------------------------------------------------------------------------------------
def tables(matchup: Matchup, pmfs: Any) -> dict[str, list[dict[str, Any]]]:
    """Every modifier, on which side, and what the d20 must show."""
    asking = asked(matchup)
    rows = [
        {
            "side": ("against" if term.against else "for"),
            "what": term.words,
            "value": f"{'' if term.against else '+'}{asking.amount(term)}".replace("+-", "-"),
        }
        for term in asking.check.terms
        if asking.amount(term)
    ]
    if asking.check.opposed:
        return {
            "modifiers": [*rows, {"side": "lead", "what": "d20 against d20", "value": f"{asking.lead:+d}"}]
        }
    needed = {"side": "needs", "what": "the d20 must show", "value": f"{-asking.lead}+"}
    return {"modifiers": [*rows, needed]}
