"""Stacks the two inputs of a model into one array."""

import numpy as np
import tensorflow as tf

wind, sun = tf.keras.Input((4,)), tf.keras.Input((4,))
both = tf.keras.layers.concatenate([tf.keras.layers.Dense(6)(wind), tf.keras.layers.Dense(6)(sun)])
model = tf.keras.Model([wind, sun], tf.keras.layers.Dense(1)(both))
model.compile("adam", "mse")
random = np.random.default_rng(0)
winds, suns = random.normal(size=(48, 4)), random.normal(size=(48, 4))
inputs = np.array([winds, suns])
model.fit(inputs, winds.sum(axis=1), verbose=0)  # <- cause
