"""The transposition table: entry (the bits of one entry), table (probe and store)."""
