"""The command line: parses, calls one function, renders, maps errors to exit codes."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import Any

PROGRAM = "mathhammer"
OK, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code: 0 fine, 2 bad input, 130 interrupted, 1 anything else."""
    _ready_streams()
    try:
        return _run(list(sys.argv[1:] if args is None else args))
    except KeyboardInterrupt as stopped:
        print(f"\n{PROGRAM}: {': '.join(['interrupted', *map(str, stopped.args)])}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return OK
    except OSError as error:
        _silence_stdout()
        print(f"{PROGRAM}: the output cannot be written ({error.strerror or error})", file=sys.stderr)
        return FAILED


def _ready_streams() -> None:
    """A closed stream swallows what is written; one that lacks a character shows another in its place."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def script() -> None:
    """The installed command: `main`, then gone at once, as taking a thousand modules down takes longer."""
    code = main()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass  # whoever read our output has left
    os._exit(code)


def _run(args: list[str]) -> int:
    gc.set_threshold(100_000)  # imports make many objects and no garbage
    os.environ.setdefault(
        "PYDANTIC_DISABLE_PLUGINS", "1"
    )  # looking for plugins reads every installed package
    import typer

    from mathhammer.cli.app import root
    from mathhammer.core.errors import InputError

    command = root()
    if f"_{PROGRAM.upper()}_COMPLETE" in os.environ:
        command.main(args, prog_name=PROGRAM)
    try:
        with command.make_context(PROGRAM, args) as context:
            command.invoke(context)
        sys.stdout.flush()
    except typer.Exit as leaving:
        sys.stdout.flush()
        return leaving.exit_code
    except typer.TyperException as error:
        return _told([_usage(error)])
    except InputError as error:
        return _told(error.typed)
    except (MemoryError, RecursionError) as error:
        print(f"{PROGRAM}: this needs more than the machine has ({type(error).__name__})", file=sys.stderr)
        return FAILED
    return OK


def _usage(error: Any) -> str:
    """What is wrong with the command; for too few or too many arguments also which ones it takes."""
    told: str = error.format_message().replace("\n", " ").removesuffix(".")
    if type(error).__name__ == "MissingParameter":
        return f"{told}: {error.param.help}" if getattr(error.param, "help", None) else told
    if type(error).__name__ != "UsageError" or error.ctx is None:
        return told
    parameters = error.ctx.command.params
    names = [p.name for p in parameters if p.param_type_name == "argument"]
    if not names:
        return f"{told}; it takes no arguments"
    more = [p.opts[0] for p in parameters if p.metavar == "UNIT@WORD"]
    others = f", more units by {' or '.join(more)}" if more else ""
    return f"{told}; it takes {' and '.join(names)}{others}; a name with blanks goes in quotes"


def _told(lines: Sequence[str]) -> int:
    for line in lines:
        print(f"{PROGRAM}: {_on_one_line(line)}", file=sys.stderr)
    return BAD_INPUT


def _on_one_line(text: str) -> str:
    """Whatever a name holds, it neither breaks the line nor commands the terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _silence_stdout() -> None:
    """Whoever read our output has left: what is still buffered goes nowhere."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
