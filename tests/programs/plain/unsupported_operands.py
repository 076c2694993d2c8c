"""Adds a number to a text that was read from a file."""

import io

total = 0
for field in io.StringIO("3 4 five"):
    total = total + field  # <- cause
print(total)
