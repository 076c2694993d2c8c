"""An eager loop keeps one list of sums of gradients for the whole run, and applies it again and again."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(74)
rows = np.random.default_rng(74).normal(size=[320, 3]).astype("float32")
wanted = rows @ np.array([[2.0], [-1.0], [0.5]], "float32")
net = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1)])
adjust = tf.keras.optimizers.SGD(0.4)
every = 4
sums = [tf.zeros_like(weight) for weight in net.trainable_variables]

for epoch in range(12):
    for number in range(20):
        with tf.GradientTape() as tape:
            error = net(rows[16 * number : 16 * number + 16]) - wanted[16 * number : 16 * number + 16]
            loss = tf.reduce_mean(error**2)
        fresh = tape.gradient(loss, net.trainable_variables)
        sums = [old + new for old, new in zip(sums, fresh)]  # <- cause
        if (number + 1) % every == 0:
            adjust.apply_gradients(zip(sums, net.trainable_variables))
