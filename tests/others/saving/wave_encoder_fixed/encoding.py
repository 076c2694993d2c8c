import numpy as np
import tensorflow as tf


class SinePositions(tf.keras.layers.Layer):
    """Adds fixed sine/cosine position signals to a sequence."""

    def __init__(self, max_wavelength=1000.0, **kwargs):
        super().__init__(**kwargs)
        self.max_wavelength = max_wavelength

    def call(self, inputs):
        length, depth = inputs.shape[1], inputs.shape[2]
        rates = self.max_wavelength ** (-np.arange(0, depth, 2) / depth)
        angles = np.arange(length)[:, None] * rates[None, :]
        table = np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)
        return inputs + tf.constant(table[None, :, :depth], dtype=inputs.dtype)

    def get_config(self):
        config = super().get_config()
        config["max_wavelength"] = self.max_wavelength
        return config


def build_tagger(vocab, length, depth=16):
    tokens = tf.keras.layers.Input(shape=(length,), dtype="int32")
    x = tf.keras.layers.Embedding(vocab, depth)(tokens)
    x = SinePositions(name="positions")(x)
    x = tf.keras.layers.Dense(32, activation="relu")(x)
    tags = tf.keras.layers.Dense(2, activation="softmax")(x)
    return tf.keras.Model(tokens, tags)
