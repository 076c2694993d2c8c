"""Started by writer_gone.py."""

import sys

columns = {"id": 0, "week": 1}
total = 0
for row in sys.stdin:
    total += int(row.split(",")[columns["day"]])  # <- cause
print(total)
