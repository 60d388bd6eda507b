"""A UCI conversation in this process, line by line."""

from zobra.uci.commands import parse
from zobra.uci.console import Console
from zobra.uci.dispatcher import Dispatcher


class Conversation:
    """Carries out lines, and keeps what it prints in `said`."""

    def __init__(self, interactive: bool = False) -> None:
        self.said: list[str] = []
        self.dispatcher = Dispatcher(Console(write=self._note), interactive=interactive)
        self.engine = self.dispatcher.engine

    def _note(self, line: bytes) -> None:
        self.said.append(line.decode().rstrip("\n"))

    def begin(self, *lines: str) -> None:
        """Give lines to the dispatcher, as its `run` does."""
        for line in lines:
            command = parse(line)
            if command is None:
                self.dispatcher._reject(line)
            else:
                self.dispatcher.execute(command)

    def send(self, *lines: str) -> list[str]:
        """Carry out lines to their end, and return what they print."""
        self.said.clear()
        self.begin(*lines)
        self.engine.wait()
        return list(self.said)
