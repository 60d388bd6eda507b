"""A worker process: plays the games it is handed over a pipe, one at a time, on its own processors."""

import asyncio
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
from zobra.arena.journal import GameRecord, now
from zobra.arena.player import EngineFailure, Player
from zobra.arena.schedule import Pairing
from zobra.arena.settings import Settings


def work(connection: Connection, settings: Settings, processors: Sequence[int]) -> None:
    """Runs until the other end closes; then, and when the match's process dies, its engines end at once."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # verdicts tell what engines did wrong; python-chess and asyncio need not log it
    for name in ("chess.engine", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if processors and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, processors)
    # a collection in the middle of a move would count as the engine's time
    gc.disable()
    asyncio.run(_serve(connection, settings))


async def _serve(connection: Connection, settings: Settings) -> None:
    table = _Table(settings)
    pairings: asyncio.Queue[Pairing] = asyncio.Queue()
    _receive_in_thread(connection, pairings)
    try:
        while True:
            pairing = await pairings.get()
            record = await table.play(pairing)
            gc.collect()
            connection.send(record)
    except (asyncio.CancelledError, BrokenPipeError):
        await table.kill()


def _receive_in_thread(connection: Connection, pairings: asyncio.Queue[Pairing]) -> None:
    """Hands games on as they come, and cancels the current task when the pipe closes, even in the middle of a game."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def receive() -> None:
        try:
            while True:
                loop.call_soon_threadsafe(pairings.put_nowait, connection.recv())
        except (EOFError, OSError):
            loop.call_soon_threadsafe(task.cancel)

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
            except EngineFailure as failure:
                ending = Ending(win_for(not color), failure.reason, failure.detail)
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
