"""Weighs the regions of a picture by how well each goes with an attribute."""

import numpy as np
import tensorflow as tf

REGIONS, WIDTH, ATTRIBUTES = 49, 16, 8


class RegionVotes(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.regions = tf.keras.layers.Dense(WIDTH, activation="tanh")
        self.attribute = tf.keras.layers.Dense(WIDTH, activation="tanh")
        self.score = tf.keras.layers.Dense(1)

    def call(self, inputs):
        pixels, attributes = inputs
        features = self.regions(pixels)
        query = self.attribute(attributes)
        votes = tf.nn.softmax(tf.matmul(features, tf.expand_dims(query, -1)), axis=1)
        pooled = tf.reduce_sum(features * votes, axis=1)
        return self.score(pooled)


def main():
    rng = np.random.default_rng(5)
    pixels = rng.normal(size=(40, REGIONS, 12)).astype("float32")
    attributes = rng.normal(size=(40, ATTRIBUTES)).astype("float32")
    model = RegionVotes()
    scores = model([pixels, attributes])
    print("mean score", float(tf.reduce_mean(scores)))


main()
