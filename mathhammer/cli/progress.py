"""Progress of long runs on stderr: the estimate before a long one starts, then how far it is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mathhammer.core.engine import Progress

LONG = 3.0  # seconds; what takes less is not told
SURE = 0.5  # seconds after which an estimate is worth telling
BAR = 24


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """A callback that writes to stderr: one line kept up to date, or a few lines without a terminal."""
    live = sys.stderr.isatty()
    shown: list[int] = []

    def show(share: float, seconds: float) -> None:
        if not shown:
            print(f"this takes about {_time(seconds)}; Ctrl-C stops it", file=sys.stderr)
        percent = int(100 * share)
        if live and (not shown or percent != shown[-1]):
            print(f"\r{percent:3d}% done, {_time(seconds)} left   ", end="", file=sys.stderr, flush=True)
        elif not live and shown and percent // 10 > shown[-1] // 10:
            print(f"{percent}% done, {_time(seconds)} left", file=sys.stderr)
        shown.append(percent)

    try:
        yield show
    finally:
        if shown and live:
            print(file=sys.stderr)


@contextmanager
def sweep_progress(what: str = "matchups") -> Iterator[Callable[[int, int, float], None]]:
    """A callback that tells how many of `what` are done: a bar on a terminal, else a line every tenth."""
    live = sys.stderr.isatty()
    began: list[float] = []  # when the first batch came
    shown: list[int] = []

    def show(done: int, of: int, left: float) -> None:
        if not began:
            began.append(time.monotonic())
        spent = time.monotonic() - began[0]
        if not shown and (spent < SURE or spent + left < LONG):
            return
        share = done / of
        step = int(share * (200 if live else 10))
        if shown and step == shown[-1]:
            return
        if live:
            filled = "#" * int(share * BAR)
            text = f"[{filled:<{BAR}}] {done:,} of {of:,}, {_time(left)} left"
            print(f"\r{text:<70}", end="", file=sys.stderr, flush=True)
        else:
            print(f"{done:,} of {of:,} {what} done, {_time(left)} left", file=sys.stderr, flush=True)
        shown.append(step)

    try:
        yield show
    finally:
        if shown and live:
            print(file=sys.stderr)


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
