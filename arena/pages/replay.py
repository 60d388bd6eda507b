"""The data with which a page replays a game: its PGN, and what is known of each position.

replay.js reads it.
"""

import base64
import json
import zlib
from collections.abc import Iterator
from typing import Any

import chess
import chess.engine
import chess.pgn

from zobra.arena.formats.move_comment import read_comment
from zobra.arena.formats.pgn import write_game
from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.model.accuracy import MARKS, SIDE_NAMES, winning_chance
from zobra.arena.model.clock import TimeControl
from zobra.arena.pages.reported_games import ReportedGame, score_of

RESULTS = {"1-0": "1–0", "0-1": "0–1", "1/2-1/2": "½–½"}
_MARK_NAMES = {nag: name for _, nag, name, _ in MARKS}


def replay(game: ReportedGame) -> str:
    """Return the data of a game for the page, as zlib-compressed JSON in base64."""
    text = json.dumps(replayed(game), separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def replayed(game: ReportedGame) -> dict[str, Any]:
    """Return the data of a game for the page.

    `nodes` has an entry for each position, in the order of the PGN: a move, all that follows
    it, then its variations. An entry has only the keys that are known: score and chance (of
    White), note, own (the player's report, beside an analysis), mark, best (a move) and seconds.
    """
    tree = game.tree()
    notes = _notes(game, tree)
    nodes = []
    for node in _all_nodes(tree):
        entry = notes.get(node, {})
        score = node.eval()
        if score is not None:
            entry = {"score": _score_at(node, score), "chance": _chance(score)} | entry
            entry.setdefault("note", _evaluation_text(node, score))
        nodes.append(entry)

    record = game.record
    result = RESULTS.get(record.result, "")
    return {
        "title": f"{record.white} – {record.black} {result}".strip(),
        "opening": game.opening,
        "link": game.link,
        "sides": [_side(game, color) for color in chess.COLORS],
        "pgn": f"{write_game(tree, columns=None)}\n",
        "chess960": tree.board().chess960,
        "nodes": nodes,
    }


def _score_text(score: chess.engine.PovScore) -> str:
    """Return a score from White's view: "+0.31", or "#-3" for Black's mate in 3."""
    mate = score.white().mate()
    if mate is not None:
        return f"#{mate}" if mate else "#"
    return f"{(score.white().score() or 0) / 100:+.2f}"


def _score_at(node: chess.pgn.GameNode, score: chess.engine.PovScore) -> str:
    """Return the score of a position; checkmate has "#", whatever was written."""
    if score.relative.mate() in (-1, 0, 1) and node.board().is_checkmate():
        return "#"
    return _score_text(score)


def _all_nodes(tree: chess.pgn.Game) -> Iterator[chess.pgn.GameNode]:
    """Yield a node, then all that follows its first move, then its other moves."""
    waiting: list[chess.pgn.GameNode] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.variations))


def _notes(game: ReportedGame, tree: chess.pgn.Game) -> dict[chess.pgn.GameNode, dict[str, Any]]:
    """Return the notes on the positions of the main line.

    Comments on moves keep only what a person wrote and PGN commands such as [%eval].
    """
    nodes = list(tree.mainline())
    book = len(game.record.opening["moves"])
    for node in nodes[:book]:
        node.comment = ""

    notes: dict[chess.pgn.GameNode, dict[str, Any]] = {}
    if tree.eval() is not None:  # a position was analysed, and the moves are its lines
        notes[tree] = _best_move(tree)
    seconds = _seconds(game)
    for node, (_, player, move, score), spent in zip(
        nodes[book:], game.moves(), seconds, strict=True
    ):
        comment = node.comment
        node.comment = read_comment(comment).text
        if score is not None:
            node.set_eval(score, move.depth)
        if move.clock_ms is not None:
            node.set_clock(move.clock_ms / 1000)
        notes[node] = _note(node, player, move, comment, spent)
    return notes


def _note(
    node: chess.pgn.ChildNode, player: str, move: PlayedMove, comment: str, seconds: float | None
) -> dict[str, Any]:
    """Return the note on a move of the main line, given its comment."""
    entry: dict[str, Any] = {}
    mark = next((_MARK_NAMES[nag] for nag in node.nags if nag in _MARK_NAMES), None)
    if mark is not None:
        entry |= _mistake(node, mark)
    if "[%eval" in comment:
        own = _own_move(move, comment, seconds)
        text = _report(own, is_white=not node.turn())
        is_reported = (own.score, own.mate, own.depth, own.nodes) != (None,) * 4
        if is_reported:  # a time alone is that of the clock
            text = f"{player} reported: {text}"
        if text:
            entry["own"] = text
    elif mark is None:
        entry["note"] = _report(move, is_white=not node.turn())
    if seconds is not None:
        entry["seconds"] = round(seconds, 3)
    return entry


