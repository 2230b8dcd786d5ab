"""`sweep`, `compare`, `needs` and `army`: the commands of questions about many matchups."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

import typer

from mathhammer.analysis.army import plan_army
from mathhammer.analysis.campaign import MOST_TEAM, Campaign, Goal, make_campaign
from mathhammer.analysis.compare import Comparison, comparison_sweep
from mathhammer.analysis.execute import Interrupted, check_workers, execute
from mathhammer.analysis.fields import Target, find_target
from mathhammer.analysis.fights import two_sides
from mathhammer.analysis.files import check_out, write_csv, write_json, write_rows
from mathhammer.analysis.grid import Grid
from mathhammer.analysis.journal import Journal
from mathhammer.analysis.needs import check_chance
from mathhammer.analysis.needs import needs as find_needs
from mathhammer.analysis.needs import worth as find_worth
from mathhammer.analysis.over import make_grid
from mathhammer.analysis.question import SITUATION, parse_rules
from mathhammer.analysis.run import DEFAULT_SEED, DEFAULT_TRIALS, check_options
from mathhammer.analysis.sweep import Row, Sweep, SweepEngine, Table
from mathhammer.analysis.wanted import Wanted, chances, everything, main_event, means
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
from mathhammer.cli.needed import needs_blocks, worth_blocks
from mathhammer.cli.progress import sweep_progress
from mathhammer.core.errors import InputError, gathered
from mathhammer.core.game import Game, Mode, Role
from mathhammer.core.profiles import plain

if TYPE_CHECKING:
    from mathhammer.cli.layout import Block

ENGINES = get_args(SweepEngine)
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
CHANCE = option("chance", str, None, metavar="P", help="The chance that is needed, such as 0.8 or 80%.")
BUDGET = option("budget", str, None, metavar="POINTS", help="Points that the list may cost.")
GOAL = option(
    "goal",
    str,
    "weight",
    metavar="|".join(get_args(Goal)),
    help="The most weight of enemies (default), their number, or the best worst case.",
    autocompletion=lambda: list(get_args(Goal)),
)
TEAM = option("team", str, "3", metavar="1|2|3", help="How many units may strike together (default 3).")
COST = option(
    "cost", list[str], None, metavar="FIELD=POINTS", help="What a step of a field costs, such as at=5."
)
SORT = option("sort", bool, False, help="Sort by strength: rows, and columns of a matrix.")
ON = [
    option("workers", str, None, metavar="N", help="Processes (default: one a core where it takes seconds)."),
    option("cluster", str, None, metavar="ADDRESS|local", help="Run on a Dask cluster; local starts one."),
]
RUNNING = [
    option("out", str, None, metavar="FILE.csv|jsonl", help="Write the rows into a file, safe as they come."),
    option("resume", bool, False, help="Go on with what an interrupted --out FILE has finished."),
    *ON,
]


def command(verb: str, game: Game, mode_name: str) -> Callable[..., None]:
    """The function behind `mathhammer VERB GAME MODE`."""
    from mathhammer.cli import decisions

    mode = game.mode(mode_name)
    act, about, options = decisions.VERBS[verb]
    rules = RULES if game.rules.model_fields else []
    parameters = [*map(_optional, question_parameters(game, mode)), *options, *NUMBERS, *rules, *OUTPUT]
    names = ", ".join(event.name for event in mode.events)
    measures = ", ".join(measure.name for measure in mode.measures)
    text = f"{about}\n\nIn {mode.name}: {mode.about}. Measures {measures or 'none'}; events {names}."
    return with_signature(partial(act, game, mode), parameters, text)


def _optional(parameter: Parameter) -> Parameter:
    """Arguments may be left out where `--over` gives them."""
    positional = parameter.kind is Parameter.POSITIONAL_OR_KEYWORD
    return parameter.replace(default=None) if positional else parameter


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
            {role.name: _role_given(given, role) for role in mode.roles},
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
    check_out(path)
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


def compare(game: Game, mode: Mode, given: dict[str, Any]) -> None:
    """`mathhammer compare`."""
    (engine, trials, seed), kind, workers, wanted, over, _ = gathered(
        lambda: numbers_given(given),
        lambda: None if given["plot"] is None else plot_kind(given["plot"]),
        lambda: workers_given(given),
        lambda: wanted_given(mode, given),
        lambda: over_given(given),
        lambda: refuse_output(given),
    )
    grid = grid_given(game, mode, given, over)
    asked = wanted or (main_event(mode), *means(mode, [measure.name for measure in mode.measures[:1]]))
    made, losses = comparison_sweep(Sweep(grid, asked, engine, trials, seed))
    if len(Comparison(Table(made), asked, losses).candidates) < 2:
        raise InputError(_NOTHING_TO_COMPARE)
    comparison = Comparison(run_table(made, given, workers), asked, losses)
    if not comparison.lines:
        raise InputError(*_reasons(comparison.table.failed))
    if kind:
        draw(comparison.plot, Path(given["plot"]), kind)
    from mathhammer.cli.compared import comparison_blocks

    show(given, comparison.records, lambda: comparison_blocks(comparison))
    told_failures(comparison.table)


def needs(game: Game, mode: Mode, given: dict[str, Any]) -> None:
    """`mathhammer needs`: what a field must be, or without `--over` the worth of a step of each."""
    (engine, trials, seed), chance, costs, wanted, over, _ = gathered(
        lambda: numbers_given(given),
        lambda: chance_given(given["chance"]),
        lambda: costs_given(given["cost"] or []),
        lambda: wanted_given(mode, given),
        lambda: over_given(given, bare=True),
        lambda: refuse_output(given),
    )
    asked = wanted or (main_event(mode),)
    if len(asked) > 1:
        raise InputError("needs takes one chance: give --event or --at-least once")
    if chance is None and over:
        raise InputError("--chance is missing: the chance that is needed, such as --chance 0.8")
    made = Sweep(grid_given(game, mode, given, over), asked, engine, trials, seed)
    if chance is None:
        found = find_worth(made, costs)
        show(given, found.records, lambda: worth_blocks(found))
        return
    if costs:
        raise InputError("--cost goes with the worth of a point, which is told without --over and --chance")
    answer = find_needs(made, _unknown(game, mode, made.grid, over), chance)
    show(given, answer.records, lambda: needs_blocks(answer))


def _unknown(game: Game, mode: Mode, grid: Grid, over: Mapping[str, str | None]) -> Target:
    """What is looked for: the first of `--over`, else the only list of units."""
    if over:
        return find_target(game, mode, next(iter(over)))
    if len(grid.axes) != 1:
        raise InputError("--over FIELD is missing: what is looked for, such as --over at or --over at=6..30")
    return grid.axes[0].target


def chance_given(text: str | None) -> float | None:
    """'0.8' or '80%' as a chance. Raises `InputError`."""
    if text is None:
        return None
    try:
        chance = float(text.strip().removesuffix("%")) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        raise InputError(f"--chance is above 0 and up to 1, such as 0.8 or 80%, not {text!r}") from None
    check_chance(chance)
    return chance


def costs_given(settings: Sequence[str]) -> dict[str, float]:
    """`--cost field=points` settings. Raises `InputError`."""
    costs: dict[str, float] = {}
    for setting in settings:
        name, _, number = setting.partition("=")
        try:
            costs[name.strip()] = float(number)
        except ValueError:
            raise InputError(f"--cost {setting!r}: write field=points, such as at=5") from None
        if not name.strip() or not 0 < costs[name.strip()] < 1e6:
            raise InputError(f"--cost {setting!r}: write field=points above 0, such as at=5")
    return costs


def army(game: Game, mode: Mode, given: dict[str, Any]) -> None:
    """`mathhammer army`."""
    (engine, trials, seed), kind, workers, wanted, budget, goal, team, _ = gathered(
        lambda: numbers_given(given),
        lambda: None if given["plot"] is None else plot_kind(given["plot"]),
        lambda: workers_given(given),
        lambda: wanted_given(mode, given),
        lambda: whole_given(given, "budget", 1, 1_000_000),
        lambda: word_given(given, "goal", get_args(Goal)),
        lambda: whole_given(given, "team", 1, MOST_TEAM),
        lambda: refuse_output(given),
    )
    asked = wanted or (main_event(mode),)
    if len(asked) > 1:
        raise InputError("army takes one chance: give --event or --at-least once")
    campaign = campaign_given(game, mode, given, budget, goal, team)
    made = Sweep(campaign.fights(), asked, engine, trials, seed)
    table = run_table(made, given, workers)
    planned = plan_army(campaign, table)
    if kind:
        draw(planned.plot, Path(given["plot"]), kind)
    from mathhammer.cli.armies import army_blocks

    show(given, planned.records, lambda: army_blocks(planned))
    told_failures(table)


def campaign_given(
    game: Game, mode: Mode, given: dict[str, Any], budget: int, goal: Goal, team: int
) -> Campaign:
    """The list, the enemies and the budget. Raises `InputError`."""
    sides = two_sides(mode)
    listed, enemies = (_role_given(given, role) for role in sides)
    try:
        return make_campaign(
            game,
            mode.name,
            listed,
            enemies,
            situation_given(mode, given),
            budget=budget,
            goal=goal,
            team=team,
            taken=[role.name for role in mode.roles if role not in sides and _role_given(given, role)],
            ruleset=given.get("ruleset"),
            rules_file=given.get("rules"),
            rules=parse_rules(given.get("rule") or []),
        )
    except InputError as error:
        raise InputError(*(_as_typed(mode, line) for line in dict.fromkeys(error.lines))) from None


def _role_given(given: Mapping[str, Any], role: Role) -> Any:
    """What was given for a role: a text, or a list of texts where it takes many."""
    return given[f"{role.name}_units" if role.many else role.name] or []


def whole_given(given: Mapping[str, Any], name: str, low: int, high: int) -> int:
    """A whole number. Raises `InputError`."""
    value = plain(given[name].replace(",", "").replace("_", "")) if given[name] is not None else None
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        told = "missing" if given[name] is None else f"not {given[name]!r}"
        raise InputError(f"--{name} is a whole number from {low:,} to {high:,}, {told}")
    return value


def word_given(given: Mapping[str, Any], name: str, known: Sequence[str]) -> Any:
    """One of a few words. Raises `InputError`."""
    if given[name] not in known:
        raise InputError(f"--{name} is one of {', '.join(known)}, not {given[name]!r}")
    return given[name]


_NOTHING_TO_COMPARE = (
    "there is one candidate only; give several units (knights,ogre-warriors,at=24), or --over FIELD=VALUES"
)


def _first_situation(grid: Grid) -> Any:
    """The options of the first matchup that can be asked."""
    for index in range(min(len(grid), 100)):
        try:
            return grid.question(index).situation
        except InputError:
            pass
    return grid.question(0).situation
