"""Works until somebody interrupts it; Python makes an exception of that."""

import os
import time


def wait():
    time.sleep(60)  # <- cause


print("ready", os.getpid(), flush=True)
wait()
