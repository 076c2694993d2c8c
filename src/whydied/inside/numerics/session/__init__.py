"""Watches the runs of v1 sessions for values that are not finite, and writes the first bad one down."""
