"""An engine in this process, with the methods of python-chess' `SimpleEngine`; and what is computed
without a search.
"""

from collections.abc import Iterable, Mapping

import chess
import chess.engine
import numpy as np
from chess.engine import Cp, InfoDict, Limit, Mate, PlayResult, PovScore, PovWdl

from zobra.engine.fen import check_board
from zobra.engine.move import move_text
from zobra.engine.network import BATCH, EVALUATIONS, built_in_network, evaluate_batch
from zobra.engine.perft import count_leaves
from zobra.engine.position import Game, Position
from zobra.engine.scores import is_mate, mate_in_moves
from zobra.search import engine as search_engine
from zobra.search.limits import ClockTimes, Limits, Report, Result
from zobra.search.listener import Collector
from zobra.search.wdl import material_of, normalised, wdl

LARGEST = 2**53  # limit: milliseconds, plies, nodes or moves


def position(board: chess.Board | Position) -> Position:
    """Zobra's position of a board; ValueError if chess or Chess960 cannot be played from there."""
    if isinstance(board, Position):
        return board
    if board.uci_variant != "chess":
        raise ValueError(f"Zobra plays chess and Chess960, not {board.uci_variant}")
    check_board(board)
    return Position.from_board(board)


def evaluate(boards: Iterable[chess.Board | Position]) -> np.ndarray:
    """Return static evaluations by the built-in network: one int64 for each board, in centipawns
    for White, as the scores of a search are.
    """
    positions = [position(board) for board in boards]
    batch, scores = np.zeros(1, EVALUATIONS), np.zeros(len(positions), np.int64)
    for start in range(0, len(positions), BATCH):
        part = positions[start : start + BATCH]
        batch["positions"][0, : len(part)] = [each.record for each in part]
        evaluate_batch(built_in_network()[0], batch[0], len(part))
        scores[start : start + BATCH] = [
            normalised(int(score)) for score in batch["scores"][0, : len(part)]
        ]
    return scores


def perft(board: chess.Board | Position, depth: int) -> int:
    """Number of sequences of `depth` legal moves; depth 1 counts the legal moves.

    ValueError for a depth above 32.
    """
    return count_leaves(position(board), depth)


