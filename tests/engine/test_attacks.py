"""Attack tables against walking over the board."""

import os
import random
import subprocess
import sys

import numpy as np
import pytest

from tests.support import naive
from tests.support.playouts import playouts
from zobra.engine import attacks
from zobra.engine.constants import slider_attacks
from zobra.engine.kernels import WORD, entry
from zobra.engine.layouts import CONSTANTS_TYPE, POSITION_TYPE
from zobra.engine.magics import BISHOP_MAGICS, ROOK_MAGICS
from zobra.engine.position import CONSTANTS_RECORD as CONSTANTS

rook_attacks, bishop_attacks = (
    entry(WORD, CONSTANTS_TYPE, WORD, WORD)(kernel.function)
    for kernel in (attacks.rook_attacks, attacks.bishop_attacks)
)
attackers = entry(WORD, POSITION_TYPE, CONSTANTS_TYPE, WORD, WORD, WORD)(attacks.attackers.function)


def walk_in_directions(square: int, directions: tuple[tuple[int, int], ...], occupied: int) -> int:
    pieces = dict.fromkeys(naive.squares(occupied), 0)
    return sum(1 << target for step in directions for target in naive.walk(square, step, pieces))


@pytest.mark.parametrize("straight", [True, False])
def test_sliders_look_up_what_walking_finds_for_every_occupancy(straight):
    """All 107,648 sets of relevant blockers, each with others that do not matter thrown in."""
    source = np.random.default_rng(4)
    directions, look_up = (
        (naive.STRAIGHT, rook_attacks) if straight else (naive.DIAGONAL, bishop_attacks)
    )
    total = 0
    for square in range(64):
        blockers, expected = slider_attacks(square, straight)
        mask = int(blockers[-1])
        assert len(set(blockers.tolist())) == 1 << mask.bit_count()
        total += len(blockers)
        noise = source.integers(0, 1 << 64, len(blockers), dtype=np.uint64) & np.uint64(
            ~mask & (1 << 64) - 1
        )
        found = [look_up(CONSTANTS, square, occupied) for occupied in (blockers | noise).tolist()]
        assert (
            found
            == [walk_in_directions(square, directions, occupied) for occupied in blockers.tolist()]
            == expected.tolist()
        )
    assert total == (102_400 if straight else 5_248)


def test_attackers_are_those_of_python_chess():
    source = random.Random(3)
    for board, position in playouts(6, 70):
        square, colour = source.randrange(64), source.randrange(2)
        found = attackers(position.record, CONSTANTS, square, colour, board.occupied)
        assert found == board.attackers_mask(colour == 0, square), board.fen()
        occupied = board.occupied & source.getrandbits(64)
        found = attackers(position.record, CONSTANTS, square, colour, occupied)
        assert found == board.attackers_mask(colour == 0, square, occupied) & occupied, board.fen()


@pytest.mark.parametrize(("straight", "factors"), [(True, ROOK_MAGICS), (False, BISHOP_MAGICS)])
def test_magic_numbers_never_mix_up_two_sets_of_attacks(straight, factors):
    for square, factor in enumerate(factors):
        occupied, reached = slider_attacks(square, straight)
        shift, seen = 64 - int(occupied[-1]).bit_count(), {}
        for occupancy, attacked in zip(occupied.tolist(), reached.tolist(), strict=True):
            assert (
                seen.setdefault((occupancy * factor & (1 << 64) - 1) >> shift, attacked) == attacked
            )


def test_leapers_attack_what_walking_finds():
    for square in range(64):
        found = (
            CONSTANTS["pawn"][0, square],
            CONSTANTS["pawn"][1, square],
            CONSTANTS["knight"][square],
            CONSTANTS["king"][square],
        )
        assert [naive.squares(bits) for bits in found] == [
            naive.attacks(square, piece, {}) for piece in (0, 1, 2, 10)
        ]


def test_between_and_line_follow_from_walking():
    for a in range(64):
        for b in range(64):
            between = line = 0
            for directions in (naive.STRAIGHT, naive.DIAGONAL):
                if a != b and walk_in_directions(a, directions, 0) >> b & 1:
                    between = walk_in_directions(a, directions, 1 << b) & walk_in_directions(
                        b, directions, 1 << a
                    )
                    line = (
                        walk_in_directions(a, directions, 0) & walk_in_directions(b, directions, 0)
                        | 1 << a
                        | 1 << b
                    )
            assert int(CONSTANTS["between"][a, b]) == between
            assert int(CONSTANTS["line"][a, b]) == line


def test_portable_kernels_count_the_same(tmp_path):
    code = (
        "from zobra.engine.fen import parse_fen\nfrom zobra.engine.perft import count_leaves\n"
        "print(count_leaves(parse_fen('r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w "
        "KQkq - 0 1'), 4))"
    )
    environment = os.environ | {"ZOBRA_LEVEL": "portable", "ZOBRA_CACHE_DIR": str(tmp_path)}
    assert (
        subprocess.check_output([sys.executable, "-c", code], env=environment, text=True).strip()
        == "4085603"
    )
