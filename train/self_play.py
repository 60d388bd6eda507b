"""Data sets by self-play.

Each thread takes the next missing shard, and writes it once all its games are played. Therefore the
same command resumes an interrupted run, and the games depend neither on the number of threads nor
on interruptions.
"""

import hashlib
import math
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, astuple, dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from zobra.arena.runner.processes import interruptible
from zobra.engine.fen import START, parse_fen, write_fen
from zobra.engine.network import load_network
from zobra.engine.network_file import Network
from zobra.engine.position import CONSTANTS_RECORD, Position
from zobra.search.parameters import default_parameters
from zobra.search.worker import SIGNALS, clear_histories, new_worker
from zobra.train import game_kernel
from zobra.train.game_kernel import GAME, RULES, DataError, TrainingGame, play_game
from zobra.train.games import (
    GAMES_PER_SHARD,
    check_settings,
    read_settings,
    shard_path,
    shards,
    write_settings,
    write_shard,
)
from zobra.train.provenance import provenance
from zobra.train.recipe import DataPlan, GameRules
from zobra.tt.table import Table

TABLE_MEGABYTES = 2
NO_GAME: Any = np.zeros(1, GAME)[0]  # no game to branch off: it has no moves


def planned_games(plan: DataPlan) -> int:
    """Return the number of games of a plan, which fill whole shards."""
    return math.ceil(plan.games / GAMES_PER_SHARD) * GAMES_PER_SHARD


def game_settings(plan: DataPlan) -> dict[str, Any]:
    """Return the settings that decide a plan's games, apart from the network and the engine."""
    return {"seed": plan.seed, "games_a_shard": GAMES_PER_SHARD, **asdict(plan.rules)}


def self_play_checksum() -> str:
    """Return a checksum of the modules that decide games and are not in the version's checksum.

    The first network has a module of its own; its digest is among the settings.
    """
    found = 0
    for path in (game_kernel.__file__, __file__):
        found = crc32(Path(path).read_bytes(), found)
    return f"{found:08x}"


class SelfPlayer:
    """Plays games of Zobra against itself with a network.

    A game depends only on its number, the seed, the rules, the network and the engine, and a branch
    also on the game that it branches off: each begins with an empty table and empty histories. If
    the rules let every n-th game branch off another, games form groups of n, and the last game of
    each group branches off a random other one in it.
    """

    def __init__(self, rules: GameRules, seed: int, network: Network) -> None:
        self._rules = np.array([astuple(rules)], RULES)
        self._branches = rules.branches
        self._seed = seed
        self._network = load_network(network)
        self._signals = np.zeros(SIGNALS, np.int64)
        self._worker = new_worker(default_parameters(), self._signals)
        self._worker[0]["network_address"] = self._network.ctypes.data
        self._table = Table(TABLE_MEGABYTES)
        self._start = parse_fen(START)
        self._parents: dict[int, Any] = {}  # games by number that the next branch may begin off

    def play(self, number: int) -> TrainingGame:
        """Return the game with this number, and remember it if a later game may branch off it.

        If this game branches off one that is not remembered, that one is played first.
        """
        if self._branches == 0:
            return _training_game(number, self._play(number, NO_GAME))

        place = number % self._branches
        first = number - place
        last = first + self._branches - 1
        for kept in list(self._parents):
            if not first <= kept < last:
                del self._parents[kept]
        if number < last:
            self._parents[number] = self._play(number, NO_GAME)
            return _training_game(number, self._parents[number])

        parent = first + self._random(f"{number} parent") % (self._branches - 1)
        if parent not in self._parents:
            self._parents[parent] = self._play(parent, NO_GAME)
        return _training_game(number, self._play(number, self._parents[parent]))

    def _random(self, purpose: str) -> int:
        """Return a 64-bit random number that depends on the seed and a purpose."""
        digest = hashlib.sha256(f"{self._seed} {purpose}".encode()).digest()
        return int.from_bytes(digest[:8], "little")

    def _play(self, number: int, parent: Any) -> Any:
        """Play a game, a record of GAME, which branches off `parent` if that has moves."""
        self._table.clear()
        clear_histories(self._worker)
        worker: Any = self._worker[0]
        worker["tt"] = self._table.record
        game: Any = np.zeros(1, GAME)[0]
        game["random"] = self._random(f"{number}")
        play_game(worker, CONSTANTS_RECORD, self._rules[0], game, parent, self._start.record)
        return game


