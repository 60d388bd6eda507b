"""Every line that a search tells is legal to its end; and a mate that it promises in the end is there, move by move.

The judge is python-chess (tests/tools/lines.py). The positions are those of Zobra's games against itself, which end in mates
often enough, and the mate problems of ../shared/data/mates where they are at hand.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import chess
import pytest

from tests.tools.lines import line_fault
from zobra.engine.fen import parse_fen
from zobra.engine.game import Game
from zobra.engine.move import move_text
from zobra.engine.scores import is_mate, mate_in_moves
from zobra.search.limits import Limits, Report
from zobra.search.searcher import Searcher

MATES = Path(__file__).resolve().parents[2] / "shared/data/mates"
OPENING_PLIES = 8


class Judge:
    """Searches, and judges all that is told: `faults` says what was wrong, `seen` how much of what there was."""

    def __init__(self, searcher: Searcher) -> None:
        self.searcher = searcher
        self.faults: list[str] = []
        self.seen: Counter[str] = Counter()

    def search(self, board: chess.Board, game: Game, limits: Limits) -> chess.Move:
        """One search; its move, which is checked too."""
        reports: list[Report] = []
        result = self.searcher.search(game, limits, reports.append)
        self.seen["searches"] += 1
        last = {report.multipv: report for report in reports if report.bound == 0}
        for report in reports:
            self.judge(board, report, report is last.get(report.multipv))
        text = move_text(result.best, board.chess960)
        if self.searcher.multipv == 1 and (not reports or text != move_text(reports[-1].pv[0], board.chess960)):
            self.faults.append(f"{board.fen()}: plays {text}, which is not what it told last")
        if result.ponder:
            self.note(board, line_fault(board, [text, move_text(result.ponder, board.chess960)]), "expected reply")
        return board.parse_uci(text)

    def judge(self, board: chess.Board, report: Report, is_final: bool) -> None:
        """A line, and the mate that it promises: in earlier iterations that may be cut short, which is only counted."""
        line = [move_text(move, board.chess960) for move in report.pv]
        self.seen["lines"] += 1
        if not line:
            self.faults.append(f"{board.fen()}: depth {report.depth} has no line")
        self.note(board, line_fault(board, line), f"depth {report.depth}")
        if is_mate(report.score) and report.bound == 0:
            mate = mate_in_moves(report.score)
            fault = line_fault(board, line, mate)
            self.seen["mates told at last" if is_final else "mates told before"] += 1
            self.seen["of them with another line" if is_final else "mates told before, with another line"] += fault is not None
            if is_final:
                self.note(board, fault, f"depth {report.depth}, {' '.join(line)}")

    def note(self, board: chess.Board, fault: str | None, where: str) -> None:
        if fault:
            start = board.root().fen()
            self.faults.append(f"{start} moves {' '.join(move.uci() for move in board.move_stack)}: {where}: {fault}")


def play(judge: Judge, source: random.Random, nodes: int, chess960: bool = False) -> None:
    """A game of Zobra against itself from a random opening, each search judged."""
    board = chess.Board.from_chess960_pos(source.randrange(960)) if chess960 else chess.Board()
    game = Game(parse_fen(board.fen()))
    judge.searcher.clear()
    while not board.is_game_over(claim_draw=True):
        if board.ply() < OPENING_PLIES:
            move = source.choice(list(board.legal_moves))
        else:
            move = judge.search(board, game, Limits(nodes=source.randrange(nodes // 2, 2 * nodes)))
        game.push(game.position.parse_move(move.uci()))
        board.push(move)


def play_games(games: int, nodes: int, seed: int, lines: int = 1, threads: int = 1) -> Judge:
    judge = Judge(Searcher(1))
    judge.searcher.multipv, judge.searcher.threads = lines, threads
    for number in range(games):
        play(judge, random.Random(f"{seed} {number}"), nodes, chess960=number % 4 == 3)
    return judge


def solve(problems: list[str], nodes: int) -> Judge:
    judge = Judge(Searcher(16))
    for fen in problems:
        judge.searcher.clear()
        judge.search(chess.Board(fen), Game(parse_fen(fen)), Limits(nodes=nodes))
    return judge


def problems(number: int) -> list[str]:
    """Mate problems, evenly drawn from the files at hand."""
    fens = []
    for path in sorted(MATES.glob("*.epd")):
        fens += [chess.Board.from_epd(line)[0].fen() for line in path.read_text().splitlines() if line.strip()]
    return fens[:: max(1, len(fens) // number)][:number]


def test_lines_of_a_few_games():
    judge = play_games(4, 400, seed=1)
    assert judge.seen["searches"] > 200 and not judge.faults, judge.faults


def test_several_lines_at_a_time():
    judge = play_games(1, 1_500, seed=2, lines=4)
    assert judge.seen["searches"] > 40 and not judge.faults, judge.faults


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize(("games", "nodes", "lines", "threads"), [(60, 3_000, 1, 1), (10, 10_000, 3, 1), (20, 5_000, 1, 2)])
def test_lines_of_many_games(games, nodes, lines, threads):
    """pytest -m slow tests/test_lines_told.py"""
    judge = play_games(games, nodes, seed=3, lines=lines, threads=threads)
    assert judge.seen["mates told at last"] > games and not judge.faults, f"{judge.seen}: {judge.faults}"


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.skipif(not MATES.is_dir(), reason="../shared/data/mates is not there")
def test_lines_of_mate_problems():
    """pytest -m slow tests/test_lines_told.py"""
    judge = solve(problems(2_000), 50_000)
    assert judge.seen["mates told at last"] > 150 and not judge.faults, f"{judge.seen}: {judge.faults}"
