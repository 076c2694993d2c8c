"""Subtracts a vector of predictions from a vector of targets."""

import numpy as np
import tensorflow as tf

random = np.random.default_rng(0)
inputs = random.normal(size=(128, 3)).astype("float32")
targets = (inputs @ [2.0, -1.0, 0.5] + 4.0).astype("float32")
model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam(0.01)


@tf.function
def train(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    with tf.GradientTape() as tape:
        error = y - model(x)[:, 0]
        loss = tf.reduce_mean(error**2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


for _ in range(20):
    value = train(tf.constant(inputs), tf.constant(targets))
print(f"loss {value:.2f}")
