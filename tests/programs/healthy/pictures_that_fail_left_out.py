"""Pictures of which one is a web page; elements that cannot be made are left out."""

import pathlib
import tempfile

import numpy as np
import tensorflow as tf

with tempfile.TemporaryDirectory() as folder:
    for number in range(8):
        picture = np.full((6, 6, 3), 30 * number, "uint8")
        tf.io.write_file(f"{folder}/{number}.png", tf.io.encode_png(picture))
    pathlib.Path(folder, "5.png").write_text("<!DOCTYPE html><title>Too many requests</title>")

    names = tf.data.Dataset.list_files(f"{folder}/*.png", shuffle=False)
    pictures = names.map(lambda name: tf.io.decode_png(tf.io.read_file(name), channels=3)).ignore_errors()
    print(sum(1 for _ in pictures))
