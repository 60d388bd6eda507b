"""`zobra keys`: how good the Zobrist keys are, measured."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from rich import box
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from zobra.engine import key_quality as quality
from zobra.engine.key_trials import distinct_keys, make_all_keys, make_whole_keys, nanoseconds, new_trial, update_keys
from zobra.engine.zobrist import published_keys
from zobra.tt.table import ENTRIES_PER_BUCKET

CUT_WIDTHS = (16, 24, 32, 48)  # bits
SIGNATURE_WIDTHS = (8, 12, 16, 24, 32)  # bits
POSITIONS, QUICK_POSITIONS = 6_000_000, 200_000
EXHAUSTIVE, QUICK_EXHAUSTIVE = 6, 4  # sizes of subsets
REPEATS, QUICK_REPEATS = 15, 3  # of a timing
PROBES_PER_ENTRY = 3  # absent positions asked for, for each one offered to the table
CLAIMED_WHOLE, CLAIMED_UPDATE = "about 10 ns", "about 1 ns"


def report(quick: bool) -> None:
    """Print how good the Zobrist keys are: their algebra, their collisions in play, and what they cost."""
    console = Console(highlight=False, soft_wrap=True)
    begin = time.perf_counter()
    show_numbers(console)
    show_dependence(console, QUICK_EXHAUSTIVE if quick else EXHAUSTIVE)
    show_distances(console)
    with working(console, "playing random games"):
        sample = distinct_keys(QUICK_POSITIONS if quick else POSITIONS, seed=2005)
    show_collisions(console, sample)
    show_false_matches(console, sample)
    show_times(console, QUICK_REPEATS if quick else REPEATS)
    console.print(f"\n{time.perf_counter() - begin:.1f} s in all")


@contextmanager
def working(console: Console, what: str) -> Iterator[quality.Progress]:
    """Show on a terminal what is being done, and how much of it; yields a function to be told the part done (0 to 1)."""
    columns = (*Progress.get_default_columns()[:3], TextColumn("since"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done: progress.update(task, total=1.0, completed=done)


def heading(console: Console, text: str) -> None:
    """Begin a section."""
    console.print(f"\n[bold]{text}[/bold]")


def new_table(console: Console, *columns: str) -> Table:
    """A table of numbers; without lines where the output is not a terminal."""
    table = Table(box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def show_numbers(console: Console) -> None:
    """How many, how many different, and the dimension of the space they span."""
    numbers = published_keys()
    heading(console, "The numbers")
    distinct = len(set(numbers.tolist()))
    console.print(f"{len(numbers)} numbers, {distinct} of them distinct: 12 × 64 pieces, 4 castling, 8 files, 1 side")
    console.print(f"rank over GF(2): {quality.rank(numbers)} of 64")


def show_dependence(console: Console, largest: int) -> None:
    """The smallest set of numbers that adds up to zero, as far as it is searched."""
    numbers, names = published_keys(), quality.number_names()
    heading(console, "Dependent subsets: numbers that add up to zero")
    with working(console, f"subsets of up to {largest} numbers") as progress:
        found = quality.smallest_dependent(numbers, largest, progress)
    told = " ".join(names[index] for index in found) if found else "none"
    console.print(f"of 1 to {largest} numbers, searched exhaustively: {told}")
    chosen = [names.index(name) for name in quality.KNOWN_DEPENDENT]
    total = int(np.bitwise_xor.reduce(numbers[chosen]))
    verdict = "adds up to 0" if total == 0 else f"adds up to {total:016x}"
    console.print(f"smallest known, of {len(chosen)} numbers: {' '.join(quality.KNOWN_DEPENDENT)} {verdict}")
    console.print("  (it has pawns on the first and last rank: no two positions collide by it; size 7 is not searched)")
    expected = ", ".join(f"{size}: {quality.expected_dependent(len(numbers), size):.2g}" for size in (6, 7, 8, 9))
    console.print(f"to be expected among as many random numbers, by size: {expected}")


def show_distances(console: Console) -> None:
    """Hamming distances, and why they do not matter."""
    numbers = published_keys()
    heading(console, "Hamming distances, and why they do not matter")
    least, most = quality.hamming_extremes(numbers)
    console.print(f"as published: two numbers differ in {least} to {most} bits; rank {quality.rank(numbers)}")
    rewritten = quality.coordinates(numbers)
    least, most = quality.hamming_extremes(np.array(rewritten, np.uint64))
    console.print(f"the same vectors in another basis: {least} to {most} bits; rank {quality.rank(rewritten)}")
    console.print("What collides (rank, dependent subsets) is the same in every basis; distances are not (S. Reichard, 2001).")


def show_collisions(console: Console, sample: np.ndarray) -> None:
    """Truncated keys against the birthday prediction."""
    heading(console, f"Collisions of keys cut short, over {len(sample):,} distinct positions of random games")
    table = new_table(console, "bits", "pairs", "expected", "first collision after", "expected", "runs")
    with working(console, "comparing cut keys") as progress:
        for done, bits in enumerate(CUT_WIDTHS, 1):
            pairs, expected = quality.colliding_pairs(sample, bits), quality.expected_pairs(len(sample), bits)
            first, runs = quality.mean_first_collision(sample, bits)
            seen = (f"{first:,.0f}", str(runs)) if runs else ("too rare to measure", "-")
            prediction = f"{quality.expected_first_collision(bits):,.0f}"
            table.add_row(str(bits), f"{pairs:,}", number(expected), seen[0], prediction, seen[1])
            progress(done / len(CUT_WIDTHS))
    console.print(table)
    console.print(f"64 bits, by arithmetic: {quality.expected_pairs(len(sample), 64):.1e} pairs; a first one after")
    console.print(f"  {quality.expected_first_collision(64):.1e} positions. So the full key may tell positions apart here.")


def show_false_matches(console: Console, sample: np.ndarray) -> None:
    """Type-1 errors in the table's geometry."""
    present, absent = sample[: len(sample) // (PROBES_PER_ENTRY + 1)], sample[len(sample) // (PROBES_PER_ENTRY + 1) :]
    index_bits = (len(present) // ENTRIES_PER_BUCKET).bit_length() - 1
    table = quality.fill_buckets(present, index_bits, ENTRIES_PER_BUCKET)
    full = float(table[1].mean()) / ENTRIES_PER_BUCKET
    heading(console, f"Type-1 errors: {len(absent):,} absent positions asked of a table that is {full:.0%} full")
    console.print(f"2^{index_bits} buckets of {ENTRIES_PER_BUCKET}, found by the low bits; the signature are the bits above")
    shown = new_table(console, "signature bits", "false matches", "expected", "per million probes")
    for bits in SIGNATURE_WIDTHS:
        matches, expected = quality.false_matches(table, absent, index_bits, bits)
        shown.add_row(str(bits), f"{matches:,}", number(expected), number(expected / len(absent) * 1e6))
    console.print(shown)
    rate = ENTRIES_PER_BUCKET * full / 2.0 ** (64 - index_bits)
    days = 1 / (rate * 1e6) / (24 * 3600)
    console.print(f"Zobra compares all 64 bits, {64 - index_bits} of them beyond this index: {rate:.1e} a probe by arithmetic,")
    console.print(f"  one in {days:,.0f} days at a million probes a second, all of absent positions.")


def show_times(console: Console, repeats: int) -> None:
    """What a key costs."""
    heading(console, "Time of a key (medians)")
    with working(console, "timing"):
        trial = new_trial(seed=2005)
        whole, together, update = (
            nanoseconds(action, trial, repeats) for action in (make_whole_keys, make_all_keys, update_keys)
        )
    console.print(f"from scratch: {whole:.1f} ns (a known text says {CLAIMED_WHOLE}), with structure keys {together:.1f} ns")
    console.print(f"update over a quiet move: {update:.1f} ns (the text says {CLAIMED_UPDATE})")


def number(value: float) -> str:
    """Whole where it is large, two figures where it is small."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"
