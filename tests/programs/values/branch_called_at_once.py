"""Makes a model and calls it in one expression, and takes its output for the model."""

import tensorflow as tf


def branch(inputs):
    base = tf.keras.Sequential([tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(4)])(inputs)  # <- cause
    for layer in base.layers:
        layer.trainable = False
    return tf.keras.layers.Dense(1)(base)


inputs = tf.keras.Input((6,))
model = tf.keras.Model(inputs, branch(inputs))
model.compile("adam", "mse")
