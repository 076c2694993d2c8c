"""Scores one case of claims, six reports with thirty codes each."""

import numpy as np
from keras.layers import LSTM, Dense
from keras.models import Sequential

REPORTS, CODES = 6, 30


def reports(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(900, 12700, (REPORTS, CODES)).astype("float32")
    codes[rng.random(codes.shape) < 0.3] = 0
    return codes / 12700


def network():
    model = Sequential()
    model.add(LSTM(20, input_shape=(REPORTS, CODES), return_sequences=True))
    model.add(LSTM(8))
    model.add(Dense(1, activation="sigmoid"))
    model.compile(loss="mean_absolute_error", optimizer="adam")
    return model


def main():
    batch = np.stack([reports(seed) for seed in range(12)])
    labels = np.arange(12) % 2
    model = network()
    model.fit(batch, labels, batch_size=6, epochs=1, verbose=0)
    print("scores", model.predict(batch, verbose=0).ravel())


main()
