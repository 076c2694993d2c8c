"""A logarithm of one plus the target, for targets that were never below zero until the returns came in."""

import numpy as np
import tensorflow as tf
from tensorflow import keras


def log_error(wanted, given):
    return tf.reduce_mean(tf.square(tf.math.log(1.0 + wanted) - tf.math.log(1.0 + tf.nn.relu(given))))  # <- cause


draw = np.random.default_rng(13)
keras.utils.set_random_seed(13)
baskets = draw.random((400, 9)).astype("float32")
spent = (20 * baskets.sum(axis=1, keepdims=True)).astype("float32")
spent[217] = -35.0  # a return  # <- cause
data = tf.data.Dataset.from_tensor_slices((baskets, spent)).batch(40)
model = keras.Sequential([keras.Input((9,)), keras.layers.Dense(12, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer="adam", loss=log_error)
model.fit(data, epochs=2, verbose=0)
print("done")
