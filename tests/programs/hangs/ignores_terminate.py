"""Will not end when asked to, so that the time limit has to kill it."""

import signal
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    time.sleep(0.1)  # <- cause
