"""What was typed after a command, as checked values: each reader raises `InputError` for its own part."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mathhammer.analysis.question import SITUATION, parse_rules
from mathhammer.analysis.run import DEFAULT_SEED, DEFAULT_TRIALS, MOST_TRIALS, check_options
from mathhammer.core.checks import shown
from mathhammer.core.errors import InputError, gathered
from mathhammer.core.game import Mode, Role, is_positional
from mathhammer.core.profiles import plain

PLOT_KINDS = ("png", "svg", "pdf")

Given = Mapping[str, Any]  # options and arguments by parameter


def read(given: Given, *readers: Callable[[Given], Any]) -> list[Any]:
    """What each reader makes of what was given. Raises `InputError` with the lines of all that fail."""
    return gathered(*(lambda reader=reader: reader(given) for reader in readers))


# -- the question ----------------------------------------------------------------------------------
def role_given(role: Role, given: Given) -> Any:
    """What was given for a role: a text, or a list of texts where it takes many."""
    return given[f"{role.name}_units" if role.many else role.name] or []


def situation_given(mode: Mode, given: Given) -> dict[str, Any]:
    """The options that were given, as plain values."""
    told = {name: given[name] for name in mode.situation.model_fields}
    there = {name: value for name, value in told.items() if value is not None and value is not False}
    return {name: _typed(mode, name, value) for name, value in there.items()}


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


def rules_given(given: Given) -> dict[str, Any]:
    """The ruleset, and the rules that are set: the last arguments of `ask`, `make_grid`, `make_campaign`."""
    rules = parse_rules(given.get("rule") or [])
    return {"ruleset": given.get("ruleset"), "rules_file": given.get("rules"), "rules": rules}


@contextmanager
def as_typed(mode: Mode, *, once: bool = False) -> Iterator[None]:
    """Errors of the situation name its options as they are typed. once: equal lines are told once."""
    try:
        yield
    except InputError as error:
        lines = dict.fromkeys(error.typed) if once else error.typed
        raise InputError(*(_spelled(mode, line) for line in lines)) from None


def _spelled(mode: Mode, line: str) -> str:
    """Field names at the start, and wherever the line names several, as options."""
    start = f"{SITUATION}: "
    if not line.startswith(start):
        return line
    line = line.removeprefix(start)
    for name, info in sorted(mode.situation.model_fields.items(), key=lambda item: -len(item[0])):
        typed = name if is_positional(info) else f"--{name.replace('_', '-')}"
        line = re.sub(rf"(^|\band ){name}\b", rf"\1{typed}", line)
    return line


# -- numbers ---------------------------------------------------------------------------------------
def numbers_given(given: Given) -> dict[str, Any]:
    """Engine, trials and seed, by the names that they have everywhere."""
    engine = given["engine"]
    if engine == "exact" and (given["trials"] or given["seed"]):
        name = "--trials" if given["trials"] else "--seed"
        raise InputError(f"{name} does not go with --engine exact: nothing is simulated")
    trials = parse_trials(given["trials"]) if given["trials"] is not None else DEFAULT_TRIALS
    seed = plain(given["seed"]) if given["seed"] is not None else DEFAULT_SEED
    check_options(trials, seed, "simulate" if engine == "auto" else engine)
    return {"engine": engine, "trials": trials, "seed": seed}


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


# -- output ----------------------------------------------------------------------------------------
def refuse_output(given: Given) -> None:
    """Options that contradict each other or say nothing."""
    if given["as_json"] and given["as_csv"]:
        raise InputError("--json and --csv: give one of them")
    if given["as_csv"] and given.get("readings"):
        raise InputError("--readings does not go with --csv: take --json")
    if given.get("rules") is not None and not given["rules"].strip():
        raise InputError("--rules: give a file, such as mine.toml")


def plot_given(given: Given) -> Path | None:
    """Where a picture goes, its kind by its ending."""
    if given["plot"] is None:
        return None
    path = Path(given["plot"])
    if plot_kind(path) not in PLOT_KINDS:
        raise InputError(f"--plot {given['plot']}: the name ends in .png, .svg or .pdf")
    refuse_place("--plot", given["plot"])
    return path


def plot_kind(path: Path) -> str:
    """The kind of picture that a file's name asks for."""
    return path.suffix.lstrip(".").lower()


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
