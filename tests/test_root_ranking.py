"""Endgame tables at the root: results are kept, wins are won in time, and what lies just outside is bounded."""

import itertools
import json
import random
import time

import chess
import chess.syzygy
import pytest

from tests.endgames import DATA, TABLES, best_defence, needs_tables, won_boards
from tests.prober import Prober
from zobra.engine.fen import parse_fen
from zobra.engine.game import Game
from zobra.engine.move import move_text
from zobra.engine.scores import MATE
from zobra.search.limits import GameClock, Limits, Report
from zobra.search.root_ranking import BLESSED_LOSS, CURSED_WIN, DRAW, LOSS, SCORES, WIN, Ranking, Rules, consult
from zobra.search.searcher import Searcher
from zobra.search.tablebase import Tablebase

pytestmark = needs_tables
FREE = Limits(infinite=True)
WINS = ("KQk", "KRk", "KBNk", "KBBk", "KQkr", "KQkn", "KRkb", "KRkn", "KPk", "KPkp", "KRkp", "KQkp", "KQkq", "KNPk", "KBPk")
HARD_WINS = ("KBNk", "KQkr", "KRkn", "KPkp")


@pytest.fixture(scope="module")
def tables():
    tables = Tablebase()
    assert tables.open(str(TABLES)) == ["35 WDL and 35 DTZ tables of up to 4 men"]
    return tables


@pytest.fixture(scope="module")
def prober():
    with chess.syzygy.open_tablebase(str(TABLES)) as prober:
        yield prober


def never() -> bool:
    return False


def ranked(tables, fen, rules=None, limits=FREE) -> Ranking:
    ranking = consult(tables, Game(parse_fen(fen)), limits, rules or Rules(), never)
    assert ranking is not None
    return ranking


def texts(ranking: Ranking) -> set[str]:
    return {move_text(move) for move in ranking.moves}


def rows(name: str) -> list[dict]:
    return [json.loads(line) for line in (DATA / "endgames" / name).read_text().splitlines()]


@pytest.mark.parametrize("number", [120, pytest.param(607, marks=pytest.mark.slow)])
def test_the_moves_kept_are_those_that_keep_the_result(tables, number):
    for row in random.Random(6).sample(rows("tb_3_4men.jsonl"), number):
        everything, best = ranked(tables, row["fen"], Rules(analysing=True)), ranked(tables, row["fen"])
        assert everything.outcome == best.outcome == row["wdl"], row
        assert texts(everything) == set(row["keep_result"]), row
        assert set() < texts(best) <= set(row["keep_result"]), row


def test_the_fifty_move_rule_counts_where_it_is_to(tables):
    for row in rows("fifty.jsonl"):
        if not row["exact"] or abs(row["dtz"] or 0) < 2:
            continue
        ranking = ranked(tables, row["fen"])
        if row["expected"] == "win":
            assert texts(ranking) <= set(row["winning_moves"]), row
        assert (ranking.outcome == WIN) <= (row["expected"] == "win"), row
        assert ranked(tables, row["fen"], Rules(fifty_moves=False)).outcome == WIN, row


@pytest.mark.parametrize(
    ("clock", "outcome"), [(0, WIN), (76, WIN), (77, CURSED_WIN), (78, CURSED_WIN), (99, CURSED_WIN)]
)  # 23 plies to mate by the table, which may be one too few
def test_a_win_is_one_while_there_is_time(tables, clock, outcome):
    assert ranked(tables, f"3K4/8/8/8/7r/8/8/6k1 b - - {clock} 80").outcome == outcome


@pytest.mark.parametrize(("clock", "outcome"), [(0, LOSS), (60, LOSS), (99, BLESSED_LOSS)])
def test_a_loss_is_saved_when_there_is_no_time(tables, clock, outcome):
    assert ranked(tables, f"8/8/8/8/8/2k5/7r/K7 w - - {clock} 80").outcome == outcome


def play_out(board, prober, choose) -> chess.Board:
    """White plays as `choose(game)` says against the best defence, to mate or to the end of the fifty moves."""
    game = Game(parse_fen(board.fen()))
    while not board.is_checkmate():
        assert board.halfmove_clock < 100 and not board.is_repetition(3) and any(board.legal_moves), board.fen()
        if board.turn == chess.WHITE:
            move = choose(game)
            assert prober.probe_wdl(board) > 0
        else:
            move = game.position.parse_move(best_defence(board, prober).uci())
        board.push(board.parse_uci(move_text(move)))
        game.push(move)
    return board


