import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
from keras import layers

LENGTH, CHARACTERS, UNITS = 3000, 40, 24


def posts(count, seed=5):
    """Texts as one-hot characters, short ones padded with spaces."""
    draw = np.random.default_rng(seed)
    codes = draw.integers(1, CHARACTERS, (count, LENGTH))
    for row, length in zip(codes, draw.integers(100, LENGTH, count), strict=True):
        row[length:] = 0
    return codes, draw.integers(0, 2, count)


def recurrent(units, last):
    return layers.LSTM(units, return_sequences=not last, unroll=True)  # <- cause


def classifier():
    network = keras.Sequential(
        [
            keras.Input((LENGTH,), dtype="int32"),
            layers.Embedding(CHARACTERS, 12),
            recurrent(UNITS, last=False),
            recurrent(UNITS, last=True),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    network.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return network


def main():
    codes, flags = posts(64)
    network = classifier()
    print("built", flush=True)
    network.fit(codes, flags, batch_size=8, epochs=1, verbose=2)


main()
