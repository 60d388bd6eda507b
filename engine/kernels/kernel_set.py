"""A set of compiled kernels, and the file that holds one.

The name of the file says what the set was made for. The file is a checksum and the pickled set. A
set whose checksum matches is trusted: unpickling it is no less safe than running its machine code.
"""

import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ENDING = ".kernels"
OWN_FILE = 0o644  # the rights of a file that only its owner can change
CHECKSUM_SIZE = hashlib.sha256().digest_size

notices: list[str] = []  # sentences for the user about compiled kernels, the oldest first


class ObjectCode(NamedTuple):
    """A compiled entry: its C function, the symbols it needs from outside, and its object file."""

    symbol: str
    externals: tuple[str, ...]
    data: bytes


KernelSet = dict[str, ObjectCode]  # by `Entry.key`


def note(sentence: str) -> None:
    """Add a sentence for the user, unless it has been added before."""
    if sentence not in notices:
        notices.append(sentence)


def read_set(path: Path, check: Callable[[Path, os.stat_result], None] | None = None) -> KernelSet:
    """Return the set in a file, or an empty set if the file is missing or damaged.

    `check` raises OSError if the file, whose status it gets, must not be used.
    """
    try:
        with path.open("rb") as file:
            if check is not None:
                check(path, os.fstat(file.fileno()))
            content = file.read()
    except FileNotFoundError:
        return {}
    except OSError as error:
        note(f"compiled kernels cannot be read: {error}")
        return {}
    checksum = content[:CHECKSUM_SIZE]
    pickled = content[CHECKSUM_SIZE:]
    if checksum != hashlib.sha256(pickled).digest():
        note(f"damaged files of compiled kernels in {path.parent} are not used")
        return {}
    return pickle.loads(pickled)


def write_set(path: Path, kernels: KernelSet) -> None:
    """Write a file that only this user can change; after an OSError no file is left."""
    pickled = pickle.dumps(kernels)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with open(temporary, "wb", opener=_open_own) as file:
            file.write(hashlib.sha256(pickled).digest() + pickled)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _open_own(path: str, flags: int) -> int:
    return os.open(path, flags, OWN_FILE)
