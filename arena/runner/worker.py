"""The worker process: it plays the games that come through its pipe."""

import asyncio
import contextlib
import gc
import os
import threading
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

import chess

from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.formats.text import now
from zobra.arena.model.adjudication import (
    Adjudicator,
    ending_by_failure,
    ending_on_board,
    open_tablebase,
)
from zobra.arena.model.clock import GameClock
from zobra.arena.model.game_record import GameRecord
from zobra.arena.model.settings import Pairing, Settings
from zobra.arena.runner.player import EngineFailure, EnginePlayer
from zobra.arena.runner.processes import kill_children, prepare_worker


class EngineSet:
    """The running engines of one worker. One that has failed is restarted for its next game."""

    def __init__(self, settings: Settings, log: Path | None = None) -> None:
        self._settings = settings
        self._specs = {engine.name: engine for engine in settings.engines}
        self._players: dict[str, EnginePlayer] = {}
        self._tablebase = open_tablebase(settings.rules.syzygy)
        self._log = log.open("ab", buffering=0) if log else None

    async def play(self, pairing: Pairing) -> GameRecord:
        """Play a game to its end; engines that are not running are started."""
        names = {chess.WHITE: pairing.white, chess.BLACK: pairing.black}
        for name in set(self._players) - set(names.values()):
            await self._players.pop(name).quit()
        start = now()
        begun = time.monotonic()
        moves: list[PlayedMove] = []
        board = pairing.opening.board(self._settings.chess960)
        color = chess.WHITE
        try:
            for color in chess.COLORS:
                name = names[color]
                if name not in self._players:
                    self._players[name] = await EnginePlayer.start(
                        self._specs[name], self._settings.stall_seconds, self._log
                    )
                if name in pairing.options:
                    await self._players[name].configure(pairing.options[name])
            begun = time.monotonic()
            clocks = {}
            for side, name in names.items():
                control = self._settings.controls[name]
                clocks[side] = GameClock(control, self._settings.margin_ms)
            adjudicator = Adjudicator(self._settings.rules, self._tablebase)
            ending = ending_on_board(board)
            while ending is None:
                color = board.turn
                played = await self._players[names[color]].think(board, clocks, pairing.index)
                moves.append(played)
                board.push(played.move)
                ending = ending_on_board(board) or adjudicator.ending(board, played)
        except EngineFailure as failure:
            ending = ending_by_failure(board, color, failure.reason, failure.detail)
            if not failure.usable and names[color] in self._players:
                await self._players.pop(names[color]).kill()
        return GameRecord(
            index=pairing.index,
            pair=pairing.pair,
            round=pairing.round,
            white=pairing.white,
            black=pairing.black,
            opening=pairing.opening.entry(self._settings.chess960),
            result=ending.result,
            reason=ending.reason,
            detail=ending.detail,
            moves=moves,
            start=start,
            duration=round(time.monotonic() - begun, 3),
        )

    async def kill(self) -> None:
        """Kill every engine."""
        await asyncio.gather(*(player.kill() for player in self._players.values()))


def work(
    connection: Connection, settings: Settings, processors: Sequence[int], log: Path | None
) -> None:
    """Play the games that come until the other end of the pipe closes, then end the engines.

    The pipe also closes if the main process dies.
    """
    prepare_worker()
    if processors and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, processors)
    gc.disable()  # a collection in the middle of a move would count as the engine's time
    gc.freeze()  # what is imported stays: collections between games need not look at it
    try:
        asyncio.run(_serve(connection, EngineSet(settings, log)))
    finally:
        kill_children()


async def _serve(connection: Connection, engines: EngineSet) -> None:
    """Play until the pipe closes, even in the middle of a game, or an error ends the process."""
    pairings = asyncio.Queue[Pairing]()
    closed = asyncio.Event()
    loop = asyncio.get_running_loop()

    def receive() -> None:
        with contextlib.suppress(RuntimeError):  # the loop may be gone by the time the pipe closes
            try:
                while True:
                    loop.call_soon_threadsafe(pairings.put_nowait, connection.recv())
            except (EOFError, OSError):
                loop.call_soon_threadsafe(closed.set)

    async def play() -> None:
        while True:
            record = await engines.play(await pairings.get())
            gc.collect()
            connection.send(record)

    threading.Thread(target=receive, daemon=True).start()
    playing = asyncio.ensure_future(play())
    closing = asyncio.ensure_future(closed.wait())
    try:
        await asyncio.wait({playing, closing}, return_when=asyncio.FIRST_COMPLETED)
        playing.cancel()
        with contextlib.suppress(asyncio.CancelledError, ConnectionError):
            await playing
    finally:
        closing.cancel()
        await engines.kill()
