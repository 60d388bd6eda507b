"""A move as it was played, with what its engine reported.

It is stored in the journal, and converted to and from PGN comments.
"""

import math
from dataclasses import dataclass
from typing import Any

import chess
import chess.engine
import chess.pgn

from zobra.arena.formats.move_comment import read_centipawns, read_comment


@dataclass(frozen=True)
class PlayedMove:
    """One move of a game; None means unknown.

    `score` (centipawns) and `mate` (moves) are from the mover's view; `depth` is in plies.
    `milliseconds` is the time that the move took, `clock_ms` the mover's remaining time after it.
    """

    move: chess.Move
    score: int | None = None
    mate: int | None = None
    depth: int | None = None
    nodes: int | None = None
    milliseconds: float | None = None
    clock_ms: float | None = None

    def pawns(self, limit: float) -> float | None:
        """Return the score in pawns, limited to ±`limit`, which is also the value of a mate."""
        if self.mate is not None:
            return limit if self.mate > 0 else -limit
        if self.score is None:
            return None
        return max(-limit, min(limit, self.score / 100))

    def to_json(self) -> list[Any]:
        """Return the journal's form: the move in UCI, then the other fields."""
        return [
            self.move.uci(),
            self.score,
            self.mate,
            self.depth,
            self.nodes,
            self.milliseconds,
            self.clock_ms,
        ]

    @classmethod
    def from_json(cls, entry: Any) -> "PlayedMove":
        """Read the journal's form; older journals have no clock. Raise ValueError."""
        if not isinstance(entry, list) or not 6 <= len(entry) <= 7 or not isinstance(entry[0], str):
            raise ValueError(f"{entry!r} is not a played move")
        if not all(
            value is None or (type(value) in (int, float) and math.isfinite(value))
            for value in entry[1:]
        ):
            raise ValueError(f"{entry!r} has a value that is not a number")
        return cls(chess.Move.from_uci(entry[0]), *entry[1:])

    def to_comment(self) -> str:
        """Return the PGN comment of the move: "+0.31/12 0.101s, n=52311".

        "+M5" is a mate in 5 plies, as in other match programs.
        """
        parts = []
        if self.mate is not None:
            value = f"+M{2 * self.mate - 1}" if self.mate > 0 else f"-M{-2 * self.mate}"
            parts.append(f"{value}/{self.depth or 0}")
        elif self.score is not None:
            parts.append(f"{self.score / 100:+.2f}/{self.depth or 0}")
        if self.milliseconds is not None:
            parts.append(f"{self.milliseconds / 1000:.3f}s")
        comment = " ".join(parts)
        return f"{comment}, n={self.nodes}" if self.nodes else comment

    @classmethod
    def from_node(cls, node: chess.pgn.ChildNode) -> "PlayedMove":
        """Read a move of a PGN game with its comment, as other programs write it.

        [%eval] (from White's view), [%clk] and [%emt] take precedence over the forms of match
        programs.
        """
        comment = read_comment(node.comment)
        score = comment.score
        mate = comment.mate
        depth = comment.depth

        evaluation = node.eval()
        centipawns = read_centipawns(node.comment)
        if centipawns is not None:
            evaluation = chess.engine.PovScore(chess.engine.Cp(centipawns[0]), chess.WHITE)
        if centipawns == (0, 0):  # ChessBase has it for moves that were not searched
            evaluation = None
        if evaluation is not None:
            relative = evaluation.pov(not node.turn())
            score = relative.score()
            # After a mating move "#0" is written, which engines call a mate in 1.
            mate = 1 if relative.mate() == 0 else relative.mate()
            depth = node.eval_depth() or depth

        spent = node.emt()
        milliseconds = comment.milliseconds if spent is None else spent * 1000
        clock = node.clock()
        clock_ms = None if clock is None else clock * 1000
        return cls(node.move, score, mate, depth, comment.nodes, milliseconds, clock_ms)
