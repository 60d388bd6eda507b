"""XBoard engines, where python-chess expects more of them than many can do."""

import chess.engine

from zobra.arena.clock import TimeControl
from zobra.arena.protocol import TimedProtocol

# settings whose values python-chess assumes (one core, 16 MB) although it never sent them
_ASSUMED = ("cores", "memory")


class Features(dict):
    """XBoard features. python-chess insists on setboard; without it an engine can still play from the start position."""

    sets_up = False

    def __setitem__(self, name: str, value: int | str) -> None:
        if name == "setboard":
            self.sets_up, value = bool(value), 1
        super().__setitem__(name, value)


class XBoard(TimedProtocol, chess.engine.XBoardProtocol):
    """An XBoard engine."""

    answers = ("move",)
    greetings = ("feature",)

    def __init__(self) -> None:
        super().__init__()
        self.features: Features = Features(setboard=1)

    async def initialize(self) -> None:
        """Starts the conversation, and forgets the settings that python-chess only assumes, so that it sends them."""
        await super().initialize()
        for name in _ASSUMED:
            self.config.pop(name, None)
            self.target_config.pop(name, None)

    def line_received(self, line: str) -> None:
        super().line_received(line)
        if line.startswith("move ") and self.command is not None:
            self.loop.call_soon(self._end_of_failed, self.command)  # after python-chess has read the line itself

    @staticmethod
    def _end_of_failed(command: chess.engine.BaseCommand) -> None:
        """python-chess never ends a move that was cancelled or illegal, and would wait forever before the next command."""
        if command.result.done() and not command.finished.done():
            command.set_finished()

    def problem(self, chess960: bool, from_start: bool, control: TimeControl) -> str:
        """Why the engine cannot play such games; empty if it can."""
        if chess960 and "fischer" not in str(self.features.get("variants")):
            return "does not play Chess960"
        if not self.features.sets_up and not from_start:
            return "cannot be given positions; use a PGN or Polyglot book"
        if control.nodes is not None and (control.base_ms is not None or control.movetime is not None):
            return "takes nodes or time as its limit, not both (XBoard)"
        if control.nodes is not None and not self.features.get("nps"):
            return "cannot be held to a number of nodes (XBoard)"
        return ""
