"""Root moves ranked by real endgame tablebases: results are kept, and wins are won in time.

test_tablebase.py has the same rules with a prober of its own, which needs no tables.
"""

import itertools
import json
import random
from collections.abc import Iterator

import chess
import chess.syzygy
import pytest

from tests.support.endgame_tables import SYZYGY, needs_tables
from tests.support.paths import SHARED
from zobra.engine.fen import parse_fen
from zobra.engine.move import move_text
from zobra.engine.position import Game
from zobra.engine.scores import is_mate
from zobra.search.engine import Engine
from zobra.search.limits import Limits
from zobra.search.listener import Collector
from zobra.search.tablebase import CURSED_WIN, SCORES, WIN, RootRanking, Tablebase

pytestmark = needs_tables
ENDGAMES = SHARED / "data" / "endgames"
FREE = Limits(infinite=True)
WINS = ("KBNk", "KQkr", "KRkn", "KPkp", "KBBk", "KRkp")
MORE_WINS = "KQk KRk KQkn KRkb KPk KQkp KQkq KNPk KBPk KRRk KQRk KRPk KPPk KQkb KNNk KBkp KNkp KRkr"


@pytest.fixture(scope="module")
def tablebase():
    notices: list[str] = []
    tablebase = Tablebase(notices.append)
    tablebase.open(str(SYZYGY))
    assert notices == ["35 WDL and 35 DTZ tables of up to 4 pieces"]
    return tablebase


@pytest.fixture(scope="module")
def prober():
    with chess.syzygy.open_tablebase(str(SYZYGY)) as prober:
        yield prober


def rank(tablebase, game, keep_all=False) -> RootRanking | None:
    return tablebase.rank(game, FREE, keep_all, lambda: False)


def rank_fen(tablebase, fen, keep_all=False) -> RootRanking:
    return rank(tablebase, Game(parse_fen(fen)), keep_all)


def texts(ranking: RootRanking) -> set[str]:
    return {move_text(move) for move in ranking.moves}


def rows(name: str) -> list[dict]:
    path = ENDGAMES / name
    if not path.exists():
        pytest.skip(f"../shared/data/endgames/{name} is not there")
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("number", [120, pytest.param(607, marks=pytest.mark.slow)])
def test_the_moves_kept_are_those_that_keep_the_result(tablebase, number):
    for row in random.Random(6).sample(rows("tb_3_4men.jsonl"), number):
        everything = rank_fen(tablebase, row["fen"], keep_all=True)
        best = rank_fen(tablebase, row["fen"])
        assert everything.wdl == best.wdl == row["wdl"], row
        assert texts(everything) == set(row["keep_result"]), row
        assert set() < texts(best) <= set(row["keep_result"]), row


def test_the_fifty_move_rule_is_optional(tablebase):
    for row in rows("fifty.jsonl"):
        if not row["exact"] or abs(row["dtz"] or 0) < 2:
            continue
        ranking = rank_fen(tablebase, row["fen"])
        is_won = row["expected"] == "win"
        if is_won:
            assert texts(ranking) <= set(row["winning_moves"]), row
        else:
            assert ranking.wdl != WIN, row
        tablebase.fifty_move_rule = False
        assert rank_fen(tablebase, row["fen"]).wdl == WIN, row
        tablebase.fifty_move_rule = True


