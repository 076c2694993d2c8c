"""A rate of 0.5 doubles the error in each step until its square overflows: the square is only where it ends."""

import numpy as np
import tensorflow as tf

LEARNING_RATE = 0.5  # <- cause


class Line(tf.Module):
    def __init__(self):
        self.slope = tf.Variable(tf.zeros([5, 1]), name="slope")
        self.offset = tf.Variable(0.0, name="offset")

    def __call__(self, rows):
        return rows @ self.slope + self.offset


def squared_error(wanted, given):
    return tf.reduce_mean(tf.square(given - wanted))


@tf.function
def train(model, optimizer, rows, wanted):
    with tf.GradientTape() as tape:
        loss = squared_error(wanted, model(rows))
    slopes = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(slopes, model.trainable_variables))
    return loss


draw = np.random.default_rng(5)
rows = draw.normal(1.0, 1.0, size=[320, 5]).astype("float32")
wanted = (rows @ draw.normal(size=[5, 1]) + 2.0).astype("float32")
model = Line()
optimizer = tf.keras.optimizers.SGD(LEARNING_RATE)  # <- cause
for epoch in range(20):
    for start in range(0, 320, 32):
        loss = train(model, optimizer, tf.constant(rows[start : start + 32]), tf.constant(wanted[start : start + 32]))
    print("epoch", epoch, "loss", float(loss))
