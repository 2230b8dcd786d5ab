"""Attack rolls and the damage they deal, counter-attacks, the strength ratio. Source: BF-01."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial

import numpy as np

from mathhammer.core.dice import roll
from mathhammer.core.errors import InputError
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Ints, Pmf
from mathhammer.core.steps import Change, Columns, Step, cleared, constant
from mathhammer.games.battlefield.checks import D20, Amount, Check, Term, kept, split, summed
from mathhammer.games.battlefield.profile import BOWS, Unit
from mathhammer.games.battlefield.ratios import ratio_table
from mathhammer.games.battlefield.ruleset import Rules
from mathhammer.games.battlefield.state import Action, Battle, Fighter, Masked, every, ints

Rounding = str  # "down", "up" or "exact"
Portion = Callable[[Columns], tuple[Ints, Ints]]  # a factor for each state: numerators, denominators
Deal = Callable[[Columns, Ints], dict[str, Ints]]  # what damage changes


@dataclass(frozen=True)
class Blow:
    """One bout of attack rolls by one unit on another.

    factor: what the total is multiplied by. ratio: whether the strength ratio counts. inside: whether both
    are in one melee. bonus: further terms of the roll. who: the name of its stage.
    """

    rolls: int
    factor: Fraction = Fraction(1)
    ratio: bool = True
    inside: bool = False
    bonus: tuple[Term, ...] = ()
    rule: str = "BF-01"
    who: str = ""


# -- the roll --------------------------------------------------------------------------------------
def weapon_rolls(unit: Unit, rules: Rules) -> int:
    """Attack rolls of one action with the weapon in hand. Source: BF-01."""
    if unit.weapon in BOWS:
        return rules.bow_rolls
    if unit.weapon == "light-crossbow":
        return rules.light_crossbow_rolls
    if unit.weapon == "heavy-crossbow":
        return rules.heavy_crossbow_rolls
    return rules.firearm_rolls if unit.weapon == "firearm" else rules.melee_rolls


def attack_term(unit: Unit, rules: Rules, *, inside: bool) -> Term:
    """Attack with the weapon in hand; inside a melee the ruleset says which. Source: BF-01."""
    if not unit.ranged or unit.shooting is None or (inside and rules.inside_ranged == "attack"):
        return Term(f"attack of {unit.name}", unit.attack)
    return Term(f"shooting of {unit.name}", unit.shooting)


def mood_terms(battle: Battle, fighter: Fighter, *, against: bool = False) -> tuple[Term, ...]:
    """What being shaken or confused does to its attack, by the ruleset. Source: BF-14."""
    if not battle.moods:
        return ()
    moods = (
        ("shaken", battle.rules.shaken_attack, partial(battle.upset, fighter, "shaken")),
        ("confused", battle.rules.confused_attack, partial(battle.upset, fighter, "confused")),
    )
    return kept(*(Term(word, _in_mood(battle, value, is_so), against) for word, value, is_so in moods))


def _in_mood(battle: Battle, value: int, is_so: Masked) -> Amount:
    """The value where the unit is so: in each state, or once for all where moods do not change."""
    if not value or battle.moody:
        return (lambda columns: value * ints(is_so(columns))) if value else 0
    return value * int(is_so({"open": constant(1, 1)})[0])


def roll_check(battle: Battle, striker: Fighter, target: Fighter, blow: Blow) -> Check:
    """One attack roll as a check: attack against defence. Source: BF-01."""
    unit = striker.unit
    terms = kept(
        attack_term(unit, battle.rules, inside=blow.inside),
        *mood_terms(battle, striker),
        *blow.bonus,
        Term(f"defence of {target.unit.name}", target.unit.defence, against=True),
        Term("attack test", battle.rules.attack_base, against=True),
    )
    who = blow.who or f"{striker.name} strikes {target.name}"
    return Check(who, blow.rule, terms)


@lru_cache(maxsize=1024)
def one_roll(lead: int, damage: str, natural: str) -> Pmf:
    """Damage of one attack roll whose attack less defence is `lead`. Source: BF-01.

    damage: "margin" (what the roll exceeds defence by, at least 1), a number, or dice.
    """
    faces = range(1, 21)
    if natural == "nothing":
        hits = [face for face in faces if face + lead >= 0]
    else:
        hits = [face for face in faces if face == 20 or (face > 1 and face + lead >= 0)]
    miss = ((20 - len(hits)) / 20, Pmf.point(0))
    if damage == "margin":
        return Pmf.mixture([miss, *((1 / 20, Pmf.point(max(1, face + lead))) for face in hits)])
    return Pmf.mixture([miss, (len(hits) / 20, roll(damage))])


def damage_text(unit: Unit, rules: Rules) -> str:
    """How damage of one hit is found: the unit's own, or the ruleset's. Source: BF-01."""
    return str(rules.damage if unit.damage is None else unit.damage)


def common_grain(units: Sequence[Unit], rules: Rules) -> int:
    """The points that all hits of these units deal multiples of: 1 unless all damage is fixed."""
    told = [damage_text(unit, rules) for unit in units]
    if rules.half_rounding == "exact" or not all(text.isdecimal() for text in told):
        return 1
    return max(1, math.gcd(*map(int, told)))


def volley_law(unit: Unit, blow: Blow, battle: Battle) -> Law:
    """Damage of all rolls, multiplied and rounded, in scaled points; keyed by the lead. Source: BF-01."""
    rules = battle.rules
    rounding = "exact" if blow.factor.denominator == 1 else rules.half_rounding
    damage = damage_text(unit, rules)
    if battle.grain > 1:
        damage = str(int(damage) // battle.grain)
    return _volley(blow.rolls, damage, rules.natural_attack, blow.factor * battle.scale, rounding)


@lru_cache(maxsize=1024)
def _volley(rolls: int, damage: str, natural: str, factor: Fraction, rounding: Rounding) -> Law:
    def make(lead: int) -> Pmf:
        total = one_roll(lead, damage, natural).times(rolls)
        return total if factor == 1 else total.map(lambda value: rounded(value, factor, rounding))

    return Law(("volley", rolls, damage, natural, factor, rounding), make)


def rounded(value: int, factor: Fraction, rounding: Rounding) -> int:
    """A total times a factor, rounded ("exact": nothing is left to round, as points are counted in parts)."""
    return (math.ceil if rounding == "up" else math.floor)(value * factor)


# -- what is made of the total ---------------------------------------------------------------------
def scale_of(rules: Rules, shares: tuple[Fraction, ...] = ()) -> int:
    """The part of a point that damage is counted in: 1, or what exact halves need. Source: BF-01."""
    if rules.half_rounding != "exact":
        return 1
    factors = [factor for _, factor in ratio_table(rules.strength_ratio)]
    percents = (rules.counter_percent, rules.lob_percent, rules.lob_two_cells_percent)
    halves = [*(Fraction(percent, 100) for percent in percents), *shares]
    products = [f * h for f in [Fraction(1), *factors] for h in [Fraction(1), *halves]]
    return math.lcm(*(product.denominator for product in products))


def ratio_portion(battle: Battle, striker: Fighter, target: Fighter) -> Portion:
    """The strength-ratio factor of each state. Source: BF-01."""
    table = ratio_table(battle.rules.strength_ratio)

    def factors(columns: Columns) -> tuple[Ints, Ints]:
        own, enemy = battle.left(striker, columns), battle.left(target, columns)
        over, under = np.ones_like(own), np.ones_like(own)
        for ratio, factor in table:
            reached = own.astype(np.int64) * ratio.denominator >= enemy.astype(np.int64) * ratio.numerator
            over[reached], under[reached] = factor.numerator, factor.denominator
        return over, under

    return factors


def portioned(battle: Battle, factor: Fraction, portions: Sequence[Portion], deal: Deal) -> Deal:
    """Deals a total multiplied by a factor and by those of each state, rounded once."""
    rounding, scale = battle.rules.half_rounding, battle.scale

    def update(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        over = outcome.astype(np.int64) * factor.numerator
        under = np.full(len(outcome), factor.denominator, dtype=np.int64)
        for portion in portions:
            numerator, denominator = portion(columns)
            over, under = over * numerator, under * denominator
        if rounding == "exact" and (over % under).any():
            raise InputError(
                "--rule half_rounding=exact: soldiers of such numbers share damage by other parts than "
                f"1/{scale} of a point; down and up round it"
            )
        dealt = -(-over // under) if rounding == "up" else over // under
        return deal(columns, dealt.astype(np.int32))

    return update


# -- dealing it ------------------------------------------------------------------------------------
def strike(
    battle: Battle,
    striker: Fighter,
    target: Fighter,
    blow: Blow,
    where: Masked,
    *,
    portion: Portion | None = None,
    deal: Deal | None = None,
) -> list[Action]:
    """All rolls of a blow, and their damage on the target. Source: BF-01.

    portion: what part of the damage it takes, by state. deal: what is done with the damage, if not marked.
    """
    check = roll_check(battle, striker, target, blow)
    portions = _portions(battle, striker, target, blow, portion)
    if deal is None and not battle.marks(target):
        if portions or not isinstance(check.lead, int):
            battle.drawn[target.name] = battle.now
        return [battle.ledger.note(check, volley_law(striker.unit, blow, battle), target, where)]
    battle.deals.append(battle.now)
    deal = deal or hurt(battle, target)
    raw = replace(blow, factor=Fraction(1)) if portions else blow
    update = portioned(battle, blow.factor, portions, deal) if portions else deal
    return [
        Step(check.name, volley_law(striker.unit, raw, battle), check.lead, update, where, rule=blow.rule)
    ]


def _portions(
    battle: Battle, striker: Fighter, target: Fighter, blow: Blow, portion: Portion | None
) -> list[Portion]:
    """What the damage is multiplied by, by state: a part of it, and the strength ratio. Source: BF-01."""
    portions = [portion] if portion else []
    if blow.ratio and ratio_table(battle.rules.strength_ratio):
        portions.append(ratio_portion(battle, striker, target))
        battle.read(striker, target)
    return portions


@dataclass(frozen=True)
class Shot:
    """One unit that a volley is shot at with others: with what blow, where, and what part it takes."""

    target: Fighter
    blow: Blow
    where: Masked
    portion: Portion


def same_dice(battle: Battle, striker: Fighter, shots: Sequence[Shot], where: Masked) -> list[Action]:
    """A volley whose dice are compared with each of several units. Source: BF-15."""
    damage, rules = damage_text(striker.unit, battle.rules), battle.rules
    amount = Pmf.point(0) if damage == "margin" else roll(damage)
    checks = [roll_check(battle, striker, shot.target, shot.blow) for shot in shots]
    leads = {s.target.column("shot"): split(c.terms) for s, c in zip(shots, checks, strict=True)}

    def score(columns: Columns, outcome: Ints) -> dict[str, Ints]:
        face, scored = columns["pick"], {}
        for name, lead in leads.items():
            margin = face + summed(*lead, columns)
            hit = margin >= 0
            if rules.natural_attack != "nothing":
                hit = (hit & (face > 1)) | (face == 20)
            points = np.maximum(margin, 1) if damage == "margin" else outcome
            scored[name] = (columns[name] + points * (hit & (face > 0))).astype(np.int32)
        return {**scored, "pick": np.zeros_like(face)}

    one = [
        Step("a die for all in the melee", Law.constant(D20), 0, "pick", where, rule="BF-15"),
        Step("its damage where it hits", Law.constant(amount), 0, score, where, rule="BF-15"),
    ]
    dealt = [_dealt(battle, striker, shot) for shot in shots]
    return [cleared(*leads), *(one * shots[0].blow.rolls), *dealt, cleared(*leads)]


def _dealt(battle: Battle, striker: Fighter, shot: Shot) -> Change:
    """The part of what was scored against a unit that it takes."""
    portions = _portions(battle, striker, shot.target, shot.blow, shot.portion)
    deal, factor = hurt(battle, shot.target), shot.blow.factor * battle.scale
    update, column = portioned(battle, factor, portions, deal), shot.target.column("shot")
    return Change(shot.blow.who, lambda columns: update(columns, columns[column] * ints(shot.where(columns))))


def hurt(battle: Battle, target: Fighter) -> Deal:
    """Marks damage on a unit, up to its end."""
    column, end = target.column("damage"), battle.end(target)
    return lambda columns, outcome: {column: np.minimum(columns[column] + outcome, end).astype(np.int32)}


# -- counter-attacks -------------------------------------------------------------------------------
def counter_blow(unit: Unit, rules: Rules, bonus: tuple[Term, ...] = ()) -> Blow:
    """The counter-attack of a unit that was attacked: half damage. Source: BF-01."""
    rolls = weapon_rolls(unit, rules) if rules.counter_rolls == "weapon" else rules.counter_rolls
    return Blow(rolls, Fraction(rules.counter_percent, 100), bonus=bonus)


def counter(
    battle: Battle,
    striker: Fighter,
    victim: Fighter,
    where: Masked,
    bonus: tuple[Term, ...] = (),
    deal: Deal | None = None,
) -> list[Action]:
    """A counter-attack by who is still there and able. Source: BF-01."""
    if striker.unit.ranged and not battle.rules.ranged_counter:
        return []
    blow = counter_blow(striker.unit, battle.rules, bonus)
    who = f"{striker.name} counters {victim.name}"
    able = every(where, battle.acts(striker))
    return strike(battle, striker, victim, replace(blow, who=who), able, deal=deal)
