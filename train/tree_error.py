"""The error of networks on positions of search trees that another engine has labelled.

With Stockfish's labels, the error on such positions correlates with Elo, while the error on
positions of games does not. It is used only to measure: no network of Zobra learns from these
labels.

A file has a heading and then one position per line: a FEN, a tab, and the score in centipawns for
the side to move. Positions of one game follow each other, on which `margin` relies.
"""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import chess
import chess.engine
import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit

from zobra.arena.formats.files import check_writable, read_text
from zobra.arena.model.engines import EngineSpec, as_announced
from zobra.arena.model.statistics import Z_95
from zobra.engine.fen import parse_fen
from zobra.engine.kernels import VOID, entry, record
from zobra.engine.layouts import POSITION_TYPE
from zobra.engine.network_file import Network
from zobra.train.float_network import integer_scores
from zobra.train.game_kernel import DataError
from zobra.train.games import write_atomically
from zobra.train.positions import PACKED, pack_board, unpack_board

HEADING = "fen\t"  # how a file begins
CHANCE_SCALE = 220.0  # centipawns of Stockfish that mean odds of e : 1
LARGEST_LABEL = 3_000  # centipawns, also for mates
RUN = 20  # positions, about those of three games: see `margin`
SCALES = (0.1, 4.0)  # bounds of the factor of a network's scores


@entry(VOID, POSITION_TYPE, record(PACKED))
def pack(position, packed):
    """Call pack_board from Python."""
    pack_board(position, packed)


class Labelled(NamedTuple):
    """Positions (dtype PACKED), and their labels as winning chances.

    `file` is the name of the file that has them, and `sha256` its digest.
    """

    file: str
    sha256: str
    positions: np.ndarray
    chances: np.ndarray


def read_labelled(path: Path) -> Labelled:
    """Read a file of labelled positions. Raise DataError that names file, line and fault."""
    lines = read_text(path).splitlines()[1:]
    if not lines:
        raise DataError(f"{path}: this file has no positions")
    positions = np.zeros(len(lines), PACKED)
    labels = np.zeros(len(lines))
    for index, line in enumerate(lines):
        fen, _, label = line.partition("\t")
        try:
            pack(parse_fen(fen).record, positions[index])
            labels[index] = int(label)
        except ValueError as error:
            raise DataError(f"{path}: line {index + 2}: {error}") from error
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return Labelled(path.name, digest, positions, expit(labels / CHANCE_SCALE))


def squared_errors(network: Network, labelled: Labelled) -> tuple[np.ndarray, float]:
    """Return the squared errors of a network's winning chances, and its scale.

    The scale is the factor on the network's scores that minimises the mean error.
    """
    values = integer_scores(network, labelled.positions) / CHANCE_SCALE

    def errors(scale: float) -> np.ndarray:
        return (expit(scale * values) - labelled.chances) ** 2

    found = minimize_scalar(lambda scale: errors(scale).mean(), bounds=SCALES, method="bounded")
    return errors(found.x), float(found.x)


def margin(values: np.ndarray) -> float:
    """Return the 95 % margin of a mean, by the means of runs of RUN values.

    Neighbours in a file come from one game, so they depend on each other.
    """
    runs = len(values) // RUN
    if runs < 2:
        return float("inf")
    means = values[: runs * RUN].reshape(runs, RUN).mean(axis=1)
    return Z_95 * float(means.std(ddof=1) / np.sqrt(runs))


def compare(networks: Iterable[tuple[str, Network]], labelled: Labelled) -> Iterator[str]:
    """Yield the lines of a table of mean squared errors, with their 95 % margins.

    Each network is compared with the first one.
    """
    yield f"{len(labelled.positions):,} positions; mean squared error of winning chances"
    yield "     error          scale   change against the first"
    first = None
    for name, network in networks:
        errors, scale = squared_errors(network, labelled)
        line = f"{errors.mean():.5f} ± {margin(errors):.5f}  {scale:.3f}"
        if first is None:
            first = errors
            yield f"{line}   {'':17}{name}"
            continue
        change = (errors - first).mean() / first.mean()
        change_margin = margin(errors - first) / first.mean()
        yield f"{line}   {change:+7.2%} ± {change_margin:.2%}  {name}"


def check_output(path: Path) -> None:
    """Raise OSError or ValueError if labelled positions cannot be written to a file.

    Only a file of labelled positions may be replaced.
    """
    if path.exists() and not read_text(path).startswith(HEADING):
        raise DataError(f"{path}: not a file of labelled positions; name another file")
    check_writable(path)


def write_labelled(path: Path, heading: str, labels: Iterable[tuple[str, int]]) -> int:
    """Write FENs and scores to a file, whose heading says whose scores they are.

    Return their number. After Ctrl-C write those labelled so far, unless the file exists already,
    and raise KeyboardInterrupt with a message.
    """
    lines = []
    try:
        for fen, score in labels:
            lines.append(f"{fen}\t{score}\n")
    except KeyboardInterrupt as error:
        if not lines or path.exists():
            raise KeyboardInterrupt("interrupted; nothing new was kept") from error
        _write_lines(path, heading, lines)
        kept = f"the {len(lines):,} positions labelled so far are in {path}"
        raise KeyboardInterrupt(f"interrupted; {kept}") from error
    _write_lines(path, heading, lines)
    return len(lines)


def _write_lines(path: Path, heading: str, lines: list[str]) -> None:
    write_atomically(path, (f"{HEADING}{heading}\n" + "".join(lines)).encode())


def label(
    parts: Iterable[np.ndarray], count: int, engine: EngineSpec, nodes: int
) -> Iterator[tuple[str, int]]:
    """Yield the FENs of `count` different positions, and scores in centipawns for the side to move.

    The scores are those of a UCI engine, which starts a new game for each position. Raise
    ValueError if the engine is not found or sends no score, or chess.engine.EngineError.
    """
    if engine.protocol != "uci":
        raise ValueError(f"engine {engine.name}: only a UCI engine can label")
    seen = set[str]()
    command = [engine.program(), *engine.command[1:]]
    with chess.engine.SimpleEngine.popen_uci(command, cwd=engine.directory) as opened:
        opened.configure(as_announced(engine.options, opened.options))
        for part in parts:
            for packed in part:
                board = unpack_board(packed)
                fen = board.fen()
                if fen in seen:
                    continue
                seen.add(fen)
                info = opened.analyse(board, chess.engine.Limit(nodes=nodes), game=object())
                if "score" not in info:
                    raise ValueError(f"engine {engine.name}: it sent no score for {fen}")
                score = info["score"].pov(board.turn).score(mate_score=100 * LARGEST_LABEL)
                yield fen, max(-LARGEST_LABEL, min(score, LARGEST_LABEL))
                if len(seen) == count:
                    return
