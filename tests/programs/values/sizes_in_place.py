"""Two sizes are passed in their places."""

import keras
import numpy as np


def blobs(samples, features):
    points = np.linspace(0, 1, samples * features, dtype="float32").reshape(samples, features)
    return points, (points[:, 0] > 0.5).astype("float32")


samples, features = 200, 30
x, y = blobs(samples, features)
model = keras.Sequential([keras.Input((features,)), keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(x, y, epochs=1, verbose=0)
