"""`sweep`, `compare`, `needs` and `army`: the commands of questions about many matchups."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

import typer

from mathhammer.analysis.execute import Interrupted, check_workers, execute
from mathhammer.analysis.grid import Grid, make_grid
from mathhammer.analysis.journal import Journal
from mathhammer.analysis.question import SITUATION, parse_rules
from mathhammer.analysis.run import DEFAULT_SEED, DEFAULT_TRIALS, check_options
from mathhammer.analysis.sweep import Row, Sweep, SweepEngine, Table
from mathhammer.analysis.wanted import Wanted, chances, everything, means
from mathhammer.cli.answer import (
    draw,
    option,
    parse_trials,
    plot_kind,
    refuse_output,
    refuse_place,
    situation_given,
    spelled,
)
from mathhammer.cli.modes import question_parameters, with_signature
from mathhammer.cli.progress import sweep_progress
from mathhammer.core.errors import InputError, gathered
from mathhammer.core.files import whole_file
from mathhammer.core.game import Game, Mode
from mathhammer.core.profiles import plain

if TYPE_CHECKING:
    from mathhammer.cli.layout import Block

ENGINES = get_args(SweepEngine)
OUT_KINDS = ("csv", "jsonl")
MOST_TOLD = 5  # matchups that failed, and distinct notes
FAILED = 1

OVER = option(
    "over",
    list[str],
    None,
    metavar="FIELD=VALUES",
    help="What varies: at=6..30, defender.de=3,4,5, facing=front,flank, defender='*'. May be given again.",
)
EVENT = option("event", list[str], None, metavar="NAME", help="The chance of this event. May be given again.")
AT_LEAST = option(
    "at-least", list[str], None, metavar="MEASURE=K", help="The chance of at least K, such as damage=4."
)
MEAN = option(
    "mean", list[str], None, metavar="MEASURE", help="The mean of this measure. May be given again."
)
NUMBERS = [
    option("trials", str, None, metavar="N", help="Trials where it is simulated, 1 to 1e12 (default 1e6)."),
    option("seed", str, None, metavar="N", help=f"Seed of the simulation (default {DEFAULT_SEED})."),
    option(
        "engine",
        str,
        "auto",
        metavar="|".join(ENGINES),
        help="Which numbers (default auto: exact, simulated where exact passes its limit).",
        autocompletion=lambda: list(ENGINES),
    ),
]
RULES = [
    option(
        "rule", list[str], None, metavar="KEY=VALUE", help="Set a rule of the ruleset. May be given again."
    ),
    option("rules", str, None, metavar="FILE.toml", help="Set rules from a file of key = value lines."),
]
OUTPUT = [
    option("json", bool, False, help="Write JSON, a row a line."),
    option("csv", bool, False, help="Write CSV, a row for each matchup."),
]
PLOT = option("plot", str, None, metavar="FILE.png|svg|pdf", help="Also draw a picture into a file.")
SORT = option("sort", bool, False, help="Sort by strength: rows, and columns of a matrix.")
RUNNING = [
    option(
        "out",
        str,
        None,
        metavar="FILE.csv|jsonl",
        help="Write the rows into a file; what is finished is safe.",
    ),
    option("resume", bool, False, help="Go on with what an interrupted --out FILE has finished."),
    option("workers", str, None, metavar="N", help="Processes (default: one a core where it takes seconds)."),
    option("cluster", str, None, metavar="ADDRESS|local", help="Run on a Dask cluster; local starts one."),
]


def command(verb: str, game: Game, mode_name: str) -> Callable[..., None]:
    """The function behind `mathhammer VERB GAME MODE`."""
    from mathhammer.cli import decisions

    mode = game.mode(mode_name)
    act, about, options = decisions.VERBS[verb]
    rules = RULES if game.rules.model_fields else []
    parameters = [*question_parameters(game, mode), *options, *NUMBERS, *rules, *OUTPUT]
    names = ", ".join(event.name for event in mode.events)
    measures = ", ".join(measure.name for measure in mode.measures)
    text = f"{about}\n\nIn {mode.name}: {mode.about}. Measures {measures or 'none'}; events {names}."
    return with_signature(partial(act, game, mode), parameters, text)


# -- what was given --------------------------------------------------------------------------------
def numbers_given(given: Mapping[str, Any]) -> tuple[SweepEngine, int, int]:
    """Engine, trials and seed. Raises `InputError`."""
    engine = given["engine"]
    if engine not in ENGINES:
        raise InputError(f"--engine is one of {', '.join(ENGINES)}, not {engine!r}")
    if engine == "exact" and (given["trials"] or given["seed"]):
        name = "--trials" if given["trials"] else "--seed"
        raise InputError(f"{name} does not go with --engine exact: nothing is simulated")
    trials = parse_trials(given["trials"]) if given["trials"] is not None else DEFAULT_TRIALS
    seed = plain(given["seed"]) if given["seed"] is not None else DEFAULT_SEED
    check_options(trials, seed, "simulate")
    return cast(SweepEngine, engine), trials, cast(int, seed)


def over_given(given: Mapping[str, Any], *, bare: bool = False) -> dict[str, str | None]:
    """`--over field=values` settings. bare: a field alone stands for all its values."""
    over: dict[str, str | None] = {}
    for setting in given.get("over") or []:
        name, equals, values = setting.partition("=")
        if not name.strip() or (equals and not values.strip()) or not (equals or bare):
            raise InputError(f"--over {setting!r}: write field=values, such as at=6..30")
        if name.strip() in over:
            raise InputError(f"--over: {name.strip()} is given twice")
        over[name.strip()] = values.strip() if equals else None
    return over


def wanted_given(mode: Mode, given: Mapping[str, Any]) -> tuple[Wanted, ...]:
    """The numbers that were asked for; none where nothing was."""
    asked, averages = gathered(
        lambda: chances(mode, given["event"] or [], given["at_least"] or []),
        lambda: means(mode, given.get("mean") or []),
    )
    return tuple(dict.fromkeys([*asked, *averages]))


def grid_given(game: Game, mode: Mode, given: dict[str, Any], over: Mapping[str, str | None]) -> Grid:
    """The grid; errors of options name them as they are typed."""
    try:
        return make_grid(
            game,
            mode.name,
            {
                role.name: given[f"{role.name}_units"] or [] if role.many else given[role.name]
                for role in mode.roles
            },
            _without(situation_given(mode, given), over),
            over,
            ruleset=given.get("ruleset"),
            rules_file=given.get("rules"),
            rules=parse_rules(given.get("rule") or []),
        )
    except InputError as error:
        raise InputError(*(_as_typed(mode, line) for line in dict.fromkeys(error.lines))) from None


def _without(situation: dict[str, Any], over: Mapping[str, str | None]) -> dict[str, Any]:
    """Options but those that vary (a positional one must be given all the same)."""
    varied = {name.removeprefix("situation.").replace("-", "_") for name in over}
    return {name: value for name, value in situation.items() if name not in varied}


def _as_typed(mode: Mode, line: str) -> str:
    start = f"{SITUATION}: "
    return spelled(mode, line.removeprefix(start)) if line.startswith(start) else line


def workers_given(given: Mapping[str, Any]) -> int | None:
    """How many processes. Raises `InputError`."""
    if given["workers"] is None:
        return None
    workers = plain(given["workers"])
    check_workers(workers)
    if given["cluster"] is not None and given["cluster"] != "local":
        raise InputError("--workers does not go with --cluster ADDRESS: the cluster has its own")
    return cast(int, workers)


def out_given(given: Mapping[str, Any]) -> Path | None:
    """The output file. Raises `InputError`."""
    if given["out"] is None:
        if given["resume"]:
            raise InputError("--resume goes with --out FILE, the file that was being written")
        return None
    path = Path(given["out"])
    if path.suffix.lstrip(".").lower() not in OUT_KINDS:
        raise InputError(f"--out {given['out']}: the name ends in .csv or .jsonl")
    refuse_place("--out", given["out"])
    return path


# -- running and writing ---------------------------------------------------------------------------
def run_table(sweep: Sweep, given: Mapping[str, Any], workers: int | None, out: Path | None = None) -> Table:
    """The table, finished rows safe meanwhile; what is finished is written also when it is interrupted."""
    journal = None if out is None else Journal(out, sweep)
    try:
        with sweep_progress() as progress:
            table = execute(
                sweep,
                workers=workers,
                cluster=given.get("cluster"),
                journal=journal,
                resume=bool(given.get("resume")),
                progress=progress,
            )
    except Interrupted as stopped:
        done = len(stopped.table) - stopped.table.missing
        where = f" are in {journal.path}; the same command with --resume goes on" if journal else " are done"
        print(f"\nmathhammer: {done:,} of {len(stopped.table):,} matchups{where}", file=sys.stderr)
        raise
    if not table.done:
        if journal is not None:
            journal.remove()
        raise InputError(*_reasons(table.failed))
    if out is not None and journal is not None:
        write_rows(table, out)
        journal.remove()
        print(f"rows: {out}", file=sys.stderr)
    return table


def _reasons(rows: Sequence[Row]) -> list[str]:
    """Why everything failed: each reason once."""
    return list(dict.fromkeys(line for row in rows for line in row.failed.split("; ")))[:MOST_TOLD]


def write_rows(table: Table, path: Path) -> None:
    """All rows in a file, whole or not at all."""
    with whole_file(path) as file:
        if path.suffix.lower() == ".csv":
            write_csv(table.records(), file)
        else:
            write_json(table.records(), file)


def write_csv(records: Any, file: Any) -> None:
    """Rows as CSV with a head."""
    import csv

    writer = None
    for record in records:
        if writer is None:
            writer = csv.DictWriter(file, fieldnames=list(record), lineterminator="\n")
            writer.writeheader()
        writer.writerow(record)


def write_json(records: Any, file: Any) -> None:
    """Rows as JSON, one a line."""
    for record in records:
        file.write(json.dumps(record, allow_nan=False) + "\n")


def show(given: Mapping[str, Any], records: Callable[[], Any], blocks: Callable[[], Sequence[Block]]) -> None:
    """The answer on standard output, as it was asked for."""
    if given["as_json"]:
        write_json(records(), sys.stdout)
    elif given["as_csv"]:
        write_csv(records(), sys.stdout)
    else:
        from mathhammer.cli.layout import write

        write(blocks())


def told_failures(table: Table) -> None:
    """Matchups that failed, by name on standard error; the exit code then says so."""
    if not table.failed:
        return
    for row in table.failed[:MOST_TOLD]:
        print(f"mathhammer: {table.sweep.grid.name(row.index)}: {row.failed}", file=sys.stderr)
    more = len(table.failed) - MOST_TOLD
    if more > 0:
        print(f"mathhammer: and {more:,} more failed of {len(table):,} matchups", file=sys.stderr)
    raise typer.Exit(FAILED)


def sweep(game: Game, mode: Mode, given: dict[str, Any]) -> None:
    """`mathhammer sweep`."""
    (engine, trials, seed), kind, workers, out, wanted, over, _ = gathered(
        lambda: numbers_given(given),
        lambda: None if given["plot"] is None else plot_kind(given["plot"]),
        lambda: workers_given(given),
        lambda: out_given(given),
        lambda: wanted_given(mode, given),
        lambda: over_given(given),
        lambda: refuse_output(given),
    )
    grid = grid_given(game, mode, given, over)
    if kind:
        from mathhammer.analysis.maps import plan

        plan(grid)
    asked = wanted or tuple(everything(mode, _first_situation(grid)))
    made = Sweep(grid, asked, engine, trials, seed)
    stopped = None
    try:
        table = run_table(made, given, workers, out)
    except Interrupted as interrupted:
        stopped, table = interrupted, interrupted.table
        if not table.done:
            raise
    if kind and not stopped:
        draw(lambda: table.plot(ordered=given["sort"]), Path(given["plot"]), kind)
    from mathhammer.cli.tables import sweep_blocks

    show(given, table.records, lambda: sweep_blocks(table, ordered=given["sort"]))
    if stopped:
        sys.stdout.flush()
        raise stopped
    told_failures(table)


def _first_situation(grid: Grid) -> Any:
    """The options of the first matchup that can be asked."""
    for index in range(min(len(grid), 100)):
        try:
            return grid.question(index).situation
        except InputError:
            pass
    return grid.question(0).situation
