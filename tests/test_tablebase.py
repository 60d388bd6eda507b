"""Endgame tables: opening them, and ranking root moves by a prober of our own, whose values are simple."""

import itertools
import os
import shutil
import time

import chess
import pytest

from tests.endgames import TABLES, needs_tables
from zobra.engine.fen import parse_fen
from zobra.engine.game import Game
from zobra.engine.scores import MATE
from zobra.search.limits import ClockTimes, Limits, Report
from zobra.search.tablebase import BLESSED_LOSS, CURSED_WIN, DRAW, LOSS, SCORES, WIN, RootRanking, Tablebase

LONG = Limits(infinite=True)
KRK = "8/8/8/8/8/2k5/8/KR6 w - - 0 1"


@pytest.fixture
def told():
    return []


@pytest.fixture
def tables(told):
    return Tablebase(told.append)


def test_no_path_is_no_tables(tables, told):
    tables.open("")
    assert tables.largest == 0 and not told
    with pytest.raises(KeyError):
        tables.probe("wdl", chess.Board(KRK))


def test_a_path_that_no_folder_could_have_is_named(tables):
    with pytest.raises(ValueError, match="no endgame tables in a\0b"):
        tables.open("a\0b")


def test_a_missing_folder_is_named(tables, told, tmp_path):
    with pytest.raises(ValueError, match="nowhere: No such file"):
        tables.open(str(tmp_path / "nowhere"))
    tables.open(str(tmp_path))
    assert told == ["0 WDL and 0 DTZ tables of up to 0 pieces"] and tables.largest == 0


def test_a_file_that_is_no_table_is_damaged(tables, told, tmp_path):
    for number in range(5):
        (tmp_path / f"K{'QRBNP'[number]}vK.rtbw").write_bytes(b"nothing")
    tables.open(str(tmp_path))
    assert "damaged" in told[0] and "KBvK.rtbw" in told[0] and "and 2 more" in told[0] and tables.largest == 0


@needs_tables
def test_tables_of_several_folders_are_counted(tables, told, tmp_path):
    for folder, name in (("one", "KRvK"), ("two", "KBNvK")):
        (tmp_path / folder).mkdir()
        for suffix in (".rtbw", ".rtbz"):
            shutil.copy(TABLES / (name + suffix), tmp_path / folder)
    tables.open(os.pathsep.join([str(tmp_path / "one"), str(tmp_path / "gone"), str(tmp_path / "two")]))
    assert len(told) == 2 and "gone" in told[0] and told[1] == "2 WDL and 2 DTZ tables of up to 4 pieces"
    board = chess.Board(KRK)
    assert (tables.probe("wdl", board), tables.probe("dtz", board) > 0, tables.hits) == (2, True, 2)
    with pytest.raises(ValueError, match="gone"):
        tables.open(str(tmp_path / "gone"))
    assert tables.largest == 4 and tables.probe("wdl", board) == 2
    tables.open("")
    assert tables.largest == 0


@needs_tables
@pytest.mark.parametrize("damage", ["halved", "empty", "foreign"])
def test_damaged_tables_are_named_and_passed_over(tables, told, tmp_path, damage):
    for suffix in (".rtbw", ".rtbz"):
        shutil.copy(TABLES / f"KRvK{suffix}", tmp_path)
        shutil.copy(TABLES / f"KQvK{suffix}", tmp_path)
    file = tmp_path / "KRvK.rtbw"
    content = {"halved": file.read_bytes()[:-30], "empty": b"", "foreign": bytes(80)}[damage]
    file.chmod(0o644)
    file.write_bytes(content)
    tables.open(str(tmp_path))
    assert len(told) == 2 and "damaged" in told[0] and "KRvK.rtbw" in told[0]
    assert told[1] == "1 WDL and 2 DTZ tables of up to 3 pieces"
    with pytest.raises(KeyError):
        tables.probe("wdl", chess.Board(KRK))


class RookProber:
    """In the place of the tables of king and rook against king: won unless the rook is lost; the fewer replies, the nearer."""

    def __init__(self) -> None:
        self.has_dtz = True

    def close(self) -> None:
        pass

    def probe_wdl(self, board: chess.Board) -> int:
        if len(board.piece_map()) == 2 or (board.turn == chess.BLACK and not any(board.legal_moves) and not board.is_check()):
            return 0
        if board.turn == chess.WHITE:
            return 2
        return 0 if any(board.is_capture(move) for move in board.legal_moves) else -2

    def probe_dtz(self, board: chess.Board) -> int:
        if not self.has_dtz:
            raise KeyError("no DTZ table")
        if board.turn == chess.WHITE:
            return 20
        return -2 * board.legal_moves.count()


def position_after(*texts: str, fen: str = KRK) -> Game:
    game = Game(parse_fen(fen))
    for text in texts:
        game.push(game.position.parse_move(text))
    return game


@pytest.fixture
def rook(tables):
    tables._prober, tables.largest = RookProber(), 3
    return tables


def rank(tables, game, analysing=False, limits=LONG, is_stopped=lambda: False):
    return tables.rank(game, limits, analysing, is_stopped)


def winning_moves(game: Game) -> dict[int, int]:
    """The moves that do not lose the rook or stalemate, with the number of replies."""
    found, prober = {}, RookProber()
    for move in game.position.legal_moves():
        board = game.position.after(move).to_board(chess960=True)
        if prober.probe_wdl(board) == -2:
            found[move] = board.legal_moves.count()
    return found


