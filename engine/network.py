"""The evaluation network: (768 → HIDDEN) × 2 → BUCKETS, with squared clipped neurons and whole numbers throughout.

Each side's features (see accumulator.py) feed the same first layer; the neurons of the side to move come first. A neuron counts
clip(x, 0, 1)², x being stored QA times as large, and the output weights QB times. The output times SCALE is in centipawns.
Which of the outputs counts depends on the number of pieces on the board.
Ideas: NNUE, Yu Nasu (2018); the perspective network with squared clipped neurons (SCReLU) as trained by Jamie Whiting's bullet.

A network file is one line of JSON, then int16 numbers, little-endian: 768 rows of N, N biases, 2 × N weights for each output,
and the bias of each (times QA × QB) as the low and the high half of an int32.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from zobra.engine.accumulator import refresh
from zobra.engine.board import BLACK, ONE, WHITE
from zobra.engine.kernels import INT, VOID, clipped_square_sum, entry, kernel, population, record
from zobra.engine.layouts import ACCUMULATOR, BUCKETS, FEATURES, HIDDEN, NETWORK, NEURONS, POSITION, POSITION_TYPE
from zobra.engine.scores import LONGEST_MATE

FORMAT = "zobra network 2"
ARCHITECTURE = f"(768 king-mirrored -> N) x 2 -> {BUCKETS} by pieces, squared clipped"
QA, QB, SCALE = 255, 256, 400
LARGEST_OUTPUT = 126  # of an output weight: QA × it, at most 32,130, fits in 16 bits; see clipped_square_sum
MAX_BYTES = 1_000_000
BUILT_IN = Path(__file__).parent / "data" / "zobra.network"

UNIT = np.int64(QA * QA * QB)
HALF_UNIT, BIAS_FACTOR, CENTIPAWNS = UNIT // 2, np.int64(QA), np.int64(SCALE)
LARGEST = LONGEST_MATE - np.int64(1)
OWN, OTHER = np.uint64(0), np.uint64(1)
PIECES_A_BUCKET = np.uint64(32 // BUCKETS)

square_sum = clipped_square_sum(NEURONS, QA)


BATCH = 1024  # positions that evaluate_batch takes at most
EVALUATIONS = np.dtype(
    [("accumulator", ACCUMULATOR), ("positions", POSITION, (BATCH,)), ("scores", "i8", (BATCH,))], align=True
)


class NetworkError(ValueError):
    """A file is not a network that this engine can use; the message names the file and the fault."""


@dataclass(frozen=True)
class Network:
    """Weights, int16: `rows` (768, N), `bias` (N,), `output` (BUCKETS, 2, N); `output_bias` (BUCKETS,) times QA × QB, int32."""

    rows: np.ndarray
    bias: np.ndarray
    output: np.ndarray
    output_bias: np.ndarray
    header: dict[str, Any]

    @property
    def hidden(self) -> int:
        """Neurons for each perspective."""
        return int(self.bias.shape[0])

    @property
    def digest(self) -> str:
        """Hash that identifies these weights: 16 hexadecimal digits."""
        return hashlib.sha256(self.payload()).hexdigest()[:16]

    def payload(self) -> bytes:
        """The weights as the file has them."""
        bias = self.output_bias.astype("<i4").view("<i2")
        return np.concatenate([self.rows.ravel(), self.bias, self.output.ravel(), bias]).astype("<i2").tobytes()

    def to_bytes(self) -> bytes:
        """The file."""
        payload = self.payload()
        fixed = {"format": FORMAT, "architecture": ARCHITECTURE, "hidden": self.hidden, "qa": QA, "qb": QB, "scale": SCALE}
        facts = {**self.header, **fixed, "sha256": hashlib.sha256(payload).hexdigest()}
        return json.dumps(facts).encode() + b"\n" + payload


def _require(condition: bool, path: Path, complaint: str) -> None:
    if not condition:
        raise NetworkError(f"{path}: {complaint}")


def _check_header(header: Any, path: Path) -> int:
    """The number of neurons of a header that this engine can use."""
    _require(isinstance(header, dict) and header.get("format") == FORMAT, path, f"not a file of {FORMAT!r}")
    for name, wanted in (("architecture", ARCHITECTURE), ("qa", QA), ("qb", QB), ("scale", SCALE)):
        _require(header.get(name) == wanted, path, f"its {name} is {header.get(name)!r}, this engine needs {wanted!r}")
    hidden = header.get("hidden")
    _require(isinstance(hidden, int) and 0 < hidden <= HIDDEN, path, f"it has {hidden!r} neurons, this engine 1 to {HIDDEN}")
    return int(hidden)


def read_network(path: Path) -> Network:
    """Read and check a file; NetworkError names what is wrong with it."""
    try:
        if not path.is_file():  # a FIFO would keep its reader waiting, a device may never end
            raise NetworkError(f"{path}: {'not an ordinary file' if path.exists() else 'No such file'}")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise NetworkError(f"{path}: {error.strerror}") from error
    line, _, payload = content.partition(b"\n")
    _require(len(content) <= MAX_BYTES, path, f"larger than {MAX_BYTES} bytes")
    try:
        header = json.loads(line)
    except (ValueError, RecursionError) as error:  # RecursionError: brackets that are nested too deep
        raise NetworkError(f"{path}: not a file of {FORMAT!r}") from error
    hidden = _check_header(header, path)
    size = 2 * (FEATURES * hidden + hidden + BUCKETS * (2 * hidden + 2))
    _require(len(payload) == size, path, f"it has {len(payload)} bytes of weights, {hidden} neurons need {size}")
    _require(hashlib.sha256(payload).hexdigest() == header.get("sha256"), path, "its weights are damaged: the digest differs")
    numbers = np.frombuffer(payload, "<i2").astype(np.int16)
    rows, bias, output, last = np.split(numbers, np.cumsum([FEATURES * hidden, hidden, BUCKETS * 2 * hidden]))
    _require(int(np.abs(output.astype(int)).max()) <= LARGEST_OUTPUT, path, f"an output weight is beyond ±{LARGEST_OUTPUT}")
    output_bias = last.view("<i4").astype(np.int32)
    return Network(rows.reshape(FEATURES, hidden), bias, output.reshape(BUCKETS, 2, hidden), output_bias, header)


def install(network: Network, record: Any) -> None:
    """Put a network's weights into a NETWORK record, from which kernels read; neurons that it lacks stay idle."""
    record["rows"]["values"] = record["bias"]["values"] = record["output"]["values"] = 0
    record["rows"]["values"][:, : network.hidden] = network.rows
    record["bias"]["values"][: network.hidden] = network.bias
    record["output"]["values"][:, :, : network.hidden] = network.output
    record["output_bias"] = network.output_bias


