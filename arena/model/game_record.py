"""A finished game: its line in the journal, and its PGN.

Each move has its evaluation, depth, time and nodes in a comment: {+0.31/12 0.101s, n=52311}.
"""

import re
import textwrap
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import chess
import chess.pgn

from zobra.arena.formats.files import typed
from zobra.arena.formats.pgn import write_game
from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.formats.text import printable
from zobra.arena.model.adjudication import TIME_WITHOUT_LOSS
from zobra.arena.model.opening_names import opening_name
from zobra.arena.model.settings import Pairing, Settings

POINTS_OF_WHITE = {"0-1": 0, "1/2-1/2": 1, "1-0": 2}  # half points, so that they count as integers
_COLUMNS = 80
# Names that openings get where their book has none
_NUMBERED = re.compile(r".*:\d+|random walk \d+|", re.DOTALL)
_LOSSES = {
    "mate": "is mated",
    "time": "loses on time",
    "illegal move": "makes an illegal move",
    "disconnect": "disconnects",
    "stall": "stalls",
    "resignation": "resigns",
    "resign adjudication": "loses by adjudication",
}
# values of the Termination header that are not "normal", from the PGN standard where it has one
_TERMINATIONS = {
    "time": "time forfeit",
    TIME_WITHOUT_LOSS: "time forfeit",
    "illegal move": "rules infraction",
    "disconnect": "abandoned",
    "stall": "abandoned",
}
_TERMINATIONS |= dict.fromkeys(
    ("draw adjudication", "resign adjudication", "move limit", "tablebase"), "adjudication"
)


