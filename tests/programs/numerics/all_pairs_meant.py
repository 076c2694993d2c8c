"""Compares all pairs of scores of a batch on purpose, and the distances of points to fixed centres."""

import numpy as np
import tensorflow as tf

random = np.random.default_rng(0)
inputs = random.normal(size=(16, 3)).astype("float32")
ranks = random.normal(size=16).astype("float32")
centres = tf.constant(np.linspace(-1, 1, 5).astype("float32"))
model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam(0.01)


@tf.function
def train(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    with tf.GradientTape() as tape:
        scores = model(x)
        differences = scores - scores[:, 0]
        wanted = tf.sign(y[:, None] - y[None, :])
        spread = tf.reduce_mean((scores - centres) ** 2)
        loss = tf.reduce_mean(tf.nn.relu(1.0 - wanted * differences)) + 0.01 * spread
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


for _ in range(20):
    value = train(tf.constant(inputs), tf.constant(ranks))
print(f"loss {value:.2f}")
