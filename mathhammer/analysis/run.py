"""Running a question: simulated, exact, or both, into a `Result`."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Literal, get_args

from mathhammer.analysis.question import Question
from mathhammer.analysis.result import Result, Witness, stage_row
from mathhammer.core.engine import Engine, Progress
from mathhammer.core.errors import ExactLimitError, InputError
from mathhammer.core.rulesets import recording
from mathhammer.core.steps import Play
from mathhammer.core.tally import Tally

EngineName = Literal["both", "simulate", "exact"]
MOST_TRIALS = 10**12
DEFAULT_TRIALS = 10**6
DEFAULT_SEED = 20_260_101


def run(
    question: Question,
    *,
    trials: int = DEFAULT_TRIALS,
    seed: int = DEFAULT_SEED,
    engine: EngineName = "both",
    explain: bool = False,
    progress: Progress | None = None,
) -> Result:
    """Answer a question.

    trials: 1 to 10^12. engine: "both" leaves the exact numbers out, and says so, where they pass the limit.
    Raises `InputError` for values out of range, and with "exact" `ExactLimitError` past the limit.
    """
    check_options(trials, seed, engine)
    trials, seed = int(trials), int(seed)
    rules, read = recording(question.ruleset.values)
    play = question.mode.play(question.matchup(rules))
    exact = simulated = None
    why = ""
    if engine != "simulate":
        try:
            exact = _witness(_engines(play, explain, progress), lambda machine, number: machine.exact(), 1.0)
        except ExactLimitError as error:
            if engine == "exact":
                raise
            why = error.typed[0]
    if engine != "exact":
        entropy = question.entropy(seed)
        simulated = _witness(
            _engines(play, explain, progress),
            lambda machine, number: machine.simulate(trials, [*entropy, *[number] * (number > 0)]),
            float(trials),
        )
    return Result(question, trials, seed, simulated, exact, frozenset(read), why)


def _engines(play: Play, explain: bool, progress: Progress | None) -> list[Engine]:
    """One for the play, and one for each play beside it."""
    return [Engine(each, explain=explain, progress=progress) for each in (play, *play.beside)]


def _witness(machines: list[Engine], ask: Callable[[Engine, int], Tally], total: float) -> Witness:
    """The tallies of all engines as one, with the stages that they recorded."""
    tally, *others = [ask(machine, number) for number, machine in enumerate(machines)]
    for other in others:
        tally.set_beside(other)
    stages = [stage for machine in machines for stage in machine.stages()]
    return Witness(tally, total, [stage_row(stage, weights, total) for stage, weights in stages])


def _number_of(trials: object) -> int:
    """A number of trials, also written 1e6; 0 where it is none."""
    if isinstance(trials, float) and trials.is_integer():
        return int(trials)
    return int(trials) if isinstance(trials, Integral) and not isinstance(trials, bool) else 0


def check_options(trials: object, seed: object, engine: object) -> None:
    """Trials (1e6 is a whole number too), seed and engine in range. Raises `InputError`."""
    lines = []
    if not 1 <= _number_of(trials) <= MOST_TRIALS:
        lines.append(f"--trials is a whole number from 1 to 1e12, not {trials!r}")
    if not isinstance(seed, Integral) or isinstance(seed, bool) or not 0 <= int(seed) < 2**64:
        lines.append(f"--seed is a whole number from 0 to {2**64 - 1}, not {seed!r}")
    if engine not in get_args(EngineName):
        lines.append(f"--engine is one of {', '.join(get_args(EngineName))}, not {engine!r}")
    if lines:
        raise InputError(*lines)
