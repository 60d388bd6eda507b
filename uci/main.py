"""The console script `zobra`: alone it speaks UCI, with arguments it is a command line."""

from __future__ import annotations

import sys

ONE_SHOT = ("uci", "isready", "go", "d", "eval", "position", "compiler")  # UCI commands that may stand alone
HELP = "--help"
TUNABLE = "--tunable"  # speak UCI, with the numbers of the search as options


def main() -> None:
    """Entry point. The conversation is imported without anything heavy, so that `uci` is answered at once."""
    arguments = sys.argv[1:]
    if arguments in ([], [TUNABLE]):
        from zobra.uci.loop import converse

        converse(tunable=bool(arguments))
    elif arguments[0].lower() in ONE_SHOT and HELP not in arguments:
        from zobra.uci.one_shot import run

        run(arguments)
    else:
        from zobra.uci.command_line import app

        app([HELP] if arguments[0].lower() in ONE_SHOT else arguments)  # it ends with a word on those


if __name__ == "__main__":
    main()
