"""What a bench searches, and how: the arguments of `bench`, in Stockfish's order.

Nothing heavy is imported here: the UCI conversation reads these arguments.
"""

from collections.abc import Sequence
from typing import NamedTuple

from zobra.search.options import MAX_HASH, MAX_THREADS

DEFAULT_FILE = "default"
# The kinds of limit, each with its largest number; movetime is in milliseconds
LARGEST = {"depth": 64, "nodes": 1 << 40, "movetime": 1 << 31, "perft": 32}
FORM = "DEPTH | MB THREADS [LIMIT [FILE [KIND]]]"


class Conditions(NamedTuple):
    """The arguments of a bench. Only the defaults give the signature.

    They are the megabytes of the table, threads, the limit for each position, a file of positions,
    and the kind of limit.
    """

    megabytes: int = 16
    threads: int = 1
    limit: int = 10
    file: str = DEFAULT_FILE
    kind: str = "depth"


def read_conditions(words: Sequence[str]) -> Conditions:
    """Return the conditions that the words after `bench` state. Raise ValueError."""
    default = Conditions()
    if not words:
        return default
    if len(words) == 1:
        return Conditions(limit=_number(words[0], "depth", LARGEST["depth"]))
    if len(words) > len(Conditions._fields):
        raise ValueError(f"bench takes {FORM}")

    given = dict(zip(Conditions._fields, words, strict=False))
    kind = given.get("kind", default.kind).lower()
    if kind not in LARGEST:
        raise ValueError(f"the kind of limit is {', '.join(LARGEST)}, not {kind!r}")
    return Conditions(
        megabytes=_number(given["megabytes"], "megabytes", MAX_HASH),
        threads=_number(given["threads"], "threads", MAX_THREADS),
        limit=_number(given.get("limit", str(default.limit)), kind, LARGEST[kind]),
        file=given.get("file", default.file),
        kind=kind,
    )


def _number(text: str, name: str, largest: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20 and 1 <= int(text) <= largest):
        raise ValueError(f"{name} is a number from 1 to {largest}, not {text!r}")
    return int(text)
