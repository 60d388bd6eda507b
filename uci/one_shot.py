"""One UCI command from the command line, carried out to its end: `zobra go depth 10`, `zobra eval`, `zobra compiler`, …

`zobra position …` takes what is to be done with the position behind it (`zobra position startpos moves e2e4 go depth 10`), and
shows the board where there is nothing. Ctrl-C ends a search, which still prints its bestmove.
"""

from __future__ import annotations

import os
import signal

from zobra.uci.commands import SetPosition, Simple, parse
from zobra.uci.console import Console
from zobra.uci.loop import Loop

AFTER_POSITION = ("go", "eval", "flip")  # words that neither a FEN nor a move can be


def split(arguments: list[str]) -> list[str]:
    """The lines that the arguments stand for."""
    words = " ".join(arguments).split()
    if words[0].lower() != "position":
        return [" ".join(words)]
    end = next((index for index, word in enumerate(words) if word.lower() in AFTER_POSITION), len(words))
    return [" ".join(words[:end]), " ".join(words[end:]) or "d"]


def run(arguments: list[str]) -> None:
    """Carry out the command that the arguments make, and end the process: with 1 for a position that cannot be read, and when
    the engine cannot be loaded.
    """
    console = Console()
    loop, status = Loop(console), 0

    def stop(*_: object) -> None:
        loop.interrupt()
        loop.obey(Simple("stop"))

    try:
        for line in split(arguments):
            if (command := parse(line)) is not None:
                if command != Simple("uci"):
                    loop.session()
                signal.signal(signal.SIGINT, stop)
                loop.obey(command)
                if isinstance(command, SetPosition) and not loop.session().readable:
                    status = 1
                    break
        if status == 0 and command != Simple("uci"):
            loop.session().searches.thread.complete()
    except KeyboardInterrupt:  # while the engine was being loaded
        status = 130
    except RuntimeError as error:
        console.inform(f"error: {error}")
        status = 1
    os._exit(status)  # at once, whatever a compilation is doing in its thread
