"""One `go` while the kernels are being compiled: the simple player's thinking, its limits, and its one bestmove."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import chess

from zobra.engine.scores import MAX_PLY
from zobra.search.time_management import time_budget
from zobra.uci.commands import Go
from zobra.uci.go_limits import limits_of
from zobra.uci.output import inform, say
from zobra.uci.report import ending_texts, score_text
from zobra.uci.simple_player import SimplePlayer, Thought


def parse_move(board: chess.Board, text: str) -> chess.Move:
    """The legal move that a UCI text names, castling in either notation; ValueError if there is none."""
    try:
        if move := board.parse_uci(text.lower()):
            return move
    except ValueError:
        pass
    raise ValueError(f"{text!r} is not a legal move here")  # passing is none, either


class SimpleSearch:
    """The search of a `go` line, in a thread of its own. Without a board the answer is (none)."""

    def __init__(self, command: Go, board: chess.Board | None, overhead: int, chess960: bool) -> None:
        self._command, self._board, self._chess960 = command, board, chess960
        self._limits = limits_of(command)
        self._budget = time_budget(self._limits, board is None or board.turn, overhead)
        self._begin = self._counted_from = time.monotonic()
        self._stopped = threading.Event()
        self._released = threading.Event()  # by `stop`, or by `ponderhit`: before, a search that ponders has no limits
        self._lock = threading.Lock()  # of the right to have the last word
        self._is_settled = False
        if not self._limits.ponder:
            self._released.set()
        self.thread = threading.Thread(target=self._run, daemon=True, name="search")
        self.thread.start()

    def stop(self) -> None:
        """End it now."""
        self._stopped.set()
        self._released.set()

    def ponderhit(self) -> None:
        """Time counts from now on."""
        if not self._released.is_set():
            self._counted_from = time.monotonic()
            self._released.set()

    def is_bound(self) -> bool:
        """Is it running, and has to be ended here, because time is?"""
        timed = self._released.is_set() and self._budget.maximum is not None
        return (timed or self._stopped.is_set()) and not self._is_settled

    def give_up(self) -> Go | None:
        """The command, to be carried out by somebody else from now on; None if it has to be ended here."""
        with self._lock:
            if self._is_settled or self.is_bound():
                return None
            self._is_settled = True
        was_pondering = not self._released.is_set()
        self.stop()
        return replace(self._command, ponder=was_pondering)

    def _run(self) -> None:
        try:
            line = [] if self._board is None else self._think(self._board)
        except Exception as error:  # a fault must cost this search at most, not the game
            inform(f"error in search: {type(error).__name__}: {error}")
            line = [next(iter(self._board.legal_moves))] if self._board else []
        (self._stopped if self._limits.infinite else self._released).wait()
        with self._lock:
            if self._is_settled:
                return
            self._is_settled = True
        best, reply = [*self._texts(line[:2]), "", ""][:2]
        say(f"bestmove {best or '(none)'}" + (f" ponder {reply}" if reply else ""))

    def _think(self, board: chess.Board) -> list[chess.Move]:
        legal = list(board.legal_moves)
        if not legal:
            for text in ending_texts(board.is_check()):
                say(text)
            return []
        choices = list(dict.fromkeys(self._chosen(board))) or legal
        deepest = min(self._limits.depth or MAX_PLY, MAX_PLY)

        told: list[Thought] = []

        def is_enough(thought: Thought) -> bool:
            self._tell(thought)
            told.append(thought)
            return self._is_enough(thought, len(choices))

        best = SimplePlayer(board, self._is_over).think(choices, range(1, deepest + 1), is_enough)
        if told[-1:] != [best]:
            self._tell(best)
        return list(best.line)

    def _chosen(self, board: chess.Board) -> Iterator[chess.Move]:
        for text in dict.fromkeys(self._command.searchmoves):
            try:
                yield parse_move(board, text)
            except ValueError as error:
                inform(f"searchmoves: {error}")

    def _is_over(self, nodes: int) -> bool:
        limits, limit = self._limits, self._budget.maximum
        if self._stopped.is_set() or (limits.nodes is not None and nodes > limits.nodes):
            return True
        return limit is not None and self._released.is_set() and self._elapsed(self._counted_from) >= limit

    def _is_enough(self, thought: Thought, choices: int) -> bool:
        limits, budget = self._limits, self._budget
        if limits.infinite or not self._released.is_set():
            return False
        if limits.mate is not None and thought.mate is not None and abs(thought.mate) <= limits.mate:
            return True
        if budget.optimum is None:
            return False
        return choices == 1 or thought.mate is not None or self._elapsed(self._counted_from) >= budget.optimum

    def _tell(self, thought: Thought) -> None:
        milliseconds = int(self._elapsed(self._begin))
        speed = thought.nodes * 1000 // max(milliseconds, 1)
        say(
            f"info depth {thought.depth} score {score_text(thought.score)} nodes {thought.nodes} nps {speed} "
            f"time {milliseconds} pv {' '.join(self._texts(thought.line))}"
        )

    def _elapsed(self, since: float) -> float:
        return (time.monotonic() - since) * 1000

    def _texts(self, line: Sequence[chess.Move]) -> list[str]:
        """Moves in UCI's words, from the board on."""
        texts = []
        board = self._board.copy(stack=False) if self._board else chess.Board()
        for move in line:
            texts.append(board.uci(move, chess960=self._chess960))
            board.push(move)
        return texts
