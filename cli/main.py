"""The console script `zobra`: alone it speaks UCI, with arguments it is a command line."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

TUNABLE = "--tunable"  # speak UCI, and announce the parameters of the search too
# And a file: the first value of EvalFile, for a conversation and for commands of UCI
NETWORK = "--network"
COMPLETION = "_ZOBRA_COMPLETE"  # set by a shell that wants to know how a command line may go on
INTERRUPTED = 130  # the exit status after Ctrl-C, as shells have it


def main() -> None:
    """Entry point.

    A conversation is imported without anything heavy, so that `uci` is answered at once.
    """
    # Until a command runs, Ctrl-C ends the process at once: there is nothing to tidy up, and an
    # exception in the middle of an import would be shown with a traceback.
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
        from zobra.engine.version import VERSION

        _run(lambda: print(f"Zobra {VERSION}", flush=True))
        return
    from zobra.cli.command_line import app

    signal.signal(signal.SIGINT, handler)
    _run(lambda: app(_words(arguments), obj=network))


def _take_network(arguments: list[str]) -> str:
    """Remove --network FILE from the arguments, and return the file, or nothing.

    What is no network ends the process with a message.
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
    """Return the words of a command line; a whole UCI command may come in quotes."""
    if not arguments:
        return []
    first, *others = arguments[0].split() or [""]
    return [first.lower(), *others, *arguments[1:]]


def _run(command: Callable[[], None]) -> None:
    """Run a command. What ends it before it has begun, or while it prints, becomes a message."""
    try:
        command()
    except OSError as error:  # of standard output: the disk is full
        sys.exit(f"zobra: {error}")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
