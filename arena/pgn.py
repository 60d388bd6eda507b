"""A finished game as PGN, each move with evaluation, depth, time and nodes in a comment: {+0.31/12 0.101s, n=52311}."""

import re
import textwrap

import chess
import chess.pgn

from zobra.arena.eco import opening_name
from zobra.arena.files import printable
from zobra.arena.game_record import GameRecord
from zobra.arena.settings import Settings

_COLUMNS = 80
# names that openings get where their book has none
_NUMBERED = re.compile(r".*:\d+|random walk \d+|", re.DOTALL)
_LOSSES = {
    "mate": "is mated",
    "time": "loses on time",
    "illegal move": "makes an illegal move",
    "disconnect": "disconnects",
    "stall": "stalls",
    "resignation": "resigns",
    "resign adjudication": "loses by adjudication",
    "tablebase": "loses by tablebase",
}
# values of the Termination header, from the PGN standard where it has one
_TERMINATIONS = {"time": "time forfeit", "illegal move": "rules infraction", "disconnect": "abandoned", "stall": "abandoned"}


def ending_text(result: str, reason: str, detail: str) -> str:
    """How a game ended, in words: "White loses on time (35 ms over)"."""
    if result == "1/2-1/2":
        text = f"Draw by {reason}"
    else:
        loser = "Black" if result == "1-0" else "White"
        text = f"{loser} {_LOSSES.get(reason, 'loses by ' + reason)}"
    return f"{text} ({detail})" if detail else text


def pgn_text(record: GameRecord, settings: Settings) -> str:
    """The game in lines of at most 80 characters (headers may be longer), with a blank line behind it."""
    lines = str(pgn_game(record, settings).accept(chess.pgn.StringExporter(columns=_COLUMNS))).split("\n")
    return "\n".join(line if line.startswith("[") else _wrapped(line) for line in lines) + "\n\n"


def pgn_game(record: GameRecord, settings: Settings) -> chess.pgn.Game:
    """The game as a PGN tree."""
    game = chess.pgn.Game()
    board = chess.Board(record.opening["root"], chess960=settings.chess960)
    game.setup(board)
    book = list(map(chess.Move.from_uci, record.opening["moves"]))
    game.headers.update(_headers(record, settings, *opening_name(board, [*book, *(played.move for played in record.moves)])))
    node: chess.pgn.GameNode = game
    for move in book:
        node = node.add_main_variation(move, comment="book")
    for played in record.moves:
        node = node.add_main_variation(played.move, comment=played.to_comment())
    # a brace would end the comment
    ending = re.sub(r"[{}]", "", ending_text(record.result, record.reason, record.detail))
    node.comment = f"{node.comment}, {ending}" if node.comment else ending
    return game


def _wrapped(line: str) -> str:
    """The exporter does not break a comment that is longer than a line."""
    return textwrap.fill(line, _COLUMNS, break_long_words=False, break_on_hyphens=False)


def _headers(record: GameRecord, settings: Settings, code: str, name: str) -> dict[str, str]:
    """The headers; the opening's name is the book's, else the one that its moves have."""
    white, black = str(settings.controls[record.white]), str(settings.controls[record.black])
    book_name = record.opening["name"]
    headers = {
        "Event": "Zobra match",
        "Site": "?",
        "Date": record.start[:10].replace("-", ".") or "????.??.??",
        "Round": f"{record.round}.{record.index % 2 + 1}",
        "White": record.white,
        "Black": record.black,
        "Result": record.result,
        "GameStartTime": record.start,
        "GameDuration": f"{record.duration:.1f}",
        "Termination": _TERMINATIONS.get(record.reason, "adjudication" if _adjudicated(record.reason) else "normal"),
        "PlyCount": str(record.plies),
        "ECO": code,
        "Opening": name if name and _NUMBERED.fullmatch(book_name) else book_name,
    }
    headers |= {"TimeControl": white} if white == black else {"WhiteTimeControl": white, "BlackTimeControl": black}
    return {key: printable(value) for key, value in headers.items() if value}


def _adjudicated(reason: str) -> bool:
    return "adjudication" in reason or reason in ("move limit", "tablebase")
