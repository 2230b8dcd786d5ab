"""From fighters, situation and rules to a `Fight`: checked, and nothing read that has no say in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mathhammer.core.errors import InputError
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Pmf
from mathhammer.games.confrontation_3.blows import fighting
from mathhammer.games.confrontation_3.contact import ATTACKER, DEFENDER, rally_chance
from mathhammer.games.confrontation_3.exchange import Dice, combat_dice
from mathhammer.games.confrontation_3.fighters import body_of
from mathhammer.games.confrontation_3.objective import objective
from mathhammer.games.confrontation_3.placement import Wanted
from mathhammer.games.confrontation_3.plan import Fight, Flags, Initiative, calmer
from mathhammer.games.confrontation_3.profile import Fighter
from mathhammer.games.confrontation_3.ruleset import Rules
from mathhammer.games.confrontation_3.situations import Fights
from mathhammer.games.confrontation_3.sixes import contest_sixes, decided_law
from mathhammer.games.confrontation_3.solver import Sides
from mathhammer.games.confrontation_3.wounds import LEVELS, States

MOST_STATES = 10_000  # of all fighters together, for best play
NO_ROLL = Law.constant(Pmf.point(1))
WOUNDS = dict(zip(("none", "light", "serious", "critical"), range(len(LEVELS)), strict=False))
FIRST = {"roll": None, "attacker": 1.0, "defender": 0.0}  # P(the attacker wins the first initiative)


@dataclass(frozen=True)
class Entrant:
    """A fighter as the fight begins: whether he is afraid and has the token of a charge, and is hurt."""

    fighter: Fighter
    afraid: bool = False
    charged: bool = False
    wound: str = ""
    stunned: bool = False


def led(situation: Fights, attacker: Fighter, defender: Fighter) -> list[Entrant]:
    """The two whose state the situation tells."""
    return [
        Entrant(
            fighter,
            afraid=getattr(situation, f"{role}_afraid"),
            charged=situation.charged == role,
            wound=getattr(situation, f"{role}_wound"),
            stunned=getattr(situation, f"{role}_stunned"),
        )
        for role, fighter in ((ATTACKER, attacker), (DEFENDER, defender))
    ]


def fight_of(
    entrants: Sequence[Entrant], situation: Fights, rules: Rules, scared: Sequence[Flags] = ()
) -> Fight:
    """The fight of the first against the others.

    scared: who is afraid as it begins instead, if that is open.
    Raises `InputError` for splits that do not add up, and for what best play is not solved for.
    """
    enemies = len(entrants) - 1
    attacks = fighting(rules, 2 * enemies + any(entrant.stunned for entrant in entrants))
    if situation.play == "best":
        refuse_large(enemies, attacks.states)
    afraid = tuple(sorted({tuple(entrant.afraid for entrant in entrants), *scared}))
    ever = tuple(any(flags) for flags in zip(*afraid, strict=True))
    start = tuple(state_of(attacks.states, entrant.wound, entrant.stunned) for entrant in entrants)
    later = situation.rounds > 1
    return Fight(
        bodies={flags: sides_of(entrants, flags, rules) for flags in calmer(ever)},
        token_stays=later and any(e.charged for e in entrants) and rules.charge_token_lasts == "fight",
        fighting=attacks,
        initiative=initiative_of(situation, later or any(start), rules),
        rally=rallies(entrants, ever, rules) if later else (0.0,) * len(entrants),
        afraid=afraid,
        rounds=situation.rounds,
        objective=objective(situation.objective),
        wanted=wanted_splits(situation, enemies, surely_limited(afraid, rules)),
        start=start,
    )


def initiative_of(situation: Fights, hurt: bool, rules: Rules) -> Initiative:
    """How initiative is decided; hurt: whether anybody may be wounded then. Source: C3-3.6."""
    first = FIRST[situation.initiative]
    if first is not None and situation.rounds == 1:
        return Initiative(first, NO_ROLL, False)
    contest = decided_law(contest_sixes(rules), rules.contest_ties)
    return Initiative(first, contest, hurt and rules.wounds_on_ini)


def sides_of(entrants: Sequence[Entrant], afraid: Flags, rules: Rules) -> tuple[Sides, Sides]:
    """The bodies of all while these are afraid, with the charge token on and off."""

    def sides(token: bool) -> Sides:
        lone, *several = (
            body_of(entrant.fighter, afraid=scared, charged=token and entrant.charged, rules=rules)
            for entrant, scared in zip(entrants, afraid, strict=True)
        )
        return Sides(lone, tuple(several))

    return sides(True), sides(False)


def rallies(entrants: Sequence[Entrant], afraid: Flags, rules: Rules) -> tuple[float, ...]:
    """Each one's chance to recover from fear, of those who may be afraid. Raises `InputError`."""
    return tuple(
        rally_chance(entrant.fighter, role_name(i), rules) if scared else 0.0
        for i, (entrant, scared) in enumerate(zip(entrants, afraid, strict=True))
    )


