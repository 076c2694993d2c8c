"""Pictures of seeds, read and scaled in a data set."""

import pathlib
import tempfile

import numpy as np
import tensorflow as tf


def write(folder, count):
    rng = np.random.default_rng(3)
    for number in range(count):
        picture = rng.integers(0, 255, (18 + number, 20, 3)).astype("uint8")
        tf.io.write_file(str(pathlib.Path(folder) / f"{number}.png"), tf.io.encode_png(picture))


def load_image(path):
    image = tf.io.read_file(path)
    image = tf.io.decode_image(image, channels=3)  # <- cause
    image = tf.image.convert_image_dtype(image, tf.float32)
    return tf.image.resize(image, (16, 16))


def main():
    with tempfile.TemporaryDirectory() as folder:
        write(folder, 6)
        files = tf.data.Dataset.list_files(f"{folder}/*.png", shuffle=False)
        pictures = files.map(load_image).batch(3)
        print("read", [batch.shape.as_list() for batch in pictures])


main()
