"""The interface through which the server's threads use a session."""

import json
from typing import Any

from zobra.arena.formats.files import typed
from zobra.arena.formats.pgn import write_game
from zobra.arena.formats.text import printable
from zobra.arena.play.analysis import GameAnalysis
from zobra.arena.play.background import Background
from zobra.arena.play.feed import EVALUATION, STATE, Feed
from zobra.arena.play.new_game import NewGame
from zobra.arena.play.session import Session
from zobra.arena.play.view import evaluation_view, state_view

_PLAIN = ("take_back", "resign", "offer_draw", "ask_for_hint", "retry")  # without arguments


class Door:
    """Gives the server's threads access to a session, and publishes every change in `feed`."""

    def __init__(self, session: Session, background: Background, feed: Feed) -> None:
        self._session = session
        self._background = background
        self._feed = feed
        session.on_change = self._publish
        background.call(self._publish)

    def _publish(self) -> None:
        self._feed.publish(EVALUATION, json.dumps(evaluation_view(self._session)))
        self._feed.publish(STATE, json.dumps(state_view(self._session)))

    def refresh(self) -> None:
        """Publish the session as it is now: its clocks run between two changes."""
        self._background.call(self._publish)

    def execute(self, message: Any) -> None:
        """Carry out a command of the page: {"command": its name, and its arguments}.

        Raise ValueError if it is not understood or cannot be carried out now.
        """
        command = _text(message, "command")
        if command == "move":
            self._background.call(self._session.move, _text(message, "text"))
        elif command == "evaluate":
            wanted = message.get("wanted")
            if not isinstance(wanted, bool):
                raise ValueError("evaluate: wanted must be true or false")
            self._background.call(self._session.evaluate, wanted)
        elif command == "new_game":
            try:
                wishes = typed(NewGame, message.get("wishes"), "wishes")
            except TypeError as error:
                raise ValueError(str(error)) from error
            self._background.call(self._session.new_game, wishes)
        elif command in _PLAIN:
            self._background.call(getattr(self._session, command))
        else:
            raise ValueError(f"unknown command {printable(command, 40)}")

    def pgn(self) -> str:
        """Return the game as PGN."""
        return self._background.call(lambda: write_game(self._session.game.to_pgn()) + "\n")

    def analyse(self) -> int:
        """Return the number of the game's analysis, and start it if necessary. Raise ValueError."""

        def number() -> int:
            return self._session.analyses.index(self._session.analyse())

        return self._background.call(number)

    def analysis(self, number: str) -> GameAnalysis | None:
        """Return the analysis with this number, or None if there is none."""

        def found() -> GameAnalysis | None:
            analyses = {str(index): each for index, each in enumerate(self._session.analyses)}
            return analyses.get(number)

        return self._background.call(found)


def _text(message: Any, name: str) -> str:
    """Return a string of a message. Raise ValueError."""
    value = message.get(name) if isinstance(message, dict) else None
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a string")
    return value
