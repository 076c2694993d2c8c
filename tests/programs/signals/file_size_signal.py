"""Writes past its file-size limit with the signal's default action restored (SIGXFSZ)."""

import resource
import signal
import time

signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
with open("checkpoint.bin", "wb", buffering=0) as file:
    for _ in range(64):
        file.write(bytes(1 << 16))  # <- cause
        time.sleep(0.02)  # <- cause
