"""Makes a model, freezes its layers and calls it."""

import tensorflow as tf


def branch(inputs):
    base = tf.keras.Sequential([tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(4)])
    for layer in base.layers:
        layer.trainable = False
    return tf.keras.layers.Dense(1)(base(inputs))


inputs = tf.keras.Input((6,))
model = tf.keras.Model(inputs, branch(inputs))
model.compile("adam", "mse")
