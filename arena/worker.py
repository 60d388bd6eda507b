"""A worker process: plays the games it is handed over a pipe, one at a time, on its own processors."""

import asyncio
import contextlib
import gc
import logging
import os
import signal
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection

import chess
import chess.syzygy

from zobra.arena.adjudication import Ending, open_tablebase, win_for
from zobra.arena.engines import EngineSpec
from zobra.arena.game import finished, play_game
from zobra.arena.game_record import GameRecord
from zobra.arena.journal import now
from zobra.arena.player import EngineFailure, Player
from zobra.arena.schedule import Pairing
from zobra.arena.settings import Settings


def work(connection: Connection, settings: Settings, processors: Sequence[int]) -> None:
    """Runs until the other end closes; then, and when the match's process dies, its engines end at once."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # an engine's end in the middle of a write is told by its verdict
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    if processors and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, processors)
    # a collection in the middle of a move would count as the engine's time
    gc.disable()
    asyncio.run(_serve(connection, settings))


async def _serve(connection: Connection, settings: Settings) -> None:
    """Plays until the pipe closes, even in the middle of a game, or until an error that ends the process."""
    table, pairings, closed = _Table(settings), asyncio.Queue[Pairing](), asyncio.Event()
    _receive_in_thread(connection, pairings, closed)
    playing = asyncio.ensure_future(_play(connection, table, pairings))
    closing = asyncio.ensure_future(closed.wait())
    try:
        await asyncio.wait({playing, closing}, return_when=asyncio.FIRST_COMPLETED)
        playing.cancel()
        with contextlib.suppress(asyncio.CancelledError, ConnectionError):
            await playing
    finally:
        closing.cancel()
        await table.kill()


async def _play(connection: Connection, table: "_Table", pairings: asyncio.Queue[Pairing]) -> None:
    while True:
        record = await table.play(await pairings.get())
        gc.collect()
        connection.send(record)


def _receive_in_thread(connection: Connection, pairings: asyncio.Queue[Pairing], closed: asyncio.Event) -> None:
    """Hands games on as they come, and tells when the pipe closes."""
    loop = asyncio.get_running_loop()

    def receive() -> None:
        # the loop may be gone by the time the pipe closes
        with contextlib.suppress(RuntimeError):
            try:
                while True:
                    loop.call_soon_threadsafe(pairings.put_nowait, connection.recv())
            except (EOFError, OSError):
                loop.call_soon_threadsafe(closed.set)

    threading.Thread(target=receive, daemon=True).start()


class _Table:
    """The engines of this worker; they stay from game to game, a failed one is started anew."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._specs = {engine.name: engine for engine in settings.engines}
        self._players: dict[str, Player] = {}
        self._tablebase: chess.syzygy.Tablebase | None = open_tablebase(settings.rules.syzygy)

    async def play(self, pairing: Pairing) -> GameRecord:
        for name in set(self._players) - {pairing.white, pairing.black}:
            await self._players.pop(name).quit()
        players = {}
        for color, name in ((chess.WHITE, pairing.white), (chess.BLACK, pairing.black)):
            try:
                players[color] = await self._player(self._specs[name])
                if name in pairing.options:
                    await players[color].configure(pairing.options[name])
            except EngineFailure as error:
                if name in self._players:
                    await self._players.pop(name).kill()
                ending = Ending(win_for(not color), error.reason, error.detail)
                return finished(pairing, ending, self._settings, [], now())
        record, failure = await play_game(pairing, players, self._settings, self._tablebase)
        if failure is not None and not failure.usable:
            loser = pairing.black if record.result == "1-0" else pairing.white
            await self._players.pop(loser).kill()
        return record

    async def _player(self, spec: EngineSpec) -> Player:
        if spec.name not in self._players:
            self._players[spec.name] = await Player.start(spec, self._settings.stall_seconds)
        return self._players[spec.name]

    async def kill(self) -> None:
        await asyncio.gather(*(player.kill() for player in self._players.values()))
