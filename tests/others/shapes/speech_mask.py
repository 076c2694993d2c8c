"""A transformer block over padded utterances gets the padding mask as it comes out of the batch: one flag per
step."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

MAX_STEPS = 24
FEATURES = 8
WIDTH = 16


class EncoderBlock(layers.Layer):
    def __init__(self, width, heads, **kwargs):
        super().__init__(**kwargs)
        self.attention = layers.MultiHeadAttention(num_heads=heads, key_dim=width // heads)
        self.feed = tf.keras.Sequential([layers.Dense(2 * width, activation="relu"), layers.Dense(width)])
        self.norm_first = layers.LayerNormalization()
        self.norm_second = layers.LayerNormalization()

    def call(self, frames, padding_mask):
        attended = self.attention(query=frames, value=frames, key=frames, attention_mask=padding_mask)  # <- cause
        frames = self.norm_first(frames + attended)
        return self.norm_second(frames + self.feed(frames))


class UtteranceModel(tf.keras.Model):
    def __init__(self, classes):
        super().__init__()
        self.project = layers.Dense(WIDTH)
        self.block = EncoderBlock(WIDTH, heads=2)
        self.pool = layers.GlobalAveragePooling1D()
        self.head = layers.Dense(classes, activation="softmax")

    def call(self, frames):
        padding_mask = tf.reduce_any(tf.not_equal(frames, 0.0), axis=-1)  # <- cause
        encoded = self.block(self.project(frames), padding_mask)
        return self.head(self.pool(encoded))


def padded_utterances(count, rng):
    batch = np.zeros((count, MAX_STEPS, FEATURES), dtype="float32")
    for row in range(count):
        length = rng.integers(8, MAX_STEPS + 1)
        batch[row, :length] = rng.normal(size=(length, FEATURES))
    return batch


rng = np.random.default_rng(13)
utterances = padded_utterances(60, rng)
speakers = rng.integers(0, 4, size=60)
model = UtteranceModel(classes=4)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(utterances, speakers, batch_size=20, epochs=1, verbose=0)
print(model.predict(utterances[:3], verbose=0).argmax(axis=1))
