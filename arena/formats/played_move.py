"""A move as it was played, with what its engine reported: kept in the journal, written to PGN
comments and read from them.
"""

import math
import re
from dataclasses import dataclass
from typing import Any

import chess
import chess.pgn

# "+0.31/12 0.101s" by cutechess, fastchess and Zobra; "+M5" and "-M4" count plies
_COMMENT = re.compile(
    r"(?:^|\s)(?P<score>[+-]?(?:M\d+|\d+(?:\.\d+)?))/(?P<depth>\d+)(?:\s+(?P<seconds>\d+(?:\.\d+)?)s?\b)?"
)
_SECONDS = re.compile(r"^(\d+(?:\.\d+)?)s\b")
_NODES = re.compile(r"\bn=(\d+)")


@dataclass(frozen=True)
class PlayedMove:
    """One move of a game; None is not known.

    `score` (centipawns) or `mate` (moves) are as the mover sees them; `depth` is in plies.
    `milliseconds` is the time that the move took, `clock_ms` what the mover's clock showed after
    it.
    """

    move: chess.Move
    score: int | None = None
    mate: int | None = None
    depth: int | None = None
    nodes: int | None = None
    milliseconds: float | None = None
    clock_ms: float | None = None

    def pawns(self, limit: float) -> float | None:
        """The score in pawns, cut off at plus and minus `limit`, where mates stand."""
        if self.mate is not None:
            return limit if self.mate > 0 else -limit
        return None if self.score is None else max(-limit, min(limit, self.score / 100))

    def to_json(self) -> list[Any]:
        """The journal's form: [UCI move, score, mate, depth, nodes, milliseconds, clock_ms]."""
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
        """Reads the journal's form; older journals have no clock. Raises ValueError."""
        if not isinstance(entry, list) or not 6 <= len(entry) <= 7 or not isinstance(entry[0], str):
            raise ValueError(f"{entry!r} is not a played move")
        if not all(
            value is None or (type(value) in (int, float) and math.isfinite(value))
            for value in entry[1:]
        ):
            raise ValueError(f"{entry!r} has a value that is not a number")
        return cls(chess.Move.from_uci(entry[0]), *entry[1:])

    def to_comment(self) -> str:
        """The comment of the move in PGN: "+0.31/12 0.101s, n=52311"; "+M5" is a mate in 5 plies,
        as other runners write it.
        """
        if self.mate is not None:
            value = f"+M{2 * self.mate - 1}" if self.mate > 0 else f"-M{-2 * self.mate}"
        else:
            value = "" if self.score is None else f"{self.score / 100:+.2f}"
        parts = [f"{value}/{self.depth or 0}"] if value else []
        if self.milliseconds is not None:
            parts.append(f"{self.milliseconds / 1000:.3f}s")
        return " ".join(parts) + (f", n={self.nodes}" if self.nodes else "")

    @classmethod
    def from_node(cls, node: chess.pgn.ChildNode) -> "PlayedMove":
        """Reads a move of a PGN game with its comment, as cutechess, fastchess, lichess and Zobra
        write them. [%eval], which is from White's view, and [%clk], [%emt] go before the runners'
        own form.
        """
        found = _COMMENT.search(node.comment)
        score = mate = depth = None
        if found:
            sign, digits = -1 if found["score"].startswith("-") else 1, found["score"].lstrip("+-")
            depth = int(found["depth"]) or None
            if digits.startswith("M"):
                mate = sign * ((int(digits[1:]) + 1) // 2)  # the comment counts plies
            else:
                score = round(sign * float(digits) * 100)
        if evaluation := node.eval():
            relative = evaluation.pov(not node.turn())
            # after a mating move "#0" is written, which engines call a mate in 1
            score, mate, depth = (
                relative.score(),
                1 if relative.mate() == 0 else relative.mate(),
                node.eval_depth() or depth,
            )
        clock, spent = node.clock(), node.emt()
        if spent is None and (
            seconds := (found and found["seconds"]) or (_SECONDS.findall(node.comment) or [None])[0]
        ):
            spent = float(seconds)
        nodes = _NODES.search(node.comment)
        return cls(
            node.move,
            score,
            mate,
            depth,
            int(nodes[1]) if nodes else None,
            None if spent is None else spent * 1000,
            None if clock is None else clock * 1000,
        )
