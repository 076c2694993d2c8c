"""An eager training loop whose one step keeps more activations for the gradient than there is memory."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np
import tensorflow as tf


def network():
    inputs = keras.Input([96, 96, 1])
    x = inputs
    for filters in (16, 24, 32):
        x = keras.layers.Conv2D(filters, 3, padding="same")(x)
        x = keras.layers.ReLU()(x)
    x = keras.layers.GlobalMaxPooling2D()(x)
    return keras.Model(inputs, keras.layers.Dense(1)(x))


def train(model, optimizer, pictures, scores, batch_size):
    for start in range(0, len(pictures), batch_size):
        x, y = pictures[start : start + batch_size], scores[start : start + batch_size]
        with tf.GradientTape() as tape:
            error = model(x, training=True) - y  # <- cause
            loss = tf.reduce_mean(error**2)
        slopes = tape.gradient(loss, model.trainable_weights)
        optimizer.apply(slopes, model.trainable_weights)


pictures = np.random.default_rng(2).random((512, 96, 96, 1), dtype="float32")
train(network(), keras.optimizers.Adam(), pictures, np.ones((512, 1), "float32"), batch_size=512)  # <- cause