def progress(tables, source):
    """Plays any of the moves that the ranking leaves."""
    return lambda game: source.choice(consult(tables, game, FREE, Rules(), never).moves)


@pytest.mark.parametrize("men", WINS)
def test_wins_are_won_against_the_best_defence(tables, prober, men):
    source = random.Random(men)
    boards = won_boards(men, source, prober)
    for _ in range(3):
        assert play_out(next(boards), prober, progress(tables, source)).turn == chess.BLACK


@pytest.mark.parametrize("men", HARD_WINS)
def test_no_win_is_lost_to_the_fifty_move_rule(tables, prober, men):
    source = random.Random(men)
    boards = won_boards(men, source, prober)
    for _ in range(3):
        board = next(boards)
        board.halfmove_clock = 99 - prober.probe_dtz(board)
        play_out(board, prober, progress(tables, source))


@pytest.mark.slow
@pytest.mark.parametrize("men", [*WINS, "KRRk", "KQRk", "KRPk", "KPPk", "KQkb", "KNNk", "KBkp", "KNkp", "KRkr"])
def test_many_wins_are_won(tables, prober, men):
    source = random.Random(men)
    boards = won_boards(men, source, prober)
    for number in range(40):
        board = next(boards)
        if number % 2:
            board.halfmove_clock = 99 - prober.probe_dtz(board)
        play_out(board, prober, progress(tables, source))


def test_the_search_wins_among_the_moves_it_is_left(tables, prober):
    searcher = Searcher(1)

    def choose(game):
        ranking = consult(tables, game, FREE, Rules(), never)
        return searcher.search(game, Limits(depth=4, searchmoves=ranking.moves)).best

    for men in HARD_WINS:
        play_out(next(won_boards(men, random.Random(men), prober)), prober, choose)


def test_a_won_position_is_not_repeated(tables):
    game = Game(parse_fen("8/8/8/8/8/2k5/8/KR6 w - - 0 1"))
    first = consult(tables, game, FREE, Rules(analysing=True), never).moves[0]
    away = game.position.after(first)
    game.push(first)
    assert away.key not in game.keys
    for text in ("c3d3",):
        game.push(game.position.parse_move(text))
    back = [move for move in game.position.legal_moves() if game.position.after(move).key in game.keys]
    assert not set(back) & set(consult(tables, game, FREE, Rules(), never).moves)


def test_just_outside_the_tables_captures_decide(tables):
    winning = "7k/8/8/8/8/2n1p3/1Q6/K7 w - - 0 1"
    assert (texts(ranked(tables, winning)), ranked(tables, winning).outcome) == ({"b2c3"}, WIN)
    analysed = ranked(tables, winning, Rules(analysing=True))
    assert {"b2c3"} < texts(analysed) and analysed.outcome is None
    recaptured = ranked(tables, "8/8/8/8/3k4/8/2q1P3/K2R3R b - - 0 1")  # Qxd1+ Rxd1+ is lost by the tables
    assert recaptured.outcome is None and "c2d1" not in texts(recaptured) and {"c2d2", "d4c3"} < texts(recaptured)
    assert texts(ranked(tables, "7k/8/8/1r6/8/8/3q4/K2N4 w - - 0 1")) == {"d1f2"}  # else the knight is taken


def test_bounds_outside_the_tables_hold(tables):
    """Tables of four men, positions of four men that are looked at as if there were three: what is dropped must be worse."""
    source, dropped = random.Random(8), 0
    for row in source.sample(rows("tb_3_4men.jsonl"), 150):
        ranking = consult(tables, Game(parse_fen(row["fen"])), FREE, Rules(limit=3), never)
        if len(chess.Board(row["fen"]).piece_map()) == 3 or ranking is None:
            continue
        kept = texts(ranking)
        assert kept & set(row["keep_result"]), row
        assert ranking.outcome in (None, row["wdl"]), row
        dropped += len(kept) < chess.Board(row["fen"]).legal_moves.count()
    assert dropped > 10


def test_castling_rights_and_crowds_are_left_to_the_search(tables):
    assert consult(tables, Game(parse_fen("r3k3/8/8/8/8/8/4P3/4K3 w q - 0 1")), FREE, Rules(), never) is None
    assert consult(tables, Game(parse_fen("4k3/pppp4/8/8/8/8/PPPP4/4K2R w - - 0 1")), FREE, Rules(), never) is None
    assert consult(tables, Game(parse_fen("8/8/8/8/8/2k5/8/KR6 w - - 0 1")), FREE, Rules(limit=0), never) is None


