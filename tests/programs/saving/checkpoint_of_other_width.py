"""Restores a checkpoint of TensorFlow into a model with another number of classes."""

import os
import tempfile

import numpy as np
import tensorflow as tf


class Classifier(tf.keras.Model):
    def __init__(self, count):
        super().__init__()
        self.classes = tf.keras.layers.Dense(count, name="classes")  # <- cause

    def call(self, x):
        return self.classes(x)


with tempfile.TemporaryDirectory() as directory:
    old, new = Classifier(10), Classifier(12)
    for model in (old, new):
        model(np.ones((1, 5), "float32"))
    path = tf.train.Checkpoint(model=old).save(os.path.join(directory, "step"))
    tf.train.Checkpoint(model=new).restore(path)
