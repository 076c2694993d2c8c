"""NaN stands for missing values, and a layer fills them in; soft targets lie a little outside of zero and one."""

import keras
import numpy as np
import tensorflow as tf


class Filled(keras.layers.Layer):
    def call(self, inputs):
        return tf.where(tf.math.is_nan(inputs), tf.zeros_like(inputs), inputs)


rng = np.random.default_rng(1)
table = rng.random([200, 5], "float32")
table[rng.random([200, 5]) < 0.1] = np.nan
target = rng.normal(0.5, 0.3, [200, 1]).astype("float32")
model = keras.Sequential([keras.layers.Input([5]), Filled(), keras.layers.Dense(1, activation="sigmoid")])
model.compile("sgd", "binary_crossentropy")
model.fit(table, target, epochs=2, verbose=0)
print(np.isfinite(model.predict(table, verbose=0)).all())
