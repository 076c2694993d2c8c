"""Tensors pile up in a list, far from any limit, until somebody presses Ctrl-C."""

import os
import time

import tensorflow as tf

states = []
for step in range(100_000):
    states.append(tf.random.normal((512, 1024)))  # <- cause
    time.sleep(0.02)
    if step == 600:
        print("ready", os.getpid(), flush=True)
