"""A finished game as PGN, each move with its evaluation, depth, time and nodes in a comment: {+0.31/12 0.101s, n=52311}."""

import re

import chess
import chess.pgn

from zobra.arena.game_record import GameRecord
from zobra.arena.settings import Settings

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
# what the Termination header says, in the words of the PGN standard where it has some
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
    """The game, with a blank line behind it."""
    return f"{pgn_game(record, settings)}\n\n"


def pgn_game(record: GameRecord, settings: Settings) -> chess.pgn.Game:
    """The game as a PGN tree."""
    opening = record.opening
    game = chess.pgn.Game()
    board = chess.Board(opening["root"], chess960=settings.chess960)
    game.setup(board)
    _set_headers(game, record, settings)
    node: chess.pgn.GameNode = game
    for uci in opening["moves"]:
        node = node.add_main_variation(chess.Move.from_uci(uci), comment="book")
    for played in record.moves:
        node = node.add_main_variation(played.move, comment=played.to_comment())
    # a brace would end the comment
    ending = re.sub(r"[{}]", "", ending_text(record.result, record.reason, record.detail))
    node.comment = f"{node.comment}, {ending}" if node.comment else ending
    game.headers["PlyCount"] = str(len(opening["moves"]) + len(record.moves))
    return game


def _set_headers(game: chess.pgn.Game, record: GameRecord, settings: Settings) -> None:
    controls = settings.controls
    white, black = str(controls[record.white]), str(controls[record.black])
    game.headers.update(
        {
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
        }
    )
    if white == black:
        game.headers["TimeControl"] = white
    else:
        game.headers["WhiteTimeControl"], game.headers["BlackTimeControl"] = white, black
    if record.opening["name"]:
        game.headers["Opening"] = " ".join(record.opening["name"].split())  # an EPD's id may hold line breaks


def _adjudicated(reason: str) -> bool:
    return "adjudication" in reason or reason in ("move limit", "tablebase")
