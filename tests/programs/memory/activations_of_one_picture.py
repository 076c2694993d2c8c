"""One large picture in a step: the outputs of a few wide layers are too much."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np

inputs = keras.Input([512, 512, 3])
x = inputs
for _ in range(6):
    x = keras.layers.Dense(64, activation="gelu")(x)
outputs = keras.layers.Dense(2)(keras.layers.GlobalAveragePooling2D()(x))
model = keras.Model(inputs, outputs)
model.compile("sgd", "mse")
pictures = np.random.default_rng(1).random((3, 512, 512, 3), dtype="float32")
model.fit(pictures, np.zeros((3, 2), "float32"), batch_size=1, verbose=0)  # <- cause
