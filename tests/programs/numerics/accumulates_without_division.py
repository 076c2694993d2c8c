"""A trainer adds up the gradients of many batches, and applies the sum as if it were a mean."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(75)


class Gatherer:
    def __init__(self, net, rate):
        self.net = net
        self.optimizer = tf.keras.optimizers.SGD(rate)
        self.sums = None

    def add(self, fresh):
        if self.sums is None:
            self.sums = list(fresh)
        else:
            self.sums = [old + new for old, new in zip(self.sums, fresh)]

    def apply(self):
        self.optimizer.apply_gradients(zip(self.sums, self.net.trainable_variables))  # <- cause
        self.sums = None


rows = np.random.default_rng(75).normal(size=[512, 4]).astype("float32")
wanted = rows.sum(axis=1, keepdims=True)
net = tf.keras.Sequential([tf.keras.Input([4]), tf.keras.layers.Dense(1)])
gatherer = Gatherer(net, 0.1)


@tf.function
def gradients(batch, targets):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(net(batch) - targets))
    return tape.gradient(loss, net.trainable_variables)


for number in range(640):
    part = slice(8 * (number % 64), 8 * (number % 64) + 8)
    gatherer.add(gradients(rows[part], wanted[part]))
    if number % 32 == 31:
        gatherer.apply()
