"""Labels count from one to ten; the model has ten classes, counted from zero."""

import keras
import numpy as np

rng = np.random.default_rng(3)
images = rng.random([600, 8, 8, 1], "float32")
labels = rng.integers(1, 11, 600)
model = keras.Sequential([keras.layers.Input([8, 8, 1]), keras.layers.Flatten(), keras.layers.Dense(10, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(images, labels, batch_size=32, verbose=0)  # <- cause
