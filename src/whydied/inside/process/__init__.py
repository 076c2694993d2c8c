"""Facts about this very process: its memory, its limits, its allocator, the versions of what it loaded."""