@dataclass(frozen=True)
class GameRecord:
    """A finished game.

    `opening`: {"root": position where the book moves begin, "moves": the book moves in UCI, "fen":
    position where the engines take over, "name"}. `reason`: one of _LOSSES, "draw adjudication",
    "move limit", "tablebase", or a rule of chess that makes a draw.
    """

    index: int  # from 0, as `pair`
    pair: int
    round: int  # from 1
    white: str
    black: str
    opening: dict[str, Any]
    result: str
    reason: str
    detail: str = ""
    moves: list[PlayedMove] = field(default_factory=list)
    start: str = ""  # ISO time
    duration: float = 0.0  # seconds

    def belongs_to(self, pairing: Pairing) -> bool:
        """Return True if this is the scheduled game."""
        return (
            self.index == pairing.index
            and self.white == pairing.white
            and self.black == pairing.black
            and self.opening["root"] == pairing.opening.fen
            and tuple(self.opening["moves"]) == pairing.opening.moves
        )

    def points(self, name: str) -> int:
        """Return the half points of one of the engines. Raise KeyError for an unknown result."""
        white = POINTS_OF_WHITE[self.result]
        return white if name == self.white else 2 - white

    @property
    def ending_text(self) -> str:
        """How the game ended, as text: "White loses on time (35 ms over)"."""
        if self.result == "1/2-1/2":
            text = f"Draw by {self.reason}"
        else:
            loser = "Black" if self.result == "1-0" else "White"
            text = f"{loser} {_LOSSES.get(self.reason, f'loses by {self.reason}')}"
        return f"{text} ({self.detail})" if self.detail else text

    def to_json(self) -> dict[str, Any]:
        """Return the journal's form."""
        return asdict(self) | {"moves": [move.to_json() for move in self.moves]}

    @classmethod
    def from_json(cls, values: dict[str, Any], settings: Settings) -> "GameRecord":
        """Read the journal's form.

        Raise KeyError, TypeError or ValueError if it is not a game of this match.
        """
        entries = typed(list[Any], values["moves"], "moves")
        moves = [PlayedMove.from_json(entry) for entry in entries]
        record: GameRecord = typed(cls, values | {"moves": []})
        opening = record.opening
        for key, kind in (("fen", str), ("root", str), ("name", str), ("moves", list[str])):
            typed(kind, opening[key], f"opening {key}")
        if min(record.index, record.pair, record.round) < 0 or record.result not in POINTS_OF_WHITE:
            raise ValueError(f"bad result {record.result!r}, or a negative number")
        record = replace(
            record,
            white=printable(record.white),
            black=printable(record.black),
            reason=printable(record.reason),
            detail=printable(record.detail),
            moves=moves,
        )
        is_known = {record.white, record.black} <= settings.controls.keys()
        if not is_known or record.white == record.black:
            raise ValueError(f"{record.white} and {record.black} do not play in this match")

        board = chess.Board(opening["root"], chess960=settings.chess960)
        for move in [*record.book_moves(), *(played.move for played in moves)]:
            if not board.is_legal(move):
                raise ValueError(f"{move} is not legal in {board.fen()}")
            board.push(move)
        if chess.Board(opening["fen"], chess960=settings.chess960).ply() > board.ply():
            raise ValueError("its moves do not begin at its opening")
        return record

    def book_moves(self) -> list[chess.Move]:
        """Return the moves of the opening."""
        return [chess.Move.from_uci(move) for move in self.opening["moves"]]

    def named_opening(self) -> tuple[str, str]:
        """Return the ECO code and the name of the opening.

        The name is the book's, else the one that the moves have. The numbers of openings in books
        without names are no names.
        """
        moves = [*self.book_moves(), *(played.move for played in self.moves)]
        board = chess.Board(self.opening["root"], chess960=True)  # reads either kind of castling
        code, name = opening_name(board, moves)
        if not _NUMBERED.fullmatch(self.opening["name"]):
            name = self.opening["name"]
        return code, name

    def to_pgn(self, settings: Settings) -> chess.pgn.Game:
        """Return the game as a PGN tree."""
        game = chess.pgn.Game()
        board = chess.Board(self.opening["root"], chess960=settings.chess960)
        game.setup(board)
        for key, value in self._headers(settings).items():
            if value:
                game.headers[key] = printable(value)

        node: chess.pgn.GameNode = game
        for move in self.book_moves():
            node = node.add_main_variation(move, comment="book")
        for played in self.moves:
            node = node.add_main_variation(played.move, comment=played.to_comment())
        ending = re.sub(r"[{}]", "", self.ending_text)  # a brace would end the comment
        node.comment = f"{node.comment}, {ending}" if node.comment else ending
        return game

    def _headers(self, settings: Settings) -> dict[str, str]:
        """Return the headers of the game."""
        code, name = self.named_opening()
        headers = {
            "Event": settings.event,
            "Site": settings.site,
            "Date": self.start[:10].replace("-", ".") or "????.??.??",
            "Round": f"{self.round}.{self.index % 2 + 1}",
            "White": self.white,
            "Black": self.black,
            "Result": self.result,
            "GameStartTime": self.start,
            "GameDuration": f"{self.duration:.1f}",
            "PlyCount": str(len(self.opening["moves"]) + len(self.moves)),
            "Termination": _TERMINATIONS.get(self.reason, "normal"),
            "Book": Path(settings.book).name if settings.book else "",
            "ECO": code,
            "Opening": name,
        }
        white = str(settings.controls[self.white])
        black = str(settings.controls[self.black])
        if white == black:
            headers["TimeControl"] = white
        else:
            headers["WhiteTimeControl"] = white
            headers["BlackTimeControl"] = black
        return headers

    def pgn_text(self, settings: Settings) -> str:
        """Return the game as PGN, followed by a blank line.

        Lines have at most 80 characters; only headers may be longer.
        """
        lines = write_game(self.to_pgn(settings), _COLUMNS).split("\n")
        return "\n".join(_wrapped(line) for line in lines) + "\n\n"


def _wrapped(line: str) -> str:
    """Break a line whose comment is too long, which python-chess does not do."""
    if line.startswith("["):
        return line
    return textwrap.fill(line, width=_COLUMNS, break_long_words=False, break_on_hyphens=False)
