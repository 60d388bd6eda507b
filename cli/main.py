"""The console script `zobra`: alone it speaks UCI, with arguments it is a command line."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from zobra.cli.words import NETWORK, ONE_SHOT

TUNABLE = "--tunable"  # speak UCI, with the parameters of the search as options
COMPLETION = "_ZOBRA_COMPLETE"  # set by a shell that asks for completions
INTERRUPTED = 130  # exit status after Ctrl-C, by the convention of shells


def main() -> None:
    """Speak UCI, or run a command.

    Nothing heavy is imported before `uci` is answered.
    """
    # Until a command runs, Ctrl-C kills the process: there is nothing to clean up, and a
    # KeyboardInterrupt in the middle of an import would print a traceback
    handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from zobra.uci.console import require_streams

    arguments = sys.argv[1:]
    network = _take_network(arguments)
    if COMPLETION not in os.environ and arguments in ([], [TUNABLE]):
        require_streams("output", "input")
        from zobra.uci.dispatcher import converse

        converse(tunable=bool(arguments), network=network)
        return

    require_streams("output")
    if arguments in (["--version"], ["version"]):  # without the libraries of the command line
        from zobra.engine.version import full_version

        _run(lambda: print(f"Zobra {full_version()}", flush=True))
        return
    words = _words(arguments)
    if COMPLETION not in os.environ and _is_one_shot(words):  # without them, too
        _run(lambda: _run_one_shot(words, network))
        return
    from zobra.cli.command_line import app

    signal.signal(signal.SIGINT, handler)
    _run(lambda: app(words, obj=network))


def _take_network(arguments: list[str]) -> str:
    """Remove --network FILE from the arguments, and return the absolute path or "".

    Exit with a message if the file is not a network.
    """
    if arguments[:1] != [NETWORK]:
        return ""
    if len(arguments) == 1:
        sys.exit(f"zobra: {NETWORK} needs a file")
    from zobra.engine.network_file import read_network

    path = Path(arguments[1]).absolute()
    try:
        read_network(path)
    except ValueError as error:
        sys.exit(f"zobra: {error}")
    del arguments[:2]
    return str(path)


def _words(arguments: list[str]) -> list[str]:
    """Return the words of a command line, whose first argument may be a whole UCI command."""
    if not arguments:
        return []
    first, *others = arguments[0].split() or [""]
    return [first.lower(), *others, *arguments[1:]]


def _is_one_shot(words: Sequence[str]) -> bool:
    """Return whether the words are a command of UCI without options."""
    has_options = any(len(word) > 1 and word.startswith("-") for word in words)
    return bool(words) and words[0] in ONE_SHOT and not has_options


def _run_one_shot(words: Sequence[str], network: str) -> None:
    from zobra.cli.one_shot import run

    try:
        run(words, network)
    except ValueError as error:
        print(f"zobra: {error}", file=sys.stderr)
        sys.exit(2)


def _run(command: Callable[[], None]) -> None:
    """Run a command. A full disk and Ctrl-C end it without a traceback."""
    try:
        command()
    except OSError as error:  # of standard output
        sys.exit(f"zobra: {error}")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
