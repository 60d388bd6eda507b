"""Test suites: the positions of EPD files, and whether an answer solves one.

EPD is Steven J. Edwards' Extended Position Description. Understood operations: `bm` best moves,
`am` moves to avoid, `dm` mate in N moves (negative: the side to move gets mated), and points per
move as the Strategic Test Suite writes them: `c8 "10 5"; c9 "e2e4 d2d4";`, or `c0 "e4=10, d4=5";`
alone.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import chess

from zobra.arena.formats.epd import read_epd
from zobra.arena.formats.text import printable

_POINTS_ITEM = re.compile(
    r"(\S+)=(\d+)"
)  # a move in SAN, which may hold "=" itself, then its points: "e8=Q=10"


@dataclass(frozen=True)
class SuitePosition:
    """One position of a suite.

    Moves are in UCI notation as the engine says them (castling by the king's two steps, in Chess960
    king takes rook); `mate_in` counts moves, negative when the side to move gets mated.
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
        """The position."""
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
        """The moves that earn the most points."""
        return [move for move, points in self.points if points == self.maximum_points]


@dataclass(frozen=True)
class BadLine:
    """A line that cannot be used, and why."""

    file: str
    line: int
    text: str
    problem: str


def read_suites(paths: Iterable[Path]) -> tuple[list[SuitePosition], list[BadLine]]:
    """Reads EPD files one after the other: the usable positions, and the lines that are not.

    Blank lines and lines that start with # are skipped. Raises OSError when a file cannot be read.
    """
    positions, bad_lines = list[SuitePosition](), list[BadLine]()
    for path in paths:
        for number, line in enumerate(
            path.read_text(encoding="utf-8-sig", errors="replace").split("\n"), start=1
        ):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            try:
                positions.append(read_position(line, str(path), number))
            except ValueError as error:
                bad_lines.append(
                    BadLine(str(path), number, printable(line.strip()), printable(str(error)))
                )
    return positions, bad_lines


def read_position(line: str, file: str = "", number: int = 0) -> SuitePosition:
    """Reads one EPD line, or a full FEN with operations behind it.

    Raises ValueError saying what is wrong with it.
    """
    board, operations = read_epd(line)
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
    return SuitePosition(
        file, number, name, board.fen(), board.chess960, best, avoid, mate_in, points
    )


def _points(operations: dict, board: chess.Board) -> dict[str, int]:
    """Points per move: c9's moves with c8's numbers, else c0's "move=number" list; other comments
    give none. Moves are in UCI or SAN; suites often leave out or add a check sign, which
    python-chess forgives.
    """
    numbers, moves = operations.get("c8"), operations.get("c9")
    if isinstance(numbers, str) and isinstance(moves, str):
        opcode, given, texts = "c9", numbers.split(), moves.split()
        if not all(number.isascii() and number.isdigit() for number in given):
            return {}
        if len(given) != len(texts):
            raise ValueError(f"c8 gives {len(given)} numbers for the {len(texts)} moves of c9")
        items = list(zip(texts, given, strict=True))
    else:
        found = [
            _POINTS_ITEM.fullmatch(item.strip())
            for item in str(operations.get("c0", "")).split(",")
        ]
        opcode, items = "c0", [(item[1], item[2]) for item in found if item] if all(found) else []
    try:
        return {board.uci(board.parse_xboard(text)): int(number) for text, number in items}
    except ValueError as error:
        raise ValueError(f"{opcode}: {error}") from None


def why_unsolved(
    position: SuitePosition, move: str | None, mate: int | None = None, line: Sequence[str] = ()
) -> str:
    """What the answer misses of what the position asks for (bm, am, dm, else the most points);
    empty when it is solved. A mate counts when the score names it and a legal line of exactly that
    length ends in checkmate; to give mate sooner than the suite is as good, to be mated sooner is
    not.
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
    if len(line) != (2 * mate - 1 if mate > 0 else -2 * mate) or line[0] != move:
        return f"mate in {mate} without its whole line"
    board = position.board()
    try:
        for played in line:
            board.push_uci(played)
    except ValueError as error:
        return f"mate in {mate} with an {error}"
    return "" if board.is_checkmate() else f"mate in {mate} with a line that does not mate"
