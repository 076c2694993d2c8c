import math
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

TRAIN, VALIDATION = 640, 320


class Augmenter:
    """Flips and shifts pictures, and hands them out in batches."""

    def __init__(self, flip=True, shift=2, seed=1):
        self.flip, self.shift = flip, shift
        self.draw = np.random.default_rng(seed)

    def changed(self, picture):
        if self.flip and self.draw.random() < 0.5:
            picture = picture[:, ::-1]
        return np.roll(picture, self.draw.integers(-self.shift, self.shift + 1), axis=1)

    def flow(self, pictures, labels, batch_size):
        order = self.draw.permutation(len(pictures))
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            yield np.stack([self.changed(pictures[row]) for row in rows]), labels[rows]


def pets(count, seed):
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, 2, count)
    pictures = draw.random((count, 24, 24, 3)) * 0.5 + labels[:, None, None, None] * 0.3
    return pictures.astype("float32"), labels.astype("float32")[:, None]


def convnet():
    model = keras.Sequential([keras.Input((24, 24, 3))])
    model.add(keras.layers.Conv2D(8, 3, activation="relu"))
    model.add(keras.layers.MaxPooling2D(4))
    model.add(keras.layers.Flatten())
    model.add(keras.layers.Dropout(0.5))
    model.add(keras.layers.Dense(1, activation="sigmoid"))
    model.compile(keras.optimizers.RMSprop(1e-3), "binary_crossentropy", metrics=["acc"])
    return model


def main():
    train = Augmenter().flow(*pets(TRAIN, 1), batch_size=32)
    validation = pets(VALIDATION, 2)
    history = convnet().fit(
        train,
        steps_per_epoch=TRAIN // 32,
        epochs=1,
        validation_data=validation,
        verbose=2,
    )
    print("pictures seen", math.prod((len(history.epoch), TRAIN)))


main()
