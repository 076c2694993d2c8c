"""A scheduler ends the whole job: the signal goes to whydied, which passes it on."""

import os
import time

print("ready", os.getpid(), flush=True)
while True:
    time.sleep(0.02)  # <- cause
