"""The generator gives one pass over the rows, and the loop asks for three."""

import numpy as np
import tensorflow as tf


def batches(rows, size):
    for at in range(0, len(rows), size):  # <- cause
        yield rows[at : at + size]


class Trainer:
    def __init__(self, rows):
        self.feed = batches(rows, 8)
        self.weights = tf.Variable(tf.ones((4, 1)))
        self.optimizer = tf.keras.optimizers.SGD(0.01)

    def step(self):
        batch = next(self.feed)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(batch @ self.weights - 1.0))
        self.optimizer.apply_gradients([(tape.gradient(loss, self.weights), self.weights)])
        return float(loss)


trainer = Trainer(np.random.default_rng(4).random((64, 4), "float32"))
for epoch in range(3):
    print(epoch, sum(trainer.step() for _ in range(8)) / 8)
