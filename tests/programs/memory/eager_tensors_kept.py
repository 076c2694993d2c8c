"""Keeps the output of every step in a list until the kernel kills it."""

import tensorflow as tf

outputs = []
weights = tf.random.normal([256, 1024])
step = 0
while True:
    batch = tf.random.normal([2048, 256])  # <- cause
    outputs.append(tf.nn.relu(batch @ weights))  # <- cause
    step += 1  # <- cause
    print("held", step * 2048 * 1024 * 4, flush=True)
