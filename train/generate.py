"""Sets of training games: by self-play, and from PGN games with scores in their comments.

In `zobra train data` each thread takes the next missing shard, which is written when all its games
are played. So the same command resumes an interrupted run, and the games depend neither on the
number of threads nor on interruptions.
"""

import hashlib
import itertools
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import chess.pgn
import numpy as np

from zobra.arena.formats.files import read_text
from zobra.arena.formats.pgn import GameError, read_games
from zobra.arena.formats.played_move import PlayedMove
from zobra.arena.model.game_record import POINTS_OF_WHITE
from zobra.arena.runner.processes import interruptible
from zobra.engine.fen import START, parse_fen, write_fen
from zobra.engine.network import built_in_network, load_network
from zobra.engine.network_file import Network
from zobra.engine.position import CONSTANTS_RECORD, Position
from zobra.search.parameters import default_parameters
from zobra.search.wdl import USUAL_MATERIAL, fitted
from zobra.search.worker import SIGNALS, clear_histories, new_worker
from zobra.train.game_kernel import (
    ADDED_RULES,
    ENDINGS,
    GAME,
    LONGEST_GAME,
    RULE_DEFAULTS,
    RULES,
    DataError,
    TrainingGame,
    play_game,
)
from zobra.train.games import DECIDED_SCORE, keep_settings, shard_path, shards, write_shard
from zobra.train.recipe import DataPlan
from zobra.tt.table import Table

GAMES_A_SHARD = 128
TABLE_MEGABYTES = 2
NO_GAME: Any = np.zeros(1, GAME)[0]  # stands for no game to branch off: it has no moves


class SelfPlayer:
    """Plays games against itself, one after the other; each starts with an empty table and empty
    histories.

    Where the rules say that every n-th game branches off another, that is one of the n - 1 games
    before it. `network` evaluates; None: the built-in one.
    """

    def __init__(self, rules: dict[str, int], seed: int, network: Network | None = None) -> None:
        self._seed = seed
        self._signals = np.zeros(SIGNALS, np.int64)
        self._network = built_in_network() if network is None else load_network(network)
        self._worker = new_worker(default_parameters(), self._signals)
        self._worker[0]["network_address"] = self._network.ctypes.data
        self._table = Table(TABLE_MEGABYTES)
        self._start = parse_fen(START)
        self._rules = np.zeros(1, RULES)
        for name, value in (RULE_DEFAULTS | rules).items():
            self._rules[0][name] = value
        self._parents: dict[int, Any] = {}  # games that the next branch may begin off

    def play(self, number: int) -> TrainingGame:
        """Play the game of this number, and before it the game that it branches off, unless that
        is known.

        It depends on number, seed, rules and network only.
        """
        branches = int(self._rules[0]["branches"])
        if branches == 0:
            return self._as_game(number, self._play(number, NO_GAME))

        group = range(number - number % branches, number - number % branches + branches)
        self._parents = {each: self._parents[each] for each in group if each in self._parents}
        if number < group[-1]:
            self._parents[number] = self._play(number, NO_GAME)
            return self._as_game(number, self._parents[number])

        parent = group[self._random(f"{number} parent") % (branches - 1)]
        if parent not in self._parents:
            self._parents[parent] = self._play(parent, NO_GAME)
        return self._as_game(number, self._play(number, self._parents[parent]))

    def _random(self, purpose: str) -> int:
        """A random number of 64 bits that depends on the seed and its purpose."""
        digest = hashlib.sha256(f"{self._seed} {purpose}".encode()).digest()
        return int.from_bytes(digest[:8], "little")

    def _play(self, number: int, parent: Any) -> Any:
        """Play a game (a record GAME), which branches off `parent` if that has moves."""
        self._table.clear()
        clear_histories(self._worker)
        self._worker[0]["tt"] = self._table.record
        game: Any = np.zeros(1, GAME)[0]
        game["random"] = self._random(f"{number}")
        play_game(
            self._worker[0], CONSTANTS_RECORD, self._rules[0], game, parent, self._start.record
        )
        return game

    def _as_game(self, number: int, game: Any) -> TrainingGame:
        """A record GAME as a TrainingGame."""
        fen, count = write_fen(Position(np.array([game["start"]]))), int(game["count"])
        moves, scores = game["moves"][:count].copy(), game["scores"][:count].copy()
        return TrainingGame(number, fen, int(game["result"]), int(game["ending"]), moves, scores)


@dataclass
class Tally:
    """Counts of this run; `shards_before` existed before it, and `kept` games are in its shards."""

    games: int = 0
    kept: int = 0
    plies: int = 0
    shards_before: int = 0
    results: Counter[int] = field(default_factory=Counter)


