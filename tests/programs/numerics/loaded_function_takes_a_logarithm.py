"""A function that was saved and loaded again, and has no lines of its own, takes the logarithm of zero in a step."""

import tempfile

import numpy as np
import tensorflow as tf


class Score(tf.Module):
    def __init__(self):
        super().__init__()
        self.weights = tf.Variable(tf.fill([4, 2], 0.5), name="weights")

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
    def __call__(self, rows):
        return tf.math.log(tf.reduce_sum(tf.abs(rows @ self.weights), axis=-1))


with tempfile.TemporaryDirectory() as directory:
    tf.saved_model.save(Score(), directory)
    score = tf.saved_model.load(directory)
head = tf.Variable(1.0, name="head")
optimizer = tf.keras.optimizers.SGD(0.01)
rows = np.random.default_rng(81).uniform(0.1, 1.0, [64, 4]).astype("float32")
rows[37] = 0.0


@tf.function
def step(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(score(batch) * head))  # <- cause
    optimizer.apply_gradients(zip(tape.gradient(loss, [score.weights, head]), [score.weights, head]))
    return loss


for first in range(0, 64, 16):
    step(tf.constant(rows[first : first + 16]))