def boards_of(men: str, source: random.Random) -> Iterator[chess.Board]:
    """Random positions of these men (letters as in FEN), White to move: without end."""
    while True:
        board = chess.Board(None)
        for square, letter in zip(source.sample(chess.SQUARES, len(men)), men, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        if board.is_valid() and not board.is_game_over():
            yield board


def won_boards(
    men: str, source: random.Random, prober: chess.syzygy.Tablebase
) -> Iterator[chess.Board]:
    """Those that White wins."""
    return (board for board in boards_of(men, source) if prober.probe_wdl(board) == WIN)


def best_defence(board: chess.Board, prober: chess.syzygy.Tablebase) -> chess.Move:
    """The move that gets furthest: a draw, or the longest way to the next capture or pawn move."""

    def worth(move: chess.Move) -> tuple[int, int]:
        board.push(move)
        wdl = prober.probe_wdl(board)
        dtz = prober.probe_dtz(board)
        board.pop()
        return -wdl, dtz

    return max(board.legal_moves, key=worth)


def play_out(board, prober, choose) -> None:
    """Let White mate by the moves of `choose(game)`, within the fifty moves."""
    game = Game(parse_fen(board.fen()))
    while not board.is_checkmate():
        assert board.halfmove_clock < 100, board.fen()
        assert not board.is_repetition(3), board.fen()
        assert any(board.legal_moves), board.fen()
        if board.turn == chess.WHITE:
            move = choose(game)
            assert prober.probe_wdl(board) > 0
        else:
            move = game.position.parse_move(best_defence(board, prober).uci())
        board.push(board.parse_uci(move_text(move)))
        game.push(move)
    assert board.turn == chess.BLACK


def play_wins(tablebase, prober, men, number) -> None:
    """Win positions by any of the moves that the ranking leaves.

    In every other one the half-move clock leaves exactly the plies that the win takes.
    """
    source = random.Random(men)
    boards = won_boards(men, source, prober)
    for count in range(number):
        board = next(boards)
        if count % 2:
            board.halfmove_clock = 99 - prober.probe_dtz(board)
        play_out(board, prober, lambda game: source.choice(rank(tablebase, game).moves))


@pytest.mark.parametrize("men", WINS)
def test_wins_are_won_against_the_best_defence_in_time(tablebase, prober, men):
    play_wins(tablebase, prober, men, 4)


@pytest.mark.slow
@pytest.mark.parametrize("men", [*WINS, *MORE_WINS.split()])
def test_many_wins_are_won(tablebase, prober, men):
    play_wins(tablebase, prober, men, 40)


def test_castling_rights_and_too_many_pieces_are_not_probed(tablebase):
    castling = rank_fen(tablebase, "r3k3/8/8/8/8/8/8/4K3 w q - 0 1")
    assert castling.wdl is None
    assert castling.moves is None
    assert rank_fen(tablebase, "4k3/pppp4/8/8/8/8/PPPP4/4K2R w - - 0 1") is None


# In the engine


@pytest.fixture(scope="module")
def engine():
    said: list[str] = []
    engine = Engine(on_message=said.append)
    engine.set_option("SyzygyPath", str(SYZYGY)).wait()
    assert "35 WDL and 35 DTZ tables of up to 4 pieces" in said
    yield engine
    engine.close()


def search(engine: Engine, fen: str, limits: Limits, moves: tuple[str, ...] = ()) -> Collector:
    engine.set_position(fen, moves)
    found = Collector()
    engine.go(limits, found).wait()
    return found


def test_the_engine_wins_by_its_tables(engine, prober):
    board = next(won_boards("KBNk", random.Random(2), prober))
    start = board.fen()
    while not board.is_checkmate():
        moves = tuple(move.uci() for move in board.move_stack)
        found = search(engine, start, Limits(nodes=300), moves)
        line = found.lines[1]
        assert is_mate(line.score) or line.score == SCORES[WIN]
        assert line.tablebase_hits > 0
        assert line.pv[0] == found.result.best
        board.push_uci(move_text(found.result.best))
        if not board.is_game_over():
            board.push(best_defence(board, prober))
        assert board.halfmove_clock < 100


def test_the_engine_probes_no_more_pieces_than_it_may(engine):
    fen = "8/8/4k3/8/8/8/8/KR6 w - - 0 1"
    assert search(engine, fen, Limits(depth=3)).lines[1].tablebase_hits > 0
    engine.set_option("SyzygyProbeLimit", 2)
    line = search(engine, fen, Limits(depth=3)).lines[1]
    assert line.tablebase_hits == 0
    assert line.score != SCORES[WIN]
    engine.set_option("SyzygyProbeLimit", 7)
    with pytest.raises(ValueError, match="no endgame tablebases in /nowhere"):
        engine.set_option("SyzygyPath", "/nowhere").wait()


@pytest.mark.parametrize(("rule", "result"), [(False, WIN), (True, CURSED_WIN)])
def test_the_option_of_the_fifty_move_rule(engine, rule, result):
    engine.set_option("Syzygy50MoveRule", rule)
    found = search(engine, "8/8/8/8/4k3/8/1K1R4/8 w - - 99 100", Limits(depth=3))
    assert found.lines[1].score == SCORES[result]


def result_of(board: chess.Board, move: chess.Move, prober: chess.syzygy.Tablebase) -> int:
    """Return what a move comes to by the tables."""
    board.push(move)
    result = -prober.probe_wdl(board)
    board.pop()
    return result


@pytest.mark.parametrize("men", ["KRk", "KQkr", "KPk", "KRkr", "Kkq", "KNkp"])
@pytest.mark.parametrize("lines", [2, 10])
def test_several_lines_keep_the_result_and_stay_in_order(engine, prober, men, lines):
    """Each line begins with a move that keeps the result of the tables, and has its score."""
    engine.set_option("MultiPV", lines)
    for board in itertools.islice(boards_of(men, random.Random(men)), 3):
        result = prober.probe_wdl(board)
        keeping = {
            board.uci(move)
            for move in board.legal_moves
            if result_of(board, move, prober) == result
        }
        found = search(engine, board.fen(), Limits(depth=6))
        reports = [found.lines[rank] for rank in sorted(found.lines)]
        assert len(reports) == min(lines, len(keeping)), board.fen()
        firsts = {move_text(report.pv[0]) for report in reports}
        assert len(firsts) == len(reports)
        assert firsts <= keeping, board.fen()
        assert found.result.best == reports[0].pv[0]

        scores = [report.score for report in reports]
        assert scores == sorted(scores, reverse=True), board.fen()
        for score in scores:
            is_known_mate = is_mate(score) and score * result > 0
            assert score == SCORES[result] or is_known_mate, board.fen()
    engine.set_option("MultiPV", 1)
