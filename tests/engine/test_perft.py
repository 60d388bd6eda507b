"""Perft, the judge of generator and make: textbook positions, positions of our own, and the
public suites.
"""

import re

import pytest

from tests.support.paths import SHARED
from tests.support.perft_positions import CHESS960, STANDARD
from zobra.engine import perft
from zobra.engine.fen import parse_fen
from zobra.engine.perft import MAX_DEPTH, count_leaves, divide

SUITES = SHARED / "data" / "perft"
# The suites, and how deep their counts are checked
PUBLIC = {
    "standard_126": 5,
    "tricky": 6,
    "tricky_chess960": 5,
    "chess960_half": 4,
    "chess960_deep9": 5,
    "random_marcel_2000": 4,
    "ferdy_ep": 4,
    "ferdy_double": 4,
    "ferdy_single": 4,
}

# Leaves at depths 1, 2, …; the last depth is for the slow tests.
TEXTBOOK = {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": (
        20,
        400,
        8902,
        197281,
        4865609,
        119060324,
        3195901860,
    ),
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": (
        48,
        2039,
        97862,
        4085603,
        193690690,
        8031647685,
    ),
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": (
        14,
        191,
        2812,
        43238,
        674624,
        11030083,
        178633661,
    ),
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": (
        6,
        264,
        9467,
        422333,
        15833292,
        706045033,
    ),
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": (
        44,
        1486,
        62379,
        2103487,
        89941194,
        3048196529,
    ),
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": (
        46,
        2079,
        89890,
        3894594,
        164075551,
        6923051137,
    ),
}
SHALLOWER = {fen: counts[:-1] for fen, counts in TEXTBOOK.items()}
ONE_PLY_DEEPER = [
    pytest.param(fen, counts, marks=pytest.mark.slow) for fen, counts in TEXTBOOK.items()
]


@pytest.mark.parametrize(
    ("fen", "counts"), [*(SHALLOWER | STANDARD | CHESS960).items(), *ONE_PLY_DEEPER]
)
def test_perft_of_textbook_and_own_positions(fen, counts):
    position = parse_fen(fen)
    assert tuple(count_leaves(position, depth) for depth in range(1, len(counts) + 1)) == counts


@pytest.mark.parametrize("name", PUBLIC)
@pytest.mark.parametrize(
    ("every", "most_leaves"), [(5, 300_000), pytest.param(1, 1 << 40, marks=pytest.mark.slow)]
)
def test_public_suites(name, every, most_leaves):
    """All counts of a suite, or the lower ones of every fifth line."""
    path = SUITES / f"{name}.epd"
    if not path.exists():
        pytest.skip(f"../shared/data/perft/{path.name} is not there")
    lines = [line for line in path.read_text().splitlines() if re.search(r"D\d+\s+\d+", line)]
    checked = 0
    for line in lines[::every]:
        fields = line.split(";")[0].split()[:4]
        position = parse_fen(" ".join(fields) + " 0 1")
        for depth, leaves in re.findall(r"D(\d+)\s+(\d+)", line):
            if int(depth) <= PUBLIC[name] and int(leaves) <= most_leaves:
                assert count_leaves(position, int(depth)) == int(leaves), (line, depth)
                checked += 1
    assert checked


def test_divide_adds_up():
    position = parse_fen(next(iter(TEXTBOOK)))
    assert sum(leaves for _, leaves in divide(position, 4)) == 197281
    assert [leaves for _, leaves in divide(position, 1)] == [1] * 20


def test_counting_in_chunks_changes_no_count(monkeypatch):
    monkeypatch.setattr(perft, "CHUNK_DEPTH", 1)
    assert sum(leaves for _, leaves in divide(parse_fen(next(iter(TEXTBOOK))), 4)) == 197281


def test_depth_limits():
    position = parse_fen(next(iter(TEXTBOOK)))
    assert count_leaves(position, 0) == 1
    with pytest.raises(ValueError, match="more than"):
        count_leaves(position, MAX_DEPTH + 1)
