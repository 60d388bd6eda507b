"""The player: a game, a searcher, an opening book and endgame tablebases.

A move comes from the book, or else from a search at the strength that the options ask for. The
search is restricted to the moves that the tablebases allow.
"""

import random
import weakref
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from zobra.engine.move import move_text
from zobra.engine.network_file import read_network
from zobra.engine.perft import MAX_DEPTH, PerftStopped, divide
from zobra.engine.position import Game, Position
from zobra.search import bench
from zobra.search.bench_conditions import Conditions
from zobra.search.book import Book, BookMove
from zobra.search.current_move import CurrentMoveWatch
from zobra.search.followed_game import FollowedGame
from zobra.search.jobs import LongJob
from zobra.search.limits import Limits, Report, Result
from zobra.search.listener import Listener
from zobra.search.searcher import BOUNDS_AFTER, Searcher
from zobra.search.skill import Skill, skill_from_elo, skill_from_level
from zobra.search.tablebase import RootRanking, Tablebase
from zobra.tt.entry import EXACT

NATURAL_SHARES = (0.3, 1.0)  # of the optimum: the time that a limited engine takes for a move
LONG_SEARCH = 100  # milliseconds: so short a search is not watched for its current move


class Player:
    """Finds moves, on the engine's thread.

    `options` are the values of the engine's options by name; `on_message` gets messages for the
    user.
    """

    def __init__(self, options: dict[str, Any], on_message: Callable[[str], None]) -> None:
        self.followed = FollowedGame()
        self.searcher = Searcher(options["Hash"])
        self.searcher.seed = random.getrandbits(32)  # a limited engine plays different games
        self.book = Book(on_message)
        self.tablebase = Tablebase(on_message)
        self._options = options
        self._on_message = on_message
        self._watch = CurrentMoveWatch()
        weakref.finalize(self, self._watch.close)
        self._listener = Listener()  # of the current search
        self._ranking: RootRanking | None = None  # of its root moves by the endgame tablebases
        self._lines: dict[int, Report] = {}  # its last reports, by rank
        self._natural_share = 0.0  # of the optimum: the time to take for its move

    @property
    def game(self) -> Game:
        """The last game that could be read."""
        return self.followed.game

    def warm_up(self) -> None:
        """Search briefly, so that the first real search does not pay for first calls."""
        self.searcher.search(self.game, Limits(depth=1))
        self.searcher.clear()

    # The setters of options

    def set_hash(self, megabytes: int) -> None:
        """Resize the transposition table; after a MemoryError it keeps its size."""
        self.searcher.resize(megabytes)
        used = self.searcher.tt.megabytes
        if used != megabytes:
            self._on_message(f"Hash is {used} MB, the largest power of two in {megabytes}")

    def set_threads(self, count: int) -> None:
        """Search with this number of threads."""
        self.searcher.threads = count
        if self.searcher.threads_remark:
            self._on_message(self.searcher.threads_remark)

    def clear(self) -> None:
        """Clear the hash table and all histories, because a new game begins."""
        self.searcher.clear()

    def set_eval_file(self, path: str) -> None:
        """Evaluate with the network in this file, or with the built-in one if `path` is empty."""
        self.searcher.use_network(read_network(Path(path)) if path else None)

    def set_book_file(self, path: str) -> None:
        """Use another opening book, or none if `path` is empty."""
        self.book.open(path)

    def set_syzygy_path(self, path: str) -> None:
        """Use the endgame tablebases in these folders, or none if `path` is empty."""
        self.tablebase.open(path)

    # Finding a move

    def legal_moves(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Return the legal moves among these texts, each once; send messages about the others."""
        moves = dict[int, None]()
        for text in dict.fromkeys(texts):
            try:
                moves[self.game.position.parse_move(text)] = None
            except ValueError as error:
                self._on_message(f"searchmoves: {error}")
        return tuple(moves)

    def find_move(
        self, job: LongJob, limits: Limits, choices: Collection[int], listener: Listener
    ) -> Result:
        """Find the best of the `choices`, legal moves of the game's position."""
        self._listener = listener
        self._ranking = None
        self._lines = {}
        self._natural_share = 0.0
        analyses = limits.infinite or limits.mate is not None or self._options["UCI_AnalyseMode"]
        book_move = None if analyses else self._choose_from_book(choices)
        if book_move is not None:
            return self._play_from_book(book_move)

        self._prepare_searcher(limits, analyses)
        if self.searcher.skill is None:  # tables would make a weak player a perfect one
            self._ranking = self._rank(job, limits, keep_all=analyses)
            if self._ranking is not None:
                listener.on_tablebase(self._ranking)
                limits = limits._replace(searchmoves=self._ranking.moves)
        elif self._options["Natural Time"] and len(choices) > 1:
            source = random.Random(self.game.position.key)
            self._natural_share = source.uniform(*NATURAL_SHARES)
        job.attach(self.searcher)
        try:
            result = self.searcher.search(self.game, limits, self._report)
        finally:
            self._watch.end()
        listener.on_searched(self.searcher.statistics)
        return result

    def wait_natural_time(self, job: LongJob) -> None:
        """Wait until a limited engine has used a natural share of its time, or is stopped."""
        if self._natural_share > 0:
            job.wait_until_stopped(self.searcher.time.time_until(self._natural_share))

    def repeat_lines(self) -> None:
        """Report the last lines again, because a GUI forgets earlier ones after a ponderhit."""
        for _, report in sorted(self._lines.items()):
            self._listener.on_report(report)

    def _skill(self) -> Skill | None:
        """Return the strength to play at; UCI_LimitStrength takes precedence over Skill Level."""
        if self._options["UCI_LimitStrength"]:
            return skill_from_elo(self._options["UCI_Elo"])
        return skill_from_level(self._options["Skill Level"])

    def _prepare_searcher(self, limits: Limits, analyses: bool) -> None:
        """Pass the values of the options to the searcher. An analysis has full strength."""
        skill = None if analyses else self._skill()
        self.searcher.skill = skill
        if skill is not None and (limits.depth is not None or (limits.nodes or 0) > skill.nodes):
            self._on_message(f"at this limited strength at most {skill.nodes} nodes are searched")
        self.searcher.multipv = self._options["MultiPV"]
        self.searcher.bounds_after = 0 if self._options["UCI_AnalyseMode"] else BOUNDS_AFTER
        self.searcher.time.overhead = self._options["Move Overhead"]
        self.searcher.time.node_time.rate = self._options["nodestime"]

    def _choose_from_book(self, choices: Collection[int]) -> BookMove | None:
        if not self._options["OwnBook"]:
            return None
        self.book.variety = self._options["Book Variety"]
        return self.book.choose(self.game.position, choices)

    def _play_from_book(self, found: BookMove) -> Result:
        text = move_text(found.move, self._options["UCI_Chess960"])
        self._on_message(
            f"book move {text} from {self.book.path.name}, weight {found.weight} of {found.total}"
        )
        line = (found.move, found.reply) if found.reply else (found.move,)
        value = self.searcher.evaluate(self.game.position)
        self._listener.on_report(
            Report(
                depth=0,
                selective_depth=0,
                score=value,
                bound=int(EXACT),
                nodes=0,
                milliseconds=0,
                hashfull=0,
                pv=line,
            )
        )
        return Result(found.move, found.reply)

    def _rank(self, job: LongJob, limits: Limits, keep_all: bool) -> RootRanking | None:
        """Rank the root moves by the endgame tablebases."""
        self.tablebase.probe_limit = self._options["SyzygyProbeLimit"]
        self.tablebase.fifty_move_rule = self._options["Syzygy50MoveRule"]
        keep_all = keep_all or self.searcher.multipv > 1
        return self.tablebase.rank(self.game, limits, keep_all, lambda: job.stopped)

    def _report(self, report: Report) -> None:
        if report.milliseconds >= LONG_SEARCH and not self._watch.is_watching:
            self._watch.begin(lambda: self.searcher.progress, self._listener.on_current_move)
        if self._ranking is not None:
            report = self._ranking.adjust(report)
        self._lines[report.multipv] = report
        self._listener.on_report(report)

    # Counting

    def perft(self, job: LongJob, depth: int, on_move: Callable[[int, int], None]) -> int | None:
        """Return the number of leaves at `depth` plies, or None after a stop.

        Report the number of leaves below each move.
        """
        if not 1 <= depth <= MAX_DEPTH:
            raise ValueError(f"perft takes a depth from 1 to {MAX_DEPTH}")
        total = 0
        try:
            for move, leaves in divide(self.game.position, depth, lambda: job.stopped):
                total += leaves
                on_move(move, leaves)
        except PerftStopped:
            return None
        return total

    def bench(self, job: LongJob, conditions: Conditions, on_line: Callable[[str], None]) -> bool:
        """Run a bench with the current parameters and network; return False after a stop."""
        searcher = Searcher(conditions.megabytes, parameters=self.searcher.parameters)
        searcher.threads = conditions.threads
        searcher.network = self.searcher.network
        job.attach(searcher)
        try:
            for line in bench.run(searcher, conditions, lambda: job.stopped):
                if job.stopped:
                    return False
                on_line(line)
        except PerftStopped:
            return False
        return True

    def flip(self) -> None:
        """Exchange the colours of the position."""
        board = self.game.position.to_board(chess960=True).mirror()
        self.followed.set_up(Game(Position.from_board(board)))
