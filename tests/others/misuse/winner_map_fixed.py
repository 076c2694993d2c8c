"""A self-organising map, moved from TensorFlow 1 to 2."""

import numpy as np
import tensorflow as tf


class WinnerMap:
    def __init__(self, rows, columns, width, rate=0.1):
        self.units = rows * columns
        self.weights = tf.Variable(tf.random.normal((self.units, width), seed=1))
        self.optimizer = tf.keras.optimizers.SGD(learning_rate=rate)

    def distance(self, sample):
        return tf.reduce_sum(tf.square(self.weights - sample), axis=1)

    def winner(self, sample):
        return int(tf.argmin(self.distance(sample)))

    def loss(self, sample, winner):
        return tf.nn.sparse_softmax_cross_entropy_with_logits(
            logits=-self.distance(sample)[tf.newaxis], labels=[winner]
        )

    def update(self, sample):
        winner = self.winner(sample)
        with tf.GradientTape() as tape:
            loss = self.loss(sample, winner)
        gradient = tape.gradient(loss, self.weights)
        self.optimizer.apply_gradients([(gradient, self.weights)])
        return winner

    def train(self, samples, rounds):
        for _ in range(rounds):
            for sample in samples:
                last = self.update(sample)
        return last


def main():
    rng = np.random.default_rng(4)
    samples = rng.uniform(size=(20, 3)).astype("float32")
    print(WinnerMap(4, 4, 3).train(samples, 2) >= 0)


main()
