import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

NAMES = ["blocks", "calls", "jumps", "moves", "arithmetic", "strings", "registry", "sockets"]


def disassembled(count, seed=9):
    """Counts of what the functions of some binaries contain."""
    draw = np.random.default_rng(seed)
    rates = [12, 4, 9, 40, 15, 3, 0, 1]
    return draw.poisson(rates, (count, len(NAMES))).astype("float32")


class FeatureScaler:
    def fit(self, rows):
        self.highest = rows.max(axis=0)
        return self

    def transform(self, rows):
        return rows / self.highest  # <- cause


def autoencoder(width):
    rows = keras.Input((width,))
    hidden = keras.layers.Dense(16, activation="relu")(rows)
    code = keras.layers.Dense(3, activation="relu")(hidden)
    back = keras.layers.Dense(16, activation="relu")(code)
    return keras.Model(rows, keras.layers.Dense(width, activation="sigmoid")(back))


def train(rows, epochs=3):
    model = autoencoder(rows.shape[1])
    model.compile("adam", "mse", metrics=["mse"])
    model.fit(rows, rows, epochs=epochs, batch_size=64, verbose=2)
    return model


def main():
    keras.utils.set_random_seed(0)
    raw = disassembled(1200)
    scaled = FeatureScaler().fit(raw).transform(raw)
    model = train(scaled)
    errors = np.mean((model.predict(scaled, verbose=0) - scaled) ** 2, axis=1)
    print("most unusual functions:", np.argsort(errors)[-5:])


main()
