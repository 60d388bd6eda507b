"""Ranking of root moves by real endgame tables: results are kept, and wins are won in time."""

import json
import random
from collections.abc import Iterator

import chess
import chess.syzygy
import pytest

from tests.support.paths import SHARED
from tests.support.prober import Prober
from zobra.engine.fen import parse_fen
from zobra.engine.move import move_text
from zobra.engine.position import Game
from zobra.search.limits import Limits
from zobra.search.tablebase import WIN, RootRanking, Tablebase

DATA = SHARED / "data"
SYZYGY = DATA / "syzygy"
pytestmark = needs_tables = pytest.mark.skipif(
    not SYZYGY.is_dir(), reason="no endgame tables at ../shared/data/syzygy"
)
FREE = Limits(infinite=True)
WINS = (
    "KQk",
    "KRk",
    "KBNk",
    "KBBk",
    "KQkr",
    "KQkn",
    "KRkb",
    "KRkn",
    "KPk",
    "KPkp",
    "KRkp",
    "KQkp",
    "KQkq",
    "KNPk",
    "KBPk",
)
HARD_WINS = ("KBNk", "KQkr", "KRkn", "KPkp")


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


def ranked(tablebase, fen, keep_all=False) -> RootRanking:
    return rank(tablebase, Game(parse_fen(fen)), keep_all)


def texts(ranking: RootRanking) -> set[str]:
    return {move_text(move) for move in ranking.moves}


def rows(name: str) -> list[dict]:
    return [json.loads(line) for line in (DATA / "endgames" / name).read_text().splitlines()]


@pytest.mark.parametrize("number", [120, pytest.param(607, marks=pytest.mark.slow)])
def test_the_moves_kept_are_those_that_keep_the_result(tablebase, number):
    for row in random.Random(6).sample(rows("tb_3_4men.jsonl"), number):
        everything, best = (
            ranked(tablebase, row["fen"], keep_all=True),
            ranked(tablebase, row["fen"]),
        )
        assert everything.wdl == best.wdl == row["wdl"], row
        assert texts(everything) == set(row["keep_result"]), row
        assert set() < texts(best) <= set(row["keep_result"]), row


def test_the_fifty_move_rule_counts_where_it_is_to(tablebase):
    for row in rows("fifty.jsonl"):
        if not row["exact"] or abs(row["dtz"] or 0) < 2:
            continue
        ranking = ranked(tablebase, row["fen"])
        if row["expected"] == "win":
            assert texts(ranking) <= set(row["winning_moves"]), row
        assert (ranking.wdl == WIN) <= (row["expected"] == "win"), row
        tablebase.fifty_move_rule = False
        assert ranked(tablebase, row["fen"]).wdl == WIN, row
        tablebase.fifty_move_rule = True


def won_boards(
    men: str, source: random.Random, prober: chess.syzygy.Tablebase
) -> Iterator[chess.Board]:
    """Positions of these men (letters as in FEN) that White, to move, wins: without end."""
    while True:
        board = chess.Board(None)
        for square, letter in zip(source.sample(chess.SQUARES, len(men)), men, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        if board.is_valid() and not board.is_game_over() and prober.probe_wdl(board) == 2:
            yield board


def best_defence(board: chess.Board, prober: chess.syzygy.Tablebase) -> chess.Move:
    """The move that gets furthest: a draw, or the longest way to the next capture or pawn move."""

    def worth(move: chess.Move) -> tuple[int, int]:
        board.push(move)
        wdl, dtz = prober.probe_wdl(board), prober.probe_dtz(board)
        board.pop()
        return -wdl, dtz

    return max(board.legal_moves, key=worth)


def play_out(board, prober, choose) -> chess.Board:
    """White plays as `choose(game)` says against the best defence, to mate or to the end of the
    fifty moves.
    """
    game = Game(parse_fen(board.fen()))
    while not board.is_checkmate():
        assert (
            board.halfmove_clock < 100 and not board.is_repetition(3) and any(board.legal_moves)
        ), board.fen()
        if board.turn == chess.WHITE:
            move = choose(game)
            assert prober.probe_wdl(board) > 0
        else:
            move = game.position.parse_move(best_defence(board, prober).uci())
        board.push(board.parse_uci(move_text(move)))
        game.push(move)
    return board


def play_wins(tablebase, prober, men, number, clocks) -> None:
    """Win so many positions by any of the moves that the ranking leaves; with a "short" clock, in
    the last possible move.
    """
    source = random.Random(men)
    boards = won_boards(men, source, prober)
    for count in range(number):
        board = next(boards)
        if clocks[count % len(clocks)] == "short":
            board.halfmove_clock = 99 - prober.probe_dtz(board)
        assert (
            play_out(board, prober, lambda game: source.choice(rank(tablebase, game).moves)).turn
            == chess.BLACK
        )


@pytest.mark.parametrize(
    ("men", "clocks"),
    [*((men, ["long"]) for men in WINS), *((men, ["short"]) for men in HARD_WINS)],
)
def test_wins_are_won_against_the_best_defence_in_time(tablebase, prober, men, clocks):
    play_wins(tablebase, prober, men, 3, clocks)


@pytest.mark.slow
@pytest.mark.parametrize(
    "men", [*WINS, "KRRk", "KQRk", "KRPk", "KPPk", "KQkb", "KNNk", "KBkp", "KNkp", "KRkr"]
)
def test_many_wins_are_won(tablebase, prober, men):
    play_wins(tablebase, prober, men, 40, ["long", "short"])


def test_castling_rights_and_crowds_are_left_to_the_search(tablebase):
    castling = ranked(tablebase, "r3k3/8/8/8/8/8/8/4K3 w q - 0 1")
    assert castling.wdl is None and castling.moves is None
    assert rank(tablebase, Game(parse_fen("4k3/pppp4/8/8/8/8/PPPP4/4K2R w - - 0 1"))) is None


def test_the_engine_uses_its_tables(prober):
    with Prober() as engine:
        remarks = engine.ask(
            f"setoption name SyzygyPath value {SYZYGY}", "isready", answer="readyok"
        )
        assert any("35 WDL and 35 DTZ tables" in line for line in remarks)
        board = next(won_boards("KBNk", random.Random(2), prober))
        start, moves = board.fen(), ""
        while not board.is_checkmate():
            lines = engine.ask(
                f"position fen {start} moves {moves}", "go nodes 300", answer="bestmove"
            )
            info = lines[-2].split()
            assert (
                info[info.index("score") + 1] == "mate" or info[info.index("score") + 2] == "20000"
            )
            assert (
                int(info[info.index("tbhits") + 1]) > 0
                and info[info.index("pv") + 1] == lines[-1].split()[1]
            )
            moves += " " + lines[-1].split()[1]
            board.push_uci(lines[-1].split()[1])
            if not board.is_game_over():
                reply = best_defence(board, prober)
                moves += f" {reply.uci()}"
                board.push(reply)
            assert board.halfmove_clock < 100
        drawn = engine.ask(
            "position fen 8/8/8/8/8/2k5/7r/K6R w - - 0 1", "go depth 5", answer="bestmove"
        )
        assert drawn[-1].split()[1] == "h1h2" or " score cp 0 " in drawn[-2]
        engine.send("setoption name SyzygyProbeLimit value 0")
        lines = engine.ask(f"position fen {start}", "go depth 3", answer="bestmove")
        assert all(
            " tbhits 0 " in line and " cp 20000 " not in line for line in lines if " pv " in line
        )
        lines = engine.ask("setoption name SyzygyPath value /nowhere", "isready", answer="readyok")
        assert any("error: no endgame tables in /nowhere" in line for line in lines)
