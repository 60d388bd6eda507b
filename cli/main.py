"""The console script `zobra`: alone it speaks UCI, with arguments it is a command line."""

import os
import sys

from zobra.uci.console import require_streams

TUNABLE = "--tunable"  # speak UCI, and announce the parameters of the search too
NETWORK = (
    "--network"  # and a file: the network to be built in, for a conversation as for any command
)


def main() -> None:
    """Entry point.

    A conversation is imported without anything heavy, so that `uci` is answered at once.
    """
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
        from zobra.uci.loop import converse

        converse(tunable=bool(arguments))
    else:
        from zobra.cli.command_line import app

        first, *words = arguments[0].split() or [""]  # a whole UCI command may come in quotes
        try:
            app([first.lower(), *words, *arguments[1:]])
        except OSError as error:  # of standard output: the disk is full
            sys.exit(f"zobra: {error}")
