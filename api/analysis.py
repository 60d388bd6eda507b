"""A search as python-chess' `SimpleAnalysisResult`: infos to iterate over, and the best move."""

import threading
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import chess
from chess.engine import (
    AnalysisComplete,
    BestMove,
    Cp,
    Info,
    InfoDict,
    Mate,
    PovScore,
    PovWdl,
    Score,
    Wdl,
)

from zobra.api.board import python_move
from zobra.engine.position import Position
from zobra.engine.scores import is_mate, mate_in_moves
from zobra.search.jobs import POLL, LongJob
from zobra.search.limits import Report, Result
from zobra.search.listener import Listener
from zobra.search.wdl import material_of, normalised, wdl
from zobra.tt.entry import EXACT, LOWER

OF_SCORE = ("score", "lowerbound", "upperbound")


class InfoStream(Listener):
    """Collects a search's infos: the unread ones, the last one of each line, and the result.

    The engine's thread writes and other threads read, all under the condition `changed`.
    """

    def __init__(self, board: chess.Board, position: Position, selected: Info) -> None:
        self.changed = threading.Condition()
        self.unread: deque[InfoDict] = deque()
        self.lines: list[InfoDict] = [InfoDict()]
        self.best = BestMove(None, None)
        self.finished = False
        self._turn = board.turn
        self._chess960 = board.chess960
        self._material = material_of(position)
        self._selected = selected

    def on_report(self, report: Report) -> None:
        """Add the info of a line."""
        self._post(report.multipv, self._info(report))

    def on_no_moves(self, in_check: bool) -> None:
        """Add the info of a finished game."""
        score = Mate(0) if in_check else Cp(0)
        self._post(1, InfoDict(score=PovScore(score, self._turn), pv=[], depth=0))

    def on_result(self, result: Result) -> None:
        """Store the best move, and wake all threads that wait for it."""
        with self.changed:
            self.best = BestMove(
                python_move(result.best, self._chess960),
                python_move(result.ponder, self._chess960),
            )
            self.finished = True
            self.changed.notify_all()

    def _post(self, rank: int, info: InfoDict) -> None:
        info = select(info, self._selected)
        if not info:
            return
        with self.changed:
            while len(self.lines) < rank:
                self.lines.append(InfoDict())
            self.lines[rank - 1] = info
            self.unread.append(info.copy())
            self.changed.notify_all()

    def _info(self, report: Report) -> InfoDict:
        score: Score = Cp(normalised(report.score))
        if is_mate(report.score):
            score = Mate(mate_in_moves(report.score))
        moves = (python_move(move, self._chess960) for move in report.pv)
        info = InfoDict(
            score=PovScore(score, self._turn),
            wdl=PovWdl(Wdl(*wdl(report.score, self._material)), self._turn),
            pv=[move for move in moves if move is not None],
            depth=report.depth,
            seldepth=report.selective_depth,
            multipv=report.multipv,
            nodes=report.nodes,
            nps=report.nodes * 1000 // max(1, report.milliseconds),
            time=report.milliseconds / 1000,
            hashfull=report.hashfull,
            tbhits=report.tablebase_hits,
        )
        if report.bound != EXACT:
            name = "lowerbound" if report.bound == LOWER else "upperbound"
            info[name] = True  # type: ignore[literal-required]
        return info


def select(info: InfoDict, selected: Info) -> InfoDict:
    """Return the parts of an info that the caller has asked for."""
    if not selected:
        return InfoDict()
    found = info.copy()
    if not selected & Info.SCORE:
        for key in OF_SCORE:
            found.pop(key, None)  # type: ignore[misc]
    if not selected & Info.PV:
        found.pop("pv", None)
    return found


class Search(NamedTuple):
    """A search in progress: the engine's job, and the stream that it writes to."""

    job: LongJob
    stream: InfoStream


class Analysis:
    """A running search: iterate over its infos, wait for its result, or stop it.

    The methods are those of python-chess' `SimpleAnalysisResult`. The end of a `with` block stops
    the search.
    """

    def __init__(self, engine: object, search: Search) -> None:
        self._engine = engine  # it ends its search when it is forgotten, so it is kept
        self._job = search.job
        self._stream = search.stream

    @property
    def info(self) -> InfoDict:
        """The last info of the best line."""
        return self.multipv[0]

    @property
    def multipv(self) -> list[InfoDict]:
        """The last info of each line, best line first."""
        with self._stream.changed:
            return [info.copy() for info in self._stream.lines]

    def stop(self) -> None:
        """Stop the search as soon as possible."""
        with self._stream.changed:
            if not self._stream.finished:  # a later search goes on
                self._job.stop()

    def wait(self) -> BestMove:
        """Wait for the end of the search, and return the best move."""
        self._job.wait()
        return self._stream.best

    def would_block(self) -> bool:
        """Return True if `get`, `next` or the next step of an iteration would wait."""
        with self._stream.changed:
            return not self._stream.unread and not self._stream.finished

    def empty(self) -> bool:
        """Return True if all infos so far have been read; more may follow."""
        with self._stream.changed:
            return not self._stream.unread

    def get(self) -> InfoDict:
        """Wait for the next info and return it.

        Raise AnalysisComplete if the search is over and all infos have been read.
        """
        with self._stream.changed:
            while not self._stream.unread:
                if self._stream.finished:
                    raise AnalysisComplete
                self._stream.changed.wait(POLL)
            return self._stream.unread.popleft()

    def next(self) -> InfoDict | None:
        """Wait for the next info and return it, or return None after the last one."""
        try:
            return self.get()
        except AnalysisComplete:
            return None

    def __iter__(self) -> Iterator[InfoDict]:
        return self

    def __next__(self) -> InfoDict:
        try:
            return self.get()
        except AnalysisComplete:
            raise StopIteration from None

    def __enter__(self) -> "Analysis":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
