"""Is there a Santa in the picture? A trained network is asked about one photo."""

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

SIDE = 28


def trained():
    rng = np.random.default_rng(1)
    photos = rng.random((60, SIDE, SIDE, 3)).astype("float32")
    santa = rng.integers(0, 2, 60)
    photos[santa == 1, :, :, 0] += 0.5
    model = keras.Sequential(
        [
            layers.Input((SIDE, SIDE, 3)),
            layers.Conv2D(6, 5, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Flatten(),
            layers.Dense(2, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(photos, santa, epochs=1, verbose=0)
    return model


def load_photo():
    photo = np.random.default_rng(5).integers(0, 255, (SIDE, SIDE, 3)).astype("float32") / 255
    return np.expand_dims(photo, axis=0)


def main():
    model = trained()
    photo = load_photo()
    not_santa, santa = model.predict(photo, verbose=0)[0]
    print("santa" if santa > not_santa else "not santa", santa)


main()
