"""A finished game, as the journal keeps it.

One object a line: {"index": from 0, "pair": from 0, "round": from 1, "white", "black": names, "opening": {"fen": position where
the engines take over, "name", "root": position where the book moves begin, "moves": [book moves in UCI]}, "result":
"1-0|0-1|1/2-1/2", "reason": mate|time|illegal move|disconnect|stall|resignation|stalemate|insufficient material|fifty-move
rule|threefold repetition|draw adjudication|resign adjudication|move limit|tablebase, "detail": text, "moves": [played moves,
see played_move.py], "start": ISO time, "duration": seconds}.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

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
        """Reads the journal's form. Raises KeyError, TypeError or ValueError."""
        record = cls(**values | {"moves": [PlayedMove.from_json(entry) for entry in values["moves"]]})
        record.points(record.white)
        return record
