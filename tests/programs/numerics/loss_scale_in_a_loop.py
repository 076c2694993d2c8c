"""A loop of one's own with a loss scale: the loss is taken in float16 and overflows, so that each step is left out."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(76)
keras.mixed_precision.set_global_policy("mixed_float16")
rows = (300 * np.random.default_rng(76).random([64, 6])).astype("float32")
model = keras.Sequential([keras.Input([6]), keras.layers.Dense(4), keras.layers.Dense(1)])
optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD(0.001))
optimizer.build(model.trainable_variables)


@tf.function
def step(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(model(batch) + 900.0))
        scaled = optimizer.scale_loss(loss)
    optimizer.apply(tape.gradient(scaled, model.trainable_variables))
    return loss


for number in range(40):
    step(tf.constant(rows[8 * (number % 8) : 8 * (number % 8) + 8]))
