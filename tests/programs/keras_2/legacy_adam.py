"""Keras 2: a loop without tf.function and with one of the first optimizers takes the logarithm of zero."""

import numpy as np
import tensorflow as tf
import tf_keras

tf_keras.utils.set_random_seed(7)
prices = np.random.default_rng(7).random([64, 4]).astype("float32") + 0.5
prices[41, 1] = 0.0
model = tf_keras.Sequential([tf_keras.layers.Dense(8, activation="relu"), tf_keras.layers.Dense(1)])
optimizer = tf_keras.optimizers.legacy.Adam(0.01)

for start in range(0, 64, 8):
    batch = tf.constant(prices[start : start + 8])
    with tf.GradientTape() as tape:
        given = model(tf.math.log(batch))  # <- cause
        loss = tf.reduce_mean(tf.square(given - 1.0))
    slopes = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(slopes, model.trainable_variables))
