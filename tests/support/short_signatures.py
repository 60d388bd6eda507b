"""An engine whose table verifies 8 bits of a key only: every line of a search must still be legal.

    python -m tests.support.short_signatures [POSITIONS [NODES]]

It needs sources that `shorten` has changed.
"""

import random
import sys
from pathlib import Path

from tests.search import test_table_faults
from zobra.engine.kernels import INT, WORD, entry, record
from zobra.search.searcher import Searcher
from zobra.tt import table

STRANGERS = 20_000
SHORT = "& np.uint64(0xFF << 56)"  # the highest bits, which the index never uses


def shorten(path: Path) -> None:
    """Change a source of the table: its comparison of whole keys becomes one of highest bits."""
    source = path.read_text()
    whole = "if bucket.entries[index].check ^ data == key:"
    assert source.count(whole) == 2
    short = f"if (bucket.entries[index].check ^ data) {SHORT} == key {SHORT}:"
    path.write_text(source.replace(whole, short))


@entry(INT, record(table.TABLE), WORD)
def ask(table_record, key):
    return table.probe(table_record, key, 0).bound


def main(positions: int = 1_000, nodes: int = 10_000) -> None:
    """Search positions of random games, one after the other with one table."""
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
