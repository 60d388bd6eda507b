"""A finished game, as the journal keeps it.

One object a line: {"index": from 0, "pair": from 0, "round": from 1, "white", "black": names, "opening": {"fen": position where
the engines take over, "name", "root": position where the book moves begin, "moves": [book moves in UCI]}, "result":
"1-0|0-1|1/2-1/2", "reason": mate|time|illegal move|disconnect|stall|resignation|stalemate|insufficient material|fifty-move
rule|threefold repetition|draw adjudication|resign adjudication|move limit|tablebase, "detail": text, "moves": [played moves,
see played_move.py], "start": ISO time, "duration": seconds}.
"""

from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from typing import Any

import chess

from zobra.arena.files import printable, typed
from zobra.arena.played_move import PlayedMove
from zobra.arena.schedule import Pairing

POINTS_OF_WHITE = {"0-1": 0, "1/2-1/2": 1, "1-0": 2}  # half points, so that they count as integers


@dataclass(frozen=True)
class GameRecord:
    """A finished game; see the top of this file."""

    index: int
    pair: int
    round: int
    white: str
    black: str
    opening: dict[str, Any]
    result: str
    reason: str
    detail: str = ""
    moves: list[PlayedMove] = field(default_factory=list)
    start: str = ""
    duration: float = 0.0

    @property
    def plies(self) -> int:
        """All plies of the game, those of the opening too."""
        return len(self.opening["moves"]) + len(self.moves)

    def belongs_to(self, pairing: Pairing) -> bool:
        """Whether this is the scheduled game."""
        same = (self.index, self.white, self.black) == (pairing.index, pairing.white, pairing.black)
        return same and (self.opening["root"], tuple(self.opening["moves"])) == (pairing.opening.fen, pairing.opening.moves)

    def points(self, name: str) -> int:
        """Half points of one of the engines. Raises KeyError for a result that is none."""
        white = POINTS_OF_WHITE[self.result]
        return white if name == self.white else 2 - white

    def to_json(self) -> dict[str, Any]:
        """The journal's form."""
        return asdict(self) | {"moves": [move.to_json() for move in self.moves]}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "GameRecord":
        """Reads the journal's form. Raises KeyError, TypeError or ValueError for a game that cannot be."""
        moves = [PlayedMove.from_json(entry) for entry in typed(list[Any], values["moves"], "moves")]
        record: GameRecord = typed(cls, values | {"moves": []})
        opening = typed(dict[str, Any], record.opening, "opening")
        for key, kind in (("fen", str), ("root", str), ("name", str), ("moves", list[str])):
            typed(kind, opening[key], f"opening {key}")
        if min(record.index, record.pair, record.round) < 0 or record.result not in POINTS_OF_WHITE:
            raise ValueError(f"result {record.result!r} or a number below 0")
        names: dict[str, Any] = {key: printable(getattr(record, key)) for key in ("white", "black", "reason", "detail")}
        return replace(record, moves=moves, **names)

    def check_moves(self, chess960: bool) -> None:
        """Raises ValueError when a move is not legal where it was played."""
        board = chess.Board(self.opening["root"], chess960=chess960)
        for move in [*map(chess.Move.from_uci, self.opening["moves"]), *(played.move for played in self.moves)]:
            if not board.is_legal(move):
                raise ValueError(f"{move} is not legal in {board.fen()}")
            board.push(move)
        if chess.Board(self.opening["fen"], chess960=chess960).ply() > board.ply():
            raise ValueError("its moves do not begin at its opening")


def now() -> str:
    """The time in ISO format, seconds and zone."""
    return datetime.now(timezone.utc).astimezone().isoformat(timespec="seconds")
