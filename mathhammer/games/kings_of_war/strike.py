"""From dice to damage: KOW-01 to KOW-04, with the special rules that touch them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Literal

from mathhammer.core.dice import roll
from mathhammer.core.errors import InputError
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Pmf
from mathhammer.core.steps import Columns, Mask, Step, Update
from mathhammer.games.kings_of_war.profile import Unit, UnitRules
from mathhammer.games.kings_of_war.ruleset import Reroll, Rules
from mathhammer.games.kings_of_war.situations import Facing, Melee, Shoot
from mathhammer.kernels.pools import pool, successes
from mathhammer.kernels.rerolls import pool_rerolling

MOST_HITS = 20_000  # of one strike; far beyond any table
NEVER = 7  # a score that no die shows

Phase = Literal["melee", "ranged"]


@dataclass(frozen=True)
class Charge:
    """How a unit comes into a melee."""

    facing: Facing = "front"
    hindered: bool = False
    disordered: bool = False
    devastated: bool = False


@dataclass(frozen=True)
class Strike:
    """One pool of attacks: dice, the scores they need (2 to 6, or NEVER), and what is re-rolled."""

    dice: int
    to_hit: int
    to_damage: int
    elite: Reroll = "none"
    vicious: Reroll = "none"
    blast: str = "1"
    halved: bool = False
    source: str = "KOW-01"  # the rule of the number of dice

    @property
    def hits(self) -> Law:
        """Hits by number of dice. Source: KOW-02."""
        return _pool(self.to_hit, self.elite)

    @property
    def damage(self) -> Law:
        """Damage by number of hits. Source: KOW-04."""
        return _pool(self.to_damage, self.vicious)


def _pool(need: int, reroll: Reroll) -> Law:
    """Successes by number of dice. Source: KOW-A-elite-vicious."""
    if reroll == "one_die":
        return pool_rerolling(successes(need), 1)
    return pool(successes(need, reroll=reroll))


def strike_steps(
    strike: Strike, update: Update, *, who: str = "", where: Callable[[Columns], Mask] | None = None
) -> list[Step]:
    """One strike's dice, hits, blast and damage, which `update` takes. Source: KOW-01, KOW-02, KOW-04."""
    most = strike.dice * roll(strike.blast).last
    if most > MOST_HITS:
        told = f"{who}{strike.dice} attacks with blast {strike.blast} may hit {most:,} times"
        raise InputError(f"{told}; at most {MOST_HITS:,} are taken")
    steps: list[Step] = []
    key: int | str = 0
    for name, rule, law in stages(strike):
        steps.append(Step(who + name, law, key, who + name, where, rule=rule, passing=True))
        key = who + name
    name = f"{who}damage on {_score(strike.to_damage, strike.vicious)}"
    return [*steps, Step(name, strike.damage, key, update, where, rule="KOW-04")]


def stages(strike: Strike) -> list[tuple[str, str, Law]]:
    """What comes before damage: name, rule and law of each stage."""
    dice = ("dice, halved", "KOW-03") if strike.halved else ("dice", strike.source)
    listed = [(*dice, Law.constant(Pmf.point(strike.dice)))]
    listed.append((f"hits on {_score(strike.to_hit, strike.elite)}", "KOW-02", strike.hits))
    if strike.blast != "1":
        listed.append((f"blast {strike.blast}", "KOW-07", pool(roll(strike.blast))))
    return listed


def _score(need: int, reroll: Reroll) -> str:
    """A score in words, with what is re-rolled."""
    words = {"none": "", "one_die": ", one failed die again", "ones": ", natural 1s again"}
    return ("nothing" if need == NEVER else f"{need}+") + words[reroll]


