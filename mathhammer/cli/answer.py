"""Answering one question on the command line: common options in, table, JSON, CSV or plot out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from mathhammer.analysis.question import Question, ask
from mathhammer.analysis.result import Result
from mathhammer.analysis.run import run
from mathhammer.cli.given import (
    Given,
    as_typed,
    numbers_given,
    plot_given,
    plot_kind,
    read,
    refuse_output,
    rules_given,
    situation_given,
)
from mathhammer.cli.progress import shown_progress
from mathhammer.core.files import whole_file
from mathhammer.core.game import Game, Mode, Role

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mathhammer.analysis.readings import Readings


def answer(game: Game, mode: Mode, given: Given) -> None:
    """Ask, run, and write what was asked for."""
    asked = partial(_asked, game, mode)
    numbers, picture, _, question = read(given, numbers_given, plot_given, refuse_output, asked)
    with shown_progress() as progress:
        result = run(question, **numbers, explain=given["explain"], progress=progress)
    draw(result.plot, picture)
    _write(result, given, _readings(result) if given.get("readings") else None)


def _readings(result: Result) -> Readings:
    from mathhammer.cli.doubts import read_otherwise

    return read_otherwise(result)


def _asked(game: Game, mode: Mode, given: Given) -> Question:
    units = {role.name: _units(role, given) for role in mode.roles}
    with as_typed(mode):
        return ask(game, mode.name, units, situation_given(mode, given), **rules_given(given))


def _units(role: Role, given: Given) -> list[str]:
    return list(given[f"{role.name}_units"] or []) if role.many else [given[role.name]]


def draw(figure: Callable[[], Figure], path: Path | None) -> None:
    """Draw a picture into a file, if there is to be one, whole or not at all."""
    if path is None:
        return
    import matplotlib

    matplotlib.use("Agg")
    picture = BytesIO()
    figure().savefig(picture, format=plot_kind(path), dpi=150)
    with whole_file(path, "wb") as file:
        file.write(picture.getvalue())
    print(f"plot: {path}", file=sys.stderr)


def _write(result: Result, given: Given, readings: Readings | None) -> None:
    if given["as_json"]:
        told = result.to_dict() | ({"readings": readings.rows()} if readings else {})
        sys.stdout.write(json.dumps(told, indent=1, allow_nan=False) + "\n")
    elif given["as_csv"]:
        from mathhammer.analysis.files import write_csv

        write_csv(result.rows(), sys.stdout)
    else:
        from mathhammer.cli.render import show

        if readings:
            from mathhammer.cli.doubts import blocks
        show(result, blocks(readings) if readings else ())
