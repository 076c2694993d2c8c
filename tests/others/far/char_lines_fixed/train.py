import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
from encoding import Encoder

MOST, LENGTH = 30, 40


def lines(count, seed=17):
    draw = np.random.default_rng(seed)
    letters = list("etaoinshrdlucmfwygpbvkxqjz .,;:!?-()ETAOINSHRDLU0123456789")
    chances = 1.0 / np.arange(1, len(letters) + 1)
    return ["".join(draw.choice(letters, LENGTH, p=chances / chances.sum())) for _ in range(count)]


def network(numbers):
    return keras.Sequential(
        [
            keras.Input((LENGTH,), dtype="int32"),
            keras.layers.Embedding(numbers, 16),
            keras.layers.GRU(16),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )


def main():
    texts = lines(200)
    encoder = Encoder(MOST).fit(texts)
    model = network(MOST)
    model.compile("adam", "binary_crossentropy")
    model.fit(encoder.encode(texts, LENGTH), np.arange(200) % 2.0, epochs=1, verbose=2)


main()
