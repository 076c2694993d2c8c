"""A U-shaped network that marks cells in microscope pictures."""

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

HEIGHT = 84  # <- cause
WIDTH = 68  # <- cause
DEPTH = 3
BASE = 4


def double_convolution(tensor, filters):
    for _ in range(2):
        tensor = layers.Conv2D(filters, 3, padding="same", activation="relu")(tensor)
    return tensor


def unet(height, width):
    picture = layers.Input((height, width, 1))
    tensor, skipped = picture, []
    for level in range(DEPTH):
        tensor = double_convolution(tensor, BASE * 2**level)
        skipped.append(tensor)
        tensor = layers.MaxPooling2D(2)(tensor)
    tensor = double_convolution(tensor, BASE * 2**DEPTH)
    for level in reversed(range(DEPTH)):
        tensor = layers.UpSampling2D(2)(tensor)
        tensor = layers.Conv2D(BASE * 2**level, 2, padding="same", activation="relu")(tensor)
        tensor = layers.concatenate([skipped[level], tensor], axis=3)
        tensor = double_convolution(tensor, BASE * 2**level)
    mask = layers.Conv2D(1, 1, activation="sigmoid")(tensor)
    return keras.Model(picture, mask)


def draw_cells(count, height, width):
    rng = np.random.default_rng(2)
    rows, columns = np.mgrid[:height, :width]
    masks = np.zeros((count, height, width, 1), "float32")
    for mask in masks:
        for _ in range(4):
            y, x, r = rng.integers(5, height - 5), rng.integers(5, width - 5), rng.integers(3, 8)
            mask[(rows - y) ** 2 + (columns - x) ** 2 < r * r] = 1.0
    pictures = masks * 0.6 + rng.normal(0.2, 0.1, masks.shape).astype("float32")
    return pictures, masks


def main():
    pictures, masks = draw_cells(16, HEIGHT, WIDTH)
    model = unet(HEIGHT, WIDTH)
    model.compile(optimizer="adam", loss="binary_crossentropy")
    model.fit(pictures, masks, batch_size=4, epochs=1, verbose=0)
    print("loss", model.evaluate(pictures, masks, verbose=0))


if __name__ == "__main__":
    main()
