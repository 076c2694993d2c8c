"""Runs the user's program again, with one thing changed, and says what that proved."""
