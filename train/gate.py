"""Measures a new network: its speed, and a match against the engine that played its games."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from zobra.arena.command import GameOptions, play
from zobra.arena.engines import EngineSpec
from zobra.engine.fen import parse_fen
from zobra.engine.game import Game
from zobra.engine.network_file import Network, install
from zobra.engine.position import TABLES_RECORD
from zobra.search.limits import Limits
from zobra.search.searcher import Searcher

MEGABYTES = 16
SEED = 1  # of the random openings
FENS = (
    "r2qkb1r/1b1p3p/4p1p1/2pNPnB1/3n2RN/P2P4/2P4P/R2QK3 b Qkq - 6 20",
    "r1bq1r1k/1p1n1p2/p1p1pnpb/4N2p/P2PpP2/2N2BP1/1PP4P/R1BQ1RK1 w - - 0 13",
    "4r2k/1p5p/p1p1b3/P3np1q/1P2B3/2P1N1P1/3Q3P/2R3K1 w - - 0 31",
    "8/1p2k3/4p3/1P1r1p1P/7r/R2P1K2/1R1P4/8 b - - 2 38",
)


@contextmanager
def network_installed(network: Network | None) -> Iterator[None]:
    """The engine's tables hold this network inside the context; None changes nothing."""
    before = TABLES_RECORD["network"].copy()
    if network is not None:
        install(network, TABLES_RECORD["network"])
    try:
        yield
    finally:
        TABLES_RECORD["network"] = before


def nodes_per_second(use_network: int, nodes: int) -> float:
    """Speed over positions of all game phases, `nodes` for each, after a warm-up search."""
    searcher = Searcher(MEGABYTES, parameters={"use_network": use_network})
    searcher.search(Game(parse_fen(FENS[0])), Limits(nodes=nodes))
    total, began = 0, time.perf_counter()
    for fen in FENS:
        searcher.clear()
        searcher.search(Game(parse_fen(fen)), Limits(nodes=nodes))
        total += searcher.nodes
    return total / (time.perf_counter() - began)


def zobra_with(name: str, network: Path | None) -> EngineSpec:
    """This engine with a network of any width built in; with the piece-square evaluation for None."""
    command = (sys.executable, "-m", "zobra.uci")
    if network is None:
        return EngineSpec(name, (*command, "--tunable"), {"use_network": "0"})
    return EngineSpec(name, (*command, "--network", str(network)))


def play_match(
    console: Console, folder: Path, engines: tuple[EngineSpec, EngineSpec], control: str, games: int, workers: int
) -> float | None:
    """Share of the points of the first engine; None if interrupted. ValueError, OSError or RuntimeError if it cannot be played.

    The match lies in `folder` and is resumed from there.
    """
    options = GameOptions(control, games, folder=folder, seed=SEED, concurrency=workers)
    state = play(console, folder, options.settings(engines), options)
    if state.error is not None:
        raise state.error
    return None if state.interrupted else state.results.points(engines[0].name) / state.results.games
