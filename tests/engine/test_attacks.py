"""Attack tables against walking over the board."""

import itertools
import os
import random
import subprocess
import sys

import numpy as np
import pytest

from tests.support import naive
from tests.support.playouts import playouts
from tests.support.searches import KIWIPETE
from zobra.engine import attacks
from zobra.engine.board import BISHOP, KING, KNIGHT, ROOK
from zobra.engine.constants import slider_attacks
from zobra.engine.kernels import WORD, entry
from zobra.engine.kernels.processor import NATIVE, levels_of, target_of
from zobra.engine.layouts import CONSTANTS_TYPE, POSITION_TYPE
from zobra.engine.magics import BISHOP_MAGICS, ROOK_MAGICS
from zobra.engine.position import CONSTANTS_RECORD as CONSTANTS

rook_attacks = entry(WORD, CONSTANTS_TYPE, WORD, WORD)(attacks.rook_attacks.function)
bishop_attacks = entry(WORD, CONSTANTS_TYPE, WORD, WORD)(attacks.bishop_attacks.function)
attackers = entry(WORD, POSITION_TYPE, CONSTANTS_TYPE, WORD, WORD, WORD)(attacks.attackers.function)


def walk_in_directions(square: int, directions: tuple[tuple[int, int], ...], occupied: int) -> int:
    pieces = dict.fromkeys(naive.squares(occupied), 0)
    return sum(1 << target for step in directions for target in naive.walk(square, step, pieces))


@pytest.mark.parametrize("straight", [True, False])
def test_slider_attacks_match_walking_for_every_occupancy(straight):
    """All 107,648 sets of relevant blockers, each with others that do not matter thrown in."""
    source = np.random.default_rng(4)
    directions = naive.STRAIGHT if straight else naive.DIAGONAL
    look_up = rook_attacks if straight else bishop_attacks
    total = 0
    for square in range(64):
        blockers, expected = slider_attacks(square, straight)
        total += len(blockers)
        mask = int(blockers[-1])
        assert len(set(blockers.tolist())) == 1 << mask.bit_count()
        others = np.uint64(~mask & (1 << 64) - 1)
        noise = source.integers(0, 1 << 64, len(blockers), dtype=np.uint64) & others
        found = [look_up(CONSTANTS, square, occupied) for occupied in (blockers | noise).tolist()]
        walked = [walk_in_directions(square, directions, each) for each in blockers.tolist()]
        assert found == walked == expected.tolist()
    assert total == (102_400 if straight else 5_248)


def test_attackers_match_python_chess():
    source = random.Random(3)
    for board, position in playouts(6, 70):
        square, colour = source.randrange(64), source.randrange(2)
        found = attackers(position.record, CONSTANTS, square, colour, board.occupied)
        assert found == board.attackers_mask(colour == 0, square), board.fen()
        occupied = board.occupied & source.getrandbits(64)
        found = attackers(position.record, CONSTANTS, square, colour, occupied)
        assert found == board.attackers_mask(colour == 0, square, occupied) & occupied, board.fen()


@pytest.mark.parametrize(("straight", "factors"), [(True, ROOK_MAGICS), (False, BISHOP_MAGICS)])
def test_magic_indices_have_no_harmful_collisions(straight, factors):
    for square, factor in enumerate(factors):
        occupied, reached = slider_attacks(square, straight)
        shift = 64 - int(occupied[-1]).bit_count()
        seen: dict[int, int] = {}
        for occupancy, attacked in zip(occupied.tolist(), reached.tolist(), strict=True):
            index = (occupancy * factor & (1 << 64) - 1) >> shift
            assert seen.setdefault(index, attacked) == attacked


def test_leaper_attacks_match_walking():
    for square in range(64):
        found = {
            0: CONSTANTS["pawn"][0, square],
            1: CONSTANTS["pawn"][1, square],
            2: CONSTANTS["knight"][square],
            10: CONSTANTS["king"][square],
        }
        for piece, bits in found.items():
            assert naive.squares(bits) == naive.attacks(square, piece, {})


def test_between_and_line_match_walking():
    for a, b in itertools.product(range(64), repeat=2):
        between = 0
        line = 0
        for directions in (naive.STRAIGHT, naive.DIAGONAL):
            from_a = walk_in_directions(a, directions, 0)
            if a != b and from_a >> b & 1:
                line = from_a & walk_in_directions(b, directions, 0) | 1 << a | 1 << b
                between = walk_in_directions(a, directions, 1 << b)
                between &= walk_in_directions(b, directions, 1 << a)
        assert int(CONSTANTS["between"][a, b]) == between
        assert int(CONSTANTS["line"][a, b]) == line


COUNT = f"""
from zobra.engine.fen import parse_fen
from zobra.engine.perft import count_leaves
print(count_leaves(parse_fen({KIWIPETE!r}), 4))
"""


def test_steps_are_the_moves_on_an_empty_board():
    for kind in (KNIGHT, BISHOP, ROOK, KING):
        for square in range(64):
            steps = CONSTANTS["steps"][kind, square]
            reached = naive.attacks(square, 2 * int(kind), {})
            assert int(steps["targets"]) == sum(1 << to for to in reached)
            moves = [square | to << 6 for to in sorted(reached)]
            assert steps["moves"][: len(moves)].tolist() == moves


def test_packing_brings_any_of_eight_moves_together():
    for chosen in range(256):
        order = CONSTANTS["packing"]["bytes"][chosen].tolist()
        bits = [bit for bit in range(8) if chosen >> bit & 1]
        assert order[: 2 * len(bits)] == [byte for bit in bits for byte in (2 * bit, 2 * bit + 1)]


@pytest.mark.parametrize("level", levels_of(target_of(NATIVE)))
def test_kernels_of_every_level_count_the_same(level, tmp_path):
    environment = os.environ | {"ZOBRA_LEVEL": level, "ZOBRA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", COUNT]
    assert subprocess.check_output(command, env=environment, text=True).strip() == "4085603"
