"""Ctrl-C is how this training ends: it keeps what it has and finishes."""

import json
import os
import time

losses = []
try:
    print("ready", os.getpid(), flush=True)
    for step in range(10_000):
        losses.append(1 / (step + 1))
        time.sleep(0.02)
except KeyboardInterrupt:
    with open("losses.json", "w") as file:
        json.dump(losses, file)
print("kept", len(losses) > 0)
