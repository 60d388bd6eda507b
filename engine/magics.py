"""Magic numbers: multipliers that pack the occupancy of a slider's rays into a dense table index.

Found by this project with `find_magic` (random candidates with few bits set; the trial that maps no two occupancies with
different attacks to one index wins). Any other working set would serve as well: the tests verify each against walking the rays.
Idea: Lasse Hansen and Pradyumna Kannan, via the Chess Programming Wiki ("Magic Bitboards", fancy form).
"""

from __future__ import annotations

import random

Steps = tuple[tuple[int, int], ...]

ROOK_STEPS: Steps = ((1, 0), (-1, 0), (0, 1), (0, -1))
BISHOP_STEPS: Steps = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def ray(square: int, step: tuple[int, int]) -> list[int]:
    """Squares from `square` to the edge in steps of (files, ranks), nearest first."""
    file, rank = square % 8 + step[0], square // 8 + step[1]
    squares = []
    while 0 <= file < 8 and 0 <= rank < 8:
        squares.append(8 * rank + file)
        file, rank = file + step[0], rank + step[1]
    return squares


def walk(square: int, steps: Steps, occupied: int) -> int:
    """Squares that a slider reaches from `square`, blockers included: the slow, obvious definition."""
    reached = 0
    for step in steps:
        for target in ray(square, step):
            reached |= 1 << target
            if occupied >> target & 1:
                break
    return reached


def relevant(square: int, steps: Steps) -> int:
    """Squares whose occupancy can change what `walk` finds: the rays without their last squares."""
    return sum(1 << target for step in steps for target in ray(square, step)[:-1])


def subsets(mask: int) -> list[int]:
    """All subsets of a bit set, the empty one first (the carry-rippler enumeration)."""
    found, subset = [0], (0 - mask) & mask
    while subset:
        found.append(subset)
        subset = (subset - mask) & mask
    return found


def find_magic(square: int, steps: Steps, seed: int) -> int:
    """Search a magic number for one square; deterministic for a seed. Slow: minutes for a rook's corner."""
    source = random.Random(seed)
    mask = relevant(square, steps)
    shift = 64 - mask.bit_count()
    pairs = [(occupied, walk(square, steps, occupied)) for occupied in subsets(mask)]
    while True:
        magic = source.getrandbits(64) & source.getrandbits(64) & source.getrandbits(64)
        table: dict[int, int] = {}
        if all(table.setdefault((o * magic & 0xFFFFFFFFFFFFFFFF) >> shift, a) == a for o, a in pairs):
            return magic


# fmt: off
ROOK_MAGICS = (
    0x2480008040002178, 0x0100205080400100, 0x0200084122008010, 0x2080041000810800,
    0x808004008008000A, 0x820002000110080C, 0x2100019900040200, 0x010000308300004A,
    0x1004800040008022, 0xC900400320100248, 0x0404801001A00180, 0x0421000820100100,
    0x0061001015000800, 0x0002003200141008, 0x092E800100060080, 0x02008000800DC100,
    0x0004B48000400280, 0x0020004010002040, 0x4010010100402000, 0x8010004040080400,
    0x8002808004024800, 0x00610100060C0008, 0x2100040050081122, 0x0000020000904104,
    0x0298400080009020, 0x0400400180200080, 0x8020200100401100, 0x0080080080100481,
    0x0081003100080084, 0x4448020080040080, 0x2810010400225048, 0x0120044A00008904,
    0x0101A0C000800580, 0x003002A000400840, 0x0410040020200801, 0x0100100084801801,
    0x9844808800800402, 0x0002001002004448, 0x2000021004001D08, 0x4864008406000441,
    0x1200882040008000, 0x0400500020004005, 0x2A20028010008060, 0x020020102A020040,
    0x0001980100510004, 0x000C000200808004, 0x0100101328040002, 0x030031029A420004,
    0xC0408008C0082080, 0x2C40100020024240, 0x00190010A0004100, 0x4400801002880080,
    0x1000850018001100, 0x00020091481C0200, 0x8000081906104400, 0x044200C406810200,
    0x0240800120110941, 0x0000822440001105, 0x2502038048203042, 0x0010442100100049,
    0x0102002084110812, 0x0861003208540009, 0x0080100108008A04, 0x002401A100840042,
)

BISHOP_MAGICS = (
    0x01020808289C0040, 0x0008080144032100, 0x0818082300200101, 0x0204042180004012,
    0x201A021020044001, 0x28A6080208101A10, 0x2008840120103000, 0x0000C60814020A00,
    0x51104004010C0100, 0x4006941408020024, 0xC020C80818548802, 0x0041180863001116,
    0x8000220210000020, 0x04000208440C0400, 0x000000C410041232, 0x0008050406010414,
    0x30080120C81028A0, 0x9088002002008208, 0x4240420804830010, 0x0A04000241020100,
    0x00020004012C0080, 0x0302020100808440, 0x80240000C2021012, 0x8222000061040644,
    0x2408A10404600A20, 0x6044100852020801, 0x0808080401004100, 0x0310040040440018,
    0x0040840012802010, 0x015001010080A884, 0x0808320008410C10, 0x4009014001040080,
    0x0054044000200246, 0x0008141020241365, 0x0804040201040024, 0x0006100820840400,
    0x0808540400004100, 0x2404024080041000, 0x00100202200080A0, 0x001A040441070044,
    0x0838040C84802121, 0x1000441420020506, 0x0400110808012102, 0x8000808420220400,
    0x0340040094000200, 0x009001100D000088, 0x00020A0434100100, 0x0812808201800608,
    0x0408881803500000, 0x004A04520A101090, 0x800001040104300E, 0x08102C80C20E0200,
    0x040A002870240002, 0x0100082028022273, 0x0124301002408170, 0x0A6088810100A0C9,
    0x2040840104900C02, 0x4000060082680200, 0x0000000022031008, 0xC44000200C840400,
    0x818004001002120C, 0x40108440100400C8, 0x0028620801080080, 0x4404210444040840,
)
# fmt: on
