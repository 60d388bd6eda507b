"""Endgame tablebases: opening them, and ranking root moves by a prober of our own, whose values are
simple.
"""

import itertools
import os
import shutil

import chess
import pytest

from tests.support.endgame_tables import SYZYGY, needs_tables
from tests.support.games import play
from zobra.engine.position import Game
from zobra.engine.scores import MATE
from zobra.search.limits import ClockTimes, Limits, Report
from zobra.search.searcher import Searcher
from zobra.search.tablebase import (
    BLESSED_LOSS,
    CURSED_WIN,
    DRAW,
    LOSS,
    SCORES,
    WIN,
    RootRanking,
    Tablebase,
)
from zobra.tt.entry import EXACT, LOWER

KRK = "8/8/8/8/8/2k5/8/KR6 w - - 0 1"
LOST = "8/8/8/8/8/2k5/7R/K7 b - - 0 1"


def rank(tablebase, game, keep_all=False, is_stopped=lambda: False, **limits):
    return tablebase.rank(game, Limits(infinite=True, **limits), keep_all, is_stopped)


@pytest.fixture
def notices():
    return []


@pytest.fixture
def tablebase(notices):
    return Tablebase(notices.append)


# Opening


def test_no_path_and_an_empty_folder_have_no_tables(tablebase, notices, tmp_path):
    tablebase.open("")
    assert not notices
    tablebase.open(str(tmp_path))
    assert notices == ["0 WDL and 0 DTZ tables of up to 0 pieces"]
    assert tablebase.largest == 0


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a\0b", "a\0b"),
        ("nowhere", "nowhere: No such file"),
        ("", r"KBvK.rtbw is damaged or unreadable, .* and 2 more"),
    ],
)
def test_paths_without_tables_are_named(tablebase, tmp_path, path, text):
    for letter in "QRBNP":
        (tmp_path / f"K{letter}vK.rtbw").write_bytes(b"nothing")
    with pytest.raises(ValueError, match=text):
        tablebase.open(str(tmp_path / path))


def copy_tables(folder, *names: str) -> None:
    folder.mkdir(exist_ok=True)
    for name in names:
        for suffix in (".rtbw", ".rtbz"):
            shutil.copyfile(SYZYGY / (name + suffix), folder / (name + suffix))


@needs_tables
def test_tables_of_several_folders_are_counted(tablebase, notices, tmp_path):
    copy_tables(tmp_path / "one", "KRvK")
    copy_tables(tmp_path / "two", "KBNvK")
    tablebase.open(os.pathsep.join(str(tmp_path / name) for name in ("one", "gone", "two")))
    missing, counted = notices
    assert "gone" in missing
    assert counted == "2 WDL and 2 DTZ tables of up to 4 pieces"

    with pytest.raises(ValueError, match="gone"):
        tablebase.open(str(tmp_path / "gone"))
    assert tablebase.largest == 4
    assert rank(tablebase, play(KRK)).wdl == WIN
    tablebase.open("")
    assert tablebase.largest == 0
    assert rank(tablebase, play(KRK)) is None


@needs_tables
@pytest.mark.parametrize("damage", ["halved", "foreign"])
def test_damaged_tables_are_named_and_passed_over(tablebase, notices, tmp_path, damage):
    copy_tables(tmp_path, "KRvK", "KQvK")
    file = tmp_path / "KRvK.rtbw"
    file.write_bytes(file.read_bytes()[:-30] if damage == "halved" else bytes(80))
    tablebase.open(str(tmp_path))
    problem, counted = notices
    assert "KRvK.rtbw is damaged" in problem
    assert counted == "1 WDL and 2 DTZ tables of up to 3 pieces"
    assert rank(tablebase, play(KRK)).wdl is None


@needs_tables
def test_all_tables_are_sound(tablebase, notices):
    tablebase.open(str(SYZYGY))
    (counted,) = notices
    files = [file.suffix for file in SYZYGY.iterdir()]
    assert counted.startswith(f"{files.count('.rtbw')} WDL and {files.count('.rtbz')} DTZ tables")


