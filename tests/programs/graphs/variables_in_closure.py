import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import tensorflow as tf


def accumulator():
    sums = []

    def add(gradients):
        sums.append([tf.Variable(part, trainable=False) for part in gradients])  # <- cause

    return add


add = accumulator()
for step in range(100_000):
    add([tf.random.normal((500, 1000)), tf.random.normal((500, 1000))])
    print("held", (step + 1) * 2 * 500 * 1000 * 4, flush=True)
