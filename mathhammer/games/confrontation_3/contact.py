"""Coming into contact: reach, charge, fear. Source: C3-2.6 to C3-2.9, C3-2.10 to C3-2.18."""

from __future__ import annotations

from dataclasses import dataclass

from mathhammer.core.errors import InputError
from mathhammer.games.confrontation_3.profile import Fighter
from mathhammer.games.confrontation_3.ruleset import Rules
from mathhammer.games.confrontation_3.sixes import success_chance
from mathhammer.kernels.estimates import estimate

ATTACKER, DEFENDER = "attacker", "defender"
HOLDS, AFRAID = 0, 1


@dataclass(frozen=True)
class FearTest:
    """Who tests against whose fear, and what he has to throw. Source: C3-2.10 to C3-2.12."""

    who: str
    need: int


def fear_test(attacker: Fighter, defender: Fighter) -> FearTest | None:
    """The test that contact asks for, if any: of the side with the lower Fear, or with Courage.

    Equal Fear: nobody tests. Raises `InputError` for a fighter without Courage and Fear who has to test.
    Source: C3-2.10 to C3-2.12.
    """
    fears = [fighter.fear or 0 for fighter in (attacker, defender)]
    if fears[0] == fears[1]:
        return None
    who, fighter, fear = (
        (ATTACKER, attacker, fears[1]) if fears[0] < fears[1] else (DEFENDER, defender, fears[0])
    )
    return FearTest(who, fear - courage(fighter, who))


def courage(fighter: Fighter, role: str) -> int:
    """What he tests with. Raises `InputError` where he has neither Courage nor Fear. Source: C3-2.11."""
    if fighter.courage is None:
        raise InputError(f"{role}: {fighter.label()} has neither cou nor fear, so he cannot test (C3-2.10)")
    return fighter.courage


def rally_chance(fighter: Fighter, role: str, rules: Rules) -> float:
    """P(an afraid fighter recovers when he is activated). Source: C3-2.18."""
    return success_chance(rules.rally_difficulty - courage(fighter, role), rules.reroll_six)


def reach_chance(fighter: Fighter, distance: str | None, *, flying: bool) -> float:
    """P(contact is made), by a move of up to twice the movement. Raises `InputError`.

    Source: C3-2.6, C3-2.8.
    """
    move = fighter.fly if flying else fighter.mov
    if move is None:
        raise InputError(f"--flying: {fighter.label()} has no movement in flight (fly)")
    if distance is None:
        return 1.0
    return min(1.0, sum(chance for length, chance in estimate(distance, "--distance") if length <= 2 * move))
