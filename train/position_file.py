"""The positions that a network learns from, in one file that is mapped into memory.

The file is written once for each choice of games and filter, whose digest is in its name. Pages of
it are read when they are needed, so that it may be larger than the memory. It can be deleted at any
time: the next training writes it again.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from zobra.train import positions as source
from zobra.train.games import read_positions
from zobra.train.positions import FILTER_DEFAULTS, PACKED

SUFFIX = ".positions"
UNFINISHED = ".new"
DIGEST_DIGITS = 20


def digest_of(texts: Iterable[str]) -> str:
    """A digest of texts in their order."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:DIGEST_DIGITS]


def position_path(folder: Path, name: str, shard_digests: Iterable[str], rules: dict) -> Path:
    """The file of the positions of a recipe: `shard_digests` are those of its games, `rules` its
    filter.
    """
    made_by = hashlib.sha256(Path(source.__file__).read_bytes()).hexdigest()
    chosen = json.dumps(FILTER_DEFAULTS | rules, sort_keys=True)
    return folder / f"{name}.{digest_of([*shard_digests, chosen, made_by])}{SUFFIX}"


def write_positions(path: Path, shards: Iterable[Path], rules: dict[str, int]) -> None:
    """Write all positions of these shards that pass the filter, in order; the file is there as a
    whole or not at all. OSError or DataError names the file at fault.
    """
    unfinished = path.with_name(path.name + UNFINISHED)
    try:
        with unfinished.open("wb") as file:
            for shard in shards:
                for _, found in read_positions(shard, rules):
                    file.write(found.tobytes())
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, error.filename or str(path)) from error
    finally:
        unfinished.unlink(missing_ok=True)


def map_positions(path: Path) -> np.ndarray:
    """The positions of a file (dtype PACKED), read-only."""
    if path.stat().st_size == 0:  # nothing can be mapped
        return np.zeros(0, PACKED)
    return np.asarray(np.memmap(path, PACKED, "r"))


def remove_stale(path: Path, name: str) -> list[Path]:
    """Remove the files of other games or filters of this recipe, and unfinished ones; the files."""
    pattern = re.compile(rf"{re.escape(name)}\.[0-9a-f]{{{DIGEST_DIGITS}}}{SUFFIX}({UNFINISHED})?")
    stale = [
        each for each in path.parent.iterdir() if pattern.fullmatch(each.name) and each != path
    ]
    for each in stale:
        each.unlink()
    return stale
