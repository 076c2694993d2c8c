"""Keras on jax: predictions and the model's own tensors of every request are kept."""

import os

os.environ["KERAS_BACKEND"] = "jax"
import keras
import numpy as np

seen = []


def serve(model, count):
    for number in range(count):
        batch = keras.ops.convert_to_tensor(np.full((1000, 500), number, "float32"))
        seen.append(model(batch))  # <- cause


model = keras.Sequential([keras.Input((500,)), keras.layers.Dense(2000, activation="tanh")])
serve(model, 5000)
print(len(seen))
