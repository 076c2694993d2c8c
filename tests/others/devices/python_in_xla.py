"""A point cloud network: neighbours are sampled by a Python function inside of a step that XLA is to compile."""

import numpy as np
import tensorflow as tf

POINTS, NEIGHBOURS = 64, 8


def sample_neighbours(points):
    rng = np.random.default_rng(0)
    chosen = rng.integers(0, points.shape[1], (points.shape[0], NEIGHBOURS))
    return np.take_along_axis(points.numpy(), chosen[:, :, None], axis=1)


class PointNet(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.encode = tf.keras.layers.Dense(16, activation="relu")
        self.score = tf.keras.layers.Dense(4)

    def call(self, points):
        near = tf.py_function(sample_neighbours, [points], tf.float32)
        near = tf.ensure_shape(near, (None, NEIGHBOURS, 3))
        return self.score(tf.reduce_max(self.encode(near), axis=1))


model = PointNet()
optimizer = tf.keras.optimizers.Adam(1e-3)


@tf.function(jit_compile=True)  # <- cause
def train_step(points, labels):
    with tf.GradientTape() as tape:
        scores = model(points)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, scores))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


clouds = tf.random.normal((16, POINTS, 3), seed=1)
print(float(train_step(clouds, tf.zeros(16, tf.int32))))
