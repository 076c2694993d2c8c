"""Trains digits with a mirrored strategy, one reduction for all devices."""

import numpy as np
import tensorflow as tf

EPOCHS, BATCH = 1, 16


def make_strategy(devices=None):
    reduction = tf.distribute.ReductionToOneDevice()
    return tf.distribute.MirroredStrategy(devices=devices, cross_device_ops=reduction)


def digits(count=64):
    rng = np.random.default_rng(1)
    x = rng.uniform(size=(count, 8, 8)).astype("float32")
    return tf.data.Dataset.from_tensor_slices((x, rng.integers(0, 10, count))).batch(BATCH)


class Training:
    def __init__(self, strategy):
        self.strategy = strategy
        with strategy.scope():
            self.weights = tf.Variable(tf.zeros((64, 10)))

    def step(self, x, y):
        with tf.GradientTape() as tape:
            logits = tf.reshape(x, (-1, 64)) @ self.weights
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
        self.weights.assign_sub(0.1 * tape.gradient(loss, self.weights))
        return loss

    def run(self, dataset):
        for x, y in self.strategy.experimental_distribute_dataset(dataset):
            losses = self.strategy.run(self.step, args=(x, y))
            total = self.strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)
        return float(total)


strategy = make_strategy()
training = Training(strategy)
for epoch in range(EPOCHS):
    print(epoch, training.run(digits()) > 0)