def test_only_moves_that_were_asked_for_are_ranked(tables):
    fen = "8/8/8/8/8/2k5/8/KR6 w - - 0 1"
    position = parse_fen(fen)
    wanted = (position.parse_move("b1b8"), position.parse_move("b1b3"))
    ranking = ranked(tables, fen, limits=Limits(infinite=True, searchmoves=wanted))
    assert ranking.moves == wanted[:1] and ranking.outcome == WIN
    assert ranked(tables, fen, limits=Limits(infinite=True, searchmoves=wanted[1:])).outcome == DRAW


def test_little_time_is_not_spent_on_looking_up(tables):
    begin = time.monotonic()
    game = Game(parse_fen("8/8/8/3r4/8/1k6/8/K6Q w - - 0 1"))
    assert consult(tables, game, Limits(clock=GameClock(0, 0)), Rules(), never) is None
    assert consult(tables, game, FREE, Rules(), lambda: True) is None
    assert time.monotonic() - begin < 5
    assert ranked(tables, "8/8/8/3r4/8/1k6/8/K6Q w - - 0 1", limits=Limits(clock=GameClock(10**6, 0))).hits > 1


def test_what_was_looked_up_in_vain_is_told_of_all_the_same(tables):
    """The time that it took is not there for the search."""
    game, looks = Game(parse_fen("8/8/8/3r4/8/1k6/8/K6Q w - - 0 1")), itertools.count()
    ranking = consult(tables, game, FREE, Rules(), lambda: next(looks) > 3)
    assert set(ranking.moves) == set(game.position.legal_moves()) and ranking.outcome is None and ranking.hits > 0


def test_scores_are_those_of_the_tables():
    report = Report(5, 6, 123, 1, 1000, 10, 0, (1,))
    for outcome in (WIN, CURSED_WIN, DRAW, BLESSED_LOSS, LOSS):
        adjusted = Ranking((1,), outcome, 7, 0).adjust(report)
        assert (adjusted.score, adjusted.bound, adjusted.tablebase_hits) == (SCORES[outcome], 0, 7)
    unknown = Ranking((1,), None, 7, 0).adjust(report)
    assert (unknown.score, unknown.bound, unknown.tablebase_hits) == (123, 1, 7)
    mate = Report(5, 6, int(MATE) - 5, 0, 1000, 10, 0, (1,))
    assert Ranking((1,), WIN, 7, 0).adjust(mate).score == mate.score
    assert Ranking((1,), DRAW, 7, 0).adjust(mate).score == 0
    assert Ranking((1,), LOSS, 7, 0).adjust(mate).score == SCORES[LOSS]


def test_the_engine_uses_its_tables(prober):
    with Prober() as engine:
        remarks = engine.ask(f"setoption name SyzygyPath value {TABLES}", "isready", answer="readyok")
        assert any("35 WDL and 35 DTZ tables" in line for line in remarks)
        board = next(won_boards("KBNk", random.Random(2), prober))
        start, moves = board.fen(), ""
        while not board.is_checkmate():
            lines = engine.ask(f"position fen {start} moves {moves}", "go nodes 300", answer="bestmove")
            info = lines[-2].split()
            assert info[info.index("score") + 1] == "mate" or info[info.index("score") + 2] == "20000"
            assert int(info[info.index("tbhits") + 1]) > 0 and info[info.index("pv") + 1] == lines[-1].split()[1]
            moves += " " + lines[-1].split()[1]
            board.push_uci(lines[-1].split()[1])
            if not board.is_game_over():
                reply = best_defence(board, prober)
                moves += f" {reply.uci()}"
                board.push(reply)
            assert board.halfmove_clock < 100
        drawn = engine.ask("position fen 8/8/8/8/8/2k5/7r/K6R w - - 0 1", "go depth 5", answer="bestmove")
        assert drawn[-1].split()[1] == "h1h2" or " score cp 0 " in drawn[-2]
        engine.send("setoption name SyzygyProbeLimit value 0")
        lines = engine.ask(f"position fen {start}", "go depth 3", answer="bestmove")
        assert all(" tbhits 0 " in line and " cp 20000 " not in line for line in lines if " pv " in line)
        lines = engine.ask("setoption name SyzygyPath value /nowhere", "isready", answer="readyok")
        assert any("error: no endgame tables in /nowhere" in line for line in lines)
