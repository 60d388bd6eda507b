"""Every line that a search reports is legal to its end, and that of a final mate score mates.

The judge is python-chess (tests/tools/lines.py). The positions are those of Zobra's games against
itself, and mate problems.
"""

import random
from collections import Counter

import chess
import pytest

from tests.support.paths import SHARED
from tests.tools.lines import line_fault
from zobra.engine.fen import parse_fen
from zobra.engine.move import move_text
from zobra.engine.position import Game
from zobra.engine.scores import is_mate, mate_in_moves
from zobra.search.limits import Limits, Report
from zobra.search.searcher import Searcher
from zobra.tt.entry import EXACT

MATES = SHARED / "data" / "mates"
OPENING_PLIES = 8


class Judge:
    """Searches, and judges all reports: `faults` are texts, `seen` counts what was judged."""

    def __init__(self, megabytes: int = 1) -> None:
        self.searcher = Searcher(megabytes)
        self.faults: list[str] = []
        self.seen: Counter[str] = Counter()

    def search(self, board: chess.Board, game: Game, limits: Limits) -> chess.Move:
        """Search, judge the reports and the result, and return the move.

        The line of a mate score from an earlier iteration may be cut short.
        """
        reports: list[Report] = []
        result = self.searcher.search(game, limits, reports.append)
        self.seen["searches"] += 1
        texts = [move_text(move, board.chess960) for move in (result.best, result.ponder) if move]
        faults = [line_fault(board, texts)]
        last = {report.multipv: report for report in reports if report.bound == EXACT}
        for report in reports:
            line = [move_text(move, board.chess960) for move in report.pv]
            if not line:
                faults.append(f"depth {report.depth} has no line")
            mate = None
            if is_mate(report.score) and report is last.get(report.multipv):
                self.seen["final mates"] += 1
                mate = mate_in_moves(report.score)
            faults.append(line_fault(board, line, mate))
        if self.searcher.multipv == 1 and (not reports or result.best != reports[-1].pv[0]):
            faults.append(f"plays {texts[0]}, which is not its last report")
        start = f"{board.root().fen()} moves {' '.join(move.uci() for move in board.move_stack)}"
        self.faults += [f"{start}: {fault}" for fault in faults if fault]
        return board.parse_uci(texts[0])


def play_games(games: int, nodes: int, seed: int, lines: int = 1, threads: int = 1) -> Judge:
    """Let Zobra play itself from random openings and judge each search.

    Every fourth game is of Chess960.
    """
    judge = Judge()
    judge.searcher.multipv = lines
    judge.searcher.threads = threads
    for number in range(games):
        source = random.Random(f"{seed} {number}")
        board = chess.Board()
        if number % 4 == 3:
            board = chess.Board.from_chess960_pos(source.randrange(960))
        game = Game(parse_fen(board.fen()))
        judge.searcher.clear()
        while not board.is_game_over(claim_draw=True):
            if board.ply() < OPENING_PLIES:
                move = source.choice(list(board.legal_moves))
            else:
                limits = Limits(nodes=source.randrange(nodes // 2, 2 * nodes))
                move = judge.search(board, game, limits)
            game.push(game.position.parse_move(move.uci()))
            board.push(move)
    return judge


@pytest.mark.parametrize(
    ("games", "nodes", "lines", "searches"), [(4, 400, 1, 200), (1, 1_500, 4, 40)]
)
def test_lines_of_a_few_games(games, nodes, lines, searches):
    judge = play_games(games, nodes, seed=lines, lines=lines)
    assert not judge.faults
    assert judge.seen["searches"] > searches


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize(
    ("games", "nodes", "lines", "threads"),
    [(60, 3_000, 1, 1), (10, 10_000, 3, 1), (20, 5_000, 1, 2)],
)
def test_lines_of_many_games(games, nodes, lines, threads):
    judge = play_games(games, nodes, seed=3, lines=lines, threads=threads)
    assert not judge.faults
    assert judge.seen["final mates"] > games


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.skipif(not MATES.is_dir(), reason="../shared/data/mates is not there")
def test_lines_of_mate_problems():
    lines: list[str] = []
    for path in sorted(MATES.glob("*.epd")):
        lines += filter(str.strip, path.read_text().splitlines())
    judge = Judge(16)
    for line in lines[:: max(1, len(lines) // 2_000)]:
        board = chess.Board.from_epd(line)[0]
        judge.searcher.clear()
        judge.search(board, Game(parse_fen(board.fen())), Limits(nodes=50_000))
    assert not judge.faults
    assert judge.seen["final mates"] > 150
