"""The console script `zobra`: alone it speaks UCI, with arguments it is a command line."""

import os
import sys
from pathlib import Path

TUNABLE = "--tunable"  # speak UCI, and announce the parameters of the search too
NETWORK = "--network"  # and a file: the network to be built in, for a conversation as for any command


def main() -> None:
    """Entry point. A conversation is imported without anything heavy, so that `uci` is answered at once."""
    arguments = sys.argv[1:]
    if arguments[:1] == [NETWORK]:
        path = Path(*arguments[1:2])
        del arguments[:2]
        os.environ["ZOBRA_NETWORK"] = str(path.absolute())  # read when the engine is imported, here and in child processes
        try:
            from zobra.engine.network_file import read_network

            read_network(path)
        except ValueError as error:
            sys.exit(f"zobra: {error}")
    converses = arguments in ([], [TUNABLE])
    for name, stream in (("output", sys.stdout), ("input", sys.stdin if converses else sys.stdout)):
        if stream is None:  # the next file that is opened would take its place
            print(f"zobra: standard {name} is closed", file=sys.stderr or sys.stdout)
            sys.exit(1)
    if converses:
        from zobra.uci.loop import converse

        converse(tunable=bool(arguments))
    else:
        from zobra.uci.command_line import app

        first, *words = arguments[0].split() or [""]  # a whole UCI command may come in quotes
        try:
            app([first.lower(), *words, *arguments[1:]])
        except OSError as error:  # of standard output: the disk is full
            sys.exit(f"zobra: {error}")