@kernel
def bucket_of(position):
    """Which output counts for a position."""
    return (np.uint64(population(position.colours[WHITE] | position.colours[BLACK])) - ONE) // PIECES_A_BUCKET


@kernel
def network_score(network, accumulator, position):
    """Centipawns for the side to move, both sides of the accumulator being computed."""
    side, bucket = position.side, bucket_of(position)
    total = square_sum(accumulator.sides[side], network.output[bucket, OWN])
    total += square_sum(accumulator.sides[side ^ OTHER], network.output[bucket, OTHER])
    total += BIAS_FACTOR * network.output_bias[bucket]
    return max(-LARGEST, min((total * CENTIPAWNS + HALF_UNIT) // UNIT, LARGEST))


@entry(INT, record(NETWORK), record(ACCUMULATOR), POSITION_TYPE)
def evaluate_anew(network, accumulator, position):
    """Centipawns for the side to move, both sides of the accumulator being computed from all pieces."""
    refresh(network, accumulator, position, OWN)
    refresh(network, accumulator, position, OTHER)
    return network_score(network, accumulator, position)


@entry(VOID, record(NETWORK), record(EVALUATIONS), INT)
def evaluate_batch(network, batch, count):
    """Write centipawns for White of the first `count` positions of a batch."""
    for index in range(count):
        position, accumulator = batch.positions[index], batch.accumulator
        refresh(network, accumulator, position, OWN)
        refresh(network, accumulator, position, OTHER)
        score = network_score(network, accumulator, position)
        batch.scores[index] = score if position.side == WHITE else -score
