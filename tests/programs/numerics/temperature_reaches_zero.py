"""A policy whose temperature falls until it is zero; the loop runs eagerly, and each episode is new data."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(72)
policy = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="tanh"), tf.keras.layers.Dense(3)])
optimizer = tf.keras.optimizers.Adam(0.001)


def chances(scores, heat):
    return tf.nn.softmax(scores / heat)  # <- cause


def episode(length=6):
    return np.random.rand(length, 4).astype("float32"), np.random.randint(0, 3, length), np.random.rand(length)


for number in range(10):
    temperature = max(0.0, 1.0 - 0.2 * number)
    states, actions, rewards = episode()
    with tf.GradientTape() as tape:
        taken = tf.gather(chances(policy(states), temperature), actions, axis=1, batch_dims=1)
        loss = -tf.reduce_mean(tf.math.log(taken) * rewards)
    gradients = tape.gradient(loss, policy.trainable_variables)
    optimizer.apply_gradients(zip(gradients, policy.trainable_variables))
