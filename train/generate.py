"""`zobra train data`: shards of self-play games, made by threads; each thread takes the next missing shard.

A shard is written when all its games are played. So the same command resumes an interrupted run, and the games depend neither
on the number of threads nor on interruptions.
"""

import hashlib
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from zobra.arena.processes import interruptible
from zobra.engine.fen import START, parse_fen, write_fen
from zobra.engine.piece_square import WEIGHTS_FILE
from zobra.engine.position import TABLES_RECORD, Position
from zobra.search.parameters import default_parameters
from zobra.search.worker import SIGNALS, clear_histories, new_worker
from zobra.train.game_kernel import GAME, RULE_DEFAULTS, RULES, TrainingGame, play_game
from zobra.train.games import keep_settings, shard_path, write_shard
from zobra.tt.table import Table

GAMES_A_SHARD = 128
TABLE_MEGABYTES = 2


class SelfPlayer:
    """Plays games against itself, one after the other; each starts with an empty table and empty histories."""

    def __init__(self, rules: dict[str, int], seed: int, parameters: dict[str, int] | None = None) -> None:
        self._seed, self._signals = seed, np.zeros(SIGNALS, np.int64)
        self._worker = new_worker(default_parameters() | (parameters or {}), self._signals)
        self._table, self._start = Table(TABLE_MEGABYTES), parse_fen(START)
        self._rules = np.zeros(1, RULES)
        for name, value in (RULE_DEFAULTS | rules).items():
            self._rules[0][name] = value

    def play(self, number: int) -> TrainingGame:
        """Play the game of this number; its random numbers depend on that and the seed."""
        self._table.clear()
        clear_histories(self._worker)
        self._worker[0]["table"] = self._table.record
        game: Any = np.zeros(1, GAME)[0]
        game["random"] = int.from_bytes(hashlib.sha256(f"{self._seed} {number}".encode()).digest()[:8], "little")
        play_game(self._worker[0], TABLES_RECORD, self._rules[0], game, self._start.record)
        fen, count = write_fen(Position(np.array([game["start"]]))), int(game["count"])
        moves, scores = game["moves"][:count].copy(), game["scores"][:count].copy()
        return TrainingGame(number, fen, int(game["result"]), int(game["ending"]), moves, scores)


@dataclass
class Tally:
    """Counts of this run; `shards_before` existed before it."""

    games: int = 0
    plies: int = 0
    shards_before: int = 0
    results: Counter[int] = field(default_factory=Counter)


class Generation:
    """Makes games 0 … `games` - 1 of a set, in whole shards. `network` is the digest of the engine's network, "" for none."""

    def __init__(self, folder: Path, games: int, rules: dict[str, int], seed: int, workers: int, network: str = "") -> None:
        self.stopping = threading.Event()
        self._folder, self._rules, self._seed, self._workers = folder, rules, seed, workers
        self._parameters = {"use_network": int(bool(network))}
        plays = network or f"pieces {hashlib.sha256(WEIGHTS_FILE.read_bytes()).hexdigest()[:16]}"
        keep_settings(folder, {"seed": seed, "network": plays, "games_a_shard": GAMES_A_SHARD, **RULE_DEFAULTS, **rules})
        firsts = range(0, games, GAMES_A_SHARD)
        missing = [first for first in firsts if not shard_path(folder, first).exists()]
        self.tally = Tally(shards_before=len(firsts) - len(missing))
        self.games_missing = len(missing) * GAMES_A_SHARD
        self._missing, self._lock = iter(missing), threading.Lock()

    def run(self, on_game: Callable[[Tally], None] = lambda tally: None) -> Tally:
        """Play until all games are there, or `stopping` is set, as Ctrl-C does; an incomplete shard is dropped.
        `on_game(tally)` is called, under a lock, after each game."""
        with interruptible(self.stopping.set), ThreadPoolExecutor(self._workers) as pool:
            runs = [pool.submit(self._work, on_game) for _ in range(self._workers)]
            while wait(runs, timeout=0.2).not_done:  # with a timeout, so that signals are handled
                pass
            for run in runs:
                run.result()
        return self.tally

    def _work(self, on_game: Callable[[Tally], None]) -> None:
        """What each thread does: make the next missing shard until there is none."""
        try:
            player = SelfPlayer(self._rules, self._seed, self._parameters)
            while (first := next(self._missing, None)) is not None:
                games = []
                for number in range(first, first + GAMES_A_SHARD):
                    if self.stopping.is_set():
                        return
                    games.append(game := player.play(number))
                    with self._lock:
                        self.tally.games, self.tally.plies = self.tally.games + 1, self.tally.plies + len(game.moves)
                        self.tally.results[game.result] += 1
                        on_game(self.tally)
                write_shard(shard_path(self._folder, first), games, {"first": first})
        except BaseException:
            self.stopping.set()
            raise
