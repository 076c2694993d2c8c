import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
from keras import layers

VOCABULARY, TAGS, WIDTH, HEADS = 5000, 4, 64, 8
MAX_LENGTH = 300


class Positions(layers.Layer):
    """Adds sines and cosines of the position."""

    def call(self, x):
        length, width = keras.ops.shape(x)[1], x.shape[-1]
        place = keras.ops.cast(keras.ops.arange(length), "float32")[:, None]
        rate = keras.ops.exp(-9.2 * keras.ops.arange(0, width, 2, dtype="float32") / width)
        angle = place * rate[None]
        return x + keras.ops.concatenate([keras.ops.sin(angle), keras.ops.cos(angle)], -1)[None]


def documents(count, seed=9):
    draw = np.random.default_rng(seed)
    return [draw.integers(1, VOCABULARY, draw.integers(MAX_LENGTH // 2, MAX_LENGTH + 1)) for _ in range(count)]


def arrays(texts):
    tokens = keras.utils.pad_sequences(texts, maxlen=MAX_LENGTH, padding="post")
    return tokens, (tokens % TAGS).astype("int32")


def tagger():
    tokens = keras.Input((None,), dtype="int32")
    x = layers.Embedding(VOCABULARY, WIDTH)(tokens)
    x = Positions()(x)
    x = layers.MultiHeadAttention(HEADS, WIDTH // HEADS)(x, x)
    x = layers.Dense(64, activation="relu")(x)
    return keras.Model(tokens, layers.Dense(TAGS, activation="softmax")(x))


def main():
    tokens, tags = arrays(documents(8))
    network = tagger()
    network.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    network.fit(tokens, tags, batch_size=4, epochs=1, verbose=2)


main()
