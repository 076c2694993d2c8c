"""The angle between two vectors, whose cosine is a little more than one for one pair."""

import keras
import numpy as np
import tensorflow as tf


class Angle(keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=[], initializer="ones", name="scale")

    def call(self, pair):
        cosine = tf.reduce_sum(pair[:, 0] * pair[:, 1], axis=1)
        return self.scale * tf.acos(cosine)  # <- cause


keras.utils.set_random_seed(11)
pairs = np.random.default_rng(11).normal(size=[96, 2, 4]).astype("float32")
pairs /= 2 * np.linalg.norm(pairs, axis=2, keepdims=True)
pairs[30] *= 2.01
pairs[30, 1] = pairs[30, 0]
model = keras.Sequential([keras.layers.Input([2, 4]), Angle()])
model.compile("sgd", "mae")
model.fit(pairs, np.ones(96, "float32"), batch_size=12, epochs=1, verbose=0)
