"""Networks made of random weights."""

import numpy as np

from zobra.engine.layouts import BUCKETS, FEATURES
from zobra.engine.network_file import LARGEST_OUTPUT, Network


def random_network(hidden: int, seed: int = 1, qb: int = 256) -> Network:
    """Return weights of the size that training gives them; some neurons clip at either end."""
    source = np.random.default_rng(seed)
    rows = source.normal(0, 30, (FEATURES, hidden)).astype(np.int16)
    bias = source.normal(60, 40, hidden).astype(np.int16)
    output = source.integers(-LARGEST_OUTPUT, LARGEST_OUTPUT + 1, (BUCKETS, 2, hidden))
    output_bias = source.integers(-5_000, 5_000, BUCKETS).astype(np.int32)
    return Network(rows, bias, output.astype(np.int16), output_bias, qb, {"made": "by a test"})
