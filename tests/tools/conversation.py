"""Checks a UCI conversation, recorded by tests/tools/witness.py, line by line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import chess

from tests.tools.lines import line_fault

LINE = re.compile(r"(\d+\.\d+) ([<>]) ?(.*)")
Fault = tuple[str, str]  # kind, and what it was


class Conversation:
    """Follows one conversation. `engine` is the engine's name; `take` yields the faults of a line and keeps `counts`."""

    def __init__(self) -> None:
        self.engine = "?"
        self.counts: Counter[str] = Counter()
        self._chess960 = False
        self._weakened = False
        self._position: tuple[str, list[str]] = ("", [])  # FEN and moves of the last `position`
        self._board = chess.Board()
        self._searching = False
        self._meant = ""  # first move of the last line, whatever its bound
        self._exact: tuple[list[str], int | None] = ([], None)  # moves and mate of the last line without a bound
        self._quit = False

    def take(self, line: str) -> Iterator[Fault]:
        """The next line of the transcript."""
        if line.startswith("# ended with "):
            yield from self._end(int(line.split()[-1]))
        elif found := LINE.fullmatch(line):
            words = found[3].split()
            if words:
                yield from self._hear(words) if found[2] == "<" else self._tell(words)

    def _tell(self, words: list[str]) -> Iterator[Fault]:
        if words[0] == "position":
            self._follow(words)
        elif words[0] == "go" and "perft" not in words:
            self.counts["searches"] += 1
            if self._searching:
                yield "bestmove", "another go before the bestmove"
            self._searching, self._meant, self._exact = True, "", ([], None)
        elif words[0] == "setoption" and "value" in words:
            name = " ".join(words[2 : words.index("value")]).lower()
            if name == "uci_chess960":
                self._chess960 = words[-1].lower() == "true"
            self._weakened |= name in ("uci_limitstrength", "skill level")
        self._quit |= words[0] == "quit"

    def _follow(self, words: list[str]) -> None:
        """Set up the board, or add moves to the board before."""
        end = words.index("moves") if "moves" in words else len(words)
        fen, moves = " ".join(words[1:end]), words[end + 1 :]
        known_fen, known = self._position
        if fen != known_fen or moves[: len(known)] != known or not known:
            start = chess.STARTING_FEN if fen == "startpos" else fen.removeprefix("fen ")
            self._board, known = chess.Board(start, chess960=self._chess960), []
        for text in moves[len(known) :]:
            self._board.push_uci(text)
        self._position = (fen, moves)

    def _hear(self, words: list[str]) -> Iterator[Fault]:
        if words[:2] == ["id", "name"]:
            self.engine = " ".join(words[2:])
        elif words[0] == "info" and "pv" in words and "string" not in words:
            yield from self._judge_line(words)
        elif words[0] == "bestmove":
            yield from self._judge_move(words)

    def _judge_line(self, words: list[str]) -> Iterator[Fault]:
        self.counts["lines"] += 1
        moves = words[words.index("pv") + 1 :]
        if not moves:
            yield "illegal line", f"no move: {' '.join(words)}"
            return
        if fault := line_fault(self._board, moves):
            yield "illegal line", f"{fault}: {' '.join(words)}"
        is_exact = "lowerbound" not in words and "upperbound" not in words
        is_first = "multipv" not in words or words[words.index("multipv") + 1] == "1"
        if is_first:
            self._meant = moves[0]
        if is_exact and is_first:
            mate = int(words[words.index("mate") + 1]) if "mate" in words[: words.index("pv")] else None
            self._exact = (moves, mate)

    def _judge_move(self, words: list[str]) -> Iterator[Fault]:
        if not self._searching:
            yield "bestmove", "one without a go"
        self._searching = False
        self.counts["bestmoves"] += 1
        if len(words) == 1:
            yield "illegal move", "bestmove without a move"
            return
        if words[1] == "(none)":
            if any(self._board.legal_moves):
                yield "illegal move", "bestmove (none) where there is one"
            return
        reply = words[3:4] if words[2:3] == ["ponder"] else []
        if fault := line_fault(self._board, [words[1], *reply]):
            yield "illegal move", f"{' '.join(words)}: {fault}"
        if self._meant not in ("", words[1]) and not self._weakened:
            yield "bestmove", f"plays {words[1]}, but its last line begins with {self._meant}"
        moves, mate = self._exact
        if mate is not None:
            self.counts["final mates"] += 1
            if fault := line_fault(self._board, moves, mate):
                yield "false mate line", f"{fault}: {' '.join(moves)} from {self._board.fen()}"

    def _end(self, status: int) -> Iterator[Fault]:
        self.counts["processes"] += 1
        if status != 0:
            yield "exit status", str(status)
        if self._searching and not self._quit:
            yield "bestmove", "none for the last go"
