"""What has been searched already: entry (the bits of one entry), table (probe and store)."""
