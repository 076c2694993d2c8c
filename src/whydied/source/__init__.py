"""The user's source text as trees: statements, assignments, calls, what flows where. Pure: text in, places out."""
