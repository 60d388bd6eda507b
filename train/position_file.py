"""The training positions in one file that is mapped into memory.

The file is written once for each choice of games and filter, whose digest is in its name. It may be
larger than the memory, and can be deleted at any time: the next training writes it again.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import numpy as np

from zobra.train import positions as source
from zobra.train.games import read_positions
from zobra.train.positions import PACKED
from zobra.train.recipe import Filter

SUFFIX = ".positions"
UNFINISHED = ".new"
DIGEST_DIGITS = 20


def digest_of(texts: Iterable[str]) -> str:
    """Return a digest of strings, which depends on their order."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:DIGEST_DIGITS]


def position_path(folder: Path, name: str, shard_digests: Iterable[str], wanted: Filter) -> Path:
    """Return the path of a recipe's position file, by the digests of its games and its filter."""
    made_by = hashlib.sha256(Path(source.__file__).read_bytes()).hexdigest()
    chosen = json.dumps(asdict(wanted), sort_keys=True)
    return folder / f"{name}.{digest_of([*shard_digests, chosen, made_by])}{SUFFIX}"


def write_positions(path: Path, shards: Iterable[Path], wanted: Filter) -> None:
    """Write the positions of shards that pass the filter, in order, to a new file.

    After an error no file is left. Raise OSError or DataError that names the file at fault.
    """
    unfinished = path.with_name(path.name + UNFINISHED)
    try:
        with unfinished.open("wb") as file:
            for shard in shards:
                for _, found in read_positions(shard, wanted):
                    file.write(found.tobytes())
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, error.filename or str(path)) from error
    finally:
        unfinished.unlink(missing_ok=True)


def map_positions(path: Path) -> np.ndarray:
    """Return the positions in a file (dtype PACKED), read-only."""
    if path.stat().st_size == 0:  # nothing can be mapped
        return np.zeros(0, PACKED)
    return np.asarray(np.memmap(path, PACKED, "r"))


def remove_stale(path: Path, name: str) -> None:
    """Remove all position files of a recipe except `path`."""
    pattern = re.compile(rf"{re.escape(name)}\.[0-9a-f]{{{DIGEST_DIGITS}}}{SUFFIX}({UNFINISHED})?")
    for each in list(path.parent.iterdir()):
        if pattern.fullmatch(each.name) and each != path:
            each.unlink()
