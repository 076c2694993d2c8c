"""Works until somebody kills it."""

import os
import time


def train():
    while True:
        time.sleep(0.02)  # <- cause


print("ready", os.getpid(), flush=True)
train()
