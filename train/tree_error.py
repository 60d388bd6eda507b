"""The error of networks on positions of search trees that another engine labelled.

The error against Stockfish on such positions goes with Elo, that on positions of games does not. It
only measures: no network of Zobra learns from these labels.

A file has one position a line, a FEN and the centipawns for its side to move, with a tab between
them; the first line is a heading.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import chess
import chess.engine
import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit

from zobra.arena.formats.files import read_text
from zobra.engine.fen import parse_fen
from zobra.engine.kernels import VOID, entry, record
from zobra.engine.layouts import POSITION_TYPE
from zobra.engine.network_file import Network
from zobra.train.game_kernel import DataError
from zobra.train.positions import PACKED, pack_board, unpack_board
from zobra.train.trainer import integer_scores

CHANCE_SCALE = 220.0  # centipawns of Stockfish that mean odds of e : 1
LARGEST_LABEL = 3_000  # centipawns; mates count as much
SCALES = (0.1, 4.0)  # of a network's values, in which the best is searched


@entry(VOID, POSITION_TYPE, record(PACKED))
def pack(position, packed):
    """Write a position to `packed`, for Python."""
    pack_board(position, packed)


class Labelled(NamedTuple):
    """Positions (dtype PACKED) and their labels, as winning chances."""

    positions: np.ndarray
    chances: np.ndarray


def read_labelled(path: Path) -> Labelled:
    """Read a file of labelled positions; DataError names file, line and fault."""
    lines = read_text(path).splitlines()[1:]
    if not lines:
        raise DataError(f"{path}: there are no positions in it")
    positions = np.zeros(len(lines), PACKED)
    labels = np.zeros(len(lines))
    for index, line in enumerate(lines):
        fen, _, label = line.partition("\t")
        try:
            pack(parse_fen(fen).record, positions[index])
            labels[index] = int(label)
        except ValueError as error:
            raise DataError(f"{path}: line {index + 2}: {error}") from error
    return Labelled(positions, expit(labels / CHANCE_SCALE))


def squared_errors(network: Network, labelled: Labelled) -> tuple[np.ndarray, float]:
    """The squared error of each winning chance, the network's values scaled to fit best, and that
    scale.
    """
    values = integer_scores(network, labelled.positions) / CHANCE_SCALE

    def errors(scale: float) -> np.ndarray:
        return (expit(scale * values) - labelled.chances) ** 2

    found = minimize_scalar(lambda scale: errors(scale).mean(), bounds=SCALES, method="bounded")
    return errors(found.x), float(found.x)


def standard_error(values: np.ndarray) -> float:
    """The standard error of a mean."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("inf")


def compare(networks: Iterable[tuple[str, Network]], labelled: Labelled) -> Iterator[str]:
    """Lines of a table: the mean squared error of each network, and its change against the first
    one, with standard errors.
    """
    yield f"{len(labelled.positions):,} positions; mean squared error of winning chances"
    yield "     error          scale   change against the first"
    first = None
    for name, network in networks:
        errors, scale = squared_errors(network, labelled)
        line = f"{errors.mean():.5f} ± {standard_error(errors):.5f}  {scale:.3f}"
        if first is None:
            first = errors
            yield f"{line}   {'':17}{name}"
            continue
        change = (errors - first).mean() / first.mean()
        margin = standard_error(errors - first) / first.mean()
        yield f"{line}   {change:+7.2%} ± {margin:.2%}  {name}"


def label(
    parts: Iterable[np.ndarray], count: int, engine: list[str], nodes: int
) -> Iterator[tuple[str, int]]:
    """FEN and centipawns for the side to move of `count` different positions of these, by a UCI
    engine that forgets each position.
    """
    seen = set[str]()
    with chess.engine.SimpleEngine.popen_uci(engine) as opened:
        for packed in (each for part in parts for each in part):
            board = unpack_board(packed)
            if board.fen() in seen:
                continue
            info = opened.analyse(board, chess.engine.Limit(nodes=nodes), game=object())
            score = info["score"].pov(board.turn).score(mate_score=100 * LARGEST_LABEL)
            seen.add(board.fen())
            yield board.fen(), max(-LARGEST_LABEL, min(score, LARGEST_LABEL))
            if len(seen) == count:
                return
