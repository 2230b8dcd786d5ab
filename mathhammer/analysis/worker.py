"""A process that answers matchups: it reads a sweep, then batches of numbers of matchups, and writes rows.

It is started by `pool` with pipes at its standard input and output, and ends when its input does.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
from typing import IO, Any


def main() -> None:
    """Answer until the input ends."""
    gc.set_threshold(100_000)  # a matchup makes many objects and no garbage in circles
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed meanwhile goes elsewhere
    sweep = pickle.load(requests)
    _send(answers, "ready")
    while (batch := _next(requests)) is not None:
        _send(answers, [sweep.answer(index) for index in batch])


def _next(requests: IO[bytes]) -> Any:
    try:
        return pickle.load(requests)
    except EOFError:
        return None


def _send(answers: IO[bytes], data: object) -> None:
    pickle.dump(data, answers)
    answers.flush()
