"""A target is infinite, in a loop by hand over a shuffled data set."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(3)
rng = np.random.default_rng(3)
prices = rng.normal(size=[160, 3]).astype("float32")
sold = prices.sum(axis=1, keepdims=True)
sold[99] = np.inf  # <- cause
data = tf.data.Dataset.from_tensor_slices((prices, sold)).shuffle(160, seed=3).batch(16)

model = tf.keras.Sequential([tf.keras.layers.Input([3]), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam(0.01)


@tf.function
def train_step(rows, wanted):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(rows, training=True) - wanted) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


for rows, wanted in data:
    train_step(rows, wanted)
print("trained")