# -- melee ---------------------------------------------------------------------------------------
def melee_strike(
    charger: Unit, defender: Unit, charge: Charge, situation: Melee | None, rules: Rules
) -> Strike:
    """A charge: its dice and scores. Source: KOW-01, KOW-02, KOW-04, KOW-A-crushing-strength."""
    braced = phalanx_meets(charger, defender, charge, rules)
    hindered = charge.hindered or (braced and rules.phalanx_hinders)
    need = charger.me + hindrance(charger, defender, charge, hindered, rules)
    need -= situation.hit_mod if situation else 0
    bonus = charger.rules.crushing_strength + thunderous(charger, defender, charge, hindered, rules)
    bonus += situation.damage_mod if situation else 0
    factor = facing_factor(charger, defender, charge, rules)
    return Strike(
        dice=dice_rolled(melee_dice(charger, charge.facing, rules), factor, need, charge.devastated, rules),
        to_hit=hit_score(need),
        to_damage=damage_score(defence(defender, charge.facing, rules), bonus, rules),
        elite=_reroll("elite", charger.rules.elite, "melee", rules),
        vicious=_reroll("vicious", charger.rules.vicious, "melee", rules),
        blast=blast_of(charger, melee=True, rules=rules),
        halved=charge.devastated or _too_high(need, rules),
    )


def blast_of(unit: Unit, *, melee: bool, rules: Rules) -> str:
    """What each hit becomes: 1 without Blast, and in melee where it does not count. Source: KOW-07."""
    blast = str(unit.rules.blast)
    return "1" if blast != "1" and melee and not rules.blast_in_melee else blast


def facing_factor(charger: Unit, defender: Unit, charge: Charge, rules: Rules) -> int:
    """What the dice are multiplied by. Source: KOW-01, KOW-A-individual, KOW-A-duelist, KOW-A-war-engine."""
    if defender.rules.individual:
        return against_individual(charger, rules)
    if defender.kind == "war-engine" and rules.war_engine_factor:
        return rules.war_engine_factor
    if charge.facing == "front" or (charger.rules.individual and not rules.individual_flanks):
        return 1
    return rules.flank_factor if charge.facing == "flank" else rules.rear_factor


def against_individual(charger: Unit, rules: Rules) -> int:
    """What the dice at an Individual are multiplied by. Source: KOW-A-individual, KOW-A-duelist."""
    factors = [rules.individual_factor, rules.duelist_factor if charger.rules.duelist else 1]
    if 1 not in factors and rules.duelist_pooling == "highest":
        return max(factors)
    return prod(factors)


def melee_dice(charger: Unit, facing: Facing, rules: Rules) -> int:
    """At, with the dice that a phalanx adds to its own attack. Source: KOW-01, KOW-A-phalanx."""
    if not charger.rules.phalanx or charger.size not in ("regiment", "horde"):
        return charger.at
    more = rules.phalanx_dice_regiment if charger.size == "regiment" else rules.phalanx_dice_horde
    if more and facing != "front" and rules.phalanx_dice_facing == "front":
        return charger.at
    return charger.at + more


def dice_rolled(dice: int, factor: int, need: int, devastated: bool, rules: Rules) -> int:
    """Dice after the facing and every halving, each rounded down. Source: KOW-01, KOW-03, KOW-05."""
    halvings = int(devastated) + int(_too_high(need, rules))
    if halvings and factor > 1 and rules.halve_order == "halve_first":
        return (dice >> halvings) * factor
    return (dice * factor) >> halvings


def _too_high(need: int, rules: Rules) -> bool:
    """Whether so much is needed that half the dice are rolled, on 6. Source: KOW-03."""
    return need > rules.half_dice_above


def hit_score(need: int) -> int:
    """The score that a die must show: a natural 1 misses, more than 6 hits on 6. Source: KOW-02, KOW-03."""
    return min(6, max(2, need))


def hindrance(charger: Unit, defender: Unit, charge: Charge, hindered: bool, rules: Rules) -> int:
    """What makes a charger's score worse. Source: KOW-02, KOW-A-phalanx, KOW-A-ensnare."""
    worse = rules.hindered_penalty if hindered else 0
    if phalanx_meets(charger, defender, charge, rules) and (not hindered or rules.phalanx_stacks):
        worse += rules.phalanx_penalty
    if defender.rules.ensnare and charge.facing == "front":
        worse += rules.ensnare
    return worse


def phalanx_meets(charger: Unit, defender: Unit, charge: Charge, rules: Rules) -> bool:
    """Whether the defender's phalanx touches this charger: cavalry, flyers. Source: KOW-A-phalanx."""
    if not (defender.rules.phalanx and _mounted(charger, rules)):
        return False
    return charge.facing == "front" or rules.phalanx_facing == "any"


