import os
import tempfile
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
from PIL import Image

SIDE = 28


def write_tiles(folder, seed=4):
    draw = np.random.default_rng(seed)
    for kind in ("cracked", "whole"):
        (folder / kind).mkdir()
        for number in range(30):
            side = SIDE if number % 10 else SIDE + 4
            tile = draw.integers(90, 160, (side, side)).astype("uint8")
            if kind == "cracked":
                tile[:, side // 2] = 10
            Image.fromarray(tile).save(folder / kind / f"{number:02}.png")


def read_tiles(folder):
    pictures, labels = [], []
    for label, kind in enumerate(("whole", "cracked")):
        for path in sorted((folder / kind).glob("*.png")):
            picture = np.asarray(Image.open(path).convert("L").resize((SIDE, SIDE)))
            pictures.append(picture)
            labels.append(label)
    return pictures, labels


def as_arrays(pictures, labels):
    x = np.array(pictures).reshape(len(pictures), SIDE, SIDE, 1)
    return x.astype("float32") / 255.0, np.array(labels)


def network():
    model = keras.Sequential([keras.Input((SIDE, SIDE, 1)), keras.layers.Conv2D(4, 3, activation="relu")])
    model.add(keras.layers.Flatten())
    model.add(keras.layers.Dense(1, activation="sigmoid"))
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return model


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        write_tiles(folder)
        pictures, labels = read_tiles(folder)
        x, y = as_arrays(pictures, labels)
        network().fit(x, y, epochs=1, batch_size=16, verbose=2)


main()
