"""What has been searched already: entry (the bits of one entry), memory (how much there is), table (probe and store)."""
