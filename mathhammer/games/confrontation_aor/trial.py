"""`test`: any single test, and the roll of Authority. Source: AOR-01 to AOR-03, AOR-05, AOR-25."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from mathhammer.core.game import Matchup
from mathhammer.core.laws import Law
from mathhammer.core.pmf import Pmf
from mathhammer.core.steps import Play, Step
from mathhammer.games.confrontation_aor.ruleset import Rules, columns
from mathhammer.games.confrontation_aor.situations import Test
from mathhammer.games.confrontation_aor.throws import attack_law, die, score, single, words
from mathhammer.kernels.pools import pool

WITH_BONUS = ("attack", "ranged", "strength")  # the kinds of test that bonus dice are added to
AUTHORITY_ROLL = "authority-roll"


def trial(matchup: Matchup) -> Play:
    """The play of one test: its successes, and whether there is any. For tactics see AOR-15 to AOR-20."""
    situation: Test = matchup.situation
    return Play(
        start={"successes": 0},
        actions=[_step(situation, matchup.rules)],
        measures={"successes": "successes"},
        events={"passes": lambda c: c["successes"] > 0},
    )


def _step(situation: Test, rules: Rules) -> Step:
    """The one throw; a titan's cards cancel dice of it. Source: AOR-01, AOR-03, AOR-25, AOR-29."""
    if situation.kind == AUTHORITY_ROLL:
        chance = won_chance(situation.action - situation.difficulty, rules)
        won = Pmf(0, [1 - chance, chance])
        return Step(
            "roll of Authority", Law.constant(won), 0, "successes", rule="AOR-25", words=("lost", "won")
        )
    difference = situation.action - situation.difficulty
    name = f"{situation.kind} test on {words(score(difference, rules))}"
    if situation.keep_best:
        best, law = f"{name}, the best of {situation.dice}", single(situation.dice, rules.resolution_table)
        return Step(best, law, difference, "successes", rule="AOR-03", words=("fails", "passes"))
    told = f"{name}, charge re-roll" if situation.reroll else name
    rule = "AOR-05" if situation.reroll else "AOR-29" if situation.kind == "titan" else "AOR-01"
    dice = max(0, situation.dice - situation.cards)
    return Step(told, law_of(situation, difference, rules), dice, "successes", rule=rule)


def law_of(situation: Test, difference: int, rules: Rules) -> Law:
    """Successes by number of dice: bonus dice where the kind of test has them. Source: AOR-02, AOR-05."""
    if situation.kind in WITH_BONUS:
        return attack_law(difference, situation.reroll, rules)
    return pool(die(difference, "none", rules))


# -- the roll of Authority -------------------------------------------------------------------------
def authority_roll(lead: int) -> tuple[Fraction, Fraction, Fraction]:
    """One roll of both commanders, d6 + Authority, the first's higher by `lead`: won, lost, tied.

    Source: AOR-25.
    """
    rolls = [first + lead - second for first, second in product(range(1, 7), repeat=2)]
    won, lost = sum(by > 0 for by in rolls), sum(by < 0 for by in rolls)
    return Fraction(won, 36), Fraction(lost, 36), Fraction(36 - won - lost, 36)


def won_chance(lead: int, rules: Rules) -> float:
    """The chance that a commander with so much more Authority has the higher roll. Source: AOR-25."""
    won, lost, _ = authority_roll(lead)
    return float(won if rules.authority_tie == "nobody" else won / (won + lost))


# -- tables ----------------------------------------------------------------------------------------
def tables(matchup: Matchup, pmfs: dict[str, dict[int, float]]) -> dict[str, list[dict[str, Any]]]:
    """`columns`: what a die does in each column of the table; or `authority`: who wins the roll."""
    situation: Test = matchup.situation
    rules: Rules = matchup.rules
    difference = situation.action - situation.difficulty
    if situation.kind == AUTHORITY_ROLL:
        return {"authority": _authority_rows(difference, rules)}
    spans = _spans(rules)
    here = max((least for least, _ in spans if least <= difference), default=spans[0][0])
    return {
        "columns": [
            _column_row(least, told, situation, rules) | {"this test": "here" if least == here else ""}
            for least, told in spans
        ]
    }


def _authority_rows(lead: int, rules: Rules) -> list[dict[str, Any]]:
    """The chances of each side, and of a tie that stands or of one more roll."""
    tie = "nobody: a tie" if rules.authority_tie == "nobody" else "a first roll that ties, rolled again"
    return [
        {"result": "the first wins", "chance": won_chance(lead, rules)},
        {"result": "the second wins", "chance": won_chance(-lead, rules)},
        {"result": tie, "chance": float(authority_roll(lead)[2])},
    ]


def _spans(rules: Rules) -> list[tuple[int, str]]:
    """The least difference of each column (below the first: never), and its differences in words."""
    starts = [least for least, _ in columns(rules.resolution_table)]
    inner = [_told(low, high - 1) for low, high in pairwise(starts)]
    return [
        (starts[0] - 1, f"{starts[0] - 1} or less"),
        *zip(starts, [*inner, f"{starts[-1]} or more"], strict=True),
    ]


def _told(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _column_row(difference: int, told: str, situation: Test, rules: Rules) -> dict[str, Any]:
    """One column: what a die needs, the chance of it, and what bonus dice or re-roll make of it."""
    row: dict[str, Any] = {"difference": told, "needs": words(score(difference, rules))}
    row["chance"] = die(difference, "none", rules).mean
    if situation.keep_best:
        row["best of the dice"] = single(situation.dice, rules.resolution_table).row(difference)[1]
    elif situation.kind in WITH_BONUS:
        row["mean with bonus dice"] = die(difference, rules.bonus_die, rules).mean
        if situation.reroll:
            charge = attack_law(difference, True, rules).row(1)
            row |= {"on a charge": charge.at_least(1), "mean on a charge": charge.mean}
    return row