def _version_text(settings: Mapping[str, Any]) -> str:
    """Return what the settings of a set say of its version. Zobra 1.0 did not write it."""
    version = settings.get("version", "1.0")
    checksum = settings.get("self_play_checksum", "unknown")
    return f"Zobra {version} (self-play {checksum})"


def _training_game(number: int, game: Any) -> TrainingGame:
    """Convert a record of GAME."""
    count = int(game["count"])
    return TrainingGame(
        number,
        write_fen(Position(np.array([game["start"]]))),
        int(game["result"]),
        int(game["ending"]),
        game["moves"][:count].copy(),
        game["scores"][:count].copy(),
    )


@dataclass
class Tally:
    """Counts of a run."""

    games: int = 0  # played
    kept: int = 0  # in whole shards
    plies: int = 0
    shards_before: int = 0  # that existed before the run
    results: Counter[int] = field(default_factory=Counter)  # by half points for White


class SelfPlay:
    """Plays the missing games of a plan, in whole shards.

    Setting `stopping` ends the run. Raise DataError if the folder has games of another plan, or
    only some of the games, played by another version.
    """

    def __init__(self, folder: Path, plan: DataPlan, workers: int, network: Network) -> None:
        self.stopping = threading.Event()
        self._folder = folder
        self._plan = plan
        self._workers = workers
        self._network = network

        firsts = range(0, plan.games, GAMES_PER_SHARD)
        missing = [first for first in firsts if not shard_path(folder, first).exists()]
        self.games_missing = len(missing) * GAMES_PER_SHARD
        self.tally = Tally(shards_before=len(firsts) - len(missing))
        self._missing = iter(missing)
        self._lock = threading.Lock()
        self._keep_settings()

    def _keep_settings(self) -> None:
        """Write the settings of the set, after comparing them with those of the games there."""
        folder = self._folder
        wanted = {"network": self._network.digest, **game_settings(self._plan)}
        settings = {**wanted, **provenance(), "self_play_checksum": self_play_checksum()}
        if shards(folder):
            known = read_settings(folder)
            check_settings(folder, known, wanted)
            theirs = _version_text(known)
            ours = _version_text(settings)
            if self.games_missing and theirs != ours:
                raise DataError(
                    f"{folder} holds games of {theirs}, and this is {ours}, which plays other "
                    "games: go on with that version, or name another folder"
                )
            settings = known
        write_settings(folder, {**settings, "games": planned_games(self._plan)})

    def run(self, on_game: Callable[[Tally], None] = lambda tally: None) -> Tally:
        """Play until all games are there, or until Ctrl-C, which sets `stopping`.

        When the run is stopped, incomplete shards are dropped. on_game(tally) is called after each
        game, under a lock.
        """
        with interruptible(self.stopping.set), ThreadPoolExecutor(self._workers) as pool:
            runs = [pool.submit(self._work, on_game) for _ in range(self._workers)]
            while wait(runs, timeout=0.2).not_done:  # with a timeout, so that signals are handled
                pass
            for run in runs:
                run.result()
        return self.tally

    def _work(self, on_game: Callable[[Tally], None]) -> None:
        """Play missing shards until none is left. Each thread runs this."""
        try:
            player = SelfPlayer(self._plan.rules, self._plan.seed, self._network)
            while not self.stopping.is_set():
                with self._lock:
                    first = next(self._missing, None)
                if first is None:
                    return
                self._make_shard(player, first, on_game)
        except BaseException:
            self.stopping.set()
            raise

    def _make_shard(self, player: SelfPlayer, first: int, on_game: Callable[[Tally], None]) -> None:
        """Play the games of a shard and write it, unless the run is stopped meanwhile."""
        games: list[TrainingGame] = []
        for number in range(first, first + GAMES_PER_SHARD):
            if self.stopping.is_set():
                return
            game = player.play(number)
            games.append(game)
            with self._lock:
                self.tally.games += 1
                self.tally.plies += len(game.moves)
                self.tally.results[game.result] += 1
                on_game(self.tally)

        write_shard(shard_path(self._folder, first), games)
        with self._lock:
            self.tally.kept += len(games)
