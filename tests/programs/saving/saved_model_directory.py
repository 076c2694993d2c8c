"""Gives Keras 3 a SavedModel."""

import os
import tempfile

import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Input((3,)), tf.keras.layers.Dense(1)])
with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "exported")
    tf.saved_model.save(model, path)
    tf.keras.models.load_model(path)  # <- cause
