"""The console script `zobra`: alone it speaks UCI, with arguments it is a command line."""

from __future__ import annotations

import sys

ONE_SHOT = ("uci", "isready", "go", "d", "eval", "position", "compiler")  # UCI commands that may stand alone


def main() -> None:
    """Entry point. The conversation is imported without anything heavy, so that `uci` is answered at once."""
    if len(sys.argv) > 1 and sys.argv[1].lower() in ONE_SHOT:
        from zobra.uci.one_shot import run

        run(sys.argv[1:])
    elif len(sys.argv) > 1:
        from zobra.uci.command_line import app

        app()
    else:
        from zobra.uci.loop import converse

        converse()


if __name__ == "__main__":
    main()
