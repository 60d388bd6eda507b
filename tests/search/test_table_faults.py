"""A table that lies: entries of other positions, random ones, torn ones.

Scores may suffer, but no move may be illegal.

Every move that comes out of the table has to pass engine/legality.is_legal before it is made. The
positions are those of random games; a search fills the table, the table is damaged, and the same
position is searched again, so that nearly every probe of the second search finds what was planted.
"""

import random
import subprocess
import sys
from collections.abc import Callable

import chess
import numpy as np
import pytest

from tests.support.kernel_tree import copy_zobra
from tests.support.playouts import playouts
from tests.tools.lines import line_fault
from zobra.engine.move import move_text
from zobra.engine.position import Game
from zobra.search.limits import Limits, Report
from zobra.search.searcher import Searcher
from zobra.tt.entry import NO_ENTRY

Kind = Callable[[np.random.Generator, np.ndarray], np.ndarray]  # other data words for these
BOUND_MASK = np.uint64(0xC0)  # entries without a bound are empty


def positions(number: int, seed: int) -> list[tuple[chess.Board, Game]]:
    """Positions of random games in which there is a move to make, for python-chess and for us."""
    found = []
    source = random.Random(seed)
    for board, position in playouts(1 + number // 8, seed, longest=120):
        if any(board.legal_moves) and source.random() < 0.3:
            found.append((board.copy(stack=False), Game(position)))
    source.shuffle(found)
    assert len(found) >= number
    return found[:number]


def damage(searcher: Searcher, source: np.random.Generator, share: float, kind: Kind) -> int:
    """Give a share of the entries other data, with check words that verify; return how many."""
    entries = searcher.tt.buckets().reshape(-1)
    used = np.flatnonzero(entries["data"] & BOUND_MASK)
    chosen = used[source.random(len(used)) < share]
    keys = entries["check"][chosen] ^ entries["data"][chosen]
    entries["data"][chosen] = kind(source, entries["data"][chosen])
    entries["check"][chosen] = keys ^ entries["data"][chosen]
    return len(chosen)


def of_other_positions(source: np.random.Generator, data: np.ndarray) -> np.ndarray:
    """Exchange entries between positions, as if keys collided all the time."""
    return source.permutation(data)


def random_words(source: np.random.Generator, data: np.ndarray) -> np.ndarray:
    return source.integers(0, 2**64, len(data), np.uint64)


def random_moves(source: np.random.Generator, data: np.ndarray) -> np.ndarray:
    """Everything as it was but the move."""
    mask = np.uint64(0xFFFF << 16)
    return data & ~mask | random_words(source, data) & mask


def search(searcher: Searcher, board: chess.Board, game: Game, nodes: int) -> None:
    """One search whose every line, move and expected reply must be legal."""
    reports: list[Report] = []
    result = searcher.search(game, Limits(nodes=nodes), reports.append)
    played = (result.best, result.ponder) if result.ponder else (result.best,)
    for line in (*(report.pv for report in reports), played):
        fault = line_fault(board, [move_text(move, board.chess960) for move in line])
        assert fault is None, f"{board.fen()}: {fault}"


KINDS = [(of_other_positions, 1.0), (random_words, 0.01), (random_words, 1.0), (random_moves, 1.0)]
CASES = [
    *((*kind, 40, 1_500, 1) for kind in KINDS),
    (random_words, 0.5, 12, 4_000, 3),  # with threads that share the table
    *(pytest.param(*kind, 1_000, 10_000, 1, marks=pytest.mark.slow) for kind in KINDS),
]


@pytest.mark.parametrize(("kind", "share", "number", "nodes", "threads"), CASES)
def test_no_entry_can_make_an_illegal_move(kind, share, number, nodes, threads):
    source = np.random.default_rng(3)
    searcher = Searcher(1)
    searcher.threads = threads
    planted = 0
    for board, game in positions(number, seed=3):
        search(searcher, board, game, nodes)
        planted += damage(searcher, source, share, kind)
        search(searcher, board, game, nodes)
        searcher.clear()
    assert planted > number * nodes * share / 20


def test_torn_entries_are_not_believed():
    """The check of one entry beside the data of another: what two threads writing at once may
    leave.
    """
    searcher = Searcher(1)
    for board, game in positions(15, seed=5):
        search(searcher, board, game, 2_000)
        entries = searcher.tt.buckets().reshape(-1)
        used = np.flatnonzero(entries["data"] & BOUND_MASK)
        keys = [int(key) for key in entries["check"][used] ^ entries["data"][used]]
        assert all(searcher.tt.recall(key) != NO_ENTRY for key in keys)
        whole = entries["data"][used].copy()
        others = np.roll(whole, 1)
        entries["data"][used] = others
        torn = np.flatnonzero(whole != others)
        assert len(torn)
        assert all(searcher.tt.recall(keys[index]) == NO_ENTRY for index in torn)
        search(searcher, board, game, 2_000)
        searcher.clear()


@pytest.mark.slow
def test_a_thousand_positions_with_short_signatures(tmp_path):
    """The engine compiled with signatures of 8 bits: one probe in sixty-four of a full table finds
    a stranger's entry.
    """
    from tests.support.short_signatures import shorten

    environment = copy_zobra(tmp_path)
    shorten(tmp_path / "zobra" / "tt" / "table.py")
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.short_signatures"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1000 positions" in done.stdout
