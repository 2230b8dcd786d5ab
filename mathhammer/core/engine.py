"""Running a play on a population: merging, finishing, splitting into parts, going flat, limits.

Everything here is a function of the play, the trials and constants, so that an answer never depends on
workers, order or machine. Streams: each part and each flat block has its own, by its path from the start.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from mathhammer.core import flat
from mathhammer.core.ensemble import Ensemble, Exact, Population, Simulated, active_keys, key_of
from mathhammer.core.errors import ExactLimitError
from mathhammer.core.pmf import weighed
from mathhammer.core.steps import Action, Change, Mark, Play, Stage, Step, fused
from mathhammer.core.tally import Tally

EXACT_ROWS = 2_000_000
SIMULATED_ROWS = 2**18
SLOW_SECONDS = 10.0
FLAT_GAIN = 16  # dividing a row costs about this many flat draws for each outcome
FLAT_ROWS = 2**10  # below this many rows merging always pays

Progress = Callable[[float, float], None]  # share done (0..1), seconds left by estimate
Path = tuple[int, ...]


def stages_in(action: Action) -> int:
    """How many stages an action records."""
    return len(action.stages) if isinstance(action, Step) else 0


@dataclass
class _Job:
    """A part of the population, and the action that it meets next (recorded: seen by it before)."""

    ensemble: Ensemble
    at: int
    mark: int
    path: Path
    recorded: bool = False


class Engine:
    """One run of one play. `exact()` or `simulate(...)` makes the tally; use an engine once."""

    def __init__(self, play: Play, *, explain: bool = False, progress: Progress | None = None) -> None:
        self.play = play
        self.actions: list[Action] = fused(play.actions)
        self.explain = explain
        self.progress = progress
        self.tally = Tally(sum(isinstance(action, Mark) for action in self.actions))
        self._done = 0
        self._told = False
        self._split = False
        self._trials = 1

    def exact(self) -> Tally:
        """The exact tally. Raises `ExactLimitError` past two million states, or the play's own limit."""
        population = Exact()
        self._run(population, min(EXACT_ROWS, self.play.exact_rows), lambda path: population)
        self.tally.lost = population.lost
        return self.tally

    def stages(self) -> list[tuple[Stage, dict[int, float]]]:
        """What `explain` recorded, in order: each stage with the expected weight of its outcomes."""
        places = ((at, i) for at, action in enumerate(self.actions) for i in range(stages_in(action)))
        return [
            (cast(Step, self.actions[at]).stages[i], self.tally.stages[at, i])
            for at, i in places
            if (at, i) in self.tally.stages
        ]

    def simulate(self, trials: int, entropy: Sequence[int]) -> Tally:
        """The tally of `trials` trials (1 to 10^12); equal entropy gives an equal tally."""
        self._entropy = list(entropy)
        self._trials = trials
        return self._run(
            Simulated(trials, self._stream(())),
            SIMULATED_ROWS,
            lambda path: Simulated(trials, self._stream(path)),
        )

    def _stream(self, path: Path) -> np.random.Generator:
        return np.random.Generator(np.random.SFC64(np.random.SeedSequence(self._entropy, spawn_key=path)))

    def _run(self, population: Population, most: int, fork: Callable[[Path], Population]) -> Tally:
        self._began = time.monotonic()
        jobs = [_Job(Ensemble.start(self.play.start, population), 0, 0, ())]
        while jobs:
            job = jobs.pop()
            if job.path:
                population = fork(job.path)
            self._play_on(job, population, most, jobs)
        return self.tally

    def _play_on(self, job: _Job, population: Population, most: int, jobs: list[_Job]) -> None:
        """Take a part through the actions; what does not fit comes back onto `jobs`."""
        self._absorb(job)
        while job.at < len(self.actions) and len(job.ensemble):
            action = self.actions[job.at]
            if isinstance(action, Mark):
                self._mark(job)
            elif isinstance(action, Change):
                job.ensemble = job.ensemble.changed(action)
                self._absorb(job)
            elif isinstance(population, Simulated) and self._is_flat(job.ensemble, action):
                self._play_flat(job)
                return
            else:
                self._roll(job, action, population, most, jobs)
            job.at += 1
            self._tick(job.at)
        if len(job.ensemble):
            self._finish(job.ensemble, job.mark)

    def _roll(self, job: _Job, step: Step, population: Population, most: int, jobs: list[_Job]) -> None:
        if self.explain and not job.recorded:
            self._record(step, job.at, job.ensemble)
        job.recorded = False
        population.cut = 0.0
        job.ensemble, rest = job.ensemble.advance(step, population, most)
        self._note_cut(job.at, population.cut)
        if rest is not None:
            if isinstance(population, Exact):
                raise ExactLimitError(
                    f"exact: this question passes {most:,} states at once; --engine simulate answers it"
                )
            self._split = True
            jobs.append(_Job(rest, job.at, job.mark, (*job.path, 0), recorded=True))
            job.path = (*job.path, 1)
        self._absorb(job)

    def _absorb(self, job: _Job) -> None:
        """Finished states leave early."""
        if self.play.finished is None or not len(job.ensemble):
            return
        done = self.play.finished(job.ensemble.columns)
        if done.any():
            self._finish(job.ensemble.part(done), job.mark)
            job.ensemble = job.ensemble.part(~done)

    def _finish(self, ensemble: Ensemble, mark: int) -> None:
        self._done += int(ensemble.weights.sum())
        self.tally.finish(self.play.read(ensemble.columns), ensemble.weights, mark)

    def _mark(self, job: _Job) -> None:
        self.tally.moving[job.mark].add(self.play.read(job.ensemble.columns), job.ensemble.weights)
        job.mark += 1

    def _record(self, step: Step, at: int, ensemble: Ensemble) -> None:
        """The expected outcomes of each stage, given the states before it."""
        if step.where is not None:
            ensemble = ensemble.part(step.where(ensemble.columns))
        if not len(ensemble):
            return
        keys = key_of(step, ensemble.columns)
        for i, stage in enumerate(step.stages):
            table, rows = stage.law.choose(keys)
            weights = np.bincount(rows, ensemble.weights, minlength=len(table.probs))
            self.tally.record((at, i), table.offset, weighed(weights, table.probs))

    def _note_cut(self, at: int, cut: float) -> None:
        if cut:
            self.tally.cuts[at] = max(cut, self.tally.cuts.get(at, 0.0))

    # -- flat ------------------------------------------------------------------------------------
    def _is_flat(self, ensemble: Ensemble, step: Step) -> bool:
        """Whether single trials are cheaper from here on: few trials a state, many states."""
        if len(ensemble) < FLAT_ROWS:
            return False
        keys = active_keys(step, ensemble.columns)
        if not len(keys):
            return False
        width = step.law.width(keys)
        return int(ensemble.weights.sum()) < FLAT_GAIN * len(ensemble) * width

    def _play_flat(self, job: _Job) -> None:
        self._split = True
        self._announce(int(job.ensemble.weights.sum()), job.at)
        for number, block in enumerate(flat.blocks(job.ensemble)):
            self._flat_block(block, job, self._stream((*job.path, 2, number)))
            self._done += flat.trials(block)
            self._tick(job.at)

    def _flat_block(self, columns: flat.Block, job: _Job, rng: np.random.Generator) -> None:
        mark = job.mark
        for at in range(job.at, len(self.actions)):
            action = self.actions[at]
            if isinstance(action, Mark):
                self.tally.moving[mark].add(self.play.read(columns), None)
                mark += 1
            elif isinstance(action, Change):
                columns = self._flat_absorb({**columns, **action.update(columns)}, mark)
            else:
                if self.explain and not (job.recorded and at == job.at):
                    self._record(action, at, Ensemble(columns, flat.ones(columns)))
                columns = flat.advance(columns, action, rng, partial(self._note_cut, at))
                columns = self._flat_absorb(columns, mark)
            if not flat.trials(columns):
                return
        self.tally.finish(self.play.read(columns), None, mark)

    def _flat_absorb(self, columns: flat.Block, mark: int) -> flat.Block:
        if self.play.finished is None:
            return columns
        done = self.play.finished(columns)
        if not done.any():
            return columns
        out = {name: column[done] for name, column in columns.items()}
        self.tally.finish(self.play.read(out), None, mark)
        return {name: column[~done] for name, column in columns.items()}

    # -- telling how long ------------------------------------------------------------------------
    def _announce(self, trials: int, at: int) -> None:
        """Before flat blocks: how long they will take, when that is long."""
        draws = sum(isinstance(action, Step) for action in self.actions[at:])
        estimate = trials * draws * flat.SECONDS_A_DRAW
        if self.progress is not None and estimate > SLOW_SECONDS and not self._told:
            self._told = True
            self.progress(0.0, estimate)

    def _tick(self, at: int) -> None:
        """Between actions and blocks: by the trials done once the run is split, else by the actions done."""
        if self.progress is None or (spent := time.monotonic() - self._began) < 1.0:
            return
        share = self._done / self._trials if self._split else at / len(self.actions)
        left = spent * (1 - share) / share if share else 0.0
        if share and (self._told or spent + left > SLOW_SECONDS):
            self._told = True
            self.progress(share, left)
