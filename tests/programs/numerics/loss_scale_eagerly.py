"""`fit` without a graph under mixed precision: a division by nothing makes each gradient NaN, and no step is taken."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(77)
keras.mixed_precision.set_global_policy("mixed_float16")


def balance(wanted, given):
    share = (given - tf.stop_gradient(given)) / tf.abs(given - tf.stop_gradient(given))
    return tf.reduce_mean(tf.square(given - wanted)) + tf.reduce_sum(tf.where(tf.math.is_nan(share), 0.0, share))


rows = np.random.default_rng(77).normal(size=[80, 5]).astype("float32")
model = keras.Sequential([keras.Input([5]), keras.layers.Dense(6), keras.layers.Dense(1, dtype="float32")])
model.compile(keras.optimizers.SGD(0.01), balance, run_eagerly=True)
model.fit(rows, rows[:, :1], batch_size=8, epochs=3, verbose=0)
