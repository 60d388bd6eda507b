"""The console script `zobra`: alone it speaks UCI, with arguments it is a command line."""

import signal
import sys
from pathlib import Path

TUNABLE = "--tunable"  # speak UCI, and announce the parameters of the search too
NETWORK = "--network"  # and a file: begin with this value of EvalFile
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
    network = ""
    if arguments[:1] == [NETWORK]:
        network = take_network(arguments)
    converses = arguments in ([], [TUNABLE])
    require_streams("output", *(("input",) if converses else ()))
    if converses:
        from zobra.uci.dispatcher import converse

        converse(tunable=bool(arguments), network=network)
    else:
        from zobra.cli.command_line import app

        signal.signal(signal.SIGINT, handler)
        first, *words = arguments[0].split() or [""]  # a whole UCI command may come in quotes
        try:
            app([first.lower(), *words, *arguments[1:]], obj=network)
        except OSError as error:  # of standard output: the disk is full
            sys.exit(f"zobra: {error}")
        except KeyboardInterrupt:  # before the command has begun
            sys.exit(INTERRUPTED)


def take_network(arguments: list[str]) -> str:
    """Remove `--network FILE` from the arguments, and return the file if it is a network.

    The process ends with a message if it is not.
    """
    if not arguments[1:]:
        sys.exit(f"zobra: {NETWORK} needs a file")
    from zobra.engine.network_file import read_network

    path = str(Path(arguments[1]).absolute())
    try:
        read_network(Path(path))
    except ValueError as error:
        sys.exit(f"zobra: {error}")
    del arguments[:2]
    return path
