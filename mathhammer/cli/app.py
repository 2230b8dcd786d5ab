"""The tree of commands. Games and modes are listed from their cards; rules load when a mode is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from mathhammer import plain as plain_card
from mathhammer.core.errors import InputError, unknown
from mathhammer.core.version import VERSION
from mathhammer.games import cards, load

SETTINGS = {"help_option_names": ["--help", "-h"]}
PLAIN: dict[str, Any] = {"rich_markup_mode": None, "pretty_exceptions_enable": False}

DECISIONS = {
    "sweep": "many matchups at once: units, fields, options and rules over values and ranges",
    "compare": "candidates side by side against what you expect to meet, also for their points",
    "needs": "what a field must be for a chance, and the worth of one step of each field",
    "army": "which list under a budget, and who takes on whom",
}
DECISION_EXAMPLES = {
    "sweep": "sweep charge 9 --over needed=5..12 --over reroll=none,one,any",
    "compare": "compare charge 9 --over dice=2d6,3d6kh2,3d6kl2",
    "needs": "needs charge 9 --over movement --chance 80%",
    "army": "army GAME MODE list.toml enemies.toml --budget 1000",
}
PLAIN_DECISIONS = ("sweep", "compare", "needs")  # those that make sense without units


class LazyGroup(TyperGroup):
    """A group whose commands are made when they are called; their one-line helps are known before."""

    what = "command"
    lazy: Mapping[str, tuple[str, Callable[[], Any]]] = {}

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in the order of help."""
        return list(self.lazy)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command, made now; None when there is none."""
        return self.lazy[cmd_name][1]() if cmd_name in self.lazy else None

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """As the base, with the nearest names for an unknown one."""
        if args and args[0] not in self.lazy and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise unknown(self.what, args[0], self.lazy)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Names with their one-line helps, without loading anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (about, _) in self.lazy.items()])


def root() -> TyperGroup:
    """The whole command line."""
    from mathhammer.cli import catalogue

    commands: dict[str, tuple[str, Callable[[], Any]]] = {
        card: (f"{module.TITLE}: {module.ABOUT}", partial(game, card)) for card, module in cards().items()
    }
    commands |= {mode: (about, partial(plain, mode)) for mode, about in plain_card.MODES.items()}
    commands |= {verb: (about, partial(decision, verb)) for verb, about in DECISIONS.items()}
    commands["games"] = ("the games, their modes and rulesets", partial(single, catalogue.games))
    commands["units"] = ("shipped units: list, search, show", partial(single, catalogue.units))
    commands["rules"] = ("a game's rules as data: values, origins, notes", partial(single, catalogue.rules))
    app = typer.Typer(
        cls=_group("game or command", commands), context_settings=SETTINGS, epilog=_examples(), **PLAIN
    )
    app.callback(invoke_without_command=True)(_start)
    return as_text(typer.main.get_command(app))  # type: ignore[no-any-return]


def _start(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Combat probabilities for tabletop miniature wargames, simulated and exact side by side."""
    if version:
        typer.echo(f"mathhammer {VERSION}")
        raise typer.Exit()
    if ctx.invoked_subcommand is None:
        typer.echo(short_help())
        raise typer.Exit()


def short_help() -> str:
    """What is shown without arguments: what it is, three examples that work, where to go on."""
    lines = ["mathhammer GAME MODE UNIT... [options]: chances of a matchup, simulated and exact", ""]
    shown = [module.EXAMPLES[0] for module in cards().values()][:2]
    shown.append(("units kow ogre", "find units"))
    lines += [f"  mathhammer {command:<54}  {about}" for command, about in shown]
    lines += ["", f"Games: {', '.join(f'{card} ({m.TITLE})' for card, m in cards().items())}"]
    return "\n".join([*lines, "More: mathhammer --help, mathhammer kow --help, mathhammer kow melee --help"])


def _examples() -> str:
    return f"Example: mathhammer {next(iter(cards().values())).EXAMPLES[0][0]}"


def _group(what: str, commands: Mapping[str, tuple[str, Callable[[], Any]]]) -> type[LazyGroup]:
    return type("Group", (LazyGroup,), {"what": what, "lazy": commands})


def plain(mode: str) -> Any:
    """The command of a plain question, which is of no game."""
    from mathhammer.cli.modes import command

    example = f"Example: mathhammer {plain_card.EXAMPLES[mode]}"
    return single(command(plain_card.load(), mode), name=mode, epilog=example)


