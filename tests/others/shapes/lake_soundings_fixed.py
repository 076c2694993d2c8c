"""The depth of a lake from four soundings, by a loop of its own."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(2)
rng = np.random.default_rng(6)
soundings = rng.normal(size=(400, 4)).astype("float32")
depth = (soundings @ [0.5, -1.0, 0.7, 0.2]).astype("float32")
net = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
steps = tf.keras.optimizers.Adam(0.05)


@tf.function
def sounded(rows, deep):
    with tf.GradientTape() as tape:
        off = tf.reduce_mean((deep - net(rows)[:, 0]) ** 2)
    steps.apply_gradients(zip(tape.gradient(off, net.trainable_variables), net.trainable_variables))


for _ in range(8):
    for start in range(0, 400, 20):
        sounded(soundings[start : start + 20], depth[start : start + 20])
spread = float(np.corrcoef(net(soundings)[:, 0], depth)[0, 1])
left = float(np.std(depth - net(soundings)[:, 0]) / np.std(depth))
print(spread, left)
if left > 0.5:
    raise ValueError(f"nothing was learnt: {left:.2f} of the spread is left")
