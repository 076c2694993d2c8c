"""Its handler fails too: the second error has the first as its context."""

totals = {"rows": 12}
try:
    share = 5 / totals.get("skipped", 0)  # <- cause
except ZeroDivisionError:
    share = totals["rowz"]  # <- cause
print(share)
