"""Works until somebody asks it to end."""

import os
import time

print("ready", os.getpid(), flush=True)
while True:
    time.sleep(0.02)  # <- cause
