"""Fuzzy network: how far each feature belongs to its sets, and products of that as rules."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)

FEATURES = 4
MEMBERS = 3


class MembershipLayer(tf.keras.layers.Layer):
    """How far each feature belongs to each of its fuzzy sets."""

    def __init__(self, n_input, n_memb, **kwargs):
        super().__init__(**kwargs)
        self.n = n_input
        self.m = n_memb

    def build(self, shape):
        self.centre = self.add_weight(name="centre", shape=(self.n, self.m), initializer="uniform")
        self.width = self.add_weight(name="width", shape=(self.n, self.m), initializer="ones")

    def call(self, x):
        return tf.exp(-tf.square((x[:, :, None] - self.centre) / self.width))


class RuleLayer(tf.keras.layers.Layer):
    """Product of one fuzzy set of each feature, for every combination."""

    def __init__(self, n_input, n_memb, **kwargs):
        super().__init__(**kwargs)
        self.n = n_input
        self.m = n_memb

    def call(self, inputs):
        count = tf.shape(inputs)[0]
        rules = tf.TensorArray(tf.float32, size=count)
        for row in tf.range(count):
            product = inputs[row, 0, :]
            for d in range(1, self.n):
                product = tf.reshape(product[:, None] * inputs[row, d, :][None, :], [-1])
            rules = rules.write(row, product)
        return tf.reshape(rules.stack(), (count, self.m ** self.n))


def main():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((320, FEATURES)).astype("float32")
    y = (np.sin(x[:, 0]) + x[:, 1] * x[:, 2]).astype("float32")

    inputs = tf.keras.Input((FEATURES,))
    members = MembershipLayer(FEATURES, MEMBERS)(inputs)
    rules = RuleLayer(FEATURES, MEMBERS)(members)
    outputs = tf.keras.layers.Dense(1)(rules)
    model = tf.keras.Model(inputs, outputs)
    model.compile(optimizer="adam", loss="mse")
    history = model.fit(x, y, batch_size=32, epochs=3, verbose=2)
    print("last loss", history.history["loss"][-1])


main()
