"""One object in a picture: is it there, which kind, and the four numbers of its box, with a loss of one's own."""

import numpy as np
from tensorflow import keras

COLUMNS = ("there", "kind", "x", "y", "width", "height")


def scenes(count=40, side=16):
    rng = np.random.default_rng(21)
    pictures = rng.random((count, side, side, 1)).astype("float32")
    return pictures, rng.random((count, len(COLUMNS))).astype("float32")


def box_loss(y_true, y_pred):
    x = (y_true[:, 2] - y_pred[:, 2]) ** 2
    y = (y_true[:, 3] - y_pred[:, 3]) ** 2
    width = (y_true[:, 4] - y_pred[:, 4]) ** 2
    height = (y_true[:, 5] - y_pred[:, 5]) ** 2
    return x + y + width + height


def detector(side=16):
    return keras.Sequential(
        [
            keras.layers.Input((side, side, 1)),
            keras.layers.Conv2D(8, 3, activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(len(COLUMNS)),
        ]
    )


def main():
    pictures, boxes = scenes()
    model = detector()
    model.compile(optimizer=keras.optimizers.Adam(), loss=box_loss)
    history = model.fit(pictures, boxes, batch_size=5, epochs=2, verbose=0)
    print("losses", np.round(history.history["loss"], 3))


if __name__ == "__main__":
    main()
