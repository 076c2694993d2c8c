"""A service that only predicts, with weights that do not fit as float32."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np

model = keras.Sequential([keras.Input([5000])])
for _ in range(10):
    model.add(keras.layers.Dense(5000))  # <- cause
model.add(keras.layers.Dense(4))
print(model.predict(np.zeros((2, 5000), "float32"), verbose=0).shape)
