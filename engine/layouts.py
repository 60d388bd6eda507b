"""The records that kernels share with Python: each layout is declared here, once.

One element of an array of such a dtype (`array[0]`) is passed to kernels by reference: a bare
pointer with named fields. Words are 64 bits wide wherever they take part in bit operations, so that
no narrow load needs a conversion.
"""

from zobra.engine.kernels import layout, record
from zobra.engine.network_file import BUCKETS, FEATURES, WIDTH

SLIDER_ENTRIES = 102_400 + 5_248  # sum over squares of 2 ** (relevant squares), rooks and bishops
MAX_MOVES = 480  # 15 queens cannot have more; a position from a legal game has at most 218
MAX_PIECES = 32
MAX_TARGETS = 16  # of a set of pawns or a piece; queens move as bishops, then as rooks

MAGIC = layout(("mask", "u8"), ("factor", "u8"), ("shift", "u8"), ("offset", "u8"))

# The moves of a piece from a square on an empty board, and their target squares, in the same order;
# and the order of bytes that brings some of eight moves together.
STEPS = layout(("moves", "u2", (MAX_TARGETS,)), ("targets", "u8"))
BYTE_ORDER = layout(("bytes", "u1", (16,)))

# The evaluation network (network.py): what each feature adds to the neurons, and what these add to
# the score. Each output has the weights of the side to move, then of the other; its sum times
# `scale` is in internal units times QA × QA × the largest of OUTPUT_UNITS.
NEURONS = layout(("values", "i2", (WIDTH,)))
NETWORK = layout(
    ("rows", NEURONS, (FEATURES,)),
    ("bias", NEURONS),
    ("output", NEURONS, (BUCKETS, 2)),
    ("output_bias", "i8", (BUCKETS,)),
    ("scale", "i8"),
)
# The features that come to a side and leave it: at most those of the pieces on the board.
CHANGES = layout(
    ("added", "u2", (MAX_PIECES,)),
    ("removed", "u2", (MAX_PIECES,)),
    ("added_count", "u8"),
    ("removed_count", "u8"),
)
# The neurons of one position before clipping, as White and as Black see it.
ACCUMULATOR = layout(("sides", NEURONS, (2,)), ("changes", CHANGES))

# Constants: built once at start, read by every kernel. As fast as frozen globals, and free at
# compile time.
CONSTANTS = layout(
    ("knight", "u8", (64,)),
    ("king", "u8", (64,)),
    ("pawn", "u8", (2, 64)),  # squares a pawn of this colour attacks
    # Through a square: [0] the a1-h8 direction, [1] the a8-h1 direction
    ("diagonal", "u8", (2, 64)),
    ("bishop", MAGIC, (64,)),
    ("rook", MAGIC, (64,)),
    ("between", "u8", (64, 64)),  # squares strictly between two squares of one line
    ("line", "u8", (64, 64)),  # the whole line through two squares, edge to edge
    # By king and rook: squares that must be empty, but for these two
    ("castling_path", "u8", (64, 64)),
    ("castling_king_path", "u8", (64, 64)),  # squares that the king crosses or reaches
    ("piece_key", "u8", (12, 64)),
    ("castling_key", "u8", (16,)),
    ("en_passant_key", "u8", (8,)),
    ("side_key", "u8"),
    ("slider", "u8", (SLIDER_ENTRIES,)),
    # Not read where bytes can be compressed, so after all others
    ("steps", STEPS, (6, 64)),  # by piece type (not for pawns, nor for queens) and square
    ("packing", BYTE_ORDER, (256,)),  # by the set of moves to bring together
)

# A position. `correction_keys` are [pawns, White's pieces, Black's pieces]; `castling` has the
# squares of the rooks that may still castle; `en_passant` is the target square if a pawn can be
# legally taken en passant, else 0 (a1).
POSITION = layout(
    ("pieces", "u8", (6,)),
    ("colours", "u8", (2,)),
    ("board", "u1", (64,)),
    ("key", "u8"),
    ("correction_keys", "u8", (3,)),
    ("castling", "u8"),
    ("en_passant", "u8"),
    ("side", "u8"),
    ("halfmove", "i8"),  # plies since the last capture or pawn move
    ("reversible_plies", "i8"),  # plies since the last irreversible or null move
    ("fullmove", "i8"),
    ("checkers", "u8"),  # enemy pieces that give check
    ("pinned", "u8"),  # own pieces pinned to the king
)

MOVE_LIST = layout(("count", "u8"), ("moves", "u2", (MAX_MOVES,)))

CONSTANTS_TYPE = record(CONSTANTS)
POSITION_TYPE = record(POSITION)
MOVE_LIST_TYPE = record(MOVE_LIST)