def _mounted(charger: Unit, rules: Rules) -> bool:
    if charger.rules.flyer or charger.kind == "cavalry":
        return True
    return charger.kind == "large-cavalry" and rules.phalanx_large_cavalry


def thunderous(charger: Unit, defender: Unit, charge: Charge, hindered: bool, rules: Rules) -> int:
    """What Thunderous Charge adds to damage. Source: KOW-A-thunderous-charge, KOW-A-phalanx."""
    bonus = charger.rules.thunderous_charge
    if not bonus or charge.disordered or not rules.thunderous:
        return 0
    if defender.rules.phalanx and charge.facing == "front" and rules.phalanx_cancels_thunderous:
        return 0
    return max(0, bonus - rules.thunderous_hindered_loss) if hindered else bonus


def defence(defender: Unit, facing: Facing, rules: Rules) -> int:
    """De, or the Big Shield's in front. Source: KOW-04, KOW-A-big-shield."""
    if defender.rules.big_shield and facing == "front":
        return max(defender.de, rules.big_shield_de)
    return defender.de


def damage_score(de: int, bonus: int, rules: Rules) -> int:
    """The score that damages: a natural 1 fails; above 6 nothing does (edition 4: a 6). Source: KOW-04."""
    need = max(2, de - bonus)
    if need <= 6:
        return need
    return 6 if rules.natural_six_damages else NEVER


def _reroll(name: Literal["elite", "vicious"], has: bool | str, phase: Phase, rules: Rules) -> Reroll:
    """How Elite or Vicious re-rolls in this phase. Source: KOW-A-elite-vicious."""
    if not (has is True or has == phase):
        return "none"
    return rules.elite if name == "elite" else rules.vicious


# -- shooting ------------------------------------------------------------------------------------
def shooting_strike(
    shooter: Unit, target: Unit, situation: Shoot, rules: Rules, *, devastated: bool = False
) -> Strike:
    """A volley, or a breath: its dice and scores. Source: KOW-02 to KOW-04, KOW-07, KOW-A-piercing."""
    worse = shooting_penalty(shooter, target, situation, rules)
    able = rules_that_count(shooter, situation.breath, rules)
    if situation.breath:
        dice, need = shooter.rules.breath, rules.breath_need + (worse if rules.breath_modified else 0)
    else:
        dice, need = shooter.at, (shooter.ra or NEVER) + worse
    return Strike(
        dice=dice_rolled(dice, 1, need, devastated, rules),
        to_hit=hit_score(need),
        to_damage=damage_score(
            defence(target, situation.facing, rules), able.piercing + situation.damage_mod, rules
        ),
        elite=_reroll("elite", able.elite, "ranged", rules),
        vicious=_reroll("vicious", able.vicious, "ranged", rules),
        blast=str(able.blast),
        halved=devastated or _too_high(need, rules),
        source="KOW-07" if situation.breath else "KOW-02",
    )


def rules_that_count(shooter: Unit, breath: bool, rules: Rules) -> UnitRules:
    """The special rules of a volley; a breath has them where the ruleset says so. Source: KOW-07."""
    able = shooter.rules
    helps = able.piercing or able.elite or able.vicious or able.blast != 1
    return UnitRules() if breath and helps and not rules.breath_rules else able


def shooting_penalty(shooter: Unit, target: Unit, situation: Shoot, rules: Rules) -> int:
    """Modifiers to the score needed. Source: KOW-02, KOW-A-stealthy, KOW-A-individual."""
    worse = -situation.hit_mod
    if situation.cover != "none":
        worse += rules.cover_soft if situation.cover == "soft" else rules.cover_hard
    worse += -rules.halt_bonus if situation.order == "halt" else rules.moving_penalty
    if far(shooter, situation):
        worse += rules.long_range_penalty
    if target.rules.stealthy:
        worse += rules.stealthy
    return worse + (rules.individual_shot if target.rules.individual else 0)


def far(shooter: Unit, situation: Shoot) -> bool:
    """Whether the target is beyond half the range. Source: KOW-02."""
    if situation.distance is None or shooter.reach is None:
        return situation.long_range
    return 2 * situation.distance > shooter.reach
