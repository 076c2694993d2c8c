"""Compiles a model of Keras 2 with an optimizer of Keras 3."""

import tf_keras
from keras.optimizers import Adam  # <- cause

model = tf_keras.Sequential([tf_keras.Input((3,)), tf_keras.layers.Dense(1)])
model.compile(optimizer=Adam(1e-3), loss="mse")
