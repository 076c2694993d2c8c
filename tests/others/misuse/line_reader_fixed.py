"""Reads lines of sensors from a generator into a pipeline."""

import numpy as np
import tensorflow as tf


class Lines:
    def __init__(self, count, width, seed=0):
        self.count = count
        self.width = width
        self.rng = np.random.default_rng(seed)

    def __call__(self):
        for _ in range(self.count):
            line = self.rng.normal(size=self.width).astype("float32")
            yield line, np.float32(line.sum())


def pipeline(lines, batch):
    data = tf.data.Dataset.from_generator(
        lines,
        output_signature=(
            tf.TensorSpec((lines.width,), tf.float32),
            tf.TensorSpec((), tf.float32),
        ),
    )
    return data.batch(batch).prefetch(1)


def model(width):
    network = tf.keras.Sequential([tf.keras.Input((width,)), tf.keras.layers.Dense(1)])
    network.compile("sgd", "mse")
    return network


def main():
    lines = Lines(40, 6)
    network = model(lines.width)
    history = network.fit(pipeline(lines, 8), epochs=1, verbose=0)
    print(len(history.history["loss"]))


main()
