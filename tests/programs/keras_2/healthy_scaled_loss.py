"""Keras 2 in half precision, with its own scale of the loss in a traced step and then in fit: all is well."""

import numpy as np
import tensorflow as tf
import tf_keras

tf_keras.mixed_precision.set_global_policy("mixed_float16")
rows = np.random.default_rng(3).random([64, 4]).astype("float32")
wanted = rows.sum(axis=1, keepdims=True)
model = tf_keras.Sequential(
    [tf_keras.layers.Dense(8, activation="relu"), tf_keras.layers.Dense(1, dtype="float32")]
)
optimizer = tf_keras.mixed_precision.LossScaleOptimizer(tf_keras.optimizers.SGD(0.01))


@tf.function
def step(batch, target):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(batch) - target))
        scaled = optimizer.get_scaled_loss(loss)
    slopes = optimizer.get_unscaled_gradients(tape.gradient(scaled, model.trainable_variables))
    optimizer.apply_gradients(zip(slopes, model.trainable_variables))
    return loss


for _ in range(20):
    step(rows, wanted)
model.compile("adam", "mse")
model.fit(rows, wanted, epochs=2, verbose=0)
model.evaluate(rows, wanted, verbose=0)
