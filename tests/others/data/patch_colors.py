"""Predict colour bins for grey patches, streamed through tf.data."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

PATCH = 8
BINS = 4
BATCH = 10


class PatchSource:
    """Yields grey patches together with their colour bins and the raw colours."""

    def __init__(self, count, seed):
        self.count = count
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return self.count

    def __iter__(self):
        for _ in range(self.count):
            color_bin = self.rng.integers(0, BINS)
            shade = (color_bin + self.rng.random((PATCH, PATCH))) / BINS
            raw = (255 * np.stack([shade, 1 - shade, shade**2], axis=-1)).astype("uint8")
            grey = raw.mean(axis=-1, keepdims=True).astype("float32") / 255.0
            yield grey, np.int64(color_bin), raw  # <- cause


def make_dataset(source, training):
    dataset = tf.data.Dataset.from_generator(
        lambda: iter(source),
        output_types=(tf.float32, tf.int64),  # <- cause
    )
    dataset = dataset.map(keep_training_parts)
    if training:
        dataset = dataset.shuffle(50, seed=3)
    return dataset.batch(BATCH)


def keep_training_parts(grey, color_bin, *rest):
    grey = tf.ensure_shape(grey, (PATCH, PATCH, 1))
    color_bin = tf.ensure_shape(color_bin, ())
    return grey, color_bin


def build_model():
    model = keras.Sequential(
        [
            keras.Input((PATCH, PATCH, 1)),
            layers.Conv2D(8, 3, activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(BINS, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def main():
    keras.utils.set_random_seed(3)
    train = make_dataset(PatchSource(80, seed=3), training=True)
    check = make_dataset(PatchSource(20, seed=4), training=False)
    model = build_model()
    history = model.fit(train, validation_data=check, epochs=2, verbose=0)
    print("loss", [round(v, 3) for v in history.history["loss"]])
    print("validation", [round(v, 3) for v in history.history["val_loss"]])


if __name__ == "__main__":
    main()
