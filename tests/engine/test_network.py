"""The evaluation network's file, and what the kernels make of its weights."""

import json

import chess
import numpy as np
import pytest

from tests.support.networks import random_network
from tests.support.playouts import playouts
from zobra.engine.kernels import VOID, WORD, entry, record, row_sums
from zobra.engine.layouts import ACCUMULATOR, CHANGES
from zobra.engine.network import evaluate_anew, load_network
from zobra.engine.network_file import (
    BUCKETS,
    BUILT_IN,
    LARGEST_OUTPUT,
    MAX_BYTES,
    OUTPUT_UNITS,
    QA,
    SCALE,
    WIDTH,
    Network,
    NetworkError,
    read_network,
)
from zobra.engine.position import Position
from zobra.engine.scores import LONGEST_MATE


def kernel_score(record: np.ndarray, position: Position) -> int:
    return int(evaluate_anew(record[0], np.zeros(1, ACCUMULATOR)[0], position.record))


def plain_score(network: Network, board: chess.Board) -> int:
    """The same by plain arithmetic over python-chess' board, with no kernel and no int16."""
    bucket = (len(board.piece_map()) - 1) * BUCKETS // 32
    total = QA * int(network.output_bias[bucket])
    for which, colour in enumerate((board.turn, not board.turn)):
        king = board.king(colour)
        assert king is not None
        flip = (0 if colour else 56) ^ (7 if chess.square_file(king) > 3 else 0)
        neurons = network.bias.astype(np.int64)
        for square, piece in board.piece_map().items():
            kind = 2 * (piece.piece_type - 1) + (piece.color != colour)
            neurons = neurons + network.rows[64 * kind + (square ^ flip)]
        weights = network.output[bucket, which].astype(np.int64)
        total += int((np.clip(neurons, 0, QA) ** 2 * weights).sum())
    unit = QA * QA * network.qb
    return (total * SCALE + unit // 2) // unit


@pytest.mark.parametrize("width", [32, WIDTH])
@pytest.mark.parametrize("qb", OUTPUT_UNITS)
def test_the_evaluation_matches_plain_arithmetic(qb, width):
    """Narrow networks are padded, which changes nothing."""
    network = random_network(width, qb=qb)
    scores = set()
    record = load_network(network)
    for board, position in playouts(12, seed=5):
        expected = plain_score(network, board)
        assert kernel_score(record, position) == expected, board.fen()
        scores.add(expected)
    assert len(scores) > 500


def test_extreme_weights_do_not_overflow():
    """Every neuron full, every weight at its limit, which is more than 32 bits hold: the score is
    right, or just below those of mates.
    """
    network = random_network(WIDTH)
    limit = int(LONGEST_MATE) - 1
    for sign in (1, -1):
        output = np.full((BUCKETS, 2, WIDTH), sign * LARGEST_OUTPUT, np.int16)
        bias = np.full(WIDTH, 20_000, np.int16)
        full = Network(network.rows, bias, output, np.zeros(BUCKETS, np.int32), 128, {})
        expected = max(-limit, min(plain_score(full, chess.Board()), limit))
        assert kernel_score(load_network(full), Position.from_board(chess.Board())) == expected


ODD = np.dtype([("values", "i2", (160,))])  # more than a register full of rows, and a rest
ODD_ROWS = np.dtype([("rows", ODD, (40,))])
add_odd_rows = row_sums(ODD, ODD_ROWS, "rows", CHANGES)


@entry(VOID, record(ODD), record(ODD_ROWS), record(CHANGES), WORD)
def change_rows(sums, table, changes, flips):
    """`row_sums` of 160 neurons, for Python."""
    add_odd_rows(sums, sums, table, changes, flips)


def test_rows_of_any_width_are_added_and_removed():
    source = np.random.default_rng(1)
    sums = np.zeros(1, ODD)
    table = np.zeros(1, ODD_ROWS)
    changes = np.zeros(1, CHANGES)
    before = source.integers(-500, 500, 160)
    sums["values"] = before
    table["rows"]["values"] = source.integers(-500, 500, (40, 160))
    changes["added"][0, :4] = (3, 0, 39, 3)
    changes["added_count"] = 4
    changes["removed"][0, :2] = (7, 8)
    changes["removed_count"] = 2
    change_rows(sums[0], table[0], changes[0], 4)
    rows = table["rows"]["values"][0]
    wanted = before + rows[[7, 4, 35, 7]].sum(axis=0) - rows[[3, 12]].sum(axis=0)
    assert np.array_equal(sums["values"][0], wanted)


@pytest.mark.parametrize(("hidden", "qb"), [(WIDTH, 128), (32, 256)])
def test_a_network_survives_writing_and_reading(tmp_path, hidden, qb):
    network = random_network(hidden, qb=qb)
    path = tmp_path / "a.network"
    path.write_bytes(network.to_bytes())
    found = read_network(path)
    assert found.payload() == network.payload()
    assert np.array_equal(found.output_bias, network.output_bias)
    assert found.qb == qb
    assert found.header["made"] == "by a test"
    assert found.digest == network.digest
    assert path.stat().st_size < MAX_BYTES


LINE, _, WEIGHTS = random_network(WIDTH).to_bytes().partition(b"\n")


@pytest.mark.parametrize(
    ("change", "weights", "complaint"),
    [
        ({"format": "else"}, WEIGHTS, "not a file of"),
        ({"architecture": "768 -> 1"}, WEIGHTS, "its architecture is '768 -> 1'"),
        ({"qb": 64}, WEIGHTS, "its qb is 64, this engine needs one of"),
        ({"hidden": 4096}, WEIGHTS, "it has 4096 neurons, not a multiple of 32"),
        ({"hidden": 416}, WEIGHTS, f"it has 416 neurons, not a multiple of 32 up to {WIDTH}"),
        ({}, WEIGHTS[:-2], f"bytes of weights, {WIDTH} neurons need"),
        ({}, WEIGHTS[:-2] + b"xx", "the digest differs"),
        ({}, b"\0" * MAX_BYTES, "larger than"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_errors_name_the_file_and_the_fault(tmp_path, change, weights, complaint):
    path = tmp_path / "bad.network"
    path.write_bytes(json.dumps(json.loads(LINE) | change).encode() + b"\n" + weights)
    with pytest.raises(NetworkError, match=complaint) as caught:
        read_network(path)
    assert str(path) in str(caught.value)


def test_invalid_weights_and_headers_are_refused(tmp_path):
    overflowing = random_network(WIDTH)
    overflowing.output[5, 1, 3] = -LARGEST_OUTPUT - 1
    for content, fault in (
        (overflowing.to_bytes(), "beyond"),
        (b"[]\n", "not a file of"),
        (bytes(range(256)), "not a file of"),
        (b"[" * 100_000, "not a file of"),
    ):
        path = tmp_path / "a network"
        path.write_bytes(content)
        with pytest.raises(NetworkError, match=fault) as caught:
            read_network(path)
        assert str(path) in str(caught.value)


def test_the_built_in_network_names_its_data_and_orders_the_pieces():
    network = read_network(BUILT_IN)
    assert {"sets", "positions", "validation"} <= network.header.keys()
    assert network.header["games"] > 10_000
    assert BUILT_IN.stat().st_size < MAX_BYTES
    record = load_network(network)
    worths = []
    for kind in (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN):
        board = chess.Board("4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1")
        board.set_piece_at(chess.C3, chess.Piece(kind, chess.WHITE))
        worths.append(kernel_score(record, Position.from_board(board)))
    pawn, knight, bishop, rook, queen = worths
    assert 0 < pawn < min(knight, bishop)
    assert max(knight, bishop) < rook < queen