def test_a_win_makes_progress_unless_all_winning_moves_are_asked_for(rook):
    game = Game(parse_fen(KRK))
    winning = winning_moves(game)
    assert 0 < len(winning) < len(game.position.legal_moves())
    everything, best = rank(rook, game, analysing=True), rank(rook, game)
    assert set(everything.moves) == set(winning) and everything.wdl == best.wdl == WIN
    assert set(best.moves) == {move for move, replies in winning.items() if replies == min(winning.values())}
    assert best.hits > len(winning)


@pytest.mark.parametrize(("clock", "rule", "wdl"), [(0, True, WIN), (99, True, CURSED_WIN), (99, False, WIN)])
def test_a_win_must_come_before_the_fifty_move_rule(rook, clock, rule, wdl):
    rook.fifty_move_rule = rule
    assert rank(rook, Game(parse_fen(KRK.replace("- 0 1", f"- {clock} 80")))).wdl == wdl


@pytest.mark.parametrize(("clock", "wdl"), [(0, LOSS), (50, LOSS), (99, BLESSED_LOSS)])
def test_a_loss_may_be_saved_by_the_fifty_move_rule(rook, clock, wdl):
    ranking = rank(rook, Game(parse_fen(f"8/8/8/8/8/2k5/7R/K7 b - - {clock} 80")))
    assert ranking.wdl == wdl


def test_without_distances_a_win_is_not_repeated(rook):
    rook._prober.has_dtz = False
    game = position_after("b1b7", "c3d3", "b7b1", "d3c3")
    back = game.position.parse_move("b1b7")
    assert back in winning_moves(game)
    kept = rank(rook, game).moves
    assert kept and back not in kept and set(kept) < set(winning_moves(game))


@pytest.mark.parametrize(("cycles", "wdl"), [(1, LOSS), (2, DRAW)])
def test_a_third_repetition_saves_a_lost_position(rook, cycles, wdl):
    """After two cycles the king move back makes a position for the third time."""
    game = position_after(*["h2h3", "c3c4", "h3h2", "c4c3"] * cycles, "h2h3", fen="8/8/8/8/8/2k5/7R/K7 w - - 0 1")
    draw = game.position.parse_move("c3c4")
    ranking = rank(rook, game)
    assert ranking.wdl == wdl and (ranking.moves == (draw,)) == (wdl == DRAW)
    assert ranking.adjust(Report(5, 6, -900, 0, 1000, 10, 0, (draw,))).score == (0 if wdl == DRAW else SCORES[LOSS])


def test_probing_ends_with_the_time_and_leaves_all_moves(rook):
    game, looks = Game(parse_fen(KRK)), itertools.count()
    stopped = rank(rook, game, is_stopped=lambda: next(looks) > 3)
    assert set(stopped.moves) == set(game.position.legal_moves()) and stopped.wdl is None and stopped.hits == 4
    late = rank(rook, game, limits=Limits(clock=ClockTimes(0, 0)))
    assert late.wdl is None and late.hits == 0
    assert rank(rook, game, limits=Limits(movetime=10**6)).wdl == WIN


def test_more_pieces_than_the_tables_or_the_option_allow_are_not_probed(rook):
    assert rank(rook, Game(parse_fen("8/8/8/8/8/2k5/8/K2R3R w - - 0 1"))) is None
    rook.probe_limit = 2
    assert rank(rook, Game(parse_fen(KRK))) is None


def test_only_allowed_moves_are_ranked(rook):
    game = Game(parse_fen(KRK))
    wanted = tuple(map(game.position.parse_move, ("b1b8", "b1b3")))
    ranking = rank(rook, game, limits=Limits(infinite=True, searchmoves=wanted))
    assert (ranking.moves, ranking.wdl) == (wanted[:1], WIN)
    assert rank(rook, game, limits=Limits(infinite=True, searchmoves=wanted[1:])).wdl == DRAW


def test_a_fault_in_the_tables_costs_the_tables_only(rook, told):
    def fail(board):
        time.sleep(0.05)
        raise OSError("the disk is gone")

    game, limits = Game(parse_fen(KRK)), Limits(movetime=1_000)
    rook._prober.probe_wdl = fail
    ranking = rank(rook, game, limits=limits)
    assert ranking.wdl is None and ranking.confine(limits).movetime <= 950 and ranking.confine(limits).searchmoves is None
    assert "the disk is gone" in told[0] and rook.largest == 0


def test_the_search_is_confined_to_the_moves_kept_and_to_the_time_left():
    limits = Limits(clock=ClockTimes(1_000, 2_000), movetime=20)
    assert RootRanking((7, 8), DRAW, 3, 30).confine(limits) == Limits(
        clock=ClockTimes(970, 1_970), movetime=1, searchmoves=(7, 8)
    )


def test_scores_are_those_of_the_tables():
    report = Report(5, 6, 123, 1, 1000, 10, 0, (1,))
    for wdl in (WIN, CURSED_WIN, DRAW, BLESSED_LOSS, LOSS):
        adjusted = RootRanking((1,), wdl, 7, 0).adjust(report)
        assert (adjusted.score, adjusted.bound, adjusted.tablebase_hits) == (SCORES[wdl], 0, 7)
    unknown = RootRanking((1,), None, 7, 0).adjust(report)
    assert (unknown.score, unknown.bound, unknown.tablebase_hits) == (123, 1, 7)
    mate = Report(5, 6, int(MATE) - 5, 0, 1000, 10, 0, (1,))
    assert RootRanking((1,), WIN, 7, 0).adjust(mate).score == mate.score
    assert RootRanking((1,), DRAW, 7, 0).adjust(mate).score == 0
    assert RootRanking((1,), LOSS, 7, 0).adjust(mate).score == SCORES[LOSS]
