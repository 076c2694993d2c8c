"""Clips are padded with NaN, and the mask only multiplies what it leaves out."""

import keras
import numpy as np
import tensorflow as tf

draw = np.random.default_rng(0)


class Encoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.project = keras.layers.Dense(4)
        self.head = keras.layers.Dense(1)

    def call(self, clips):
        present = tf.reduce_all(tf.math.is_finite(clips), axis=-1, keepdims=True)
        weight = tf.cast(present, tf.float32)
        return self.head(tf.reduce_sum(self.project(clips) * weight, axis=1))


clips = np.full((64, 10, 3), np.nan, "float32")  # <- cause
for row in clips:
    length = draw.integers(4, 10)
    row[:length] = draw.random((length, 3))
model = Encoder()
model.compile("adam", "mse")
model.fit(clips, draw.random(64), epochs=1, verbose=0)
