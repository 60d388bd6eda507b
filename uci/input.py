"""Standard input as lines, read as bytes: whatever arrives, no byte of it can be wrong."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

CHUNK = 1 << 16


def read_standard_input() -> bytes:
    """The next bytes of standard input, none at its end; one that is closed or broken has ended."""
    try:
        return os.read(0, CHUNK)
    except OSError:
        return b""


def read_lines(read: Callable[[], bytes] = read_standard_input) -> Iterator[str]:
    """Lines, ended by any of LF, CR LF and CR; what follows the last end counts as a line."""
    pieces: list[bytes] = []
    while chunk := read():
        first, *others = chunk.replace(b"\r", b"\n").split(b"\n")
        pieces.append(first)
        for piece in others:
            yield decode(b"".join(pieces))
            pieces = [piece]
    yield decode(b"".join(pieces))


def decode(line: bytes) -> str:
    """UTF-8, or where it is not that, Latin-1 (as some GUIs write paths)."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")
