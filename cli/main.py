"""The console script `zobra`: alone it speaks UCI, with arguments it is a command line."""

import os
import signal
import sys
from collections.abc import Callable

TUNABLE = "--tunable"  # speak UCI, and announce the parameters of the search too
# And a file: the network in the place of the built-in one, for a conversation as for any command
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
    _choose_network(arguments)
    if COMPLETION not in os.environ and arguments in ([], [TUNABLE]):
        require_streams("output", "input")
        from zobra.uci.dispatcher import converse

        converse(tunable=bool(arguments))
        return

    require_streams("output")
    if arguments in (["--version"], ["version"]):  # without the libraries of the command line
        from zobra.engine.version import VERSION

        _run(lambda: print(f"Zobra {VERSION}", flush=True))
        return
    from zobra.cli.command_line import app

    signal.signal(signal.SIGINT, handler)
    _run(lambda: app(_words(arguments)))


def _choose_network(arguments: list[str]) -> None:
    """Take --network FILE from the arguments, and check the network if one is named."""
    if arguments[:1] == [NETWORK]:
        if len(arguments) == 1:
            sys.exit(f"zobra: {NETWORK} needs a file")
        # For this process and its children
        os.environ["ZOBRA_NETWORK"] = os.path.abspath(arguments[1])
        del arguments[:2]
    elif arguments in ([], [TUNABLE]):
        return  # a conversation says so itself, when it loads the engine
    if "ZOBRA_NETWORK" not in os.environ:
        return
    try:
        from zobra.engine.network_file import BUILT_IN, read_network

        read_network(BUILT_IN)
    except ValueError as error:
        sys.exit(f"zobra: {error}")


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
