"""Other readings of the rules that an answer assumes, one at a time, and how far each moves it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mathhammer.analysis.result import Result
from mathhammer.analysis.run import run
from mathhammer.core.checks import alternatives
from mathhammer.core.errors import ExactLimitError, InputError

if TYPE_CHECKING:
    import pandas as pd

SAME = 5e-5  # chances, and shares of a mean, that differ less are told as the same
LIKELY = 1e-3  # an event that only another reading makes possible is told from this chance on


@dataclass(frozen=True)
class Reading:
    """A rule read another way. result: the answer then; refused: why there is none."""

    key: str
    value: Any
    result: Result | None
    refused: str = ""


@dataclass(frozen=True, repr=False)
class Readings:
    """An answer, and what it becomes under each other reading of one assumed rule."""

    result: Result
    others: tuple[Reading, ...]

    @cached_property
    def names(self) -> list[str]:
        """The events and measures that are told: those of the answer, and events that become likely."""
        others = [reading.result for reading in self.others if reading.result]
        possible = (
            name for other in others for name in other.telling_events if other.probability(name) > LIKELY
        )
        events = dict.fromkeys([*self.result.telling_events, *possible])
        return [*events, *self.result.telling_measures]

    def numbers(self, result: Result) -> dict[str, float]:
        """The chance of each event, the mean of each measure."""
        return {
            name: result.probability(name) if name in result.events else result.mean(name)
            for name in self.names
        }

    @cached_property
    def moving(self) -> list[Reading]:
        """The readings that change a number, those that change one most first."""
        moves = {id(reading): self._move(reading.result) for reading in self.others if reading.result}
        moving = [reading for reading in self.others if moves.get(id(reading), 0.0) > SAME]
        return sorted(moving, key=lambda reading: -moves[id(reading)])

    def _move(self, other: Result) -> float:
        """The largest change of a chance, or of a mean as a share of it."""
        asked, then = self.numbers(self.result), self.numbers(other)
        sizes = {name: 1.0 if name in other.events else max(1.0, abs(asked[name])) for name in self.names}
        return max((abs(then[name] - asked[name]) / sizes[name] for name in self.names), default=0.0)

    @property
    def idle(self) -> list[str]:
        """Assumed rules of which no other reading changes anything."""
        moved = {reading.key for reading in self.moving} | {r.key for r in self.others if r.refused}
        return list(dict.fromkeys(reading.key for reading in self.others if reading.key not in moved))

    @property
    def untold(self) -> list[str]:
        """Assumed rules whose other readings cannot be listed: texts and tables."""
        told = {reading.key for reading in self.others}
        return [row["key"] for row in self.result.assumed if row["key"] not in told]

    def spread(self, name: str) -> tuple[float, float]:
        """The least and the largest value of an event's chance or a measure's mean."""
        answers = [self.result, *(reading.result for reading in self.others if reading.result)]
        values = [self.numbers(answer)[name] for answer in answers]
        return min(values), max(values)

    def rows(self) -> list[dict[str, Any]]:
        """One row for each reading with its numbers, and first the answer itself."""
        first: dict[str, Any] = {"rule": None, "reading": None, **self.numbers(self.result)}
        return [first] + [
            {"rule": reading.key, "reading": reading.value}
            | (self.numbers(reading.result) if reading.result else {"refused": reading.refused})
            for reading in self.others
        ]

    def __repr__(self) -> str:
        rules = len({reading.key for reading in self.others})
        return f"Readings({len(self.others)} of {rules} assumed rules, {len(self.moving)} move the answer)"

    def _repr_html_(self) -> str:
        return str(self.frame().to_html(index=False, na_rep="", float_format="{:.4g}".format))

    def frame(self) -> pd.DataFrame:
        """The rows as a pandas table."""
        import pandas as pd

        return pd.DataFrame(self.rows())


def other_readings(result: Result, told: Callable[[int, int], None] | None = None) -> Readings:
    """The answer again for each other value of each assumed rule: other words, or a step up and down.

    Exact where the numbers can be, else simulated like the result. told: called with how many readings are
    done, and how many there are.
    """
    model = type(result.question.ruleset.values)
    asked = [
        (row["key"], value)
        for row in result.assumed
        for value in alternatives(model, row["key"], row["value"])
    ]
    others = []
    for number, (key, value) in enumerate(asked):
        if told:
            told(number, len(asked))
        others.append(_read(result, key, value))
    return Readings(result, tuple(others))


def _read(result: Result, key: str, value: Any) -> Reading:
    question = result.question
    try:
        ruleset = question.ruleset.overridden({key: value}, "another reading")
        return Reading(key, value, _answered(replace(question, ruleset=ruleset), result))
    except InputError as error:
        return Reading(key, value, None, error.typed[0])


def _answered(question: Any, like: Result) -> Result:
    if like.exact:
        try:
            return run(question, engine="exact")
        except ExactLimitError:
            pass
    return run(question, trials=like.trials, seed=like.seed, engine="simulate")
