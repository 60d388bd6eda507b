"""FEN in and out: strict, and clear about what is wrong."""

import random
from collections.abc import Iterator

import chess
import pytest

from tests.support.playouts import playouts
from zobra.arena.formats import fen as tools
from zobra.engine.fen import START, parse_fen, read_fen, write_fen
from zobra.engine.fen_reader import FAULTS, FenError
from zobra.engine.move import move_text

STARTS = (
    START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "rnbqkbnr/ppp2ppp/8/3pP3/4p3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
    "1r2k1r1/8/8/8/8/8/8/RR2K2R w HBkq - 0 1",
)
# Faults that are accepted: the game can go on
PLAYABLE = chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK
ALPHABET = "rnbqkpRNBQKP12345678/ -wabcdefgh0KQkq36"


@pytest.mark.parametrize(
    ("fen", "fault"),
    [
        ("", "4 to 6 fields"),
        ("8/8/8/8/8/8/8 w - - 0 1", "8 ranks"),
        (
            "rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rank 7 .ppppppppp. has 9 squares",
        ),
        ("rnbqkbnr/pppppppp/7/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank 6 .7. has 7 squares"),
        ("rnbqkbnr/pppppppp/44/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "two digits"),
        ("rnbqxbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "'x' in rank 8"),
        ("rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1", "Black has no king"),
        (
            "rnbqkbnr/pppppppp/8/8/8/4K3/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "White has more than one king",
        ),
        (
            "rnbqkbnr/pppppppp/p7/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "Black has more than 8 pawns",
        ),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "the board is empty"),
        ("k6k/8/8/8/8/8/8/4K3 w - - 0 1", "Black has more than one king"),
        (
            "rnbqkbnr/pppppppp/n7/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "Black has more than 16 pieces",
        ),
        ("rnbqkbnP/pppppppp/8/8/8/8/PPPPPPP1/RNBQKBNR w KQq - 0 1", "first or the last rank"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", "side to move"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQxq - 0 1", "letters such as 'KQkq'"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1", "en-passant square"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 -1", "move number"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 10001 1", "half-move clock"),
        (f"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 {'9' * 5000}", "move number"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - ² 1", "half-move clock"),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w \N{KELVIN SIGN}Qkq - 0 1",
            "letters such as",
        ),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQAkq - 0 1", "at most two for a side"),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ\N{KELVIN SIGN}BNR w - - 0 1",
            "in rank 1 is neither",
        ),
        ("8/8/8/3kK3/8/8/8/8 w - - 0 1", "in check"),
        ("4k3/8/8/8/8/8/4Q3/4K3 w - - 0 1", "Black is in check"),
    ],
)
def test_every_fault_is_named_by_the_engine_and_by_tools(fen, fault):
    with pytest.raises(FenError, match=fault) as refused:
        parse_fen(fen)
    if len(fen.split()) >= 4:
        with pytest.raises(ValueError, match=fault) as refused_by_tools:
            tools.read_fen(fen)
        assert str(refused_by_tools.value) == str(refused.value)


def test_round_trips():
    for board, position in playouts(12, 3):
        assert write_fen(parse_fen(write_fen(position))) == board.fen()
        shredder = board.fen(shredder=True)
        assert write_fen(position, shredder=True) == shredder
        assert write_fen(parse_fen(shredder), shredder=True) == shredder


@pytest.mark.parametrize(
    ("fen", "written"),
    [
        (START.replace("KQkq", "qKkQ"), START),  # castling rights in any order
        (" ".join(START.split()[:4]), START),  # fields that may be missing
        (" ".join(START.split()[:5]), START),
        # An en-passant square is kept only if the capture is legal.
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 3", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 3"),
        ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
        ("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", "8/8/8/8/k2Pp2Q/8/8/3K4 b - - 0 1"),
        # An inner rook by its file
        ("1r2k1r1/8/8/8/8/8/8/RR2K2R w HBkq - 0 1", "1r2k1r1/8/8/8/8/8/8/RR2K2R w KBkq - 0 1"),
    ],
)
def test_fens_are_written_in_normal_form(fen, written):
    assert write_fen(parse_fen(fen)) == written


