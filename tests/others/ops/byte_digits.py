"""Digits with a loop of one's own: two layers, a tape, a step down the gradient."""

import numpy as np
import tensorflow as tf

SIDE, CLASSES = 10, 4


def load(count=96):
    rng = np.random.default_rng(11)
    pictures = rng.integers(0, 256, (count, SIDE, SIDE), dtype=np.uint8)
    return pictures, rng.integers(0, CLASSES, count)


def prepare(pictures, labels):
    rows = pictures.reshape(len(pictures), SIDE * SIDE)  # <- cause
    return tf.data.Dataset.from_tensor_slices((rows, labels)).shuffle(len(rows)).batch(16)


class Trainer(tf.Module):
    def __init__(self):
        super().__init__()
        self.first = tf.Variable(tf.random.normal([SIDE * SIDE, 32], stddev=0.1, seed=1))
        self.second = tf.Variable(tf.random.normal([32, CLASSES], stddev=0.1, seed=2))
        self.history = []

    def scores(self, pictures):
        return tf.matmul(tf.nn.relu(tf.matmul(pictures, self.first)), self.second)  # <- cause

    def step(self, pictures, labels, rate=0.05):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, self.scores(pictures))
            value = tf.reduce_mean(losses)
        for weight, gradient in zip(self.trainable_variables, tape.gradient(value, self.trainable_variables)):
            weight.assign_sub(rate * gradient)
        self.history.append(float(value))

    def train(self, data, epochs):
        for _ in range(epochs):
            for pictures, labels in data:
                self.step(pictures, labels)


def main():
    trainer = Trainer()
    trainer.train(prepare(*load()), 2)
    print("first and last loss:", trainer.history[0], trainer.history[-1])


if __name__ == "__main__":
    main()
