"""MemoryError before the kernel kills, for a cell of a notebook or a whole program; only where that was asked for."""
