"""`zobra keys`: the measured quality of the Zobrist keys."""

import time
from collections.abc import Iterable
from typing import Annotated

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Table

from zobra.engine import key_quality as quality
from zobra.engine.random_games import distinct_keys
from zobra.engine.zobrist import PUBLISHED_KEYS
from zobra.tt.table import ENTRIES_PER_BUCKET

TRUNCATED_WIDTHS = (16, 24, 32, 48)  # bits
SIGNATURE_WIDTHS = (8, 12, 16, 24, 32)
POSITIONS = 6_000_000
QUICK_POSITIONS = 200_000
MAX_SUBSET = 6  # the largest size of the subsets that are searched exhaustively
QUICK_MAX_SUBSET = 4
PROBES_PER_ENTRY = 3  # absent positions that are probed, for each one that is stored


def keys(
    quick: Annotated[
        bool, typer.Option("--quick", help="Take a smaller sample: a few seconds.")
    ] = False,
) -> None:
    """Measure the quality of the Zobrist keys.

    Print their linear dependence, and their collisions on positions of random games.
    """
    console = Console(highlight=False, soft_wrap=True)
    begin = time.perf_counter()
    show_dependence(console, QUICK_MAX_SUBSET if quick else MAX_SUBSET)
    with console.status("playing random games"):
        sample = distinct_keys(QUICK_POSITIONS if quick else POSITIONS, seed=2005)
    show_collisions(console, sample)
    show_false_matches(console, sample)
    console.print(f"\n{time.perf_counter() - begin:.1f} s in all")


def show_table(
    console: Console, columns: tuple[str, ...], rows: Iterable[tuple[float, ...]]
) -> None:
    """Print a table of numbers; small ones are rounded to two significant figures.

    Its heading has a rule only on a terminal.
    """
    table = Table(box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(*map(_number_text, row))
    console.print(table)


def _number_text(number: float) -> str:
    if isinstance(number, int) or number >= 100:
        return f"{number:,.0f}"
    return f"{number:.2g}"


def show_dependence(console: Console, largest: int) -> None:
    """Print how many numbers there are, their rank, and subsets of them whose XOR is zero."""
    numbers = PUBLISHED_KEYS
    known = quality.KNOWN_DEPENDENT
    console.print("[bold]The numbers[/bold]")
    distinct = len(set(numbers.tolist()))
    console.print(
        f"{len(numbers)} numbers, {distinct} of them distinct: 12 × 64 pieces, 4 castling, 8 "
        "files, 1 side"
    )
    console.print(f"rank over GF(2): {quality.rank(numbers)} of 64")
    console.print("\n[bold]Dependent subsets: numbers that add up to zero[/bold]")
    with console.status(f"searching subsets of up to {largest} numbers"):
        found = "there are some" if quality.has_dependent_subset(numbers, largest) else "none"
    console.print(f"of 1 to {largest} numbers, searched exhaustively: {found}")
    names = quality.number_names()
    total = np.bitwise_xor.reduce(numbers[[names.index(name) for name in known]])
    console.print(
        f"smallest known, of {len(known)} numbers: {' '.join(known)} adds up to {int(total):x}"
    )
    console.print(
        "  (it has pawns on the first and last rank: no two positions collide by it; size 7 is "
        "not searched)"
    )


def show_collisions(console: Console, sample: np.ndarray) -> None:
    """Print the collisions of truncated keys beside the birthday prediction."""
    count = len(sample)
    expected = quality.expected_dependent
    console.print(
        f"\n[bold]Collisions of truncated keys, over {count:,} distinct positions of random "
        "games[/bold]"
    )
    pairs = [
        (bits, quality.colliding_pairs(sample, bits), expected(count, 2, bits))
        for bits in TRUNCATED_WIDTHS
    ]
    show_table(console, ("bits", "pairs", "expected"), pairs)


def show_false_matches(console: Console, sample: np.ndarray) -> None:
    """Print the type-1 errors of a table: signatures that match another position."""
    present, absent = np.split(sample, [len(sample) // (PROBES_PER_ENTRY + 1)])
    index_bits = (len(present) // ENTRIES_PER_BUCKET).bit_length() - 1
    table = quality.fill_buckets(present, index_bits, ENTRIES_PER_BUCKET)
    full = float(table[1].mean()) / ENTRIES_PER_BUCKET
    console.print(
        f"\n[bold]Type-1 errors: {len(absent):,} probes of absent positions in a table that is "
        f"{full:.0%} full[/bold]"
    )
    buckets = f"2^{index_bits} buckets of {ENTRIES_PER_BUCKET}"
    console.print(f"{buckets}, indexed by the low bits; the signature consists of the bits above")
    matches = {bits: quality.false_matches(table, absent, bits) for bits in SIGNATURE_WIDTHS}
    rows = [
        (bits, found, expected, expected / len(absent) * 1e6)
        for bits, (found, expected) in matches.items()
    ]
    show_table(console, ("signature bits", "false matches", "expected", "per million probes"), rows)
    console.print(
        f"Zobra compares all 64 bits, {64 - index_bits} of them beyond this index: see "
        "docs/zobrist.md"
    )
