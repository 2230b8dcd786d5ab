"""Options as data: the kinds there are, and those that every question of one matchup has."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import Parameter
from typing import Annotated, Any, get_args

import typer

from mathhammer.analysis.run import DEFAULT_SEED, EngineName
from mathhammer.core.game import Game


def option(name: str, kind: Any, default: Any, about: str, **settings: Any) -> Parameter:
    """An option `--name` of a command, as a parameter of its function."""
    made = typer.Option(f"--{name}", show_default=False, help=about, **settings)
    key = f"as_{name}" if name in ("json", "csv") else name.replace("-", "_")
    return Parameter(key, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, made])


def text(name: str, metavar: str, about: str, default: str | None = None) -> Parameter:
    """An option that takes a text."""
    return option(name, str, default, about, metavar=metavar)


def repeated(name: str, metavar: str, about: str) -> Parameter:
    """An option that may be given again."""
    return option(name, list[str], None, about, metavar=metavar)


def flag(name: str, about: str) -> Parameter:
    """An option that is there or not."""
    return option(name, bool, False, about)


def word(name: str, known: Sequence[str], about: str) -> Parameter:
    """An option that takes one of a few words, the first of them by default."""
    words = list(known)
    return option(name, str, words[0], about, metavar="|".join(words), autocompletion=lambda: list(words))


SEED = text("seed", "N", f"Seed of the simulation (default {DEFAULT_SEED}).")
NUMBERS = [
    text("trials", "N", "Trials, 1 to 1e12 (default 1e6)."),
    SEED,
    word("engine", get_args(EngineName), "Which numbers (default both)."),
]
RULES = [
    repeated("rule", "KEY=VALUE", "Set a rule of the ruleset. May be given again."),
    text("rules", "FILE.toml", "Set rules from a file of key = value lines."),
]
OUTPUT = [
    flag("json", "Write JSON."),
    flag("csv", "Write CSV, a row for each value."),
    text("plot", "FILE.png|svg|pdf", "Also draw the distribution into a file."),
    flag("explain", "Show the stages that lead to the answer, each with its rule and mean."),
]
READINGS = [flag("readings", "Also tell how each other reading of an assumed rule moves the answer.")]


def rules_options(game: Game) -> list[Parameter]:
    """Options that set rules, of games that have some to set."""
    return RULES if game.rules.model_fields else []


def readings_options(game: Game) -> list[Parameter]:
    """The option that tries other readings, of games that have rules to read."""
    return READINGS if game.rules.model_fields else []
