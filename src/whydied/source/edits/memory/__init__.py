"""Edits of what piles up: containers, models, closures, graphs, arrays that grow."""
