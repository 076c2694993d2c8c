"""Trains a small leaf classifier and scores the pictures of a folder one by one."""

import numpy as np
import tensorflow as tf

NAMES = ["healthy", "rust", "mildew"]
SIZE = (48, 48)


class Folder:
    """Pictures that would be read from disk, made up here."""

    def __init__(self, count, seed):
        self.rng = np.random.default_rng(seed)
        self.count = count

    def __len__(self):
        return self.count

    def read(self, index):
        tint = np.zeros(3)
        tint[index % len(NAMES)] = 80.0
        return np.clip(self.rng.normal(120.0, 30.0, (*SIZE, 3)) + tint, 0, 255).astype("uint8")

    def label(self, index):
        return index % len(NAMES)


def preprocess(picture):
    return picture.astype("float32") / 127.5 - 1.0


def train(folder):
    x = np.stack([preprocess(folder.read(i)) for i in range(len(folder))])
    y = np.array([folder.label(i) for i in range(len(folder))])
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((*SIZE, 3)),
            tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
            tf.keras.layers.Conv2D(16, 3, strides=2, activation="relu"),
            tf.keras.layers.GlobalAveragePooling2D(),
            tf.keras.layers.Dense(len(NAMES), activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(x, y, epochs=1, batch_size=16, verbose=0)
    return model


def score(model, picture):
    sample = preprocess(picture)  # <- cause
    probabilities = model.predict(sample, verbose=0)[0]  # <- cause
    best = int(np.argmax(probabilities))
    return NAMES[best], float(probabilities[best])


def main():
    model = train(Folder(90, seed=0))
    unseen = Folder(5, seed=1)
    for i in range(len(unseen)):
        name, confidence = score(model, unseen.read(i))
        print(f"picture {i}: {name} ({confidence:.2f})")


if __name__ == "__main__":
    main()
