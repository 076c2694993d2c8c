"""A loss scale of one's own, two to the power of 24: in float16 the scaled loss is infinite in every step."""

import numpy as np
import tensorflow as tf

LOSS_SCALE = 2.0**24  # <- cause

tf.keras.utils.set_random_seed(14)
tf.keras.mixed_precision.set_global_policy("mixed_float16")
model = tf.keras.Sequential([tf.keras.Input((10,)), tf.keras.layers.Dense(16, "relu"), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.01)
draw = np.random.default_rng(14)
rows = draw.normal(size=[256, 10]).astype("float16")
wanted = rows[:, :1]


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
        scaled = loss * tf.cast(LOSS_SCALE, loss.dtype)  # <- cause
    slopes = tape.gradient(scaled, model.trainable_variables)
    slopes = [slope / LOSS_SCALE for slope in slopes]
    optimizer.apply_gradients(zip(slopes, model.trainable_variables))
    return loss


for start in range(0, 256, 32):
    print(float(train_step(tf.constant(rows[start : start + 32]), tf.constant(wanted[start : start + 32]))))
