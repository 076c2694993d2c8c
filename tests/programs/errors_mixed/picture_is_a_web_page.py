"""A folder of pictures, one of which is the page that a server sent in its place.

It stays, because the files are read after the program has ended.
"""

import pathlib
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp(dir=".")
for number in range(8):
    picture = np.full((6, 6, 3), 30 * number, "uint8")
    tf.io.write_file(f"{folder}/{number}.png", tf.io.encode_png(picture))
pathlib.Path(folder, "5.png").write_text("<!DOCTYPE html><title>Too many requests</title>")


def decoded(name):
    return tf.io.decode_png(tf.io.read_file(name), channels=3)  # <- cause


names = tf.data.Dataset.list_files(f"{folder}/*.png", shuffle=False)
for batch in names.map(decoded).batch(4):
    print(batch.shape)
