"""Gradients are added up over batches and applied, and the sum is never set back to zero."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(46)
rng = np.random.default_rng(46)
rows = rng.normal(size=[480, 4]).astype("float32")
wanted = rows @ np.array([[1.0], [2.0], [3.0], [4.0]], "float32")
layer = tf.keras.layers.Dense(1)
layer.build([None, 4])
optimizer = tf.keras.optimizers.SGD(0.2)
totals = [tf.Variable(tf.zeros_like(weight)) for weight in layer.trainable_variables]


@tf.function
def step(batch, targets, apply):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(layer(batch) - targets))
    gradients = tape.gradient(loss, layer.trainable_variables)
    for total, gradient in zip(totals, gradients):
        total.assign_add(gradient)  # <- cause
    if apply:
        optimizer.apply_gradients(zip(totals, layer.trainable_variables))
    return loss


for epoch in range(8):
    for number in range(30):
        part = slice(16 * number, 16 * number + 16)
        loss = step(tf.constant(rows[part]), tf.constant(wanted[part]), tf.constant(number % 2 == 1))
print(float(loss))
