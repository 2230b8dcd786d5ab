"""`Result`: the answer to a question, with its numbers, intervals, origins, tables and plots."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mathhammer.analysis.question import Question
from mathhammer.analysis.statistics import at_least, mean, sd, shares, wilson
from mathhammer.core.errors import InputError, unknown
from mathhammer.core.game import Event, Measure
from mathhammer.core.steps import Stage
from mathhammer.core.tally import Tally

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from mathhammer.analysis.readings import Readings

Source = Literal["simulated", "exact"]
CERTAIN = 1e-12  # sums of exact chances are this near to 1


@dataclass(frozen=True)
class Witness:
    """One of the two ways to the numbers: a tally, its total weight, and the recorded stages as rows."""

    tally: Tally
    total: float
    stages: list[dict[str, Any]]

    @cached_property
    def _known(self) -> dict[str, dict[int, float]]:
        return {}

    def pmf(self, name: str) -> dict[int, float]:
        """Value -> probability of a measure or event at the end: a copy, as wide ones are asked for often."""
        if name not in self._known:
            self._known[name] = shares(self.tally.at_end(name), self.total)
        return dict(self._known[name])

    def at_round(self, mark: int, name: str) -> dict[int, float]:
        """Value -> probability at the end of a round (mark from 0)."""
        return shares(self.tally.at_round(mark, name), self.total)


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """The answer. Numbers come from `exact` where there is one, else from `simulated`, unless asked for.

    Two results are equal when all that they tell is.
    read: ruleset fields that the answer depended on. why_no_exact: why the exact numbers are missing.
    """

    question: Question
    trials: int
    seed: int
    simulated: Witness | None
    exact: Witness | None
    read: frozenset[str]
    why_no_exact: str = ""

    # -- numbers ---------------------------------------------------------------------------------
    def _witness(self, source: Source | None) -> Witness:
        if source not in (None, "simulated", "exact"):
            raise unknown("source", str(source), ["simulated", "exact"])
        chosen = (self.exact or self.simulated) if source is None else getattr(self, source)
        if not isinstance(chosen, Witness):
            raise InputError(f"this result has no {source} numbers")
        return chosen

    @property
    def measures(self) -> list[str]:
        """Names of the measures."""
        return [measure.name for measure in self.question.mode.measures]

    @property
    def events(self) -> list[str]:
        """Names of the events."""
        return [event.name for event in self.question.mode.events]

    def probability(self, event: str, source: Source | None = None) -> float:
        """P(event). Raises `InputError` for an unknown event."""
        if event not in self.events:
            raise unknown("event", event, self.events)
        return min(1.0, self._witness(source).pmf(event).get(1, 0.0))

    def interval(self, event: str) -> tuple[float, float]:
        """The 95% Wilson interval of the simulated P(event)."""
        return wilson(self.probability(event, "simulated"), self.trials)

    def pmf(self, measure: str, source: Source | None = None) -> dict[int, float]:
        """Value -> probability of a measure, ascending. Raises `InputError` for an unknown measure."""
        if measure not in self.measures:
            raise unknown("measure", measure, self.measures)
        return self._witness(source).pmf(measure)

    def mean(self, measure: str, source: Source | None = None) -> float:
        """Expected value of a measure."""
        return mean(self.pmf(measure, source))

    def at_least(self, measure: str, value: float, source: Source | None = None) -> float:
        """P(measure >= value)."""
        if isinstance(value, bool) or not isinstance(value, Real):
            raise InputError(f"at_least: a value is a number, not {value!r}")
        return min(1.0, math.fsum(p for v, p in self.pmf(measure, source).items() if v >= value))

    @property
    def telling_measures(self) -> list[str]:
        """Measures that vary and do not repeat or mirror one before them."""
        told: dict[str, list[float]] = {}
        for name in self._worth(self.question.mode.measures):
            chances = list(self.pmf(name).values())
            if len(chances) > 1 and not any(other in (chances, chances[::-1]) for other in told.values()):
                told[name] = chances
        return list(told)

    @property
    def told_measures(self) -> list[str]:
        """The telling measures; where none varies, the first that the situation makes meaningful."""
        return self.telling_measures or self._worth(self.question.mode.measures)[:1]

    @property
    def shown_measures(self) -> list[str]:
        """Telling measures whose whole distribution is shown: all but the brief ones."""
        brief = {measure.name for measure in self.question.mode.measures if measure.brief}
        return [name for name in self.telling_measures if name not in brief]

    @property
    def telling_events(self) -> list[str]:
        """Events that the situation makes meaningful, without quiet certain and rare impossible ones."""
        events = self.question.mode.events
        idle = {e.name for e in events if e.quiet and self.probability(e.name) > 1 - CERTAIN}
        idle |= {e.name for e in events if e.rare and self.probability(e.name) == 0}
        return [name for name in self._worth(events) if name not in idle]

    def _worth(self, records: Sequence[Measure | Event]) -> list[str]:
        return [record.name for record in records if record.when(self.question.situation)]

    @property
    def rounds(self) -> int:
        """How many rounds are counted apart (0 for modes of one round)."""
        return len(self._witness(None).tally.moving)

    def probability_by_round(self, event: str, round_: int, source: Source | None = None) -> float:
        """P(event has come about by the end of a round), rounds from 1."""
        if event not in self.events:
            raise unknown("event", event, self.events)
        return min(1.0, self._at_round(event, round_, source).get(1, 0.0))

    def _at_round(self, name: str, round_: int, source: Source | None) -> dict[int, float]:
        if not isinstance(round_, Integral) or not 1 <= round_ <= self.rounds:
            raise InputError(
                f"round is from 1 to {self.rounds}, not {round_!r}" if self.rounds else "there are no rounds"
            )
        return self._witness(source).at_round(round_ - 1, name)

    def mean_by_round(self, measure: str, round_: int, source: Source | None = None) -> float:
        """Expected value of a measure at the end of a round, rounds from 1."""
        if measure not in self.measures:
            raise unknown("measure", measure, self.measures)
        return mean(self._at_round(measure, round_, source))

    # -- origins ---------------------------------------------------------------------------------
    @cached_property
    def assumptions(self) -> list[dict[str, Any]]:
        """The fields read that no text or public source states, or that the user set."""
        values, provenance = self.question.ruleset.values, self.question.ruleset.provenance
        return [
            {"key": key, "value": getattr(values, key), "origin": origin.origin, "note": origin.note}
            for key, origin in provenance.items()
            if key in self.read and origin.origin in ("assumed", "user")
        ]

    @property
    def assumed(self) -> list[dict[str, Any]]:
        """Those of them that are assumed, not set by the user."""
        return [row for row in self.assumptions if row["origin"] == "assumed"]

    @cached_property
    def notes(self) -> list[str]:
        """Footnotes: profiles of other editions, rules without effect, why exact numbers are missing."""
        question = self.question
        lines = question.game.notes(question.matchup(question.ruleset.values), question.ruleset_name)
        return [*lines, *([self.why_no_exact] if self.why_no_exact else [])]

    @property
    def cut(self) -> float:
        """Probability in cut tails, at most."""
        return max((w.tally.cut for w in (self.exact, self.simulated) if w), default=0.0)

    def readings(self) -> Readings:
        """The answer under each other reading of the rules that it assumes, one at a time."""
        from mathhammer.analysis.readings import other_readings

        return other_readings(self)

    # -- tables ----------------------------------------------------------------------------------
    def frame(self) -> pd.DataFrame:
        """Tidy: one row per measure or event, value and source, with probability, interval, at least."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """The rows of `frame` as plain dictionaries."""
        return [
            row
            for kind, names in (("measure", self.measures), ("event", self.events))
            for name in names
            for source in self.sources
            for row in self._rows(kind, name, source)
        ]

    @property
    def sources(self) -> list[Source]:
        """Which numbers there are."""
        named: list[tuple[Source, Witness | None]] = [("simulated", self.simulated), ("exact", self.exact)]
        return [name for name, witness in named if witness]

    def _rows(self, kind: str, name: str, source: Source) -> list[dict[str, Any]]:
        pmf = self._witness(source).pmf(name)
        if kind == "event":
            pmf = {1: pmf.get(1, 0.0)}
        tails = at_least(pmf)
        return [
            {"kind": kind, "name": name, "source": source, "value": value, "probability": p}
            | {"low": low, "high": high, "at_least": tails[value], "at_most": min(1.0, 1 - tails[value] + p)}
            for value, p in pmf.items()
            for low, high in [wilson(p, self.trials) if source == "simulated" else (p, p)]
        ]

    def joint(self, first: str, second: str, source: Source | None = None) -> pd.DataFrame:
        """P(first = row, second = column) of two measures or events."""
        import pandas as pd

        states, p = self._joint([first, second], source)
        table = pd.DataFrame({**states, "p": p})
        return table.pivot_table(index=first, columns=second, values="p", aggfunc="sum", fill_value=0.0)

    def _joint(self, names: list[str], source: Source | None) -> tuple[dict[str, Any], Any]:
        for name in names:
            if name not in self.measures + self.events:
                raise unknown("measure or event", name, self.measures + self.events)
        witness = self._witness(source)
        settled = witness.tally.joint.settle() if witness.tally.joint else None
        if settled is None:
            raise InputError("too many distinct end states were kept apart: only marginals are available")
        return {name: settled.columns[name] for name in names}, settled.weights / witness.total

    def sample(self, n: int, seed: int = 0, source: Source | None = None) -> pd.DataFrame:
        """End states of n single trials (1 to 10^7), one row each."""
        import pandas as pd

        if not isinstance(n, Integral) or not 1 <= int(n) <= 10**7:
            raise InputError(f"sample: n is a whole number from 1 to 10,000,000, not {n!r}")
        states, p = self._joint(self.measures + self.events, source)
        drawn = np.random.default_rng(seed).choice(len(p), size=n, p=p / p.sum())
        return pd.DataFrame({name: column[drawn] for name, column in states.items()})

    @cached_property
    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """What the mode reports beside measures and events, as lists of rows."""
        pmfs = {name: self._witness(None).pmf(name) for name in self.measures + self.events}
        return self.question.mode.tables(self.question.matchup(self.question.ruleset.values), pmfs)

    @property
    def captions(self) -> dict[str, str]:
        """What is said of some of the tables: whose they are, when they hold."""
        told = self.question.mode.captions(self.question.matchup(self.question.ruleset.values))
        return {name: caption for name, caption in told.items() if name in self.tables}

    def stages(self) -> list[dict[str, Any]]:
        """What `explain` recorded: stage, rule, round, mean over all trials, share it was rolled in."""
        return self._witness(None).stages

    # -- whole -----------------------------------------------------------------------------------
    def to_dict(self) -> dict[str, Any]:
        """The JSON contract as plain data."""
        from mathhammer.analysis.contract import contract

        return contract(self)

    def to_json(self, indent: int | None = None) -> str:
        """The JSON contract."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def plot(self, measure: str | None = None) -> Figure:
        """The distribution of a measure (the mode's first by default), 'at least k', and the events."""
        from mathhammer.analysis.plots import figure

        return figure(self, measure)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.question.heading(), self.trials, self.seed))

    def __repr__(self) -> str:
        chances = ", ".join(f"{event} {self.probability(event):.4g}" for event in self.events)
        return f"Result({self.question.heading()}: {chances})"

    def _repr_html_(self) -> str:
        from mathhammer.analysis.notebook import html

        return html(self)


def stage_row(stage: Stage, weights: Mapping[int, float], total: float) -> dict[str, Any]:
    applied = math.fsum(weights.values())
    row: dict[str, Any] = {"stage": stage.name, "rule": stage.rule, "round": stage.round}
    row["share"] = min(1.0, applied / total)
    if stage.words:
        row["chances"] = {stage.words[value]: weight / applied for value, weight in sorted(weights.items())}
    else:
        row["mean"] = math.fsum(value * weight for value, weight in weights.items()) / applied
        row["sd"] = sd({value: weight / applied for value, weight in weights.items()})
    return row
