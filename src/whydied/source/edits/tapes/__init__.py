"""Edits of tapes and of what a loss is computed from: opened too late, left by NumPy, cut by steps without gradient."""
