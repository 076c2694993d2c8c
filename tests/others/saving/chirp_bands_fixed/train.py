import numpy as np
from tensorflow import keras
from bands import BandEnergy


def chirps(n, length=64):
    rng = np.random.default_rng(8)
    t = np.linspace(0, 1, length)
    label = rng.integers(0, 2, n)
    freq = np.where(label == 1, 14.0, 5.0)[:, None]
    fade = np.where(label[:, None] == 1, t, 1 - t)
    wave = fade * np.sin(2 * np.pi * freq * t) + rng.normal(0, 0.1, (n, length))
    return wave.astype("float32"), label.astype("float32")


def train_and_save(path):
    x, y = chirps(96)
    model = keras.Sequential([
        keras.Input(shape=(64,)),
        BandEnergy(n_bands=8),
        keras.layers.Dense(8, activation="relu"),
        keras.layers.Dense(1, activation="sigmoid"),
    ])
    model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
    best = keras.callbacks.ModelCheckpoint(path, monitor="loss", save_best_only=True)
    model.fit(x, y, epochs=3, batch_size=16, verbose=0, callbacks=[best])
