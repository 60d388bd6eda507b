"""The transposition table: a power of two of buckets of four entries, indexed by a key's low bits.

A bucket is one cache line. A probe compares the whole key (as key ^ data), so only the bits above
the index add information. Threads share the table without locks: a torn write does not verify. The
memory is touched when the table is made, and zeroed in place when it is cleared, so that a search
never waits for the system to provide a page.
"""

import numpy as np

from zobra.engine.board import ZERO
from zobra.engine.kernels import INT, entry, kernel, layout, prefetch, record, record_at
from zobra.engine.memory import available_megabytes, map_memory, set_zero
from zobra.engine.move import NO_MOVE
from zobra.tt.entry import (
    ENTRY,
    EXACT,
    GENERATION_MASK,
    NO_BOUND,
    NO_ENTRY,
    TTEntry,
    entry_from_word,
    generation_of,
    pack,
    unpack,
    with_move,
)

ENTRIES_PER_BUCKET = 4
BUCKET = layout(("entries", ENTRY, (ENTRIES_PER_BUCKET,)))
BUCKET_BYTES = np.uint64(BUCKET.itemsize)

# Where the table lies (its address), bucket count - 1, and the number of the current search.
TABLE = layout(("address", "u8"), ("mask", "u8"), ("generation", "u8"))

MIN_MEGABYTES, MAX_MEGABYTES = 1, 1 << 20
AGE_WEIGHT = np.int64(8)  # one search of age counts like this many plies of depth
LEAST_VALUE = -AGE_WEIGHT * np.int64(GENERATION_MASK)  # of an empty entry
# A bound that is shallower by more than this does not replace an entry of the same search.
KEEP_DEPTH = np.int64(4)
# A thousand entries, as permille; the smallest table has more
SAMPLE_BUCKETS = np.uint64(1000 // ENTRIES_PER_BUCKET)

bucket_at = record_at(BUCKET)


@kernel
def bucket_address(table, key):
    """Return the address of the bucket that the low bits of a key select."""
    return table.address + (key & table.mask) * BUCKET_BYTES


@kernel
def prefetch_bucket(table, key):
    """Prefetch the bucket of a key before it is probed."""
    prefetch(bucket_address(table, key))


@kernel
def probe(table, key, ply):
    """Return the entry of a position at `ply`, or NO_ENTRY if the table has none."""
    bucket = bucket_at(bucket_address(table, key))
    for index in range(ENTRIES_PER_BUCKET):
        data = bucket.entries[index].data
        if bucket.entries[index].check ^ data == key:
            return unpack(data, ply)
    return NO_ENTRY


@kernel
def write(bucket, index, key, data):
    """Put a data word with its check into a bucket."""
    bucket.entries[index].data = data
    bucket.entries[index].check = key ^ data


@kernel
def store(table, key, ply, tt_entry):
    """Store what a search found for a position at `ply`. NO_MOVE keeps the stored move.

    An entry of the same position is replaced, unless it is of the same search and much deeper, and
    the new score is only a bound: then it takes the newer move. Otherwise the least valuable entry
    is replaced, by depth and age.
    """
    bucket = bucket_at(bucket_address(table, key))
    generation = table.generation
    move = tt_entry.move
    victim = ZERO
    least = np.int64(1 << 20)
    for index in range(ENTRIES_PER_BUCKET):
        data = bucket.entries[index].data
        old = unpack(data, ply)
        if bucket.entries[index].check ^ data == key:
            if move == NO_MOVE:
                move = old.move
            is_current = generation_of(data) == generation and old.bound != NO_BOUND
            is_deeper = tt_entry.depth + KEEP_DEPTH < old.depth
            if is_current and is_deeper and tt_entry.bound != EXACT:
                write(bucket, index, key, with_move(data, move))
                return
            victim = np.uint64(index)
            break

        value = LEAST_VALUE
        if old.bound != NO_BOUND:
            age = np.int64((generation - generation_of(data)) & GENERATION_MASK)
            value = old.depth - AGE_WEIGHT * age
        if value < least:
            victim = np.uint64(index)
            least = value
    write(bucket, victim, key, with_move(pack(tt_entry, ply, generation), move))


@entry(INT, record(TABLE))
def permille_full(table):
    """Return how many of the first thousand entries the current search has written."""
    used = 0
    for number in range(SAMPLE_BUCKETS):
        bucket = bucket_at(table.address + np.uint64(number) * BUCKET_BYTES)
        for index in range(ENTRIES_PER_BUCKET):
            data = bucket.entries[index].data
            is_used = unpack(data, 0).bound != NO_BOUND
            if is_used and generation_of(data) == table.generation:
                used += 1
    return used


class Table:
    """Owner of the table's memory.

    `record` is what kernels take; it points into the mapping held here.
    """

    def __init__(self, megabytes: int) -> None:
        self.array = np.zeros(1, TABLE)
        self.record = self.array[0]
        self.megabytes = 0
        self.resize(megabytes)

    def resize(self, megabytes: int, threads: int = 1) -> None:
        """Make an empty table of the largest power of two of buckets that fits in `megabytes`.

        If the size is unchanged, the table is cleared. The memory is zeroed by `threads` threads.
        The old memory is kept until the new one is there, unless both do not fit together. Raise
        MemoryError if there is not enough; a table remains in any case.
        """
        megabytes = min(max(megabytes, MIN_MEGABYTES), MAX_MEGABYTES)
        wanted = 1 << (megabytes.bit_length() - 1)
        old = self.megabytes
        if wanted == old:
            self.clear(threads)
            return
        available = available_megabytes()
        if available is None or wanted <= available:
            self._take(wanted, threads)
            return
        try:
            if wanted <= available + old:
                self._take(MIN_MEGABYTES)
                available = available_megabytes()
            if available is not None and wanted > max(available, old):
                raise MemoryError(f"{available} MB of memory are available")
            self._take(wanted, threads)
        except MemoryError as error:
            if old and self.megabytes != old:
                self._take(old, threads)
            raise MemoryError(f"a table of {megabytes} MB does not fit: {error}") from error

    def clear(self, threads: int = 1) -> None:
        """Empty the table in place, with `threads` threads."""
        set_zero(self.bytes, threads)
        self.record["generation"] = 0

    def _take(self, megabytes: int, threads: int = 1) -> None:
        """Use new, zeroed memory of this size.

        The old memory is freed with its last reference.
        """
        self.bytes = map_memory(megabytes << 20, threads)
        self.megabytes = megabytes
        self.record["address"] = self.bytes.ctypes.data
        self.record["mask"] = (megabytes << 20) // BUCKET.itemsize - 1
        self.record["generation"] = 0

    def next_generation(self) -> None:
        """Begin a new search, after which older entries are replaced first."""
        self.record["generation"] = (int(self.record["generation"]) + 1) & int(GENERATION_MASK)

    def recall(self, key: int) -> TTEntry:
        """Probe from Python: return the entry of a position, or NO_ENTRY if there is none.

        Mate scores count from the position.
        """
        # A copy, as other threads may write there at this moment
        bucket = self.buckets()[key & int(self.record["mask"])].copy()
        for slot in bucket:
            data = int(slot["data"])
            if int(slot["check"]) ^ data == key:
                return entry_from_word(data)
        return NO_ENTRY

    def permille_full(self) -> int:
        """Return how full the table is, as UCI's hashfull."""
        return int(permille_full(self.record))

    def buckets(self) -> np.ndarray:
        """Return the entries as an array of shape (buckets, 4) and dtype ENTRY.

        It is for tests and measurements.
        """
        return self.bytes.view(ENTRY).reshape(-1, ENTRIES_PER_BUCKET)
