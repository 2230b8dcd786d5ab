"""From fighters, situation and rules to a `Fight`: checked, and nothing read that has no say in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from mathhammer.core.errors import InputError
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Pmf
from mathhammer.games.confrontation_3.blows import fighting
from mathhammer.games.confrontation_3.contact import rally_chance
from mathhammer.games.confrontation_3.exchange import Dice, Exchange, combat_dice
from mathhammer.games.confrontation_3.fighters import body_of
from mathhammer.games.confrontation_3.objective import objective
from mathhammer.games.confrontation_3.placement import Wanted
from mathhammer.games.confrontation_3.plan import Fight, Flags
from mathhammer.games.confrontation_3.profile import Fighter
from mathhammer.games.confrontation_3.ruleset import Rules
from mathhammer.games.confrontation_3.situations import Fights
from mathhammer.games.confrontation_3.sixes import contest_sixes, decided_law
from mathhammer.games.confrontation_3.solver import Sides
from mathhammer.games.confrontation_3.wounds import LEVELS, States

MOST_STATES = 10_000  # of all fighters together, for best play
NO_ROLL = Law.constant(Pmf.point(1))
WOUNDS = dict(zip(("none", "light", "serious", "critical"), range(len(LEVELS)), strict=False))


def fight_of(
    fighters: Sequence[Fighter],
    situation: Fights,
    rules: Rules,
    *,
    charged: Flags,
    afraid: Sequence[Flags],
    hurts: Sequence[tuple[str, bool]],
    named: int | None = None,
    best_order: bool = False,
) -> Fight:
    """The fight of the first fighter against the others.

    charged: who has the token. afraid: who may be afraid as it begins. hurts: the wound of each before, and
    whether he is stunned. named: the enemy who rolls initiative.
    Raises `InputError` for splits that do not add up, and for what best play is not solved for.
    """
    enemies = len(fighters) - 1
    attacks = fighting(rules, 2 * enemies + any(stunned for _, stunned in hurts))
    if situation.play == "best":
        refuse_large(enemies, attacks.states)
    scared = [any(flags[i] for flags in afraid) for i in range(len(fighters))]
    token = any(charged)
    first = {"roll": None, "attacker": 1.0, "defender": 0.0}[situation.initiative]
    start = tuple(state_of(attacks.states, wound, stunned) for wound, stunned in hurts)
    rolls = first is None or situation.rounds > 1
    roles = [role_name(i) for i in range(len(fighters))]
    return Fight(
        bodies={
            flags: (
                _sides(fighters, flags, charged, rules),
                _sides(fighters, flags, (False,) * len(fighters), rules),
            )
            for flags in product(*((False, True) if flag else (False,) for flag in scared))
        },
        token_stays=token and situation.rounds > 1 and rules.charge_token_lasts == "fight",
        fighting=attacks,
        contest=decided_law(contest_sixes(rules), rules.contest_ties) if rolls else NO_ROLL,
        hurt_ini=rolls and (any(start) or situation.rounds > 1) and rules.wounds_on_ini,
        rally=tuple(
            rally_chance(fighter, role, rules) if flag and situation.rounds > 1 else 0.0
            for fighter, flag, role in zip(fighters, scared, roles, strict=True)
        ),
        afraid=tuple(dict.fromkeys(afraid)),
        rounds=situation.rounds,
        first=first,
        named=named,
        objective=objective(situation.objective),
        wanted=wanted_splits(situation, enemies),
        exchange=Exchange(best_order),
        start=start,
    )


def role_name(i: int) -> str:
    """How errors and columns call a fighter: attacker, defender, second, third, fourth."""
    return ("attacker", "defender", "second", "third", "fourth")[i]


def _sides(fighters: Sequence[Fighter], afraid: Flags, charged: Flags, rules: Rules) -> Sides:
    lone, *several = (
        body_of(fighter, afraid=scared, charged=token, rules=rules)
        for fighter, scared, token in zip(fighters, afraid, charged, strict=True)
    )
    return Sides(lone, tuple(several))


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


def wanted_splits(situation: Fights, enemies: int) -> Wanted:
    """The splits that the user fixes. Raises `InputError` where one does not add up. Source: C3-3.4."""
    lone = None
    if situation.split is not None:
        lone = _split("--split", situation.split, combat_dice(enemies), "the attacker")
        _refuse_fear("--split", lone, situation.attacker_afraid)
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
        _refuse_fear("--enemy-split", several[0], situation.defender_afraid)
    return Wanted(lone, several)


def _refuse_fear(option: str, split: Dice, afraid: bool) -> None:
    """Raises `InputError` where one who is afraid would have more attack dice than defence dice."""
    if afraid and split[0] > split[1]:
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
