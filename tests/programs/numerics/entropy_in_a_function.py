"""A loss of one's own takes the logarithm of a probability that is exactly zero."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(10)
rng = np.random.default_rng(10)
wanted = rng.random([64, 3], "float32")
wanted /= wanted.sum(axis=1, keepdims=True)
wanted[40] = [1.0, 0.0, 0.0]
features = rng.normal(size=[64, 5]).astype("float32")
layer = tf.keras.layers.Dense(3, activation="softmax")
layer.build([None, 5])
optimizer = tf.keras.optimizers.SGD(0.1)


def divergence(told, true):
    ratio = tf.math.log(true) - tf.math.log(told)  # <- cause
    return tf.reduce_sum(true * ratio, axis=1)


@tf.function
def step(rows, true):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(divergence(layer(rows), true))
    gradients = tape.gradient(loss, layer.trainable_variables)
    optimizer.apply_gradients(zip(gradients, layer.trainable_variables))
    return loss


for at in range(0, 64, 8):
    step(tf.constant(features[at : at + 8]), tf.constant(wanted[at : at + 8]))
