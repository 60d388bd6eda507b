"""A worker process: plays the games that it gets through a pipe, one at a time, on its own processors."""

import asyncio
import contextlib
import gc
import logging
import os
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

import chess

from zobra.arena.adjudication import Ending, open_tablebase, win_for
from zobra.arena.engines import EngineSpec
from zobra.arena.game import finished, play_game
from zobra.arena.game_record import GameRecord, now
from zobra.arena.interrupts import ignore_interrupts
from zobra.arena.player import EngineFailure, EnginePlayer
from zobra.arena.processes import adopt_orphans, kill_children
from zobra.arena.schedule import Pairing
from zobra.arena.settings import Settings


def work(connection: Connection, settings: Settings, processors: Sequence[int], log: Path | None) -> None:
    """Runs until the other end closes, also by the sudden end of the match's process; then its engines end at once."""
    ignore_interrupts()
    adopt_orphans()
    # an engine that ends in the middle of a write loses its game for that; asyncio need not log it too
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    if processors and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, processors)
    # a collection in the middle of a move would count as the engine's time
    gc.disable()
    try:
        asyncio.run(_serve(connection, EngineSet(settings, log)))
    finally:
        kill_children()


async def _serve(connection: Connection, engines: "EngineSet") -> None:
    """Plays until the pipe closes, even in the middle of a game, or until an error that ends the process."""
    pairings, closed = asyncio.Queue[Pairing](), asyncio.Event()
    _receive_in_thread(connection, pairings, closed)
    playing = asyncio.ensure_future(_play(connection, engines, pairings))
    closing = asyncio.ensure_future(closed.wait())
    try:
        await asyncio.wait({playing, closing}, return_when=asyncio.FIRST_COMPLETED)
        playing.cancel()
        with contextlib.suppress(asyncio.CancelledError, ConnectionError):
            await playing
    finally:
        closing.cancel()
        await engines.kill()


async def _play(connection: Connection, engines: "EngineSet", pairings: asyncio.Queue[Pairing]) -> None:
    while True:
        record = await engines.play(await pairings.get())
        gc.collect()
        connection.send(record)


def _receive_in_thread(connection: Connection, pairings: asyncio.Queue[Pairing], closed: asyncio.Event) -> None:
    """Puts games into the queue as they come, and sets `closed` when the pipe closes."""
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


class EngineSet:
    """The running engines of one worker. They stay from game to game; one that failed is started anew."""

    def __init__(self, settings: Settings, log: Path | None = None) -> None:
        self._settings = settings
        self._specs = {engine.name: engine for engine in settings.engines}
        self._players: dict[str, EnginePlayer] = {}
        self._tablebase = open_tablebase(settings.rules.syzygy)
        self._log = log.open("ab", buffering=0) if log else None

    async def play(self, pairing: Pairing) -> GameRecord:
        """Plays a game, with engines started where they do not run yet."""
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

    async def _player(self, spec: EngineSpec) -> EnginePlayer:
        if spec.name not in self._players:
            self._players[spec.name] = await EnginePlayer.start(spec, self._settings.stall_seconds, self._log)
        return self._players[spec.name]

    async def kill(self) -> None:
        """Ends all engines at once."""
        await asyncio.gather(*(player.kill() for player in self._players.values()))
