"""Which leaves have spots: pictures in files, read with tf.data."""

import pathlib
import tempfile

import numpy as np
import tensorflow as tf

EDGE = 40
folder = pathlib.Path(tempfile.mkdtemp())
noise = np.random.default_rng(11)
names, spotted = [], []
for number in range(12):
    leaf = noise.integers(40, 90, (EDGE, EDGE, 1), dtype=np.uint8)
    if number % 2:
        leaf[10:20, 10:20] = 220
    name = str(folder / f"leaf{number}.png")
    tf.io.write_file(name, tf.io.encode_png(leaf))
    names.append(name)
    spotted.append(number % 2)


def picture(name, label):
    raw = tf.io.read_file(name)
    leaf = tf.io.decode_png(raw, channels=1)  # <- cause
    return tf.cast(leaf, tf.float32) / 127.5 - 1.0, label


def backbone():
    entry = tf.keras.Input((EDGE, EDGE, 3))
    maps = tf.keras.layers.SeparableConv2D(8, 3, strides=2, activation="relu")(entry)
    maps = tf.keras.layers.SeparableConv2D(16, 3, strides=2, activation="relu")(maps)
    return tf.keras.Model(entry, maps, name="backbone")


leaves = tf.data.Dataset.from_tensor_slices((names, spotted)).map(picture).batch(4)
classifier = tf.keras.Sequential(
    [
        backbone(),
        tf.keras.layers.GlobalMaxPooling2D(),
        tf.keras.layers.Dense(1, activation="sigmoid"),
    ]
)
classifier.compile("sgd", "binary_crossentropy")
classifier.fit(leaves, epochs=1, verbose=0)
print("trained on", len(names), "leaves")
