"""What well-known texts say of Zobrist keys, put to the test; docs/zobrist.md tells the story."""

import random

import chess
import chess.polyglot
import numpy as np
import pytest

from tests.playouts import playouts
from zobra.engine import key_quality as quality
from zobra.engine import key_trials
from zobra.engine.board import SQUARES
from zobra.engine.fen import START, parse_fen
from zobra.engine.position import Position
from zobra.engine.zobrist import piece_keys, side_key

NUMBERS = 781
ALL_BITS = (1 << 64) - 1


def key_after(moves: str, fen: str = START) -> int:
    position = parse_fen(fen)
    for move in moves.split():
        position = position.after(position.parse_move(move))
    return position.key


def pairs_of_sums_that_collide(numbers: list[int], lowest_bit: int) -> tuple[int, float]:
    """Pairs among all sums of two numbers that agree in 16 bits, and how many to expect."""
    vectors = np.array(numbers, np.uint64)
    first, second = np.triu_indices(len(vectors), 1)
    sums = (vectors[first] ^ vectors[second]) >> np.uint64(lowest_bit)
    return quality.colliding_pairs(sums, 16), quality.expected_pairs(len(sums), 16)


def test_transpositions_have_one_key():
    assert key_after("e2e4 e7e5 g1f3 b8c6") == key_after("g1f3 b8c6 e2e4 e7e5")
    assert key_after("g1f3 g8f6 f3g1 f6g8") == key_after("")


def test_a_knight_that_takes_a_bishop_changes_three_pieces_and_the_side():
    before = parse_fen("4k3/8/8/8/8/2b5/8/1N2K3 w - - 0 1")
    after = before.after(before.parse_move("b1c3"))
    changed = [piece_keys()[piece, SQUARES[square]] for piece, square in ((2, "b1"), (5, "c3"), (2, "c3"))]
    assert after.key == int(np.bitwise_xor.reduce([np.uint64(before.key), *changed, side_key()]))


def test_a_double_step_that_no_pawn_can_answer_leaves_no_trace():
    """Hashing the square after every double step, as simple engines do, would tell equal positions apart."""
    assert key_after("e2e4") == parse_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").key
    assert key_after("e2e4 e7e5 g1f3 b8c6 f3g1 c6b8") == key_after("e2e4 e7e5")


def test_a_generator_of_63_bits_loses_half_of_all_keys():
    source = random.Random(1)
    assert quality.rank([source.randrange((1 << 63) - 1) for _ in range(NUMBERS)]) == 63


def test_overlapping_calls_of_rand_collide_more_often():
    """Five results of C's rand(), 15 bits apart, joined by OR: sound where rand() has 15 bits, not where it has 31."""
    source = random.Random(1)
    results = {}
    for bits in (15, 31):
        numbers = []
        for _ in range(NUMBERS):
            parts = [source.getrandbits(bits) << shift for shift in (0, 15, 30, 45)]
            numbers.append((parts[0] | parts[1] | parts[2] | parts[3] | source.getrandbits(4) << 60) & ALL_BITS)
        found, expected = pairs_of_sums_that_collide(numbers, 32)
        results[bits] = found / expected
    assert results[15] == pytest.approx(1, abs=0.1) and results[31] > 2


@pytest.mark.parametrize("way", ["twelve numbers rotated by the square", "words that overlap in memory"])
def test_far_fewer_random_bits_also_do(way):
    source = random.Random(2)
    if way.startswith("twelve"):
        twelve = [source.getrandbits(64) for _ in range(12)]
        numbers = [(word << square | word >> (64 - square)) & ALL_BITS for word in twelve for square in range(64)]
    else:
        memory = source.randbytes(768 + 7)
        numbers = [int.from_bytes(memory[start : start + 8], "little") for start in range(768)]
    vectors = np.array(numbers, np.uint64)
    assert quality.rank(numbers) == 64 and quality.smallest_dependent(vectors, 4) == ()


def test_the_birthday_arithmetic_of_the_texts():
    assert quality.expected_first_collision(32) / 2**16 == pytest.approx(1.25, abs=0.01)  # "around 65 thousand"
    assert quality.expected_first_collision(64) / 2**32 == pytest.approx(1.25, abs=0.01)  # "about 4 billion"
    assert quality.expected_first_collision(48) / 2**24 == pytest.approx(1.25, abs=0.01)  # "16 million"
    assert quality.expected_pairs(2, 64) == 2.0**-64  # "1 in 10^19 for any two positions"
    assert quality.expected_pairs(10**9, 64) == pytest.approx(0.027, abs=0.001)  # not "10^-10"


def test_the_numbers_are_those_of_an_independent_implementation():
    board = chess.Board()
    for move in ["e2e4", "c7c5", "g1f3", "d7d6", "f1b5", "c8d7", "e1g1"]:
        board.push_uci(move)
    assert key_after("e2e4 c7c5 g1f3 d7d6 f1b5 c8d7 e1h1") == chess.polyglot.zobrist_hash(board)


def test_sums_of_48_bit_numbers_would_do_as_well():
    """For languages without integers: add on placing, subtract on removing. As many collisions, and exact in 53 bits."""
    samples = key_trials.new_trial(7)["samples"][0]["position"]
    samples = samples[np.unique(samples["key"], return_index=True)[1]]
    board, numbers = samples["board"].astype(np.int64), piece_keys() & np.uint64((1 << 48) - 1)
    addends = np.where(board < 12, numbers[np.minimum(board, 11), np.arange(64)], np.uint64(0))
    assert len(np.unique(addends.sum(axis=1))) == len(np.unique(board, axis=0))
    assert 32 * int(numbers.max()) < 1 << 53
    for sums in (addends.sum(axis=1), np.bitwise_xor.reduce(addends, axis=1)):
        distinct = np.unique(sums)
        expected = quality.expected_pairs(len(distinct), 12)
        assert quality.colliding_pairs(distinct, 12) == pytest.approx(expected, abs=5 * expected**0.5)


def test_a_key_takes_few_operations():
    """From scratch at most 32 pieces, castling, file and side; a move changes 3 to 7 numbers: "about 64", "4 to 6"."""
    changes = {
        "a quiet move": ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1b1", 3),
        "a capture": ("4k3/8/8/8/8/8/8/Rr2K3 w - - 0 1", "a1b1", 4),
        "castling": ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", 6),
        "promotion with capture": ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", 4),
    }
    for what, (fen, text, expected) in changes.items():
        before = parse_fen(fen)
        after = before.after(before.parse_move(text))
        assert len(facts(before) ^ facts(after)) == expected, what
    assert len(facts(parse_fen(START))) == 32 + 4 + 1


def facts(position: Position) -> set[str]:
    """What the key of a position is made of."""
    board = position.to_board()
    named = {f"{piece.symbol()}{chess.square_name(square)}" for square, piece in board.piece_map().items()}
    rights = {f"right {letter}" for letter in board.fen().split()[2] if letter != "-"}
    return named | rights | ({"White"} if board.turn else set())


def test_the_file_of_an_en_passant_square_is_enough():
    """The side to move tells the rank, and that is in the key."""
    ranks = {(position.side, square // 8) for position in walked() if (square := int(position.record["en_passant"]))}
    assert ranks == {(0, 5), (1, 2)}


def walked() -> list[Position]:
    return [position for _, position in playouts(60, 80)]
