"""Playing one game between two running engines."""

import time
from collections.abc import Mapping
from dataclasses import replace

import chess
import chess.syzygy

from zobra.arena.adjudication import Adjudicator, Ending, ending_on_board, win_for
from zobra.arena.clock import Clock, engine_limit
from zobra.arena.game_record import GameRecord
from zobra.arena.journal import now
from zobra.arena.played_move import PlayedMove
from zobra.arena.player import EngineFailure, Player, TooLate
from zobra.arena.schedule import Pairing
from zobra.arena.settings import Settings


async def play_game(
    pairing: Pairing, players: Mapping[chess.Color, Player], settings: Settings, tablebase: chess.syzygy.Tablebase | None
) -> tuple[GameRecord, EngineFailure | None]:
    """Plays the game to its end. Second in the answer: how an engine failed, if one did; it may need a new start."""
    board = pairing.opening.board(settings.chess960)
    names = {chess.WHITE: pairing.white, chess.BLACK: pairing.black}
    clocks = {color: Clock(settings.controls[name], settings.margin_ms) for color, name in names.items()}
    adjudicator = Adjudicator(settings.rules, tablebase)
    start, begun = now(), time.monotonic()
    moves: list[PlayedMove] = []
    ending, failure = ending_on_board(board), None
    while ending is None:
        try:
            played = await _think(board, players, clocks, pairing)
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
    """The journal's record of a game; `duration` in seconds."""
    return GameRecord(
        index=pairing.index,
        pair=pairing.pair,
        round=pairing.round,
        white=pairing.white,
        black=pairing.black,
        opening=pairing.opening.entry(settings.chess960),
        result=ending.result,
        reason=ending.reason,
        detail=ending.detail,
        moves=moves,
        start=start,
        duration=round(duration, 3),
    )


async def _think(
    board: chess.Board, players: Mapping[chess.Color, Player], clocks: Mapping[chess.Color, Clock], pairing: Pairing
) -> PlayedMove:
    """One move in time. Raises EngineFailure."""
    clock = clocks[board.turn]
    limit = engine_limit(clocks, board.turn, pairing.index)
    try:
        played = await players[board.turn].think(board, limit, pairing.index, clock.allowance_ms())
    except TooLate as late:
        raise EngineFailure("time", f"{clock.spend(late.elapsed_ms):.0f} ms over", usable=True) from late
    elapsed_ms = played.milliseconds or 0.0
    late_by = clock.spend(elapsed_ms)
    if late_by > 0:
        raise EngineFailure("time", f"{late_by:.0f} ms over", usable=True)
    remaining = None if clock.remaining_ms is None else round(clock.remaining_ms)
    return replace(played, milliseconds=round(elapsed_ms, 1), clock_ms=remaining)