class Engine:
    """Zobra, with a transposition table of `hash` MiB and a number of threads.

    One search at a time. What a search learns is kept for the next one, until `new_game`.
    """

    def __init__(self, *, hash: int = 32, threads: int = 1) -> None:
        if hash < 1 or threads < 1:
            raise ValueError(f"hash and threads are at least 1, not {hash} and {threads}")
        self._engine = search_engine.Engine()
        self._engine.load().wait()  # before the clock of the first search runs
        self.configure({"Hash": hash, "Threads": threads})

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the running search and the threads. An engine that is forgotten does so too."""
        self._engine.close()

    def configure(self, options: Mapping[str, int | bool | str | None]) -> None:
        """Set options by their UCI names (docs/options.md); None presses a button.

        ValueError or MemoryError says what cannot be set; it then stays as it was.
        """
        for name, value in options.items():
            self._engine.set_option(name, value).wait()

    def new_game(self) -> None:
        """Forget what earlier searches have learned."""
        self._engine.new_game().wait()

    def stop(self) -> None:
        """End the running search, from another thread; it returns what it has found."""
        self._engine.stop()

    def analyse(
        self,
        board: chess.Board,
        limit: Limit,
        *,
        multipv: int | None = None,
        root_moves: Iterable[chess.Move] | None = None,
    ) -> InfoDict | list[InfoDict]:
        """Search a board: one InfoDict, or a list of the `multipv` best lines, the best first.

        Neither a book nor a limit of strength is used. The moves on the board's stack count for
        repetition. ValueError for a board or limit that cannot be searched.
        """
        self.configure({"UCI_AnalyseMode": True})
        infos = self._search(board, limit, 1 if multipv is None else multipv, root_moves)[1]
        return infos[0] if multipv is None else infos

    def play(
        self, board: chess.Board, limit: Limit, *, root_moves: Iterable[chess.Move] | None = None
    ) -> PlayResult:
        """Search a board for the move to play; no move where the game is over."""
        self.configure({"UCI_AnalyseMode": False})
        result, infos = self._search(board, limit, 1, root_moves)
        best = _move(result.best, board) if result.best else None
        ponder = _move(result.ponder, board) if result.ponder else None
        return PlayResult(best, ponder, infos[0])

    def _search(
        self,
        board: chess.Board,
        limit: Limit,
        multipv: int,
        root_moves: Iterable[chess.Move] | None,
    ) -> tuple[Result, list[InfoDict]]:
        game = Game(position(board.root()))
        for move in board.move_stack:
            game.push(game.position.parse_move(move.uci()) if move else 0)
        position(board)
        if not any(board.legal_moves):
            score = PovScore(Mate(0) if board.is_check() else Cp(0), board.turn)
            return Result(0, 0), [InfoDict(score=score, pv=[], depth=0)]
        moves = None
        if root_moves is not None:
            moves = tuple(game.position.parse_move(move.uci()) for move in root_moves)
        limits = _limits(limit, moves)
        collector = Collector()
        self.configure({"MultiPV": multipv})
        self._engine.set_game(game)
        search = self._engine.go(limits, collector)
        try:
            search.wait()
        except BaseException:  # Ctrl-C, above all
            self._engine.stop()
            raise
        material = material_of(game.position)
        infos = [_info(report, board, material) for _, report in sorted(collector.lines.items())]
        return collector.result, infos


def _milliseconds(seconds: float | None) -> int | None:
    if seconds is not None and not abs(1000 * seconds) <= LARGEST:  # infinite, or no number
        raise ValueError(
            f"a time is a number of seconds, not {seconds}; a limit that is left out is none"
        )
    return None if seconds is None else round(1000 * seconds)


def _limits(limit: Limit, searchmoves: tuple[int, ...] | None) -> Limits:
    white, black, *increments = map(
        _milliseconds, (limit.white_clock, limit.black_clock, limit.white_inc, limit.black_inc)
    )
    clock = None
    if white is not None or black is not None:
        clock = ClockTimes(
            white, black, increments[0] or 0, increments[1] or 0, limit.remaining_moves
        )
    movetime = None if limit.time is None else max(1, _milliseconds(limit.time) or 0)
    given = [
        number for number in (movetime, limit.depth, limit.nodes, limit.mate) if number is not None
    ]
    if (clock is None and not given) or not all(1 <= number <= LARGEST for number in given):
        raise ValueError(
            "a search needs a limit from 1 to 2**53: time, depth, nodes, mate or a clock, "
            f"not {limit}"
        )
    if searchmoves == ():
        raise ValueError("root_moves has no move")
    return Limits(limit.depth, limit.nodes, movetime, limit.mate, clock, searchmoves=searchmoves)


def _move(move: int, board: chess.Board) -> chess.Move:
    return chess.Move.from_uci(move_text(move, board.chess960))


def _info(report: Report, board: chess.Board, material: float) -> InfoDict:
    score = (
        Mate(mate_in_moves(report.score)) if is_mate(report.score) else Cp(normalised(report.score))
    )
    info = InfoDict(
        score=PovScore(score, board.turn),
        wdl=PovWdl(chess.engine.Wdl(*wdl(report.score, material)), board.turn),
        pv=[_move(move, board) for move in report.pv],
        depth=report.depth,
        seldepth=report.selective_depth,
        multipv=report.multipv,
        nodes=report.nodes,
        nps=report.nodes * 1000 // max(1, report.milliseconds),
        time=report.milliseconds / 1000,
        hashfull=report.hashfull,
        tbhits=report.tablebase_hits,
    )
    if report.bound:
        bound = "lowerbound" if report.bound > 0 else "upperbound"
        info[bound] = True  # type: ignore[literal-required]
    return info