PLACEMENT = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP"


@pytest.mark.parametrize(
    ("fen", "written", "dropped"),
    [
        (f"{PLACEMENT}/RNBQKBNR w KKkq - 0 1", "w Kkq -", "castling rights KKkq"),
        (f"{PLACEMENT}/RNBQKBNR w Kqkq - 0 1", "w Kkq -", "castling rights Kqkq are read as Kkq"),
        (f"{PLACEMENT}/1NBQKBN1 w KQkq - 0 1", "w kq -", "castling rights KQkq"),
        (f"{PLACEMENT}/RNBK1BNR w kq - 0 1".replace("rnbq", "1nbq"), "w k -", "castling rights kq"),
        ("1r2k1r1/8/8/8/8/8/8/RR2K2R w ABkq - 0 1", "w Qkq -", "castling rights ABkq"),
        (f"{PLACEMENT}/RNBQKBNR w KQkq e3 0 1", "w KQkq -", "en-passant square e3"),
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPPPPP1/RNBQKBNR b KQkq e3 0 1",
            "b KQkq -",
            "en-passant square e3",
        ),
    ],
)
def test_impossible_rights_are_dropped_by_the_engine_and_by_tools(fen, written, dropped):
    position, notices = read_fen(fen)
    (notice,) = notices
    assert notice.startswith(dropped)
    assert f" {written} " in write_fen(position)
    board, same = tools.read_fen(fen)
    assert notices == same
    assert board.castling_rights == position.to_board().castling_rights
    assert board.ep_square is None


def test_every_fault_has_words_or_is_accepted():
    refused = chess.Status(0)
    for flag in FAULTS:
        refused |= flag
    races = chess.STATUS_RACE_CHECK | chess.STATUS_RACE_OVER | chess.STATUS_RACE_MATERIAL
    every = chess.Status(0)
    for flag in chess.Status:
        every |= flag
    assert refused | PLAYABLE | races == every


def mutations(count: int, seed: int) -> Iterator[str]:
    """FENs with one to three letters changed, added or left out."""
    source = random.Random(seed)
    for _ in range(count):
        letters = list(source.choice(STARTS))
        for _ in range(source.randrange(1, 4)):
            place = source.randrange(len(letters))
            change = source.choices(["replace", "insert", "delete"], (70, 15, 15))[0]
            if change == "replace":
                letters[place] = source.choice(ALPHABET)
            elif change == "insert":
                letters.insert(place, source.choice(ALPHABET))
            else:
                del letters[place]
        yield "".join(letters)


def valid_board(text: str) -> chess.Board | None:
    """Return the board that python-chess reads, made valid if it can be, otherwise None."""
    fields = text.split()
    fields[2:3] = ["".join(sorted(set(rights))) for rights in fields[2:3]]
    try:
        board = chess.Board(" ".join(fields), chess960=True)
    except ValueError:
        return None
    board.castling_rights = board.clean_castling_rights()
    if board.status() & chess.STATUS_INVALID_EP_SQUARE:
        board.ep_square = None
    return board if board.status() & ~PLAYABLE == chess.STATUS_VALID else None


def test_mutated_fens_agree_with_python_chess():
    """Exactly the FENs that python-chess finds valid, or can make valid, are accepted."""
    accepted = 0
    for text in mutations(5_000, 11):
        board = valid_board(text)
        if board is None:
            with pytest.raises(FenError) as refused:
                parse_fen(text)
            if len(text.split()) >= 4:
                with pytest.raises(ValueError) as refused_by_tools:
                    tools.read_fen(text)
                assert str(refused_by_tools.value) == str(refused.value)
            continue
        ours = {move_text(move, chess960=True) for move in parse_fen(text).legal_moves()}
        assert ours == {move.uci() for move in board.legal_moves}, text
        accepted += 1
    assert accepted > 100
