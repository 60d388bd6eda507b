"""The console script `zobra`: alone it speaks UCI, with arguments it is a command line."""

import os
import signal
import sys

TUNABLE = "--tunable"  # speak UCI, and announce the parameters of the search too
NETWORK = (
    "--network"  # and a file: the network to be built in, for a conversation as for any command
)
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
    if asked := arguments[:1] == [NETWORK]:
        if not arguments[1:]:
            sys.exit(f"zobra: {NETWORK} needs a file")
        os.environ["ZOBRA_NETWORK"] = os.path.abspath(
            arguments[1]
        )  # for this process and its children
        del arguments[:2]
    converses = arguments in ([], [TUNABLE])
    if asked or (not converses and "ZOBRA_NETWORK" in os.environ):
        try:
            from zobra.engine.network_file import BUILT_IN, read_network

            read_network(BUILT_IN)
        except ValueError as error:
            sys.exit(f"zobra: {error}")
    require_streams("output", *(("input",) if converses else ()))
    if converses:
        from zobra.uci.dispatcher import converse

        converse(tunable=bool(arguments))
    else:
        from zobra.cli.command_line import app

        signal.signal(signal.SIGINT, handler)
        first, *words = arguments[0].split() or [""]  # a whole UCI command may come in quotes
        try:
            app([first.lower(), *words, *arguments[1:]])
        except OSError as error:  # of standard output: the disk is full
            sys.exit(f"zobra: {error}")
        except KeyboardInterrupt:  # before the command has begun
            sys.exit(INTERRUPTED)
