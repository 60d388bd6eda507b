"""The file of an evaluation network, and the weights as kernels take them.

A file is one line of JSON, then int16 numbers, little-endian: 768 rows of N, N biases, 2 × N
weights for each output, and the bias of each (times QA × QB) as the low and the high half of an
int32. N is the network's width: its neurons for each side.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FEATURES = 768  # a piece on a square, as one side sees it
BUCKETS = 8  # output layers, each for another number of pieces on the board
WIDTH = 384  # neurons for each side that kernels compute; a wider network needs a larger number
WIDTHS = range(32, WIDTH + 1, 32)  # of files: a narrower network is padded
FORMAT = "zobra network 2"
ARCHITECTURE = f"(768 king-mirrored -> N) x 2 -> {BUCKETS} by pieces, squared clipped"
QA, SCALE = 255, 400
OUTPUT_UNITS = (128, 256)  # QB, what stands for 1.0 in an output weight: the header says which
# Of an output weight: QA × it, at most 32,130, fits in 16 bits; see clipped_square_sum
LARGEST_OUTPUT = 126
MAX_BYTES = 1_000_000
BUILT_IN = Path(__file__).parent / "data" / "zobra.network"


class NetworkError(ValueError):
    """A file that is not a usable network; the message names the file and the fault."""


@dataclass(frozen=True)
class Network:
    """The weights of a network.

    They are `rows` (768, N), `bias` (N,) and `output` (BUCKETS, 2, N) as int16, and `output_bias`
    (BUCKETS,), times QA × QB, as int32. `qb` is one of OUTPUT_UNITS.
    """

    rows: np.ndarray
    bias: np.ndarray
    output: np.ndarray
    output_bias: np.ndarray
    qb: int
    header: dict[str, Any]

    @property
    def hidden(self) -> int:
        """The number of neurons for each perspective."""
        return int(self.bias.shape[0])

    @property
    def digest(self) -> str:
        """A hash that identifies these weights, as 16 hexadecimal digits."""
        return hashlib.sha256(self.payload()).hexdigest()[:16]

    def payload(self) -> bytes:
        """Return the weights in the form of the file."""
        bias = self.output_bias.astype("<i4").view("<i2")
        return (
            np.concatenate([self.rows.ravel(), self.bias, self.output.ravel(), bias])
            .astype("<i2")
            .tobytes()
        )

    def to_bytes(self) -> bytes:
        """Return the content of the file."""
        payload = self.payload()
        fixed = {
            "format": FORMAT,
            "architecture": ARCHITECTURE,
            "hidden": self.hidden,
            "qa": QA,
            "qb": self.qb,
            "scale": SCALE,
        }
        facts = {**self.header, **fixed, "sha256": hashlib.sha256(payload).hexdigest()}
        return json.dumps(facts).encode() + b"\n" + payload


def _require(condition: bool, path: Path, complaint: str) -> None:
    if not condition:
        raise NetworkError(f"{path}: {complaint}")


def _read(path: Path) -> tuple[dict[str, Any], bytes]:
    """Return the header and the weights of a file, after checking the header."""
    try:
        if not path.is_file():  # a FIFO would keep its reader waiting, a device may never end
            raise NetworkError(
                f"{path}: {'not a regular file' if path.exists() else 'No such file'}"
            )
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise NetworkError(f"{path}: {error.strerror}") from error
    line, _, payload = content.partition(b"\n")
    _require(len(content) <= MAX_BYTES, path, f"larger than {MAX_BYTES} bytes")
    try:
        header = json.loads(line)
    except (ValueError, RecursionError) as error:  # brackets may be nested too deep
        raise NetworkError(f"{path}: not a file of {FORMAT!r}") from error
    _require(
        isinstance(header, dict) and header.get("format") == FORMAT,
        path,
        f"not a file of {FORMAT!r}",
    )
    for name, wanted in (("architecture", ARCHITECTURE), ("qa", QA), ("scale", SCALE)):
        _require(
            header.get(name) == wanted,
            path,
            f"its {name} is {header.get(name)!r}, this engine needs {wanted!r}",
        )
    _require(
        header.get("qb") in OUTPUT_UNITS,
        path,
        f"its qb is {header.get('qb')!r}, this engine needs one of {OUTPUT_UNITS}",
    )
    hidden = header.get("hidden")
    _require(
        isinstance(hidden, int) and hidden in WIDTHS,
        path,
        f"it has {hidden!r} neurons, not a multiple of 32 up to {WIDTH}",
    )
    return header, payload


def read_network(path: Path) -> Network:
    """Read and check a file. Raise NetworkError that names what is wrong with it."""
    header, payload = _read(path)
    hidden = int(header["hidden"])
    size = 2 * (FEATURES * hidden + hidden + BUCKETS * (2 * hidden + 2))
    _require(
        len(payload) == size,
        path,
        f"it has {len(payload)} bytes of weights, {hidden} neurons need {size}",
    )
    _require(
        hashlib.sha256(payload).hexdigest() == header.get("sha256"),
        path,
        "its weights are damaged: the digest differs",
    )
    numbers = np.frombuffer(payload, "<i2").astype(np.int16)
    rows, bias, output, last = np.split(
        numbers, np.cumsum([FEATURES * hidden, hidden, BUCKETS * 2 * hidden])
    )
    _require(
        int(np.abs(output.astype(int)).max()) <= LARGEST_OUTPUT,
        path,
        f"an output weight is beyond ±{LARGEST_OUTPUT}",
    )
    output_bias = last.view("<i4").astype(np.int32)
    return Network(
        rows.reshape(FEATURES, hidden),
        bias,
        output.reshape(BUCKETS, 2, hidden),
        output_bias,
        header["qb"],
        header,
    )


def install(network: Network, record: Any) -> None:
    """Write the weights of a network to a NETWORK record, which kernels read.

    A narrower network is padded with zeros: neurons that are never active.
    """
    for name in ("rows", "bias", "output"):
        values = record[name]["values"]
        values[...] = 0
        values[..., : network.hidden] = getattr(network, name)
    record["output_bias"] = network.output_bias
    record["scale"] = SCALE * max(OUTPUT_UNITS) // network.qb
