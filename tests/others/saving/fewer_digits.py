"""Digits with five classes, begun with the weights of a model for ten. Keras 2."""

import os
import tempfile

import numpy as np
import tf_keras as keras


def make_model(classes):
    return keras.Sequential(  # <- cause
        [
            keras.layers.Flatten(input_shape=(10, 10), name="flat"),
            keras.layers.Dense(16, activation="relu", name="hidden"),
            keras.layers.Dense(classes, name="scores"),  # <- cause
        ]
    )


def digits(classes, seed):
    rng = np.random.default_rng(seed)
    return rng.random((80, 10, 10)).astype("float32"), rng.integers(0, classes, 80)


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "ten.h5")
    first = make_model(10)
    first.compile("adam", loss)
    first.fit(*digits(10, 0), verbose=0)
    first.save_weights(path)
    second = make_model(5)  # <- cause
    second.load_weights(path, by_name=True)  # <- cause
    second.compile("adam", loss)
    second.fit(*digits(5, 1), verbose=0)
print("trained with", second.output_shape[-1], "classes")
