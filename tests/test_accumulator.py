"""Accumulators that are brought up to date are those that are computed anew, whatever is played."""

import chess
import numpy as np
import pytest

from tests.test_network import random_network
from zobra.engine.accumulator import update
from zobra.engine.fen import parse_fen
from zobra.engine.kernels import VOID, WORD, entry, record
from zobra.engine.layouts import ACCUMULATOR, NETWORK, POSITION_TYPE
from zobra.engine.network import evaluate_anew
from zobra.engine.network_file import HIDDEN, install
from zobra.engine.position import Position
from zobra.search.worker import new_worker
from zobra.train import verify

NETWORK_ARRAY = np.zeros(1, NETWORK)
install(random_network(HIDDEN), NETWORK_ARRAY[0])


@entry(VOID, record(NETWORK), record(ACCUMULATOR), POSITION_TYPE, record(ACCUMULATOR), POSITION_TYPE, WORD)
def update_from_python(network, accumulator, position, known, known_position, colour):
    """`update` as it is."""
    update(network, accumulator, position, known, known_position, colour)


def anew(position: Position) -> np.ndarray:
    accumulator = np.zeros(1, ACCUMULATOR)
    evaluate_anew(NETWORK_ARRAY[0], accumulator[0], position.record)
    return accumulator


def is_updated_well(before: Position, after: Position, colour: int) -> bool:
    known, found = anew(before), np.zeros(1, ACCUMULATOR)
    update_from_python(NETWORK_ARRAY[0], found[0], after.record, known[0], before.record, colour)
    same = (found["sides"]["values"][0, colour] == anew(after)["sides"]["values"][0, colour]).all()
    return bool(same) and int(found["computed"][0]) == 1 << colour


MOVES = [
    ("a quiet move", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "g1f3"),
    ("a capture", "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", "e4d5"),
    ("en passant", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"),
    ("promotion", "8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"),
    ("promotion with capture", "1n6/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7b8n"),
    ("castling short", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"),
    ("castling of Black", "4k2r/8/8/8/8/8/8/4K3 b k - 0 1", "e8g8"),
    ("passing", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "0000"),
    ("a king's step", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1f2"),
]
LINE = "e4 d5 exd5 Qxd5 Nc3 Qe5+ Be2 Bg4 d4 Bxe2 Ngxe2 Qa5 Bd2 Nc6 Nb5 Qb6"


@pytest.mark.parametrize(("fen", "move"), [pytest.param(fen, move, id=name) for name, fen, move in MOVES])
@pytest.mark.parametrize("colour", [0, 1])
def test_every_kind_of_move(fen, move, colour):
    before = parse_fen(fen)
    after = before.after(0 if move == "0000" else before.parse_move(move))
    assert is_updated_well(before, after, colour)


def test_many_moves_at_once():
    board, first = chess.Board(), Position.from_board(chess.Board())
    for number, san in enumerate(LINE.split()):
        board.push_san(san)
        for colour in (0, 1):
            assert is_updated_well(first, Position.from_board(board), colour), number


def test_a_piece_of_another_kind_on_the_same_square():
    """Two moves can leave every square's colour as it was."""
    before, after = parse_fen("4k3/8/8/8/3R4/8/8/4K2N w - - 0 1"), parse_fen("4k3/8/8/8/3N4/8/8/4K2R w - - 0 1")
    assert is_updated_well(before, after, 0)


def test_a_walk_through_the_search_s_stack():
    assert verify.Verifier(random_network(HIDDEN)).walk(30_000, seed=3) == 0


def test_a_walk_finds_accumulators_that_were_not_brought_up_to_date(monkeypatch):
    def forgetful_worker(parameters, signals):
        return new_worker(parameters | {"use_network": 0}, signals)

    monkeypatch.setattr(verify, "new_worker", forgetful_worker)
    assert verify.Verifier(random_network(HIDDEN)).walk(2_000, seed=3) > 100


def test_a_score_that_depends_on_the_colour_is_found_out(monkeypatch):
    verifier, boards = verify.Verifier(random_network(HIDDEN)), [chess.Board("3q1k2/5p2/8/1n6/4P3/8/R7/2K1B3 w - - 0 1")] * 50
    assert verifier.asymmetries(boards) == 0
    monkeypatch.setattr(verify.Verifier, "score", lambda self, position: int(position.record["side"]))
    assert verifier.asymmetries(boards) == 50