def _mistake(node: chess.pgn.ChildNode, mark: str) -> dict[str, str]:
    """Return the note of a marked move, and the better move if a variation with a score shows it.

    For example "Inaccuracy: +1.72 → +2.44; best was Bg7".
    """
    better = None
    for variation in node.parent.variations:
        if variation is not node and variation.eval() is not None:
            better = variation
            break

    before = better.eval() if better is not None else node.parent.eval()
    after = node.eval()
    scores = [_score_text(score) for score in (before, after) if score is not None]
    note = mark.capitalize()
    if scores:
        note += f": {' → '.join(scores)}"
    entry = {"mark": mark}
    if better is not None:
        note += f"; best was {better.san()}"
        entry["best"] = better.move.uci()
    entry["note"] = note
    return entry


def _best_move(tree: chess.pgn.Game) -> dict[str, str]:
    """Return the first move that the analysis of a position gives."""
    first = tree.next()
    return {"best": first.move.uci()} if first is not None else {}


def _evaluation_text(node: chess.pgn.GameNode, score: chess.engine.PovScore) -> str:
    """Return the note of a position that has a score: "+0.31 · depth 18", or "checkmate"."""
    if _score_at(node, score) == "#":
        return "checkmate"
    depth = node.eval_depth()
    return f"{_spoken(score)} · depth {depth}" if depth else _spoken(score)


def _own_move(move: PlayedMove, comment: str, seconds: float | None) -> PlayedMove:
    """Return a move with what its player reported, for a PGN that also has an analysis."""
    own = read_comment(comment)
    return PlayedMove(
        move.move,
        score=own.score,
        mate=own.mate,
        depth=own.depth,
        nodes=own.nodes,
        milliseconds=None if seconds is None else seconds * 1000,
    )


def _report(move: PlayedMove, is_white: bool) -> str:
    """Return what a player reported of its move: score, depth, time and nodes, if known."""
    parts = []
    score = score_of(move, is_white)
    if score is not None:
        parts.append(_spoken(score))
    if move.depth:
        parts.append(f"depth {move.depth}")
    if move.milliseconds is not None:
        if move.milliseconds >= 1000:
            parts.append(f"{move.milliseconds / 1000:.2f} s")
        else:
            parts.append(f"{move.milliseconds:.0f} ms")
    if move.nodes:
        parts.append(f"{move.nodes:,} nodes")
    return " · ".join(parts)


def _spoken(score: chess.engine.PovScore) -> str:
    """Return a score from White's view as words: "+0.31", or "mate in 3"."""
    mate = score.white().mate()
    return _score_text(score) if mate is None else f"mate in {abs(mate)}"


def _chance(score: chess.engine.PovScore) -> float:
    return round(winning_chance(score.white()), 3)


def _seconds(game: ReportedGame) -> list[float | None]:
    """Return the time of each move, as its player reported it or else by the clock."""
    increment = _increment(game)
    clocks: list[float | None] = [None, None]  # of the side to move, and of the other
    seconds: list[float | None] = []
    for move in game.record.moves:
        before = clocks[0]
        spent = None
        if move.milliseconds is not None:
            spent = move.milliseconds / 1000
        elif before is not None and move.clock_ms is not None and increment is not None:
            spent = max(0.0, (before - move.clock_ms) / 1000 + increment)
        seconds.append(spent)
        clocks = [clocks[1], move.clock_ms]
    return seconds


def _increment(game: ReportedGame) -> float | None:
    """Return the seconds that a move adds to the clock, or None if they are unknown."""
    try:
        return TimeControl.parse(game.headers.get("TimeControl", "")).increment_ms / 1000
    except ValueError:
        return None


def _side(game: ReportedGame, color: chess.Color) -> dict[str, str]:
    """Return a player's name, with the accuracy and average loss in the headers."""
    side = SIDE_NAMES[color]
    found = {"name": game.record.white if color == chess.WHITE else game.record.black}
    accuracy = game.headers.get(f"{side}Accuracy")
    if accuracy:
        found["accuracy"] = f"{accuracy}%"
    _, _, loss = game.headers.get(f"{side}Errors", "").partition("; ")
    if loss:
        found["loss"] = loss
    return found
