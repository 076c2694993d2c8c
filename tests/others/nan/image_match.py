"""Tells by the cosine of two embeddings whether two scans show the same stamp."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(5)


class CosineLayer(layers.Layer):
    def call(self, inputs):
        left, right = inputs
        left = left / tf.norm(left, axis=-1, keepdims=True)  # <- cause
        right = right / tf.norm(right, axis=-1, keepdims=True)  # <- cause
        return tf.reduce_sum(left * right, axis=-1, keepdims=True)


def embedding_model(size):
    return keras.Sequential(
        [
            layers.Input((size, size, 1)),
            layers.Conv2D(8, 3, strides=2, activation="relu", use_bias=False),
            layers.Conv2D(16, 3, strides=2, activation="relu", use_bias=False),
            layers.Flatten(),
            layers.Dense(32, activation="relu", use_bias=False),
        ],
        name="embed",
    )


def make_pairs(count, size, rng):
    """Pairs of scanned stamps: 1 for the same motif, 0 for two different ones."""
    motifs = rng.random((12, size, size, 1)).astype("float32")
    motifs[motifs < 0.6] = 0.0
    motifs[7] = 0.0
    first = rng.integers(0, 12, count)
    same = rng.integers(0, 2, count)
    second = np.where(same == 1, first, rng.integers(0, 12, count))
    noise = 1.0 + 0.1 * rng.standard_normal((count, 1, 1, 1))
    left = motifs[first] * noise
    right = motifs[second] * noise
    return left.astype("float32"), right.astype("float32"), same.astype("float32")


def main():
    rng = np.random.default_rng(1)
    left, right, same = make_pairs(1200, 24, rng)
    embed = embedding_model(24)
    a = layers.Input((24, 24, 1))
    b = layers.Input((24, 24, 1))
    score = CosineLayer()([embed(a), embed(b)])
    model = keras.Model([a, b], score)
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss="mse")
    model.fit([left, right], same, batch_size=32, epochs=3, validation_split=0.1, verbose=2)
    print("score of the first pair:", float(model.predict([left[:1], right[:1]], verbose=0)[0, 0]))


main()
