"""Playing one game between two running engines."""

import time
from collections.abc import Mapping
from dataclasses import replace

import chess
import chess.syzygy

from zobra.arena.adjudication import Adjudicator, Ending, ending_on_board, win_for
from zobra.arena.clock import GameClock, engine_limit
from zobra.arena.game_record import GameRecord, now
from zobra.arena.played_move import PlayedMove
from zobra.arena.player import EngineFailure, EnginePlayer, LateMove
from zobra.arena.schedule import Pairing
from zobra.arena.settings import Settings


async def play_game(
    pairing: Pairing, players: Mapping[chess.Color, EnginePlayer], settings: Settings, tablebase: chess.syzygy.Tablebase | None
) -> tuple[GameRecord, EngineFailure | None]:
    """Plays the game to its end. Second in the answer: how an engine failed, if one did; it may need a new start."""
    board = pairing.opening.board(settings.chess960)
    names = {chess.WHITE: pairing.white, chess.BLACK: pairing.black}
    clocks = {color: GameClock(settings.controls[name], settings.margin_ms) for color, name in names.items()}
    adjudicator = Adjudicator(settings.rules, tablebase)
    start, begun = now(), time.monotonic()
    moves: list[PlayedMove] = []
    ending, failure = ending_on_board(board), None
    while ending is None:
        try:
            played = await _move(board, players, clocks, pairing)
        except EngineFailure as error:
            failure, ending = error, Ending(win_for(not board.turn), error.reason, error.detail)
            break
        moves.append(played)
        board.push(played.move)
        ending = ending_on_board(board) or adjudicator.ending(board, played)
    return finished(pairing, ending, settings, moves, start, time.monotonic() - begun), failure


def finished(
    pairing: Pairing, ending: Ending, settings: Settings, moves: list[PlayedMove], start: str, duration: float = 0.0
) -> GameRecord:
    """The record of a game; `duration` in seconds."""
    opening = pairing.opening.entry(settings.chess960)
    return GameRecord(
        pairing.index, pairing.pair, pairing.round, pairing.white, pairing.black, opening,
        ending.result, ending.reason, ending.detail, moves, start, round(duration, 3),
    )  # fmt: skip


async def _move(
    board: chess.Board, players: Mapping[chess.Color, EnginePlayer], clocks: Mapping[chess.Color, GameClock], pairing: Pairing
) -> PlayedMove:
    """One move in time. Raises EngineFailure."""
    clock = clocks[board.turn]
    limit = engine_limit(clocks, board.turn, pairing.index)
    try:
        played = await players[board.turn].think(board, limit, pairing.index, clock.allowance_ms())
    except LateMove as late:
        raise EngineFailure("time", f"{clock.spend(late.elapsed_ms):.0f} ms over", usable=True) from late
    elapsed_ms = played.milliseconds or 0.0
    late_by = clock.spend(elapsed_ms)
    if late_by > 0:
        raise EngineFailure("time", f"{late_by:.0f} ms over", usable=True)
    remaining = None if clock.remaining_ms is None else round(clock.remaining_ms)
    return replace(played, milliseconds=round(elapsed_ms, 1), clock_ms=remaining)
