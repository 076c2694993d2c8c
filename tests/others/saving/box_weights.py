"""Localises one object; the checkpoints have the loss in their names. Then the test loads one of them."""

import atexit
import glob
import os
import shutil
import tempfile

import keras
import numpy as np

WEIGHTS_FILE = "model-0.29.weights.h5"  # <- cause


def create_model():
    return keras.Sequential([keras.Input((10,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(4)])


def train(folder):
    rng = np.random.default_rng(1)
    x = rng.random((60, 10)).astype("float32")
    model = create_model()
    model.compile("adam", "mse")
    checkpoint = keras.callbacks.ModelCheckpoint(
        os.path.join(folder, "model-{loss:.2f}.weights.h5"), monitor="loss", save_weights_only=True
    )
    model.fit(x, x[:, :4], epochs=2, callbacks=[checkpoint], verbose=0)


def test(folder):
    model = create_model()
    model.load_weights(os.path.join(folder, WEIGHTS_FILE))  # <- cause
    print(model.predict(np.zeros((1, 10)), verbose=0))


if __name__ == "__main__":
    place = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, place)
    train(place)
    print(len(glob.glob(os.path.join(place, "*"))), "files")
    test(place)
