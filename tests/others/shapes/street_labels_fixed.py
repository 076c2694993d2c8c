"""Classifies pictures of streets, which a Python function reads inside of a data set."""

import os
import tempfile

import numpy as np
import pandas as pd
import tensorflow as tf
from PIL import Image

tf.random.set_seed(0)
CLASSES = 9
SIDE = 64


def write_pictures(folder, count):
    rng = np.random.default_rng(3)
    rows = []
    for number in range(count):
        name = f"street_{number:03d}.png"
        kind = number % CLASSES
        pixels = rng.integers(0, 80, (90, 120, 3)).astype("uint8")
        pixels[10 * kind: 10 * kind + 10] += 120
        Image.fromarray(pixels).save(os.path.join(folder, name))
        rows.append({"file": name, **{f"class{i}": int(i == kind) for i in range(CLASSES)}})
    return pd.DataFrame(rows).set_index("file")


def loader(folder, annotation):
    def load_example(name):
        name = name.numpy().decode()
        pixels = tf.io.decode_image(tf.io.read_file(os.path.join(folder, name)), channels=3)
        pixels = tf.image.resize(pixels, (SIDE, SIDE)) / 255.0
        label = annotation.loc[name].to_numpy("float32")
        return pixels, label

    def mapped(name):
        image, label = tf.py_function(load_example, [name], [tf.float32, tf.float32])
        image.set_shape([SIDE, SIDE, 3])
        label.set_shape([CLASSES])
        return image, label

    return mapped


def network():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Conv2D(8, 5, strides=2, activation="relu"),
            tf.keras.layers.MaxPooling2D(),
            tf.keras.layers.Conv2D(16, 3, activation="relu"),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(CLASSES, activation="softmax"),
        ]
    )
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    return model


def main():
    with tempfile.TemporaryDirectory() as folder:
        annotation = write_pictures(folder, 90)
        names = annotation.index.values.astype(str)
        np.random.default_rng(0).shuffle(names)
        dataset = tf.data.Dataset.from_tensor_slices(names).map(loader(folder, annotation))
        train = dataset.take(72).batch(8)
        valid = dataset.skip(72).batch(8)
        model = network()
        model.fit(train, validation_data=valid, epochs=2, verbose=2)
        model.summary()


main()
