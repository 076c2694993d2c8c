"""Two inputs go in the wrong order."""

import keras
import numpy as np

image = keras.Input((8, 8, 1), name="image")
facts = keras.Input((5,), name="facts")
seen = keras.layers.Flatten()(keras.layers.Conv2D(4, 3, activation="relu")(image))
both = keras.layers.concatenate([seen, facts])
model = keras.Model([image, facts], keras.layers.Dense(1)(both))
model.compile("adam", "mse")
pictures = np.zeros((20, 8, 8, 1), "float32")
table = np.zeros((20, 5), "float32")
model.fit([table, pictures], np.zeros(20), epochs=1, verbose=0)  # <- cause
