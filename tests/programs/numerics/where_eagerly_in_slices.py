"""A branch that `where` does not take has an infinite derivative; the loop passes parts of arrays that have no name."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(71)
widths = rng.uniform(0.5, 2.0, 96).astype("float32")
widths[[37, 62]] = 0.0
areas = rng.uniform(1.0, 4.0, 96).astype("float32")


class Height(tf.Module):
    def __init__(self):
        super().__init__()
        self.factor = tf.Variable(1.0, name="factor")
        self.offset = tf.Variable(0.0, name="offset")

    def __call__(self, area, width):
        base = self.factor * width
        return tf.where(width > 0, area / base, tf.zeros_like(area)) + self.offset  # <- cause


height = Height()
optimizer = tf.keras.optimizers.SGD(0.01)
for number in range(12):
    part = slice(8 * number, 8 * number + 8)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.abs(height(areas[part], widths[part]) - areas[part]))
    gradients = tape.gradient(loss, [height.factor, height.offset])
    optimizer.apply_gradients(zip(gradients, [height.factor, height.offset]))
