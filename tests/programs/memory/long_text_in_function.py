"""Texts of different lengths through a traced step; one is far longer than all others."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np
import tensorflow as tf

embedding = keras.layers.Embedding(1000, 64)
hidden = keras.layers.Dense(256, activation="relu")
head = keras.layers.Dense(1)
optimizer = keras.optimizers.SGD(0.01)


@tf.function(reduce_retracing=True)
def step(tokens):
    with tf.GradientTape() as tape:
        score = head(tf.reduce_mean(hidden(embedding(tokens)), 1))
        loss = tf.reduce_mean(score**2)
    weights = embedding.trainable_weights + hidden.trainable_weights + head.trainable_weights
    optimizer.apply(tape.gradient(loss, weights), weights)
    return loss


generator = np.random.default_rng(0)
lengths = [*generator.integers(20, 60, 60), 30_000, *generator.integers(20, 60, 60)]
for number, length in enumerate(lengths):
    batch = tf.constant(generator.integers(0, 1000, (32, length)))
    loss = step(batch)  # <- cause
print("steps", number)
