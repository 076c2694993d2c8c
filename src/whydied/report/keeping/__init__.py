"""What becomes of recordings: kept for a while, removed, copied without secrets."""
