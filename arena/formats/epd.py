"""Positions in FEN and in EPD (Extended Position Description), as other programs write them.

Only the position, and the moves that a caller asks for, are checked. All other operations are kept
as text.
"""

import re
from dataclasses import dataclass, field

import chess

from zobra.arena.formats.fen import read_fen

_CLOCKS = re.compile(r"([0-9]+);*(?:\s+([0-9]+);*)?(?!\S)[\s;]*")
_OPERATIONS = re.compile(r'"(?:\\.|[^"\\])*(?:"|$)|;|[^\s;]+', re.DOTALL)
_BLANKS = "\0 \t\r\n\ufeff"  # around a record; some programs fill lines with NUL bytes
_DECIDING = ("bm", "am", "dm")
_ONCE = (*_DECIDING, "hmvc", "fmvn")


@dataclass(frozen=True)
class EpdRecord:
    """A line of EPD: the position, the text of each operation, and notices of what was dropped."""

    board: chess.Board
    operations: dict[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    def moves(self, opcode: str) -> list[chess.Move]:
        """Return the moves of an operation such as bm, written in SAN or UCI.

        Spaces inside a move are allowed ("Qh7 +", "f8 = Q"). Raise ValueError for text that is not
        a legal move.
        """
        text = self.operations.get(opcode, "").replace(",", " ")
        text = re.sub(r"\s+(?=[+#])", "", re.sub(r"\s*=\s*", "=", text))
        found = []
        for word in text.split():
            try:
                found.append(self.board.parse_xboard(word.rstrip("!?")))
            except chess.InvalidMoveError:
                raise ValueError(f"{opcode} needs moves, not {word!r}") from None
            except chess.AmbiguousMoveError:
                raise ValueError(f"{opcode}: ambiguous move {word}") from None
            except ValueError:
                raise ValueError(f"{opcode}: illegal move {word}") from None
        return found

    def number(self, opcode: str) -> int | None:
        """Return the integer of an operation such as dm, or None if there is no such operation.

        Raise ValueError for any other text.
        """
        operand = self.operations.get(opcode)
        if operand is None:
            return None
        if not re.fullmatch(r"[+-]?[0-9]{1,9}", operand):
            raise ValueError(f"{opcode} needs an integer, not {operand!r}")
        return int(operand)


def record_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines of an EPD file with their numbers, except blank lines and comments (#)."""
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip(_BLANKS)
        if stripped and not stripped.startswith("#"):
            found.append((number, stripped))
    return found


def read_epd(line: str) -> EpdRecord:
    """Read a line of EPD, or a FEN followed by operations. Raise ValueError.

    The position is Chess960 if only Chess960 allows its castling rights.
    """
    fields = line.strip(_BLANKS).split(None, 4)
    if len(fields) < 4:
        raise ValueError(
            "a position has at least 4 fields (board, side to move, castling, en passant), this "
            f"one {len(fields)}"
        )
    fields[3] = fields[3].rstrip(";")
    rest = fields[4] if len(fields) > 4 else ""
    if re.fullmatch(r"-[0-9]+", fields[3]):  # the blank before the first clock is missing
        rest = f"{fields[3][1:]} {rest}"
        fields[3] = "-"
    clocks = _CLOCKS.match(rest)
    operations = _operations(rest if clocks is None else rest[clocks.end() :])

    record = EpdRecord(chess.Board(), operations)
    if clocks is not None:
        halfmove = clocks[1]
        fullmove = clocks[2] or "1"
    else:
        halfmove = str(record.number("hmvc") or 0)
        fullmove = str(record.number("fmvn") or 1)
    board, notices = read_fen(" ".join([*fields[:4], halfmove, fullmove]))
    return EpdRecord(board, operations, tuple(notices))


def _operations(text: str) -> dict[str, str]:
    """Return the text of each operation, without its quotes.

    Raise ValueError for a second operation of a kind that decides something.
    """
    found: dict[str, str] = {}
    for opcode, *operands in _split_operations(text):
        if opcode in found and opcode in _ONCE:
            raise ValueError(f"two operations {opcode}")
        found[opcode] = " ".join(operands)
    return found


def _split_operations(text: str) -> list[list[str]]:
    """Return the words of each operation.

    A semicolon ends an operation. If it was forgotten after moves or a number, the next opcode
    does.
    """
    found: list[list[str]] = []
    words: list[str] = []
    for token in _OPERATIONS.findall(text):
        is_next = bool(words) and words[0] in _DECIDING and token in (*_DECIDING, "id")
        if words and (token == ";" or is_next):
            found.append(words)
            words = []
        if words:
            words.append(_unquoted(token))
        elif token not in (";", "-"):  # a dash stands for no operation
            words.append(token)
    if words:
        found.append(words)
    return found


def _unquoted(operand: str) -> str:
    """Return an operand without the quotes around it."""
    if not operand.startswith('"'):
        return operand
    return re.sub(r"\\(.)", r"\1", operand.removeprefix('"').removesuffix('"'))
