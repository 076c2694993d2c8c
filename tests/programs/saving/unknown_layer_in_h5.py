"""The same with an HDF5 file, and the class only inside a function."""

import os
import tempfile

import tensorflow as tf


def network():
    class Twice(tf.keras.layers.Layer):
        def call(self, x):
            return 2 * x

    return tf.keras.Sequential([tf.keras.layers.Input((3,)), Twice()])


with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "net.h5")
    network().save(path)
    tf.keras.models.load_model(path)  # <- cause
