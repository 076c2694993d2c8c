"""Sort sea shells (left- or right-handed) on top of a frozen feature extractor."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

from backbone import tiny_resnet

PICTURE = (32, 32, 3)


def make_shells(count, seed):
    rng = np.random.default_rng(seed)
    right = rng.integers(0, 2, count)
    grid = np.linspace(-1, 1, PICTURE[0])
    xx, yy = np.meshgrid(grid, grid)
    angle, radius = np.arctan2(yy, xx), np.hypot(xx, yy)
    sign = np.where(right == 1, 1.0, -1.0)[:, None, None]
    spiral = np.sin(6 * radius[None] + sign * angle[None])
    pictures = np.repeat(spiral[..., None], 3, axis=-1)
    pictures = pictures + 0.1 * rng.standard_normal(pictures.shape)
    return pictures.astype("float32"), right.astype("float32")


def build_sorter():
    base = tiny_resnet(include_top=False)  # <- cause
    base.trainable = False

    head = keras.Sequential(name="head")
    head.add(keras.Input(shape=base.output_shape[1:]))  # <- cause
    head.add(layers.Flatten())  # <- cause
    head.add(layers.Dense(16, activation="relu"))
    head.add(layers.Dropout(0.5))
    head.add(layers.Dense(1, activation="sigmoid"))

    return keras.Model(base.input, head(base.output), name="shell_sorter")


def main():
    keras.utils.set_random_seed(29)
    pictures, labels = make_shells(60, seed=29)
    sorter = build_sorter()
    sorter.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    history = sorter.fit(pictures, labels, epochs=2, batch_size=12, verbose=0)
    print("loss:", [round(v, 3) for v in history.history["loss"]])
    print("trainable arrays:", len(sorter.trainable_weights))


if __name__ == "__main__":
    main()
