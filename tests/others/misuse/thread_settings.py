"""Classifies digits from files; the number of threads is an option."""

import argparse
import os
import tempfile

import numpy as np
import tensorflow as tf
from PIL import Image

SIDE = 40


def write_digits(folder):
    rng = np.random.default_rng(0)
    for number in range(120):
        pixels = rng.integers(0, 90, (28, 28)).astype("uint8")
        pixels[:, 2 * (number % 10):2 * (number % 10) + 4] += 120
        Image.fromarray(pixels).save(os.path.join(folder, f"{number % 10}_{number}.png"))


def create_datasets(folder, batch_size):
    names = sorted(os.listdir(folder))
    paths = [os.path.join(folder, name) for name in names]
    labels = [int(name[0]) for name in names]

    def preprocessing(path, label):
        image = tf.io.decode_png(tf.io.read_file(path), channels=1)
        return tf.image.resize(image, (SIDE, SIDE)) / 255.0, tf.one_hot(label, 10)

    dataset = tf.data.Dataset.from_tensor_slices((paths, labels)).shuffle(120, seed=0)
    dataset = dataset.map(preprocessing)
    return dataset.skip(20).batch(batch_size), dataset.take(20).batch(batch_size)


def limit_threads(count):
    tf.config.threading.set_inter_op_parallelism_threads(count)
    tf.config.threading.set_intra_op_parallelism_threads(count)


def build_model():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((SIDE, SIDE, 1)),
            tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_digits(folder)
        train, test = create_datasets(folder, options.batch_size)
        limit_threads(options.threads)  # <- cause
        tf.random.set_seed(0)
        model = build_model()
        model.fit(train, validation_data=test, epochs=2, verbose=2)
    print("threads:", tf.config.threading.get_inter_op_parallelism_threads())


main()
