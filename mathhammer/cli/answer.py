"""Answering one question on the command line: common options in, table, JSON, CSV or plot out."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable
from inspect import Parameter
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

import typer

from mathhammer.analysis.question import SITUATION, Question, ask, parse_rules
from mathhammer.analysis.result import Result
from mathhammer.analysis.run import DEFAULT_SEED, DEFAULT_TRIALS, MOST_TRIALS, EngineName, check_options, run
from mathhammer.cli.progress import shown_progress
from mathhammer.core.checks import shown
from mathhammer.core.errors import InputError, gathered
from mathhammer.core.files import whole_file
from mathhammer.core.game import Game, Mode, is_positional
from mathhammer.core.profiles import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLOT_KINDS = ("png", "svg", "pdf")
ENGINES = get_args(EngineName)


def option(name: str, kind: Any, default: Any, **settings: Any) -> Parameter:
    """An option `--name` of a command, as a parameter of its function."""
    made = typer.Option(f"--{name}", show_default=False, **settings)
    key = "as_json" if name == "json" else "as_csv" if name == "csv" else name.replace("-", "_")
    return Parameter(key, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, made])


COMMON = [
    option("trials", str, None, metavar="N", help="Trials, 1 to 1e12 (default 1e6)."),
    option("seed", str, None, metavar="N", help=f"Seed of the simulation (default {DEFAULT_SEED})."),
    option(
        "engine",
        str,
        "both",
        metavar="|".join(ENGINES),
        help="Which numbers (default both).",
        autocompletion=lambda: list(ENGINES),
    ),
    option(
        "rule", list[str], None, metavar="KEY=VALUE", help="Set a rule of the ruleset. May be given again."
    ),
    option("rules", str, None, metavar="FILE.toml", help="Set rules from a file of key = value lines."),
    option("json", bool, False, help="Write JSON."),
    option("csv", bool, False, help="Write CSV, a row for each value."),
    option("plot", str, None, metavar="FILE.png|svg|pdf", help="Also draw the distribution into a file."),
    option(
        "explain", bool, False, help="Show the stages that lead to the answer, each with its rule and mean."
    ),
]
RULES_OPTIONS = {"rule", "rules"}  # of games that have rules to set


def answer(game: Game, mode: Mode, given: dict[str, Any]) -> None:
    """Ask, run, and write what was asked for."""
    (engine, trials, seed), kind, _, question = gathered(
        lambda: _run_options(given),
        lambda: None if given["plot"] is None else plot_kind(given["plot"]),
        lambda: refuse_output(given),
        lambda: _asked(game, mode, given),
    )
    with shown_progress() as progress:
        result = run(
            question, trials=trials, seed=seed, engine=engine, explain=given["explain"], progress=progress
        )
    if kind:
        draw(result.plot, Path(given["plot"]), kind)
    _write(result, given)


def refuse_output(given: dict[str, Any]) -> None:
    """Options that contradict each other or say nothing."""
    if given["as_json"] and given["as_csv"]:
        raise InputError("--json and --csv: give one of them")
    if given.get("rules") is not None and not given["rules"].strip():
        raise InputError("--rules: give a file, such as mine.toml")


def _asked(game: Game, mode: Mode, given: dict[str, Any]) -> Question:
    """The question; errors of the situation name its options as they are typed."""
    try:
        return _ask(game, mode, given)
    except InputError as error:
        start = f"{SITUATION}: "
        lines = [
            spelled(mode, line.removeprefix(start)) if line.startswith(start) else line
            for line in error.lines
        ]
        raise InputError(*lines) from None


def spelled(mode: Mode, line: str) -> str:
    """Field names at the start, and wherever the line names several, as options."""
    for name, info in sorted(mode.situation.model_fields.items(), key=lambda item: -len(item[0])):
        typed = name if is_positional(info) else f"--{name.replace('_', '-')}"
        line = re.sub(rf"(^|\band ){name}\b", rf"\1{typed}", line)
    return line


def _ask(game: Game, mode: Mode, given: dict[str, Any]) -> Question:
    return ask(
        game,
        mode.name,
        {role.name: _role(given, role.name, role.many) for role in mode.roles},
        situation_given(mode, given),
        ruleset=given.get("ruleset"),
        rules_file=given.get("rules"),
        rules=parse_rules(given.get("rule") or []),
    )


def _role(given: dict[str, Any], name: str, many: bool) -> list[str]:
    return list(given[f"{name}_units"] or []) if many else [given[name]]


def situation_given(mode: Mode, given: dict[str, Any]) -> dict[str, Any]:
    """The options that were given, as plain values."""
    told = {name: given[name] for name in mode.situation.model_fields}
    given_values = {name: value for name, value in told.items() if value is not None and value is not False}
    return {name: _typed(mode, name, value) for name, value in given_values.items()}


def _typed(mode: Mode, name: str, value: object) -> object:
    """A written value as the kind that its field takes: text as it stands, numbers as numbers."""
    kind = mode.situation.model_fields[name].annotation
    if kind is str or not isinstance(value, str):
        return value
    if kind is float:
        try:
            return float(value)
        except ValueError:
            return value
    return plain(value)


def _run_options(given: dict[str, Any]) -> tuple[EngineName, int, int]:
    engine = given["engine"]
    if engine == "exact" and (given["trials"] or given["seed"]):
        option = "--trials" if given["trials"] else "--seed"
        raise InputError(f"{option} does not go with --engine exact: nothing is simulated")
    trials = parse_trials(given["trials"]) if given["trials"] is not None else DEFAULT_TRIALS
    seed = plain(given["seed"]) if given["seed"] is not None else DEFAULT_SEED
    check_options(trials, seed, engine)
    return cast(EngineName, engine), trials, cast(int, seed)


def parse_trials(text: str) -> int:
    """'1000000', '1e6', '1_000_000' or '10^6' as a number of trials. Raises `InputError`."""
    written = text.strip().replace("_", "").replace(",", "")
    match = re.fullmatch(r"(\d{1,13})(?:\.0*)?(?:[eE]\+?(\d{1,2}))?|10\^(\d{1,2})", written)
    if match:
        whole, power, ten = match.groups()
        trials: int = 10 ** int(ten) if ten else int(whole) * 10 ** int(power or 0)
        if 1 <= trials <= MOST_TRIALS:
            return trials
    raise InputError(f"--trials is a whole number from 1 to 1e12, such as 1e6, not {text!r}")


def plot_kind(path: str) -> str:
    """The kind of picture that a file's name asks for. Raises `InputError`."""
    kind = Path(path).suffix.lstrip(".").lower()
    if kind not in PLOT_KINDS:
        raise InputError(f"--plot {path}: the name ends in .png, .svg or .pdf")
    refuse_place("--plot", path)
    return kind


