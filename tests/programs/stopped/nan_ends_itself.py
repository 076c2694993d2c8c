"""A NaN in the data ends in a conversion that no number of that kind survives."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(5)
readings = rng.normal(size=(128, 6)).astype("float32")
wanted = rng.normal(size=(128, 1)).astype("float32")
readings[77, 3] = np.nan  # <- cause

weights = tf.Variable(tf.random.normal((6, 1), stddev=0.1, seed=3))
optimizer = tf.keras.optimizers.SGD(0.05)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x @ weights - y))
    optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
    return loss


for epoch in range(3):
    losses = [float(step(readings[at : at + 32], wanted[at : at + 32])) for at in range(0, 128, 32)]
    print(f"epoch {epoch + 1}: {int(1000 * np.mean(losses))} thousandths")
