"""Test suites: the positions of EPD files, and whether an answer solves one.

EPD is Steven J. Edwards' Extended Position Description. Understood operations: `bm` best moves,
`am` moves to avoid, `dm` mate in N moves (negative: the side to move gets mated), and points per
move as the Strategic Test Suite writes them: `c8 "10 5"; c9 "e2e4 d2d4";`, or `c0 "e4=10, d4=5";`
alone.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import chess

from zobra.arena.formats.epd import EpdRecord, read_epd, record_lines
from zobra.arena.formats.files import read_text
from zobra.arena.formats.text import printable

# A move in SAN, which may hold "=" itself, then its points: "e8=Q=10"
_POINTS_ITEM = re.compile(r"(\S+)=(\d+)")


@dataclass(frozen=True)
class SuitePosition:
    """One position of a suite.

    Moves are in UCI notation as the engine writes them (castling as the king's two-square move, in
    Chess960 as king takes rook). `mate_in` counts moves, negative if the side to move gets mated.
    """

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
        """Return the position."""
        return chess.Board(self.fen, chess960=self.chess960)

    def san(self, *moves: str | None) -> str:
        """Return moves of this position in SAN, or "-" if there are none."""
        board = self.board()
        return " ".join(board.san(board.parse_uci(move)) if move else "-" for move in moves)

    @property
    def maximum_points(self) -> int:
        """The most points that a move can earn, or 0 if the line gives none."""
        return max(dict(self.points).values(), default=0)

    @property
    def best_paid(self) -> list[str]:
        """The moves that earn the most points."""
        return [move for move, points in self.points if points == self.maximum_points]


@dataclass(frozen=True)
class BadLine:
    """A line that cannot be used, with the reason."""

    file: str
    line: int
    text: str
    problem: str


def read_suites(
    paths: Iterable[Path], notice: Callable[[str], None] = lambda text: None
) -> tuple[list[SuitePosition], list[BadLine]]:
    """Read EPD files, and return their positions and the lines that cannot be used.

    Blank lines and lines that start with # are skipped. `notice` is called with a message for what
    was dropped from a position. Raise OSError or ValueError if a file cannot be read.
    """
    positions: list[SuitePosition] = []
    bad_lines: list[BadLine] = []
    for path in paths:
        for number, line in record_lines(read_text(path)):
            try:
                record = read_epd(line)
                positions.append(suite_position(record, str(path), number))
            except ValueError as error:
                bad_lines.append(BadLine(str(path), number, printable(line), printable(str(error))))
            else:
                for dropped in record.notices:
                    notice(f"{path}:{number}: {dropped}")
    return positions, bad_lines


def read_position(line: str, file: str = "", number: int = 0) -> SuitePosition:
    """Read one EPD line, or a full FEN followed by operations. Raise ValueError."""
    return suite_position(read_epd(line), file, number)


def suite_position(record: EpdRecord, file: str = "", number: int = 0) -> SuitePosition:
    """Return the suite position of a record. Raise ValueError if it asks for nothing valid."""
    board = record.board
    if not any(board.legal_moves):
        raise ValueError("the side to move has no legal move")
    best = tuple(map(board.uci, _moves(record, "bm")))
    avoid = tuple(map(board.uci, _moves(record, "am")))
    mate_in = record.number("dm")
    if mate_in == 0:
        raise ValueError("dm needs a number of moves other than 0")
    points = tuple(_points(record).items())
    if not (best or avoid or mate_in or points):
        raise ValueError("nothing to solve: no bm, am, dm or points per move")
    name = printable(record.operations.get("id") or f"{Path(file).stem}:{number}")
    return SuitePosition(
        file, number, name, board.fen(), board.chess960, best, avoid, mate_in, points
    )


def _moves(record: EpdRecord, opcode: str) -> list[chess.Move]:
    """Return the moves of an operation, none if it is absent. Raise ValueError for an empty one."""
    moves = record.moves(opcode)
    if opcode in record.operations and not moves:
        raise ValueError(f"{opcode} needs moves")
    return moves


def _points(record: EpdRecord) -> dict[str, int]:
    """Return the points of moves: c9's moves with c8's numbers, or c0's "move=number" list.

    Other comments give none. Moves are in UCI or SAN; suites often omit or add a check sign, which
    python-chess tolerates. Raise ValueError for a list that is partly wrong.
    """
    numbers = record.operations.get("c8", "").split()
    moves = record.operations.get("c9", "").split()
    if numbers and moves and all(re.fullmatch("[0-9]+", number) for number in numbers):
        if len(numbers) != len(moves):
            raise ValueError(f"c8 gives {len(numbers)} numbers for the {len(moves)} moves of c9")
        return _legal_points(record.board, "c9", list(zip(moves, numbers, strict=True)))

    pairs = []
    for item in record.operations.get("c0", "").split(","):
        match = _POINTS_ITEM.fullmatch(item.strip())
        if match is None:
            return {}
        pairs.append((match[1], match[2]))
    if not any(_is_move(record.board, move) for move, _ in pairs):
        return {}
    return _legal_points(record.board, "c0", pairs)


def _is_move(board: chess.Board, text: str) -> bool:
    try:
        board.parse_xboard(text)
    except ValueError:
        return False
    return True


def _legal_points(
    board: chess.Board, opcode: str, pairs: Sequence[tuple[str, str]]
) -> dict[str, int]:
    points = {}
    for move, number in pairs:
        try:
            points[board.uci(board.parse_xboard(move))] = int(number)
        except ValueError:
            raise ValueError(f"{opcode}: illegal move {move}") from None
    return points


def why_unsolved(
    position: SuitePosition, move: str | None, mate: int | None = None, line: Sequence[str] = ()
) -> str:
    """Return why an answer does not solve the position, or an empty string if it does.

    A position asks for bm, am and dm, or else for the most points. A mate counts if the score names
    it and a legal line of exactly that length ends in checkmate. A faster mate also solves the
    position; getting mated faster does not.
    """
    if move is None:
        return "no move"
    if position.best and move not in position.best:
        return f"best is {position.san(*position.best)}"
    if move in position.avoid:
        return f"{position.san(move)} is to be avoided"
    asked = position.mate_in
    if asked is None:
        solved = position.best or position.avoid or move in position.best_paid
        return "" if solved else f"most points for {position.san(*position.best_paid)}"
    if mate is None or mate * asked <= 0:
        return f"mate in {asked} not seen"
    if abs(mate) > abs(asked) or (asked < 0 and mate != asked):
        return f"mate in {mate} instead of {asked}"
    plies = 2 * mate - 1 if mate > 0 else -2 * mate
    if len(line) != plies or line[0] != move:
        return f"mate in {mate} without its whole line"
    board = position.board()
    try:
        for played in line:
            board.push_uci(played)
    except ValueError as error:
        return f"mate in {mate} with an {error}"
    return "" if board.is_checkmate() else f"mate in {mate} with a line that does not mate"
