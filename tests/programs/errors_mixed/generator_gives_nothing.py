"""A generator gives None for a label that it does not know."""

import numpy as np
import tensorflow as tf


class Source:
    def __init__(self, count):
        self.count = count

    def stream(self):
        for n in range(self.count):
            label = n % 3 if n != 7 else None
            yield np.ones((2, 2), np.float32), label  # <- cause

    def dataset(self):
        return tf.data.Dataset.from_generator(
            self.stream, output_types=(tf.float32, tf.int32), output_shapes=((2, 2), ())
        )


def main():
    total = 0
    for _, labels in Source(12).dataset().batch(3):
        total += int(tf.reduce_sum(labels))
    return total


if __name__ == "__main__":
    main()
