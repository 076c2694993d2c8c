"""Trains in batches of its own and tests the whole set in slices: nothing is wrong."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np
import tensorflow as tf

net = keras.Sequential(
    [
        keras.layers.Conv2D(16, 3, activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(4),
    ]
)
images = np.random.default_rng(0).random((4000, 28, 28, 1), dtype="float32")
adam = keras.optimizers.Adam()
for start in range(0, 320, 32):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(net(images[start : start + 32], training=True) ** 2)
    adam.apply(tape.gradient(loss, net.trainable_variables), net.trainable_variables)
scores = np.concatenate([net(images[start : start + 100]) for start in range(0, 4000, 100)])
print(scores.shape)
