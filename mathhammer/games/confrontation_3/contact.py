"""Coming into contact: reach, charge, fear. Source: C3-2.6 to C3-2.9, C3-2.10 to C3-2.18."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.pmf import Ints
from mathhammer.core.steps import Columns, Step, put
from mathhammer.games.confrontation_3.profile import Fighter
from mathhammer.games.confrontation_3.ruleset import Rules
from mathhammer.games.confrontation_3.situations import Duel, Fear
from mathhammer.games.confrontation_3.sixes import success_chance, success_law
from mathhammer.kernels.estimates import length

ATTACKER, DEFENDER = "attacker", "defender"
FIGHTS, SHORT, CANCELLED, FLEES = range(4)  # how contact ends: column `contact`
BITS = {ATTACKER: 1, DEFENDER: 2}  # column `afraid`


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


@dataclass(frozen=True)
class Contact:
    """How contact begins, the test of fear that it asks for, and what failing leads to.

    rallies: whether a defender who was afraid before is activated before the melee.
    """

    begins: int
    test: FearTest | None = None
    fails: int = FIGHTS
    rallies: bool = False


def contact_of(matchup: Matchup) -> Contact:
    """What happens when the attacker engages or charges.

    Source: C3-2.10 to C3-2.12, C3-2.13, C3-2.14, C3-2.15, C3-2.17, C3-2.18.
    """
    situation: Duel | Fear = matchup.situation
    if situation.contact == "made":
        return Contact(FIGHTS)
    if situation.contact == "charge" and situation.defender_afraid:
        return Contact(FLEES)
    rallies = situation.defender_afraid and not situation.activated
    test = fear_test(matchup.unit(ATTACKER), matchup.unit(DEFENDER))
    if test is None or _keeps_his_fear(test, situation, matchup.rules):
        return Contact(FIGHTS, rallies=rallies)
    if test.who == ATTACKER:
        return Contact(FIGHTS, test, CANCELLED, rallies)
    return Contact(FIGHTS, test, FIGHTS if situation.activated else FLEES, rallies)


def _keeps_his_fear(test: FearTest, situation: Duel | Fear, rules: Rules) -> bool:
    """Whether who would test is afraid already, and so does not. Source: C3-2.12."""
    afraid: bool = getattr(situation, f"{test.who}_afraid", False)
    return afraid and rules.afraid_again == "no_test"


@dataclass(frozen=True)
class Blows:
    """P(they come to blows): with the defender in the calmer state he may be in, and afraid beside it."""

    calm: float
    afraid: float

    @property
    def chance(self) -> float:
        """P(they come to blows)."""
        return self.calm + self.afraid


def blows_of(contact: Contact, reach: float, rules: Rules) -> Blows:
    """How likely it is that they come to blows. Source: C3-2.8, C3-2.12 to C3-2.15."""
    if contact.begins != FIGHTS:
        return Blows(0.0, 0.0)
    holds = success_chance(contact.test.need, rules.reroll_six) if contact.test else 1.0
    return Blows(reach * holds, reach * (1 - holds) if contact.fails == FIGHTS else 0.0)


def fear_steps(contact: Contact, rules: Rules) -> list[Step]:
    """The test of fear of those who are in contact, if there is one. Source: C3-2.12."""
    if contact.test is None:
        return []
    return [
        Step(
            f"fear of the {contact.test.who}",
            success_law(rules.reroll_six, 1, "all"),
            contact.test.need,
            partial(_tested, contact),
            rule="C3-2.12",
            words=("is afraid", "holds"),
        )
    ]


def _tested(contact: Contact, columns: Columns, outcome: Ints) -> dict[str, Ints]:
    """What a failed test does; who is afraid is kept where anything asks for it."""
    assert contact.test
    failed = outcome == 0
    change: dict[str, int | Ints] = {"contact": contact.fails}
    if "afraid" in columns:
        change["afraid"] = columns["afraid"] | np.int32(BITS[contact.test.who])
    return put(columns, failed, change)


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
    limit = math.ceil(2 * move)  # lengths are told apart at whole numbers
    lengths = length(distance, "--distance", "up", limit - 2 * move)
    return min(1.0, sum(chance for far, chance in lengths if far <= limit))
