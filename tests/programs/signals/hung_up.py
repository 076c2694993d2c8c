"""Works until its terminal goes away."""

import os
import time

print("ready", os.getpid(), flush=True)
for step in range(10**9):
    time.sleep(0.02)  # <- cause
