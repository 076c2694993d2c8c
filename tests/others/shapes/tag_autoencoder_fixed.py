"""An LSTM autoencoder over rows of five tags in ten steps; the decoder refuses what the encoder gives it."""

import argparse

import numpy as np
from tensorflow.keras.layers import LSTM, Dense, RepeatVector, TimeDistributed
from tensorflow.keras.models import Sequential

TIMESTEPS = 10
TAGS = 5


class TagAutoencoder:
    def __init__(self, code_size=3, epochs=2):
        self.code_size = code_size
        self.epochs = epochs
        self.model = self._build()

    def _build(self):
        model = Sequential()
        model.add(LSTM(16, input_shape=(TIMESTEPS, TAGS), return_sequences=True))
        model.add(LSTM(self.code_size))
        model.add(RepeatVector(TIMESTEPS))
        model.add(LSTM(16, return_sequences=True))
        model.add(TimeDistributed(Dense(TAGS, activation="sigmoid")))
        model.compile(optimizer="adam", loss="binary_crossentropy")
        return model

    def train(self, sequences):
        return self.model.fit(sequences, sequences, epochs=self.epochs, batch_size=32, verbose=0)

    def errors(self, sequences):
        rebuilt = self.model.predict(sequences, verbose=0)
        return np.abs(rebuilt - sequences).mean(axis=(1, 2))


def tag_sequences(rows, rng):
    chosen = rng.integers(0, TAGS + 1, size=(rows, TIMESTEPS))
    table = np.vstack([np.eye(TAGS), np.zeros((1, TAGS))]).astype("float32")
    return table[chosen]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--code-size", type=int, default=3)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    data = tag_sequences(options.rows, rng)
    print("data", data.shape)
    autoencoder = TagAutoencoder(options.code_size)
    autoencoder.train(data)
    print("mean error", autoencoder.errors(data[:20]).mean().round(3))


if __name__ == "__main__":
    main()
