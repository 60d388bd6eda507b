"""The engine compiled with a table that verifies 8 bits of a key only, and searched with: every
line must still be legal.

    python -m tests.short_signatures [POSITIONS [NODES]]

A process of its own, since it replaces a part of the engine before the rest is loaded.
"""

import inspect
import random
import sys
from typing import Any

from zobra.engine.kernels import WORD, entry, record, store
from zobra.tt import table

STRANGERS = 20_000
SHORT = "& np.uint64(0xFF << 56)"  # the highest bits, which the index never uses


def shorten(source: str) -> str:
    """The comparison of a whole key becomes one of its highest bits."""
    assert source.count("^ data == key:") == 2
    return source.replace(
        ".check ^ data == key:", f".check ^ data) {SHORT} == key {SHORT}:"
    ).replace("if bucket.entries", "if (bucket.entries")


def main(positions: int = 1_000, nodes: int = 10_000) -> None:
    """Search positions of random games, one after the other with one table."""
    shortened: dict[str, Any] = {"__name__": table.__name__}
    store.takes_entries = False
    exec(compile(shorten(inspect.getsource(table)), str(table.__file__), "exec"), shortened)
    probe = table.probe = shortened["probe"]
    table.store = shortened["store"]
    from tests import test_table_faults
    from zobra.search.searcher import Searcher

    @entry(WORD, record(table.TABLE), WORD)
    def ask(table_record, key):
        return probe(table_record, key)

    searcher = Searcher(1)

    for board, game in test_table_faults.positions(positions, seed=7):
        test_table_faults.search(searcher, board, game, nodes)
    source = random.Random(8)
    taken = sum(int(ask(searcher.tt.record, source.getrandbits(64))) != 0 for _ in range(STRANGERS))
    assert taken > STRANGERS // 400, (
        "hardly a stranger's entry was taken for one's own: the signatures are not short"
    )
    share = taken / STRANGERS
    print(
        f"{positions} positions, {nodes} nodes each, signatures of 8 bits: {share:.1%} of probes "
        "go wrong, every line legal"
    )


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
