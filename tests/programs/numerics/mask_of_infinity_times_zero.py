"""A mask of minus infinity is multiplied with the scores instead of added: zero times infinity is NaN."""

import keras
import numpy as np
import tensorflow as tf


class Masked(keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(shape=[4], initializer="ones", name="scale")

    def call(self, scores):
        open_places = tf.constant([0.0, 0.0, 0.0, -np.inf])
        return tf.nn.softmax(scores * self.scale + tf.nn.relu(-scores) * open_places)  # <- cause


keras.utils.set_random_seed(44)
scores = np.random.default_rng(44).normal(size=[64, 4]).astype("float32")
model = keras.Sequential([keras.layers.Input([4]), Masked()])
model.compile("sgd", "mse")
model.fit(scores, np.full([64, 4], 0.25, "float32"), batch_size=16, epochs=1, verbose=0)
