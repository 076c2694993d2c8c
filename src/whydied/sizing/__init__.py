"""What fits into memory, before anything runs."""
