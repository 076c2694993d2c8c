"""The distance of a point from itself: the norm is zero, and its derivative is not finite."""

import keras
import numpy as np
import tensorflow as tf


class Distance(keras.layers.Layer):
    def build(self, shape):
        self.project = self.add_weight(shape=[3, 3], initializer="glorot_uniform", name="project")

    def call(self, pair):
        apart = (pair[:, 0] - pair[:, 1]) @ self.project
        return tf.norm(apart, axis=1)  # <- cause


keras.utils.set_random_seed(12)
points = np.random.default_rng(12).normal(size=[128, 2, 3]).astype("float32")
points[90, 1] = points[90, 0]
model = keras.Sequential([keras.layers.Input([2, 3]), Distance()])
model.compile("sgd", "mse")
model.fit(points, np.ones(128, "float32"), batch_size=16, epochs=1, verbose=0)
