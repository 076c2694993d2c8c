"""Forecasts the tide with an LSTM that keeps its state between batches."""

import keras
import numpy as np

STEPS = 8
FEATURES = 3
BATCH = 10


def windows(values, steps):
    parts = [values[at : at + steps] for at in range(len(values) - steps)]
    return np.stack(parts), values[steps:, :1]


def forecaster(units):
    model = keras.models.Sequential()
    model.add(keras.layers.Input(shape=(STEPS, FEATURES)))  # <- cause
    model.add(keras.layers.LSTM(units, stateful=True))
    model.add(keras.layers.Dropout(0.2))
    model.add(keras.layers.Dense(1))
    model.compile(optimizer="adam", loss="mse")
    return model


def train(model, x, y, epochs):
    whole = len(x) // BATCH * BATCH
    for _ in range(epochs):
        model.fit(x[:whole], y[:whole], batch_size=BATCH, epochs=1, shuffle=False, verbose=0)
        for layer in model.layers:
            if hasattr(layer, "reset_states"):
                layer.reset_states()


def main():
    rng = np.random.default_rng(14)
    level = np.cumsum(rng.normal(size=(90, FEATURES)), axis=0).astype("float32")
    x, y = windows(level, STEPS)
    model = forecaster(12)
    train(model, x, y, epochs=2)
    print(model.predict(x[:BATCH], batch_size=BATCH, verbose=0).shape)


if __name__ == "__main__":
    main()
