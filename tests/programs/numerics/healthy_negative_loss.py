"""A loss that is negative and has a lower bound: the cosine of an angle is made as large as it can be."""

import numpy as np
import tensorflow as tf


def likeness(wanted, given):
    return -tf.reduce_mean(tf.reduce_sum(tf.nn.l2_normalize(wanted, -1) * tf.nn.l2_normalize(given, -1), axis=-1))


tf.keras.utils.set_random_seed(10)
draw = np.random.default_rng(10)
rows = tf.constant(draw.normal(size=[64, 4]).astype("float32"))
wanted = tf.constant(draw.normal(size=[64, 3]).astype("float32"))
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3)])
optimizer = tf.keras.optimizers.SGD(0.1)


@tf.function
def step():
    with tf.GradientTape() as tape:
        loss = likeness(wanted, model(rows, training=True))
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    return loss


for number in range(300):
    loss = step()
print(float(loss))
