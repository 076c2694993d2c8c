"""Two networks against each other, with noise drawn in the step: one is so sure that the logarithm of 0 is taken."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(78)
maker = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(4)])
judge = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1, "sigmoid")])
maker_step, judge_step = tf.keras.optimizers.Adam(0.001), tf.keras.optimizers.Adam(0.05)
real = (np.random.randn(256, 4) * 2 + 30).astype("float32")


@tf.function
def train(batch):
    noise = tf.random.normal([tf.shape(batch)[0], 3]) * 40.0
    with tf.GradientTape() as of_maker, tf.GradientTape() as of_judge:
        made = judge(maker(noise))
        judged = -tf.reduce_mean(tf.math.log(judge(batch) + 1e-6) + tf.math.log(1.0 - made + 1e-6))
        fooled = -tf.reduce_mean(tf.math.log(made))  # <- cause
    for tape, loss, net, optimizer in (
        (of_maker, fooled, maker, maker_step),
        (of_judge, judged, judge, judge_step),
    ):
        optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    return fooled


for epoch in range(12):
    for first in range(0, 256, 32):
        train(tf.constant(real[first : first + 32]))
