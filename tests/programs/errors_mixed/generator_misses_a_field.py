"""Rows come from a generator; one of them lacks a field."""

import keras
import numpy as np
import tensorflow as tf

records = [{"reading": np.ones(4, "float32") * n, "target": float(n)} for n in range(40)]
records[22] = {"reading": np.ones(4, "float32"), "traget": 1.0}


def rows():
    for record in records:
        yield record["reading"], record["target"]  # <- cause


data = tf.data.Dataset.from_generator(
    rows, output_signature=(tf.TensorSpec((4,), tf.float32), tf.TensorSpec((), tf.float32))
).batch(8)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(data, epochs=2, verbose=0)