def refuse_place(option: str, path: str) -> None:
    """A place where no file can be written."""
    try:
        is_folder, has_folder = stat.S_ISDIR(_mode(path)), Path(path).parent.is_dir()
    except OSError as error:
        raise InputError(f"{option} {shown(path)}: cannot be written ({error.strerror})") from None
    if is_folder or not has_folder:
        why = "Is a directory" if is_folder else "No such file or directory"
        raise InputError(f"{option} {path}: cannot be written ({why})")


def _mode(path: str) -> int:
    """The kind of what stands under a path; 0 where nothing does. Raises `OSError` for impossible names."""
    try:
        return os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0


def draw(figure: Callable[[], Figure], path: Path, kind: str) -> None:
    """Draw a picture into a file, whole or not at all."""
    import matplotlib

    matplotlib.use("Agg")
    picture = BytesIO()
    figure().savefig(picture, format=kind, dpi=150)
    with whole_file(path, "wb") as file:
        file.write(picture.getvalue())
    print(f"plot: {path}", file=sys.stderr)


def _write(result: Result, given: dict[str, Any]) -> None:
    if given["as_json"]:
        sys.stdout.write(result.to_json(indent=1) + "\n")
    elif given["as_csv"]:
        import csv

        rows = result.rows()
        writer = csv.DictWriter(sys.stdout, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    else:
        from mathhammer.cli.render import show

        show(result)
