"""Photos of flats with several amenities each (a row of yes/no per photo); one-hot encoding them takes all memory."""

import numpy as np
from tensorflow import keras

PHOTOS = 60_000
AMENITIES = 1_500


def load_features(rng):
    return rng.normal(size=(PHOTOS, 64)).astype(np.float32)


def load_tags(rng):
    tags = np.zeros((PHOTOS, AMENITIES), np.int8)
    for number in range(PHOTOS):
        tags[number, rng.integers(0, AMENITIES, 6)] = 1
    return tags


def build(outputs):
    model = keras.Sequential(
        [
            keras.Input((64,)),
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dense(outputs, activation="sigmoid"),
        ]
    )
    model.compile(optimizer="adam", loss="binary_crossentropy")
    return model


def main():
    rng = np.random.default_rng(11)
    features = load_features(rng)
    tags = load_tags(rng)
    print("tags", tags.shape, tags.dtype, "mean per photo", tags.sum(1).mean())
    labels = keras.utils.to_categorical(tags)  # <- cause
    labels = labels.reshape(len(labels), -1)
    model = build(labels.shape[1])
    model.fit(features, labels, batch_size=256, epochs=1, verbose=2)


if __name__ == "__main__":
    main()
