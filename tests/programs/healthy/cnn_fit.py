"""A small convolutional network learns, validates and predicts."""

import keras
import numpy as np

rng = np.random.default_rng(1)
images = rng.random([256, 16, 16, 1], "float32")
labels = (images.mean(axis=(1, 2, 3)) > 0.5).astype("int32")
model = keras.Sequential(
    [
        keras.layers.Input([16, 16, 1]),
        keras.layers.Conv2D(8, 3, activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(2, activation="softmax"),
    ]
)
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(images, labels, batch_size=32, epochs=2, validation_split=0.25, verbose=2)
print(model.predict(images[:3], verbose=0).shape, len(model.evaluate(images, labels, verbose=0)))
