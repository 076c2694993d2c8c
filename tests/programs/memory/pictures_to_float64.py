"""Pictures are read into a list, joined and divided: NumPy makes float64 of the bytes, eight times what was read."""

import numpy as np
import tensorflow as tf


def picture(number):
    return np.full((128, 128, 3), number % 255, dtype=np.uint8)


images, labels = [], []
for number in range(4000):
    images.append(picture(number))
    labels.append(number % 10)
X = np.array(images) / 255.0  # <- cause
model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(10, "softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(X, np.array(labels))
