"""The same with --stop-on-nan: a layer of one's own takes the logarithm of a count, and one count is zero."""

import keras
import numpy as np
import tensorflow as tf


class LogScale(keras.layers.Layer):
    def call(self, counts):
        return tf.math.log(counts)  # <- cause


keras.utils.set_random_seed(7)
rng = np.random.default_rng(7)
counts = rng.integers(1, 50, [256, 3]).astype("float32")
counts[142, 1] = 0.0
visits = rng.normal(size=[256, 1]).astype("float32")
inputs = keras.Input([3])
model = keras.Model(inputs, keras.layers.Dense(1)(LogScale(name="log_scale")(inputs)))
model.compile("sgd", "mse")
model.fit(counts, visits, batch_size=32, epochs=1, verbose=0)