def role_name(i: int) -> str:
    """How errors and columns call a fighter: attacker, defender, second, third, fourth."""
    return ("attacker", "defender", "second", "third", "fourth")[i]


def refuse_large(enemies: int, states: States) -> None:
    """Best play is solved while all states of the fighters together are few enough."""
    count = states.count ** (enemies + 1)
    if count > MOST_STATES:
        stuns = "" if states.most_stun == 1 else f" with stuns that add up ({states.count} states each)"
        raise InputError(
            f"--play best: {enemies} enemies{stuns} have {count:,} joint states at each of thousands of "
            f"placements of dice, more than the {MOST_STATES:,} that best play is solved for; "
            "--play simple answers it with fixed habits"
        )


def surely_limited(afraid: Sequence[Flags], rules: Rules) -> Flags:
    """By fighter, whether fear surely limits how he places his dice. Source: C3-2.16."""
    sure = tuple(all(flags) for flags in zip(*afraid, strict=True))
    return sure if any(sure) and rules.fear_limits_attack else (False,) * len(sure)


def wanted_splits(situation: Fights, enemies: int, limited: Flags) -> Wanted:
    """The splits that the user fixes. Raises `InputError` where one does not add up. Source: C3-3.4."""
    lone = None
    if situation.split is not None:
        lone = _split("--split", situation.split, combat_dice(enemies), "the attacker")
        _refuse_fear("--split", lone, limited[0])
    if situation.enemy_split is None:
        return Wanted(lone)
    parts = [part.strip() for part in situation.enemy_split.split(",")]
    if len(parts) != enemies:
        given = situation.enemy_split
        each = "a split such as 1/1" if enemies == 1 else f"{enemies} splits with commas, such as 1/1,-"
        raise InputError(f"--enemy-split is {each}, not {given!r}")
    several = tuple(
        None if part == "-" else _split("--enemy-split", part, combat_dice(1), "each enemy") for part in parts
    )
    if enemies == 1 and several[0]:
        _refuse_fear("--enemy-split", several[0], limited[1])
    return Wanted(lone, several)


def _refuse_fear(option: str, split: Dice, limited: bool) -> None:
    """Raises `InputError` where one who is afraid would have more attack dice than defence dice."""
    if limited and split[0] > split[1]:
        raise InputError(
            f"{option} {split[0]}/{split[1]}: who is afraid has at most as many attack dice as defence dice "
            "(C3-2.16)"
        )


def _split(option: str, text: str, dice: int, who: str) -> Dice:
    match = re.fullmatch(r"(\d)\s*/\s*(\d)", text.strip(), re.ASCII)
    if not match:
        raise InputError(f"{option} is attack/defence dice such as 1/{dice - 1}, not {text!r}")
    attack, defence = int(match[1]), int(match[2])
    if attack + defence != dice:
        raise InputError(
            f"{option} {text}: adds up to {attack + defence}, but {who} has {dice} combat dice (C3-3.4)"
        )
    return attack, defence


def state_of(states: States, wound: str, stunned: bool) -> int:
    """The state of a fighter from his options."""
    return states.state(WOUNDS[wound or "none"], int(stunned))
