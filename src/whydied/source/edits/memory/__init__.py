"""Edits of what takes memory: what is too large at once, and what piles up."""
