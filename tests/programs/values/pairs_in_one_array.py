"""A generator that stacks the two inputs of a model into one array."""

from collections.abc import Iterator

import numpy as np
import tensorflow as tf


def pairs() -> Iterator[tuple[np.ndarray, np.ndarray]]:
    random = np.random.default_rng(0)
    while True:
        left, right = random.normal(size=(8, 5)), random.normal(size=(8, 5))
        both = np.array([left, right])  # <- cause
        yield both, (left.sum(axis=1) > right.sum(axis=1)).astype("float32")


first, second = tf.keras.Input((5,)), tf.keras.Input((5,))
distance = tf.keras.layers.Subtract()([first, second])
model = tf.keras.Model([first, second], tf.keras.layers.Dense(1, "sigmoid")(distance))
model.compile("adam", "binary_crossentropy")
model.fit(pairs(), steps_per_epoch=3, verbose=0)
