"""A loop by hand whose step is far too large."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(19)
RATE = 20.0
features = tf.constant(np.random.default_rng(19).normal(size=[64, 4]).astype("float32"))
wanted = features @ tf.ones([4, 1])
model = tf.keras.Sequential(
    [tf.keras.layers.Input([4]), tf.keras.layers.Dense(4, name="first"), tf.keras.layers.Dense(1, name="last")]
)
optimizer = tf.keras.optimizers.SGD(RATE)  # <- cause


@tf.function
def train_step():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(features) - wanted) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


for _ in range(60):
    loss = train_step()
if not np.isfinite(loss):
    raise RuntimeError("the training failed")
