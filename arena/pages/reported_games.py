"""The games of a page: those of a match folder, or of PGN files from any program."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from itertools import chain
from pathlib import Path

import chess
import chess.engine
import chess.pgn

from zobra.arena.formats.files import read_json, read_texts, typed
from zobra.arena.formats.pgn import is_whole, read_games
from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.formats.text import date_text, listed, printable
from zobra.arena.model.adjudication import DRAW
from zobra.arena.model.clock import TimeControl
from zobra.arena.model.game_record import POINTS_OF_WHITE, GameRecord
from zobra.arena.model.journal import Journal, RunConditions, read_game
from zobra.arena.model.results import Results
from zobra.arena.model.settings import Settings
from zobra.arena.pages.templates import source_name

# An engine's name, rating, 95 % margin, and rating before
Rated = tuple[str, float, float, float | None]

# Headers of a PGN file that its page shows, with their names there
_SHOWN_HEADERS = {
    "Event": "event",
    "Site": "site",
    "Date": "played",
    "TimeControl": "time control",
    "Annotator": "analysed by",
}
WEB_ADDRESS = re.compile(r"https?://[\w.-]+/[^\s<>\"']*")
NOT_STATED = "not stated"  # how a game ended
# What the header Termination says of games that ended on the board
_UNSTATED = ("", "?", "-", "unknown")
_NORMAL = (*_UNSTATED, "normal")


@dataclass(frozen=True)
class ReportedGame:
    """A game of a page: its record, and a function that returns its PGN tree."""

    record: GameRecord
    tree: Callable[[], chess.pgn.Game]
    headers: Mapping[str, str] = field(default_factory=dict)  # of a PGN game
    is_analysed: bool = False  # its scores are not those of its players

    def moves(self) -> Iterator[tuple[int, str, PlayedMove, chess.engine.PovScore | None]]:
        """Yield each move after the book as (full-move number, player's name, move, score)."""
        start = chess.Board(self.record.opening["fen"]).ply()
        for ply, move in enumerate(self.record.moves, start):
            name = self.record.black if ply % 2 else self.record.white
            yield ply // 2 + 1, name, move, score_of(move, is_white=ply % 2 == 0)

    @property
    def opening(self) -> str:
        """The opening's ECO code and name, or else the event, such as a position's name."""
        code, name = self.record.named_opening()
        code = self.headers.get("ECO", "").strip("?") or code
        if name:
            return f"{code} {name}".strip()
        if code:
            return f"ECO {code}"
        has_players = any(self.headers.get(side, "?") != "?" for side in ("White", "Black"))
        is_position = "FEN" in self.headers and not has_players
        return self.headers.get("Event", "").strip("?") if is_position else ""

    @property
    def link(self) -> str:
        """The web address of the game, or "" if it has none."""
        for header in ("GameURL", "Link", "Site"):
            address = self.headers.get(header, "")
            if WEB_ADDRESS.fullmatch(address):
                return address
        return ""


def score_of(move: PlayedMove, is_white: bool) -> chess.engine.PovScore | None:
    """Return the score after a move, or None if its player reported none."""
    if move.mate is not None:
        return chess.engine.PovScore(chess.engine.Mate(move.mate), is_white)
    if move.score is not None:
        return chess.engine.PovScore(chess.engine.Cp(move.score), is_white)
    return None


@dataclass
class ReportedGames:
    """All games of a page, in order, with what is known of how they were played."""

    source: str  # the name of a folder or file, or those of several
    engines: list[str]
    games: list[ReportedGame]
    # What is known of time control, date, machine and more
    conditions: dict[str, str] = field(default_factory=dict)
    settings: Settings | None = None
    ratings: list[Rated] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    left_out: int = 0  # games that cannot be read, or not whole

    @cached_property
    def finished(self) -> list[ReportedGame]:
        """The games with a result."""
        return [game for game in self.games if game.record.result in POINTS_OF_WHITE]

    @cached_property
    def results(self) -> Results:
        """The results of the finished games."""
        return Results(self.engines, (game.record for game in self.finished))

    def score(self, name: str, rival: str | None = None) -> tuple[int, int, int]:
        """Return wins, draws and losses of an engine, against one rival or all."""
        losses, draws, wins = self.results.trinomial(name, rival)
        return wins, draws, losses

    def score_share(self, name: str, rival: str | None = None) -> float:
        """Return the points per game, 0 before the first game."""
        wins, draws, losses = self.score(name, rival)
        return (wins + draws / 2) / max(1, wins + draws + losses)


def read_match(folder: Path) -> ReportedGames:
    """Read a match folder: run.json, journal.jsonl and ratings.json.

    Lines that are not games become problems. Raise OSError or ValueError.
    """
    settings = Journal.settings_in(folder)
    names = [engine.name for engine in settings.engines]
    conditions = _conditions(settings, Journal.conditions_in(folder))
    found = ReportedGames(source_name([folder]), names, [], conditions, settings)
    with (folder / "journal.jsonl").open(encoding="utf-8", errors="replace") as journal:
        for number, line in enumerate(journal, start=1):
            try:
                record = read_game(line, f"journal.jsonl:{number}", settings)
                found.games.append(ReportedGame(record, partial(record.to_pgn, settings)))
            except ValueError as error:
                found.problems.append(str(error))
                found.left_out += 1
    found.games.sort(key=lambda game: game.record.index)
    ratings = folder / "ratings.json"
    if ratings.exists():
        found.ratings = read_json(ratings, "a rating list", partial(typed, list[Rated]))
    return found


def _conditions(settings: Settings, run: RunConditions) -> dict[str, str]:
    """Return how the games of a match were played."""
    shown = {"time control": settings.time_control, "played": date_text(run.created)}
    for engine in settings.engines:
        parts = [" ".join(engine.command)]
        version = run.versions.get(engine.name)
        if version:
            parts.insert(0, version)
        resources = run.resources.get(engine.name)
        if resources and resources.text:
            parts.append(resources.text)
        if engine.options:
            options = ", ".join(f"{name}={value}" for name, value in engine.options.items())
            parts.append(f"options {options}")
        if engine.time_control or engine.time_odds != 1:
            parts.append(f"time control {settings.controls[engine.name]}")
        shown[engine.name] = "; ".join(parts)

    book = f"{settings.plies} random plies"
    if settings.book:
        book = f"{settings.book}, {settings.order} order"
    rules = []
    for name, value in asdict(settings.rules).items():
        if value:
            rules.append(f"{name.replace('_', ' ')} {value}")
    shown["margin"] = f"{settings.margin_ms:g} ms"
    shown["openings"] = f"{book}, seed {settings.seed}"
    shown["adjudication"] = ", ".join(rules) or "none"
    shown["machine"] = run.machine
    shown["command"] = run.command_line
    return shown


def read_pgn(*paths: Path) -> ReportedGames:
    """Read PGN files or folders of PGN files; what cannot be read becomes problems.

    If a game has a mistake, such as an illegal move, the moves before it are read. Raise OSError,
    or ValueError if no game can be read.
    """
    found = ReportedGames(source_name(paths), [], [])
    files = read_texts(paths)
    trees = []
    for name, text in files:
        file = name if len(files) > 1 else ""
        trees.append(read_games(text, up_to_mistakes=True, file=file))
    waiting: dict[tuple, int] = {}
    for index, tree in enumerate(chain.from_iterable(trees)):
        if isinstance(tree, ValueError):
            found.problems.append(str(tree))
            found.left_out += 1
            continue
        found.problems += map(str, tree.errors)
        found.left_out += not is_whole(tree)
        is_named = tree.headers.get("White", "?") != "?"
        if tree.next() is not None or "FEN" in tree.headers or is_named:
            found.games.append(_reported(index, tree, waiting))
    if not found.games:
        reason = f" ({found.problems[0]})" if found.problems else ""
        what = "this file" if len(files) == 1 else "these files"
        raise ValueError(f"{found.source}: no game in {what}{reason}")
    names: dict[str, None] = {}  # in the order of their first games
    for game in found.games:
        names[game.record.white] = None
        names[game.record.black] = None
    found.engines = list(names)
    found.conditions["file"] = listed(printable(str(path)) for path in paths)
    for header, name in _SHOWN_HEADERS.items():
        found.conditions[name] = _common_value(found.games, header)
    with suppress(ValueError):  # of another form
        control = TimeControl.parse(found.conditions["time control"])
        found.conditions["time control"] = control.in_words()
    return found


def _common_value(games: Sequence[ReportedGame], header: str) -> str:
    """Return the value of a header in all games, such as "2025.05.01 and 3 more"."""
    values = dict.fromkeys(game.headers.get(header, "").strip("?.") for game in games)
    values.pop("", None)
    if not values:
        return ""
    first = next(iter(values))
    return f"{first} and {len(values) - 1} more" if len(values) > 1 else first


def _reported(index: int, tree: chess.pgn.Game, waiting: dict[tuple, int]) -> ReportedGame:
    """Return a PGN game in the form of a match's games.

    Leading moves with the comment "book" are its opening. `waiting` has the games whose return
    game, with the same opening, has not come yet; a game without a known opening has none.
    """
    nodes = list(tree.mainline())
    headers = tree.headers
    root = tree.board().fen() if "FEN" in headers else ""
    book = 0
    while book < len(nodes) and nodes[book].comment == "book":
        book += 1
    moves = [node.move.uci() for node in nodes[:book]]
    white, black = _names(headers)
    name = headers.get("Opening", "").strip("?")
    pair = index
    if root or moves:
        pair = waiting.pop((black, white, root, *moves), index)
    if pair == index:
        start = (white, black, root, *moves)
        waiting[start] = index
    fen = (nodes[book - 1] if book else tree).board().fen()
    opening = {"fen": fen, "name": name, "root": root or chess.STARTING_FEN, "moves": moves}
    played = [PlayedMove.from_node(node) for node in nodes[book:]]
    result = headers.get("Result", "*")
    reason = _reason(tree, result)
    record = GameRecord(index, pair, 1, white, black, opening, result, reason, moves=played)
    is_analysed = any("[%eval" in node.comment for node in nodes)
    return ReportedGame(record, lambda: tree, headers, is_analysed)


def _names(headers: Mapping[str, str]) -> tuple[str, str]:
    """Return the names of both players, made different if they are the same."""
    white = headers.get("White", "?")
    black = headers.get("Black", "?")
    if white != black:
        return white, black
    if white == "?":
        return "White", "Black"
    return f"{white} (White)", f"{black} (Black)"


def _reason(tree: chess.pgn.Game, result: str) -> str:
    """Return how a PGN game ended: what its headers say, else what the rules say.

    Mate and stalemate end a game by themselves. What ended normally, and not on the board, was
    resigned or agreed, if all of its moves are known.
    """
    headers = tree.headers
    stated = headers.get("Termination", "").strip()
    for name in (headers.get("White"), headers.get("Black")):
        if name:
            stated = stated.removeprefix(f"{name} ").strip()  # "Bob won on time"
    board = tree.end().board()
    outcome = board.outcome(claim_draw=stated.lower() in _NORMAL)
    if outcome is not None and outcome.result() == result:
        is_certain = not any(board.legal_moves)
        if is_certain or stated.lower() in _NORMAL:
            return outcome.termination.name.replace("_", " ").lower()
    if stated.lower() == "normal" and result in POINTS_OF_WHITE:
        if not is_whole(tree):
            return NOT_STATED
        return "agreement" if result == DRAW else "resignation"
    if stated.lower() not in _UNSTATED:
        return stated.lower()
    return "not finished" if result == "*" else NOT_STATED
