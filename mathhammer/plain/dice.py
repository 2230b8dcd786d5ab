"""`dice`: an expression as laws and steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mathhammer.core.added import Dice, Summand, added, minus
from mathhammer.core.errors import InputError
from mathhammer.core.game import Matchup
from mathhammer.core.kept import best, worst
from mathhammer.core.laws import Law
from mathhammer.core.pmf import TAIL, Floats, Ints, Pmf
from mathhammer.core.steps import Columns, Play, Step
from mathhammer.kernels.pools import faces_worth
from mathhammer.kernels.pools import pool as pool_of
from mathhammer.kernels.rerolled import rerolled
from mathhammer.kernels.rerolls import kept_rerolling, pool_rerolling, rolls_gone_through
from mathhammer.plain import situations
from mathhammer.plain.grammar import COMPARE, WORDS, Pipeline, Pool, Question, Term, parse

MOST_VALUES = 300_000  # different totals that are told apart
FAR = 20  # standard deviations between which nearly all totals are
MOST_TOTAL = 2_000_000
MOST_TABLE = 30_000_000  # cells of the table of a stage whose rows are not sums
MOST_JOINT = 20_000  # joint values of the two sides of a comparison that are kept
MOST_TERMS = 50_000  # joint values of terms that are thrown one after the other
MOST_ROLLS = 1_300_000  # dice of distinct rolls that are gone through one by one


def dice(matchup: Matchup) -> Play:
    """The play of an expression: each term is a step, each stage one more. Raises `InputError`."""
    situation: situations.Dice = matchup.situation
    question = parse(situation.expression)
    steps = pipeline_steps(question.left, "result", situation.expression)
    if question.right:
        against = pipeline_steps(question.right, "against", situation.expression)
        pmfs = [pipeline_pmf(line, situation.expression) for line in (question.left, question.right)]
        if math.prod(len(pmf.probs) for pmf in pmfs) > MOST_JOINT:
            return _wide(question, steps, against, pmfs[1])
        steps += against
    return Play(
        start={"result": 0, "against": 0},
        actions=steps,
        measures={"result": "result", "against": "against"},
        events={"holds": holds(question)},
    )


def _wide(question: Question, steps: list[Step], against: list[Step], theirs: Pmf) -> Play:
    """An opposed roll of too many joint values: whether it holds by the left alone, the right beside it."""
    assert question.operator
    up_to = np.minimum(1.0, np.concatenate([[0.0], np.cumsum(theirs.probs)]))

    def at_most(values: NDArray[np.int64]) -> Floats:
        found: Floats = up_to[np.clip(values - theirs.offset + 1, 0, len(theirs.probs))]
        return found

    chances: dict[str, Callable[[NDArray[np.int64]], Floats]] = {
        ">=": at_most,
        ">": lambda results: at_most(results - 1),
        "<": lambda results: 1 - at_most(results),
        "<=": lambda results: 1 - at_most(results - 1),
        "=": lambda results: np.maximum(0.0, at_most(results) - at_most(results - 1)),
    }
    holding = chances[question.operator]

    def whole(low: int, high: int) -> Floats:
        held = holding(np.arange(low, high + 1))
        return np.stack([1 - held, held], axis=1)

    law = Law(
        ("against", question.operator, theirs),
        lambda result: Pmf(0, whole(result, result)[0], theirs.cut),
        whole=whole,
    )
    won = Step("the comparison", law, "result", "holds")
    right = Play({"against": 0}, against, {"against": "against"}, {})
    return Play(
        {"result": 0, "holds": 0}, [*steps, won], {"result": "result"}, {"holds": "holds"}, None, [right]
    )


def pipeline_pmf(line: Pipeline, text: str) -> Pmf:
    """The distribution of a side: the sum of its terms, then its stages."""
    law = Law.constant(_thrown(_terms(line, text)) if line.stages else total_of(_terms(line, text)))
    for stage in line.stages:
        law = law @ stage_law(stage, text)
    return law.row(0)


def readings(text: str) -> list[str]:
    """In words, what a comparison without blanks was read as."""
    question = parse(text)
    lines = [question.left, *([question.right] if question.right else [])]
    pools = [term for line in lines for term in (*(term for _, term in line.terms), *line.stages)]
    counted = [
        f"{_named(pool)} counts the dice that show {WORDS[pool.count[0]]} {pool.count[1]}; "
        f"with blanks around {pool.count[0]} the sum is compared"
        for pool in dict.fromkeys(pools)
        if isinstance(pool, Pool) and pool.count
    ]
    return [*counted, *question.notes]


def holds(question: Question) -> Callable[[Columns], NDArray[np.bool_]]:
    """Whether the comparison holds; without one it always does."""
    if question.operator is None:
        return lambda columns: np.ones(len(columns["result"]), dtype=np.bool_)
    compare = COMPARE[question.operator]
    return lambda columns: compare(columns["result"], columns["against"])


def pipeline_steps(line: Pipeline, column: str, text: str) -> list[Step]:
    """A step for each term, added up in the column, then one for each stage, keyed by it."""
    terms = _terms(line, text)
    joined = line.stages or len(terms) == 1 or math.prod(term.cells for term in terms) > MOST_TERMS
    parts = [total_of(terms)] if joined else [added([term.summand]) for term in terms]
    least, most = sum(part.offset for part in parts), sum(part.last for part in parts)
    if max(abs(least), abs(most)) > MOST_TOTAL:
        raise InputError(f"dice {text!r}: totals go up to {MOST_TOTAL:,} at most")
    if line.stages and least < 0:
        raise InputError(f"dice {text!r}: a stage needs a number of dice, but the left may be {least}")
    if line.stages:
        return _staged(line, terms, column, text)
    if joined:
        return [Step(_joined(terms), Law.constant(parts[0]), 0, column)]
    adding = _adding(column)
    return [Step(term.name, Law.constant(part), 0, adding) for term, part in zip(terms, parts, strict=True)]


def _staged(line: Pipeline, terms: Terms, column: str, text: str) -> list[Step]:
    """The sum and its stages, each read only by the next, so that the engine composes them."""
    first, total = f"{column}: {_joined(terms)}", _thrown(terms)
    steps = [Step(first, Law.constant(total), 0, first, passing=True)]
    size = _Size(total.last, total.mean, total.sd)
    for number, stage in enumerate(line.stages, start=1):
        size = _after(stage, size, text)
        name, last = f"{column}: {number}. {_named(stage)}", number == len(line.stages)
        law, key = stage_law(stage, text), steps[-1].name
        steps.append(Step(name, law, key, column if last else name, passing=not last))
    return steps


class SignedTerm(NamedTuple):
    """A term: its sign as written, its name, and what it adds, the sign included."""

    sign: str
    name: str
    summand: Summand

    @property
    def cells(self) -> int:
        """How many sums there may be."""
        low, high = self.summand.reach
        return high - low + 1


Terms = tuple[SignedTerm, ...]


def _terms(line: Pipeline, text: str) -> Terms:
    return tuple(
        SignedTerm("+", _named(term), summand(term, text))
        if sign > 0
        else SignedTerm("-", _named(term), minus(summand(term, text)))
        for sign, term in line.terms
    )


@lru_cache(maxsize=16)
def total_of(terms: Terms) -> Pmf:
    """The sum of all terms."""
    return added([term.summand for term in terms])


def _thrown(terms: Terms) -> Pmf:
    """How many dice are thrown on: numbers so high that they hardly ever come are folded in."""
    return total_of(terms).shortened()


def _joined(terms: Terms) -> str:
    """All terms in words."""
    return " ".join(f"{term.sign} {term.name}" for term in terms).removeprefix("+ ")


class _Size(NamedTuple):
    """How large a number is: the most it may be, its mean and its standard deviation."""

    most: int
    mean: float
    sd: float


def _after(stage: Pool, number: _Size, text: str) -> _Size:
    """How large the sum of a number of pools is; refused where its chances are too many to hold."""
    each, law = pool_pmf(stage, text), stage_law(stage, text)
    most = number.most * each.last
    sd = math.hypot(math.sqrt(number.mean) * each.sd, number.sd * each.mean)
    table = 0 if law.summed else number.most * most
    if most > MOST_TOTAL or min(most, FAR * sd) > MOST_VALUES or table > MOST_TABLE:
        raise InputError(f"dice {text!r}: a stage of up to {number.most:,} dice is more than memory takes")
    return _Size(most, number.mean * each.mean, sd)


def _named(term: Term) -> str:
    if isinstance(term, int):
        return str(term)
    counted = f"{term.count[0]}{term.count[1]}" if term.count else ""
    return f"{term.dice}d{term.sides}{counted}"


def _adding(column: str) -> Callable[[Columns, Ints], dict[str, Ints]]:
    return lambda columns, outcome: {column: columns[column] + outcome}


@lru_cache(maxsize=256)
def summand(term: Term, text: str) -> Summand:
    """What a term adds: equal dice, the dice kept of some, or whatever else has one distribution."""
    if isinstance(term, int):
        return Dice(1, Pmf.point(term))
    if term.count:
        return Dice(1, stage_law(replace(term, dice=1), text).row(term.dice))
    if term.most_again is not None:
        return _limited(term, text)
    die = die_pmf(term)
    if term.keep not in (None, term.dice):
        return (worst if term.lowest else best)(die, term.dice, term.keep)
    if term.dice * len(die.probs) > MOST_TOTAL:
        raise InputError(f"dice {text!r}: totals go up to {MOST_TOTAL:,} at most")
    return Dice(term.dice, die)


@lru_cache(maxsize=256)
def pool_pmf(pool: Pool, text: str) -> Pmf:
    """The distribution of a pool: its sum, the sum of the dice kept, or the dice counted."""
    return added([summand(pool, text)])


def _limited(pool: Pool, text: str) -> Summand:
    """A sum of which a limited number of dice is rolled again, the lowest of those named first."""
    if pool.explode is not None:
        raise InputError(f"dice {text!r}: '!' and 'rr...#' do not go together")
    most = pool.most_again or 0
    if pool.keep is None:
        return rerolled(Pmf.die(pool.sides), pool.dice, pool.again, most)
    if rolls_gone_through(pool.dice, pool.sides, pool.keep, most) > MOST_ROLLS:
        raise InputError(
            f"dice {text!r}: with kept dice 'rr...#' has too many distinct rolls to hold; fewer dice"
        )
    found = kept_rerolling(pool.dice, pool.sides, pool.keep, pool.lowest, pool.again, most)
    return Dice(1, found)


def stage_law(pool: Pool, text: str) -> Law:
    """How many successes so many dice show (the key: how many times the pool is thrown)."""
    if not pool.count:
        if pool.most_again is not None:
            raise InputError(f"dice {text!r}: in a stage 'rr...#' goes with a count, such as d6rr<4#2>=4")
        return pool_of(pool_pmf(pool, text))
    each = counted_die(pool, text)
    if pool.most_again is None:
        return pool_of(each.times(pool.dice))
    _refuse_good_rerolls(pool, text)
    law = pool_rerolling(counted_die(replace(pool, again=frozenset()), text), pool.most_again)
    return law if pool.dice == 1 else Law(("times", law, pool.dice), lambda key: law.row(key * pool.dice))


def _refuse_good_rerolls(pool: Pool, text: str) -> None:
    """With a limit on re-rolls the dice that fail are rolled again: exactly those must be named."""
    if pool.again != set(_faces(pool)[~counts(pool)].tolist()):
        raise InputError(
            f"dice {text!r}: with '#' the dice that fail are rolled again; name exactly those faces"
        )


def counts(pool: Pool) -> NDArray[np.bool_]:
    """Whether each face is counted, from 1 on."""
    assert pool.count
    counted: NDArray[np.bool_] = COMPARE[pool.count[0]](_faces(pool), pool.count[1])
    return counted


def counted_die(pool: Pool, text: str) -> Pmf:
    """Successes of one die of a counted pool, its re-rolls and added dice included."""
    counted = counts(pool)
    if pool.explode is not None and not counted[-1]:
        raise InputError(f"dice {text!r}: '!' adds a die for the highest face, which this does not count")
    return _die(pool, counted)


def die_pmf(pool: Pool) -> Pmf:
    """The faces of one die of a summed pool, its re-rolls and added dice included."""
    return _die(pool, _faces(pool))


def _faces(pool: Pool) -> NDArray[np.int64]:
    return np.arange(1, pool.sides + 1)


def _die(pool: Pool, worth: NDArray[np.generic]) -> Pmf:
    chain = pool.explode or 0
    return faces_worth(
        worth,
        bonus="none" if pool.explode is None else "chain",
        most_bonus=chain
        if chain and pool.sides**chain < 1 / TAIL
        else None,  # longer ones are as good as endless
        again=pool.again,
    )
