"""The staged picker: every legal move exactly once, whatever the table proposes, and in the promised order."""

import random
from collections import Counter

import chess
import numpy as np
import pytest

from tests.search_kernels import PICKED, Workbench, history_of, pick_all, picker_perft
from tests.search_oracles import exchange_value, immediate_gain, move_numbers, random_boards, threats_answered
from zobra.engine.fen import START, parse_fen
from zobra.engine.generator import NOISY
from zobra.engine.perft import count_leaves
from zobra.engine.position import TABLES_RECORD, Position
from zobra.search.move_picker import BAD_CAPTURES, GENERATE_CAPTURES, GOOD_CAPTURES, QUIETS
from zobra.search.parameters import default_parameters

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ENDGAME = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
CHESS960 = "nrbbqk1r/pppp1ppp/5n2/4p3/4P3/5N2/PPPP1PPP/NRBBQK1R w KQkq - 4 4"
PROMOTIONS = "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"

THREAT, CHECK = (default_parameters()[name] for name in ("threat_bonus", "check_bonus"))
WEIGHT = 43  # 1024ths of a centipawn that a history value forgives a capture


def pick(bench: Workbench, tt_move: int = 0, noisy_only: bool = False, quiets_until: int = 1_000) -> list[tuple[int, int]]:
    """[(move, stage)] in the order of the picker."""
    picked = np.zeros(1, PICKED)
    pick_all(bench.this, TABLES_RECORD, 0, tt_move, noisy_only, quiets_until, picked[0])
    count = int(picked[0]["count"])
    return [(int(picked[0]["moves"][index]), int(picked[0]["stages"][index])) for index in range(count)]


def is_noisy(board: chess.Board, move: chess.Move) -> bool:
    return board.is_capture(move) or move.promotion is not None


def proposals(source: random.Random, legal: list[int]) -> list[int]:
    """Table moves: none, garbage, a legal move of another position most likely, and legal ones."""
    return [0, source.randrange(1 << 16), 12 | 28 << 6, *source.sample(legal, min(2, len(legal)))]


def learned_bench(seed: int) -> Workbench:
    """Histories full of random values."""
    bench, source = Workbench(parse_fen(START), {"capture_history_weight": WEIGHT}), np.random.default_rng(seed)
    for name in ("quiet_history", "pawn_history", "continuation_history", "capture_history"):
        bench.this[name] = source.integers(-9_000, 9_000, bench.this[name].shape)
    return bench


@pytest.mark.parametrize("chess960", [False, True])
def test_every_legal_move_once(chess960):
    source = random.Random(51)
    bench = learned_bench(53)
    for board in random_boards(52 + chess960, 12, 150, chess960):
        position = Position.from_board(board)
        bench.place(position)
        legal = position.legal_moves()
        for tt_move in proposals(source, legal):
            picked = [move for move, _ in pick(bench, tt_move)]
            assert sorted(picked) == sorted(legal), f"{board.fen()} {tt_move}"
            if tt_move in legal:
                assert picked[0] == tt_move


def test_noisy_only_yields_what_loses_nothing():
    bench = Workbench(parse_fen(START))
    yielded = refused = 0
    for board in random_boards(54, 10, 150):
        position = Position.from_board(board)
        bench.place(position)
        moves = move_numbers(position, board)
        wanted = {number for number, move in moves.items() if is_noisy(board, move) and exchange_value(board, move) >= 0}
        picked = [move for move, _ in pick(bench, noisy_only=True)]
        assert sorted(picked) == sorted(wanted), board.fen()
        yielded += len(wanted)
        refused += len(set(position.legal_moves(int(NOISY))) - wanted)
    assert yielded > 100
    assert refused > 100


def captures_score(bench: Workbench, board: chess.Board, number: int, move: chess.Move) -> tuple[int, int]:
    """What captures are sorted by, and their history alone, both re-computed."""
    own = bench.this["stack"][0]["position"]["board"]
    known = int(bench.this["capture_history"][int(own[number & 63]) * 64 + (number >> 6 & 63), int(own[number >> 6 & 63]) // 2])
    return 32 * immediate_gain(board, move) + known, known


def test_stages_come_in_order():
    """Table move, good noisy ones by gain and history, quiet ones by history and threats, bad noisy ones."""
    source = random.Random(55)
    bench = learned_bench(56)
    seen, forgiven, strict, answers = set(), 0, 0, Counter()
    for board in random_boards(57, 10, 150):
        position = Position.from_board(board)
        bench.place(position)
        moves = move_numbers(position, board)
        if not moves:
            continue
        tt_move = source.choice(list(moves))
        picked = pick(bench, tt_move)
        order = [move for move, _ in picked]
        good, bad, quiet = [], [], []
        scores = {}
        for number, move in moves.items():
            if number == tt_move:
                continue
            if not is_noisy(board, move):
                quiet.append(number)
                threat, check = threats_answered(board, move)
                scores[number] = history_of(bench, 0, number, True) + THREAT * threat + CHECK * check
                answers[threat, check] += 1
                continue
            value, (scores[number], known) = exchange_value(board, move), captures_score(bench, board, number, move)
            is_good = value >= -(known * WEIGHT // 1024)
            (good if is_good else bad).append(number)
            forgiven += is_good and value < 0
            strict += not is_good and value >= 0
        middle, end = 1 + len(good), 1 + len(good) + len(quiet)
        assert order[0] == tt_move
        for part, wanted in ((order[1:middle], good), (order[middle:end], quiet), (order[end:], bad)):
            assert sorted(part) == sorted(wanted), board.fen()
            assert [scores[number] for number in part] == sorted((scores[number] for number in wanted), reverse=True), (
                board.fen()
            )
        stages = [stage for _, stage in picked]
        assert stages == sorted(stages)
        seen |= set(stages)
    assert seen == {int(stage) for stage in (GENERATE_CAPTURES, GOOD_CAPTURES, QUIETS, BAD_CAPTURES)}
    assert forgiven > 10
    assert strict > 10
    assert all(answers[answer] > 10 for answer in ((1, 0), (-1, 0), (0, 1)))


def test_skipped_quiet_moves_stay_away_and_nothing_else():
    """Said while captures come, it takes effect with the first quiet move; of captures none is lost."""
    bench = learned_bench(58)
    source, skipped = random.Random(59), 0
    for board in random_boards(60, 8, 150):
        position = Position.from_board(board)
        bench.place(position)
        moves = move_numbers(position, board)
        everything = [move for move, _ in pick(bench)]
        until = source.randint(1, 12)
        picked = [move for move, _ in pick(bench, 0, False, until)]
        quiet = [index for index, move in enumerate(everything) if not is_noisy(board, moves[move])]
        kept = [index for index in quiet if index < until] or quiet[:1]
        gone = set(quiet) - set(kept)
        assert picked == [move for index, move in enumerate(everything) if index not in gone], board.fen()
        skipped += len(gone)
    assert skipped > 1_000


@pytest.mark.parametrize(("fen", "depth"), [(START, 4), (KIWIPETE, 3), (ENDGAME, 4), (CHESS960, 3), (PROMOTIONS, 4)])
def test_perft_through_the_picker(fen, depth):
    position = parse_fen(fen)
    assert picker_perft(Workbench(position).this, TABLES_RECORD, 0, depth) == count_leaves(position, depth)
