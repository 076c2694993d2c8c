"""Edits against NaN and growing memory: guards, rates, rows, batches, bounds."""
