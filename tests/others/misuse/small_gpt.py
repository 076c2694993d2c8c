"""A small language model with a block of its own is saved and cannot be loaded again."""

import os
import tempfile

import keras
import numpy as np
from keras import layers, ops

VOCABULARY = 60
MAXLEN = 16
EMBED = 16


@keras.saving.register_keras_serializable(package="small_gpt")
class TransformerBlock(layers.Layer):
    def __init__(self, embed_dim, num_heads, ff_dim, rate=0.1):  # <- cause
        super().__init__()  # <- cause
        self.att = layers.MultiHeadAttention(num_heads, embed_dim // num_heads)
        self.grow = layers.Dense(ff_dim, activation="relu")
        self.shrink = layers.Dense(embed_dim)
        self.norm = layers.LayerNormalization()
        self.drop = layers.Dropout(rate)

    def call(self, inputs):
        steps = ops.shape(inputs)[1]
        causal = ops.arange(steps)[:, None] >= ops.arange(steps)[None, :]
        attended = self.att(inputs, inputs, attention_mask=causal[None])
        out = self.norm(inputs + self.drop(attended))
        return out + self.shrink(self.grow(out))


def create_model():
    inputs = layers.Input(shape=(MAXLEN,), dtype="int32")
    x = layers.Embedding(VOCABULARY, EMBED)(inputs)
    x = TransformerBlock(EMBED, num_heads=2, ff_dim=32)(x)
    outputs = layers.Dense(VOCABULARY)(x)
    model = keras.Model(inputs, outputs)
    model.compile("adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


rng = np.random.default_rng(18)
text = rng.integers(0, VOCABULARY, size=(64, MAXLEN + 1))
model = create_model()
model.fit(text[:, :-1], text[:, 1:], epochs=1, batch_size=16, verbose=0)

path = os.path.join(tempfile.mkdtemp(), "small_gpt.keras")
model.save(path)
print("saved", os.path.getsize(path) > 0)
loaded = keras.models.load_model(path)
same = np.allclose(model.predict(text[:2, :-1], verbose=0), loaded.predict(text[:2, :-1], verbose=0), atol=1e-5)
print("same outputs after loading:", same)