def game(card: str) -> TyperGroup:
    """A game's group of modes."""
    module = cards()[card]

    def mode_command(mode: str) -> Any:
        from mathhammer.cli.modes import command

        examples = [line for line, _ in module.EXAMPLES if line.startswith(f"{card} {mode} ")]
        return single(command(load(card), mode), name=mode, epilog=f"Example: mathhammer {examples[0]}")

    commands = {mode: (about, partial(mode_command, mode)) for mode, about in module.MODES.items()}
    examples = [command for command, _ in module.EXAMPLES]
    return _of_commands(card, f"{card}: mode", commands, f"{module.TITLE}: {module.ABOUT}.", examples)


def decision(verb: str) -> TyperGroup:
    """The games and plain questions that a decision command takes."""
    made: dict[str, tuple[str, Callable[[], Any]]] = {
        card: (f"{module.TITLE}: {module.ABOUT}", partial(decision_modes, verb, card))
        for card, module in cards().items()
    }
    if verb in PLAIN_DECISIONS:
        made |= {
            mode: (about, partial(_decided, verb, plain_card.ID, mode))
            for mode, about in plain_card.MODES.items()
        }
    return _of_commands(verb, f"{verb}: game", made, f"{DECISIONS[verb]}.", [DECISION_EXAMPLES[verb]])


def decision_modes(verb: str, card: str) -> TyperGroup:
    """The modes of a game that a decision command takes."""
    module = cards()[card]
    made: dict[str, tuple[str, Callable[[], Any]]] = {
        mode: (about, partial(_decided, verb, card, mode)) for mode, about in module.MODES.items()
    }
    return _of_commands(card, f"{card}: mode", made, f"{DECISIONS[verb]}, in {module.TITLE}.", [])


def _decided(verb: str, card: str, mode: str) -> Any:
    from mathhammer.cli.decisions import command

    record = plain_card.load() if card == plain_card.ID else load(card)
    return single(command(verb, record, mode), name=mode)


def _of_commands(
    name: str, what: str, made: Mapping[str, tuple[str, Callable[[], Any]]], about: str, examples: list[str]
) -> TyperGroup:
    """A group of lazily made commands that shows its help when none is given."""
    app = typer.Typer(
        name=name,
        cls=_group(what, made),
        context_settings=SETTINGS,
        add_completion=False,
        help=about,
        epilog="\n\n".join(f"Example: mathhammer {example}" for example in examples),
        **PLAIN,
    )

    @app.callback(invoke_without_command=True)
    def start(ctx: typer.Context) -> None:
        if ctx.invoked_subcommand is None:
            typer.echo(ctx.get_help())
            raise typer.Exit()

    start.__doc__ = None
    return as_text(typer.main.get_command(app))  # type: ignore[no-any-return]


def single(function: Callable[..., None], name: str | None = None, epilog: str | None = None) -> TyperCommand:
    """One command from one function."""
    app = typer.Typer(add_completion=False, **PLAIN)
    app.command(name=name, cls=OnceCommand, context_settings=SETTINGS, epilog=epilog)(function)
    return as_text(typer.main.get_command(app))  # type: ignore[no-any-return]


class OnceCommand(TyperCommand):
    """A command that refuses a second value for an option that takes one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As the base. Raises `InputError` with a line for each option given more than once."""
        if not ctx.resilient_parsing:
            _, _, given = self.make_parser(ctx).parse_args(args=list(args))
            twice = [option for option in self.params if _takes_one(option) and given.count(option) > 1]
            if twice:
                raise InputError(*(f"{option.opts[0]} takes one value: give it once" for option in twice))
        return super().parse_args(ctx, args)


def _takes_one(parameter: Any) -> bool:
    """Whether a parameter is an option with one value (a flag that is there twice says nothing else)."""
    return parameter.param_type_name == "option" and not parameter.multiple and not parameter.is_flag


def as_text(command: Any) -> Any:
    """The command, its parameters left as they are typed."""
    for parameter in command.params:
        parameter.get_runtime_param = Text
    return command


class Text:
    """What is typed stays text: the situation's and unit's models check it, in words of their own.

    It stands in for a pydantic adapter an option, which would cost more than answering the question.
    """

    def coerce(self, value: object, **_: object) -> object:
        """The value as it was typed."""
        return value
