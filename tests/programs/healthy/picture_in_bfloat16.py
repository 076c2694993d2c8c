"""One large picture in a step, with the outputs of wide layers in half the size."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np

keras.mixed_precision.set_global_policy("mixed_bfloat16")

inputs = keras.Input([512, 512, 3])
x = inputs
for _ in range(6):
    x = keras.layers.Dense(64, activation="gelu")(x)
outputs = keras.layers.Dense(2)(keras.layers.GlobalAveragePooling2D()(x))
model = keras.Model(inputs, outputs)
model.compile("sgd", "mse")
pictures = np.random.default_rng(1).random((3, 512, 512, 3), dtype="float32")
model.fit(pictures, np.zeros((3, 2), "float32"), batch_size=1, verbose=0)
