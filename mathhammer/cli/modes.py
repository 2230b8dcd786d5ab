"""The command of one mode: arguments from its roles, options from its situation and the common ones."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer
from pydantic.fields import FieldInfo

from mathhammer.cli.answer import answer
from mathhammer.cli.options import NUMBERS, OUTPUT, readings_options, rules_options
from mathhammer.core.game import Game, Mode, Role, is_positional

Parameter = inspect.Parameter


def command(game: Game, mode_name: str) -> Callable[..., None]:
    """A function with the mode's signature that answers its question."""
    mode = game.mode(mode_name)
    parameters = [
        *question_parameters(game, mode),
        *NUMBERS,
        *rules_options(game),
        *OUTPUT,
        *readings_options(game),
    ]
    return with_signature(lambda given: answer(game, mode, given), parameters, _help(mode))


def with_signature(
    function: Callable[[dict[str, Any]], None], parameters: Sequence[Parameter], about: str
) -> Callable[..., None]:
    """A function of keywords with a signature that the command line is made from."""

    def called(**given: Any) -> None:
        function(given)

    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters}
    called.__doc__ = about
    return called


def question_parameters(game: Game, mode: Mode) -> list[Parameter]:
    """Arguments and options that make a question of a mode: units, situation, ruleset."""
    fields = mode.situation.model_fields.items()
    return [
        *(_unit_argument(game, role) for role in mode.roles if not role.many),
        *(_unit_option(game, role) for role in mode.roles if role.many),
        *(_situation_argument(name, info) for name, info in fields if is_positional(info)),
        *(_situation_option(name, info) for name, info in fields if not is_positional(info)),
        *([_ruleset_option(game)] if len(game.ruleset_files) > 1 else []),
    ]


def _help(mode: Mode) -> str:
    names = ", ".join(event.name for event in mode.events)
    measures = ", ".join(measure.name for measure in mode.measures)
    reported = [*([measures] if measures else []), f"events {names}"]
    return f"{mode.about.capitalize()}.\n\nReports {'; '.join(reported)}."


def _unit_argument(game: Game, role: Role) -> Parameter:
    about = f"{role.about}: an id, file.toml or file.toml#id; changes after commas, ID,field=value"
    kind = Annotated[
        str, typer.Argument(help=about, autocompletion=unit_completion(game), show_default=False)
    ]
    return Parameter(role.name, Parameter.POSITIONAL_OR_KEYWORD, annotation=kind)


def _unit_option(game: Game, role: Role) -> Parameter:
    option = typer.Option(
        f"--{role.name.replace('_', '-')}",
        help=f"{role.about}. May be given again.",
        metavar="UNIT@WORD",
        autocompletion=unit_completion(game),
        show_default=False,
    )
    return Parameter(
        f"{role.name}_units", Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[list[str], option]
    )


def _ruleset_option(game: Game) -> Parameter:
    option = typer.Option(
        f"--{game.ruleset_option}",
        metavar="|".join(game.ruleset_files),
        show_default=False,
        help=f"Rules to play by (default {game.default_ruleset}).",
        autocompletion=lambda: list(game.ruleset_files),
    )
    return Parameter("ruleset", Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str, option])


def _situation_argument(name: str, info: FieldInfo) -> Parameter:
    kind = Annotated[str, typer.Argument(help=info.description, show_default=False)]
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=kind)


def _situation_option(name: str, info: FieldInfo) -> Parameter:
    """A flag for a boolean field, else a text option that the situation's model checks."""
    flag = f"--{name.replace('_', '-')}"
    about = (info.description or name).strip()
    if info.annotation is bool:
        option = typer.Option(flag, help=about, show_default=False)
        return Parameter(name, Parameter.KEYWORD_ONLY, default=False, annotation=Annotated[bool, option])
    default = "" if info.default in (None, "") else f" (default {info.default})"
    option = typer.Option(
        flag,
        help=about + default,
        metavar=_metavar(info.annotation),
        show_default=False,
        autocompletion=lambda: list(map(str, _choices(info.annotation))),
    )
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str, option])


def _choices(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) is Literal else ()


def _metavar(annotation: Any) -> str:
    if get_origin(annotation) in (Union, types.UnionType):
        annotation = get_args(annotation)[0]
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    kinds = {str: "TEXT", float: "X"}
    return "|".join(map(str, _choices(annotation))) or kinds.get(annotation, "N")


def unit_completion(game: Game) -> Callable[[str], list[str]]:
    """Ids of shipped units that start with what is typed."""

    def complete(incomplete: str) -> list[str]:
        return [unit_id for unit_id in game.catalogue.ids() if unit_id.startswith(incomplete)]

    return complete
