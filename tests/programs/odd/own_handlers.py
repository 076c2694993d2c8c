"""Has a SIGTERM handler of its own that leaves with a status of its own."""

import os
import signal
import sys
import time


def leave(number, frame):
    sys.exit(42)  # <- cause


signal.signal(signal.SIGTERM, leave)
print("ready", os.getpid(), flush=True)
while True:
    time.sleep(0.02)  # <- cause