# A piece is its type, 1 (pawn) to 6 (king), plus 8 if it is black; two sides to move in one byte.
@pytest.mark.parametrize(
    ("name", "lists", "is_sound"),
    [
        ("KRvK.rtbw", "00 66 44 EE", True),
        ("KRvK.rtbw", "00 EE 66 CC", True),  # White's and Black's pieces exchanged
        ("KRvK.rtbw", "00 66 55 EE", False),  # a queen
        ("KRvK.rtbw", "00 66 54 EE", False),  # with one side to move
        ("KRvK.rtbw", "00 E6 C4 6E", False),  # colours that depend on the side to move
        ("KRvK.rtbz", "00 E6 C4 6E", True),  # which has one side to move only
        ("KRvK.rtbw", "00 66 CC 66", False),
        ("KPvK.rtbw", 4 * "00 11 66 EE", True),
        ("KPvK.rtbw", 3 * "00 11 66 EE" + "00 11 66 DD", False),
        ("KPvKP.rtbw", 4 * "00 00 01 06 09 0E", True),  # the sides are alike: only one is stored
        ("KPvKP.rtbw", 4 * "00 01 06 09 0E 00", False),
    ],
)
def test_a_table_lists_the_pieces_of_its_name(tablebase, notices, tmp_path, name, lists, is_sound):
    """With others python-chess would look for them on the board forever."""
    write_table(tmp_path / "KQvK.rtbw", "00 66 55 EE")
    write_table(tmp_path / name, lists)
    tablebase.open(str(tmp_path))
    assert (f"error: {tmp_path / name} is damaged or unreadable" in notices) == (not is_sound)


def write_table(file, lists: str) -> None:
    """Write a table of 80 bytes, whose lists of pieces are in hexadecimal."""
    magic = chess.Board.tbw_magic if file.suffix == ".rtbw" else chess.Board.tbz_magic
    head = magic + b"\0" + bytes.fromhex(lists)
    file.write_bytes(head.ljust(80, b"\0"))


# Ranking


class RookProber:
    """Stands in for the tables of king and rook against king.

    A position is won unless the rook is lost. The fewer replies, the nearer the end.
    """

    def __init__(self) -> None:
        self.wdl: dict = {}
        self.dtz: dict = {}
        self.has_dtz = True
        self.is_broken = False

    def close(self) -> None:
        pass

    def probe_wdl(self, board: chess.Board) -> int:
        if self.is_broken:
            raise OSError("the disk is gone")
        if len(board.piece_map()) == 2 or board.is_stalemate():
            return DRAW
        if board.turn == chess.WHITE:
            return WIN
        return DRAW if any(map(board.is_capture, board.legal_moves)) else LOSS

    def probe_dtz(self, board: chess.Board) -> int:
        if not self.has_dtz:
            raise KeyError("no DTZ table")
        return 20 if board.turn == chess.WHITE else -2 * board.legal_moves.count()


@pytest.fixture
def prober(monkeypatch):
    prober = RookProber()
    monkeypatch.setattr("zobra.search.tablebase.Prober", lambda: prober)
    return prober


@pytest.fixture
def rook(prober, tablebase):
    """Tables with that prober."""
    tablebase.largest = 3
    return tablebase


def winning_moves(game: Game) -> dict[int, int]:
    """The moves that do not lose the rook or stalemate, with the number of replies."""
    found = {}
    prober = RookProber()
    for move in game.position.legal_moves():
        board = game.position.after(move).to_board(chess960=True)
        if prober.probe_wdl(board) == LOSS:
            found[move] = board.legal_moves.count()
    return found


def test_a_win_makes_progress_unless_all_winning_moves_are_asked_for(rook):
    game = play(KRK)
    winning = winning_moves(game)
    assert 0 < len(winning) < len(game.position.legal_moves())
    everything = rank(rook, game, keep_all=True)
    best = rank(rook, game)
    assert everything.wdl == best.wdl == WIN
    assert set(everything.moves) == set(winning)
    fewest = min(winning.values())
    assert set(best.moves) == {move for move, replies in winning.items() if replies == fewest}
    assert best.hits > len(winning)


@pytest.mark.parametrize(
    ("fen", "clock", "rule", "wdl"),
    [
        (KRK, 0, True, WIN),
        (KRK, 99, True, CURSED_WIN),
        (KRK, 99, False, WIN),
        (LOST, 0, True, LOSS),
        (LOST, 50, True, LOSS),
        (LOST, 99, True, BLESSED_LOSS),
        (LOST, 99, False, LOSS),
    ],
)
def test_a_result_must_come_before_the_fifty_move_rule(rook, fen, clock, rule, wdl):
    rook.fifty_move_rule = rule
    assert rank(rook, play(fen.replace("- 0 1", f"- {clock} 80"))).wdl == wdl


