"""A loop that ticks while seven million objects come to life: its longest pause is the stall. Python's own collection
is off, whose pauses would hide others."""

import gc
import time

OBJECTS, TICKS_AFTER = 7_000_000, 5_000

gc.disable()
kept = []
longest, last = 0.0, time.perf_counter()
for _ in range(OBJECTS // 1000 + TICKS_AFTER):
    if len(kept) < OBJECTS:
        kept.extend([number] for number in range(1000))
    else:
        time.sleep(0.001)
    now = time.perf_counter()
    longest, last = max(longest, now - last), now
print("stall", longest)
