"""Trains in small batches, then predicts the whole test set as one batch."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import numpy as np

generator = np.random.default_rng(3)
x_train = generator.random((256, 64, 64, 3), dtype="float32")
y_train = generator.integers(0, 4, 256)
x_test = generator.random((3000, 64, 64, 3), dtype="float32")
model = keras.Sequential(
    [
        keras.layers.Input([64, 64, 3]),
        keras.layers.Conv2D(32, 5, padding="same", activation="relu"),
        keras.layers.Conv2D(32, 5, padding="same", activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(4, activation="softmax"),
    ]
)
model.compile("sgd", "sparse_categorical_crossentropy")
model.fit(x_train, y_train, batch_size=32, verbose=0)
answers = model.predict(x_test, batch_size=len(x_test), verbose=0)  # <- cause
print(answers.shape)
