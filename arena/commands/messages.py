"""How the commands speak to the user: errors as messages, exit after Ctrl-C, the console."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn

import typer
from rich.console import Console

from zobra.arena.formats.text import counted, printable
from zobra.arena.runner.processes import interruptible

MAX_PROBLEMS_SHOWN = 20
BAD_INPUT = 2  # the exit status after an error, as typer has it for wrong options
CRASHED = 5  # the exit status if an engine crashed in more than a tenth of its games
INTERRUPTED = 130  # the exit status after Ctrl-C, as shells have it


@contextmanager
def errors_as_messages(command: str) -> Iterator[None]:
    """Turn errors that a user can correct, such as those of a file, into a line of a command.

    After Ctrl-C the command ends with status 130.
    """
    try:
        with interruptible():
            yield
    except typer.Exit:
        raise
    except (OSError, ValueError, RuntimeError, OverflowError) as error:
        end_with_error(command, error)
    except KeyboardInterrupt:
        typer.echo("interrupted; nothing new was kept")
        raise typer.Exit(INTERRUPTED) from None


def end_with_error(command: str, error: Exception, status: int = BAD_INPUT) -> NoReturn:
    """End a command with one line about an error; for a file it begins with the file's name."""
    text = str(error)
    if isinstance(error, OSError) and error.filename:
        text = f"{error.filename}: {error.strerror}"
    typer.echo(f"zobra {command}: {printable(text, longest=1000)}", err=True)
    raise typer.Exit(status) from error


@contextmanager
def wrong_options() -> Iterator[None]:
    """Turn a ValueError about the words of the command line into an error that shows the usage."""
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(printable(str(error), longest=1000)) from error


def plain_console() -> Console:
    """Return a console that prints names and paths unchanged.

    Characters that the output's encoding lacks become question marks.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(markup=False, highlight=False, emoji=False)


def print_problems(console: Console, problems: Sequence[str]) -> None:
    """Print the first few problems of input files, and the number of the others."""
    for problem in problems[:MAX_PROBLEMS_SHOWN]:
        console.print(printable(problem), style="yellow", soft_wrap=True)
    more = len(problems) - MAX_PROBLEMS_SHOWN
    if more > 0:
        console.print(counted(more, "more problem"), style="yellow")


def command_line() -> str:
    """Return the running command, quoted for a shell."""
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
