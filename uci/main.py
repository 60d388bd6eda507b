"""The console script `zobra`: alone it speaks UCI, with arguments it is a command line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

TUNABLE = "--tunable"  # speak UCI, and announce the parameters of the search too
NETWORK = "--network"  # and a file: the network to be built in, for a conversation as for any command


def main() -> None:
    """Entry point. A conversation is imported without anything heavy, so that `uci` is answered at once."""
    arguments = sys.argv[1:]
    if arguments[:1] == [NETWORK]:
        build_in(Path(*arguments[1:2]))
        del arguments[:2]
    converses = arguments in ([], [TUNABLE])
    refuse_closed_streams(converses)
    if converses:
        from zobra.uci.loop import converse

        converse(tunable=bool(arguments))
    else:
        from zobra.uci.command_line import app

        first, *words = arguments[0].split() or [""]  # a whole UCI command may come in quotes
        app([first.lower(), *words, *arguments[1:]])


def build_in(path: Path) -> None:
    """Have this network built in, with kernels of its width, here and in child processes; end with 1 if it cannot be used."""
    os.environ["ZOBRA_NETWORK"] = str(path.absolute())  # read when the engine is imported
    try:
        from zobra.engine.network_file import read_network

        read_network(path)
    except ValueError as error:
        sys.exit(f"zobra: {error}")


def refuse_closed_streams(converses: bool) -> None:
    """End the process with 1 if standard output is closed, or standard input where a conversation needs it.

    Otherwise the next file that is opened would take the place of the closed stream.
    """
    streams = {"standard output": sys.stdout, "standard input": sys.stdin if converses else sys.stdout}
    for name, stream in streams.items():
        if stream is None:
            print(f"zobra: {name} is closed", file=sys.stderr or sys.stdout)
            sys.exit(1)


if __name__ == "__main__":
    main()
