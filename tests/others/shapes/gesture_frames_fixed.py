"""Recognises hand gestures in grey frames of a camera."""

import numpy as np
from tensorflow import keras
from tensorflow.keras.layers import Conv2D, Dense, Dropout, Flatten, MaxPooling2D

img_rows, img_cols, img_channels = 32, 32, 1
gestures = 5
batch_size = 16


def frames(count, seed=2):
    rng = np.random.default_rng(seed)
    kinds = rng.integers(0, gestures, count)
    pictures = rng.random((count, img_channels, img_rows, img_cols)).astype("float32") * 0.2
    for picture, kind in zip(pictures, kinds):
        picture[0, kind * 6 : kind * 6 + 6] += 0.7
    return np.transpose(pictures, (0, 2, 3, 1)), kinds


def load_cnn():
    model = keras.Sequential()
    model.add(Conv2D(8, (3, 3), activation="relu", input_shape=(img_rows, img_cols, img_channels)))
    model.add(Conv2D(8, (3, 3), activation="relu"))
    model.add(MaxPooling2D(2))
    model.add(Dropout(0.3))
    model.add(Flatten())
    model.add(Dense(gestures, activation="softmax"))
    model.compile("adam", "sparse_categorical_crossentropy")
    return model


if __name__ == "__main__":
    x, y = frames(80)
    model = load_cnn()
    model.fit(x, y, batch_size=batch_size, epochs=1, verbose=0)
    print("loss", model.evaluate(x, y, verbose=0))
