"""What has been searched already: entry (the bits of one entry), table (buckets, probing, replacement, memory)."""
