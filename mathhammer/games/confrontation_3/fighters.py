"""A fighter in a melee: his characteristics after charge and fear. Source: C3-2.9, C3-2.16, C3-3.6."""

from __future__ import annotations

from dataclasses import dataclass

from mathhammer.games.confrontation_3.profile import Fighter
from mathhammer.games.confrontation_3.ruleset import Rules


@dataclass(frozen=True)
class Body:
    """What counts of a fighter in one melee. limited: no more attack dice than defence dice."""

    ini: int
    att: int
    strength: int
    defence: int
    res: int
    limited: bool = False


def body_of(fighter: Fighter, *, afraid: bool, charged: bool, rules: Rules) -> Body:
    """The fighter with what fear and a charge take from INI, ATT and DEF. Source: C3-2.9, C3-2.16."""
    off = penalty(afraid, charged, rules)
    return Body(
        fighter.ini - off,
        fighter.att - off,
        fighter.strength,
        fighter.defence - off,
        fighter.res,
        afraid and rules.fear_limits_attack,
    )


def penalty(afraid: bool, charged: bool, rules: Rules) -> int:
    """What fear and a charge take off together. Source: C3-2.9, C3-2.16."""
    fear = rules.fear_penalty if afraid else 0
    charge = rules.charge_penalty if charged else 0
    if afraid and charged and rules.fear_and_charge == "worse":
        return max(fear, charge)
    return fear + charge