class Generation:
    """Makes the games of a plan, in whole shards.

    `network` evaluates.
    """

    def __init__(self, folder: Path, plan: DataPlan, workers: int, network: Network) -> None:
        self.stopping = threading.Event()
        self._folder = folder
        self._plan = plan
        self._workers = workers
        self._network = network

        settings: dict[str, Any] = {
            "seed": plan.seed,
            "network": network.digest,
            "games_a_shard": GAMES_A_SHARD,
            **RULE_DEFAULTS,
            **plan.rules,
        }
        unstated: dict[str, Any] = {name: RULE_DEFAULTS[name] for name in ADDED_RULES}
        if plan.engine:
            settings["engine"] = unstated["engine"] = plan.engine
        keep_settings(folder, settings, unstated)

        firsts = range(0, plan.games, GAMES_A_SHARD)
        missing = [first for first in firsts if not shard_path(folder, first).exists()]
        self.tally = Tally(shards_before=len(firsts) - len(missing))
        self.games_missing = len(missing) * GAMES_A_SHARD
        self._missing, self._lock = iter(missing), threading.Lock()

    def run(self, on_game: Callable[[Tally], None] = lambda tally: None) -> Tally:
        """Play until all games are there, or `stopping` is set, as Ctrl-C does; an incomplete shard
        is dropped. `on_game(tally)` is called, under a lock, after each game.
        """
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
            player = SelfPlayer(self._plan.rules, self._plan.seed, self._network)
            while (first := next(self._missing, None)) is not None:
                games = []
                for number in range(first, first + GAMES_A_SHARD):
                    if self.stopping.is_set():
                        return
                    games.append(game := player.play(number))
                    with self._lock:
                        self.tally.games += 1
                        self.tally.plies += len(game.moves)
                        self.tally.results[game.result] += 1
                        on_game(self.tally)
                write_shard(shard_path(self._folder, first), games, {"first": first})
                with self._lock:
                    self.tally.kept += len(games)
        except BaseException:
            self.stopping.set()
            raise


def training_game(game: chess.pgn.Game) -> TrainingGame:
    """A PGN game, as number 0, from its first score on, cut after LONGEST_GAME plies; ValueError
    says why it is refused. Scores are taken as this engine shows them (see `normalised` in
    search/wdl.py).
    """
    played = [(node.parent.board(), PlayedMove.from_node(node)) for node in game.mainline()]
    first = next(
        (ply for ply, (_, move) in enumerate(played) if move.pawns(1) is not None), len(played)
    )
    played = played[first : first + LONGEST_GAME]
    for fault, is_found in (
        ("no result", game.headers["Result"] not in POINTS_OF_WHITE),
        ("no scores", not played),
        (
            "a move without a score after moves with one",
            any(move.pawns(1) is None for _, move in played),
        ),
    ):
        if is_found:
            raise DataError(fault)
    position = parse_fen(played[0][0].shredder_fen())
    fen, moves = write_fen(position), []
    for _, move in played:
        moves.append(position.parse_move(move.move.uci()))
        position = position.after(moves[-1])
    pawn = fitted().even_chance(
        USUAL_MATERIAL
    )  # centipawns of the search; PGN has scores as the engine shows them
    pawns = [
        (move.pawns(DECIDED_SCORE / pawn) or 0.0) * (1 if board.turn else -1)
        for board, move in played
    ]
    scores = np.rint(pawn * np.array(pawns)).astype(np.int16)
    result, ending = POINTS_OF_WHITE[game.headers["Result"]], ENDINGS.index("imported")
    return TrainingGame(0, fen, result, ending, np.array(moves, np.uint16), scores)


def import_files(paths: Iterable[Path], folder: Path) -> tuple[int, Counter[str], list[str]]:
    """Import PGN files (plain, .gz, .bz2, .zip, .zst) as a new set in `folder`.

    Return the number of games, the reasons of refused ones, and the games that cannot be read.
    Raise DataError where the folder holds games, OSError or ValueError for a file that cannot be
    read.
    """
    if shards(folder):
        raise DataError(f"{folder}: there are games in it already; name another set")
    refused = Counter[str]()
    unreadable: list[str] = []

    def accepted() -> Iterator[TrainingGame]:
        numbers = itertools.count()
        for path in paths:
            for game in read_games(read_text(path)):
                if isinstance(game, GameError):
                    unreadable.append(f"{path}: {game}")
                    continue
                try:
                    yield replace(training_game(game), number=next(numbers))
                except ValueError as error:
                    refused[f"{path}: {error}"] += 1

    games, count = accepted(), 0
    while shard := list(itertools.islice(games, GAMES_A_SHARD)):
        write_shard(shard_path(folder, count), shard, {"first": count})
        count += len(shard)
    if count:
        keep_settings(folder, {"imported": count, "games_a_shard": GAMES_A_SHARD})
    return count, refused, unreadable
