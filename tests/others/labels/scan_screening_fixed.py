"""Screens scans: is there a finding (1) or none (0)?"""

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Conv2D, Dense, Dropout, Flatten, Input, MaxPooling2D
from tensorflow.keras.models import Sequential


class ScanSource(tf.keras.utils.Sequence):
    """Batches of scans with a bright spot (positive) or without."""

    def __init__(self, scans, batch_size, seed, **kwargs):
        super().__init__(**kwargs)
        rng = np.random.default_rng(seed)
        self.labels = rng.integers(0, 2, scans)
        self.images = rng.normal(0.3, 0.1, (scans, 32, 32, 1)).astype("float32")
        for image, label in zip(self.images, self.labels):
            if label:
                row, column = rng.integers(4, 26, 2)
                image[row : row + 4, column : column + 4] += 0.6
        self.batch_size = batch_size

    def __len__(self):
        return len(self.images) // self.batch_size

    def __getitem__(self, index):
        part = slice(index * self.batch_size, (index + 1) * self.batch_size)
        return self.images[part], self.labels[part]


def build_model():
    model = Sequential()
    model.add(Input(shape=(32, 32, 1)))
    model.add(Conv2D(8, (3, 3), activation="relu"))
    model.add(MaxPooling2D((2, 2)))
    model.add(Conv2D(16, (3, 3), activation="relu"))
    model.add(MaxPooling2D((2, 2)))
    model.add(Flatten())
    model.add(Dense(32, activation="relu"))
    model.add(Dropout(0.5))
    model.add(Dense(1, activation="sigmoid"))
    return model


def main():
    train, valid = ScanSource(160, 16, seed=0), ScanSource(64, 16, seed=1)
    model = build_model()
    model.compile(optimizer="rmsprop", loss="binary_crossentropy", metrics=["accuracy"])
    model.fit(train, epochs=1, validation_data=valid, verbose=0)
    print("validation", model.evaluate(valid, verbose=0))


if __name__ == "__main__":
    main()
