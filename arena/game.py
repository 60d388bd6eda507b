"""Playing games, one at a time, with engines that stay from game to game."""

import asyncio
import time
from pathlib import Path

import chess

from zobra.arena.adjudication import Adjudicator, Ending, ending_on_board, open_tablebase, win_for
from zobra.arena.clock import GameClock
from zobra.arena.game_record import GameRecord, now
from zobra.arena.played_move import PlayedMove
from zobra.arena.player import EngineFailure, EnginePlayer
from zobra.arena.settings import Pairing, Settings


class EngineSet:
    """The running engines of one worker. One that failed is started anew for its next game."""

    def __init__(self, settings: Settings, log: Path | None = None) -> None:
        self._settings = settings
        self._specs = {engine.name: engine for engine in settings.engines}
        self._players: dict[str, EnginePlayer] = {}
        self._tablebase = open_tablebase(settings.rules.syzygy)
        self._log = log.open("ab", buffering=0) if log else None

    async def play(self, pairing: Pairing) -> GameRecord:
        """Plays a game to its end, with engines started where they do not run yet."""
        names = {chess.WHITE: pairing.white, chess.BLACK: pairing.black}
        for name in set(self._players) - set(names.values()):
            await self._players.pop(name).quit()
        start, begun, moves = now(), time.monotonic(), list[PlayedMove]()
        color = chess.WHITE
        try:
            for color in chess.COLORS:
                name = names[color]
                if name not in self._players:
                    engine = await EnginePlayer.start(self._specs[name], self._settings.stall_seconds, self._log)
                    self._players[name] = engine
                if name in pairing.options:
                    await self._players[name].configure(pairing.options[name])
            begun = time.monotonic()
            board = pairing.opening.board(self._settings.chess960)
            clocks = {side: GameClock(self._settings.controls[name], self._settings.margin_ms) for side, name in names.items()}
            adjudicator = Adjudicator(self._settings.rules, self._tablebase)
            ending = ending_on_board(board)
            while ending is None:
                color = board.turn
                played = await self._players[names[color]].think(board, clocks, pairing.index)
                moves.append(played)
                board.push(played.move)
                ending = ending_on_board(board) or adjudicator.ending(board, played)
        except EngineFailure as failure:
            ending = Ending(win_for(not color), failure.reason, failure.detail)
            if not failure.usable and names[color] in self._players:
                await self._players.pop(names[color]).kill()
        return GameRecord(
            pairing.index, pairing.pair, pairing.round, pairing.white, pairing.black,
            pairing.opening.entry(self._settings.chess960), ending.result, ending.reason, ending.detail,
            moves, start, round(time.monotonic() - begun, 3),
        )  # fmt: skip

    async def kill(self) -> None:
        """Ends all engines at once."""
        await asyncio.gather(*(player.kill() for player in self._players.values()))