def test_without_distances_a_win_is_not_repeated(rook, prober):
    prober.has_dtz = False
    game = play(KRK, "b1b7", "c3d3", "b7b1", "d3c3")
    back = game.position.parse_move("b1b7")
    assert back in winning_moves(game)
    kept = rank(rook, game).moves
    assert kept
    assert back not in kept
    assert set(kept) < set(winning_moves(game))


@pytest.mark.parametrize(("cycles", "wdl"), [(1, LOSS), (2, DRAW)])
def test_a_third_repetition_saves_a_lost_position(rook, cycles, wdl):
    """After two cycles the king's move back makes a position for the third time."""
    game = play(LOST.replace("b", "w"), *["h2h3", "c3c4", "h3h2", "c4c3"] * cycles, "h2h3")
    draw = game.position.parse_move("c3c4")
    ranking = rank(rook, game)
    assert ranking.wdl == wdl
    assert (ranking.moves == (draw,)) == (wdl == DRAW)


def test_probing_ends_with_the_time_and_leaves_all_moves(rook):
    game = play(KRK)
    looks = itertools.count()
    stopped = rank(rook, game, is_stopped=lambda: next(looks) > 3)
    assert stopped.moves is None
    assert stopped.wdl is None
    assert stopped.hits == 4
    late = rank(rook, game, clock=ClockTimes(0, 0))
    assert late.wdl is None
    assert late.hits == 0
    assert rank(rook, game, movetime=10**6).wdl == WIN


def test_only_allowed_moves_are_ranked_and_positions_of_few_pieces(rook):
    game = play(KRK)
    far, lost = map(game.position.parse_move, ("b1b8", "b1b3"))
    ranking = rank(rook, game, searchmoves=(far, lost))
    assert ranking.moves == (far,)
    assert ranking.wdl == WIN
    assert rank(rook, game, searchmoves=(lost,)).wdl == DRAW

    assert rank(rook, play("8/8/8/8/8/2k5/8/K2R3R w - - 0 1")) is None
    rook.probe_limit = 2
    assert rank(rook, game) is None


def test_a_fault_in_the_tables_only_disables_them(rook, prober, notices):
    prober.is_broken = True
    ranking = rank(rook, play(KRK))
    assert ranking.wdl is None
    assert ranking.moves is None
    assert "the disk is gone" in notices[0]
    assert rook.largest == 0


# Scores

REPORT = Report(5, 6, 123, LOWER, 1000, 10, 0, (1,))
MATED = REPORT._replace(score=int(MATE) - 5, bound=EXACT)


@pytest.mark.parametrize(
    ("report", "wdl", "score", "bound"),
    [
        *((REPORT, wdl, SCORES[wdl], EXACT) for wdl in SCORES),
        (REPORT, None, 123, LOWER),
        # The search has found the mate.
        *((MATED, wdl, MATED.score, EXACT) for wdl in (WIN, CURSED_WIN)),
        *((MATED, wdl, SCORES[wdl], EXACT) for wdl in (DRAW, BLESSED_LOSS, LOSS)),
    ],
)
def test_scores_are_those_of_the_tables(report, wdl, score, bound):
    expected = report._replace(score=score, bound=bound, tablebase_hits=3)
    assert RootRanking((7, 8), wdl, 3).adjust(report) == expected


@pytest.mark.parametrize(
    ("fen", "score"),
    [
        ("8/8/8/8/4k3/8/1K1R4/8 w - - 99 100", 0),  # the fifty-move rule draws,
        ("8/8/8/8/4k3/8/1K1R4/8 b - - 98 100", 0),
        ("k7/8/1K6/8/8/8/8/7R w - - 99 100", int(MATE) - 1),  # unless a mate is found,
        ("8/8/8/8/4k3/8/1K1R4/8 w - - 0 1", SCORES[WIN]),  # and the tables know the rest
        ("8/8/8/8/4k3/8/1K1R4/8 w - - 10 20", SCORES[WIN]),
    ],
)
def test_without_distances_the_search_knows_more_of_the_fifty_move_rule(rook, prober, fen, score):
    prober.has_dtz = False
    game = play(fen)
    ranking = rank(rook, game)
    reports = []
    limits = Limits(depth=6, searchmoves=ranking.moves)
    Searcher(1).search(game, limits, lambda report: reports.append(ranking.adjust(report)))
    assert reports[-1].score == score
