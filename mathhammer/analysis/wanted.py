"""The numbers wanted of each answer: the chance of an event, of at least so much, or a mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mathhammer.analysis.fields import target_role
from mathhammer.analysis.result import Result, Source
from mathhammer.analysis.statistics import mean, mean_error
from mathhammer.core.errors import InputError, gathered, unknown
from mathhammer.core.game import Mode
from mathhammer.core.profiles import plain

FINAL = ("rout", "destroyed", "wiped_out", "killed", "dies")  # events after which a unit is gone


@dataclass(frozen=True)
class Wanted:
    """One number of an answer. `least` is the k of "at least k"."""

    kind: Literal["event", "at_least", "mean"]
    of: str
    least: int = 0

    @property
    def name(self) -> str:
        """The name in heads of tables."""
        return {"event": self.of, "at_least": f"{self.of}>={self.least}", "mean": f"mean {self.of}"}[
            self.kind
        ]

    @property
    def is_chance(self) -> bool:
        """Whether it is a probability."""
        return self.kind != "mean"

    def read(self, result: Result, source: Source) -> tuple[float, float | None]:
        """The number, and the standard error of a simulated mean."""
        if self.kind == "event":
            return result.probability(self.of, source), None
        if self.kind == "at_least":
            return result.at_least(self.of, self.least, source), None
        pmf = result.pmf(self.of, source)
        return mean(pmf), mean_error(pmf, result.trials) if source == "simulated" else None


def chances(mode: Mode, events: Sequence[str], at_least: Sequence[str]) -> list[Wanted]:
    """Chances by name; at_least: texts such as "kills=4". Raises `InputError` for unknown names."""
    known = [event.name for event in mode.events]
    return gathered(
        *(lambda name=name: Wanted("event", _known("event", name, known)) for name in events),
        *(lambda text=text: _at_least(mode, text) for text in at_least),
    )


def means(mode: Mode, names: Sequence[str]) -> list[Wanted]:
    """Means by name. Raises `InputError` for unknown names."""
    known = [measure.name for measure in mode.measures]
    return gathered(*(lambda name=name: Wanted("mean", _known("measure", name, known)) for name in names))


def everything(mode: Mode, situation: object) -> list[Wanted]:
    """What is told where nothing was asked for: what the situation makes meaningful, the main event first."""
    events = [event.name for event in mode.events if not event.quiet and event.when(situation)]
    measures = [measure.name for measure in mode.measures if measure.when(situation)]
    told = [*(Wanted("event", name) for name in events), *(Wanted("mean", name) for name in measures)]
    main = main_event(mode)
    return sorted(told, key=lambda wanted: wanted != main) or [main]


def main_event(mode: Mode) -> Wanted:
    """The event that is asked about where none is named: what ends the other side, if it has one."""
    events = [event for event in mode.events if not event.quiet] or list(mode.events)
    target = target_role(mode)
    theirs = [event.name for event in events if target and event.side == target.name]
    for names in (theirs, [event.name for event in events]):
        found = [name for name in names if name.split(".")[-1] in FINAL]
        if found:
            return Wanted("event", found[0])
    return Wanted("event", (theirs or [event.name for event in events])[0])


def one_chance(verb: str, mode: Mode, wanted: tuple[Wanted, ...]) -> tuple[Wanted, ...]:
    """The one chance that was asked for, by default of the main event. Raises `InputError` for several."""
    if len(wanted) > 1:
        raise InputError(f"{verb} takes one chance: give --event or --at-least once")
    return wanted or (main_event(mode),)


def lasting_loss(mode: Mode, role: str) -> Wanted | None:
    """The event after which a role's unit is gone, if the mode has one."""
    found = [event.name for event in mode.events if event.side == role and event.name.split(".")[-1] in FINAL]
    return Wanted("event", found[0]) if found else None


def _known(what: str, name: str, known: Sequence[str]) -> str:
    if name not in known:
        raise unknown(what, name, known)
    return name


def _at_least(mode: Mode, text: str) -> Wanted:
    measure, equals, number = text.partition("=")
    value = plain(number.strip()) if equals else None
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(
            f"--at-least {text!r}: write measure=whole number, such as {mode.measures[0].name}=4"
        )
    return Wanted("at_least", _known("measure", measure.strip(), [m.name for m in mode.measures]), value)
