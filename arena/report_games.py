"""A match folder as the report sees it: run.json, and journal.jsonl with one finished game per line."""

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import chess

from zobra.arena.game_record import GameRecord
from zobra.arena.journal import Journal
from zobra.arena.played_move import PlayedMove
from zobra.arena.results import Results
from zobra.arena.statistics import Sprt

# evaluations are shown no further than this (pawns); a mate stands there too
MOST_PAWNS = 10.0


@dataclass(frozen=True)
class Move:
    """A move with what its engine said of it: pawns from its own view (mates at +-MOST_PAWNS), plies, milliseconds."""

    uci: str
    pawns: float | None
    depth: int | None
    nodes: int | None
    time_ms: float | None

    @classmethod
    def from_journal(cls, entry: PlayedMove) -> "Move":
        """From a played move."""
        return cls(entry.move.uci(), entry.pawns(MOST_PAWNS), entry.depth, entry.nodes, entry.milliseconds)


@dataclass(frozen=True)
class Game:
    """A finished game."""

    record: GameRecord
    moves: list[Move]

    @classmethod
    def from_journal(cls, record: GameRecord) -> "Game":
        """Reads what the journal kept of it. Raises KeyError, TypeError or ValueError."""
        game = cls(record, [Move.from_journal(move) for move in record.moves])
        _ = game._start, record.points(record.white)  # can they be told?
        return game

    @cached_property
    def _start(self) -> int:
        """Plies before the first move, as its position counts them."""
        return chess.Board(self.record.opening["fen"]).ply()

    def turn(self, ply: int) -> chess.Color:
        """Who makes the game's move number `ply`, counted from 0."""
        return (self._start + ply) % 2 == 0

    def mover(self, ply: int) -> str:
        """The name of the engine that makes this move."""
        return self.record.white if self.turn(ply) == chess.WHITE else self.record.black

    def move_number(self, ply: int) -> int:
        """The full-move number of this move."""
        return (self._start + ply) // 2 + 1


@dataclass
class Match:
    """A match so far, its games in the order they were to be played."""

    engines: list[str]
    time_control: str
    created: str
    games: list[Game]
    sprt: Sprt | None = None
    problems: list[str] = field(default_factory=list)

    @cached_property
    def results(self) -> Results:
        """The scores of all engines."""
        return Results(self.engines, (game.record for game in self.games))

    def score(self, name: str, rival: str | None = None) -> tuple[int, int, int]:
        """Wins, draws and losses of an engine, against one rival or all."""
        losses, draws, wins = self.results.trinomial(name, rival)
        return wins, draws, losses

    def score_share(self, name: str) -> float:
        """Points per game, 0 before the first one."""
        wins, draws, losses = self.score(name)
        return (wins + draws / 2) / max(1, wins + draws + losses)


def read_match(folder: Path) -> Match:
    """Reads run.json and journal.jsonl. Lines that are no games become problems. Raises OSError, or ValueError."""
    settings, created = Journal.run_in(folder)
    match = Match([engine.name for engine in settings.engines], settings.time_control, created, [], settings.sprt)
    with (folder / "journal.jsonl").open(encoding="utf-8", errors="replace") as journal:
        for number, line in enumerate(journal, start=1):
            try:
                match.games.append(Game.from_journal(GameRecord.from_json(json.loads(line))))
            except (KeyError, TypeError, ValueError) as error:
                match.problems.append(f"journal.jsonl:{number}: {type(error).__name__}: {error}")
    match.games.sort(key=lambda game: game.record.index)
    return match
