"""Looks for a fixed point that does not exist."""

value = 0.25
while value * 2 != value:  # <- cause
    value = 4 * value * (1 - value) + 0.001  # <- cause
    value = value % 1 + 0.01  # <- cause
