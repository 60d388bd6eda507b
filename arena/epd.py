"""Test positions from EPD files: what each line asks for, and the lines that cannot be used.

The notation is Steven J. Edwards' Extended Position Description, read by python-chess. Understood operations:
`bm` best moves, `am` moves to avoid, `dm` mate in N moves (negative: the side to move gets mated), and points per move
as the Strategic Test Suite writes them: `c8 "10 5"; c9 "e2e4 d2d4";`, or `c0 "e4=10, d4=5";` alone.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import chess

from zobra.arena.files import printable

_POINTS_ITEM = re.compile(r"(\S+)=(\d+)")  # a move in SAN, which may hold "=" itself, then its points: "e8=Q=10"


@dataclass(frozen=True)
class SuitePosition:
    """One position of a suite. Moves are in UCI notation as the engine says them (castling by the king's two steps,
    in Chess960 king takes rook); `mate_in` counts moves, negative when the side to move gets mated."""

    file: str
    line: int
    name: str
    fen: str
    chess960: bool = False
    best: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    mate_in: int | None = None
    points: tuple[tuple[str, int], ...] = ()

    def board(self) -> chess.Board:
        return chess.Board(self.fen, chess960=self.chess960)

    def san(self, *moves: str | None) -> str:
        """Moves of this position in SAN, "-" where there is none."""
        board = self.board()
        return " ".join(board.san(board.parse_uci(move)) if move else "-" for move in moves)

    @property
    def maximum_points(self) -> int:
        """The most points a move can earn here, 0 where the line gives none."""
        return max(dict(self.points).values(), default=0)

    @property
    def best_paid(self) -> list[str]:
        return [move for move, points in self.points if points == self.maximum_points]


@dataclass(frozen=True)
class BadLine:
    """A line that cannot be used, and why."""

    file: str
    line: int
    text: str
    problem: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.problem}"


class _Chess960Board(chess.Board):
    """A board that reads every FEN as Chess960, also where python-chess makes a second board from the EPD's fields."""

    def __init__(self, fen: str | None = chess.STARTING_FEN, *, chess960: bool = True) -> None:
        super().__init__(fen, chess960=chess960)


def read_suites(paths: Iterable[Path]) -> tuple[list[SuitePosition], list[BadLine]]:
    """Reads EPD files one after the other: the usable positions, and the lines that are not. Blank lines and lines that start
    with # are skipped. Raises OSError when a file cannot be read."""
    positions, bad_lines = list[SuitePosition](), list[BadLine]()
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8-sig", errors="replace").split("\n"), start=1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            try:
                positions.append(read_position(line, str(path), number))
            except ValueError as error:
                bad_lines.append(BadLine(str(path), number, printable(line.strip()), printable(str(error))))
    return positions, bad_lines


def read_position(line: str, file: str = "", number: int = 0) -> SuitePosition:
    """Reads one EPD line, or a full FEN with operations behind it. Raises ValueError saying what is wrong with it."""
    board, operations = _read_epd(with_clocks_as_operations(line))
    if not any(board.legal_moves):
        raise ValueError("the side to move has no legal move")
    mate_in = operations.get("dm")
    for opcode in ("bm", "am"):
        if not isinstance(operations.get(opcode, []), list):
            raise ValueError(f"{opcode} needs moves, not {operations[opcode]!r}")
    best, avoid = (tuple(map(board.uci, operations.get(opcode, ()))) for opcode in ("bm", "am"))
    if mate_in is not None and (not isinstance(mate_in, int) or mate_in == 0):
        raise ValueError(f"dm needs a number of moves other than 0, not {mate_in!r}")
    name = printable(str(operations.get("id") or f"{Path(file).stem}:{number}"))
    points = tuple(_points(operations, board).items())
    if not (best or avoid or mate_in or points):
        raise ValueError("nothing to solve: no bm, am, dm or points per move")
    return SuitePosition(file, number, name, board.fen(), board.chess960, best, avoid, mate_in, points)


def with_clocks_as_operations(line: str) -> str:
    """Turns "FEN-with-two-clocks bm Qd1;" into EPD, which keeps the clocks in hmvc and fmvn."""
    fields = line.split(None, 6)
    clocks = [field.rstrip(";") for field in fields[4:6]]
    if len(clocks) < 2 or not all(clock.isascii() and clock.isdigit() for clock in clocks):
        return line
    operations = fields[6].lstrip("; ") if len(fields) > 6 else ""
    return " ".join([*fields[:4], f"hmvc {clocks[0]}; fmvn {clocks[1]};", operations])


def _read_epd(line: str) -> tuple[chess.Board, dict]:
    """Reads a line as standard chess, or, where its castling rights need that, as Chess960."""
    failures = []
    for kind in (chess.Board, _Chess960Board):
        try:
            board, operations = kind.from_epd(line, chess960=kind is _Chess960Board)
            if not board.is_valid():
                raise ValueError(f"impossible position ({status_names(board)})")
            if kind is chess.Board or board.has_chess960_castling_rights():
                return board, operations
        except ValueError as error:
            failures.append(error)
    raise failures[0]


def status_names(board: chess.Board) -> str:
    """What is wrong with a position, in python-chess' words."""
    return ", ".join(str(flag.name).lower().replace("_", " ") for flag in chess.Status if flag & board.status())


def _points(operations: dict, board: chess.Board) -> dict[str, int]:
    """Points per move: c9's moves with c8's numbers, else c0's "move=number" list; other comments give none. Moves are in UCI
    or SAN; suites often leave out or add a check sign, which python-chess forgives."""
    numbers, moves = operations.get("c8"), operations.get("c9")
    if isinstance(numbers, str) and isinstance(moves, str):
        opcode, given, texts = "c9", numbers.split(), moves.split()
        if not all(number.isascii() and number.isdigit() for number in given):
            return {}
        if len(given) != len(texts):
            raise ValueError(f"c8 gives {len(given)} numbers for the {len(texts)} moves of c9")
        items = list(zip(texts, given, strict=True))
    else:
        found = [_POINTS_ITEM.fullmatch(item.strip()) for item in str(operations.get("c0", "")).split(",")]
        opcode, items = "c0", [(item[1], item[2]) for item in found if item] if all(found) else []
    try:
        return {board.uci(board.parse_xboard(text)): int(number) for text, number in items}
    except ValueError as error:
        raise ValueError(f"{opcode}: {error}") from None
